"""The kernel: the small language that every reader reads, and what is asked of any program in it."""
