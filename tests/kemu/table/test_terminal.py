"""Play in the terminal: what a person types, what may be taken back, and that no game is ever lost."""

import json
import os
import pty
import re
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu.render.turn import turns
from kemu.table.session import CannotUndo, Session

from tests.kemu.conftest import COIN, CROSSES, RACE, Run

PEOPLE = ("--seat", "all=human")


def test_a_game_between_people_is_played_to_its_end(kemu: Run) -> None:
    moves = ["place((1, 1))", "place 1 2", "2 1", "(2, 2)", "3 1"]
    done = kemu("play", CROSSES, *PEOPLE, stdin="\n".join(moves))
    assert done.code == 0
    assert "The game is over: cross wins." in done.out
    assert "1(x|x|x)" in done.out


def test_random_players_play_without_being_asked(kemu: Run) -> None:
    done = kemu("play", CROSSES, "--seat", "all=random", "--seed", "1")
    assert done.code == 0
    assert "The game is over" in done.out
    assert kemu("play", CROSSES, "--seat", "all=random", "--seed", "1").out == done.out


def test_a_move_is_told_in_the_words_of_the_rulebook(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "columns.kemu").write_text(COLUMNS)
    (tmp_path / "rules.md").write_text(
        "# Columns\n\n## Moves in words\n\n"
        "| move | words |\n| --- | --- |\n| drop(COLUMN) | drops into column COLUMN |\n"
    )
    out = kemu("play", "columns.kemu", "--seat", "all=random", "--seed", "1").out
    assert re.search(r"^1\. ann: drop\((\d)\): drops into column \1$", out, re.M)


def test_a_misspelt_action_is_answered_with_what_is_like_it(kemu: Run) -> None:
    done = kemu("play", CROSSES, *PEOPLE, stdin="plaec((1, 1))\nmovse\n1 9\nmoves\nhistory\n")
    assert "did you mean place((1, 1))" in done.out
    assert "did you mean moves?" in done.out
    assert "place((1, 9)): (1, 9) is not in `Cell` (line 18)" in done.out
    assert "#9  place((3, 3))" in done.out
    assert "nothing has happened yet" in done.out


COLUMNS = """\
game "Columns"
players ann, ben
state:
    left: map[1..3, 0..2] = {x: 1 if x == 2 else 2 for x in 1..3}
rules:
    for p in turns():
        choose drop(x in 1..3) if left[x] > 0
        left[x] -= 1
        if all(left[x] == 0 for x in 1..3): end win(p)
"""


def test_a_number_alone_never_means_another_action_than_the_one_it_reads_like(
    kemu: Run, tmp_path: Path
) -> None:
    (tmp_path / "columns.kemu").write_text(COLUMNS)
    out = kemu("play", "columns.kemu", *PEOPLE, stdin="2\n2\n#2\n").out
    assert "ann: drop, 3 actions\n#1  drop(1)   #2  drop(2)   #3  drop(3)\nann> 1. ann: drop(2)\n" in out
    refused, done = out.split("ben> ")[1:3]
    assert refused.startswith("drop(2): `left[x] > 0` does not hold")
    assert done.startswith("2. ben: drop(3)\n")


LEGEND = """\
game "Legend"
players ann, ben
state:
    left: 0..3 = 3
rules:
    for p in turns():
        choose take
        left -= 1
        if left == 0: end win(p)
## A star is a stone.
view heap:
    line "left: {left}"
    line "* a stone"
    line "the last one" if left == 1
"""


def test_a_legend_is_shown_once_and_again_when_asked_for(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "legend.kemu").write_text(LEGEND)
    first, second, third = kemu("play", "legend.kemu", *PEOPLE, stdin="take\ntake\nlegend\n").out.split(
        "left: "
    )[1:]
    assert "* a stone" in first and "* a stone" not in second
    assert "the last one" in third and third.endswith(
        "> A star is a stone.\n* a stone\n" + third.split("* a stone\n")[1]
    )


