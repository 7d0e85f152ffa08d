"""Programs that break the kernel's contract, and what is said about them; the hash of a program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash
from kemu_engine.kernel.liveness import needed
from kemu_engine.kernel.values import BrokenProgram
from kemu_engine.kernel.verify import problems, validate
from kemu_engine.play.game import Game
from kemu_grammar.syntax.ast import Span

from tests.engine.build import NO, YES, Builder, every, num, op
from tests.engine.games import hidden_coin, nim, pig
from tests.engine.interp.test_faults import CASES, forced_pass

ROOT = Path(__file__).resolve().parents[3]


def ending(b: Builder, *code: k.Stmt) -> k.Program:
    """A program that runs the code and ends."""
    result = b.var("result", k.Int(0, 1), (0, 0))
    return b.program(b.block(code, k.Goto(b.block([], k.End("tie"), name="end"))), result)


def with_block(program: k.Program, name: str, change: Callable[[k.Block], k.Block]) -> k.Program:
    blocks = tuple(change(block) if block.name == name else block for block in program.blocks)
    assert blocks != program.blocks
    return replace(program, blocks=blocks)


@pytest.mark.parametrize("make", [nim, pig, hidden_coin])
def test_good_programs_have_no_problems(make: Callable[[], k.Program]) -> None:
    validate(make())


@pytest.mark.parametrize("case", [*CASES.values(), forced_pass])
def test_programs_that_fault_are_well_formed(case: Callable[[Builder], object]) -> None:
    validate(case(Builder()).program)  # type: ignore[attr-defined]


def statements(b: Builder) -> dict[str, k.Stmt]:
    """Statements that are wrong, by a part of what is said about them."""
    s, row = b.var("s", k.Int(0, 3), 0), b.var("row", k.Int(0, 3), (0, 0))
    few = b.var("few", k.Set(2), 0)
    x = b.local("x", k.Int(0, 3))
    odd = k.Op(k.Int(0, 3), "add", (num(1), NO))
    narrow = k.Op(k.Int(0, 1), "add", (b.load(s), num(1)))
    return {
        "what is written to s is add: Int(low=1, high=4)": k.Store(s, op("add", b.load(s), num(1))),
        "what is written to s is Const: Bool()": k.Store(s, YES),
        "the index of row is Load": k.Put(row, b.load(s), num(0)),
        "row is written in the wrong way": k.Store(row, num(0)),
        "s is read in the wrong way": k.Store(s, b.at(s, num(0))),
        "there is no variable 9": k.Store(9, num(0)),
        "there is no local 7": k.Assign(7, num(0)),
        "there is no fault 5": k.Check(YES, 5),
        "there is no origin 8": k.Store(s, num(0), 8),
        "there is no function 0": k.Store(s, k.Call(k.Int(0, 3), 0, ())),
        "constant 7 is no Int(low=0, high=3)": k.Store(s, k.Const(k.Int(0, 3), 7)),
        "add of Int(low=1, high=1), Bool()": k.Store(s, odd),
        "add: Int(low=0, high=1) may be Int(low=1, high=4)": k.Store(s, narrow),
        "union of Set(size=2), Set(size=3)": k.Store(few, op("union", b.load(few), every(3))),
        "a truth value is wanted, not Const": k.When(num(1), ()),
        "a set is wanted, not Const": k.For(x, num(1), ()),
        "binder x cannot be all of 0..8": k.For(x, every(9), ()),
        "a Break outside loops": k.Break(),
        "a Return outside functions": k.Return(num(0)),
        "the divisor of mod is Load": k.Store(s, k.Op(k.Int(0, 3), "mod", (num(3), b.load(s)))),
        "needs more than 63 bits": k.Check(op("lt", num(0), num(2**63)), b.fault("overfull")),
    }


@pytest.mark.parametrize("said", statements(Builder()))
def test_wrong_statements_are_told(said: str) -> None:
    b = Builder()
    found = problems(ending(b, statements(b)[said]))
    assert any(said in problem for problem in found), found


def test_a_need_stands_for_its_value() -> None:
    b = Builder()
    s = b.var("s", k.Int(0, 3), 0)
    assert problems(ending(b, k.Store(s, b.fit(op("add", b.load(s), num(1)), 0, 3)))) == []


def test_an_exit_that_is_never_reached_reads_nothing() -> None:
    b = Builder()
    over, x = b.hole(), b.local("x", k.Int(0, 1))
    never = k.Check(k.Const(k.BOOL, False), b.fault("never"))
    start = b.block([never], k.Split(op("eq", b.get(x), num(0)), over, over))
    b.block([], k.End("rank"), over, name="end")
    assert needed(b.program(start, b.var("result", k.Int(0, 9), (0, 0))))[start] == frozenset()


def test_wrong_stops_are_told() -> None:
    program = nim()
    (decide,) = (block.exit for block in program.blocks if isinstance(block.exit, k.Decide))

    def said(change: Callable[[k.Block], k.Block]) -> str:
        return "\n".join(problems(with_block(program, "play.take", change)))

    assert "stop play.take forgets p" in said(lambda block: replace(block, live=()))
    assert "a stop has code" in said(lambda block: replace(block, code=(k.Store(0, num(1)),)))
    assert "a stop has no name" in said(lambda block: replace(block, name=""))
    assert "2 times the stop end" in said(lambda block: replace(block, name="end"))
    assert "the actor is Const" in said(lambda block: replace(block, exit=replace(decide, actor=num(2))))
    twice = replace(decide, arms=decide.arms * 2)
    assert "two arms allow the same action take" in said(lambda block: replace(block, exit=twice))
    assert "no block 99" in said(lambda block: replace(block, exit=k.Goto(99)))


def test_a_decision_without_arms_goes_on_at_its_other_way() -> None:
    b = Builder()
    s, result = b.var("s", k.Int(0, 3), 0), b.var("result", k.Int(0, 1), (0, 0))
    end = b.block([], k.End("tie"), name="end")
    other = b.block([k.Store(s, num(2))], k.Goto(end))
    program = b.program(b.block([], k.Decide("none", num(0), (), other, -1), name="none"), result)
    validate(program)
    assert [Game(program, checked=c).initial()["s"] for c in (True, False)] == [2, 2]


def test_a_local_set_later_need_not_be_alive() -> None:
    """The die of Pig is read after its own chance node only, so no stop keeps it."""
    assert all(len(block.live) <= 1 for block in pig().blocks)
    validate(pig())


def test_functions_are_pure_return_and_do_not_recur() -> None:
    b = Builder()
    s, x = b.var("s", k.Int(0, 3), 0), b.local("x", k.Int(0, 3))
    again = k.Call(k.Int(0, 3), 0, ())
    b.function("again", [], k.Int(0, 3), k.Return(again))
    b.function("writes", [], k.Int(0, 3), k.Store(s, num(1)), k.Return(num(1)))
    b.function("drops", [], k.Int(0, 3), k.When(NO, (k.Return(num(1)),)))
    b.function("reads", [], k.Int(0, 3), k.Return(b.get(x)))
    b.function("tries", [], k.BOOL, k.Return(k.Trial(k.BOOL, (k.Return(YES),), YES)))
    b.function("twins", [x, x], k.BOOL, k.Return(YES))
    b.function("other", [7], k.BOOL, k.Return(YES))
    with pytest.raises(BrokenProgram) as caught:
        validate(ending(b))
    assert str(caught.value).splitlines() == [
        "function writes: a function changes state",
        "function drops: it can end without a Return",
        "function reads: it reads x before setting it",
        "function tries: a Return in a Trial",
        "function twins: a parameter is named twice",
        "function other: there is no local 7",
        "function again calls itself",
    ]


def test_wrong_layouts_are_told() -> None:
    program = nim()
    heap, result = program.vars

    def said(**changes: object) -> str:
        return "\n".join(problems(replace(program, **changes)))  # type: ignore[arg-type]

    assert "initial value 8 is no Int" in said(vars=(replace(heap, initial=8), result))
    assert "2 texts for Int" in said(vars=(replace(heap, texts=("a", "b")), result))
    assert "2 times the variable heap" in said(vars=(heap, replace(result, name="heap")))
    assert "the result result needs 4 elements" in said(width=2)
    assert "2 times the text of domain" in said(domains=(k.Domain("D", ("(1, 2)", "( 1,2)", "3")),))


def test_programs_may_nest_deep() -> None:
    b = Builder()
    s = b.var("s", k.Int(0, 5000), 0)
    total: k.Expr = num(0)
    for _ in range(3000):
        total = op("add", total, op("sub", num(1), b.load(s)))
    program = ending(b, k.Store(s, b.fit(total, 0, 5000)))
    validate(program)
    assert Game(program, checked=True).initial()["s"] == 3000
    assert len(program_hash(program)) == 64


# the hash


def test_the_hash_is_of_what_is_played() -> None:
    program = nim()
    moved = tuple(replace(o, span=Span("elsewhere.kemu", 9, 9, 9, 9), cites=()) for o in program.origins)
    reworded = tuple(replace(fault, message="other words") for fault in program.faults)
    same = replace(program, origins=moved, faults=reworded, sources={"a": "b"})
    assert program_hash(same) == program_hash(program)
    renamed = replace(program, vars=(replace(program.vars[0], name="pile"), *program.vars[1:]))
    others = [nim(stones=8), nim(taken=2), renamed, replace(program, settings=(("misere", "false"),)), pig()]
    assert len({program_hash(other) for other in [program, *others]}) == 6


def test_who_is_told_counts_where_it_is_not_everybody_at_once() -> None:
    program = pig()
    exits = [(number, block.exit) for number, block in enumerate(program.blocks)]
    number, chance = next((n, exit) for n, exit in exits if isinstance(exit, k.Chance))

    def telling(told: k.Expr | None) -> k.Program:
        block = replace(program.blocks[number], exit=replace(chance, told=told))
        return replace(program, blocks=(*program.blocks[:number], block, *program.blocks[number + 1 :]))

    some = [k.Const(k.Set(2), mask) for mask in (1, 2)]
    assert len({program_hash(telling(told)) for told in (None, *some)}) == 3
    assert program_hash(telling(chance.told)) == program_hash(program)


def test_the_hash_is_the_same_in_every_process() -> None:
    code = "from kemu_engine.kernel.hash import program_hash as h; from tests.engine.games import *; "
    code += "print(h(nim()), h(pig()))"
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert answers == {f"{program_hash(nim())} {program_hash(pig())}\n".encode()}
