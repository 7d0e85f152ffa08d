"""`kemu study`: whether a game is any good, on a page."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from kemu.base.library import BadInput, shown
from kemu.base.opening import opened, ready, wanted
from kemu.base.writing import free, write
from kemu.cli.common import instance_options, without_webassembly
from kemu.cli.simulate import bar
from kemu.render.console import terminal
from kemu.service.simulation import cores
from kemu.study.options import Change, changes
from kemu.study.study import Plan, Study, study
from kemu.study.text import changed, report


@click.command("study")
@click.argument("game")
@instance_options
@click.option(
    "--compare",
    "others",
    multiple=True,
    metavar="OPTION=VALUE,...",
    help="Study this instance, too, and show them side by side; may be repeated.",
)
@click.option(
    "--options", is_flag=True, help="Say which options change who wins: each is given its other values."
)
@click.option(
    "-n", "--games", "number", type=click.IntRange(min=2), default=40, show_default=True,
    help="Games of each kind between bots.",
)  # fmt: skip
@click.option(
    "--random", type=click.IntRange(min=2), default=1000, show_default=True, help="Games at random."
)
@click.option(
    "--weak", type=click.IntRange(min=1), default=100, show_default=True,
    help="Random games that a weak bot searches for a decision.",
)  # fmt: skip
@click.option("--strong", type=click.IntRange(min=2), default=2000, show_default=True, help="A strong bot.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same study.")
@click.option(
    "--html", "file", type=click.Path(path_type=Path), metavar="FILE.html", help="Write the page as HTML."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of processes.  [default: one per core]"
)
def command(
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    others: tuple[str, ...],
    options: bool,
    number: int,
    random: int,
    weak: int,
    strong: int,
    seed: int,
    file: Path | None,
    jobs: int | None,
) -> None:
    """Say how GAME plays: length, choice and results at random and between bots, how deep and how
    dramatic it is, and what strong play never uses."""
    if weak >= strong:
        raise BadInput(f"a strong bot searches more than a weak one: --strong {strong} is not above {weak}")
    if file is not None:
        free(file)
    without_webassembly()
    plan = Plan(number, random, weak, strong, seed, jobs or cores())
    games = [ready(game, sets, players, instance)]
    for text in others:
        own = [each.strip() for each in text.split(",")]
        named = [each.removeprefix("players=") for each in own if each.startswith("players=")]
        if named and not named[0].isdecimal():
            raise BadInput(f"the number of players must be a number, not {shown(named[0])}")
        asked = tuple(each for each in own if not each.startswith("players="))
        games.append(ready(game, (*sets, *asked), int(named[0]) if named else players, instance))
    studies: list[Study] = []
    with bar(plan.all * len(games)) if terminal() else nullcontext(lambda done: None) as count:
        for at, each in enumerate(games):
            studies.append(study(each, plan, lambda done, at=at: count(at * plan.all + done)))  # type: ignore[misc]
    click.echo("\n".join(report(studies, plan)))
    found: list[Change] = []
    if options:
        rules = opened(game)
        found = changes(rules, games[0], wanted(rules, sets, players, instance), plan)
        click.echo("\n".join(["", *changed(found, games[0].players[0])]))
    if file is not None:
        from kemu.render.told_rules import statements
        from kemu.study.page import page

        cited = {each.number: each for each in statements(opened(game))}
        write(file, page(studies, plan, found, cited))
