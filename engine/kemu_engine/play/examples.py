"""Runs the worked examples of a rules file against its program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from kemu_engine.interp.frame import Log
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import canonical
from kemu_engine.play.action import Action
from kemu_engine.play.game import Game, StateError
from kemu_engine.play.state import FaultError, IllegalAction, State
from kemu_engine.play.view import written


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """Whether an example came out as expected. If not: `message` says what was the case instead, and `origin`
    where in the rules file the step or expectation stands (the example itself if it could not begin)."""

    title: str
    passed: bool
    message: str = ""
    origin: k.Origin | None = None
    final: State | None = None


class _Surprise(Exception):
    def __init__(self, message: str, origin: int) -> None:
        super().__init__(message)
        self.origin = origin


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of an example: one from `before`, or the beginning (None). `step`: what the example says
    there; the parts of several dice have the same. `log`: what was written on the way. `after` is None if
    play did not come to a stop."""

    step: k.Step | None
    text: str
    before: State | None
    log: Log
    after: State | None


def run_example(game: Game, example: k.Example, parts: list[Part] | None = None) -> ExampleResult:
    """Plays an example's steps from its start and looks at every expectation in its place; the first that
    fails is told. `parts` takes up what was done."""
    state = None
    try:
        state = _begin(game, example, parts)
        for at in range(len(example.steps) + 1):
            if at:
                state = _do(state, example.steps[at - 1], parts)
            for expectation in example.expect:
                if expectation.after == at:
                    state = _shown(state, parts)
                    _look(state, expectation)
    except _Surprise as surprise:
        place = game.program.origins[surprise.origin] if surprise.origin >= 0 else None
        return ExampleResult(example.title, False, str(surprise), place, state)
    return ExampleResult(example.title, True, "", None, state)


def run_examples(game: Game) -> list[ExampleResult]:
    """All examples of the program, in the order of the rules file."""
    return [run_example(game, example) for example in game.program.examples]


def position(game: Game, title: str) -> State:
    """Where play stands after the steps of an example. Raises LookupError if there is none of that title,
    ValueError if it does not get there.
    """
    found = next((e for e in game.program.examples if e.title == title), None)
    if found is None:
        raise LookupError(title)
    try:
        state = _begin(game, found)
        for step in found.steps:
            state = _do(state, step)
    except _Surprise as surprise:
        raise ValueError(str(surprise)) from None
    return state


def _noted(
    step: k.Step | None,
    text: str,
    before: State | None,
    parts: list[Part] | None,
    go: Callable[[Log | None], State],
) -> State:
    """Where it goes; what is done on the way becomes a part."""
    if parts is None:
        return go(None)
    log: Log = []
    after = None
    try:
        after = go(log)
        return after
    finally:
        parts.append(Part(step, text, before, log, after))


def _begin(game: Game, example: k.Example, parts: list[Part] | None = None) -> State:
    try:
        return _noted(None, "", None, parts, lambda log: game.start_at(example, log))
    except FaultError as fault:
        raise _Surprise(f"the example cannot begin: {fault.message}", example.origin) from None
    except StateError as problem:
        raise _Surprise(f"the example cannot begin: {problem}", example.origin) from None


def _do(state: State, step: k.Step, parts: list[Part] | None = None) -> State:
    if step.kind != "chance" or not _possible(state, step):
        state = _shown(state, parts)
    if step.kind == "chance" and not state.is_chance:
        raise _Surprise(f"{step.text} is an outcome of chance, but {_situation(state)}", step.origin)
    if step.kind == "action" and not state.is_decision and not _possible(state, step):
        raise _Surprise(f"{step.text} cannot be done: {_situation(state)}", step.origin)
    if step.actor is not None and step.actor != state.player:
        who = state.program.players[step.actor]
        raise _Surprise(f"{step.text} is not for {who} to do: {_situation(state)}", step.origin)
    try:
        for text in _outcomes(state, step):
            state = _followed(state, step, text, parts)
        return state
    except IllegalAction as problem:
        raise _Surprise(str(problem), step.origin) from None
    except FaultError as fault:
        raise _Surprise(f"{step.text} runs into a fault: {fault.message}", step.origin) from None


