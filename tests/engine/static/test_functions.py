"""Functions that are worked out before play: their statements, their parameters, and where they go wrong."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in

HEAD = """\
game "Functions"
players ann, bob
enum Hue: red, green, blue
record Pair(many: 0..9, hue: Hue)
"""
REST = """\
rules:
    choose stop by ann
    end tie
"""
BODIES = {
    "a name, given and given again": ("x = n + 1; x = x * 2; return x", "[2, 4, 6]"),
    "changes in place": ("x: int = n; x += 5; x -= 1; return x", "[4, 5, 6]"),
    "sets in place": ("x: set[0..9] = {n}; x |= {7}; x -= {1}; x &= {0, 7}; return x", "[{0, 7}, {7}, {7}]"),
    "if": ("if n == 0:\n    return 7\nelif n == 1:\n    return 8\nelse:\n    return 9", "[7, 8, 9]"),
    "if without else": ("x = 1\nif n > 0:\n    x = 2\nreturn x", "[1, 2, 2]"),
    "for": ("x = 0\nfor y in 1..4:\n    x = x * 2 + y * n\nreturn x", "[0, 26, 52]"),
    "for with conditions": (
        "x = 0\nfor y in 1..6 if y > 1 and y % 2 == n:\n    x += y\nreturn x",
        "[12, 8, 0]",
    ),
    "for parts": ("x = 0\nfor a, b in [(1, n), (2, 5)]:\n    x += a * b\nreturn x", "[10, 11, 12]"),
    "break": ("x = 0\nfor y in 1..9:\n    if y > n + 1:\n        break\n    x += y\nreturn x", "[1, 3, 6]"),
    "continue": (
        "x = 0\nfor y in 1..4:\n    if y == n:\n        continue\n    x += y\nreturn x",
        "[10, 9, 8]",
    ),
    "while": ("x = n\nwhile x < 5:\n    x += 2\nreturn x", "[6, 5, 6]"),
    "while with break and continue": (
        "x = n\ny = 0\nwhile true:\n    x += 1\n    if x == 2:\n        continue\n"
        "    if x > 4:\n        break\n    y += x\nreturn y",
        "[8, 7, 7]",
    ),
    "repeat": (
        "x = n\nrepeat at most 4:\n    if x > 3:\n        return x\n    x += 2\nreturn 0",
        "[4, 5, 4]",
    ),
    "repeat with break": (
        "x = n\nrepeat at most 9:\n    x += 1\n    if x > 2:\n        break\nreturn x",
        "[3, 3, 3]",
    ),
    "pass": ("pass; return n", "[0, 1, 2]"),
    "parts change": (
        "a = [4, 5, 6]; a[n] = 9; b = {red: 1, blue: 2}; b[red] += n; c = Pair(3, red); c.many = n\n"
        "d: map[0..2, list[0..9, 2]] = {i: [i, n] for i in 0..2}; d[1][0] = 8; e = (1, 2); e[0] = n\n"
        "return (a, b[red], c.many, c.hue, d[1], d[2][1], a[-1], e)",
        "[([9, 5, 6], 1, 0, red, [8, 0], 0, 6, (0, 2)), ([4, 9, 6], 2, 1, red, [8, 1], 1, 6, (1, 2)), "
        "([4, 5, 9], 3, 2, red, [8, 2], 2, 9, (2, 2))]",
    ),
    "itself": ("return 1 if n == 0 else 3 * f(n - 1)", "[1, 3, 9]"),
}


def checked(text: str, rest: str = REST) -> None:
    game_in(HEAD + dedent(text) + rest)


@pytest.mark.parametrize("what", BODIES)
def test_what_a_body_returns(what: str) -> None:
    body, values = BODIES[what]
    checked(f"fun f(n: int):\n{indent(body, '    ')}\ncheck [f(0), f(1), f(2)] == {values}\n")


def test_arguments_go_by_place_by_name_and_by_default() -> None:
    checked("""\
        const two = 2
        fun f(a, b: 0..9 = two, c: Hue = red): (a, b, c)
        check f(1) == (1, 2, red) and f(1, 5) == (1, 5, red) and f(1, c=blue) == (1, 2, blue)
        check f(b=4, a=3) == (3, 4, red) and f([1]) == ([1], 2, red)
        fun g(x: 0..9) -> 0..5: x
        check g(5) == 5 and g(0) == 0
        fun point(c: grid_) -> grid_: (c.x, c.y + 1)
        domain grid_ = grid(1..2, 1..3)
        check point((1, 2)).y == 3
    """)


def test_results_are_of_their_type() -> None:
    """A result is remembered only where equal arguments are the same arguments."""
    checked("""\
        domain Small = ring(0..2)
        domain Large = ring(0..4)
        fun next(x): x + 1
        fun typed(x: Small): x + 1
        check [next(x) for x in Small] == [1, 2, 0] and [next(x) for x in Large] == [1, 2, 3, 4, 0]
        check next(2) == 3
        check typed(2) == 0 and typed(1) == 2
        fun f(x: bool) -> bool: not x
        check f(true) == false and f(false) == true
    """)


def test_a_result_is_worked_out_once() -> None:
    checked("""\
        fun fib(n: 0..60) -> int: n if n < 2 else fib(n - 1) + fib(n - 2)
        check fib(60) == 1548008755920
    """)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fun f(n: 0..3): n\ncheck f(4) == 4", "E0709"),
        ("fun f(n: 0..9) -> 0..3: n\ncheck f(4) == 4", "E0709"),
        ("fun f(n: 0..9):\n    x: 0..3 = n\n    x += 2\n    return x\ncheck f(2) == 4", "E0709"),
        ("fun f(n: 0..9):\n    if n > 5:\n        return 1\ncheck f(2) == 4", "E0707"),
        ("fun f(n: int): f(n + 1)\ncheck f(1) == 1", "E0706"),
        (
            "fun f(n):\n    x = n\n    repeat at most 3:\n        x += 1\n    return x\ncheck f(1) == 1",
            "E0709",
        ),
        ("const a = b\nconst b = a + 1\ncheck b == 1", "E0702"),
        ("record A(b: B)\nrecord B(a: A?)\nfun f(a: A): a\ncheck f(none) == none", "E0702"),
        ("const c = left", "E0725"),
        ("check 1 == 2", "E0756"),
        ("domain D = {x for x in 1..3 if x > 3}", "E0704"),
        ("domain D = (a: 1..2, b: 3..a)", "E0704"),
        ("fun f(n): n and true\ncheck f(1)", "E0710"),
        ("fun f(n): n + 1\ncheck f(red) == 1", "E0719"),
        ("fun f(n): n + 1\ncheck f(none) == 1", "E0709"),
        ("fun f(n): [x for x in n]\ncheck f(1) == []", "E0710"),
        ("fun f(n): n[0]\ncheck f(1) == 1", "E0763"),
        ("fun f(n): n.many\ncheck f([1]) == 1", "E0712"),
        ("fun f(n): n.index(1)\ncheck f({1: 2}) == 1", "E0712"),
        ("fun f(n): [a for a, b in n]\ncheck f([(1, 2, 3)]) == []", "E0710"),
        ("fun f(n, m): n < m\ncheck f(blue, red)", "E0719"),
        ("fun f(n): 1 in n\ncheck f(3)", "E0719"),
        ("fun f(n): -n\ncheck f(red) == 1", "E0719"),
        ("fun f(n): -n\ncheck f((1, true)) == (-1, -1)", "E0719"),
        ("fun f(n): n + n\ncheck f((1, red)) == (2, red)", "E0719"),
        ("fun f(n): 2 * n\ncheck f((1, true)) == (2, 2)", "E0719"),
        ("fun f(n): not n\ncheck f(red)", "E0719"),
        ("fun f(n): upper(n)\ncheck f(3) == upper(red.name)", "E0710"),
        ("fun f(n): n[1:]\ncheck f({1}) == []", "E0763"),
        ("fun f(n): 1..n\ncheck f(true) == []", "E0710"),
        ("fun f(n: bool): n\nfun g(n): f(n)\ncheck g(3)", "E0710"),
    ],
)
def test_what_goes_wrong(text: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        checked(text + "\n")
    assert [d.code for d in found.value.diagnostics] == [code]


def test_an_error_within_functions_names_the_calls() -> None:
    """The place of the error, and of at most three calls that led there with their arguments, each line
    once."""
    text = "fun inner(n: int): 6 // n\nfun middle(n: int): inner(n)\n"
    text += "".join(f"fun f{i}(n: int): {f'f{i - 1}' if i else 'middle'}(n)\n" for i in range(4))
    with pytest.raises(RulesError) as found:
        checked(text + "check f3(2) == 3\ncheck f3(0) == 3\n")
    (told,) = found.value.diagnostics
    first = HEAD.count("\n")
    assert (told.code, told.span.line) == ("E0709", first + 1)
    assert [(place.line, words) for place, words in told.notes if place is not None] == [
        (first + 2, "called here: `inner(0)`"), (first + 3, "called here: `middle(0)`"),
        (first + 8, "called here: `f3(0)`"),
    ]  # fmt: skip


def test_a_refusal_within_functions_names_the_calls() -> None:
    with pytest.raises(RulesError) as found:
        checked("fun inner(n: int): 2 ** n\nfun outer(n: int):\n    return inner(n)\ncheck outer(-1) == 1\n")
    (told,) = found.value.diagnostics
    first = HEAD.count("\n")
    assert told.code == "E0708" and [p.line for p, _ in told.notes if p is not None] == [first + 3, first + 4]
