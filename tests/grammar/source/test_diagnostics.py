"""How diagnostics look, and that every code is explained by an example that is true."""

from __future__ import annotations

import re
from pathlib import Path

import kemu_grammar
import pytest
from kemu_grammar.explain.explain import REGISTRY, explain
from kemu_grammar.game.unending import unending
from kemu_grammar.source.diagnostics import Diagnostic, RulesError, apply, render
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.syntax.ast import Span
from kemu_grammar.syntax.parser import parse

from tests.grammar.support import codes, game

WARNING = "E0513"
EMITTED = {
    code
    for file in Path(str(kemu_grammar.__file__)).parent.rglob("*.py")
    if file.parent.name != "explain"
    for code in re.findall(r'"(E\d{4})"', file.read_text())
}


def test_a_diagnostic_shows_the_place_the_note_and_the_suggestion() -> None:
    text = "const a = 1\nconst b = a\nconst  a = 2\n"
    span, first = Span("f.kemu", 3, 8, 3, 9), Span("f.kemu", 1, 7, 1, 8)
    d = Diagnostic("E0302", span, "`a` is declared twice", ((first, "the first one is here"),), (span, "c"))
    assert (
        render(d, text)
        == """error[E0302]: `a` is declared twice
 --> f.kemu:3:8
  |
3 | const  a = 2
  |        ^
  = note: the first one is here
 --> f.kemu:1:7
  |
1 | const a = 1
  |       -
  = did you mean `c`?"""
    )
    assert apply([(span, "c")], text) == "const a = 1\nconst b = a\nconst  c = 2\n"
    assert str(d) == "f.kemu:3:8: E0302 `a` is declared twice"


@pytest.mark.parametrize(
    "span",
    [Span("", 0, 0, 0, 0), Span("f", 9, 1, 9, 2), Span("f", 1, 5000, 1, 5001), Span("f", 1, 1, 3, 2)],
    ids=str,
)
def test_any_place_can_be_shown(span: Span) -> None:
    text = "x" * 6000 + "\nb\nc\n"
    lines = render(Diagnostic("E0202", span, "odd"), text).split("\n")
    assert lines[0] == "error[E0202]: odd" and max(map(len, lines)) < 140


def test_suggestions_are_near() -> None:
    names = ["shells", "shores", "Cell", "x"]
    assert closest("shels", names) == "shells"
    assert closest("cell", names) == "Cell"
    assert closest("hsells", names) == "shells"
    assert closest("palms", names) is None
    assert closest("y", names) is None


def test_every_code_is_explained() -> None:
    assert set(REGISTRY) >= EMITTED
    assert explain("e0301") == explain("E0301") and explain("E0000") is None


@pytest.mark.parametrize("code", sorted(c for c in REGISTRY if c < "E07"))
def test_explanations_tell_the_truth(code: str) -> None:
    entry = REGISTRY[code]
    if code == WARNING:
        assert [d.code for d in unending(game(entry.wrong))] == [code] and unending(game(entry.right)) == ()
    else:
        assert entry.wrong == "" or codes(entry.wrong) == [code]
    assert entry.right == "" or codes(entry.right) == []
    assert entry.title in str(explain(code))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules:\n    move a to b", "unexpected `to`; expected `from`"),
        ("const a =", "the line ends too early; expected an expression"),
        ("rules:\n    x =", "the line ends too early; expected an expression"),
        ("enum A: b c", "a `,` is missing before `c`"),
        ("use 3", "unexpected `3`; expected a name"),
        ("players", "the line ends too early; expected an expression"),
        ("const a = 1..2..3", "unexpected `..`; expected an operator or the end of the line"),
        ("game Go", 'unexpected `Go`; expected a text `"..."`'),
        ("const a = {1: 2, 3}", "unexpected `}`; expected `:`"),
    ],
)
def test_messages_say_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(RulesError) as error:
        parse(text, "test.kemu")
    assert [d.message for d in error.value.diagnostics] == [message]


def test_a_long_line_is_cut_where_it_says_so() -> None:
    text = "const total = " + " + ".join(map(str, range(100, 160))) + "\n"
    at = text.index("157") + 1
    shown = render(Diagnostic("E0301", Span("f.kemu", 1, at, 1, at + 3), "unknown"), text).split("\n")
    assert shown[3].startswith("1 | ...") and shown[3][shown[4].index("^") :].startswith("157")
    early = render(Diagnostic("E0301", Span("f.kemu", 1, 7, 1, 12), "unknown"), text).split("\n")
    assert early[3].startswith("1 | const total = 100") and early[3].endswith("...")
