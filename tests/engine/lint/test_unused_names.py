"""Names that nothing uses: what counts as a use, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu.base.library import games
from kemu_engine.lint.unused_names import unused
from kemu_grammar.game.beside import PROOFS
from kemu_grammar.game.game import read_text

from tests.instances import rules
from tests.rules import LIBRARY

NAMES = {path: name for name, path in games().items()}
GAMES = [
    NAMES.get(file, str(file))
    for file in sorted(LIBRARY.rglob("*.kemu"))
    if file.parent.name != "boards" and file.name != PROOFS
]

HEAD = 'game "Test"\nplayers ann, ben\noption size: 1..9 = 3\ncheck size > 0\nstate:\n    n: 0..9\n'
END = "rules:\n    for p in turns():\n        choose go(c in 1..3)\n        {}\n        end win(p)\n"


def told(statement: str, more: str = "", state: str = "") -> list[str]:
    text = HEAD + "".join(f"    {line}\n" for line in state.split("\n") if line) + more + "\n"
    return [d.message for d in unused(read_text(text + END.format(statement), "test.kemu", LIBRARY))]


@pytest.mark.parametrize(
    "statement",
    ["n = 3", "n += 1", "n = (n + 1) % 9", "if n > 3: end tie\n        m[n] = 2"],
)
def test_what_is_written_only_is_not_used(statement: str) -> None:
    state = "m: map[0..9, 0..9]" if "m[" in statement else ""
    name = "m" if state else "n"
    assert told(statement, state=state) == [f"`{name}` is written, but nothing reads it"]


def test_what_nobody_mentions_is_not_used() -> None:
    assert told("pass") == ["`n` is never used"]


@pytest.mark.parametrize(
    ("statement", "more"),
    [
        ("if n == 3: end tie", ""),
        ("if high(): end tie", "fun high(): n > 3"),
        ("n += 1", "property small: always n < 9"),
        ("n += 1", 'example "one":\n    do: go(1)\n    expect: n == 1'),
        ("n += 1", 'view board:\n    line "{n}"'),
        ("for k in 0..n: pass\n        if c == 3: end tie", ""),
    ],
)
def test_rules_functions_claims_and_views_use_a_variable(statement: str, more: str) -> None:
    assert told(statement, more) == []


def test_what_only_an_unused_function_reads_is_not_used() -> None:
    assert told("n = c", "fun high(): n > 3") == [
        "`n` is written, but nothing reads it",
        "nothing uses `high`",
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("enum Suit: hearts, spades", "nothing uses `Suit`"),
        ("const a = 3\nconst b = a", "nothing uses `a`|nothing uses `b`"),
        ("table Tile(count: 1..9):\n    atoll 3", "nothing uses `Tile`"),
        ("option fast: bool = false", "nothing asks for the option `fast`"),
        ("fun high(x): n > 3\nproperty h: always not high(2)", "`high` does not use its parameter `x`"),
    ],
)
def test_definitions_parameters_and_options(more: str, message: str) -> None:
    assert told("if n == 3: end tie", more) == message.split("|")


def test_a_member_uses_its_enum_and_a_replacement_its_parameter() -> None:
    more = "enum Suit: hearts, spades\nfun f(x): hearts\nunder size == 3:\n    fun f(x): x\n"
    assert told("if n == 3 and f(spades) == hearts: end tie", more) == []


def test_a_function_that_is_handed_on_takes_what_it_is_given() -> None:
    assert told("if n == 3: end rank(same)", "fun same(p): 1") == []


def test_a_local_that_nothing_reads() -> None:
    assert told("k = n + 1") == ["nothing reads `k`"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: Path(game).stem)
def test_the_games_use_all_their_names(game: str) -> None:
    assert unused(rules(game)) == ()


@pytest.mark.parametrize("of", ["", " of n"])
def test_a_history_is_used_where_it_is_asked_and_uses_what_it_is_of(of: str) -> None:
    state = f"history seen{of}"
    assert told("note seen; forget seen", state=state) == [
        "`n` is never used", "`seen` is written, but nothing reads it"
    ]  # fmt: skip
    assert told("n += 1; note seen\n        if times(seen) > 2: end tie", state=state) == []
