"""Small things in words: who won, what went wrong and where, numbers of things."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.nodes import Origin
from kemu_engine.play.action import Action
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, Result, State
from kemu_grammar.source.diagnostics import Diagnostic, render
from kemu_grammar.source.span import NOWHERE

from kemu.base.words import listed


def ending(result: Result, keys: Sequence[str] = ()) -> str:
    """`black wins`, `a tie`, `1. red (30, 2), 2. blue and green (28, 0)`; with the `keys` that the scores are
    compared by `1. red (points 30, shells 2), ...`."""
    return ", ".join(endings(result, keys))


def endings(result: Result, keys: Sequence[str] = ()) -> list[str]:
    """The same, place by place."""
    winners = result.winners
    if result.form == "win" and result.winner:
        return [f"{result.winner} wins"]
    if result.form == "tie" or (result.form == "win" and len(winners) == len(result.places)):
        return ["a tie"]
    standing = []
    for place in sorted(set(result.places.values())):
        players = [player for player, has in result.places.items() if has == place]
        scores = map(str, result.scores[players[0]])
        named = [" ".join(each) for each in zip(keys, scores, strict=True)] if keys else scores
        standing.append(f"{place}. {listed(players)} ({', '.join(named)})")
    return standing


def ranked_by(state: State) -> list[str]:
    """What the rules call the numbers by which players are ranked at this end, in their order; nothing if
    they have no names."""
    return names_of_keys(state.program, state.stop)


def names_of_keys(program: k.Program, stop: k.Exit) -> list[str]:
    """The same, of any end of the program."""
    if not isinstance(stop, k.End) or stop.form not in ("rank", "pays") or stop.origin < 0:
        return []
    span = program.origins[stop.origin].span
    lines = program.sources.get(span.file, "").splitlines()[span.line - 1 : span.end_line]
    if len(lines) != 1:
        return []
    (said,) = Action.parse(lines[0][span.column - 1 : span.end_column - 1].removeprefix("end ")).args or ("",)
    keys = Action.parse(f"{stop.form}{said}").args or (said,)
    named = all(re.fullmatch(r"[^\W\d]\w*", key) for key in keys)
    return [key.replace("_", " ") for key in keys] if named and len(keys) == program.width else []


def worded(value: object) -> str:
    """A value as State writes it, in words; of a map, what is known and not nothing."""
    if isinstance(value, dict):
        held = {
            key: each for key, each in value.items() if each is not False and each not in ("?", "none", [])
        }
        return ", ".join(f"{key} {worded(each)}" for key, each in held.items())
    if isinstance(value, list) and value and isinstance(value[0], dict):  # a history
        return f"{sum(each['times'] for each in value)} noted"
    if isinstance(value, list):
        return "{" + ", ".join(map(str, value)) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


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
    shown = render(Diagnostic(error.code, span, error.message), game.program.sources.get(span.file, ""))
    cites = citation(error.origin) if error.origin and error.origin.cites else ""
    first, *rest = ("fault" + shown.removeprefix("error")).split("\n")
    return [f"{first} {cites}".rstrip(), *(rest if span.line else [])]


def instance(game: Game) -> str:
    """`level=basic, players=2`: the settings of a game."""
    settings = [f"{name}={value}" for name, value in game.settings.items()]
    return ", ".join([*settings, f"players={len(game.players)}"])
