"""`kemu check --step`: an example, statement by statement."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click
from kemu_engine.kernel.nodes import Example
from kemu_engine.play.examples import Part, run_example
from kemu_engine.play.game import Game as Playable
from kemu_grammar.game.game import Game
from kemu_grammar.game.marked import marked

from kemu.base.library import BadInput, shown
from kemu.base.opening import Wanted, choice, declared, made, opened, wanted
from kemu.base.timeouts import soon
from kemu.cli.check_instance import failed
from kemu.render.console import width
from kemu.render.stepping import stops


def step_through(name: str, title: str, instance: str | None) -> bool:
    """Shows the run of an example; in a terminal it waits for Enter after each statement. Returns whether the
    example came out as expected."""
    rules = opened(name)
    leaving_marks = marked(rules)
    want, game, example = found(leaving_marks.game, title, instance)
    parts: list[Part] = []
    with soon("it"):
        result = run_example(game, example, parts)
    click.echo(f'{rules.title}, {want.name or "as it stands"}: example "{example.title}"\n')
    if walked(stops(game, leaving_marks, parts, width())):
        click.echo("\nas expected" if result.passed else "\n" + failed(result))
    return result.passed


def found(rules: Game, title: str, instance: str | None) -> tuple[Wanted, Playable, Example]:
    """The example of that title, in the instance asked for, or the first that has it."""
    titles = [example.title for example in rules.examples]
    if title not in titles:
        quoted = [f'"{each}"' for each in titles]
        raise BadInput(f"{rules.title} has no example {shown(title)}{choice(title, quoted)}")
    wants = declared(rules) if instance is None else [wanted(rules, (), None, instance)]
    for want in wants:
        game = made(rules, want)
        for example in game.program.examples:
            if example.title == title:
                return want, game, example
    where = "any declared instance" if instance is None else instance
    raise BadInput(f"the example {shown(title)} does not apply to {where}")


def walked(blocks: Iterator[list[str]]) -> bool:
    """Shows one after the other; false if that was broken off."""
    waiting = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    for number, block in enumerate(blocks):
        if number and waiting:
            click.echo("-- Enter to continue, q to quit: ", nl=False)
            typed = sys.stdin.readline()
            if not typed or typed.strip().lower().startswith("q"):
                return False
        click.echo("\n".join(block))
    return True
