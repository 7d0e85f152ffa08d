"""Comparisons of two plays: each way to show them has a forged proof that it stops."""

from pathlib import Path

import pytest
from kemu.recheck.texts import texts_of
from kemu_checker.text import BadText

import kemu
from tests.checker.written import TRUE, Written
from tests.verifier.strategy.test_secrets import LEAKS, SOUND, rules

WAYS = {"informed": ("all plays", "two states"), "no_leak": ("all plays", "flow")}


class Secret(Written):
    """A game with secrets."""

    def claims(self) -> str:
        return texts_of(self.program)["claims.txt"].decode()

    def shown(self, key: str, verdict: str, way: str) -> str:
        proofs = {"proofs": []} if way == "two states" else {}
        return self.judge(key, verdict, kind=way, **proofs)

    def two(self, key: str, verdict: str, seer: int, *plays: list[str]) -> str:
        """The verdict on two plays."""
        names = [self.record(f"{i}.json", play) for i, play in enumerate(plays)]
        return self.judge(key, verdict, kind="two plays", traces=names, seer=seer)


def game(folder: Path, lines: str) -> Secret:
    (folder / "game.kemu").write_text(rules(lines))
    return Secret(folder, kemu.load(folder / "game.kemu"))


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_shown_to_be_none_in_no_way(leak: str, tmp_path: Path) -> None:
    lines, names = LEAKS[leak]
    leaking = game(tmp_path, lines)
    for key in names.split():
        assert leaking.shown(key, "proved", "all plays") == "wrong"
        assert leaking.shown(key, "proved", WAYS[key][1]) in (
            "open",
            "wrong",
        )  # that it may be seen by the bound is no proof
        assert leaking.shown(key, "refuted", "all plays") == "confirmed"


@pytest.mark.parametrize("sound", SOUND)
def test_where_there_is_none_every_way_shows_it(sound: str, tmp_path: Path) -> None:
    silent = game(tmp_path, SOUND[sound])
    for key, ways in WAYS.items():
        assert [silent.shown(key, "proved", way) for way in ways] == ["confirmed", "confirmed"]
        assert silent.shown(key, "refuted", "all plays") == "wrong"


def test_a_way_that_shows_the_other_question(tmp_path: Path) -> None:
    silent = game(tmp_path, SOUND["nothing is said"])
    assert silent.shown("informed", "proved", "flow") == "wrong"
    assert silent.shown("no_leak", "proved", "two states") == "wrong"
    assert silent.shown("terminates", "proved", "all plays") == "wrong"


ANN, BEN, WATCHER = range(3)


def test_two_plays_that_look_alike(tmp_path: Path) -> None:
    leaking = game(tmp_path, LEAKS["legality by another's card"][0])
    assert leaking.two("informed", "refuted", BEN, ["low", "low"], ["high", "low"]) == "confirmed"
    assert leaking.two("informed", "proved", BEN, ["low", "low"], ["high", "low"]) == "wrong"
    assert leaking.two("no_leak", "refuted", BEN, ["low", "low"], ["high", "low"]) == "wrong"
    assert leaking.two("no_leak", "refuted", WATCHER, ["low", "low"], ["high", "low"]) == "wrong"
    assert leaking.two("informed", "refuted", ANN, ["low", "low"], ["high", "low"]) == "wrong"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(["low", "low"], ["low", "low"], id="the same play"),
        pytest.param(["low", "low"], ["high", "high"], id="he sees his own card"),
        pytest.param(["low", "low"], ["high", "low", "fold"], id="of another length"),
        pytest.param(["low", "low", "call", "go"], ["high", "low", "fold", "go"], id="told apart before"),
        pytest.param(["low", "low", "fold"], ["high", "low", "fold"], id="at the next stop nothing differs"),
    ],
)
def test_two_plays_that_show_nothing(one: list[str], other: list[str], tmp_path: Path) -> None:
    leaking = game(tmp_path, LEAKS["legality by another's card"][0])
    assert leaking.two("informed", "refuted", BEN, one, other) == "wrong"


def test_two_plays_that_go_on_visibly_different(tmp_path: Path) -> None:
    leaking = game(tmp_path, LEAKS["a public flag that is worked out from it"][0])
    assert leaking.two("no_leak", "refuted", WATCHER, ["low", "low"], ["high", "low"]) == "confirmed"
    later = ["low", "low", "go"], ["high", "low", "go"]
    assert leaking.two("no_leak", "refuted", WATCHER, *later) == "wrong"


