"""`path`: an action of as many parts as it goes on, one text, the same for every reader."""

from __future__ import annotations

import pytest
from kemu_engine.batch.playout import playout, playouts, stepwise
from kemu_engine.kernel import actions
from kemu_engine.play.game import Game
from kemu_engine.play.record import record, replay, step
from kemu_engine.play.state import FaultError, State
from kemu_engine.run.python.loader import GeneratedMachine
from kemu_engine.run.wasm.programs.player import Player
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, made, play, sound_in, texts

HEAD = """\
game "Hops"
players ann, ben
domain Cell = 1..9
state:
    at: Cell = 1
    stone: map[Cell, bool] = {c: even(c) for c in Cell}
fun hops(a: Cell): {b for b in Cell if abs(b - a) == 2 and stone[(a + b) // 2]}
rule hop(b: Cell):
    stone[(at + b) // 2] = false
    at = b
rules:
"""


def begun(rules: str) -> State:
    return sound_in(HEAD + "\n".join("    " + line for line in rules.strip().split("\n"))).initial()


def on(path: str, *, more: str = "", before: str = "") -> State:
    """A game of one action, with a path."""
    lines = ["for p in turns():", "    choose:", "        go:"]
    inner = [*before.split("\n"), *path.split("\n"), *more.split("\n"), "end tie"]
    return begun("\n".join([*lines, *(f"            {line}" for line in inner if line)]))


# what is legal


def test_a_path_goes_on_as_far_as_it_can() -> None:
    state = on("path b in hops(at) at most 4:\n    hop(b)")
    assert texts(state) == ["go(3, 5, 7, 9)"]
    assert play(state, "go(3,5,7,9)")["at"] == 9


def test_a_player_who_may_stop_stops_behind_any_part_and_longer_paths_come_first() -> None:
    state = on("path b in hops(at) at most 4, may stop:\n    hop(b)")
    assert texts(state) == ["go(3, 5, 7, 9)", "go(3, 5, 7)", "go(3, 5)", "go(3)"]
    assert play(state, "go(3, 5)")["at"] == 5


def test_break_ends_a_path() -> None:
    state = on(
        "path b in hops(at) at most 4, may stop:\n    hop(b)\n    if b == 5: break\n    stone[9] = true"
    )
    assert texts(state) == ["go(3, 5)", "go(3)"]
    assert play(state, "go(3, 5)")["stone"]["9"] is True  # type: ignore[index, call-overload]


def test_an_action_without_a_first_part_is_not_legal() -> None:
    state = begun("""
        for p in turns():
            choose:
                go(n in 1..2):
                    path b in hops(at) if n == 1 at most 4:
                        hop(b)
                rest:
                    end tie
    """.replace("\n        ", "\n"))  # fmt: skip
    assert texts(state) == ["go(1, 3, 5, 7, 9)", "rest"]


def test_what_stands_before_and_behind_happens_once() -> None:
    state = on("path b in hops(at) at most 4:\n    hop(b)", before="stone[4] = false", more="stone[2] = true")
    assert texts(state) == ["go(3)"]
    assert play(state, "go(3)")["stone"]["2"] is True  # type: ignore[index, call-overload]


def test_require_speaks_of_the_whole_path() -> None:
    state = on("path b in hops(at) at most 4, may stop:\n    hop(b)", more="require at in {3, 7}")
    assert texts(state) == ["go(3, 5, 7)", "go(3)"]


def test_of_require_most_only_the_best_actions_are_left() -> None:
    state = begun("""
        for p in turns():
            choose:
                go(n in 1..3):
                    path b in hops(at) if b <= 3 + 2 * n at most 4, may stop:
                        hop(b)
                    require most min(at, 7)
                rest:
                    end tie
    """.replace("\n        ", "\n"))  # fmt: skip
    assert texts(state) == ["go(2, 3, 5, 7)", "go(3, 3, 5, 7, 9)", "go(3, 3, 5, 7)", "rest"]
    assert texts(play(state, "go(2, 3, 5, 7)")) == ["go(3, 9)", "rest"]


def test_a_choice_of_one_action_has_its_path_behind_it() -> None:
    lap = "        hop(b)\n        at = b if n == 1 else 9\n"
    state = begun(
        f"for p in turns():\n    choose go(n in 1..2)\n    path b in hops(at) at most 4:\n{lap}    end win(p)"
    )
    assert texts(state) == ["go(1, 3, 5, 7, 9)", "go(2, 3, 7)"]
    assert play(state, "go(2, 3, 7)")["at"] == 9


def test_a_path_longer_than_it_may_be_is_a_fault() -> None:
    game = sound_in(
        HEAD + "    choose go by ann\n    path b in hops(at) at most 3:\n        hop(b)\n    end tie"
    )
    with pytest.raises(FaultError, match="the path goes on after 3 parts"):
        game.initial()


def test_players_together_choose_paths() -> None:
    state = begun("""
        choose together for p in Player:
            go:
                from_here: Cell = 1
                path b in {c for c in Cell if c - from_here == 4} at most 2, may stop:
                    from_here = b
                if p == ben: at = from_here
        end tie
    """.replace("\n        ", "\n"))  # fmt: skip
    assert texts(state) == ["go(5, 9)", "go(5)"]
    assert play(state, "go(5)", "go(5, 9)")["at"] == 9