def _shown(state: State, parts: list[Part] | None) -> State:
    """Where play goes on once what it reveals next has been shown."""
    try:
        while state.reveals:
            text = state.moves()[0].text
            state = _noted(None, text, state, parts, partial(State.follow, state, 0))
    except FaultError as fault:
        raise _Surprise(f"what follows runs into a fault: {fault.message}", fault.fault.origin) from None
    return state


def _outcomes(state: State, step: k.Step) -> tuple[str, ...]:
    """The texts of what happens: several dice that are told together fall one after another."""
    if step.kind == "chance" and not _possible(state, step):
        dice = Action.parse(f"roll{step.text}")
        if len(dice.args) > 1:
            return dice.args
    return (step.text,)


def _followed(state: State, step: k.Step, text: str, parts: list[Part] | None) -> State:
    at = state.index(text)
    return _noted(step, text, state, parts, lambda log: state.follow(at, log))


def _possible(state: State, step: k.Step) -> bool:
    return canonical(step.text) in (canonical(move.text) for move in state.moves())


def _look(state: State, expected: k.Expectation) -> None:
    if expected.kind == "holds":
        _holds(state, expected)
        return
    others = [state.program.players[actor] for actor in expected.actors if actor != state.player]
    if others and expected.kind == "illegal":
        return
    if others:
        raise _Surprise(f"{others[0]} is not to move: {_situation(state)}", expected.origin)
    legal = {canonical(action.text): action.text for action in state.moves()}
    wanted = {canonical(text): text for text in expected.texts}
    missing = [text for key, text in wanted.items() if key not in legal]
    present = [text for key, text in wanted.items() if key in legal]
    more = [text for key, text in legal.items() if key not in wanted]
    if expected.kind == "legal" and missing:
        raise _Surprise(f"{_list(missing)} should be legal; {_situation(state)}", expected.origin)
    if expected.kind == "illegal" and present:
        raise _Surprise(f"{_list(present)} should not be legal", expected.origin)
    if expected.kind == "exactly" and (missing or more):
        parts = [f"{_list(missing)} should be legal"] if missing else []
        parts += [f"{_list(more)} should not be legal"] if more else []
        raise _Surprise(f"{' and '.join(parts)}; {_situation(state)}", expected.origin)


def _holds(state: State, expected: k.Expectation) -> None:
    assert expected.value is not None
    try:
        if state.evaluate(expected.value):
            return
        instead = _instead(state, expected)
    except FaultError as fault:
        message = f"{_source(state, expected.origin)} runs into a fault: {fault.message}"
        raise _Surprise(message, expected.origin) from None
    raise _Surprise(f"{_source(state, expected.origin)} does not hold: {instead}", expected.origin)


def _instead(state: State, expected: k.Expectation) -> str:
    """What is the case where an expectation fails: the sides of a comparison, or where play is."""
    for sides in expected.sides:
        if not state.evaluate(sides.test):
            left, right = (_written(state, parts) for parts in (sides.left, sides.right))
            return f"the left side is {left}, the right side {right}"
    return _situation(state)


def _written(state: State, parts: tuple[str | tuple[k.Expr, tuple[str, ...]], ...]) -> str:
    return written(state.evaluate, parts).replace(" }", "}").replace(" ]", "]")


def _situation(state: State) -> str:
    """`the game is over and north has won`, `north is at take: take(1), take(2)`, `chance is at roll`."""
    if state.result is not None:
        winners = state.result.winners
        return f"the game is over, {_list(winners)} {'is' if len(winners) == 1 else 'are'} in first place"
    if state.is_chance:
        return f"chance is at {state.label}"
    texts = [action.text for action in state.actions()]
    return f"{state.actor} is at {state.label}: {_list(texts)}"


def _list(texts: Sequence[str]) -> str:
    return ", ".join(texts[:12]) + (f" and {len(texts) - 12} more" if len(texts) > 12 else "")


def _source(state: State, origin: int) -> str:
    """The words of the rules file at an origin, if they are at hand and stand on one line."""
    if origin >= 0:
        span = state.program.origins[origin].span
        lines = state.program.sources.get(span.file, "").splitlines()
        if span.line == span.end_line and 1 <= span.line <= len(lines):
            return lines[span.line - 1][span.column - 1 : span.end_column - 1].strip() or "the expectation"
    return "the expectation"
