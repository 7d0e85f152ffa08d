"""Every construct of the language and the tree it becomes."""

from __future__ import annotations

from typing import Any

import pytest
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.parser import parse

from tests.grammar.support import expression, only, statements

A, B, C, D = (t.Name(n) for n in "abcd")
ONE, TWO, SIX = t.Number(1), t.Number(2), t.Number(6)


# ---------------------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b * c", t.Binary("+", A, t.Binary("*", B, C))),
        ("a - b - c", t.Binary("-", t.Binary("-", A, B), C)),
        ("a ** b ** c", t.Binary("**", A, t.Binary("**", B, C))),
        ("-a ** b", t.Unary("-", t.Binary("**", A, B))),
        ("a | b & c", t.Binary("|", A, t.Binary("&", B, C))),
        ("a & b + c", t.Binary("&", A, t.Binary("+", B, C))),
        ("a or b and not c", t.Logic("or", (A, t.Logic("and", (B, t.Unary("not", C)))))),
        ("a and b and c", t.Logic("and", (A, B, C))),
        ("not a == b", t.Unary("not", t.Compare(A, (("==", B),)))),
        ("1 <= a < b", t.Compare(ONE, (("<=", A), ("<", B)))),
        ("a not in b", t.Compare(A, (("not in", B),))),
        ("a in 1..b + 1", t.Compare(A, (("in", t.Range(ONE, t.Binary("+", B, ONE))),))),
        ("a if b else c if d else 1", t.Choice(B, A, t.Choice(D, C, ONE))),
        ("a if b else c implies d", t.Binary("implies", t.Choice(B, A, C), D)),
        ("a implies b implies c", t.Binary("implies", A, t.Binary("implies", B, C))),
        ("a is some", t.Presence(A, True)),
        ("a is none or b", t.Logic("or", (t.Presence(A, False), B))),
        ("a is not none", t.Presence(A, True)),
        ("a[b].c", t.Field(t.Index(A, B), "c")),
        ("a[b, c]", t.Index(A, t.Tuple((B, C)))),
        ("a[1:]", t.Slice(A, ONE, None)),
        ("a[:b]", t.Slice(A, None, B)),
        ("a[-1]", t.Index(A, t.Unary("-", ONE))),
        ("(a)", A),
        ("(a,)", t.Tuple((A,))),
        ("(a, b)", t.Tuple((A, B))),
        ("[a, b,]", t.ListOf((A, B))),
        ("{a, b}", t.SetOf((A, B))),
        ("{}", t.MapOf(())),
        ("{a: 1, b: 2}", t.MapOf(((A, ONE), (B, TWO)))),
        ("a(b, c, from=d)", t.Call(A, (B, C), (("from", D),))),
        ("a.b(c)", t.Call(t.Field(A, "b"), (C,))),
        ("a(b, c -> d)", t.Call(A, (B, t.Arrow(("c",), D)))),
        ("a((b, c) -> d)", t.Call(A, (t.Arrow(("b", "c"), D),))),
        ("true", t.Truth(True)),
        ("none", t.Nothing()),
    ],
)
def test_expressions_bind_as_in_python(text: str, tree: Any) -> None:
    assert expression(text) == tree


def test_comprehensions_have_several_clauses_and_targets() -> None:
    clause = t.Clause(("a", "b"), C, (A, B))
    assert expression("[a for a, b in c if a if b]") == t.Comprehension("list", A, (clause,))
    assert expression("{a for (a, b) in c if a if b}") == t.Comprehension("set", A, (clause,))
    assert expression("{a: b for a in c}") == t.Comprehension("map", B, (t.Clause(("a",), C, ()),), A)
    two = (t.Clause(("a",), C, ()), t.Clause(("b",), D, ()))
    assert expression("any(a for a in c for b in d)") == t.Call(
        t.Name("any"), (t.Comprehension("each", A, two),)
    )


def test_texts_hold_expressions_with_their_places() -> None:
    text = expression('"n {a + 1} {{b}} \\"c\\""')
    assert text == t.Text(("n ", t.Binary("+", A, ONE), ' {b} "c"'))
    assert (text.parts[1].span.column, text.parts[1].span.end_column) == (16, 21)


