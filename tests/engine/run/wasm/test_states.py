"""States in WebAssembly against the interpreter: all of them, the ways to them, games side by side."""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu_engine.batch import batch, perft
from kemu_engine.batch.batch import OVER, PLAYING, Batch
from kemu_engine.batch.explore import by_states, explore
from kemu_engine.batch.state_graph import Reached
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, IllegalAction, State
from kemu_engine.run.wasm.asm import runtime
from kemu_engine.run.wasm.emit.predicates import Condition
from kemu_engine.run.wasm.programs.explorer import Explorer
from kemu_grammar.game.game import read, read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.build import Builder, num
from tests.engine.games import hidden_coin, nim, pig
from tests.engine.kernels import Maker
from tests.engine.run.wasm.test_playouts import LIBRARY, SMALL
from tests.instances import each_published, instance
from tests.oracles.sources import sources
from tests.soak import as_far, examples

pytestmark = pytest.mark.slow

pytest.importorskip("wasmtime")


def compare(program: k.Program, most: int) -> None:
    """The same successors of the first states, so many of them, and the same bytes."""
    try:
        explorer = Explorer(program)
    except NotCovered:
        return
    if explorer.lost:
        return
    if explorer.complete:
        with pytest.raises(FaultError) as error:
            Game(program, reader="interpreter").initial()
        assert (explorer.count, explorer.faults) == (0, {error.value.index: 1})
        return
    first = Game(program, reader="interpreter").initial()
    known: dict[State, int] = {first: 0}
    states, edges, degrees = [first], array("i"), array("i")
    for at in range(most):
        if at == len(states):
            break
        before = len(edges)
        explorer.expand(at + 1, edges=edges, degrees=degrees)
        if explorer.lost:
            return
        successors = []
        for index in range(len(states[at].choices)):
            try:
                after = states[at].follow(index)
            except FaultError as fault:
                successors.append(-1 - fault.index)
                continue
            if after not in known:
                known[after] = len(states)
                states.append(after)
            successors.append(known[after])
        assert list(edges[before:]) == successors
        assert degrees[at] == len(successors)
    assert explorer.count == len(states)
    for number, state in enumerate(states[:most]):
        packed = explorer.state(number)
        assert explorer.packing.read(packed) == (state.block, state.vars, state.locals)
        assert explorer.packing.write(state.block, state.vars, state.locals) == packed


@examples(8)
@given(st.integers(0, 1 << 32))
def test_random_programs(seed: int) -> None:
    compare(Maker(Random(seed)).program(), 30)


@examples(5)
@given(sources)
def test_random_rules(source: str) -> None:
    try:
        program = instantiate(read_text(source, "generated.kemu", Path("spec")), {}, None)
    except RulesError:
        return
    compare(program, 40)


@each_published
def test_games(game: str, which: str | None) -> None:
    compare(instance(game, which).program, 60)


@pytest.mark.parametrize(
    "file", as_far(13, [*SMALL[::3], *SMALL[1::3], *SMALL[2::3]]), ids=lambda file: file.stem
)
def test_gallery(file: Path) -> None:
    program = instantiate(read(file, LIBRARY))
    compare(program, 300)
    *_, one = explore(Game(program), 1000)
    *_, other = by_states(Game(program), 1000)
    assert replace(one, reader=other.reader, memory=other.memory) == other
    ways = [each for each in perft.perft(Game(program), 5) if each]
    assert ways == [each for each in perft.by_states(Game(program), 5) if each]


@pytest.mark.parametrize("make", [nim, pig, hidden_coin])
def test_programs_by_hand(make: object) -> None:
    assert callable(make)
    compare(make(), 300)


def test_the_number_of_states_that_others_have_counted() -> None:
    *_, found = explore(instance("connect-four", "four_by_three"))
    assert (found.reader, found.complete, found.count) == ("WebAssembly", True, 12_031)


def test_ways_beyond_the_numbers_of_the_module() -> None:
    """The module gives up at 127 bits, and another reader goes on."""
    game = Game(pig(6))
    ways = [each.ways for each in perft.perft(game, 170) if each]
    assert ways == [each.ways for each in perft.by_states(game, 170) if each]
    assert ways[-1] > 1 << 127


def test_a_table_that_outgrows_memory_says_so() -> None:
    *_, found = explore(instance("connect-four"), memory=4 << 20)
    assert found.full and not found.complete
    assert found.memory is not None and found.memory <= 4 << 20
    assert found.count > 100_000


def test_what_takes_too_long_is_left_to_another_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    b = Builder("slow")
    end = b.block([], k.End("rank"), name="end")
    result = b.var("result", k.Int(0, 1), (0, 0))
    start = b.block([k.Loop(1 << 60, (k.Put(result, num(0), num(1)),), b.fault("overrun"))], k.Goto(end))
    monkeypatch.setattr(runtime, "PATIENCE", 0.01)
    with pytest.raises(runtime.TooLong):
        Explorer(b.program(start, result))


