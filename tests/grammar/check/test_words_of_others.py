"""What those are told who write as in other languages, where no line can be written for them."""

from __future__ import annotations

import pytest
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.grammar.support import LIBRARY, faults

UNNAMED = "an action needs a name: `choose place(c in Cell)`"
UNCALLED = "`turns` is a function: call it, `turns()`"
CHANCE = "chance is a statement: `x = roll 1..6`, `draw c from pile`"
STATE = """
enum Hue: red, green
state:
    owner: map[Hue, Player?]
    score: map[Player, 0..9]
"""


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("match ann:\n        pass", "there is no `match`; write `if ann == ...:`, `elif ann == ...:`"),
        ("choose (h in Hue) by ann", UNNAMED),
        ("choose(h in Hue) if true", UNNAMED),
        ("choose(h in Hue)\n    owner[h] = ann", UNNAMED),
        ("owner.append(ann)", "`owner` is a map; a value is given to a key: `owner[key] = ...`"),
        ("owner.remove(red)", "`owner` is a map and keeps its keys; `owner[key] = none` empties one"),
        ("if nope.size() > 0:\n        pass", "unknown name `nope`"),
        ("if randint(1, 6) == 6:\n        pass", f"there is no function `randint`; {CHANCE}"),
        ("n = 1 + random(1, 6)", f"there is no function `random`; {CHANCE}"),
        ("n = 1 + random.randint(1, 6)", f"there is no `random.randint`; {CHANCE}"),
        ("return", "`return` belongs in a rule or a fun; here `end ...` ends the game"),
        ("for p in turns:\n        score[p] += 1", UNCALLED),
        ("score.add(3)", "`score` is a map; a value is given to a key: `score[p] = ...`"),
    ],
)
def test_what_a_statement_is_told(statement: str, told: str) -> None:
    assert [d.message for d in faults(STATE, f"{statement}\n    end tie")] == [told]


@pytest.mark.parametrize(
    ("fun", "told"),
    [
        ("shown(): print(3)", 'there is no function `print`; what is shown stands in a `view`: `line "{x}"`'),
        (
            "row(): lines({(1, 1)}, (0, 1))",
            "unknown function `lines`: write `use boards`, the library that has it",
        ),
        (
            "many(): sum(h == red for h in Hue)\nfun few(): many() + 1 == 2",
            "`sum` adds numbers, but this is a truth value; `len({...})` counts",
        ),
    ],
)
def test_what_a_call_is_told(fun: str, told: str) -> None:
    assert [d.message for d in faults(f"{STATE}fun {fun}")] == [told]


def test_names_that_may_be_those_of_players_are_not_told_where_these_are_missing() -> None:
    text = 'game "Test"\nrules:\n    if true:\n        end win(white)\n    end win(black)\n'
    with pytest.raises(RulesError) as error:
        read_text(text, "test.kemu", LIBRARY)
    assert [d.code for d in error.value.diagnostics] == ["E0220"]


def test_what_a_game_names_like_words_of_others_is_its_own() -> None:
    own = "rule choose(b: bool):\n    if b:\n        score[ann] = 1\n"
    assert not faults(STATE + own, "choose(red in Hue)\n    end tie")
    rules = "rules:\n    turns = {1, 2}\n    for t in turns:\n        again\n    end tie\n"
    assert [d.code for d in faults(STATE + rules)] == ["E0511"]


def test_parts_of_a_player_in_a_loop_over_turns_that_are_not_called() -> None:
    found = faults(STATE, "for p in turns:\n        p.score += 1\n    end tie")
    assert [d.message for d in found] == [UNCALLED, "`p.score` is written `score[p]`"]