def test_undo_takes_back_the_last_decision_of_a_person_and_the_answer_to_it(kemu: Run) -> None:
    done = kemu("play", CROSSES, "--seed", "1", stdin="1 1\nundo\nundo\n")
    assert "taken back: cross place((1, 1)), nought place(" in done.out
    assert "you have no decision to take back" in done.out


def test_undo_never_goes_past_chance() -> None:
    session = Session.new(load(RACE), {"red": "human", "blue": "human"}, seed=1)
    session.apply("walk")
    assert [step.text for step in session.undo()] == ["walk"]
    session.apply("throw")
    list(session.advance())
    assert not session.can_undo
    with pytest.raises(CannotUndo, match="chance has played a part since throw"):
        session.undo()


def test_the_end_of_the_input_keeps_the_game_only_where_that_was_asked_for(kemu: Run, tmp_path: Path) -> None:
    done = kemu("play", CROSSES, *PEOPLE, stdin="1 1\n2 2\n")
    assert done.code == 0
    assert "not saved; --save FILE" in done.out
    assert not list(tmp_path.iterdir())

    done = kemu("play", CROSSES, *PEOPLE, "--save", "mine.json", stdin="1 1\n2 2\n")
    assert "To continue: kemu play --resume mine.json" in done.out
    assert [step["text"] for step in json.loads((tmp_path / "mine.json").read_text())["steps"]] == [
        "place((1, 1))",
        "place((2, 2))",
    ]


@pytest.mark.parametrize(("sign", "code"), [(b"\x04", 0), (b"\x03", 130)])
def test_in_a_terminal_a_game_that_is_left_without_a_word_is_put_aside(
    tmp_path: Path, sign: bytes, code: int
) -> None:
    at_work = tmp_path / "here"
    at_work.mkdir()
    shown, ended = at_a_terminal(["play", CROSSES, *PEOPLE], [b"1 1\n", b"2 2\n", sign], at_work)
    assert ended == code
    assert f"To continue: kemu play --resume {tmp_path}/kemu/crosses.json" in shown
    assert len(json.loads((tmp_path / "kemu" / "crosses.json").read_text())["steps"]) == 2
    assert not list(at_work.iterdir())


def at_a_terminal(arguments: list[str], typed: list[bytes], folder: Path) -> tuple[str, int]:
    """What kemu shows in a terminal of its own, each text being typed at a prompt, and its exit code."""
    process, terminal = pty.fork()
    if not process:
        os.chdir(folder)
        environment = {**os.environ, "XDG_STATE_HOME": str(folder.parent), "TERM": "dumb", "COLUMNS": "200"}
        os.execve(sys.executable, [sys.executable, "-m", "kemu", *arguments], environment)
    shown, waits = b"", iter(range(400))
    with suppress(OSError):  # the terminal is gone when the process is
        while True:
            if select.select([terminal], [], [], 0.3)[0]:
                shown += os.read(terminal, 4096)
            elif (wait := next(waits, None)) is None:
                os.kill(process, signal.SIGKILL)
            elif len(typed) > 1 and shown.endswith(b"> "):
                os.write(terminal, typed.pop(0))
            elif len(typed) == 1 and wait % 6 == 0:
                os.write(terminal, typed[0])  # again and again: a sign before the prompt listens is lost
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_a_saved_game_goes_on_where_it_was_as_if_it_had_not_stopped(kemu: Run) -> None:
    whole = kemu("play", RACE, "--seed", "3", stdin="throw\nthrow\nthrow\nthrow\nthrow\n").out
    kemu("play", RACE, "--seed", "3", "--save", "race.json", stdin="throw\n")
    rest = kemu("play", "--resume", "race.json", stdin="throw\nthrow\nthrow\nthrow\n").out
    assert whole.split("red> ")[-1].splitlines()[-1] in rest
    assert "The game is over" in rest


