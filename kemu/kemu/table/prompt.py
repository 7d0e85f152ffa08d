"""What is said and read at the terminal: messages that fit, lines that can be edited, signals."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from textwrap import wrap
from types import FrameType

import click

from kemu.render.board import beside
from kemu.render.console import width

SIGNS = " ,()[]{}"  # what stands between words
CLOSED = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]


def say(text: str) -> None:
    """A message, in lines that fit."""
    click.echo("\n".join(wrap(text, width(), break_on_hyphens=False)))


def sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def read(prompt: str, editing: bool) -> str:
    """A line from the person, who can edit it if `editing`. Raises EOFError, KeyboardInterrupt."""
    if editing:
        return input(prompt)
    click.echo(prompt, nl=False)
    sys.stdout.flush()
    line = sys.stdin.readline() if sys.stdin else ""
    if not line:
        raise EOFError
    return line


def wipe() -> None:
    """Leaves nothing for the next person to see: on the screen, above it, and among the lines typed."""
    click.clear()
    if sys.stdout.isatty():
        click.echo("\033[3J", nl=False)  # what can be scrolled back to
    with suppress(ImportError):
        import readline

        readline.clear_history()


def listen(completions: Callable[[str], Sequence[str]], prompt: Callable[[], str]) -> None:
    """Makes a closed terminal and a polite kill end play as Ctrl-C does; lets lines be edited where that is
    possible, and completed by the Tab key. `completions`: the words that may come after the beginning of a
    line; `prompt`: what stands before it."""
    for each in CLOSED:
        signal.signal(each, closed)
    with suppress(ImportError):
        import readline

        def completed(word: str, number: int) -> str | None:
            begun = readline.get_line_buffer()[: readline.get_begidx()]
            found = [each for each in completions(begun) if each.casefold().startswith(word.casefold())]
            return f"{found[number]} " if number < len(found) else None

        readline.set_completer(completed)
        readline.set_completer_delims(SIGNS)
        with suppress(AttributeError):  # libedit shows them by itself
            readline.set_completion_display_matches_hook(
                lambda typed, found, longest: listed(found, prompt() + readline.get_line_buffer())
            )
        apple = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if apple else "tab: complete")


def listed(found: Sequence[str], line: str) -> None:
    """Shows how the line may go on, numbers in their order, and once more what stands there."""
    items = [[each.strip()] for each in sorted(found, key=by_number)]
    click.echo("\n" + "\n".join(each for each in beside(items, width(), gap=2) if each))
    click.echo(line, nl=False)
    sys.stdout.flush()


def by_number(word: str) -> tuple[int, int, str]:
    bare = word.strip()
    number = bare.lstrip("-").isdecimal()
    return (0, int(bare), "") if number else (1, 0, bare)


def closed(number: int, frame: FrameType | None) -> None:
    """Such a signal, which may come twice: once is enough."""
    for each in CLOSED:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt
