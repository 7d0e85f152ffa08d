"""WebAssembly against the interpreter: the same random games, the same faults; and the bytes of modules."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu_engine.batch.playout import Playout, playouts, stepwise
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import result_of
from kemu_engine.run.wasm.asm import runtime
from kemu_engine.run.wasm.asm.binary import Binary, Function, signed, unsigned
from kemu_engine.run.wasm.asm.wat import function
from kemu_engine.run.wasm.emit import layout
from kemu_engine.run.wasm.programs.player import Player
from kemu_engine.run.wasm.programs.writer import module
from kemu_grammar.game.game import read, read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.build import Builder, every, num, op
from tests.engine.games import hidden_coin, nim, pig
from tests.engine.kernels import Maker
from tests.instances import each_published, instance
from tests.oracles.sources import with_histories
from tests.rules import game_in
from tests.soak import examples

pytestmark = pytest.mark.slow

HERE = Path(__file__).parents[3]
LIBRARY = HERE.parent / "spec"
SMALL = sorted((HERE / "gallery").glob("*.kemu")) + sorted((HERE / "kemu" / "games").glob("*.kemu"))

wasmtime = pytest.importorskip("wasmtime")


def compare(program: k.Program, seed: int, games: int, longest: int) -> None:
    """Plays the same random games; not if the program is not covered."""
    try:
        bulk = Player(program)
    except NotCovered:
        return
    game = Game(program, reader="interpreter")
    for index, played in enumerate(bulk.playouts(seed, 0, games, longest)):
        decisions, branching, outcomes, ending, told = played
        if ending != "lost":
            counts = (seed, index, decisions, branching, outcomes)
            result = result_of(program, *told) if ending == "end" else None
            fault = program.faults[told] if ending == "fault" else None
            assert Playout(*counts, ending, result, fault) == stepwise(game, seed, index, longest)


def test_numbers_in_leb128() -> None:
    """The examples of the DWARF standard, version 4, figures 22 and 23."""
    assert [unsigned(n) for n in (2, 127, 128, 12857)] == [b"\2", b"\x7f", b"\x80\1", b"\xb9d"]
    assert [signed(n) for n in (2, -2, 127, -127, 128, -129)] == [
        b"\2",
        b"\x7e",
        b"\xff\0",
        b"\x81\x7f",
        b"\x80\1",
        b"\xff\x7e",
    ]


def test_a_module_by_hand() -> None:
    """A loop that counts the bits of a number."""
    f = Function(("i64",), ("i64",), "bits")
    (count,) = (f.new(),)
    with f.block() as done, f.loop() as again:
        f.get(0)
        f.op("i64.eqz")
        f.br_if(done)
        f.get(0)
        f.i64(1)
        f.op("i64.and")
        f.get(count)
        f.op("i64.add")
        f.set(count)
        f.get(0)
        f.i64(1)
        f.op("i64.shr_u")
        f.set(0)
        f.br(again)
    f.get(count)
    assert_counts_bits(f)


def test_a_function_from_text() -> None:
    text = """
        (func bits (param $rest i64) (result i64) (local $count i64)
            (block $done (loop $again
                (br_if $done (i64.eqz $rest))
                (set $count (i64.add $count (i64.and $rest ONE)))  ;; a name for 1
                (set $rest (i64.shr_u $rest 1))
                (br $again)))
            $count)"""
    assert_counts_bits(function(text, {"ONE": 1}, {}))


def assert_counts_bits(f: Function) -> None:
    store = wasmtime.Store()
    compiled = wasmtime.Module(store.engine, Binary([f], size=1).bytes())
    bits = wasmtime.Instance(store, compiled, []).exports(store)["bits"]
    assert [bits(store, n) for n in (0, 1, 255, -1)] == [0, 1, 8, 64]


def test_a_refusal_names_what_is_lacking() -> None:
    b = Builder("wide")
    wide = b.var("wide", k.Set(5000), 0)
    end = b.block([], k.End("rank"), name="end")
    result = b.var("result", k.Int(0, 1), (0, 0))
    start = b.block([k.Store(wide, k.Const(k.Set(5000), 0))], k.Goto(end))
    with pytest.raises(NotCovered, match="sets of more than 4,096 elements"):
        module(b.program(start, result))


@pytest.mark.parametrize(("low", "high"), [(-1, 9), (0, 255), (-1, 300)])
@pytest.mark.parametrize("wanted", [-9, -1, 0, 7, 255, 299])
def test_searches(low: int, high: int, wanted: int) -> None:
    """What is found 16 bytes at a time, in arrays of one byte an element and of two."""
    b = Builder("searches")
    cells = tuple(Random(high).choices((low, 0, 7, high), k=40))
    there = b.var("there", k.Int(low, high), cells)
    end = b.block([], k.End("rank"), name="end")
    result = b.var("result", k.Int(-1, 40), (0,) * 4)
    i = b.local("i", k.Int(0, 37))
    ask = op("eq", b.at(there, op("add", b.get(i), num(2))), num(wanted))
    asked = [
        b.fold("first", every(38), ask, i),
        b.fold("count", every(38), ask, i),
        b.fold("count", every(38), op("not", ask), i),
        op("card", b.fold("set", every(38), b.get(i), i, ask)),
    ]
    start = b.block([k.Put(result, num(at), each) for at, each in enumerate(asked)], k.Goto(end))
    ((*_, (_, keys)),) = Player(b.program(start, result)).playouts(0, 0, 1, 10)
    found = [at for at, cell in enumerate(cells[2:]) if cell == wanted]
    assert keys == ((found or [-1])[0], len(found), 38 - len(found), len(found))


def test_what_a_condition_names_is_read_in_its_branches() -> None:
    """A choice of two cheap values, of which both are worked out; and a search whose parts share a value."""
    b = Builder("names")
    row, place = b.var("row", k.Int(0, 9), (3, 4, 5, 0)), b.var("place", k.Int(0, 1), 1)
    end = b.block([], k.End("rank"), name="end")
    result, i = b.var("result", k.Int(-1, 40), (0, 0)), b.local("i", k.Int(0, 2))
    here = b.at(row, b.load(place))
    chosen = k.If(k.Int(0, 10), op("lt", num(2), here), op("add", here, num(1)), here)
    next_ = op("add", b.load(place), num(0))
    ask = op("eq", b.at(row, op("add", next_, b.get(i))), op("add", next_, num(4)))
    found = b.fold("first", every(3), ask, i)
    start = b.block([k.Put(result, num(0), chosen), k.Put(result, num(1), found)], k.Goto(end))
    ((*_, (_, keys)),) = Player(b.program(start, result)).playouts(0, 0, 1, 10)
    assert keys == (5, 1)


def test_what_comes_before_the_last_parameter_is_worked_out_before_its_values() -> None:
    """The Let comes out as true once its value has a name; what is left of it is the name, and it is read."""
    b = Builder()
    n = b.var("n", k.Int(0, 3), 2)
    x, y = (b.local(name, k.Int(0, 5)) for name in "xy")
    limit: k.Expr = b.load(n)
    for each in (b.get(x), b.load(n), b.get(x), b.load(n)):
        limit = op("add", limit, each)
    local = b.local("limit", limit.type)
    same = op("eq", op("add", b.get(local), b.get(y)), op("add", limit, b.get(y)))
    where = op("and", op("lt", b.get(y), limit), k.Let(k.BOOL, local, limit, same))
    domain, do, end = b.domain(*"abcdef"), b.hole(), b.hole()
    pair = b.arm("pair", end, b.param("x", x, domain), b.param("y", y, domain, where=where))
    b.block([], b.decide("do", num(0), pair), do, name="do")
    b.block([], k.End("tie"), end, name="end")
    compare(b.program(do, b.var("result", k.Int(0, 0), (0, 0))), 1, 20, 5)


def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    b = Builder("slow")
    end = b.block([], k.End("rank"), name="end")
    result = b.var("result", k.Int(0, 1), (0, 0))
    start = b.block([k.Loop(1 << 60, (k.Put(result, num(0), num(1)),), b.fault("overrun"))], k.Goto(end))
    monkeypatch.setattr(runtime, "PATIENCE", 0.1)
    slow = Player(b.program(start, result))
    assert [ending for *_, ending, _ in slow.playouts(0, 0, 1, 10)] == ["lost"]


@examples(15)
@given(st.integers(0, 1 << 32), st.booleans())
def test_random_programs(seed: int, histories: bool) -> None:
    compare(Maker(Random(seed), histories).program(), seed, 3, 8)


FORGETTING = """
game "Forgetting"
players ann, bob
state:
    n: 0..2
    m: 0..9
    history seen of n
