"""Whether a game is any good: measures of games that weak and strong bots play."""
