"""`kemu match`: bots play many games against each other."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import click
import msgspec
from kemu_engine.play import record

from kemu.api.game import Game
from kemu.base.library import BadInput, shown
from kemu.base.opening import ready
from kemu.base.words import counted
from kemu.bots.matches import Played, Score, elo, match, paid, scores, seating
from kemu.cli.common import instance_options, without_webassembly
from kemu.cli.simulate import bar
from kemu.render.console import fitted, terminal
from kemu.render.simulation import aligned, listed, number, percent
from kemu.render.words import instance as settings_of
from kemu.service.simulation import cores


@click.command("match")
@click.argument("game")
@click.argument("unnamed", nargs=-1, metavar="")
@instance_options
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="NAME=BOT",
    help="A bot and a name for it: random, mcts, mcts:10000 (random games a decision), mcts:2s (seconds). "
    "Give two or more.",
)
@click.option("-n", "--games", "number", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="For chance and the bots.")
@click.option(
    "--keep",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the games, for `kemu replay`.",
)
@click.option("--json", "machine", is_flag=True, help="Print one JSON object instead.")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of processes.  [default: one per core]"
)
@click.pass_context
def command(
    context: click.Context,
    game: str,
    unnamed: tuple[str, ...],
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    seats: tuple[str, ...],
    number: int,
    seed: int,
    folder: Path | None,
    machine: bool,
    jobs: int | None,
) -> None:
    """Let bots play GAME many times against each other, each in every seat, and compare them.

    Each bot thinks on one thread. A game is worth one point, which those share who come in first.
    """
    if unnamed:
        raise BadInput(f"each bot is given with a name for it: {called(seats, unnamed)}")
    playable = ready(game, sets, players, instance)
    entrants = named(seats, playable.players)
    if {*entrants.values()} != {"random"}:
        without_webassembly()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    played: list[Played] = []
    interrupted = False
    with bar(number) if terminal() else nullcontext(lambda done: None) as count:
        try:
            for each in match(Game(playable), entrants, number, seed, jobs or cores()):
                played.append(each)
                count(len(played))
                if folder is not None:
                    keep(each, folder, number)
        except KeyboardInterrupt:
            interrupted = True
    found = scores(played, [*entrants])
    if machine:
        told: dict[str, Any] = {
            "game": playable.title,
            "settings": playable.settings,
            "players": playable.players,
        }
        told |= {"seed": seed, "games": len(played), **as_json(played, found, entrants)}
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        click.echo(fitted(f"{playable.title}, {settings_of(playable)}, seed {seed}"))
        click.echo("\n".join(report(played, found, entrants, playable.players)))
    if interrupted:
        click.echo(f"interrupted after {len(played):,} of {counted(number, 'game')}", err=True)
        context.exit(130)


def named(seats: tuple[str, ...], players: tuple[str, ...]) -> dict[str, str]:
    """Bots by name. Raises BadInput."""
    found: dict[str, str] = {}
    for text in seats:
        name, sign, kind = text.partition("=")
        if not sign or not name:
            raise BadInput(f"a bot is given as NAME=BOT, such as `a=mcts:1000`, not as {shown(text)}")
        if name in found:
            raise BadInput(f"two bots are called {shown(name)}")
        found[name] = kind
    if len(found) < 2:
        raise BadInput("a match needs two bots or more: `--seat a=mcts:1000 --seat b=random`")
    if len(found) > len(players):
        raise BadInput(f"the game is for {counted(len(players), 'player')}, not for {len(found)} bots")
    return found


def called(seats: tuple[str, ...], unnamed: tuple[str, ...]) -> str:
    """How bots are written that were given without a name, behind those that have one."""
    taken = {text.partition("=")[0] for text in seats}
    letters = (letter for letter in ascii_lowercase if letter not in taken)
    given = [*seats, *map("=".join, zip(letters, unnamed, strict=False))]
    text = shown(" ".join(f"--seat {each}" for each in given))
    return f"`{text[1:-1]}`"


def keep(played: Played, folder: Path, number: int) -> None:
    """Writes a game down. Raises OSError."""
    digits = len(str(number - 1))
    note = ", ".join(f"{player}: {name}" for player, name in played.seats.items())
    kept = msgspec.structs.replace(played.record, note=note)
    record.save(kept, folder / f"{played.number:0{digits}}.json")


def report(
    played: list[Played], found: dict[str, Score], entrants: dict[str, str], players: tuple[str, ...]
) -> list[str]:
    """The result in words."""
    games = len(played)
    mean = f", {sum(each.decisions for each in played) / games:.1f} decisions a game" if games else ""
    lines = [f"{counted(games, 'game')}{mean}"]
    if len(players) > len(entrants):
        seats = ", ".join(f"{name} as {player}" for player, name in seating(players, [*entrants], 0).items())
        lines.append(f"first {seats}; from game to game all move on by a seat")
    lines.append("")
    if any(score.games for score in found.values()):
        rows = []
        for name, score in found.items():
            told = [name, entrants[name], *percent(score.range), f"won {score.wins}"]
            rows.append([*told, f"shared {score.shared}" if score.shared else ""])
        lines += aligned(rows, "<<><><")
        if len(players) == 2:
            (one, first), (two, _) = found.items()
            lines += ["", f"{one} is {ahead(first, two)}"]
        else:
            lines += ["", f"as good as the others would be {100 / len(players):.1f}%"]
        lines += ["", *by_seat(played, entrants, players)]
        means = {name: paid(played, name) for name in entrants}
        pays = [
            (f"{name} is paid", number(each), "a game") for name, each in means.items() if each is not None
        ]
        lines += ["", *aligned(pays, "<<<")] if pays else []
    for ending, words in (("cut", "cut off"), ("fault", "broken off, for the rules broke down")):
        if count := sum(each.ending == ending for each in played):
            lines.append(f"{counted(count, 'game')} {words}, not counted")
    return lines


def ahead(score: Score, other: str) -> str:
    """`120 Elo (80 to 165) ahead of b`, the other one."""
    low, value, high = (elo(part) for part in (score.range.low, score.range.value, score.range.high))
    if value < 0:
        low, value, high = -high, -value, -low
    way = f"behind {other}" if score.range.value < 0.5 else f"ahead of {other}"

    def whole(number: float) -> str:
        return "more than can be told" if number == float("inf") else f"{number:.0f}"

    if value == float("inf") and low <= 0:
        return f"{way}, by how much cannot be told"
    if value == 0:
        return f"even with {other} ({whole(low)} to {whole(high)} Elo)"
    if value == float("inf"):
        return f"more than {low:.0f} Elo {way}"
    return f"{value:.0f} Elo ({low:.0f} to {whole(high)}) {way}"


def by_seat(played: list[Played], entrants: dict[str, str], players: tuple[str, ...]) -> list[str]:
    """What each got as each player."""
    rows = []
    for player in players:
        got = scores(played, entrants, player)
        rows.append(
            [f"as {player}", *(f"{name} {each.points:g} of {each.games}" for name, each in got.items())]
        )
    return aligned(rows, "<" * (1 + len(entrants)))


def as_json(played: list[Played], found: dict[str, Score], entrants: dict[str, str]) -> dict[str, Any]:
    """All that is known. Ranges are [value, low, high]."""
    bots = {}
    for name, score in found.items():
        bots[name] = {"bot": entrants[name], "games": score.games, "points": score.points, "wins": score.wins}
        if score.games:
            bots[name]["share"] = listed(score.range)
    games = [
        {"number": each.number, "seats": each.seats, "ending": each.ending, "points": each.points,
         "decisions": each.decisions}
        for each in sorted(played, key=lambda each: each.number)
    ]  # fmt: skip
    return {"bots": bots, "each": games}
