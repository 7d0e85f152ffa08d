"""Names, kinds, acting and claims: what the check says, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_grammar.game.game import read

from tests.grammar.support import LIBRARY, codes, faults

GAMES = [*LIBRARY.glob("*/*.kemu")]
WORLD = """
enum Dir: n, e, s, w
enum Suit: red_suit, black_suit
table Card(points: 0..9, suit: Suit):
    ace   9, red_suit
    king  5, black_suit
record Bid(who: Player, height: 0..9)
domain Cell = grid(1..3, 1..3)
domain Port = (cell: Cell, dir: Dir)
option level: easy | hard = easy
option size: 1..9 = 3
option fast: bool = false
state:
    mark: map[Cell, Player?]
    deck: bag[Card] = {ace: 2, king: 2}
    pool: 0..30 = 30
    stack: list[Card, 4]
    seen: set[Dir]
    ball: Cell?
    best: Bid?
    each p in Player:
        hand: map[Dir, Card?] unique
fun free(c: Cell): mark[c] is none
fun worth(c: Card) -> 0..9: c.points
"""


def check(line: str) -> list[str]:
    """The codes for one more line in a small world."""
    return codes(WORLD + line)


def acting(*lines: str) -> list[str]:
    """The codes for the statements of a rule."""
    return codes(WORLD + "rule it(p: Player, x: 0..9):\n" + "\n".join("    " + line for line in lines))


@pytest.mark.parametrize("file", [f for f in GAMES if "game " in f.read_text()], ids=lambda f: f.stem)
def test_games_check(file: Path) -> None:
    assert read(file, LIBRARY).title


def test_the_world_of_these_tests_is_sound() -> None:
    assert faults(WORLD) == ()


@pytest.mark.parametrize(
    "expression",
    [
        "{c + (1, 0) for c in Cell if c + (1, 0) in Cell}",
        "[c.x * 2 - c.y for c in Cell]",
        "len(Cell) == 9 and ace != king",
        "{p: 1 for p in Player}",
        "sum(c.points for c in Card) // 2 ** 3",
        "[[1, 2], [3]][0][1] + 1",
        "first(c for c in Card if c.points > 5) is some",
        "only(q for q in Port if q.dir == n and q.cell == (1, 1)).dir",
        "max(1, 2) + min(c.points for c in Card)",
        "closure({(1, 1)}, c -> {d for d in Cell if abs(c.x - d.x) + abs(c.y - d.y) == 1})",
        "union({c} for c in Cell) - {(1, 1)}",
        "Cell - {(1, 1)} | {(2, 2)}",
        "{(x, y): x for x in 1..3 for y in x..3}",
        '{"a", "b"}',
        "(1, n) == (2, e)",
        "1 if level == hard else 2 if level in {easy} else 3",
        "size + 1 if fast else 4",
        "[(d, i) for i, d in enumerate(Dir)]",
        "{n: s, s: n}[n] == s",
        "none",
        "[x for x in [none, ace] if x is some]",
        "subsets(Dir, 2)[0]",
        "not fast implies size > 3",
        "ace.name",
        "Dir | Suit",
    ],
)
def test_sound_expressions_are_left_alone(expression: str) -> None:
    assert check(f"const it = {expression}") == []


@pytest.mark.parametrize(
    "statement",
    [
        "ball = (1, 1); ball = none",
        "if ball is some and ball.x > 1: pool -= 1",
        "draw c from deck if c != king; stack += [c]",
        "t: 0..18 = roll 1..6; t += roll 1..6",
        "a = roll 2 of 1..6; pool -= a[0] + a[1]",
        "move 3 from pool to box; move ace from deck to hand[p][n]",
        "move all from deck to box",
        "for c, d in pairs(stack): pool -= c.points + d.points",
        "for d in seen in order of p: seen -= {d}",
        "n = 3; pool -= n",
        "worth = 3; pool -= worth",
        "best = Bid(p, x); best = Bid(who=p, height=1)",
        "hand[p][n] = stack[-1]; stack = stack[:len(stack) - 1]",
        "seen |= {n}; seen &= Dir - {e}",
        "k = hand[p].find(ace); seen |= {k}",
        "end rank((worth, free))",
        "while pool > 3: pool -= 1",
    ],
)
def test_sound_statements_are_left_alone(statement: str) -> None:
    assert acting(*statement.split("; ") if ": pool" not in statement else [statement]) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("const it = unknown_one", "E0301"),
        ("const it = unknown_one(3)", "E0301"),
        ("const it = before(3)", "E0301"),
        ("enum It: n, it", "E0302"),
        ("state:\n    pool: bool", "E0302"),
        ("const it = ace.colour", "E0303"),
        ("const it = (1).x", "E0303"),
        ("fun it(b: Bid): b.whom", "E0303"),
        ("fun it(c: Cell): c.z", "E0303"),
        ("fun it: stack.pop(1)", "E0303"),
        ("under level == easy:\n    fun free(c: Cell, d: Dir): true", "E0307"),
        ("under level == easy:\n    rule free(c: Cell): pass", "E0307"),
        ("needs level == harder", "E0308"),
        ("needs level in {easy, harder}", "E0308"),
        ("option it: a | b = c", "E0308"),
        ("option it: bool = 3", "E0308"),
        ("option it: 1 | true = 1", "E0308"),
        ("instance it: level = harder", "E0308"),
        ("instance it: size = 10", "E0308"),
        ("instance it: players = 3", "E0308"),
        ("instance it: fast = 1", "E0308"),
        ("const it: Cel = 3", "E0310"),
        ("fun it(f: free): f", "E0310"),
        ("const it = worth(c=ace, d=3)", "E0311"),
        ("const it = worth()", "E0312"),
        ("const it = worth(ace, king)", "E0312"),
        ("const it = len()", "E0312"),
        ("const it = Bid(ann)", "E0312"),
        ("instance it: levle = easy", "E0313"),
        ("const it = pool(3)", "E0314"),
        ("const it = 3 and true", "E0401"),
        ("const it = 1 if size else 2", "E0401"),
        ("fun it: ball or true", "E0401"),
        ("fun it: level", None),
        ("needs level", "E0401"),
        ("const it = all(c.points for c in Card)", "E0401"),
        ("const it = sum(c.points > 3 for c in Card)", "E0402"),
        ("const it = true + 1", "E0402"),
        ("const it = {1} + 1", "E0402"),
        ("const it = n + 1", "E0402"),
        ("const it = n == red_suit", "E0403"),
        ("const it = ann == 1", "E0403"),
        ("const it = n < e", "E0403"),
        ("const it = n in Suit", "E0403"),
        ("const it = {n} & Suit", "E0403"),
        ("fun it: mark[n]", "E0404"),
        ("fun it: seen[0]", "E0404"),
        ("fun it: stack[n]", "E0404"),
        ("fun it: pool[0]", "E0404"),
        ("const it = n.name[0]", "E0404"),
        ("const it = upper(n)", "E0405"),
        ("const it = words(3)", "E0405"),
        ("const it: Dir = ace", "E0405"),
        ("const it = worth(n)", "E0405"),
        ("const it = other(3)", "E0405"),
        ("fun it -> Dir: ace", "E0405"),
        ("fun over: true\nfun it: not over", "E0406"),
        ("state:\n    it: 0..9 unique", "E0407"),
        ("const it = [x for x in 3]", "E0408"),
        ("const it = 3 in 4", "E0408"),
        ("property it: at nowhere always true", "E0601"),
        ("property it expect maybe: always true", "E0604"),
        ("property it: always pool", "E0401"),
        ("property it: maximize true", "E0402"),
        ("property it: always winner == ace", "E0403"),
        ('example "it":\n    do: fly', "E0602"),
        ('example "it":\n    do: pass', "E0602"),
        ('example "it":\n    given: nothing = 3', "E0301"),
        ('example "it":\n    given: pool = ann', "E0405"),
        ('view it:\n    cell c in Cell at c: "x" if c else "."', "E0401"),
    ],
)
def test_one_fault_one_code(line: str, code: str | None) -> None:
    assert check(line) == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("pol -= 1", "E0301"),
        ("x = 3", "E0503"),
        ("p = ann", "E0503"),
        ("size = 3", "E0503"),
        ("Cell = {}", "E0503"),
        ("for c in Card: c = ace", "E0503"),
        ("pool == 3", "E0504"),
        ("free((1, 1))", "E0504"),
        ("1 + 1", "E0504"),
        ("y = it(p, 1) + 1", "E0502"),
        ("return it(p, 1)", "E0502"),
        ("choose stop", "E0506"),
        ("break", "E0509"),
        ("if pool: pass", "E0401"),
        ("while 3: pass", "E0401"),
        ("for c in pool: pass", "E0408"),
        ("choose stop by 3", "E0405"),
        ("end win(3)", "E0405"),
        ("pool = true", "E0405"),
        ("pool += {n}", "E0402"),
        ("ball = n", "E0405"),
        ("move 3 from size to pool", "E0503"),
        ("move n from deck to box", "E0405"),
        ("winner = 3", None),
        ("pool = len(winners)", "E0309"),
    ],
)
def test_one_faulty_statement_one_code(statement: str, code: str | None) -> None:
    found = acting(statement)
    assert [c for c in found if c != "E0505"] == ([] if code is None else [code])


@pytest.mark.parametrize(
    "statement",
    [
        "pool -= 1",
        "choose stop by ann",
        "end tie",
        "move 1 from pool to box",
        "x = roll 1..6",
        "draw c from deck",
        "act()",
        "require true",
    ],
)
def test_a_fun_does_not_act(statement: str) -> None:
    assert codes(f"{WORLD}rule act: pass\nfun it:\n    {statement}\n    return 1") == ["E0501"]


def test_rules_call_rules_but_never_in_a_circle() -> None:
    text = "rule a: b()\nrule b:\n    c()\n    c()\nrule c: a()\n"
    (fault,) = faults(text)
    assert fault.code == "E0505" and "`a` calls `b`, which calls `c`, which calls `a`" in fault.message


def test_a_replacement_may_call_what_it_replaced() -> None:
    text = (
        "option it: bool = false\nrule a: pass\nunder it:\n    rule a:\n        before()\n        before()\n"
    )
    assert codes(text) == []


def test_names_of_arms_live_only_in_their_arm() -> None:
    loop = "rules:\n    for p in turns():\n"
    text = loop + "        choose:\n            a(n in 1..3): x = n\n            b: x = n\n"
    assert codes(text) == ["E0301"]
    text = loop + "        choose a(n in 1..3)\n        x = n\n"
    assert codes(text) == []


def test_a_field_of_what_is_not_known_may_have_the_name_of_a_function() -> None:
    assert check("fun points(c): c.points\nfun it(x): x.free") == []


def test_a_name_is_reported_once() -> None:
    assert codes("const a = foo + foo\nconst b = foo\nneeds levle == easy") == ["E0301", "E0301"]


def test_suggestions_come_from_the_names_in_scope() -> None:
    (fault,) = faults("fun far(distance: 0..9): distanse > 3")
    assert fault.fix is not None and fault.fix[1] == "distance"
    (fault,) = faults("const it = True")
    assert fault.fix is not None and fault.fix[1] == "true"


def test_what_an_example_expects_reads_no_locals() -> None:
    rules = "rules:\n    for p in turns():\n        left = 3\n        choose take(n in 1..left)\n"
    expecting = 'example "it":\n    at take, p = ann:\n    do: take(3)\n    expect: '
    assert codes(f"{expecting}p == ann and left == 3\n{rules}") == ["E0609", "E0609"]
    assert codes(f"{expecting}left(ann) == ben and all(p in Player for p in Player)\n{rules}") == []


def test_examples_know_the_locals_of_their_decision() -> None:
    rules = "rules:\n    for p in turns():\n        choose take(n in 1..3) if n > len(Player)\n"
    assert codes(f'example "it":\n    at take, p = ann:\n    do: take(3)\n{rules}') == []
    assert codes(f'example "it":\n    at take, q = ann:\n    do: take(3)\n{rules}') == ["E0606"]
    assert codes(f'example "it":\n    at take, p = 3:\n    do: take(3)\n{rules}') == ["E0405"]
    assert codes(f'example "it":\n    do: ann take(1, 2)\n{rules}') == ["E0603"]
    assert codes(f'example "it":\n    do: eve take(1)\n{rules}') == ["E0605"]
    assert codes(f"property it: at take always p == ann\n{rules}") == []


def test_require_needs_an_action() -> None:
    assert codes("rules:\n    require true\n    end tie") == ["E0510"]
    assert codes("rules:\n    choose go by ann\n    require true\n    end tie") == []
    assert codes("rules:\n    choose by ann:\n        go: require true\n    end tie") == []


@pytest.mark.parametrize(
    "other",
    [
        "enum Hue: hard, soft",
        "state:\n    hard: 0..3",
        "const hard = 1",
        "domain hard = 1..3",
        "option hard: bool = true",
    ],
)
def test_an_option_is_not_compared_with_what_only_shares_its_word(other: str) -> None:
    assert codes(f"option level: easy | hard = easy\n{other}\ncheck level == hard or true") == ["E0302"]


def test_a_function_may_share_an_options_word() -> None:
    assert codes("option level: easy | hard = easy\nfun hard(): 1\ncheck level == hard or hard() == 1") == []


def test_a_measure_may_begin_with_a_sign() -> None:
    assert codes("property it: terminates by -len(Player) + 2") == []


def test_a_name_of_two_things_is_told_once_and_nothing_follows_from_it() -> None:
    text = "fun ann(n: 0..3): n + 1\nfun much(): ann(2) + 1\nfun begins(): ann == 3"
    found = faults(text)
    assert [d.code for d in found] == ["E0302"]
    assert found[0].message == "`ann` is declared twice: a fun cannot be called like a player"


def test_what_only_the_rules_know_is_to_be_declared_under_state() -> None:
    rules = "rules:\n    pot: 0..9 = 0\n    pot += 1\n    end tie\n"
    for claim in ("property low: always pot < 5", 'view v:\n    line "{pot}"'):
        (found,) = faults(rules + claim)
        assert found.code == "E0316" and found.notes[0][1].endswith("declare `pot` under `state:`")


def test_a_value_of_an_option_that_means_something_else_is_told_at_the_option() -> None:
    (found,) = faults("option m: usual | stones = usual\nconst stones = 4\ncheck stones + 1 == 5")
    assert (found.code, found.span.line) == ("E0302", 3)


def test_from_a_function_with_a_name_that_is_built_in_nothing_else_follows() -> None:
    assert codes("domain Clock = ring(1..12)\nfun ring(c: Clock): 3\nfun low(n: 0..9): ring(n) + n") == [
        "E0302"
    ]


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("[1] == [true]", "a list of numbers is never equal to a list of truth values"),
        ("[[1]] == [[true]]", "a list of lists of numbers is never equal to a list of lists of truth values"),
        ("seen <= {1}", "`<=` cannot compare a set of `Dir` with a set of numbers"),
        ("[1] == {1: 2}", "a list is never equal to a map"),
    ],
)
def test_collections_that_are_never_equal_are_told_apart(expression: str, told: str) -> None:
    (found,) = faults(WORLD + f"fun same() -> bool: {expression}")
    assert (found.code, found.message) == ("E0403", told)
