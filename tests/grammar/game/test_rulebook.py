"""The statements of a rulebook and the marks that cite them: what is read, and what does not agree."""

from __future__ import annotations

from textwrap import dedent

import pytest
from kemu_grammar.explain.explain import REGISTRY, explain
from kemu_grammar.game.rule_lines import rule_lines
from kemu_grammar.game.rulebook import Tracing, account, compared
from kemu_grammar.syntax.parser import parse

STATEMENTS = """\
# A game

Free text, and a list that is none of statements:

- the letter names a section; see [A1]
- [x] a task

## A. Beginning

- **[A1]** (note; basic) Old.
- **[A2]** Two sit down,
  one beside the other.

## The end

- **[E1]** (example) A tie.
"""


def traced(rules: str, statements: str) -> Tracing:
    return compared(account(statements, "rules.md"), parse(dedent(rules).strip(), "test.kemu"))


def found(rules: str, statements: str) -> list[str]:
    return [str(d) for d in traced(rules, statements).faults]


def test_a_statement_has_a_number_tags_a_text_and_a_section() -> None:
    one, two, three = account(STATEMENTS, "rules.md").statements
    assert (one.number, one.tags, one.text, one.section) == ("A1", ("note", "basic"), "Old.", "A. Beginning")
    assert (two.tags, two.text) == ((), "Two sit down, one beside the other.")
    assert (three.is_example, three.section, three.span.line) == (True, "The end", 16)


def test_a_mark_stands_for_its_declaration_or_its_line() -> None:
    rules = """
        players ann, ben  # [A1]
        reading K1 "who begins": first | last = first  # as in [A2]
        ## [A2] Two lines
        ## of comment. [A3]
        rule go:
            pass
            pass  # "#" [A4]
        state:
            ## [A5]
            n: 0..3
        rules:
            go()
            assert well: n == 0  # [A6]
            end tie
        property good:  # [A7]
            always n == 0
        under K1 == last:
            fun f(): 3  # [A8]
    """
    statements = "".join(f"- **[{n}]** x\n" for n in (*(f"A{i}" for i in range(1, 9)), "K1"))
    marks = [(c.number, c.kind, c.name, c.first, c.last) for c in traced(rules, statements).citations]
    assert marks == [
        ("A1", "rules", "players", 1, 1),
        ("K1", "option", "reading K1", 2, 2),
        ("A2", "option", "reading K1", 2, 2),
        ("A2", "rules", "rule go", 5, 7),
        ("A3", "rules", "rule go", 5, 7),
        ("A4", "rules", "rule go", 7, 7),
        ("A5", "rules", "state n", 10, 10),
        ("A6", "claim", "assert well", 13, 13),
        ("A7", "claim", "property good", 15, 16),
        ("A8", "rules", "fun f", 18, 18),
    ]


@pytest.mark.parametrize(
    ("rules", "statements", "wrong"),
    [
        ("use boards", "- **[C1]** x", "rules.md:1:6: E0801 nothing in the rules file cites [C1]"),
        ("use boards  # [C1]", "- **[C1]** (example) x", "rules.md:1:6: E0802"),
        ("use boards  # [C1] [C7]", "- **[C1]** x", "test.kemu:1:21: E0803 rules.md has no statement [C7]"),
        ("use boards", "- **[C1]** (note) x\n- **[C1]** (note) y", "rules.md:2:6: E0804"),
        ("use boards", "- **[c1]** x", "rules.md:1:1: E0805"),
        ("use boards", "  - **[C1]** x", "rules.md:1:3: E0805"),
        ("use boards", "- **C1** x", "rules.md:1:1: E0805"),
        ("use boards", "- **[C1]** (note)", "rules.md:1:1: E0805"),
        ("# [C1]\nuse boards", "- **[C1]** (note) x", "test.kemu:1:4: E0806"),
        ("## [C1]\n\nuse boards", "- **[C1]** (note) x", "test.kemu:1:5: E0806"),
    ],
)
def test_what_does_not_agree_is_told_with_its_place(rules: str, statements: str, wrong: str) -> None:
    (only,) = found(rules, statements)
    assert only.startswith(wrong)


def test_a_file_that_cites_nothing_may_have_the_statements_of_another_game_beside_it() -> None:
    (only,) = found("use boards", "- **[C1]** x\n- **[C2]** (note) y\n- **[C3]** (example) z")
    assert only.startswith("rules.md:1:6: E0801 nothing in the rules file cites any of the 3 statements here")
    assert only.endswith("is this rules.md that of another game? Each game has a folder of its own")


def test_a_number_that_is_nearly_right_gets_a_suggestion() -> None:
    (fault,) = traced("use boards  # [C12]", "- **[C1]** (note) x").faults
    assert fault.fix is not None and fault.fix[1] == "C1"


@pytest.mark.parametrize("code", sorted(c for c in REGISTRY if c[:3] == "E08"))
def test_explanations_tell_the_truth(code: str) -> None:
    entry = REGISTRY[code]
    assert entry.files is not None and entry.files[0].split("\n")[0] in str(explain(code))
    for rules, statements, expected in (
        (entry.wrong, entry.files[0], [code]),
        (entry.right, entry.files[1], []),
    ):
        assert [d.code for d in traced(rules, statements).faults] == expected


def test_rule_lines_are_those_that_say_how_the_game_is_played() -> None:
    rules = """
        ## A comment.
        game "Test"
        table Tile(count: 1..20,
                   far: bool):
            atoll 3, true
            reef 1, false
        fun used(n): {
            n + helper(n)
        }
        fun helper(n): n
        fun shown(n): used(n) + only_here(n)
        fun only_here(n): n
        check only_here(1) == 1

        rules:
            x = used(1)
            assert fine: only_here(x) == 1
            end tie
        under true:
            const only_shown = 1
            fun used(n): n
        property good: always only_here(1) == 1
        view board:
            line "{shown(1)}"
    """
    text = dedent(rules).strip()
    counted = [text.split("\n")[line - 1].strip() for line in rule_lines(parse(text, "test.kemu"))]
    assert counted == [
        'game "Test"',
        "table Tile(count: 1..20,",
        "far: bool):",
        "fun used(n): {",
        "n + helper(n)",
        "}",
        "fun helper(n): n",
        "rules:",
        "x = used(1)",
        "end tie",
        "under true:",
        "fun used(n): n",
    ]
