"""`history`, `note`, `forget`, `times`: how often a position has been, for every reader."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from kemu_engine.batch.explore import explore
from kemu_engine.batch.perft import perft
from kemu_engine.batch.playout import playout, stepwise
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.text import Json
from kemu_engine.play.game import Game, StateError
from kemu_engine.play.state import State
from kemu_engine.run.wasm.programs import batches, bfs
from kemu_engine.run.wasm.programs.writer import module

from tests.rules import play, sound_in, texts

WALK = """
game "Walk"
players ann, ben
domain Place = 0..3
state:
    at: map[Player, Place]
    mover: Player = ann
    steps: 0..99
    history seen of at, mover
    history all_of_it
fun old(n: 0..9): times(seen) >= n
rules:
    for p in turns():
        mover = p
        note seen
        note all_of_it
        if old(3):
            end tie
        choose:
            to(q in Place) if abs(q - at[p]) == 1:
                at[p] = q
            home:
                at[p] = 0
                forget seen
        steps += 1
property never_thrice: always times(seen) <= 2
"""

KO = """
game "Ko"
players ann, ben
domain Place = 0..2
state:
    stone: map[Place, bool]
    history seen of stone
rules:
    note seen
    for p in turns():
        choose flip(q in Place)
        else:
            end win(other(p))
        stone[q] = not stone[q]
        require times(seen) == 0
        note seen
