"""Records that replay, and traces that tell what every step changed."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from kemu_engine.batch.playout import walk
from kemu_engine.play.game import Game
from kemu_engine.play.record import Record, RecordError, load, record, replay, save, step
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.trace import Change, record_of, trace

from tests.engine.build import Builder
from tests.engine.games import hidden_coin, nim, pig
from tests.engine.interp.test_faults import out_of_range

NIM = Game(nim())


def recorded(game: Game, index: int = 0) -> tuple[list[State], Record]:
    """A random game and its record."""
    way = list(walk(game, 0, index))
    return [state for state, _ in way], record(
        game, [step(state, state.moves()[chosen].text) for state, chosen in way if chosen >= 0]
    )


@pytest.mark.parametrize("make", [nim, pig, hidden_coin])
def test_a_record_replays_from_its_file(make: type, tmp_path: Path) -> None:
    states, kept = recorded(Game(make()))
    save(kept, tmp_path / "game.json")
    game = Game(make())
    assert load(tmp_path / "game.json", game) == kept
    assert replay(game, kept) == states
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_a_record_is_plain_text_of_actions(tmp_path: Path) -> None:
    moves = [step(NIM.initial(), "take(3)")]
    save(record(NIM, moves, note="a quick one"), tmp_path / "game.json")
    assert json.loads((tmp_path / "game.json").read_text("utf-8")) == {
        "format": "kemu-record", "version": 1, "game": "Nim", "settings": {}, "players": ["north", "south"],
        "program": NIM.hash, "start": None, "steps": [{"text": "take(3)", "actor": "north"}],
        "note": "a quick one", "language": 2,
    }  # fmt: skip


def test_a_record_may_start_anywhere() -> None:
    start = NIM.initial().apply("take(3)")
    kept = record(NIM, [step(start, "take(2)")], start)
    assert replay(NIM, kept) == [start, start.apply("take(2)")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("take(3)", "is not JSON"),
        ("[1, 2]", "is not a record of a game"),
        ('{"format": "kemu-state"}', "is not a record of a game"),
        ('{"format": "kemu-record", "version": 9}', "has version 9 of the format"),
        ('{"format": "kemu-record", "version": 1, "game": 3}', "is a damaged record: .*game"),
    ],
)
def test_other_files_are_refused_with_a_reason(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(text, "utf-8")
    with pytest.raises(RecordError, match=message):
        load(tmp_path / "game.json", NIM)


def test_a_record_of_other_rules_is_refused(tmp_path: Path) -> None:
    save(record(NIM, []), tmp_path / "game.json")
    with pytest.raises(RecordError, match="a record of Nim, not of Pig"):
        load(tmp_path / "game.json", Game(pig()))
    with pytest.raises(RecordError, match="the rules of Nim have changed"):
        load(tmp_path / "game.json", Game(nim(taken=2)))
    save(msgspec.structs.replace(record(NIM, []), language=1), tmp_path / "game.json")
    with pytest.raises(RecordError, match="under version 1 of the language: since version 2 `=` gives"):
        load(tmp_path / "game.json", Game(nim(taken=2)))


def test_a_step_that_is_not_possible_is_named() -> None:
    first = step(NIM.initial(), "take(3)")
    with pytest.raises(RecordError, match=r"step 2, take\(3\) by north: it is the turn of south"):
        replay(NIM, record(NIM, [first, first]))
    with pytest.raises(RecordError, match=r"step 1: take\(9\) is not possible for north"):
        replay(NIM, record(NIM, [step(NIM.initial(), "take(9)")]))


def test_a_trace_tells_what_changed_and_which_rule_did_it() -> None:
    told = trace(NIM, ["take(3)", "take(3)", "take( 1 )"])
    assert [(each.actor, each.text) for each in told.steps] == [
        ("north", "take(3)"), ("south", "take(3)"), ("north", "take(1)")
    ]  # fmt: skip
    heap, result = told.steps[2].changes
    assert (heap.where, heap.old, heap.new) == ("heap", "1", "0")
    assert heap.origin is not None
    assert heap.origin.cites == ("N2",)
    assert (result.where, result.old, result.new) == ("result[0]", "0", "1")
    assert told.fault is None
    assert told.final is not None
    assert told.final.is_end
    assert replay(NIM, record_of(NIM, told)) == list(told.states)


def test_a_trace_leaves_out_writes_that_change_nothing() -> None:
    assert trace(Game(pig()), ["roll", "1"]).steps[1].changes == ()


def test_values_in_a_trace_are_in_words() -> None:
    (change,) = trace(Game(hidden_coin()), ["tails"]).steps[0].changes
    assert change == Change("coin", "none", "tails", None)


def test_a_trace_ends_with_the_fault() -> None:
    told = trace(game := out_of_range(Builder()), ["do", "do"])
    assert told.fault is not None
    assert told.fault.code == "out_of_range"
    assert (len(told.steps), told.steps[0].after) == (1, None)
    with pytest.raises(FaultError):
        replay(game, record_of(game, told))
