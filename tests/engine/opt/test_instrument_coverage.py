"""Programs that count what they do, and many games in columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_engine.batch.bulk import Batch, Bulk
from kemu_engine.batch.playout import stepwise, walk
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.opt.instrument_coverage import counted
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read_text

from tests.rules import LIBRARY

SMALL = sorted((Path(__file__).parents[2] / "kemu" / "games").glob("*.kemu"))


def rows(batches: list[Batch]) -> list[tuple[int, ...]]:
    return [
        row
        for batch in batches
        for row in zip(
            batch.ends,
            batch.decisions,
            batch.branching,
            batch.outcomes,
            *batch.keys,
            *batch.counters,
            strict=True,
        )
    ]


def with_python(game: Game) -> Bulk:
    bulk = Bulk(game)
    bulk._module = None
    return bulk


@pytest.mark.parametrize("file", SMALL, ids=lambda file: file.stem)
def test_the_same_games_with_every_action_counted(file: Path) -> None:
    game = load(file)
    program = counted(game.program)
    for index, row in enumerate(rows(list(Bulk(game).batches(3, 0, 10, 100)))):
        taken: Counter[tuple[str, str]] = Counter()
        for state, chosen in walk(game, 3, index):
            if state.is_decision:
                taken[state.label, state.actions()[chosen].name] += 1
        end, decisions, branching, outcomes, *numbers = row
        played = stepwise(game, 3, index)
        assert (decisions, branching, outcomes) == (played.decisions, played.branching, played.outcomes)
        assert played.result is not None and game.program.blocks[end].exit == state.stop
        keys = [key for scores in played.result.scores.values() for key in scores]
        assert numbers[: len(keys)] == keys
        for name, counters in program.actions.items():
            assert sum(numbers[len(keys) + counter] for counter in counters) == taken[name]


@pytest.mark.parametrize("file", SMALL, ids=lambda file: file.stem)
def test_every_reader_counts_alike(file: Path) -> None:
    game = load(file)
    fast = rows(list(Bulk(game).batches(0, 5, 40, 100)))
    assert rows(list(with_python(game).batches(0, 5, 40, 100))) == fast
    slow = Bulk(Game(game.program, reader="interpreter"))
    assert rows(list(slow.batches(0, 5, 40, 100))) == fast


LINES = """game "Test"
players ann, ben
state:
    n: 0..9
fun even_now(): n % 2 == 0
rule more():
    if even_now():
        n += 1                              # [A1]
        n += 1                              # [A2]
    else:
        n = 0                               # [A3]
rules:
    for p in turns():
        choose:
            go if n < 6:                    # [B1]
                more()
            halt if n >= 4:
                end win(p)                  # [B2]
            never if n == 9: pass           # [B3]
"""


def test_lines_and_statements_are_counted_where_they_do_something() -> None:
    game = Game(instantiate(read_text(LINES, "test.kemu", LIBRARY)))
    program = counted(game.program)
    (batch,) = with_python(game).batches(0, 0, 1, 100)

    def times(counters: tuple[int, ...]) -> int:
        return sum(batch.counters[counter][0] for counter in counters)

    went = batch.decisions[0] - 1
    assert {name: times(each) for name, each in program.statements.items()} == {
        "A1": went, "A2": went, "A3": 0, "B1": went, "B2": 1, "B3": 0,
    }  # fmt: skip
    lines = {line: times(each) for (_, line), each in program.lines.items()}
    assert lines == {8: went, 9: went, 11: 0, 15: went, 17: 1, 18: 1, 19: 0}


CIRCLE = """game "Test"
players ann
state:
    n: 0..9
rules:
    while true:
        n = (n + 1) % 3
        if n == 7:
            choose go by ann
"""


@pytest.mark.parametrize("bulk", [Bulk, with_python])
def test_a_run_that_never_stops_is_found_although_it_is_counted(bulk: type[Bulk]) -> None:
    (batch,) = bulk(Game(instantiate(read_text(CIRCLE, "test.kemu", LIBRARY)))).batches(0, 0, 1, 100)
    (game,) = batch.others
    assert game.fault is not None and game.fault.code == "silent_loop"