def test_a_text_of_several_lines_is_taken_as_it_stands() -> None:
    """Its brackets, braces, comments and words in column 1 are text; lines behind it keep their numbers."""
    body = 'a {b} # [C1]\nrules:\n    (c "d" \\n\n'
    text = f'const it = f("""{body}""", "", 2)\nconst other = 1\n'
    it, other = parse(text, "f").declarations
    assert it.value.args == (t.Text((body,)), t.Text(()), TWO)  # type: ignore[attr-defined]
    two = it.value.args[2].span  # type: ignore[attr-defined]
    assert (two.line, two.column) == (4, 10) and other.span.line == 5
    assert parse(text, "f").citations == {}


def test_every_node_knows_its_place() -> None:
    tree = only("const it = (a +\n   b[1])")
    assert tree.span == t.Span("test.kemu", 1, 1, 2, 9)
    assert tree.value.span == t.Span("test.kemu", 1, 13, 2, 8)
    assert tree.value.right.span == t.Span("test.kemu", 2, 4, 2, 8)


# ---------------------------------------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("bool", t.NamedType("bool")),
        ("0..len(a)", t.RangeType(t.Number(0), t.Call(t.Name("len"), (A,)))),
        ("Cell?", t.OptionType(t.NamedType("Cell"))),
        ("0..6?", t.OptionType(t.RangeType(t.Number(0), SIX))),
        ("set[Cell]", t.GenericType("set", (t.NamedType("Cell"),))),
        (
            "map[Cell, Player?]",
            t.GenericType("map", (t.NamedType("Cell"), t.OptionType(t.NamedType("Player")))),
        ),
        ("list[Cell, 6]", t.GenericType("list", (t.NamedType("Cell"),), SIX)),
        ("bag[Cell]", t.GenericType("bag", (t.NamedType("Cell"),))),
        ("tuple[bool, 1..2]", t.GenericType("tuple", (t.NamedType("bool"), t.RangeType(ONE, TWO)))),
        (
            "map[b in Beach, bag[Player, a(b)]]",
            t.GenericType(
                "map",
                (t.NamedType("Beach"), t.GenericType("bag", (t.NamedType("Player"),), t.Call(A, (B,)))),
                None,
                "b",
            ),
        ),
    ],
)
def test_types(text: str, tree: Any) -> None:
    assert only(f"const it: {text} = a").type == tree


@pytest.mark.parametrize("text", ["3", "map[Cell]", "a + b", "set[1]", "list"])
def test_what_is_no_type_is_refused(text: str) -> None:
    if text == "list":
        assert only("const it: list = a").type == t.NamedType("list")  # a name: the check says more
        return
    with pytest.raises(RulesError) as error:
        parse(f"const it: {text} = a", "test.kemu")
    assert [d.code for d in error.value.diagnostics] == ["E0211"]


