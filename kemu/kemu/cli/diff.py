"""`kemu diff`: whether two versions of a game are the same, or the shortest game that tells them apart."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from shlex import quote

import click
from kemu_engine.lower.settings import choose_settings
from kemu_engine.play.trace import record_of, trace
from kemu_engine.static.values import text_of
from kemu_grammar.game.game import Game as Rules
from kemu_verifier.diff.compare import Comparing, Comparison
from kemu_verifier.diff.readings import left_out, others

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.base.opening import choice, made, name_of, opened, wanted
from kemu.base.words import counted
from kemu.cli.common import instance_options
from kemu.cli.progress import Watch
from kemu.render.console import width
from kemu.render.difference import Side, as_json, reading
from kemu.render.difference import shown as told
from kemu.render.words import instance as settings_of

CODES = {"equivalent": 0, "different": 1, "unknown": 5}
TOLD = {"different": "values that matter", "equivalent": "proved not to matter", "unknown": "unknown"}
EACH, ALONE = 20.0, 60.0  # seconds for a pair: of many, of one


@click.command("diff")
@click.argument("game")
@click.argument("other", required=False)
@click.option(
    "--left",
    "lefts",
    multiple=True,
    metavar="OPTION=VALUE",
    help="A setting of the left side, players=N and instance=NAME included; may be repeated.",
)
@click.option("--right", "rights", multiple=True, metavar="OPTION=VALUE", help="The same for the right side.")
@instance_options
@click.option(
    "--readings",
    is_flag=True,
    help="Compare the instance with each that differs in one option, edition or reading.",
)
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="OPTION",
    help="With --readings: only this option; may be repeated.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help=f"Seconds for each comparison.  [default: {ALONE:.0f}; with --readings {EACH:.0f}]",
)
@click.option("--json", "machine", is_flag=True, help="Print one JSON object for each comparison.")
@click.option("--full", is_flag=True, help="Show every board of the game that both sides allow.")
@click.option(
    "--save-trace",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save the game as each side plays it in DIR, for `kemu replay`.",
)
@click.pass_context
def command(
    context: click.Context,
    game: str,
    other: str | None,
    lefts: tuple[str, ...],
    rights: tuple[str, ...],
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    readings: bool,
    names: tuple[str, ...],
    seconds: float | None,
    machine: bool,
    full: bool,
    folder: Path | None,
) -> None:
    """Compare two instances of GAME, or GAME with OTHER: prove that they are the same game, or show the
    shortest game after which one allows what the other forbids, or the two end differently.

    --set, --players and --instance apply to both sides. The exit code is 0 if they are equivalent, 1 if they
    differ, 5 if no difference was found but equivalence was not proved.
    """
    rules = opened(game)
    if readings:
        if other or lefts or rights:
            raise click.UsageError(
                "--readings takes one game; --set, --players and --instance choose its instance"
            )
        base = side("as it stands", rules, sets, players, instance, ())
        known = known_options(rules, names)
        context.exit(each_reading(base, game, known, seconds or EACH, machine, folder))
    if names:
        raise click.UsageError("--only needs --readings")
    if other is None and not lefts and not rights:
        raise click.UsageError(
            "compare with what? give --left or --right OPTION=VALUE, a second game, or --readings"
        )
    left = side("left", rules, sets, players, instance, lefts)
    right = side("right", rules if other is None else opened(other), sets, players, instance, rights)
    found, end = compared(left, right, seconds or ALONE)
    click.echo(as_json(left, right, found) if machine else "\n".join(told(left, right, found, width(), full)))
    if folder is not None:
        keep(left, right, found, (game, other or game), folder)
    if end is not None:
        raise end
    context.exit(CODES[found.kind])


def side(
    name: str,
    rules: Rules,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    own: tuple[str, ...],
) -> Side:
    """One side: the settings of both, then its own. Raises BadInput."""
    for text in own:
        key, sign, value = (part.strip() for part in text.partition("="))
        if sign and key == "instance":
            instance = value
        elif sign and key == "players":
            players = None
            sets = (*sets, text)
        else:
            sets = (*sets, text)
    want = wanted(rules, sets, players, instance)
    return Side(name, rules, made(rules, want))


def known_options(rules: Rules, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names unchanged. Raises BadInput for one that is not an option."""
    for name in names:
        if name not in rules.options:
            raise BadInput(f"{rules.title} has no option {shown(name)}{choice(name, list(rules.options))}")
    return names


def compared(left: Side, right: Side, seconds: float) -> tuple[Comparison, BaseException | None]:
    """What was found, and what stopped the search: Ctrl-C, an internal error, or nothing."""
    with Watch() as watch:
        under_way = Comparing(left.game, right.game, seconds, watch.show)
        try:
            return under_way.run(), None
        except KeyboardInterrupt as error:
            return under_way.so_far(), error


def each_reading(
    base: Side, game: str, names: tuple[str, ...], seconds: float, machine: bool, folder: Path | None
) -> int:
    """A line for each value of each option that the instance does not have; the exit code."""
    if not machine:
        click.echo(f"{base.game.title}, {settings_of(base.game)}; with one option changed:")
    kinds: list[str] = []
    rules, count = base.rules, len(base.game.players)
    for other in others(rules, base.game.settings, count, names):
        if other.game is None:
            if not machine:
                click.echo(reading(rules, other, None))
            continue
        changed = f"{other.option.name}={text_of(other.value)}"
        right = Side(changed, rules, other.game)
        found, end = compared(base, right, seconds)
        kinds.append(found.kind)
        line = as_json(base, right, found, option=other.option.name, value=other.value)
        click.echo(line if machine else reading(rules, other, found))
        if folder is not None:
            keep(base, right, found, (game, game), folder / re.sub(r"[^\w.=-]+", "_", changed))
        if end is not None:
            raise end
        gc.collect()  # the memory is one of the limits of the next comparison
    chosen = choose_settings(rules, base.game.settings, count)
    asked = {name: each for name, each in rules.options.items() if not names or name in names}
    rest = {name: left_out(each, chosen[name]) for name, each in asked.items()}
    rest = {name: count for name, count in rest.items() if count}
    if not machine:
        summary = [f"{words}: {kinds.count(kind)}" for kind, words in TOLD.items()]
        summary += [f"{name}: {counted(count, 'value')} between not tried" for name, count in rest.items()]
        click.echo("; ".join(summary))
    settled = CODES["unknown"] if rest else 0
    return next((CODES[kind] for kind in ("different", "unknown") if kind in kinds), settled)


def keep(left: Side, right: Side, found: Comparison, files: tuple[str, str], folder: Path) -> None:
    """Saves the game for either side, if one was found. Raises BadInput."""
    if found.difference is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {shown(str(folder))}: {error.strerror}") from error
    note = found.difference.words(left.name, right.name)
    for which, each, file in zip(("left", "right"), (left, right), files, strict=True):
        path = folder / f"{which}.json"
        kept = record_of(each.game, trace(each.game, found.steps), note)
        save_files.save(save_files.saved(kept, name_of(file)), path)
        click.echo(f"saved: kemu replay {quote(str(path))}", err=True)
