"""`choose together`: one after another, none knowing of the others, then the blocks; `sealed choose`."""

from __future__ import annotations

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.play.examples import run_examples
from kemu_engine.play.state import FaultError, State
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, play, sound_in, texts

HEAD = """\
game "Bids"
players ann, ben, cid
state:
    said: 0..999             # the seats of those who spoke
    n: 0..9
    gone: set[Player]
const seat = {ann: 1, ben: 2, cid: 3}
rules:
"""


def begun(rules: str) -> State:
    return sound_in(HEAD + "\n".join("    " + line for line in rules.strip().split("\n"))).initial()


def seen(state: State, name: str) -> object:
    """A variable as ben sees it."""
    return dict(state.observation("ben")["vars"])[name]  # type: ignore[arg-type, call-overload]


SHOW = """
for lap in 1..2:
    choose together for p in Player:
        bid(k in 1..2):
            said = 10 * said + seat[p]
            n += k
        leave:
            gone |= {p}
end tie
"""


def test_all_choose_in_the_order_of_seats_before_anything_happens() -> None:
    state = begun(SHOW)
    for player, action in (("ann", "bid(2)"), ("ben", "leave"), ("cid", "bid(1)")):
        assert (state.actor, texts(state)) == (player, ["bid(1)", "bid(2)", "leave"])
        assert (state["n"], state["said"], state["gone"]) == (0, 0, [])
        state = state.apply(action)
    assert (state["n"], state["said"], state["gone"]) == (3, 13, ["ben"])


def test_only_the_chooser_sees_what_is_chosen_until_all_have() -> None:
    one, two = (play(begun(SHOW), action) for action in ("bid(2)", "leave"))
    assert one != two
    assert one.observation("ann") != two.observation("ann")
    assert [one.observation(p) == two.observation(p) for p in ("ben", "cid")] == [True, True]
    assert {e.told for b in one.program.blocks if isinstance(e := b.exit, k.Decide)} == {"together"}


def test_what_was_chosen_is_no_part_of_the_position_behind() -> None:
    ways = (("bid(1)", "bid(2)", "bid(1)"), ("bid(2)", "bid(1)", "bid(1)"))
    assert len({play(begun(SHOW), *way) for way in ways}) == 1


def test_who_chooses_is_settled_before_the_blocks() -> None:
    state = begun("""
        choose together for p in Player if p not in gone:
            push:
                gone |= {left(p)}
                n += 1
        choose together for p in {q for q in Player if q not in gone}:
            push:
                pass
        end tie
    """.replace("\n        ", "\n"))  # fmt: skip
    state = play(state, "push", "push", "push")
    assert (state.is_end, state["n"]) == (True, 3)


def test_a_block_may_stop_and_then_everybody_knows() -> None:
    state = begun("""
choose together for p in Player:
    bid(k in 1..2):
        choose more by p
        n += k
end tie
""")
    state = play(state, "bid(1)", "bid(2)")
    assert seen(state, "rules.bid.k") == {"ann": "?", "ben": "2", "cid": "?"}
    state = play(state, "bid(2)")
    assert (state.actor, texts(state)) == ("ann", ["more"])
    assert seen(state, "rules.bid.k opened") == {"ann": "none", "ben": "2", "cid": "2"}  # and ann's is k
    assert play(state, "more", "more", "more")["n"] == 5


def test_passing_and_having_nothing_to_choose() -> None:
    state = begun("""
may choose together for p in Player:
    bid(k in 1..2) if p != ben:
        n += k
choose together for p in Player:
    bid(k in 1..2) if p != ben:
        n += k
else:
    said = 10 * said + seat[p]
end tie
""")
    state = play(state, "bid(1)")
    assert (state.actor, texts(state)) == ("ben", ["pass"])
    state = play(state, "pass", "pass", "bid(2)", "bid(2)")
    assert (state.is_end, state["n"], state["said"]) == (True, 5, 2)


