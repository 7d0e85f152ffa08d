"""What the commands share: choosing an instance, and what to say when the input is to blame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kemu.base.blame import is_a
from kemu.base.library import BadInput, shown
from kemu.render.console import fitted, terminal


def instance_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --set, --players and --instance, which together choose an instance of a game."""
    for option in (
        click.option("--instance", metavar="NAME", help="An instance that the rules file declares."),
        click.option("--players", type=click.IntRange(min=1), metavar="N", help="The number of players."),
        click.option(
            "--set",
            "sets",
            multiple=True,
            metavar="OPTION=VALUE",
            help="An option of the game; may be repeated.",
        ),
    ):
        command = option(command)
    return command


def without_webassembly() -> None:
    """Says, where there is no WebAssembly, that it would be faster with it."""
    from kemu_engine.run.wasm.asm import runtime

    if not runtime.installed():
        click.echo(f"{runtime.MISSING}; with it, this is much faster", err=True)


def complaint(error: BaseException) -> str | None:
    """What to say about an exception that blames the input; None if it does not."""
    if isinstance(error, BadInput):
        return f"Error: {error}"
    if isinstance(error, OSError):
        where = f" {shown(str(error.filename))}" if error.filename else ""
        return f"Error: cannot read or write{where}: {error.strerror or error}"
    if is_a(error, "kemu_grammar.source.diagnostics", "RulesError"):
        return diagnosed(error)
    if is_a(error, "kemu_engine.interp.frame", "TooMany") or is_a(
        error, "kemu_engine.support.time_limit", "TooSlow"
    ):
        return f"Error: {error}"
    return f"Error: {error}" if is_a(error, "kemu_engine.lower.settings", "SettingError") else None


def folded(message: str) -> str:
    """A message of one line without broken words, where somebody watches."""
    return fitted(message) if terminal() and "\n" not in message else message


def diagnosed(error: Any, what: str = "error") -> str:
    """All diagnostics, each with its line of the file, and how many errors or warnings there are."""
    from kemu_grammar.source.diagnostics import render

    from kemu.base.words import counted

    texts = {each.span.file: readable(each.span.file) for each in error.diagnostics}
    shown = [render(each, texts[each.span.file], what) for each in error.diagnostics]
    first = error.diagnostics[0].code
    return "\n\n".join([*shown, f"{counted(len(shown), what)}; `kemu explain {first}` tells more"])


def readable(file: str) -> str:
    """The text of a rules file, for showing lines of it; empty if it is not text."""
    try:
        text = Path(file).read_text("utf-8")
    except (OSError, ValueError):
        return ""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "?" for sign in text)
