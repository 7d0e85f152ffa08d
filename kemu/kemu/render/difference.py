"""A comparison of two games for people: what differs in the rules, the steps in common, what then differs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.play.trace import Trace, trace
from kemu_engine.play.view import view
from kemu_engine.static.values import text_of
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.syntax.ast import Node, Table
from kemu_grammar.syntax.datafile import rows
from kemu_verifier.diff.compare import Comparison
from kemu_verifier.diff.readings import Other

from kemu.base.words import counted
from kemu.render.board import beside, columns_of
from kemu.render.trace import Line, boards, closing, filled, fitted, lines

MOST = 16  # choices of one side that are listed
NARROW = 24  # columns of a list at least


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: what it is called, its rules, its instance."""

    name: str
    rules: Rules
    game: Game


def shown(left: Side, right: Side, found: Comparison, width: int, full: bool = False) -> list[str]:
    """All there is to say: which texts are compared, the answer, and the game behind it."""
    out = [*heads(left, right, width), "", *wrap(answer(found), width)]
    if found.difference is None or found.difference.kind == "players":
        return [*out, found.difference.words(left.name, right.name)] if found.difference else out
    if found.difference.kind == "knowledge":
        return [*out, "", *apart(left, right, found, width)]
    common = found.steps[:-1] if found.difference.kind == "fault" else found.steps
    together = trace(left.game, common)
    out += ["", f"both allow {counted(len(common), 'step')}:" if common else "both begin:"]
    out += unclosed(left.game, together, width, full)
    return [*out, "", *apart(left, right, found, width)]


def unclosed(game: Game, common: Trace, width: int, full: bool) -> list[str]:
    """The steps in common, without what is told at the end of a game."""
    told, end = lines(game, common, width, full), closing(game, common)
    return told[: len(told) - len(end)]


def answer(found: Comparison) -> str:
    """The answer in a sentence."""
    none = f"none of up to {counted(found.depth, 'step')} does" if found.depth >= 0 else ""
    if found.kind == "equivalent":
        return f"equivalent, proved: {found.by}"
    if found.plays:
        return found.alike
    if found.kind == "different":
        length = counted(len(found.steps), "step")
        if found.shortest:
            return f"different, after {length}: no shorter game shows a difference"
        return f"different, after {length}: shorter games may show a difference" + (none and f"; {none}")
    tried = [none and f"no game of up to {counted(found.depth, 'step')} shows one"]
    tried += [f"{counted(found.games, 'random game')} showed none"] if found.games else []
    return "no difference found, but not proved equivalent: " + (
        ", ".join(filter(None, tried)) or "too little time"
    )


# ---------------------------------------------------------------------------------------------- the rules


def heads(left: Side, right: Side, width: int) -> list[str]:
    """What is compared: the settings or the declarations that differ, and what both have."""
    same_file = left.rules.file == right.rules.file
    mine, theirs = settings(left.game), settings(right.game)
    out = [left.game.title if same_file else f"{left.rules.file} and {right.rules.file}"]
    differ = [name for name in dict.fromkeys((*mine, *theirs)) if mine.get(name) != theirs.get(name)]
    for side, has in ((left, mine), (right, theirs)):
        told = [setting(side.rules, name, has[name]) for name in differ if name in has]
        told = told if same_file else [side.rules.file, *told]
        out += wrap(f"{side.name}: {'; '.join(told)}", width, subsequent_indent="    ")
    both = [f"{name}={value}" for name, value in mine.items() if name not in differ]
    out += wrap(f"both: {', '.join(both)}", width, subsequent_indent="    ") if both else []
    if not same_file:
        changed = ", ".join(changes(left.rules, right.rules)) or "comments and line numbers only"
        out += wrap(f"the files differ in: {changed}", width, subsequent_indent="    ")
    return out


def settings(game: Game) -> dict[str, str]:
    return {**game.settings, "players": str(len(game.players))}


