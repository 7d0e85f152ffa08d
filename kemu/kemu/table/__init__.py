"""The table: a game in the terminal, with people and bots."""
