"""Many games, or all states, at once."""