def test_what_is_told_is_no_leak(tmp_path: Path) -> None:
    silent = game(tmp_path, SOUND["both choose at once"])
    plays = ["low", "low", "say(low)", "say(low)"], ["low", "low", "say(low)", "say(high)"]
    assert silent.two("no_leak", "refuted", WATCHER, *plays) == "wrong"


def test_three_plays_or_one(tmp_path: Path) -> None:
    leaking = game(tmp_path, LEAKS["legality by another's card"][0])
    assert leaking.two("informed", "refuted", BEN, ["low", "low"]) == "wrong"
    assert leaking.two("informed", "refuted", BEN, ["low", "low"], ["high", "low"], ["low", "low"]) == "wrong"


# Programs that no compiler writes: the rule has to hold of them all the same


HELD = "Local(Int(0,2,),4,),"


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(f"Let(Int(0,2,),4,{HELD}{HELD}),", id="let"),
        pytest.param(f'Fold(Int(0,2,),"max",4,Op(Set(3,),"single",[{HELD}],),{TRUE}{HELD}),', id="fold"),
    ],
)
def test_a_local_that_is_bound_by_what_it_held(again: str, tmp_path: Path) -> None:
    leaking = game(tmp_path, LEAKS["a local that holds it across a decision"][0])
    leaking.edited = {f'"add",[{HELD}': f'"add",[{again}'}
    assert [leaking.shown("no_leak", "proved", way) for way in WAYS["no_leak"]] == ["wrong", "open"]


def test_a_history_of_a_secret(tmp_path: Path) -> None:
    noting = game(tmp_path, "note past")
    assert [noting.shown("no_leak", "proved", way) for way in WAYS["no_leak"]] == ["confirmed", "confirmed"]
    hand = next(i for i, var in enumerate(noting.program.vars) if var.name == "hand")
    noting.edited = {"History([2,],)": f"History([{hand},],)"}
    assert [noting.shown("no_leak", "proved", way) for way in WAYS["no_leak"]] == ["wrong", "open"]


def test_a_variable_that_a_player_sees_who_is_none(tmp_path: Path) -> None:
    silent = game(tmp_path, SOUND["nothing is said"])
    silent.edited = {"[1,2,],0,)": "[1,4,],0,)"}
    with pytest.raises(BadText, match="a player that there is not"):
        silent.shown("no_leak", "proved", "flow")


OPEN = """
game "Open"
players ann, bob
state:
    shown: 0..2 = 0
rules:
    for p in turns():
        d = roll 1..2
        choose say(n in 0..1) by p
        shown = d - n
        if shown == 2: end win(p)
"""


@pytest.mark.parametrize("text", ['"1","2",', '"0","1",'])
def test_texts_that_do_not_tell_what_was_done_hide_it(text: str, tmp_path: Path) -> None:
    (tmp_path / "game.kemu").write_text(OPEN)
    told = Secret(tmp_path, kemu.load(tmp_path / "game.kemu"))
    assert told.shown("no_leak", "proved", "nothing hidden") == "confirmed"
    told.edited = {f"[{text}]": f"[{text[:4] * 2}]"}
    ways = ("nothing hidden", *WAYS["no_leak"])
    assert [told.shown("no_leak", "proved", way) for way in ways] == ["wrong", "wrong", "open"]


TWO = """
game "Two"
players ann, bob
enum Word: one, two, six
enum Other: three, four, seven
state:
    shown: bool
rules:
    for p in turns():
        choose by p:
            say(n in Word, m in Other): shown = n == one
            call: shown = true
            stay: pass
        choose by p:
            stop: end win(p)
            go: pass
"""


@pytest.mark.parametrize(
    "edited",
    [
        pytest.param({'"stay"': '"call"'}, id="two actions of one name"),
        pytest.param(
            {'"one","two",': '"a","a, b",', '"three","four",': '"b, c","c",'}, id="one text taken for two"
        ),
        pytest.param(
            {'"one","two",': '"(","(, b",', '"three","four",': '"b, c","c",'}, id="a bracket left open"
        ),
    ],
)
def test_actions_whose_texts_are_the_same_hide_which_it_was(edited: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "game.kemu").write_text(TWO)
    told = Secret(tmp_path, kemu.load(tmp_path / "game.kemu"))
    assert told.shown("no_leak", "proved", "nothing hidden") == "confirmed"
    told.edited = edited
    ways = ("nothing hidden", *WAYS["no_leak"])
    assert [told.shown("no_leak", "proved", way) for way in ways] == ["wrong", "wrong", "open"]
