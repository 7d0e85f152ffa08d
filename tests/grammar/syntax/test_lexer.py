"""Words, comments, indentation: what the lexer makes of a text."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import kemu_grammar.syntax.parser
import lark
import pytest
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.source.keywords import RESERVED
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.parser import parse
from lark.lexer import Lexer

from tests.grammar.support import only, statements

SOFT = """
at given expect do legal illegal line cell by view example instance option table to from of move end roll draw
require may repeat all always never possible unique hidden secret state game players rule rules fun enum
record domain const use needs reading edition property lemma check under each some inout
"""


class NoLexer(Lexer):
    def __init__(self, _: object) -> None: ...

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[lark.Token]:
        return iter(())


def codes(text: str) -> list[str]:
    with pytest.raises(RulesError) as error:
        parse(text, "test.kemu")
    return [d.code for d in error.value.diagnostics]


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    text = (Path(kemu_grammar.syntax.parser.__file__).parent / "kemu.lark").read_text()
    with caplog.at_level(logging.DEBUG, "lark"):
        lark.Lark(text, parser="lalr", start=["declaration", "expression"], debug=True, lexer=NoLexer)
        assert "conflict" not in caplog.text.lower()
        lark.Lark('start: "if" start | "if" start "else" start | "x"', parser="lalr", debug=True)
    assert "conflict" in caplog.text.lower()  # so the first question was a question


@pytest.mark.parametrize("word", SOFT.split())
def test_soft_words_are_names_of_variables_fields_actions_and_parameters(word: str) -> None:
    assert statements(f"{word} = 1") == (t.Assign(t.Name(word), "=", t.Number(1)),)
    assert statements(f"x = a.{word} + {word}")[0].value.right == t.Name(word)
    assert statements(f"x = f({word}, {word}=1)")[0].value.named == ((word, t.Number(1)),)
    assert statements(f"choose {word}(n in x)")[0].arms[0].name == word
    assert statements("choose:", f"    {word}: pass", f"    b({word} in x): pass")[0].arms[0].name == word
    assert only(f"fun f({word}: X): {word}").params[0].name == word
    assert only(f"enum X: a, {word}").members == ("a", word)
    assert only(f"option {word}: a | b = a").name == word
    assert only(f"state:\n    {word}: 0..3").variables[0].name == word


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_reserved_words_are_no_names_and_the_message_says_so(word: str) -> None:
    with pytest.raises(RulesError) as error:
        parse(f"enum X: a, {word}", "test.kemu")
    (fault,) = error.value.diagnostics
    assert fault.code == "E0209" and f"`{word}`" in fault.message
    assert only("enum X: a, b")


def test_comments_and_missing_last_newlines_do_no_harm() -> None:
    text = "rules:  # why\n    # first\n    pass  # here\n\n  # odd\n    a()\n# last"
    assert parse(text, "f").declarations == parse("rules:\n    pass\n    a()\n", "f").declarations
    assert parse(text.replace("\n", "\r\n"), "f").declarations == parse(text, "f").declarations


def test_brackets_join_lines() -> None:
    assert only("const it = [1,  # one\n2,\n\n        3,\n]").value == t.ListOf(
        tuple(map(t.Number, (1, 2, 3)))
    )


def test_citations_are_kept_by_line() -> None:
    module = parse("const a = 1  # [C1]\nconst b = 2  # [C2] [D12a] and more\nconst c = 3  # [?]\n", "f")
    assert module.citations == {1: ("C1",), 2: ("C2", "D12a")}
    assert [d.cites for d in module.declarations] == [("C1",), ("C2", "D12a"), ()]


def test_doc_comments_belong_to_the_next_declaration() -> None:
    text = "## One. [D1]\n## Two. [D2]\nfun f: 1  # [C1]\n\nstate:\n    ## The ball [B3].\n    ball: 0..3\n"
    fun, state = parse(text, "f").declarations
    assert (fun.doc, fun.cites) == ("One. [D1]\nTwo. [D2]", ("D1", "D2", "C1"))
    assert isinstance(state, t.State) and state.variables[0].cites == ("B3",)
    assert parse(text, "f").citations == {3: ("C1",)}


def test_doc_comments_survive_a_fault_before_them() -> None:
    with pytest.raises(RulesError) as error:
        parse("const a = /\n## Doc.\nconst b = (\n", "f")
    assert [d.span.line for d in error.value.diagnostics] == [1, 3]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rules:\n\tpass", "E0101"),
        ("rules:\n    \tpass", "E0101"),
        ("const a = 'x'", "E0105"),
        ('const a = "x', "E0105"),
        ('const a = """x', "E0105"),
        ('const a = """x"\nconst b = 2', "E0105"),
        ('const a = "" ""', "E0202"),
        ("const a = !b", "E0106"),
        ("const a = (1]", "E0107"),
        ("const a = 1)", "E0107"),
        ("const a = (1\nconst b = 2", "E0107"),
        ("const a = 1234567890123456789", "E0109"),
        ("rules:\n        pass\n    pass", "E0110"),
        ("    const a = 1", "E0110"),
        ("const a = 1 / 2", "E0111"),
        ("", "E0200"),
        ("# nothing but this", "E0200"),
    ],
)
def test_faults_of_the_text(text: str, code: str) -> None:
    assert codes(text) == [code]


def test_an_open_bracket_ends_at_the_next_declaration() -> None:
    assert codes("const a = (1,\n  2\nconst b = 1\nconst c = [\nfun f: 1\n") == ["E0107", "E0107"]


def test_each_fault_has_one_diagnostic() -> None:
    text = "const a = = 1\nfun f(x: x\nconst b = 2\nrules:\n    if a\n        b()\n    c(\n  d\nfun g: 1 +\n"
    assert codes(text) == ["E0202", "E0107", "E0206", "E0107", "E0110", "E0202"]
