"""Turns and loops that stop, and rules that do: how play goes on."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError

from tests.engine.expressions import held
from tests.engine.lower.deciding import HEAD, STOP, first
from tests.rules import play, sound_in, texts


def test_turns_go_round() -> None:
    state = first(
        """
for p in turns():
    choose go
    n += 1
    if n == 5:
        break
choose stop by ann
end tie
"""
    )
    actors = []
    while texts(state) == ["go"]:
        actors.append(state.actor)
        state = play(state, "go")
    assert actors == ["ann", "bob", "cid", "ann", "bob"]
    by = first(
        """
for p in turns(from=left(who)) if p != ann:
    choose go
    n += 1
    who = p
    if n < 3:
        continue
    end win(p)
"""
    )
    assert [by.actor, play(by, "go").actor, play(by, "go", "go").actor] == ["cid", "bob", "cid"]
    end = play(by, "go", "go", "go").result
    assert end is not None and end.winner == "cid"


def test_a_player_asked_by_name_in_a_turn() -> None:
    state = first(
        """
for p in turns():
    choose go
    choose answer(x in 1..2) by left(p)
    n += x
    if n > 2:
        end win(p)
"""
    )
    assert [play(state, *moves).actor for moves in ((), ("go",), ("go", "answer(1)"))] == [
        "ann",
        "bob",
        "bob",
    ]


def test_in_order_of() -> None:
    state = first(
        """
for x in s in order of who:
    n = n * 10 + level[x]
    choose go by cid
choose stop by ann
end tie
"""
    )
    assert state.actor == "bob" and texts(state) == ["next_x(red)", "next_x(blue)"]
    one = play(state, "next_x(blue)")
    assert one["n"] == 7 and texts(one) == ["go"] and one.actor == "cid"
    two = play(one, "go")
    assert two["n"] == 74 and texts(two) == ["go"], "the last is not asked for"
    assert texts(play(two, "go")) == ["stop"]


def test_in_order_of_with_a_condition_and_break() -> None:
    rules = """
for x in Hue in order of ann if level[x] > 1:
    n += level[x]
    if n > 6:
        break
choose stop by bob
end tie
"""
    state = first(rules)
    assert texts(state) == ["next_x(red)", "next_x(blue)"]
    assert (play(state, "next_x(blue)")["n"], texts(play(state, "next_x(blue)"))) == (7, ["stop"])
    assert texts(play(state, "next_x(red)")) == ["next_x(blue)"]
    single = first(
        """
for x in {red} in order of ann if level[x] > n:
    n += level[x]
choose stop by bob
end tie
"""
    )
    assert single["n"] == 4 and texts(single) == ["stop"]
    failing = first(
        "for x in {green} in order of ann if level[x] > 1:\n    n += 9\nchoose stop by bob\nend tie"
    )
    assert failing["n"] == 0
    nothing = first(
        """
for x in s & {green} in order of ann:
    n += 9
for x in {} in order of ann:
    n += 9
choose stop by bob
end tie
"""
    )
    assert nothing["n"] == 0
    pairs = first(
        """
for q in Spot in order of ann if q.x == 1:
    n = n * 10 + q.y
choose stop by bob
end tie
"""
    )
    assert texts(pairs) == ["next_q((1, 1))", "next_q((1, 2))"]


def test_in_order_of_parts() -> None:
    state = first("for a, b in {(2, red), (3, blue)} in order of ann:\n    n += a\n    k = b\n" + STOP)
    assert texts(state) == ["next_a((2, red))", "next_a((3, blue))"]
    assert play(state, "next_a((3, blue))")["n"] == 5 and play(state, "next_a((2, red))")["k"] == "blue"
    assert [d.name for d in state.program.domains if d.texts == ("(2, red)", "(3, blue)")] == ["a"]


def test_while_and_repeat_with_stops() -> None:
    state = first(
        """
while n < 4:
    choose add(x in 1..3) by ann
    if x == 3:
        continue
    n += x
    if x == 1:
        break
choose stop by bob
end tie
"""
    )
    assert texts(play(state, "add(2)")) == ["add(1)", "add(2)", "add(3)"]
    assert texts(play(state, "add(2)", "add(2)")) == ["stop"] and texts(play(state, "add(1)")) == ["stop"]
    assert play(state, "add(3)") == state
    laps = first(
        """
repeat at most 2:
    choose by ann:
        on:
            n += 1
        off:
            break
choose stop by bob
end tie
"""
    )
    assert texts(play(laps, "off")) == ["stop"] and texts(play(laps, "on")) == ["on", "off"]
    assert play(laps, "on") != laps, "a lap of the two is used up"
    with pytest.raises(FaultError, match="overrun"):
        play(laps, "on", "on")


def test_rules_that_run_out() -> None:
    state = first("choose by ann:\n    stop:\n        end tie\n    go:\n        pass")
    assert play(state, "stop").is_end
    with pytest.raises(FaultError, match="no_end"):
        play(state, "go")


def test_rules_that_stop_return_to_where_they_were_called() -> None:
    game = sound_in(
        HEAD
        + """\
rule ask(p: Player, inout m: 0..99) -> 0..9:
    choose answer(x in 1..3) by p
    m += 10 * x
    if x == 3:
        return 9
    return x
rule twice(p: Player):
    a = ask(p, n)
    b = ask(right(p), n)
    n += a + b
rules:
    twice(bob)
    level[red] = ask(cid, n)
    twice(ann)
    choose stop by ann
    end tie
"""
    )
    state = game.initial()
    actors = [play(state, *("answer(1)",) * i).actor for i in range(6)]
    assert actors == ["bob", "ann", "cid", "ann", "cid", "ann"]
    after = play(state, "answer(1)", "answer(2)", "answer(3)", "answer(1)", "answer(1)")
    assert after["n"] == 10 + 20 + 3 + 30 + 10 + 10 + 2 and held(after, "level")["red"] == 9


def test_rules_that_stop_are_given_options_sets_and_records() -> None:
    game = sound_in("""\
        game "Given"
        players ann, bob
        enum Hue: red, green
        record Pair(many: 0..9, hue: Hue)
        state:
            out: 0..99
            o: Hue? = green
            s: set[Hue] = {red}
            two: Pair = Pair(4, red)
            row: list[Hue, 3] = [green, red]
        rule look(a: Hue?, b: set[Hue], c: Pair, d: list[Hue, 3], e: bool, f: 0..9 = 5):
            choose go by ann
            out = (1 if a == green else 0) + 2 * len(b) + 4 * c.many + (20 if c.hue == red else 0)
            out += (40 if d[1] == red else 0) + (1 if e else 0) + f
        rules:
            look(o, s, two, row, o is some)
            o = none; s = {}; two = Pair(0, green); row = [green, green]
            look(o, s | {red, green}, two, row, o is some, f=1)
            choose stop by bob
            end tie
    """)
    assert play(game, "go")["out"] == 1 + 2 + 16 + 20 + 40 + 1 + 5
    assert play(game, "go", "go")["out"] == 4 + 1


def test_what_there_is_most_of_tells_nobody_a_secret() -> None:
    state = sound_in("""game "Say"
players ann, ben
state:
    said: 0..3
    each p in Player:
        hand: 0..3 secret to p = 2
rules:
    choose say(n in 1..3) by ann if n <= hand[ann]
    said = n
    require most said
    end tie
""").initial()
    assert texts(state) == ["say(2)"]
    assert str(state.information_state("ben")) == "ann of say"