def test_every_step_is_kept_from_the_moment_that_a_file_is_named(kemu: Run, tmp_path: Path) -> None:
    done = kemu("play", CROSSES, *PEOPLE, stdin="1 1\nsave mine.json\n2 2\nquit\n")
    assert "saved" in done.out
    assert len(json.loads((tmp_path / "mine.json").read_text())["steps"]) == 2
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.json"]


@pytest.mark.parametrize(
    ("answers", "told", "files"),
    [
        ("n", "The game is not saved.", []),
        ("", "The game is saved.", ["crosses.json"]),
        ("mine.json", "The game is saved.", ["mine.json"]),
        ("perhaps\nmine.json", "'perhaps' is neither yes nor no", ["mine.json"]),
    ],
)
def test_quit_offers_to_save_under_any_name(
    kemu: Run, tmp_path: Path, answers: str, told: str, files: list[str]
) -> None:
    done = kemu("play", CROSSES, *PEOPLE, stdin=f"1 1\nquit\n{answers}\n")
    assert "save the game as crosses.json?" in done.out
    assert told in done.out
    assert [path.name for path in tmp_path.iterdir()] == files


def test_no_file_is_written_over_unasked(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert kemu("play", CROSSES, "--save", "notes.txt").code == 64
    done = kemu("play", CROSSES, *PEOPLE, stdin="1 1\nsave notes.txt\nn\nquit\nnotes.txt\nn\nn\n")
    assert "Not saved." in done.out and "The game is not saved." in done.out
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["x" * 5000, "~nobody-of-this-name/x", "zero\0", "no-folder/x"])
def test_a_game_goes_on_if_it_cannot_be_saved_there(kemu: Run, name: str) -> None:
    done = kemu("play", CROSSES, *PEOPLE, stdin=f"1 1\nsave {name}\n2 2\n")
    assert "cannot" in done.out and "place((2, 2))" in done.out


def test_a_damaged_save_is_refused_in_one_sentence(kemu: Run, tmp_path: Path) -> None:
    kemu("play", CROSSES, *PEOPLE, stdin="1 1\nsave a.json\nquit\n")
    text = (tmp_path / "a.json").read_text()
    hints = {("(1, 1)", "(7, 7)"): "step 1", ('"cross"', '"crocs"'): "crocs", ("{", "["): "not JSON"}
    for (old, new), hint in hints.items():
        (tmp_path / "b.json").write_text(text.replace(old, new))
        done = kemu("play", "--resume", "b.json")
        assert done.code == 64
        assert hint in done.err
        assert len(done.err.splitlines()) == 1


def test_nobody_is_shown_the_secrets_of_others(kemu: Run) -> None:
    teller = kemu("play", COIN, "--seed", "2", "--save", "a.json", stdin="say heads\nundo\n")
    assert "you see coin: tails" in teller.out
    listener = kemu(
        "play", COIN, "--seed", "2", "--seat", "teller=random", "--seat", "listener=human", stdin="history\n"
    )
    assert "1. chance at draw: ?" in listener.out
    assert "the teller says heads" in listener.out
    assert "the coin shows ?" in listener.out
    assert "coin: " not in listener.out


HANDS = """\
game "Hands"
players ann, ben
enum Card: ace, king, queen
state:
    deck: bag[Card] secret to none = {ace: 2, king: 2, queen: 2}
    each p in Player:
        hand: bag[Card] secret to p
rules:
    for p in Player: draw 2 from deck to hand[p]
    for p in turns():
        choose lay(c in Card) if hand[p][c] > 0
        end win(p)
view table:
    cell p in Player at (1, 1 if p == ann else 2): "A" if hand[p][ace] > 0 else "-"
    line "{p} holds {hand[p]}" for p in Player
"""


def test_what_is_hidden_leaves_a_question_mark_and_bags_are_told_without_what_is_not_there(
    kemu: Run, tmp_path: Path
) -> None:
    (tmp_path / "hands.kemu").write_text(HANDS)
    out = kemu("play", "hands.kemu", "--seed", "1").out
    assert "\n1-4. chance at draw: ?, ?, ?, ?\n" in out
    assert "\nann -\nben ?\nann holds king queen\nben holds ?\nyou see hand: king 1, queen 1\n" in out


