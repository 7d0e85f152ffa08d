"""`kemu explain`: more about a diagnostic."""

from __future__ import annotations

from textwrap import wrap

import click
from kemu_grammar.explain.explain import explain

from kemu.base.library import BadInput, shown
from kemu.render.console import width


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Explain the diagnostic CODE, such as E0312."""
    text = explain(code.strip().upper())
    if text is None:
        raise BadInput(
            f"there is no diagnostic {shown(code)}; a code looks like E0312, as `kemu check` prints it"
        )
    for line in text.rstrip().split("\n"):
        paragraph = line and not line.startswith(" ")
        click.echo("\n".join(wrap(line, width(), break_on_hyphens=False)) if paragraph else line)
