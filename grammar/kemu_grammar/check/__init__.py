"""Names and kinds: whether a syntax tree is a game."""
