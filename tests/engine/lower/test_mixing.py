"""Things that Python calls equal and the language tells apart are not mixed by what is remembered."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event, Thread

from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.static.values import Atom, FrozenMap, RingInt, Row, Seq, exact
from kemu_engine.support.stack import LIMIT, deep
from kemu_grammar.game.game import read_text

RINGS = """\
game "Rings"
players ann, bob
domain Four = ring(0..3)
domain Six = ring(0..5)
const low = {x for x in Four if x == 3}
const high = {x for x in Six if x == 3}
state:
    four: set[Four] = {3}
    six: set[Six] = {3}
    seen: set[0..9] = {4}
    found: map[0..3, bool]
fun next(x): x + 1
fun reaches(x): 4 in {next(y) for y in x}
rules:
    found[0] = reaches(four)
    found[1] = reaches(six)
    found[2] = any(next(x) in seen for x in low)
    found[3] = any(next(x) in seen for x in high)
    choose go by ann
    end tie
"""


def test_a_function_of_numbers_on_two_rings() -> None:
    program = instantiate(read_text(RINGS, "rings.kemu", Path()), {}, None)
    found = Game(program).initial()["found"]
    assert list(found.values()) == [False, True, False, True]  # type: ignore[union-attr]


def test_exact_keys_tell_apart_what_is_equal() -> None:
    ring, wide = RingInt(1, 0, 3), RingInt(1, 0, 5)
    for held in (lambda x: x, lambda x: (x,), lambda x: frozenset({x}), lambda x: FrozenMap({2: x})):
        keys = {exact(held(value)) for value in (1, True, ring, wide)}
        assert len(keys) == 4
    assert len({exact((1, 2)), exact(Seq((1, 2))), exact(Row((1, 2), ("x", "y")))}) == 3
    assert exact(Atom("Hue", "red", (0, 0))) == exact(Atom("Hue", "red", (0, 0)))


def test_the_room_on_the_stack_stays_until_the_last_thread_is_through() -> None:
    before, inside, leave = sys.getrecursionlimit(), Event(), Event()

    def other() -> None:
        with deep():
            inside.set()
            leave.wait(10)

    thread = Thread(target=other)
    thread.start()
    inside.wait(10)
    with deep():
        leave.set()
        thread.join()
        assert sys.getrecursionlimit() >= LIMIT
    assert sys.getrecursionlimit() == before
