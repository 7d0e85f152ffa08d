"""Plain-Python reference models of the games, sharing no code with the project they check."""
