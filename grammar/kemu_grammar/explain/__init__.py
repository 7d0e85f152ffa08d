"""What `kemu explain` tells, a module for each group of codes."""
