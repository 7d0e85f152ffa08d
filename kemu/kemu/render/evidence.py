"""What stands behind a verdict, for people: a trace with boards, or the states of a failed induction."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from kemu_engine.play.game import Game
from kemu_engine.play.trace import trace
from kemu_verifier.goal.verdict import Verdict

from kemu.base.words import counted
from kemu.render.board import beside
from kemu.render.trace import Block, Line, boards, fitted, lines, rounds, summary
from kemu.render.verdicts import answer
from kemu.render.words import citation
from kemu.service.runs import played_in


def evidence(game: Game, verdict: Verdict, width: int, full: bool = False, asked: bool = True) -> list[str]:
    """What stands behind one verdict; nothing if the table has said all there is to say.

    A game that breaks a property is shown board by board; one that only shows that something is possible,
    by its last board, or not at all if the question is a standard one. One that was expected is only counted,
    unless it was `asked` for. `full` shows everything.
    """
    body = [
        line for part in verdict.detail.splitlines() for line in wrap(part, width, break_on_hyphens=False)
    ]
    if verdict.steps is not None and (full or not (verdict.kind == "possible" and verdict.standard)):
        if not (full or asked or verdict.exit_code):
            body.append(f"by a game of {counted(len(verdict.steps), 'step')}")
        elif verdict.kind == "possible" and not full:
            body += witness(game, verdict, width)
        else:
            body += told(game, verdict, width, full)
    if verdict.state_json is not None:
        body += states(game, verdict.state_json, width)
    return body


def heading(verdict: Verdict) -> str:
    place = verdict.origin.span
    where = f" {place.file}:{place.line}" if place.line else ""
    surprise = f", but {verdict.wanted} was expected" if verdict.exit_code else ""
    cites = citation(verdict.origin) if verdict.origin.cites else ""
    return f"{verdict.property}: {answer(verdict)}{surprise}  {cites}{where}".rstrip()


def told(game: Game, verdict: Verdict, width: int, full: bool) -> list[str]:
    """The whole trace; as every trace, played again here."""
    steps = verdict.steps or ()
    place, start = played_in(game, verdict)
    return [f"after {counted(len(steps), 'step')}:", *lines(place, trace(place, steps, start), width, full)]


def witness(game: Game, verdict: Verdict, width: int) -> list[str]:
    """The trace in words, and the board at its end."""
    found = trace(game, verdict.steps or ())
    end = [] if found.final is None else boards(found.final, width=width)
    return [
        *summary(rounds(found.steps), 1, width, whole=True),
        *(line for part in fitted([end], width) for line in part),
    ]


def states(game: Game, json: tuple[Any, ...], width: int) -> list[str]:
    """The states of a counterexample to induction, which play need not be able to reach."""
    blocks: list[Block] = []
    for number, each in enumerate(json):
        state = game.state(each)
        who = f"{state.actor} at {state.label}" if state.actor else state.label
        before = game.state(json[number - 1]) if number else None
        blocks.append([Line(f"state {number + 1}: {who}"), *boards(state, before, width=width)])
    head = (
        "a state that may be unreachable, from which one step breaks the property; a lemma could exclude it:"
    )
    return [head, *beside(fitted(blocks, width), width)]
