"""What has nothing to do with games: time limits, the stack, processes, garbage collection, files."""
