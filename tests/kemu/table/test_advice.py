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
        ("#99", "there is no action 99: they are numbered from 1 to 10."),
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


def test_why_knows_actions_of_other_times_too(kemu: Run, pond: str) -> None:
    out = said(kemu, pond, "why croak 3", "why sing").split("ann> ")
    assert out[1] == (
        "`croak` cannot be done now: ann chooses leap or eat.\nline 22: choose croak(n in 1..3) by other(p)\n"
    )
    assert out[2] == "'sing' is no action here; `?` lists what is possible.\n"


def test_a_lone_action_comes_once_with_its_rule(kemu: Run, pond: str) -> None:
    lone = "choose croak by other(p)  # [P2]"
    Path(pond).write_text(POND.replace("choose croak(n in 1..3) by other(p)", lone))
    out = said(kemu, pond, "leap 1 2", "croak", "leap 3 3", "croak", "leap 1 2", "croak")
    assert out.count("1  croak\n") == 3
    assert out.count(f"1  croak\nline 22: {lone}\n[P2] Leaping is a whole turn.\n") == 1


def test_places_are_marked_on_request(kemu: Run, pond: str) -> None:
    assert "\n2(.). . .(.)\n3 . . @ . .\n" in said(kemu, pond, "places leap")


HARBOUR = """\
game "Harbour"
players ann, ben
domain Berth = ring(0..3)
domain Yard = grid(1..2, 1..2)
domain Sea = grid(2..4, 1..2)
state:
    ship: Berth
rules:
    for p in turns():
        choose:
            moor(b in Berth): ship = b
            sail(n in 1..6): pass
            store(y in {y for y in Yard if y.x == 2}): pass
view harbour:
    cell b in Berth at (b, 0): "{b}"
    cell y in Yard at (y.x, y.y): "."
    cell s in Sea at (s.x + 2, s.y): "~"
    cell n in 0..3 at (n, 4): "{n}"
"""


def test_what_only_reads_like_something_possible_is_not_marked(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "harbour.kemu").write_text(HARBOUR)
    typed = "\n".join(["places moor", "places store", "places sail"])
    moor, store, sail, _ = kemu("play", "harbour.kemu", stdin=typed).out.split("ann> ")[1:]
    assert moor.split() == "(0|1|2|3) . . ~ ~ ~ . . ~ ~ ~ 0 1 2 3".split()  # noqa: SIM905
    assert store.split() == "0 1 2 3 .(.) ~ ~ ~ .(.) ~ ~ ~ 0 1 2 3".split()  # noqa: SIM905
    assert sail == "The boards do not show what is possible; `?` lists it.\n"


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


ROW = """\
game "Row"
players ann, ben
domain Cell = grid(1..3, 1..1)
option goal: 1..9 = 1
state:
    stone: map[Cell, Player?]
    wins: map[Player, 0..9]
fun row(p: Player): all(owns(p, c) for c in Cell if c.x > 1)     # [R1]
fun owns(p: Player, c: Cell): stone[c] == p
rules:
    for p in turns():
        choose lay(c in Cell) if stone[c] is none
        stone[c] = p
        choose rest
        if row(p):                                # [R2]
            victory(p)
## [R3]
rule victory(p: Player):
    wins[p] += 1
    if goal == 1 or wins[p] == goal: end win(p)
view row:
    cell c in Cell at (c.x, c.y): "." if stone[c] is none else "o"
"""


def test_the_end_is_told_with_the_condition_that_held_and_where_it_did(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "row.kemu").write_text(ROW)
    (tmp_path / "rules.md").write_text("".join(f"- **[R{n}]** (note) Statement {n}.\n" for n in (1, 2, 3)))
    typed = ["lay 2 1", "rest", "lay 1 1", "rest", "lay 3 1", "rest"]
    out = kemu("play", "row.kemu", *PEOPLE, stdin="\n".join(typed)).out
    assert out.endswith("""\
  1 2 3
1 o(o|o)
The game is over: ann wins.
line 15: if row(p):  # [R2]
        victory(p)
line 8: fun row(p: Player): all(owns(p, c) for c in Cell if c.x > 1)  # [R1]
[R2] Statement 2.
[R1] Statement 1.
""")


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


def test_the_rules_can_be_read_at_the_table(kemu: Run, pond: str) -> None:
    out = said(kemu, pond, "rules", "rules P2", "rules leaps", "rules frogspawn").split("ann> ")
    assert "`rules` tells the rules" in out[0]
    assert out[1].splitlines() == [
        "[P1] A frog leaps two stones on and one aside.",
        "[P2] Leaping is a whole turn.",
        "[P3] Whoever eats the last fly wins.",
    ]
    assert out[2] == "[P2] Leaping is a whole turn.\n"
    assert out[3] == "[P1] A frog leaps two stones on and one aside.\n"
    assert out[4] == "no statement of the rules speaks of 'frogspawn'\n"


def test_of_many_statements_the_sections_are_told_first(kemu: Run, pond: str) -> None:
    entries = "\n".join(f"- **[P{n}]** Statement {n}." for n in range(4, 40))
    Path("rules.md").write_text(f"## A. Leaping\n{RULEBOOK}\n## Flies\n{entries}\n")
    out = said(kemu, pond, "rules", "rules a", "rules fl").split("ann> ")
    assert out[1].startswith("  A. Leaping (3 statements)\n  Flies (36 statements)\n`rules A` tells")
    assert out[2].startswith("A. Leaping:\n[P1] ")
    assert len(out[3].splitlines()) == 37


def test_help_speaks_of_this_game(kemu: Run, pond: str) -> None:
    Path(pond).write_text(POND.replace("view pond:", "## @ is the frog.\nview pond:"))
    out = said(kemu, pond, "help")
    assert '"eat(small, (3, 3))", "eat small 3 3", "small 3 3"' in " ".join(out.split())
    assert "or what ended the game. @ is the frog." in " ".join(out.split())


def test_of_the_options_those_are_told_that_are_not_as_by_default(kemu: Run, pond: str) -> None:
    Path(pond).write_text(POND + "option depth: 1..3 = 1\noption cold: bool = false\n")
    assert "All options as by default: `kemu games pond.kemu`" in said(kemu, pond)
    done = kemu("play", pond, *PEOPLE, "--set", "depth=2")
    assert "depth=2; other options as by default: `kemu games pond.kemu`" in done.out
