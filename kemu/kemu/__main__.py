"""`python -m kemu`: the command line."""

from kemu.cli.main import main

main(prog_name="kemu")
