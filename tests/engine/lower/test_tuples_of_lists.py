"""Tuples and records that hold lists: as locals, arguments and state variables."""

from __future__ import annotations

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import LIBRARY, game_in, play

HEAD = """\
game "Pairs"
players ann, ben
enum Hue: red, blue
record Hand(row: list[Hue, 4], n: 0..9)
state:
    row: list[Hue, 4] = [red, blue]
    n: 0..9 = 2
    held: Hand
    out: 0..99
    who: Hue?
"""


def after(rules: str) -> dict[str, object]:
    state = play(game_in(HEAD + rules), "go")
    return {name: state[name] for name in ("out", "who")}


@pytest.mark.parametrize("declared", ["pair", "pair: tuple[list[Hue, 4], 0..9]"])
def test_a_local_of_a_list_and_a_number_keeps_both(declared: str) -> None:
    rules = f"    {declared} = (row, n)\n    row = []; n = 7\n    choose go by ann\n"
    rules += "    out = 10 * pair[1] + len(pair[0])\n    who = pair[0][1]\n    choose stop by ann\n"
    assert after("rules:\n" + rules) == {"out": 22, "who": "blue"}


def test_a_record_in_state_is_given_a_list_and_a_number() -> None:
    rules = "rules:\n    held = Hand(row, n)\n    choose go by ann\n    row = held.row + [red]\n"
    rules += "    out = 10 * held.n + len(row)\n    who = held.row[0]\n    choose stop by ann\n"
    assert after(rules) == {"out": 23, "who": "red"}


@pytest.mark.parametrize("stops", ["", "    choose on by ben\n"])
def test_an_argument_with_a_list_in_it_is_the_value_at_the_call(stops: str) -> None:
    rules = f"rule use(pair: tuple[list[Hue, 4], 0..9]):\n{stops}    row = []\n    n = 0\n"
    rules += "    out = 10 * pair[1] + len(pair[0])\nrules:\n    choose go by ann\n    use((row, n))\n"
    game = game_in(HEAD + rules + "    choose stop by ann\n")
    assert play(game, "go", *(["on"] if stops else []))["out"] == 22


@pytest.mark.parametrize(
    ("rules", "code", "told"),
    [
        ("pair = (3, [who])\n    pair = (4, [who])", "E0729", "`pair: tuple[0..99, list[T, n]] = ...`"),
        ("sum = 0\n    sum += n", "E0729", "`sum` changes, so say its type: `sum: 0..99 = ...`"),
    ],
)
def test_what_cannot_be_kept_says_what_to_write(rules: str, code: str, told: str) -> None:
    text = HEAD + f"rules:\n    {rules}\n    end tie\n"
    with pytest.raises(RulesError) as error:
        instantiate(read_text(text, "test.kemu", LIBRARY))
    (found,) = error.value.diagnostics
    assert found.code == code and told in found.message