def any_type(random: Random) -> k.Type:
    """Of any size that memory makes a difference of."""
    wide = 1 << random.choice([1, 2, 4, 7, 8, 12, 16, 20, 31, 40, 62])
    low = random.choice([0, 0, -1, 5, -wide + 1, -(wide // 2), -random.randrange(wide)])
    high = low + random.randrange(wide) if low >= 0 else random.randrange(low, wide)
    return random.choice([k.Int(low, high), k.Int(low, high), k.BOOL, k.Set(random.randrange(1, 150))])


def any_value(random: Random, type_: k.Type) -> int:
    if isinstance(type_, k.Int):
        return random.choice([type_.low, type_.high, random.randint(type_.low, type_.high)])
    return random.getrandbits(type_.size if isinstance(type_, k.Set) else 1)


@examples(30)
@given(st.integers(0, 1 << 32))
def test_values_of_all_sizes_are_packed(seed: int) -> None:
    """A stop with variables and live locals of all types; then others are set, and then they are packed."""
    random = Random(seed)
    b = Builder("sizes")
    code: list[list[k.Stmt]] = [[], []]
    for number in range(random.randrange(1, 7)):
        type_ = any_type(random)
        if random.random() < 0.5:
            var = b.var(f"v{number}", type_, any_value(random, type_))
            for each in code:
                each.append(k.Store(var, k.Const(type_, any_value(random, type_))))
            continue
        length = random.randrange(1, 21)
        var = b.var(f"v{number}", type_, tuple(any_value(random, type_) for _ in range(length)))
        for each in code:
            for at in range(length):
                each.append(k.Put(var, num(at), k.Const(type_, any_value(random, type_))))
    live = []
    for number in range(random.randrange(4)):
        type_ = any_type(random)
        local = b.local(f"l{number}", type_)
        live.append(local)
        for each in code[:1] if random.random() < 0.8 else ():
            each.append(k.Assign(local, k.Const(type_, any_value(random, type_))))
    result = b.var("result", k.Int(0, 1), (0, 0))
    first, second, go, end = b.hole(), b.hole(), b.hole(), b.hole()
    start = b.block(code[0], k.Goto(first))
    b.block([], b.decide("one", num(0), b.arm("go", go)), first, live=tuple(live), name="one")
    b.block(code[1], k.Goto(second), go)
    b.block([], b.decide("two", num(1), b.arm("on", end)), second, live=tuple(live), name="two")
    b.block([], k.End("win"), end, name="end")
    compare(b.program(start, result), 5)


# games side by side


def lockstep(game: Game, games: int, steps: int) -> None:
    """The module's games and those of the interpreter, with the same actions."""
    fast, slow = Batch(game, games, 5), Batch(Game(game.program, reader="interpreter"), games, 5)
    histories = any(isinstance(var.type, k.History) for var in game.program.vars)
    assert (fast.reader, slow.reader) == ("Python" if histories else "WebAssembly", "Python")
    random = Random(1)
    for _ in range(steps):
        for name in ("status", "actors", "counts", "numbers", "legal"):
            assert getattr(fast, name).tolist() == getattr(slow, name).tolist(), name
        for at in range(games):
            if fast.status[at] == OVER:
                assert fast.keys[at].tolist() == slow.keys[at].tolist()
            if fast.status[at] == PLAYING:
                legal = [number for number, there in enumerate(fast.legal[at].tolist()) if there]
                fast.actions[at] = slow.actions[at] = random.choice(legal)
        for each in (fast, slow):
            each.step()
            each.restart()


@each_published
def test_batches_of_games(game: str, which: str | None) -> None:
    pytest.importorskip("numpy")
    lockstep(instance(game, which), 3, 12)


@pytest.mark.parametrize("file", SMALL, ids=lambda file: file.stem)
def test_batches(file: Path) -> None:
    pytest.importorskip("numpy")
    lockstep(Game(instantiate(read(file, LIBRARY))), 3, 12)


PAGE = (LIBRARY.parent / "docs" / "exploring.md").read_text("utf-8")


@pytest.mark.parametrize("example", re.findall(r"```python\n(.*?)```", PAGE, re.S))
def test_the_examples_of_the_page(example: str) -> None:
    if "numpy" in example:
        pytest.importorskip("numpy")
    exec(compile(example, "exploring.md", "exec"), {})


def test_the_graph_in_arrays() -> None:
    """Conditions asked in the module, and shortest ways, are those of the states."""
    game = instance("connect-four", "four_by_three")
    claims = [claim.exprs[0] for claim in game.program.properties if claim.form == "possible"]
    graph = Reached(game, [Condition(claim) for claim in claims])
    assert list(graph.grow(1 << 20))[-1] == graph.count == 12_031 and graph.complete
    assert len(graph.firsts) == graph.count + 1
    for number, claim in enumerate(claims):
        found = graph.first(number)
        state = game.initial()
        for choice in graph.path(found or 0):
            state = state.follow(choice)
        assert found is None or (state == graph.state(found) and state.evaluate(claim))
        assert not any(graph.state(each).evaluate(claim) for each in range(found or graph.count))


def test_a_batch_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "find_spec", lambda name: None)
    game = instance("tic-tac-toe")
    games = Batch(game, 3)
    games.actions[1] = 4
    games.step()
    assert [games.legal[1, number] for number in range(9)] == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert games.variable("mark")[1] == (-1, -1, -1, -1, 0, -1, -1, -1, -1)
    slow = Batch(Game(game.program, reader="interpreter"), 3)
    slow.actions[1] = 4
    slow.step()
    assert slow.variable("mark") == games.variable("mark")


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    games = Batch(instance("tic-tac-toe"), 2)
    games.step()
    games.actions[0] = 1
    with pytest.raises(IllegalAction, match=r"put\(\(1, 1\)\) is not legal in game 1"):
        games.step()
    assert list(games.counts) == [8, 8]
