"""What could be: `value after rule(...)`, `can action by player`; neither changes anything."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, play, sound_in

GAME = """\
game "Could"
players ann, ben
domain Four = 1..4
state:
    n: 0..9
    yes: bool
    taken: set[Four]
    of: map[Player, 0..9] = {ann: 2, ben: 0}
fun could(q: Player, f: Four): can take(f) by q
fun free(f: Four): f not in taken
rule add(k: 0..9):
    n += k
    taken |= {k} if k in Four else {}
rule keep(inout m: 0..9, k: 0..9):
    m = k
rules:
    n = 3
    SETUP
    yes = TRUTH
    for p in turns():
        choose:
            take(f in Four) if of[p] > 0 and free(f):
                n += f
                require n <= 6
                taken |= {f}
            give(f in taken, q in others(p)) if f > of[q]:
                of[q] = f
            stop if n > 8:
                end win(p)
        choose say by ben
"""
HEAD = GAME.index("rules:")


def yes(truth: str, setup: str = "pass") -> bool:
    game = sound_in(GAME.replace("SETUP", setup).replace("TRUTH", truth))
    state = game.initial()
    assert state["n"] == 3 or setup != "pass"
    return bool(state["yes"])


@pytest.mark.parametrize(
    ("truth", "value"),
    [
        ("n == 5 after add(2)", True),
        ("n == 3 after add(2)", False),
        ("(n == 5 after add(2)) and n == 3", True),
        ("2 in taken after add(2)", True),
        ("(n after add(2)) == 5 and n == 3", True),
        ("max(n + k after add(k) for k in Four) == 11", True),
        ("(first({f for f in Four if f in taken}) after add(2)) == 2", True),
        ("(first(taken) after add(6)) is none", True),
        ("not n == 3 after add(2)", True),  # the `not` of all that
        ("any((n == 3 + k after add(k)) for k in 1..4)", True),
        ("(n == 9 after add(2)) or (n == 7 after add(4))", True),
        ("((n == 6 after add(2)) after add(1))", True),
        ("n == 8 after add(n after add(2))", True),
        ("n == 8 after keep(n, 8)", True),
        ("of[ben] == 8 after keep(of[ben], 8)", True),
        # actions: their conditions, their `require`, of whom they are asked
        ("can take(1) by ann", True),
        ("can take(4) by ann", False),
        ("can take(1) by ben", False),
        ("can take by ann and not can take by ben", True),
        ("can stop by ann", False),
        ("can give by ann", False),
        ("can take(n) by ann", True),
        ("can take(n + 4) by ann", False),
        ("any(could(q, 2) for q in Player)", True),
        ("{f for f in Four if can take(f) by ann} == {1, 2, 3}", True),
        ("can take(3) by ann after add(1)", False),
        ("can give(2, ann) by ben after add(2)", False),
        ("can give(2, ben) by ann after add(2)", True),
        ("can give(1, ben) by ann after add(2)", False),
    ],
)
def test_what_could_be(truth: str, value: bool) -> None:
    assert yes(truth) is value


def test_the_actor_of_a_decision_that_is_no_name() -> None:
    assert yes("can say by ben and not can say by ann and can say")


@pytest.mark.parametrize("truth", ["n == 0 after add(9)", "true after add(9)", "n == 0 after tell()"])
def test_a_fault_in_a_trial_is_a_fault(truth: str) -> None:
    """Of the rule, or of what it returns, though nobody looks at that."""
    text = GAME.replace("SETUP", "pass").replace("TRUTH", truth)
    with pytest.raises(FaultError, match="out_of_range"):
        game_in(text.replace("rules:", "rule tell() -> 0..3:\n    return n + 4\nrules:", 1)).initial()


def test_in_an_action_of_its_own_game() -> None:
    rules = GAME.replace("SETUP", "pass").replace("TRUTH", "true").replace("choose say by ben", "n += 0")
    rules = rules.replace("stop if n > 8", "stop if not can give by other(p)")
    game = sound_in(rules)
    assert {move.text for move in game.initial().moves()} == {"take(1)", "take(2)", "take(3)", "stop"}
    assert "stop" not in {move.text for move in play(game, "take(3)").moves()}


@pytest.mark.parametrize(
    ("truth", "code"),
    [
        ("n == 5 after ends()", "E0778"),
        ("n == 5 after waits()", "E0778"),
        ("(taken after add(2)) == {2}", "E0791"),
        ("can twice by ann", "E0777"),
        ("can hidden_away by ann", "E0776"),
        ("can bid by ann", "E0776"),
        ("can round_and_round by ann", "E0779"),
        ("n == 3 after itself()", "E0779"),
    ],
)
def test_what_cannot_be_tried(truth: str, code: str) -> None:
    more = """\
rule ends:
    end tie
rule waits:
    choose wait by ann
rule decides(k: 0..9):
    choose hidden_away by ann if k > 3
    choose twice by ann
    choose twice by ben
    choose round_and_round by ann if round()
    choose together for q in Player if k > 3:
        bid:
            pass
rule itself:
    yes = n == 3 after itself()
fun round: can round_and_round by ben
"""
    game = GAME[:HEAD] + more + GAME[HEAD:].replace("choose say by ben", "decides(n)")
    with pytest.raises(RulesError) as found:
        game_in(game.replace("SETUP", "pass").replace("TRUTH", truth))
    assert found.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("truth", "code"),
    [
        ("can tak(1) by ann", "E0301"),
        ("can take(1, 2) by ann", "E0312"),
        ("can take by 3", "E0405"),
        ("can 3", "E0202"),
        ("can n[1]", "E0229"),
        ("n == 3 after free(1)", "E0508"),
        ("n after add(1)", "E0405"),
        ("n == 3 after taken", "E0229"),
    ],
)
def test_what_is_no_question(truth: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        game_in(GAME.replace("SETUP", "pass").replace("TRUTH", truth))
    assert found.value.diagnostics[0].code == code


def test_can_and_after_are_names_as_well() -> None:
    more = "fun can(f: Four): f > 1\nfun after(f: Four): can(f)\n"
    rules = GAME[:HEAD] + more + GAME[HEAD:]
    game = sound_in(
        rules.replace("SETUP", "can = n\n    n = can").replace("TRUTH", "after(2) and can in 1..3")
    )
    assert game.initial()["yes"] is True


def test_a_function_may_ask_for_an_action_that_has_lists_of_its_own() -> None:
    game = sound_in("""\
game "Could"
players ann, ben
state:
    n: 0..2
fun fillable() -> 0..2:
    if can fill(0) by ben: return 2
    return 1
rules:
    for p in turns():
        choose:
            fill(c in {0, 1}):
                row: list[0..1, 2] = [c]
                row += [0] if n == 0 else []
                require len(row) == 2
            wait:
                n = 0
        n = fillable()
""")
    state = game.initial()
    assert [a.text for a in state.actions()] == ["fill(0)", "fill(1)", "wait"]
    state = state.apply("wait")
    assert (state["n"], [a.text for a in state.actions()]) == (2, ["wait"])
