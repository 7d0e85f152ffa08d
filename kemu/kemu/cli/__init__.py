"""The command line: `main` and the commands, a module each."""
