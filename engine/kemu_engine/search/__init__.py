"""What is best to do: searches of the tree of moves."""
