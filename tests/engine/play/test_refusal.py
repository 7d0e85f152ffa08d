"""Why an action is not legal: the condition as the rules file writes it, and what in the state decides it."""

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash
from kemu_engine.kernel.walk import rewritten
from kemu_engine.opt.pipeline import optimize
from kemu_engine.play.refusal import refusal
from kemu_engine.play.state import State

from tests.rules import game_in

RULES = """
    game "Test"
    players ann, ben
    domain Cell = 1..4
    state:
        stone: map[Cell, Player?]
        spare: 0..3 = 1
        mark: Cell secret to ben
    fun free(c: Cell): stone[c] is none
    fun rim(): {1, 4}
    rules:
        stone[2] = ben
        for p in turns():
            choose:
                lay(c in Cell) if spare > 0 and free(c):
                    stone[c] = p
                    require all(stone[d] != p for d in rim())
                swap(a in rim(), b in Cell) if a != b and not (free(a) or free(b)):
                    pass
                guess(c in Cell) if c == mark or spare > 2: pass
                rest: pass
            end tie
"""


@pytest.fixture(scope="module")
def state() -> State:
    return game_in(RULES).initial()


@pytest.mark.parametrize(
    ("name", "args", "condition", "facts"),
    [
        ("lay", ("2",), "free(c)", [("stone[2]", "ben")]),
        ("lay", ("1",), "all(stone[d] != p for d in rim())", [("stone[1]", "ann")]),
        ("swap", ("1", "2"), "not (free(a) or free(b))", [("stone[1]", "none")]),
        ("swap", ("1", "1"), "a != b", []),
        ("guess", ("3",), "c == mark or spare > 2", []),
    ],
)
def test_the_first_condition_that_fails_is_told_with_what_decides_it(
    state: State, name: str, args: tuple[str, ...], condition: str, facts: list[tuple[str, str]]
) -> None:
    found = refusal(state, arm(state, name), args)
    assert found is not None and found.condition == condition
    assert [fact for fact in found.facts if fact[0] != "p"] == facts


def test_nothing_is_told_by_which_a_secret_could_be_guessed() -> None:
    """Where ben's secret lies, what would come of it, or which of two conditions fails because of it."""
    state = game_in(SECRETS).initial()
    told = {name: refusal(state, arm(state, name), ()) for name in ("poke", "pay", "call")}
    assert told["call"] is None
    assert {name: each.facts for name, each in told.items() if each} == {"poke": (), "pay": ()}


SECRETS = """
    game "Test"
    players ann, ben
    domain Cell = 1..4
    state:
        stone: map[Cell, Player?]
        left: 0..9 = 5
        mark: Cell secret to ben
    fun marked(): stone[mark]
    rules:
        mark = 2
        stone[2] = ben
        for p in turns():
            choose:
                poke if marked() is none: pass
                pay:
                    left -= mark
                    require left > 4
                call if mark == 2 and left > 8: pass
                rest: pass
            end tie
"""


def test_an_argument_that_is_none_of_its_source_is_told(state: State) -> None:
    for args in (("2", "1"), ("2",), ("9",)):
        found = refusal(state, arm(state, "swap"), args)
        assert found is not None and (found.condition, found.stray) == ("rim()", args[0])


def test_nothing_is_said_of_what_is_legal_so_far(state: State) -> None:
    assert refusal(state, arm(state, "lay"), ("3",)) is None
    assert refusal(state, arm(state, "swap"), ("1",)) is None


def test_conditions_are_no_part_of_play(state: State) -> None:
    program = state.program
    assert any(arm.conditions for arm in arms(program))
    assert not any(arm.conditions for arm in arms(optimize(program).program))
    assert program_hash(rewritten(program, lambda code: code, untold)) == program_hash(program)


def untold(exit: k.Exit) -> k.Exit:
    if not isinstance(exit, k.Decide):
        return exit
    bare = tuple(k.Arm(a.name, a.params, a.guard, a.legal, a.target, a.origin) for a in exit.arms)
    return k.Decide(exit.label, exit.actor, bare, exit.other, exit.stuck, exit.origin, exit.told)


def arms(program: k.Program) -> list[k.Arm]:
    return [arm for b in program.blocks if isinstance(b.exit, k.Decide) for arm in b.exit.arms]


def arm(state: State, name: str) -> k.Arm:
    return next(arm for arm in arms(state.program) if arm.name == name)
