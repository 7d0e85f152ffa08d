"""The command line: the commands' names, and one place where every ending becomes an exit code.

0 fine; 1 to 5 a verdict of `kemu verify`; 64 bad input or usage; 70 an error of our own; 130 interrupted;
141 the reader of our output went away. Commands are imported when they are called, so that `kemu --help`
answers at once.
"""

from __future__ import annotations

import codecs
import gc
import io
import os
import sys
import time
import traceback
import unicodedata
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

USAGE, INTERNAL, INTERRUPTED, BROKEN_PIPE = 64, 70, 130, 141
DEBUG = "--debug"
SEARCHES = 100_000, 20, 20
"""How much is new when Python looks for garbage, there and among what is older: rarely, since most of what a
command makes stays."""

COMMANDS = {
    "games": "List the available games, with their options and instances.",
    "check": "Read rules files, make every instance, run the examples.",
    "trace": "Show what the rulebook says and where the rules file says it.",
    "play": "Play a game in the terminal, against people or bots.",
    "table": "Play a game in the browser, on a drawn board.",
    "match": "Let bots play many games against each other and compare them.",
    "study": "Say how a game plays: who wins, how deep, how dramatic, what is never used.",
    "simulate": "Play many games at random and count what happened.",
    "verify": "Prove the game's properties, or show a game that breaks them.",
    "recheck": "Check a bundle of evidence without the prover.",
    "diff": "Compare two versions of a game: prove them the same, or show where they first differ.",
    "findings": "Examine the gaps in a rulebook: which of them matter, and the games that show it.",
    "mutate": "Change the rules in small ways and see which claims notice.",
    "replay": "Show a saved game or trace again, move by move.",
    "draw": "Draw a position of a game as an SVG picture.",
    "playthrough": "Write down a random game in full, for later comparison.",
    "compile": "Write a game as a Python or WebAssembly module.",
    "explore": "Find and count all states that a small instance can reach.",
    "perft": "Count the ways to play a given number of steps.",
    "explain": "Explain a diagnostic, given its code.",
}


class Kemu(click.Group):
    """A group whose commands are imported when they are called, and whose endings are the exit codes
    above. The context's `obj` says after how many seconds of computing the command began to be imported."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        ctx.obj = time.process_time()
        command = import_module(f"kemu.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        extra["standalone_mode"] = False
        if args is None:  # the process is ours
            gc.set_threshold(*SEARCHES)
        sys.stdout = sys.stdout or io.StringIO()  # None if it was closed before we began
        sys.stderr = sys.stderr or io.StringIO()
        try:
            code = super().main(args, *rest, **extra)
            sys.stdout.flush()
        except BaseException as error:
            try:
                code = ending(error, DEBUG in (sys.argv if args is None else args))
            except BrokenPipeError:
                code = reader_gone()
        sys.exit(code if isinstance(code, int) else 0)


def ending(error: BaseException, debug: bool = False) -> int:
    """The exit code for an exception that nobody caught; says on stderr what there is to say, and if `debug`
    where an error of our own came from."""
    if isinstance(error, BrokenPipeError):
        return reader_gone()
    if isinstance(error, SystemExit):  # click's answer to a broken pipe, before we see it
        return reader_gone() if error.code == 1 else int(error.code or 0)
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return INTERRUPTED
    from kemu.cli.common import complaint, folded

    if isinstance(error, click.ClickException):
        vars(error).update(message=folded(error.message))
        error.show()
        return USAGE
    message = complaint(error)
    if message is not None:
        click.echo(folded(message), err=True)
        return USAGE
    return internal(error, debug)


def reader_gone() -> int:
    """Keeps Python from complaining at exit about output that nobody reads."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return BROKEN_PIPE


def internal(error: BaseException, debug: bool) -> int:
    if debug or os.environ.get("KEMU_DEBUG"):
        traceback.print_exception(error)
    reason = " ".join(str(error).split())[:200]
    click.echo(
        f"kemu: internal error ({type(error).__name__}{': ' + reason if reason else ''}); please report it, "
        "along with what the command prints with `KEMU_DEBUG=1` in front of it",
        err=True,
    )
    return INTERNAL


def write_plainly(error: UnicodeError) -> tuple[str, int]:
    """For terminals that lack a character: the letter without its accent, else a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = []
    for sign in error.object[error.start : error.end]:
        bare = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
        signs.append(PLAIN.get(sign, bare or "?"))
    return "".join(signs), error.end


PLAIN_CODEC = "kemu_ascii"


def plain_codec(name: str) -> codecs.CodecInfo | None:
    """ASCII under another name: click would take a stream called ASCII for misconfigured, and write
    UTF-8."""
    if name != PLAIN_CODEC:
        return None
    known = codecs.lookup("ascii")
    return codecs.CodecInfo(
        known.encode,
        known.decode,
        known.streamreader,
        known.streamwriter,
        known.incrementalencoder,
        known.incrementaldecoder,
        PLAIN_CODEC,
    )


PLAIN = {
    "—": "-",
    "–": "-",
    "…": "...",
    "→": ">",
    "·": ".",
    "“": '"',
    "”": '"',
    "’": "'",
    "×": "x",
    "≤": "<=",
}


@click.group(cls=Kemu, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="kemu", message="%(prog)s %(version)s")
@click.option(DEBUG, is_flag=True, help="Show where an internal error came from.")
@click.pass_context
def main(context: click.Context, debug: bool) -> None:
    """Board games whose rules are written once, then played and proved."""
    if os.environ.get("NO_COLOR"):
        context.color = False
    codecs.register_error("kemu-plain", write_plainly)
    codecs.register(plain_codec)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            ascii_only = codecs.lookup(stream.encoding or "ascii").name == "ascii"
            stream.reconfigure(encoding=PLAIN_CODEC if ascii_only else None, errors="kemu-plain")


assert isinstance(main, Kemu)
main.commands.update(
    {name: click.Command(name) for name in COMMANDS}
)  # what click compares a misspelt name with
