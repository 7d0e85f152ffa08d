"""Every fault: how a run comes to it, and that the state before it stays."""

from __future__ import annotations

import pytest
from kemu_engine.interp.machine import BLOCKS_BEFORE_WATCHING
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State

from tests.engine.build import NO, YES, Builder, every, num, op

DO = "do"


def game_of(b: Builder, *code: k.Stmt, exit: k.Exit | None = None) -> Game:
    """A game of one decision, `do`, that runs the code and then ends, or goes on with `exit`."""
    result = b.var("result", k.Int(0, 1), (0, 0))
    end = b.block([], k.End("tie"), name="end")
    act = b.block(code, exit or k.Goto(end))
    return Game(b.program(b.block([], b.decide(DO, num(0), b.arm(DO, act)), name=DO), result), checked=True)


def out_of_range(b: Builder) -> Game:
    pips = b.var("pips", k.Int(0, 3), 3)
    return game_of(b, k.Store(pips, b.fit(op("add", b.load(pips), num(1)), 0, 3)))


def missing_value(b: Builder) -> Game:
    who = b.var("who", k.Int(-1, 1), -1)
    there = op("le", num(0), b.load(who))
    return game_of(b, k.Store(who, k.Need(k.Int(0, 1), there, b.load(who), b.fault("missing_value"))))


def bad_index(b: Builder) -> Game:
    row, i = b.var("row", k.Int(0, 5), (1, 2)), b.var("i", k.Int(0, 5), 2)
    return game_of(b, k.Store(i, b.at(row, b.fit(b.load(i), 0, 1, "bad_index"))))


def overfull(b: Builder) -> Game:
    length = b.var("length", k.Int(0, 2), 2)
    return game_of(b, k.Check(op("lt", b.load(length), num(2)), b.fault("overfull")))


def empty_min(b: Builder) -> Game:
    some, x = b.var("some", k.Set(4), 0), b.local("x", k.Int(0, 3))
    least = b.fold("min", b.load(some), b.get(x), x)
    there = op("lt", num(0), op("card", b.load(some)))
    low = b.var("low", k.Int(0, 3), 0)
    return game_of(b, k.Store(low, k.Need(k.Int(0, 3), there, least, b.fault("empty_min"))))


def overrun(b: Builder) -> Game:
    return game_of(b, k.Loop(5, (), b.fault("overrun")))


def empty_draw(b: Builder) -> Game:
    card = b.local("card", k.Int(0, 1))
    left = b.var("left", k.Int(0, 1), (0, 0))
    draw = b.hole()
    b.block(
        [], b.chance("draw", card, b.domain("ace", "king"), draw, b.at(left, b.get(card))), draw, name="draw"
    )
    return game_of(b, exit=k.Goto(draw))


def stuck(b: Builder) -> Game:
    nothing = b.hole()
    b.block([], b.decide("nothing", num(1), b.arm("act", nothing, guard=NO)), nothing, name="nothing")
    return game_of(b, exit=k.Goto(nothing))


def silent_loop(b: Builder) -> Game:
    turn = b.var("turn", k.Int(0, 1), 0)
    lap = b.hole()
    b.block([k.Store(turn, op("sub", num(1), b.load(turn)), b.origin(12))], k.Goto(lap), lap)
    return game_of(b, exit=k.Goto(lap))


def forced_pass(b: Builder) -> Game:
    """A decision at which nothing is ever legal, and which play passes again and again."""
    nothing = b.hole()
    menu = b.decide("nothing", num(0), b.arm("act", nothing, guard=NO), other=nothing)
    b.block([], menu, nothing, name="nothing")
    return game_of(b, exit=k.Goto(nothing))


CASES = {
    "out_of_range": out_of_range, "missing_value": missing_value, "bad_index": bad_index,
    "overfull": overfull, "empty_min": empty_min, "overrun": overrun, "empty_draw": empty_draw,
    "stuck": stuck, "silent_loop": silent_loop,
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_a_step_into_a_fault_says_which_and_leaves_the_state(code: str) -> None:
    game = CASES[code](Builder())
    before = game.initial()
    with pytest.raises(FaultError) as caught:
        before.apply(DO)
    assert caught.value.code == code
    assert before == game.initial()
    assert [action.text for action in before.actions()] == [DO]


def test_a_fault_tells_its_place_in_the_rules() -> None:
    b = Builder()
    fault = b.fault("overfull", "no room for a boat", line=17)
    with pytest.raises(FaultError, match="no room for a boat") as caught:
        game_of(b, k.Check(NO, fault)).initial().apply(DO)
    assert caught.value.index == fault
    assert caught.value.origin is not None
    assert caught.value.origin.span.line == 17


def test_a_fault_of_the_set_up_comes_with_the_initial_state() -> None:
    b = Builder()
    result = b.var("result", k.Int(0, 1), (0, 0))
    with pytest.raises(FaultError, match="overfull"):
        Game(b.program(b.block([], k.Fail(b.fault("overfull"))), result)).initial()


def test_a_fault_in_a_guard_belongs_to_the_step_that_arrives() -> None:
    b = Builder()
    later = b.hole()
    bad = k.Need(k.BOOL, NO, YES, b.fault("missing_value"))
    menu = b.decide("later", num(0), b.arm("good", later), b.arm("bad", later, guard=bad))
    b.block([], menu, later, name="later")
    with pytest.raises(FaultError, match="missing_value"):
        game_of(b, exit=k.Goto(later)).initial().apply(DO)


def test_a_cycle_is_found_with_its_place() -> None:
    with pytest.raises(FaultError) as caught:
        silent_loop(Builder()).initial().apply(DO)
    assert caught.value.origin is not None
    assert caught.value.origin.span.line == 12


def test_passing_a_decision_for_ever_is_a_silent_loop() -> None:
    with pytest.raises(FaultError, match="silent_loop"):
        forced_pass(Builder()).initial().apply(DO)


def test_a_long_run_that_ends_is_no_silent_loop() -> None:
    laps = 5 * BLOCKS_BEFORE_WATCHING
    b = Builder()
    left = b.var("left", k.Int(0, laps), laps)
    lap, done = b.hole(), b.hole()
    b.block([k.Store(left, b.fit(op("sub", b.load(left), num(1)), 0, laps))],
            k.Split(op("eq", b.load(left), num(0)), done, lap), lap)  # fmt: skip
    b.block([], k.End("tie"), done, name="done")
    final: State = game_of(b, exit=k.Goto(lap)).initial().apply(DO)
    assert final.is_end
    assert final["left"] == 0


def test_a_for_is_no_cycle_of_blocks() -> None:
    b = Builder()
    x = b.local("x", k.Int(0, 3))
    assert game_of(b, k.For(x, every(4), ())).initial().apply(DO).is_end
