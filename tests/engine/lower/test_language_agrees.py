"""What the checker promises, the engine does: before play and in play alike."""

from __future__ import annotations

import re
from textwrap import dedent, indent

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.examples import run_examples
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import LIBRARY, game_in, play, texts

HEAD = """
game "Test"
players ann, ben
"""


def game(text: str, **options: str | int | bool) -> Game:
    return game_in(HEAD + dedent(text), **options)


def codes(text: str, **options: str | int | bool) -> list[str]:
    try:
        instantiate(read_text(HEAD + dedent(text), "test.kemu", LIBRARY), options)
    except RulesError as error:
        return [d.code for d in error.diagnostics]
    return []


# ------------------------------------------------------------------------------------------------ require


def test_require_behind_a_choice_of_one_action_tries_what_stands_between() -> None:
    made = game(
        """
        state:
            n: 0..9
        rules:
            choose take(k in 1..4) by ann
            n = 2 * k
            require n > 4
            n -= 1
            choose again by ben
            require n == 5
            end tie
        """
    )
    start = made.initial()
    assert texts(start) == ["take(3)", "take(4)"]
    assert play(start, "take(3)")["n"] == 5 and texts(play(start, "take(3)")) == ["again"]


@pytest.mark.parametrize(
    "rules",
    [
        "may choose a by ann\nrequire n > 2",
        "choose a by ann\nelse:\n    pass\nrequire n > 2",
        "choose by ann:\n    a:\n        n = 3\nrequire n > 2",
        "choose a by ann\nif n == 0:\n    require n > 2",
        "choose a by ann\nrequire n > 2\nrequire n > 3",
        "require n > 2",
    ],
)
def test_require_elsewhere_is_one_clear_error(rules: str) -> None:
    text = "state:\n    n: 0..9\nrules:\n" + indent(rules, "    ") + "\n    end tie\n"
    assert codes(text) == ["E0510"]


def test_require_in_a_rule_called_from_an_arm_is_refused() -> None:
    text = """
        state:
            n: 0..9
        rule r:
            require n > 2
        rules:
            choose by ann:
                a:
                    r()
            end tie
        """
    assert codes(text) == ["E0510"]


# ------------------------------------------------------------------------------------------------ under

UNDER = """
option storms: bool = false
fun force(k: 0..9): k
under storms:
    fun force(k: 0..9): 2 * before(k)
    fun only_then: 7
    const waves = 3
    check force(waves) == 6
    property windy: always force(1) == 2
    lemma wet for p in Player if len(Player) == 2: always true
    example "a storm":
        do: go
        expect: winner is none; only_then() == waves + 4
rules:
    choose go by ann
    if storms:
        if only_then() == 3:
            end win(ann)
    end tie
"""


def test_claims_in_an_under_block_are_asked_where_it_holds() -> None:
    calm, stormy = game(UNDER), game(UNDER, storms=True)
    assert calm.program.properties == () and calm.program.examples == ()
    assert [p.name for p in stormy.program.properties] == ["windy", "wet(ann)", "wet(ben)"]
    assert [(r.title, r.passed) for r in run_examples(stormy)] == [("a storm", True)]


def test_a_check_in_an_under_block_fails_there_only() -> None:
    text = UNDER.replace("== 6", "== 5")
    assert codes(text) == [] and codes(text, storms=True) == ["E0756"]


def test_a_name_of_an_under_block_is_missed_where_it_does_not_hold() -> None:
    text = UNDER.replace("    if storms:\n        if only", "    if true:\n        if only")
    assert codes(text) == ["E0728"] and codes(text, storms=True) == []


@pytest.mark.parametrize(
    "new",
    ["domain force = {1, 2}", "const force = 1", "fun Suit: 1", "fun n: 2", "fun f(a, b): 1"],
)
def test_a_replacement_is_of_the_same_sort(new: str) -> None:
    text = "enum Suit: hearts\nstate:\n    n: 0..9\nfun force(k: 0..9): k\nfun f(a): a\n"
    text += f"under true:\n    {new}\n"
    assert codes(text + "rules:\n    end tie\n") == ["E0307"]


# ------------------------------------------------------------------------------------------------ labels

LABELS = """
state:
    n: 0..9
property rolled: at roll always n == 0
property die: at die always low == 2
property spun: at spin always k == 3
property in_rule: at act always k > 0
property turned: at turn possible p == ben
rule act(k: 0..9):
    choose spin by ann
    n = k
rules:
    for p in turns():
        low = 2
        die = roll 1..6
        n = die
        if n < low:
            continue
        act(3)
        choose turn
        n = 0
example "a four":
    at die, p = ann: n = 3
    do: roll 4
    expect: n == 4
"""


