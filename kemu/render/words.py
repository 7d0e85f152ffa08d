"""Small things in words: who won, what went wrong and where, numbers of things."""

from __future__ import annotations

from engine.game import Game
from engine.kernel import Origin
from engine.state import FaultError, Result
from grammar.diagnostics import Diagnostic, render
from grammar.tree import NOWHERE


def ending(result: Result) -> str:
    """`black wins`, `a tie`, `1. red (30, 2), 2. blue and green (28, 0)`."""
    winners = result.winners
    if result.form == "win" and result.winner:
        return f"{result.winner} wins"
    if result.form == "tie" or (result.form == "win" and len(winners) == len(result.places)):
        return "a tie"
    standing = []
    for place in sorted(set(result.places.values())):
        players = [player for player, has in result.places.items() if has == place]
        score = ", ".join(map(str, result.scores[players[0]]))
        standing.append(f"{place}. {listed(players)} ({score})")
    return ", ".join(standing)


def listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, thing: str) -> str:
    """`1 game`, `1,000 games`, `2 properties`."""
    many = thing.removesuffix("y") + "ies" if thing.endswith("ty") else thing + "s"
    return f"{number:,} {thing if number == 1 else many}"


def citation(origin: Origin | None) -> str:
    """The rulebook statements that stand behind a line of the rules, `[C1][D2]`; without any, the line:
    `(line 45)`."""
    if origin is None:
        return ""
    if origin.cites:
        return "".join(f"[{cite}]" for cite in origin.cites)
    return f"(line {origin.span.line})" if origin.span.line else ""


def fault(error: FaultError, game: Game) -> list[str]:
    """What the rules ran into, with the line of the rules file."""
    span = error.origin.span if error.origin else NOWHERE
    shown = render(Diagnostic(error.code, span, error.fault.message), game.program.sources.get(span.file, ""))
    cites = citation(error.origin) if error.origin and error.origin.cites else ""
    first, *rest = ("fault" + shown.removeprefix("error")).split("\n")
    return [f"{first} {cites}".rstrip(), *(rest if span.line else [])]