rules:
    for p in turns():
        choose:
            go(k in 0..2):
                forget seen                     # on trial as well: what was noted stays behind it
                n = k
                note seen; note seen
                m = times(seen)
                require m == 2
            on:
                n = (n + 1) % 3
        note seen
        m = times(seen)
        if m > 6: end tie
"""


def test_what_a_trial_forgets_and_notes_is_there_again() -> None:
    compare(game_in(FORGETTING).program, 5, 40, 100)


def test_a_game_with_more_snapshots_than_there_is_room_for_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    program = game_in(FORGETTING).program
    monkeypatch.setattr(layout, "ROOM", 4)
    found = [ending for *_, ending, _ in Player(program).playouts(5, 0, 40, 100)]
    assert "lost" in found
    alone = Game(program, reader="interpreter")
    assert list(playouts(Game(program), 5, 40, 100)) == [stepwise(alone, 5, at, 100) for at in range(40)]


@examples(5)
@given(with_histories, st.integers(0, 1 << 32))
def test_random_rules(source: str, seed: int) -> None:
    try:
        program = instantiate(read_text(source, "generated.kemu", Path("spec")), {}, None)
    except RulesError:
        return
    compare(program, seed, 2, 12)


@each_published
def test_games(game: str, which: str | None) -> None:
    compare(instance(game, which).program, 7, 2, 60)


@pytest.mark.parametrize("file", SMALL, ids=lambda file: file.stem)
def test_gallery(file: Path) -> None:
    compare(instantiate(read(file, LIBRARY)), 3, 6, 30)


@pytest.mark.parametrize("make", [nim, pig, hidden_coin])
def test_programs_by_hand(make: object) -> None:
    assert callable(make)
    compare(make(), 1 << 63, 20, 100)