def test_undo_does_not_unsee_secrets() -> None:
    session = Session.new(load(COIN), {"teller": "human", "listener": "human"}, seed=2)
    list(session.advance())
    session.apply("say(heads)")
    assert not session.can_undo
    with pytest.raises(CannotUndo, match="secrets"):
        session.undo()


SHORE = """\
game "Shore"
players ann, ben
state:
    left: 0..9 = 4
    coins: map[Player, 0..9]
rules:
    for p in turns():
        n = roll 1..1
        choose by ben:
            give:
                coins[p] += n
            keep:
                coins[ben] += n
        left -= 1
        if left == 0:
            end rank((coins, debt))

fun debt(p: Player): -coins[p]
"""


def test_it_is_said_whose_turn_it_is_where_another_acts_and_what_the_numbers_at_the_end_are(
    kemu: Run, tmp_path: Path
) -> None:
    (tmp_path / "shore.kemu").write_text(SHORE)
    out = kemu("play", "shore.kemu", "--seat", "all=random", "--seed", "1", "--save", "a.json").out
    assert "1. chance at roll, in ann's turn: 1\n2. ben, in ann's turn: " in out
    assert "3. chance at roll, in ben's turn: 1\n4. ben: " in out
    assert "The game is over: 1. " in out and "(coins " in out and ", debt -" in out
    replayed = kemu("replay", "a.json").out
    assert "2. ben, in ann's turn: " in replayed and "(coins " in replayed


def test_nothing_is_said_of_turns_where_the_loop_may_be_over_or_goes_through_all_again() -> None:
    once_more = SHORE.replace("        left -= 1", "        for q in Player: left -= 0\n        left -= 1")
    later = SHORE.replace("end rank((coins, debt))", "break\n    roll 1..2\n    end tie")
    every = frozenset({"rules.p", "rules.q"})
    assert [turns(text, every) for text in (SHORE, once_more, later)] == [{"rules.p"}, set(), set()]


BIDS = """\
game "Bids"
players ann, ben, cid
rules:
    for lap in 1..2:
        choose together for p in Player:
            bid(n in 1..3): pass
    end tie
"""


SEALED = """\
game "Sealed"
players ann, ben
enum Sign: rock, paper, scissors
state:
    each p in Player:
        own: Sign? secret to p
        shown: Sign?
rules:
    for p in Player:
        sealed choose pick(s in Sign) by p
        own[p] = s
    choose stay by ann
    if own[ben] != rock: shown[ben] = own[ben]
    choose go by ann
    end tie
"""


def test_history_tells_what_was_sealed_once_it_can_be_known(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "sealed.kemu").write_text(SEALED)
    for seed in "123":  # whether ben shows a sign or not
        out = kemu("play", "sealed.kemu", "--seed", seed, stdin="pick(rock)\nhistory\nstay\nhistory\n").out
        _, _, before, after = out.split("1. ann: pick(rock)\n")
        assert before.startswith("2. ben: ?\n")
        assert re.match(r"2\. ben: pick\((rock|paper|scissors)\)\n3\. ann: stay\n", after)


def test_what_is_chosen_together_is_told_when_all_have_chosen(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "bids.kemu").write_text(BIDS)
    out = kemu("play", "bids.kemu", "--seed", "1", stdin="bid(2)\nhistory\nbid(1)\n").out
    _, before, after, _ = out.split("ann> ")
    ben, cid = re.search(r"ben bid\((\d)\), cid bid\((\d)\)", before).groups()  # type: ignore[union-attr]
    assert f"2. ben: ?\n3. cid: bid({cid})\nall have chosen: ann bid(2), ben bid({ben})" in before
    assert f"1-3. ann: bid(2), ben: bid({ben}), cid: bid({cid})\n" in after