"""


def seen(state: State) -> list[Json]:
    found = state["seen"]
    assert isinstance(found, list)
    return found


def test_a_note_is_of_the_present_and_times_asks_for_the_present() -> None:
    state = play(sound_in(WALK), "to(1)", "to(1)", "to(0)", "to(0)")
    assert {each["times"] for each in seen(state) if each["vars"]["at"] == {"ann": 0, "ben": 0}} == {2}  # type: ignore[index,call-overload]
    assert state.result is None and play(state, "to(1)", "to(1)", "to(2)").result is None
    assert play(state, "to(1)", "to(1)", "to(0)", "to(0)").result is not None


def test_a_history_is_forgotten_by_its_name() -> None:
    state = play(sound_in(WALK), "to(1)", "to(1)", "home")
    assert len(seen(state)) == 1 and len(state["all_of_it"]) == 4  # type: ignore[arg-type]


def test_all_state_variables_are_meant_where_none_is_named() -> None:
    (first,) = sound_in(WALK).initial()["all_of_it"]  # type: ignore[misc]
    assert sorted(first["vars"]) == ["at", "mover", "steps"]  # type: ignore[index,call-overload]


def test_histories_tell_states_apart() -> None:
    game = sound_in(WALK.replace("    history all_of_it\n", "").replace("        note all_of_it\n", ""))
    there = play(game, "to(1)", "to(1)", "to(0)", "to(0)")
    other = play(game, "to(1)", "to(1)", "to(2)", "to(0)", "to(1)", "to(1)", "to(0)", "to(0)")
    again = play(game, "to(1)", "to(1)", "to(0)", "to(0)")
    assert there["at"] == other["at"] and there != other and there == again and hash(there) == hash(again)


def test_what_is_tried_is_not_noted() -> None:
    """`require` speaks of what has been before the action, not of what other actions would have led to."""
    state = sound_in(KO).initial()
    assert texts(state) == ["flip(0)", "flip(1)", "flip(2)"]
    assert texts(play(state, "flip(0)")) == ["flip(1)", "flip(2)"]
    noting = KO.replace("require times(seen) == 0", "note seen\n        require times(seen) <= 1")
    state = sound_in(noting).initial()
    assert texts(state) == ["flip(0)", "flip(1)", "flip(2)"] and len(seen(play(state, "flip(0)"))) == 2


def test_what_could_be_is_asked_of_what_has_been() -> None:
    """`can` and `after` try on a copy, histories included."""
    noting = "rule noting(): note seen\nfun twice: (times(seen) == 2) after noting()\nrules:"
    asked = KO.replace("rules:", noting).replace("    stone: map", "    ways: 0..3\n    stone: map")
    look = "ways = len({q for q in Place if can flip(q)}) if twice() else 0"
    state = sound_in(asked.replace("choose flip", look + "\n        choose flip")).initial()
    assert state["ways"] == 3 and len(seen(state)) == 1 and play(state, "flip(0)")["ways"] == 2


def test_random_games_keep_count_as_a_counter_does() -> None:
    game, random = sound_in(WALK), Random(3)
    for _ in range(20):
        state, count = game.initial(), Counter[str]()
        while True:
            count[str((state["at"], state["mover"]))] += 1
            if not state.choices:
                assert count.most_common(1)[0][1] == 3
                break
            action = random.choice(state.moves()).text
            state = state.apply(action)
            if action == "home":
                count.clear()
            if int(str(state["steps"])) > 90:
                break


@pytest.mark.parametrize("text", [WALK, KO], ids=["walk", "ko"])
def test_readers_agree(text: str) -> None:
    game = sound_in(text)
    generated = Game(game.program)
    for index in range(10):
        assert playout(generated, 5, index, 40) == stepwise(game, 5, index, 40)
    assert list(perft(generated, 4)) == list(perft(game, 4))


def test_all_states_are_found() -> None:
    """The ways along the edges of a cube that meet no corner twice, told apart by what they met."""
    found, waiting = set(), [(0,)]
    while waiting:
        way = waiting.pop()
        found.add((frozenset(way), way[-1]))
        waiting += [(*way, way[-1] ^ bit) for bit in (1, 2, 4) if way[-1] ^ bit not in way]
    *_, last = explore(Game(sound_in(KO).program))
    assert last.complete and last.count == len(found) and last.reader == "generated Python"


def test_a_saved_state_has_its_history() -> None:
    game = sound_in(WALK)
    state = play(game, "to(1)", "to(1)", "to(0)", "to(0)", "to(1)")
    saved = state.to_json()
    assert game.state(saved) == state and Game(game.program).state(saved) == state
    assert seen(state) == sorted(seen(state), key=lambda each: str(each["vars"]))  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda all_: 3, "no list of snapshots"),
        (lambda all_: [*all_, all_[0]], "there twice"),
        (lambda all_: [{**all_[0], "times": 0}], "no number of times"),
        (lambda all_: [{"times": 1, "vars": {}}], "exactly at, mover"),
        (lambda all_: [{"times": 1, "vars": {**all_[0]["vars"], "mover": "eve"}}], "none of ann, ben"),
    ],
)
def test_a_saved_history_is_checked(change: object, said: str) -> None:
    game = sound_in(WALK)
    saved = game.initial().to_json()
    saved["vars"]["seen"] = change(saved["vars"]["seen"])  # type: ignore[index,operator,call-overload]
    with pytest.raises(StateError, match=said):
        game.state(saved)


def test_webassembly_plays_random_games_and_leaves_all_else_to_python() -> None:
    program = sound_in(WALK).program
    assert module(program).binary
    for refused in (lambda: batches.batching(program, 4), lambda: bfs.searching(program, 1 << 20)):
        with pytest.raises(NotCovered, match="history"):
            refused()


def test_a_history_that_an_instance_never_notes_is_no_part_of_its_state() -> None:
    text = """
        game "Counting"
        players ann
        option counting: bool = false
        state:
            n: 0..3
            history seen of n
        rules:
            while true:
                if counting and n < 3:
                    note seen
                choose by ann:
                    go if times(seen) < 2:
                        n = 1
                    leave:
                        end tie
    """
    without, with_ = (sound_in(text, counting=each) for each in (False, True))
    assert [var.name for var in without.program.vars if isinstance(var.type, k.History)] == []
    assert [var.name for var in with_.program.vars if isinstance(var.type, k.History)] == ["seen"]
    assert texts(play(without, "go", "go", "go")) == ["go", "leave"]
    assert texts(play(with_, "go", "go")) == ["leave"]


@pytest.mark.parametrize("code", ["mark(true)", "by_laps()", "by_value()"])
def test_a_name_that_means_something_else_where_it_is_noted(code: str) -> None:
    text = f"""
        game "Counting"
        players ann
        option counting: bool = false
        state:
            n: 0..3
            history seen of n
        rule mark(counting: bool):
            if counting:
                note seen
        rule by_laps:
            for counting in {{true}}:
                if counting:
                    note seen
        rule by_value:
            counting: bool = true
            if counting:
                note seen
        rules:
            for lap in 1..2:
                choose go by ann
                {code}
            n = times(seen)
            end tie
    """
    assert play(sound_in(text), "go", "go")["n"] == 2