def test_can_asks_for_the_beginning_of_a_path() -> None:
    asked = [
        "can go by p",
        "can go(3) by p",
        "can go(3, 5) by p",
        "not can go(5) by p",
        "not can go(3, 9, 7) by p",
    ]
    made(
        HEAD + "    for p in turns():\n        choose:\n            go:\n"
        "                path b in hops(at) at most 4:\n                    hop(b)\n            rest:\n"
        "                end tie\n"
        f"property asked: at go always (p == ann and at == 1) implies {' and '.join(asked)}\n"
        'example "go":\n    expect: legal go(3, 5, 7, 9); illegal go(3); can go(3) by ann\n'
    )


def test_an_action_whose_path_never_has_a_part_never_can_be() -> None:
    state = begun("""
        for p in turns():
            choose:
                go:
                    path b in {c for c in Cell if false} at most 2:
                        at = b
                    require at > 1
                rest:
                    if can go by p: end win(p)
                    end tie
    """.replace("\n        ", "\n"))  # fmt: skip
    assert play(state, "rest").result.winner is None


# the same everywhere

BOARD = """\
game "Board"
players ann, ben
option side: 3..9 = 8
option steps: 1..9 = 3
domain Cell = grid(1..side, 1..side)
state:
    at: map[Player, Cell] = {ann: (1, 1), ben: (side, side)}
    trail: set[Cell]
fun near(c: Cell): {d for d in Cell if abs(d.x - c.x) + abs(d.y - c.y) == 1 and d not in trail}
rules:
    for p in turns():
        choose:
            walk:
                left: 0..9 = steps
                path c in near(at[p]) if left > 0 at most steps, may stop:
                    left -= 1
                    trail |= {c}
                    at[p] = c
                    if c.x == c.y: break
                require most (1 if at[p].x == at[p].y else 0)
        else:
            end win(other(p))
"""


@pytest.mark.parametrize("side", [3, 8, 9])  # sets of 10, 65 and 82
def test_all_readers_play_the_same_games(side: int) -> None:
    program = sound_in(BOARD, side=side).program
    game, slow = Game(program), Game(program, reader="interpreter")
    told = [stepwise(slow, 3, index) for index in range(6)]
    assert [stepwise(game, 3, index) for index in range(6)] == told
    assert [playout(game, 3, index) for index in range(6)] == told
    assert isinstance(game.machine, GeneratedMachine) and game.machine.by_python
    assert list(playouts(game, 3, 200))[:6] == told
    assert len(Player(program).run(3, 0, 6, 1000)) > 0


def test_where_there_is_no_room_for_all_actions_another_reader_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(game_in(BOARD, steps=5).program)
    told = [playout(game, 3, index) for index in range(2)]
    monkeypatch.setattr(actions, "PATHS", 20)
    assert list(playouts(game, 3, 200))[:2] == told


def test_records_hold_whole_actions() -> None:
    game = sound_in(BOARD, side=3)
    state, steps = game.initial(), []
    while not state.is_end:
        steps.append(step(state, texts(state)[-1]))
        state = state.apply(steps[-1].text)
    assert replay(game, record(game, steps))[-1] == state


# what is refused


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ("path b in hops(at) at most 4:\n    hop(b)\nend tie", "E0512"),  # of no action
        (
            "choose go by ann\nif at == 1:\n    path b in hops(at) at most 4:\n        hop(b)\nend tie",
            "E0512",
        ),
        ("may choose go by ann\npath b in hops(at) at most 4:\n    hop(b)\nend tie", "E0512"),
        ("choose go by ann\nrequire at == 1\npath b in hops(at) at most 4:\n    hop(b)\nend tie", "E0512"),
        ("choose go by ann\n" + 2 * "path b in hops(at) at most 4:\n    hop(b)\n" + "end tie", "E0512"),
        ("choose go by ann\npath b in hops(at) at most 4:\n    hop(b)\nend win(b)", "E0301"),
        (
            "choose go by ann\npath b in hops(at) at most 4:\n    choose stay by ann\n    hop(b)\nend tie",
            "E0741",
        ),
        ("choose go by ann\ndie = roll 1..6\npath b in hops(at) at most 4:\n    hop(b)\nend tie", "E0741"),
        ("choose go by ann\npath b in hops(at) at most 65:\n    hop(b)\nend tie", "E0727"),
        ('choose go by ann\npath b in ["", "x"] at most 2:\n    at = 2\nend tie', "E0740"),
        ("choose go by ann\npath b in [at, at] at most 2:\n    hop(b)\nend tie", "E0739"),
        ("choose go by ann\nrequire most at == 1\nend tie", "E0402"),
    ],
)
def test_what_cannot_be_is_refused(rules: str, code: str) -> None:
    text = HEAD + "\n".join("    " + line for line in rules.split("\n"))
    with pytest.raises(RulesError) as found:
        game_in(text)
    assert [d.code for d in found.value.diagnostics] == [code]


def test_an_example_gives_a_path_at_least_one_part() -> None:
    rules = (
        "    choose go(n in 1..2) by ann\n    path b in hops(at) at most 4:\n        hop(b)\n    end tie\n"
    )
    with pytest.raises(RulesError, match="`go` takes more than 1 argument, but is given 1"):
        game_in(HEAD + rules + 'example "short":\n    do: go(1)\n')
