"""Going on behind a fault: it hides no other, and what only follows from it is not told."""

from __future__ import annotations

import pytest
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.source.draft import Original, written
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.parser import parse

from tests.grammar.support import faults

STATE = "state:\n    heap: 0..9\n"


def told(text: str) -> list[tuple[int, str]]:
    """Lines, counted from the first behind the frame, and codes."""
    return [(d.span.line - 2, d.code) for d in faults(text)]


def test_what_nothing_mends_hides_no_other_fault() -> None:
    text = f"""{STATE}rules:
    for p in turns():
        choose take heap now
        heap -= 1 +
        if heap = 0:
            win(p)
fun f(x): x && true
"""
    assert told(text) == [(5, "E0202"), (6, "E0202"), (7, "E0203"), (8, "E0215"), (9, "E0205")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rules:\n    for p in turns() or:\n        choose go\n        end win(p)\n", "E0202"),
        ("enum Way: in, out\nrules:\n    if len(Way) == 2 and out in Way: end tie\n    end tie\n", "E0209"),
        ("rules:\n    left = 3 +\n    if left == 3: end tie\n    end win(ann)\n", "E0202"),
        ("state:\n    heap = 0..9\nrules:\n    heap = 3\n    end tie\n", "E0202"),
        ("rules::\n    choose go by ann\n    end tie\n", "E0202"),
        (
            "rules:\n    choose go by ann\n    path c in 1..3 up to 2:\n        pass\n    end tie\n"
            'example "":\n    expect: can go(1, 2) by ann\n',
            "E0202",
        ),
        ("rules:\n    choose c in 1..3 by ann\n    end tie\nexample \"\":\n    do: take(1)\n", "E0223"),
    ],
)  # fmt: skip
def test_what_may_follow_from_lines_that_are_left_out_is_not_told(text: str, code: str) -> None:
    assert [d.code for d in faults(text)] == [code]


def test_a_mend_behind_which_the_next_fault_stands_was_none() -> None:
    (fault,) = faults("const a = /\n")
    assert fault.code == "E0111" and fault.fix is None


def test_names_and_kinds_are_checked_in_the_text_as_it_reads_once_mended() -> None:
    assert told(f"{STATE}rules:\n    let x = heep && true\n    end tie\n") == [
        (4, "E0232"),
        (4, "E0301"),
        (4, "E0205"),
    ]


def test_a_declaration_indented_by_tabs_is_mended_whole() -> None:
    with pytest.raises(RulesError) as error:
        parse("rules:\n\tif true:\n\t\tend tie\n\tend tie\nfun f(x):\n\treturn x\n", "f")
    assert [(d.code, d.span.line) for d in error.value.diagnostics] == [("E0101", 2), ("E0101", 6)]


@pytest.mark.parametrize("line", ["if true, end tie", "x = 1 if true, else 2", "if true, then end tie"])
def test_a_comma_behind_a_condition_is_no_and_where_what_follows_is_none(line: str) -> None:
    found = faults(f"rules:\n    {line}\n    end tie\n")
    assert found and not any("joined by `and`" in d.message for d in found)


@pytest.mark.parametrize("below", ["x = 1", "if true:"])
def test_a_tab_among_spaces_stands_for_the_indentation_that_what_is_below_needs(below: str) -> None:
    block = f"{below}\n" + "            pass\n" * below.endswith(":")
    with pytest.raises(RulesError) as error:
        parse(f"rules:\n    if true:\n        x = 0\n\tx = 2\n        {block}", "f")
    assert [(d.code, d.mend[0][1]) for d in error.value.diagnostics] == [("E0101", " " * 8)]


def test_the_indentations_that_would_fit_are_named() -> None:
    with pytest.raises(RulesError) as error:
        parse("rules:\n    if true:\n        pass\n      pass\n", "f")
    (found,) = error.value.diagnostics
    assert found.message == "this indentation of 6 matches no block above; 4 or 8 would"


def test_what_is_said_of_a_draft_returns_to_its_own_place() -> None:
    text = "ab cd\nef gh\n"
    draft = written(text, 0, len(text)).edited([(Span("f", 1, 3, 2, 3), ""), (Span("f", 2, 6, 2, 6), "!")])
    assert draft.text == "ab gh!\n"
    said = Diagnostic("E0202", Span("f", 1, 4, 1, 6), "here", fix=(Span("f", 1, 6, 1, 7), "?"))
    back = Original(text, "f").diagnostic(said, draft)
    assert (back.span, back.fix) == (Span("f", 2, 4, 2, 6), (Span("f", 2, 6, 2, 7), "?"))
