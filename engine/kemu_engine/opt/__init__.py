"""The optimiser: passes from program to program, for the readers that compile."""
