"""What generated Python is like: folds as masks, values worked out once, modules that run by themselves."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_engine.batch.playout import playout
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.rng import Stream
from kemu_engine.opt.pipeline import optimize
from kemu_engine.play.game import Game
from kemu_engine.run.python import prelude
from kemu_engine.run.python.functions import module_of
from kemu_engine.run.python.loader import GeneratedMachine
from kemu_engine.run.python.writer import IMPORTS, whole

from tests.engine.build import YES, Builder, every, num, op
from tests.engine.games import nim
from tests.engine.kernels import SIZE, Maker, modulo


def written(make: Callable[[Maker, k.Local], k.Expr]) -> list[str]:
    """The lines of a function of a number i that gives an expression."""
    from random import Random

    maker = Maker(Random(1))
    b = maker.b
    i = b.local("i", k.Int(0, SIZE - 1))
    value = make(maker, k.Local(k.Int(0, SIZE - 1), i))
    function = b.function("f", [i], value.type, k.Return(value))
    module = module_of(optimize(b.program(b.block([], k.End("tie"), name="end"), maker.result)))
    module.function(function)
    lines = module.definitions()
    at = next(number for number, line in enumerate(lines) if line.startswith("def f("))
    return [line.strip() for line in lines[at + 1 :]]


def fold(m: Maker, name: str, body: Callable[[k.Expr], k.Expr], over: k.Expr | None = None) -> k.Expr:
    binder = m.binder()
    return m.b.fold(name, over or every(SIZE), body(m.b.get(binder)), binder)


def tall(m: Maker) -> int:
    """An array whose values are too many for masks."""
    return m.b.var("tall", k.Int(0, 99), (0,) * 2 * SIZE)


def mine(m: Maker, cell: k.Expr) -> k.Expr:
    return op("eq", m.b.at(m.owner, cell), num(0))


MASKS: dict[str, tuple[Callable[[Maker, k.Local], k.Expr], str]] = {
    "how many cells have a value": (
        lambda m, i: fold(m, "count", lambda c: mine(m, c)),
        "return owner_is[0].bit_count()",
    ),
    "which cells have a value and not another place": (
        lambda m, i: fold(m, "any", lambda c: op("and", mine(m, c), op("ne", c, i))),
        "return owner_is[0] & ~(1 << i) != 0",
    ),
    "a set whole": (
        lambda m, i: fold(m, "all", lambda c: mine(m, c), m.b.load(m.some)),
        "return not some & ~owner_is[0]",
    ),
    "the first that is in a set or open": (
        lambda m, i: fold(
            m, "first", lambda c: op("or", op("in", c, m.b.load(m.some)), m.b.at(m.open, c))
        ),
        "return (t & -t).bit_length() - 1",
    ),
    "a row of a map with two keys": (
        lambda m, i: fold(m, "any", lambda c: op("eq", m.b.at(m.level, op("add", num(SIZE), c)), i)),
        "return level_is[i] >> 6 & 0x3f != 0",
    ),
    "a search through an array": (
        lambda m, i: k.Fold(
            k.BOOL, "any", x := m.b.local("x", k.Int(0, 2 * SIZE - 1)), every(2 * SIZE), YES,
            op("eq", m.b.at(tall(m), m.b.get(x)), i),
        ),
        "return i in tall",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MASKS)
def test_folds_become_operations_on_masks(name: str) -> None:
    make, wanted = MASKS[name]
    assert written(make)[-1] == wanted


def test_a_family_of_sets_is_asked_piece_by_piece() -> None:
    def some_row_is_mine(m: Maker, i: k.Local) -> k.Expr:
        row, cell = m.binder(), m.binder()
        whole = m.b.fold("all", k.Lookup(k.Set(SIZE), m.rows, m.b.get(row)), mine(m, m.b.get(cell)), cell)
        return m.b.fold("any", every(SIZE), whole, row)

    lines = written(some_row_is_mine)
    assert lines[-1].startswith("return 0x3f & ~TABLE0_0_TOUCHED_0[") and not any(
        "for" in line for line in lines
    )


@pytest.mark.parametrize(("test", "alone"), [("ne", False), ("eq", True)])
def test_two_families_are_one_unless_what_stands_between_may_fault(test: str, alone: bool) -> None:
    """Here a look-up with a Need, behind a test by which the Need holds, or another."""

    def asked(m: Maker, i: k.Local) -> k.Expr:
        def some_row_is_mine(table: int) -> k.Expr:
            row, cell = m.binder(), m.binder()
            whole = m.b.fold("all", k.Lookup(k.Set(SIZE), table, m.b.get(row)), mine(m, m.b.get(cell)), cell)
            return m.b.fold("any", every(SIZE), whole, row)

        perhaps = m.b.var("perhaps", k.Int(-1, 3), 0)
        there = m.b.load(perhaps)
        need = k.Need(k.Int(0, 3), op("le", num(0), there), there, m.b.fault("missing_value"))
        between = op(
            "and", op(test, there, num(-1)), op("eq", m.b.lookup(m.b.table(1, 0, 1, 0), need), num(1))
        )
        others = m.b.table(*(1 << cell | 1 for cell in range(SIZE)))
        return op("or", some_row_is_mine(m.rows), between, some_row_is_mine(others))

    assert (" ".join(written(asked)).count("_TOUCHED_0[") == 2) == alone


def test_the_elements_of_static_sets_are_listed() -> None:
    def walked(m: Maker, i: k.Local) -> k.Expr:
        cell = m.b.local("cell", k.Int(0, 29))
        sets = m.b.table(*(1 << 29 | 1 << row for row in range(SIZE)))
        heights = m.b.table(*range(30))
        return m.b.fold("sum", k.Lookup(k.Set(30), sets, i), m.b.lookup(heights, m.b.get(cell)), cell)

    assert any(line.endswith("_ELEMENTS[i]:") for line in written(walked))


def test_a_value_used_twice_is_worked_out_once() -> None:
    def twice(m: Maker, i: k.Local) -> k.Expr:
        height = op("mul", m.b.at(m.level, i), num(3))
        return k.If(k.Int(-99, 99), op("lt", height, num(9)), op("add", height, num(1)), num(0))

    assert written(twice) == ["t = level[i] * 3", "return t + 1 if t < 9 else 0"]


def test_what_a_loop_does_not_change_is_worked_out_before_it() -> None:
    def loop(m: Maker, i: k.Local) -> k.Expr:
        steady = op("mul", m.b.at(m.level, i), num(5))
        return fold(m, "sum", lambda c: modulo(op("add", steady, m.b.at(m.level, c)), 7))

    lines = written(loop)
    assert lines.index("t = level[i] * 5") < next(n for n, line in enumerate(lines) if line.startswith("for"))


def test_halves_of_words_are_those_of_the_stream() -> None:
    names: dict[str, object] = {}
    exec(IMPORTS + prelude.RANDOM, names)
    absorb, halves = names["absorb"], names["halves"]
    assert callable(absorb) and callable(halves)
    for seed, game, stream in [(0, 0, 0), (-1, 5, 1), (1 << 70, 12345, 0)]:
        drawn = halves(absorb(absorb(absorb(0, seed), game), stream))
        reference = Stream(seed, game, stream)
        assert [next(drawn) for _ in range(100)] == [reference.half() for _ in range(100)]


def test_nth_counts_the_elements_of_a_set() -> None:
    names: dict[str, object] = {}
    exec(IMPORTS + prelude.MASKS, names)
    nth = names["nth"]
    assert callable(nth)
    for mask in (1, 0b1011, 0x1FF << 70, (1 << 361) - 1, 0x123456789ABCDEF << 3):
        elements = [i for i in range(mask.bit_length()) if mask >> i & 1]
        assert [nth(mask, number) for number in range(len(elements))] == elements


def test_a_written_module_plays_the_same_games_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "nim.py"
    file.write_text(whole(nim()), "utf-8")
    said = subprocess.run(
        [sys.executable, "-I", file, "--games", "40", "--seed", "3"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    game = Game(nim())
    won = Counter(result.winner for n in range(40) if (result := playout(game, 3, n).result))
    for player, number in won.items():
        assert f"{number:>8}  {player} wins" in said.splitlines()


def test_a_written_module_is_python_that_names_what_the_game_names() -> None:
    text = whole(load("moeraki-kemu").program)
    compile(text, "module", "exec")
    assert "stone_is" in text and "import kemu" not in text and "from kemu" not in text


def deep_sum(b: Builder, x: int) -> k.Expr:
    value: k.Expr = b.load(x)
    for _ in range(3000):
        value = k.Op(k.Int(-9, 99_999), "add", (value, b.load(x)))
    return value


def deep_choice(b: Builder, x: int) -> k.Expr:
    value: k.Expr = num(0)
    for number in range(300):
        value = k.If(k.Int(0, 999), op("eq", b.load(x), num(number)), num(number + 1), value)
    return value


def deep_folds(b: Builder, x: int) -> k.Expr:
    value: k.Expr = b.load(x)
    for _ in range(30):
        binder = b.local("i", k.Int(0, 5))
        value = k.Fold(k.Int(-9, 9999), "max", binder, k.Const(k.Set(6), 1), YES, value)
    return value


@pytest.mark.parametrize("make", [deep_sum, deep_choice, deep_folds])
def test_rules_that_nest_deeply_run(make: Callable[[Builder, int], k.Expr]) -> None:
    b = Builder()
    x, y = b.var("x", k.Int(0, 9), 3), b.var("y", k.Int(-9, 99_999), 0)
    program = b.program(b.block([k.Store(y, make(b, x))], k.Goto(1)), 0)
    end = k.Block((), k.End("tie"), name="end")
    program = k.Program(
        **{**{f: getattr(program, f) for f in program.__slots__}, "blocks": (*program.blocks, end)}
    )
    assert GeneratedMachine(program).begin().vars == Machine(program).begin().vars


def test_changes_told_and_checked_runs_are_the_interpreter_s() -> None:
    game = Game(nim())
    log: list[object] = []
    after = game.initial().follow(0, log)  # type: ignore[arg-type]
    assert after == Game(nim(), reader="interpreter").initial().follow(0)
    assert [type(each).__name__ for each in log] == ["Write", "Given"]
    assert Game(nim(), checked=True).reader == "interpreter"