# ---------------------------------------------------------------------------------------------- statements


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = 1", t.Assign(A, "=", ONE)),
        ("a[b].c += 1", t.Assign(t.Field(t.Index(A, B), "c"), "+=", ONE)),
        ("a |= b", t.Assign(A, "|=", B)),
        ("a: 1..6 = 1", t.Assign(A, "=", ONE, t.RangeType(ONE, SIX))),
        ("a = roll 1..6", t.Assign(A, "=", t.Roll(t.Range(ONE, SIX)))),
        ("a = roll 2 of 1..6", t.Assign(A, "=", t.Roll(t.Range(ONE, SIX), TWO))),
        ("roll 1..6", t.Do(t.Roll(t.Range(ONE, SIX)))),
        ("a = draw from b if c", t.Assign(A, "=", t.Draw(B, C))),
        ("draw a from b if c", t.Assign(A, "=", t.Draw(B, C))),
        ("draw from b", t.Do(t.Draw(B))),
        ("a = reveal b", t.Assign(A, "=", t.Reveal(B))),
        ("reveal b to c", t.Do(t.Reveal(B, C))),
        ("a(b)", t.Do(t.Call(A, (B,)))),
        ("return", t.Return(None)),
        ("return a", t.Return(A)),
        ("pass", t.Pass()),
        ("break", t.Break()),
        ("continue", t.Continue()),
        ("require a == b", t.Require(t.Compare(A, (("==", B),)))),
        ("move a from b to c", t.Move(A, False, B, C)),
        ("move all from b to c", t.Move(None, True, B, C)),
        ("move all a from b[1] to box", t.Move(A, True, t.Index(B, ONE), t.Name("box"))),
        ("move all -1 from b to c", t.Move(t.Unary("-", ONE), True, B, C)),
        ("move all (a, b) from b to c", t.Move(t.Tuple((A, B)), True, B, C)),
        ("return (can a by (b))", t.Return(t.Can("a", None, B))),
        ("end win(a)", t.End("win", A)),
        ("end tie", t.End("tie", None)),
        ("end rank((a, b))", t.End("rank", t.Tuple((A, B)))),
        ("end pays({a: 1})", t.End("pays", t.MapOf(((A, ONE),)))),
        ("note a", t.Note(A)),
        ("forget a", t.Forget(A)),
        ("note = a", t.Assign(t.Name("note"), "=", A)),  # a name everywhere else
        ("for a in b if c: pass", t.For(("a",), B, (C,), (t.Pass(),))),
        ("for a, b in c: pass", t.For(("a", "b"), C, (), (t.Pass(),))),
        ("for a in b in order of c: pass", t.For(("a",), B, (), (t.Pass(),), C)),
        ("while a: pass", t.While(A, (t.Pass(),))),
        ("repeat at most 6: break", t.Repeat(SIX, (t.Break(),))),
        ("path a in b if c at most 6: break", t.Path("a", B, (C,), SIX, False, (t.Break(),))),
        ("path a in b at most 6, may stop: break", t.Path("a", B, (), SIX, True, (t.Break(),))),
        ("path = a", t.Assign(t.Name("path"), "=", A)),
        ("require most a", t.Require(A, most=True)),
        ("require most == a", t.Require(t.Compare(t.Name("most"), (("==", A),)))),
    ],
)
def test_simple_statements(text: str, tree: Any) -> None:
    assert statements(text) == (tree,)


def test_semicolons_separate_statements_on_a_line() -> None:
    assert statements("a = 1; b = 2;") == (t.Assign(A, "=", ONE), t.Assign(B, "=", TWO))


def test_if_has_branches() -> None:
    tree = t.If(((A, (t.Pass(),)), (B, (t.Break(),))), (t.Pass(), t.Pass()))
    assert statements("if a: pass", "elif b:", "    break", "else:", "    pass", "    pass") == (tree,)


def test_choose_has_a_one_action_form() -> None:
    arm = t.Arm("place", (t.Parameter("c", A),), B, None)
    assert statements("choose place(c in a) if b") == (t.Choose(None, (arm,)),)
    assert statements("choose place(c in a) by d if b") == (t.Choose(D, (arm,)),)
    assert statements("may choose place(c in a) if b") == (t.Choose(None, (arm,), True),)
    assert statements("choose stop by d") == (t.Choose(D, (t.Arm("stop", (), None, None),)),)


def test_else_after_a_choice_is_what_happens_when_nothing_is_legal() -> None:
    (choose,) = statements("choose stop by d", "else:", "    pass")
    assert choose.other == (t.Pass(),)
    (if_,) = statements("if a: choose stop by d", "else: pass")
    assert if_.other == (t.Pass(),) and if_.branches[0][1][0].other is None


def test_choose_has_a_menu_form() -> None:
    lines = (
        "may choose by d:",
        "    stop: pass",
        "    take(a in b, c in d(a)) if c:",
        "        break",
        "    else: pass",
    )
    take = t.Arm("take", (t.Parameter("a", B), t.Parameter("c", t.Call(D, (A,)))), C, (t.Break(),))
    stop = t.Arm("stop", (), None, (t.Pass(),))
    assert statements(*lines) == (t.Choose(D, (stop, take), True, (t.Pass(),)),)
    (menu,) = statements("choose:", "    stop: pass", "else:", "    break")
    assert menu.other == (t.Break(),)


def test_choose_together_names_who_chooses() -> None:
    (menu,) = statements("choose together for d in a if b:", "    stop: pass")
    stop = t.Arm("stop", (), None, (t.Pass(),))
    assert menu == t.Choose(D, (stop,), together=t.Clause(("d",), A, (B,)))
    arm = t.Arm("together", (t.Parameter("c", A),), None, None)
    assert statements("choose together(c in a)") == (t.Choose(None, (arm,)),)


# ---------------------------------------------------------------------------------------------- declarations


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ('game "Go {}"', t.Title("Go {}")),
        ("players a, b", t.Players(("a", "b"))),
        ("players 1..2: a, b", t.Players(("a", "b"), ONE, TWO)),
        ("option o: x | y = y", t.Option("option", "o", ("x", "y"), "y")),
        ("option o: 1 | 3 = 3", t.Option("option", "o", (1, 3), 3)),
        ("option o: bool = false", t.Option("option", "o", "bool", False)),
        ("option o: 1..6 = 2", t.Option("option", "o", t.RangeType(ONE, SIX), 2)),
        ("edition x | y = x", t.Option("edition", "edition", ("x", "y"), "x")),
        ('reading K2 "which": x | y = x', t.Option("reading", "K2", ("x", "y"), "x", "which")),
        ("reading K3: x = x", t.Option("reading", "K3", ("x",), "x")),
        ("needs a", t.Needs(A)),
        ("use boards", t.Use("boards")),
        ("instance i: players = 2; a = x", t.Instance("i", (("players", 2), ("a", "x")))),
        ("instance i:\n    players = 2\n    a = true", t.Instance("i", (("players", 2), ("a", True)))),
        ("domain X = a | b", t.Domain("X", t.Binary("|", A, B))),
        ("domain X = (a, b)", t.Domain("X", t.Tuple((A, B)))),
        ("domain X = (a: Y, b: 1..2)", t.Domain(
            "X", None, (("a", t.NamedType("Y")), ("b", t.RangeType(ONE, TWO))))),
        ("record X(a: bool)", t.Record("X", (("a", t.NamedType("bool")),))),
        ("enum X: a, b", t.Enum("X", ("a", "b"))),
        ("enum X:\n    a,\n    b", t.Enum("X", ("a", "b"))),
        ("table X(a: bool, b: 1..6):\n    r  true, 1\n    s  a, -1", t.Table(
            "X", (("a", t.NamedType("bool")), ("b", t.RangeType(ONE, SIX))),
            (("r", (t.Truth(True), ONE)), ("s", (A, t.Unary("-", ONE)))))),
        ('table X from "x.csv": a: bool; b: bool', t.Table(
            "X", (("a", t.NamedType("bool")), ("b", t.NamedType("bool"))), (), "x.csv")),
        ("const x: bool = a", t.Const("x", t.NamedType("bool"), A)),
        ("check a", t.Check(A)),
        ("fun f(a: X, b = 1): a", t.Fun(
            "f", (t.FunParameter("a", t.NamedType("X")), t.FunParameter("b", None, ONE)), None, A)),
        ("fun f: a", t.Fun("f", (), None, A)),
        ("fun f() -> bool: a", t.Fun("f", (), t.NamedType("bool"), A)),
        ("fun f:\n    return a", t.Fun("f", (), None, (t.Return(A),))),
        ("rule r(inout a: X) -> bool: pass", t.Rule(
            "r", (t.FunParameter("a", t.NamedType("X"), None, True),), t.NamedType("bool"), (t.Pass(),))),
        ("rules: pass", t.Rules((t.Pass(),))),
        ("under a:\n    const x = 1\n    fun f: a", t.Under(
            A, (t.Const("x", None, ONE), t.Fun("f", (), None, A)))),
    ],
)  # fmt: skip
def test_declarations(text: str, tree: Any) -> None:
    assert only(text) == tree


