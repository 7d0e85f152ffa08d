"""Lowering: from a checked game and its options to a program of the kernel."""
