"""A game read whole: its libraries, its rulebook, its size."""
