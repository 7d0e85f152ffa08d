"""`python -m kemu`: the command line."""

from kemu.cli import main

main(prog_name="kemu")
