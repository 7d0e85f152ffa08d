"""`kemu explain`: more about a diagnostic."""

from __future__ import annotations

import click

from grammar.explain import explain
from kemu.find import BadInput, shown


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Tell more about the diagnostic CODE, such as E0312."""
    text = explain(code.strip().upper())
    if text is None:
        raise BadInput(
            f"there is no diagnostic {shown(code)}; a code looks like E0312, as `kemu check` prints it"
        )
    click.echo(text.rstrip())