def setting(rules: Rules, name: str, value: str) -> str:
    """`K2=two_rows "Ara needs" [K2]`: with what the rules file says of it."""
    option = rules.options.get(name)
    if option is None:
        return f"{name}={value}"
    text = f' "{option.text}"' if option.text else ""
    return f"{name}={value}{text} {cited(rules, name)}".rstrip()


def cited(rules: Rules, name: str) -> str:
    """The statements that stand behind an option: a reading is named after its own."""
    option = rules.options[name]
    lines = rules.citations.get(option.span.file, {})
    cites = lines.get(option.span.line, ())
    return "".join(f"[{cite}]" for cite in cites)


def changes(left: Rules, right: Rules) -> list[str]:
    """The declarations that only one side has, or that differ, with their lines."""
    mine, theirs = declared(left), declared(right)
    told = []
    for name in dict.fromkeys((*mine, *theirs)):
        one, other = mine.get(name), theirs.get(name)
        if one is None or other is None or one[0] != other[0]:
            lines = f"{one[1] if one else '-'} | {other[1] if other else '-'}"
            told.append(f"{name} (line {lines})")
    return told[:MOST] + ([f"{len(told) - MOST} more"] if len(told) > MOST else [])


def whole(node: Node) -> object:
    """A declaration; of a table whose rows stand in a file of their own, with these."""
    if isinstance(node, Table) and node.file is not None:
        return node, rows(node)
    return node


def declared(rules: Rules) -> dict[str, tuple[object, int]]:
    """All that is declared, of a table from a file its rows, too, with the line where it stands. Places and
    comments are no part of it."""
    nodes: list[tuple[str, Node]] = [("players", rules.players), *rules.names.items()]
    nodes += [(f"option {name}", each) for name, each in rules.options.items()]
    nodes += [(f"instance {name}", each) for name, each in rules.instances.items()]
    nodes += [(f"property {each.name}", each) for each in rules.properties]
    nodes += [(f'example "{each.title}"', each) for each in rules.examples]
    others = {"under": rules.unders, "needs": rules.needs, "check": rules.checks, "view": rules.views}
    for kind, some in others.items():
        nodes += [(f"{kind} {number}", each) for number, each in enumerate(some, 1)]
    found: dict[str, tuple[object, int]] = {"game": (rules.title, 1)}
    found |= {name: (whole(each), each.span.line) for name, each in (*nodes, ("rules", rules.rules))}
    if rules.state:
        found["state"] = rules.state, rules.state[0].span.line
    return found


# ------------------------------------------------------------------------------------------- the difference