def test_labels_are_actions_rules_and_chance_nodes() -> None:
    made = game(LABELS)
    blocks = {p.name: [made.program.blocks[b].name for b in p.blocks] for p in made.program.properties}
    assert blocks == {
        "rolled": ["rules.roll"],
        "die": ["rules.roll"],
        "spun": ["act.spin"],
        "in_rule": ["act.spin"],
        "turned": ["rules.turn"],
    }
    assert [r.passed for r in run_examples(made)] == [True]


@pytest.mark.parametrize(("name", "code"), [("c", "E0301"), ("later", "E0316"), ("early", "E0746")])
def test_a_claim_at_a_stop_names_what_lives_there(name: str, code: str) -> None:
    text = f"""
        state:
            n: 0..9
        property low: at spin always {name} < 5
        rules:
            early = n
            n = early
            choose spin(c in 1..3) by ann
            later = n
            n = later
            end tie
        """
    assert codes(text) == [code]


# ------------------------------------------------------------------------------------------------ ranks


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ("gain", (1, 1)),
        ("(gain, debt)", (2, 1)),
        ("{p: (gain[p], -debt(p)) for p in Player}", (1, 2)),
        ("(gain, {q: (0, debt(q)) for q in Player})", (2, 1)),
    ],
)
def test_a_rank_is_a_number_for_every_player(value: str, places: tuple[int, ...]) -> None:
    text = f"""
        state:
            gain: map[Player, 0..5]
        fun debt(p: Player): 1 if p == ann else 3
        rules:
            end rank({value})
        """
    result = game(text).initial().result
    assert result is not None and tuple(result.places.values()) == places


@pytest.mark.parametrize(
    "value", ["(gain[p], 5 - gain[p])", "gain[p]", "5", "other", "gain[p] for p in Player", "debt"]
)
def test_other_ranks_are_refused(value: str) -> None:
    text = f"""
        state:
            gain: map[Player, 0..5]
        fun debt(p: Player, n: 0..3): n
        rules:
            for p in turns():
                end rank({value})
        """
    assert codes(text) == ["E0405"]


# ------------------------------------------------------------------------------------------------ comparisons

EQUAL = [
    ("{A} == {B}", "s", "1..2", True),
    ("{A} == {B}", "s", "[2, 1, 2]", True),
    ("{A} == {B}", "xs", "s", True),
    ("{A} == {B}", "xs", "[1, 2]", False),
    ("{A} == {B}", "xs", "[2, 1]", True),
    ("{A} == {B}", "xs", "[2, 1, 1]", False),
    ("{A} == {B}", "1..2", "s", True),
    ("{A} <= {B}", "s", "1..3", True),
    ("{A} >= {B}", "s", "1..3", False),
    ("{A} <= {B}", "2..3", "1..3", True),
    ("{A} <= {B}", "s", "xs", True),
    ("{A} == {B}", "m", "{1: 0, 2: 5}", True),
    ("{A} == {B}", "m", "{2: 5, 1: 0}", True),
    ("{A} == {B}", "m", "{1: 0}", False),
    ("{A} == {B}", "m", "{1: 0, 2: 4}", False),
    ("{A} == {B}", "m", "{k: 5 * (k - 1) for k in 1..2}", True),
    ("{A} == {B}", "s", "{}", False),
    ("{A} == {B}", "(1, 2)", "(1, 2)", True),
]  # fmt: skip
HELD = "{1, 2}", "[2, 1]", "{1: 0, 2: 5}"


@pytest.mark.parametrize(("form", "a", "b", "truth"), EQUAL)
def test_comparisons_agree_before_play_and_in_play(form: str, a: str, b: str, truth: bool) -> None:
    expr = form.replace("{A}", a).replace("{B}", b)
    s, xs, m = HELD
    before = f"const s = {s}\nconst xs = {xs}\nconst m = {m}\ncheck ({expr}) == {str(truth).lower()}\n"
    assert codes(before + "rules:\n    end tie\n") == []
    state = f"state:\n    s: set[1..3] = {s}\n    xs: list[1..3, 4] = {xs}\n    m: map[1..2, 0..5] = {m}\n"
    end = game(f"{state}rules:\n    end win(ann if {expr} else ben)\n").initial().result
    assert end is not None and (end.winner == "ann") == truth


def test_bags_are_equal_thing_by_thing() -> None:
    text = """
        state:
            a: bag[1..3] = {1: 2}
            b: bag[0..2, 2] = {1: 2}
        rules:
            if a == b and a == {1: 2} and a != {1: 2, 9: 1} and b != {} and a != {0: 1}:
                end win(ben)
            end tie
        """
    result = game(text).initial().result
    assert result is not None and result.winner == "ben"


@pytest.mark.parametrize(
    "test",
    ["[1] < [2]", "{1} < {2}", "{1: 2} <= {1: 2}", "{1: 2} == {1}", "[1, 2] == {1: 1, 2: 2}", "[1] <= [1]"],
)
def test_comparisons_without_meaning_are_refused(test: str) -> None:
    assert codes(f"check {test}\nrules:\n    end tie\n") == ["E0403"]