def test_a_parameter_may_run_through_what_is_not_always_there() -> None:
    state = begun("""
choose together for p in Player:
    bid(k in {x for x in ([2] if p != ben else [])}):
        n += k
else:
    n += 5
end tie
""")
    assert play(state, "bid(2)", "bid(2)")["n"] == 9


def test_a_player_without_a_legal_action_is_stuck() -> None:
    with pytest.raises(FaultError, match="stuck"):
        play(begun("choose together for p in Player:\n    bid if p == ann:\n        pass\nend tie"), "bid")


def test_where_no_action_can_ever_be_legal_all_are_stuck_or_nobody_is_asked() -> None:
    rules = "choose together for p in S:\n    bid(k in {}):\n        pass\nend tie"
    with pytest.raises(FaultError, match="stuck"):
        begun(rules.replace("S", "Player"))
    assert begun(rules.replace("S", "gone")).is_end


def test_blocks_are_the_laps_of_a_loop() -> None:
    state = begun("""
choose together for p in Player:
    next:
        continue
    bid(k in 1..2):
        require n + k < 9
        n += k
        said = 10 * said + seat[p]
    last:
        break
end win(ben)
""")
    assert play(state, "next", "bid(1)", "bid(2)")["said"] == 23
    assert play(state, "bid(1)", "last", "bid(2)")["said"] == 1


def test_require_is_tried_where_all_choose() -> None:
    state = begun("""
choose together for p in Player:
    bid(k in 1..2):
        n += k
        require n < 2
    no:
        pass
end tie
""")
    state = play(state, "bid(1)", "bid(1)")
    assert texts(state) == ["bid(1)", "no"]
    assert play(state, "bid(1)")["n"] == 3


def test_of_require_most_each_has_the_best_of_their_own() -> None:
    state = begun("""
choose together for p in Player:
    bid(k in 1..4):
        n += k
        require most (n if k <= seat[p] else 0)
end tie
""")
    for action in ("bid(1)", "bid(2)", "bid(3)"):
        assert texts(state) == [action]
        state = play(state, action)
    assert state["n"] == 6


CAN = """\
fun asked(q: Player): can bid(1) by q
rules:
    gone = {ben}
    n = len({q for q in Player if asked(q)})
    choose together for p in Player if p not in gone:
        bid(k in 1..2):
            pass
    end tie
"""


def test_can_asks_whether_the_player_is_among_them() -> None:
    assert sound_in(HEAD.replace("rules:\n", CAN)).initial()["n"] == 2


EXAMPLE = (
    HEAD
    + """\
    for lap in 1..2:
        choose together for p in Player if p not in gone:
            bid(k in 1..2):
                n += k
    end tie
example "one":
    at bid, p = START, lap = 2:
        gone = {ann}
    do: ben bid(2); cid bid(2)
    expect: n == 4
"""
)


def test_an_example_begins_where_the_first_chooses() -> None:
    (result,) = run_examples(game_in(EXAMPLE.replace("START", "ben")))
    assert result.passed
    (result,) = run_examples(game_in(EXAMPLE.replace("START", "cid").replace("ben bid(2); ", "")))
    assert "others have chosen before" in result.message


def test_a_sealed_choice_is_kept_from_all_others() -> None:
    state = begun("""
sealed may choose hide(k in 1..2) by ann
choose guess(g in 1..2) by ben
if k == g: n = 1
end tie
""")
    one, two = play(state, "hide(1)"), play(state, "hide(2)")
    assert one != two and one.observation("ben") == two.observation("ben")
    assert [play(one, guess)["n"] for guess in ("guess(1)", "guess(2)")] == [1, 0]
    assert [b.exit.told for b in state.program.blocks if isinstance(b.exit, k.Decide)] == ["never", "at once"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("choose together for p in 1..2:", "E0405"),
        ("choose together for p in Player if n:", "E0401"),
        ("choose together for p in q:", "E0301"),
    ],
)
def test_what_is_refused(line: str, code: str) -> None:
    with pytest.raises(RulesError) as error:
        game_in(f"{HEAD}    {line}\n        bid:\n            pass\n    end tie\n")
    assert [one.code for one in error.value.diagnostics] == [code]
