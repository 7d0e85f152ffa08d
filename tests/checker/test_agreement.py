"""The checker's evaluator does what the interpreter does; its terms do what its numbers do."""

from pathlib import Path
from random import Random

import pytest
from kemu.recheck.texts import CLAIMS, PROGRAM, texts_of
from kemu_checker.cases import Cases, Value
from kemu_checker.machine import Machine
from kemu_checker.plays import Position, landing
from kemu_checker.questions import questions
from kemu_checker.shapes import check_program
from kemu_checker.sums import Sum
from kemu_checker.symbols import Term, Truth
from kemu_checker.terms import Terms
from kemu_checker.text import read
from kemu_verifier.goal.questions import questions as asked

import kemu
from tests.checker.written import program_text
from tests.rules import game_in

_ROOT = Path(__file__).parents[2]
GALLERY = sorted(path.stem for path in (_ROOT / "tests/gallery").glob("*.kemu"))
LIBRARY = ["kalah", "moeraki-kemu", "mahe", "maori"]
STEPS = 60


def machine(game: kemu.Game) -> Machine:
    return Machine(check_program(read(program_text(game))), Terms())


@pytest.mark.parametrize("name", [*(f"gallery/{each}" for each in GALLERY), *LIBRARY])
def test_plays_agree(name: str) -> None:
    game = kemu.load(_ROOT / f"tests/{name}.kemu" if name.startswith("gallery") else name)
    theirs, ours, random = game.initial(), landing(run := machine(game), run.begin()).position, Random(1)
    for _ in range(STEPS):
        assert ours is not None
        assert theirs.is_end == (ours.exit.kind == "End")
        if theirs.is_end:
            break
        told = theirs.actions() if theirs.is_decision else [action for action, _ in theirs.outcomes()]
        texts = [action.text for action in told]
        assert texts == [ours.text(way) for way in ours.ways]
        chosen = random.randrange(len(texts))
        after = ours.step(ours.ways[chosen])
        try:
            theirs = theirs.apply(texts[chosen])
        except kemu.FaultError as fault:
            code = fault.code
        else:
            code = None
        codes = {None: None, -2: "silent_loop"}
        codes |= {i: each.fields[0] for i, each in enumerate(run.program.fields[8])}
        assert codes[after.fault] == code
        if code:
            break
        ours = after.position
        assert ours is not None and same(ours, theirs)


def same(position: Position, state: kemu.State) -> bool:
    """Whether the numbers among the variables are the same, as texts where they have texts."""
    told = state.to_json()["vars"]
    return all(
        str(told[name]) == str(texts[value - kind.fields[0]] if texts else value)
        for (name, kind, length, _, _, texts, _, local), value in (
            (var.fields, value)
            for var, value in zip(position.machine.program.fields[3], position.state.vars, strict=True)
        )
        if kind.kind == "Int" and length is None and not local
    )


@pytest.mark.parametrize("name", ["tic_tac_toe", "needs_lemma", "pig", "kuhn"])
def test_steps_on_terms_agree_with_steps_on_numbers(name: str) -> None:
    """A step from any state, looked at in one state, is the step from that state."""
    game = kemu.load(_ROOT / f"tests/gallery/{name}.kemu")
    known, random = machine(game), Random(2)
    position = landing(known, known.begin()).position
    for _ in range(12):
        if position is None or position.exit.kind == "End":
            break
        unknown = machine(game)
        anything = unknown.anything(position.block)
        meaning = assigned(unknown, anything.locals, position.state.locals)
        meaning |= assigned(unknown, anything.vars, position.state.vars)
        ways = {(*way.arguments, way.arm): way for way in unknown.ways(position.block, anything.fork())}
        there = [key for key, way in ways.items() if holds(way.cond, meaning)]
        assert there == [(*way.arguments, way.arm) for way in position.ways]
        chosen = random.choice(position.ways)
        run = unknown.take(position.block, anything, ways[(*chosen.arguments, chosen.arm)])
        after = position.step(chosen)
        ends = [block for block, state in run.stops.items() if holds(state.path, meaning)]
        assert ends == ([after.position.block] if after.position else [])
        assert [fault for cond, fault in run.faults if holds(cond, meaning)][:1] == [
            each for each in [after.fault] if each is not None
        ]
        if after.position:
            reached = run.stops[after.position.block]
            assert number(reached.vars, meaning) == number(after.position.state.vars, {})
        position = after.position


def assigned(run: Machine, unknown: list[Value], known: list[Value]) -> dict[object, int]:
    """What the symbols of a state stand for in a known one."""
    meaning: dict[object, int] = {}
    for one, value in zip(unknown, known, strict=True):
        if isinstance(one, list):
            meaning |= assigned(run, one, value)
        elif isinstance(one, tuple):
            for i, each in enumerate(one):
                meaning[each.args[0]] = value >> i & 1
        elif isinstance(one, Term):
            meaning[one.args[0]] = value
        elif isinstance(one, Cases):
            meaning[one.table[0][1].args[0]] = value
        elif isinstance(one, Sum):
            ((_, symbol),) = one.atoms
            meaning[symbol] = value
    return meaning


def holds(truth: Truth, meaning: dict[object, int]) -> bool:
    if isinstance(truth, int):
        return bool(truth)
    match truth.kind:
        case "in":
            symbol, mask = truth.args
            return bool(mask >> (meaning[symbol] - symbol.low) & 1)
        case "and":
            return all(holds(each, meaning) for each in truth.args)
        case "or":
            return any(holds(each, meaning) for each in truth.args)
        case kind:
            total = number(truth.args[0], meaning)
            return total <= 0 if kind == "le" else (total == 0) == (kind == "eq")


def number(value: Value, meaning: dict[object, int]) -> Value:
    if isinstance(value, list):
        return [number(each, meaning) for each in value]
    if isinstance(value, tuple):
        return sum(holds(each, meaning) << i for i, each in enumerate(value))
    if isinstance(value, Term):
        return int(holds(value, meaning))
    if isinstance(value, Cases):
        (found,) = (n for n, cond in value.table if holds(cond, meaning))
        return found
    if isinstance(value, Sum):
        atoms = value.atoms.items()
        terms = (k * (meaning[s] if s else 1) for (t, s), k in atoms if t is None or holds(t, meaning))
        return value.const + sum(terms)
    return value


TWICE = """
game "Twice"
players ann, bob
state:
    at: 0..3 = 0
rules:
    round(ann)
    end tie
rule round(p: Player):
    choose by p:
        on: at = 1
        off: at = 2
    choose by p:
        on: at += 1
        off: pass
property low for p in Player: everywhere at < 3 or p == ann
"""


def test_questions_are_called_the_same() -> None:
    program = game_in(TWICE).program
    texts = {name: read(text.decode()) for name, text in texts_of(program).items()}
    ours = questions(check_program(texts[PROGRAM]), texts[CLAIMS])
    assert [each.key for each in ours] == [each.key for each in asked(program, True)]
    assert "action_possible(the second round.choose: on)" in {each.key for each in ours}
