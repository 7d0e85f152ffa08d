"""Who types what cannot be done is told why by the rules, what is close to it, and where to look."""

from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu.table.advice import Advice
from kemu.table.input import completions
from kemu.table.visibility import Sight

from tests.kemu.conftest import CROSSES, Run

PEOPLE = ("--seat", "all=human")
POND = """\
game "Pond"
players ann, ben
domain Stone = grid(1..5, 1..5)                     # the stones
enum Fly: small, large
state:
    frog: Stone = (3, 3)
    eaten: map[Fly, bool]
    left: 0..9 = 9
## [P1] Frogs leap like knights.
fun near(a: Stone, b: Stone): abs(a.x - b.x) * abs(a.y - b.y) == 2
rules:
    for p in turns():
        choose:
            leap(b in Stone) if near(frog, b):      # [P2]
                frog = b
            eat(f in Fly, b in Stone) if not eaten[f] and b == frog:
                require left > 8
                left -= 1
                eaten[f] = true
            rest if left < 9: pass
        if all(eaten[f] for f in Fly): end win(p)   # [P3]
        choose croak(n in 1..3) by other(p)
view pond:
    cell s in Stone at (s.x, s.y): "@" if s == frog else "."
property goes_on expect refuted: terminates         # [P4]
"""
RULEBOOK = """\
- **[P1]** A frog leaps two stones on and one aside.
- **[P2]** Leaping is a whole turn.
- **[P3]** Whoever eats the last fly wins.
- **[P4]** (note) Nobody has to eat.
"""


@pytest.fixture
def pond(tmp_path: Path) -> str:
    (tmp_path / "pond.kemu").write_text(POND)
    (tmp_path / "proofs.kemu").write_text('proves "pond.kemu"\n')
    (tmp_path / "rules.md").write_text(RULEBOOK)
    return "pond.kemu"


def said(kemu: Run, pond: str, *typed: str) -> str:
    return kemu("play", pond, *PEOPLE, stdin="\n".join(typed)).out


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("leap 9 9", "leap((9, 9)): (9, 9) is not in `Stone`, the stones (line 14) [P2]."),
        ("4 4", "leap((4, 4)): `near(frog, b)` does not hold, since frog is (3, 3) (line 14) [P2]."),
        ("eat small 1 1", "eat(small, (1, 1)): `b == frog` does not hold, since frog is (3, 3) (line 16)."),
        ("rest", "rest: `left < 9` does not hold, since left is 9 (line 20)."),
        ("croak 2", "`croak` cannot be done now: ann chooses leap or eat."),
    ],
)
def test_the_condition_that_fails_is_told_with_what_is_the_case(
    kemu: Run, pond: str, typed: str, told: str
) -> None:
    assert told in said(kemu, pond, typed)


def test_what_a_require_asks_is_told(kemu: Run, pond: str) -> None:
    eaten = said(kemu, pond, "eat small 3 3", "croak 1", "leap 1 2", "croak 1", "eat large 1 2")
    assert "eat(large, (1, 2)): `left > 8` does not hold, since left would be 8 (line 17)." in eaten


def test_the_nearest_that_is_legal_is_near_by_place(kemu: Run, pond: str) -> None:
    assert "Nearest: leap((2, 1)), leap((1, 2)) or leap((4, 1))." in said(kemu, pond, "leap 1 1")


def test_why_shows_the_lines_and_the_rulebook(kemu: Run, pond: str) -> None:
    out = said(kemu, pond, "leap 4 4", "why", "why eat small 3 3").split("ann> ")
    assert out[2].splitlines() == [
        "`near(frog, b)` does not hold, since frog is (3, 3) (line 14) [P2].",
        "line 14: leap(b in Stone) if near(frog, b):  # [P2]",
        "line 9: ## [P1] Frogs leap like knights.",
        "    fun near(a: Stone, b: Stone): abs(a.x - b.x) * abs(a.y - b.y) == 2",
        "line 6: frog: Stone = (3, 3)",
        "[P2] Leaping is a whole turn.",
        "[P1] A frog leaps two stones on and one aside.",
    ]
    assert "line 16: eat(f in Fly, b in Stone) if not eaten[f] and b == frog:" in out[3]


def test_what_the_player_does_not_see_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "coins.kemu").write_text("""\
game "Coins"
players ann, ben
state:
    coin: 1..3 secret to ben
rules:
    for p in turns():
        coin = roll 1..3
        choose guess(n in 1..3) if n > coin or p == ann and n == 3
        end win(p)
""")
    game = load(tmp_path / "coins.kemu")
    state = game.initial().apply("3")
    told = Advice(state, Sight(game, "ann")).against("guess 1")
    assert told[0] == "guess(1): `n > coin or p == ann and n == 3` does not hold (line 8)."


def test_places_are_marked_on_request(kemu: Run, pond: str) -> None:
    assert "\n2(.). . .(.)\n3 . . @ . .\n" in said(kemu, pond, "places leap")


def test_tab_completes_words_of_actions_and_commands() -> None:
    legal = ["leap((2, 1))", "leap((4, 1))", "eat(small, (3, 3))"]
    assert completions("", legal, ["quit"]) == ["leap", "eat", "quit"]
    assert completions("leap((", legal, ["quit"]) == ["2", "4"]
    assert completions("leap 4 ", legal, []) == completions("4,", legal, []) == ["1"]
    assert completions("why eat ", legal, ["why"]) == ["small"]


def test_a_game_that_goes_round_is_told_once_with_the_claim_that_says_so(kemu: Run, pond: str) -> None:
    out = said(kemu, pond, *["leap 1 2", "croak 1", "leap 3 3", "croak 1"] * 2)
    again = "This position was there before, after step 0: the game can go round."
    assert out.count(again) == 1
    assert f"{again} `goes_on`, line 25, says that it may" in out


def test_the_end_is_told_with_the_line_of_the_rules_and_its_statement(kemu: Run, pond: str) -> None:
    (Path(pond)).write_text(POND.replace("require left > 8", "pass"))
    out = said(kemu, pond, "eat small 3 3", "croak 1", "eat large 3 3")
    assert out.endswith(
        "The game is over: ben wins.\n"
        "line 21: if all(eaten[f] for f in Fly): end win(p)  # [P3]\n"
        "[P3] Whoever eats the last fly wins.\n"
    )


def test_nobody_at_the_table_sees_boards_and_an_end_of_what_goes_on_for_ever(
    kemu: Run, pond: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kemu.table.terminal.MOST_ALONE", 30)
    done = kemu("play", pond, "--seat", "all=random", "--seed", "1")
    assert done.out.count("@") > 10
    if "The game is over" not in done.out:
        assert "The game is left after 30 steps." in done.out
        assert done.code == 3


def test_outcomes_of_chance_that_follow_each_other_share_a_line(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "deal.kemu").write_text("""\
game "Deal"
players ann, ben
state:
    deck: bag[1..9] = {1: 2, 2: 2, 3: 2}
    hand: map[1..5, 1..9] = {n: 1 for n in 1..5}
rules:
    for n in 1..5: hand[n] = draw from deck
    for p in turns():
        choose pass_by(n in 1..2)
        end win(p)
""")
    out = kemu("play", "deal.kemu", "--seed", "1", stdin="1\nhistory\n").out
    assert "\n1-5. chance at draw: " in out


def test_the_rules_of_noughts_and_crosses(kemu: Run) -> None:
    out = kemu("play", CROSSES, *PEOPLE, stdin="2 2\n2 2\n").out
    assert "place((2, 2)): `mark[c] is none` does not hold, since mark[(2, 2)] is cross (line 18)." in out
