"""Claims: assertions in rules, instances that build on others."""

from __future__ import annotations

import pytest
from kemu_grammar.game.game import read_text
from kemu_grammar.syntax import ast as t

from tests.grammar.support import FRAME, LIBRARY, codes, faults, statements


def test_an_assertion_is_a_statement_with_a_name() -> None:
    assert statements("assert small: a < b; pass") == (
        t.Assert("small", t.Compare(t.Name("a"), (("<", t.Name("b")),))),
        t.Pass(),
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fun f(n: 0..3):\n    assert small: n < 3\n    return n", "E0501"),
        ("rules:\n    assert len(Player) == 2\n    end tie", "E0224"),
        ("rules:\n    assert not two: true\n    end tie", "E0224"),
        ("rules:\n    assert two: 2\n    end tie", "E0401"),
        ("rules:\n    assert two: winner is none\n    end tie", "E0309"),
        ("rules:\n    assert two: true\n    if 1 < 2:\n        assert two: true\n    end tie", "E0302"),
        ("property two: always true\nrules:\n    assert two: true\n    end tie", "E0302"),
        ("state:\n    assert: 0..3\nrules:\n    assert = 2\n    assert += 1\n    end tie", None),
    ],
)
def test_assertions_have_a_name_of_their_own_and_stand_in_rules(text: str, code: str | None) -> None:
    assert codes(text) == ([] if code is None else [code])


def test_a_name_that_is_taken_is_shown_where_it_stands() -> None:
    (fault,) = faults("property two: always true\nrules:\n    assert two: true\n    end tie")
    assert (fault.span.line, fault.span.column, fault.notes[0][0].line) == (5, 12, 3)  # type: ignore[union-attr]


# ------------------------------------------------------------------------------------- standard questions


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("property terminates expect refuted", None),
        ("property informed if len(Player) == 2 expect not inductive", None),
        ("property legal_from_view expect refuted", "E0607"),
        ("property branch_possible expect any", None),
        ("property terminate expect refuted", "E0607"),
        ("property action_possible(flee) expect impossible", "E0607"),
        ("property no_leak(flee) expect refuted", "E0607"),
        ("property terminates expect refused", "E0604"),
        ("property terminates if 2 expect refuted", "E0401"),
        ("property terminates", "E0202"),
        ("lemma terminates expect refuted", "E0202"),
        ("property terminates: terminates\nproperty terminates expect refuted", "E0302"),
        ("property terminates: terminates", None),
        ("property terminates: always true", "E0302"),
        ("property no_leak: possible 1 == 1", "E0302"),
    ],
)
def test_a_property_without_a_claim_says_what_a_standard_question_comes_to(
    text: str, code: str | None
) -> None:
    rules = "\nrules:\n    end tie\n"
    assert codes(text + rules) == ([] if code is None else [code])


# ---------------------------------------------------------------------------------------------- instances


LEVELS = "option level: low | mid | high = low\noption size: 1..9 = 3\n"


def test_an_instance_takes_over_the_settings_of_another_and_then_has_its_own() -> None:
    text = LEVELS + "instance last: like duel; size = 5\ninstance duel:\n    like small\n    level = high\n"
    text += "instance small: players = 2; level = mid\ninstance same: like last\n"
    game = read_text(FRAME + text + "rules:\n    end tie\n", "test.kemu", LIBRARY)
    last = {"players": 2, "level": "high", "size": 5}
    assert dict(game.instances["last"].settings) == dict(game.instances["same"].settings) == last
    assert dict(game.instances["duel"].settings) == {"players": 2, "level": "high"}


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("instance a: like b\n", "E0317", "unknown instance `b`"),
        ("instance a: like a\n", "E0318", "`a` is like `a`"),
        ("instance a: size = 2; like a\n", "E0225", "`like` comes once"),
        ("instance a:\n    like b\n    like b\ninstance b: size = 2\n", "E0225", "before the settings"),
        ("instance a: like\n", "E0202", "the line ends too early; expected `=`"),
    ],
)
def test_what_cannot_be_built_on(text: str, code: str, told: str) -> None:
    (fault,) = faults(LEVELS + text)
    assert fault.code == code and told in fault.message


def test_a_circle_is_told_at_each_of_its_instances_and_not_at_those_that_lead_there() -> None:
    found = faults("instance a: like b\ninstance b: like c\ninstance c: like b\n")
    assert [(d.code, d.span.line, d.message) for d in found] == [
        ("E0318", 4, "`b` is like `c`, which is like `b`"),
        ("E0318", 5, "`c` is like `b`, which is like `c`"),
    ]


def test_an_option_may_be_called_like() -> None:
    assert codes("option like: 1..3 = 2\ninstance a: like = 3") == []
