"""The interpreter, which says what a program means."""