def apart(left: Side, right: Side, found: Comparison, width: int) -> list[str]:
    """Where the two part: their boards, if they look otherwise, then what each side has."""
    difference = found.difference
    assert difference is not None
    if difference.kind == "knowledge":
        return wrap(f"{difference.words(left.name, right.name)}.", width)
    ends = [trace(side.game, found.steps) for side in (left, right)]
    here = [end.final for end in ends]
    states = [state for state in here if state is not None]
    out = [*pictures(left, right, states[0], states[1], width)] if len(states) == 2 else []
    if difference.kind == "fault":
        step = found.steps[-1] if found.steps else "the opening"
        out += [f"then {step}:"]
        for side, end in zip((left, right), ends, strict=True):
            out += [f"{side.name}: {'goes on' if end.fault is None else 'breaks down'}"]
            out += [line for line in closing(side.game, end) if line]
        return out
    if difference.kind in ("over", "result"):
        for side, end in zip((left, right), ends, strict=True):
            told = [line for line in closing(side.game, end) if line] or [f"goes on, {turn(end.final)}"]
            out += [f"{side.name}: {told[0]}", *told[1:]]
        return out
    if difference.kind == "actor":
        return [*out, *(f"{s.name}: {turn(e.final)}" for s, e in zip((left, right), ends, strict=True))]
    state = states[0]
    alike = len(state.moves()) - len(difference.left)
    what = "outcome" if difference.kind == "chance" else "action"
    out += [f"then {turn(state)} {cites(states, (difference.left, difference.right))}".rstrip() + ":"]
    room = max((width - 3) // 2, NARROW)
    columns = [
        [f"only {side.name}:" if texts else f"only {side.name}: nothing", *listed(texts, room)]
        for side, texts in ((left, difference.left), (right, difference.right))
    ]
    fits = all(columns_of(line) <= room for column in columns for line in column)
    out += beside(columns, width) if fits else [line for column in columns for line in column]
    return [*out, f"both: {counted(alike, what)}" if alike else f"both: no {what}"]


def pictures(left: Side, right: Side, mine: State, theirs: State, width: int) -> list[str]:
    """Both boards, the right one's differences marked; nothing if they look the same."""
    if view(mine) == view(theirs):
        return []
    blocks = [
        [Line(f"{left.name}:"), *boards(mine, width=width)],
        [Line(f"{right.name}:"), *boards(theirs, mine, width=width)],
    ]
    return [*beside(fitted(blocks, width), width), ""]


def turn(state: State | None) -> str:
    """Who is to act, and where in the rules."""
    if state is None or state.is_end:
        return "the end"
    return f"{state.actor or 'chance'} at {state.label}"


def cites(states: Sequence[State], texts: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    """The statements behind what only one side has: those of the arms, or else of the stop."""
    found: dict[str, None] = {}
    for state, only in zip(states, texts, strict=True):
        stop, origins = state.stop, state.program.origins
        names = {text.split("(")[0] for text in only}
        places = [stop.origin]
        if isinstance(stop, k.Decide):
            places = [arm.origin for arm in stop.arms if arm.name in names] or places
        for place in places:
            found |= dict.fromkeys(origins[place].cites if place >= 0 else ())
    return "".join(f"[{cite}]" for cite in found)


def listed(texts: Sequence[str], width: int) -> list[str]:
    rest = len(texts) - MOST
    items = [*texts[:MOST], *([f"and {rest} more"] if rest > 0 else [])]
    return [f"  {line}" for line in filled(items, width - 2)]


# ---------------------------------------------------------------------------------------------- other forms


def reading(rules: Rules, other: Other, found: Comparison | None) -> str:
    """One line on whether an option matters, compared with the value that it has."""
    name, was, value = other.option.name, text_of(other.was), text_of(other.value)
    head = f"{setting(rules, name, value)}:"
    if found is None:
        return f"{head} not possible here: {other.why}"
    if found.difference is None:
        if found.plays:
            return f"{head} {found.alike}"
        word = "does not matter, proved" if found.kind == "equivalent" else "unknown"
        return f"{head} {word}: {answer(found).split(': ', 1)[1]}"
    words = found.difference.words(f"{name}={was}", f"{name}={value}")
    if found.plays:
        return f"{head} matters: {found.alike}: {words}"
    how = "the shortest" if found.shortest else "not proved to be the shortest"
    return f"{head} matters: after {counted(len(found.steps), 'step')} ({how}), {words}"


def as_json(left: Side, right: Side, found: Comparison, **more: object) -> str:
    """One line of JSON. `trace`: the texts of the steps that both allow, from the beginning; of a fault the
    last step is the one that runs into it. `difference`: its kind, and what each side has. `plays_the_same`:
    by what it is proved that the same may be done, whoever knows what."""
    difference = found.difference
    return json.dumps(
        {
            **more,
            "left": side_json(left),
            "right": side_json(right),
            "answer": found.kind,
            "by": found.by,
            "plays_the_same": found.plays or (found.by if found.kind == "equivalent" else None),
            "shortest": found.shortest,
            "depth": found.depth,
            "games": found.games,
            "seconds": round(found.seconds, 3),
            "trace": found.steps if difference is not None else None,
            "difference": difference
            and {"kind": difference.kind, "left": difference.left, "right": difference.right},
        }
    )


def side_json(side: Side) -> dict[str, object]:
    return {
        "game": side.game.title,
        "file": side.rules.file,
        "settings": {**side.game.settings, "players": len(side.game.players)},
        "program": side.game.hash,
    }