def test_state_variables_have_suffixes_in_order() -> None:
    text = """state:
    a: bool
    b: 0..6 = 6
    c: map[X, Y] unique
    d: X? hidden
    each p in Player:
        e: X? secret to p = none
"""
    x, bool_ = t.NamedType("X"), t.NamedType("bool")
    assert only(text).variables == (
        t.StateVariable("a", bool_),
        t.StateVariable("b", t.RangeType(t.Number(0), SIX), SIX),
        t.StateVariable("c", t.GenericType("map", (x, t.NamedType("Y"))), unique=True),
        t.StateVariable("d", t.OptionType(x), secret=t.Nothing()),
        t.StateVariable("e", t.OptionType(x), t.Nothing(), ("p", t.Name("Player")), t.Name("p")),
    )


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("property x: always a", t.Property("x", False, "always", A)),
        ("lemma x: never a and b", t.Property("x", True, "never", t.Logic("and", (A, B)))),
        ("property x: always possible a", t.Property("x", False, "always_possible", A)),
        ("property x: at place everywhere a", t.Property("x", False, "everywhere", A, labels=("place",))),
        ("lemma x: at place, take always a", t.Property("x", True, "always", A, labels=("place", "take"))),
        ("property x: terminates", t.Property("x", False, "terminates", None)),
        ("property x: terminates by (a, b)", t.Property("x", False, "terminates", t.Tuple((A, B)))),
        ("property x: ends almost surely", t.Property("x", False, "ends_almost_surely", None)),
        ("property x: ends almost surely by a", t.Property("x", False, "ends_almost_surely", A)),
        ("property x: at most 6 a", t.Property("x", False, "at_most", A, SIX)),
        ("property x: at least a -1", t.Property("x", False, "at_least", t.Unary("-", ONE), A)),
        ("property x: maximize a", t.Property("x", False, "maximize", A)),
        ("property x:\n    at_end a", t.Property("x", False, "at_end", A)),
        ("property x if a expect refuted: possible b", t.Property(
            "x", False, "possible", B, condition=A, expect="refuted")),
        ("property x expect not inductive: always b", t.Property(
            "x", False, "always", B, expect="not inductive")),
        ("property x for a in b for c in d if a: always c", t.Property(
            "x", False, "always", C, each=(t.Clause(("a",), B, ()), t.Clause(("c",), D, (A,))))),
        ("property x for a in b if c: always a", t.Property(
            "x", False, "always", A, each=(t.Clause(("a",), B, ()),), condition=C)),
    ],
)  # fmt: skip
def test_properties(text: str, tree: Any) -> None:
    assert only(text) == tree


def test_examples_begin_somewhere_do_something_and_expect_something() -> None:
    text = """example "it" if a:
    at place, p = b: c = 1; d[1] = 2
    do: place((1, 2)); b throw
        """
    text = """example "it" if a:
    at place, p = b: c = 1
    do: place(1); b throw; pass
    expect:
        c == 1; legal b throw
        illegal place(2)
        legal == {place(1), pass}
"""
    place = t.Step("action", "place", (ONE,))
    throw, pass_ = t.Step("action", "throw", (), "b"), t.Step("action", "pass", ())
    assert only(text) == t.Example(
        "it",
        A,
        "place",
        (("p", B),),
        (t.Assign(C, "=", ONE),),
        (place, throw, pass_),
        (
            t.Expectation("holds", t.Compare(C, (("==", ONE),)), (), 3),
            t.Expectation("legal", None, (throw,), 3),
            t.Expectation("illegal", None, (t.Step("action", "place", (TWO,)),), 3),
            t.Expectation("exactly", None, (place, pass_), 3),
        ),
    )


def test_an_example_may_look_between_its_steps() -> None:
    tree = only(
        'example "it":\n    expect: a\n    do: throw\n    expect: b\n    do: throw; throw\n    expect: c'
    )
    assert isinstance(tree, t.Example)
    assert [(e.value, e.after) for e in tree.expect] == [(A, 0), (B, 1), (C, 3)]


def test_examples_may_begin_with_nothing_given() -> None:
    tree = only('example "it":\n    at place:\n    do: roll 2; draw a; roll; b draw')
    chance = (t.Step("chance", "roll", (TWO,)), t.Step("chance", "draw", (A,)))
    actions = (t.Step("action", "roll", ()), t.Step("action", "draw", (), "b"))
    assert (tree.label, tree.given, tree.steps) == ("place", (), chance + actions)
    assert only('example "it":\n    given:\n        a = 1').given == (t.Assign(A, "=", ONE),)


def test_views_have_cells_and_lines() -> None:
    text = """view board:
    cell a in b if c at (a.x, 1): "x" if c else "."
    line "{a}" for a in b
"""
    clause = t.Clause(("a",), B, ())
    glyph = t.Choice(C, t.Text(("x",)), t.Text((".",)))
    spot = t.Spot((t.Clause(("a",), B, (C,)),), t.Tuple((t.Field(A, "x"), ONE)), glyph)
    assert only(text) == t.View("board", (spot, t.Line(t.Text((A,)), (clause,))))