# ------------------------------------------------------------------------------------------------ functions

FUNCTIONS = {
    "for if": """
        sum: 0..99 = 0
        for k in 1..9 if k % 2 == 1:
            sum += k * n
        return sum
        """,
    "break": """
        last: 0..9 = 0
        for k in 1..9:
            if k > n:
                break
            if k == 3:
                continue
            last = k
        return last
        """,
    "early return": """
        for a in 1..3:
            for b in 1..3 if b != a:
                if a + b == n:
                    return 10 * a + b
        return 0
        """,
    "repeat": """
        k: 0..20 = n
        repeat at most 9:
            if k > 12:
                break
            k += 3
        return k
        """,
    "elif": """
        if n < 2:
            return 1
        elif n < 5:
            x = n * n
            return x + 1
        else:
            pass
        return 7
        """,
    "set": """
        seen: set[0..9] = {}
        for k in 0..9 if k * k <= n:
            seen |= {k}
        return len(seen)
        """,
    "out of range": """
        k: 0..5 = 0
        k = n
        return k
        """,
}


FRAME = """
state:
    out: 0..99
    zero: 0..0
rules:
    choose go by ann
    out = f({n})
    end tie
"""


@pytest.mark.parametrize("body", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_statements_of_functions_agree_before_play_and_in_play(body: str) -> None:
    """One function is tabulated; the other reads state, and so becomes a function of the kernel."""
    lines = indent(dedent(body).strip(), "    ")
    before = "fun f(n: 0..9) -> 0..99:\n" + lines
    in_play = "fun f(m: 0..9) -> 0..99:\n" + re.sub(r"\bn\b", "(m + zero)", lines)
    for n in range(10):
        assert _outcome(game(before + FRAME.format(n=n))) == _outcome(game(in_play + FRAME.format(n=n))), n


def _outcome(made: Game) -> object:
    try:
        return made.initial().apply("go")["out"]
    except FaultError as error:
        return error.code


def test_parts_of_locals_change_before_play() -> None:
    text = """
        record Pair(a: 0..9, b: 0..9)
        fun f():
            xs = [1, 2, 3]
            xs[-1] = 5
            m = {1: xs, 2: [4]}
            m[2] = [7]
            m[1][0] += 1
            p = Pair(1, 2)
            p.b = 6
            return (m, p)
        check f()[0] == {1: [2, 2, 5], 2: [7]} and f()[1] == (1, 6)
        check Pair(b=2, a=1) == (1, 2)
        rules:
            end tie
        """
    assert codes(text) == []


@pytest.mark.parametrize(
    "rules",
    [
        "if n == 0:\n    x = 1\nn = x",
        "for k in 1..3:\n    x = k\nn = x",
        "choose by ann:\n    a:\n        x = 1\nn = x",
    ],
)
def test_names_of_inner_blocks_end_with_them(rules: str) -> None:
    text = "state:\n    n: 0..9\nrules:\n" + indent(rules, "    ") + "\n    end tie\n"
    assert codes(text) == ["E0316"]


# ------------------------------------------------------------------------------------------------ examples

TOLD = [
    ("winner == ann", "the left side is ben, the right side ann"),
    ("n == 3 and s == {spades}", "the left side is {hearts}, the right side {spades}"),
    ("1 < n < 3", "the left side is 3, the right side 3"),
    ("f() == spades", "the left side is none, the right side spades"),
    ("l == [spades]", "the left side is [hearts spades], the right side [spades]"),
    ("c == (2, 1)", "the left side is (1, 1), the right side (2, 1)"),
    ("b[hearts] == n", "the left side is 2, the right side 3"),
    ("f() is some", "the game is over"),
]


@pytest.mark.parametrize(("expected", "told"), TOLD)
def test_a_failed_expectation_names_its_values(expected: str, told: str) -> None:
    made = game(
        f"""
        enum Suit: hearts, spades
        domain Spot = grid(1..2, 1..2)
        state:
            trump: Suit?
            s: set[Suit] = {{hearts}}
            l: list[Suit, 3] = [hearts, spades]
            b: bag[Suit] = {{hearts: 2}}
            n: 0..9 = 3
            c: Spot
        fun f(): trump
        rules:
            choose go by ann
            end win(ben)
        example "one":
            do: go
            expect: {expected}
        """
    )
    (result,) = run_examples(made)
    assert not result.passed and told in result.message


def test_a_set_holds_values_only() -> None:
    assert codes("const s = {1, first({k for k in 1..3 if k > 3})}\nrules:\n    end tie\n") == ["E0709"]
    text = """
        state:
            n: (0..3)?
            out: bool
        rules:
            choose go by ann
            out = {1, n} == {1}
            end tie
        """
    assert _outcome(game(text)) == "missing_value"
