"""`kemu diff`: two instances or two files, the game that tells them apart, which readings matter."""

import json
from pathlib import Path

import pytest
from kemu_verifier.diff.compare import Comparing

from tests.kemu.conftest import COIN, RACE, Run

HEAP = """\
game "Heap"
players anna, ben
option size: 3 | 6 = 3
reading R1 "who takes the last" : wins | loses = wins      # [C1]
reading R2 "of a heap of nine" : one | two = one
domain Take = 1..2
instance large: size = 6
state:
    heap: 0..6 = size
fun most(n: Take): n <= heap
rules:
    for p in turns(from=anna):
        choose take(n in Take) if most(n)                  # [C2]
        heap -= n
        if heap == 0:
            end win(p if R1 == wins else other(p))
view table:
    line "{heap} left"
"""


@pytest.fixture
def heap(tmp_path: Path) -> str:
    path = tmp_path / "heap.kemu"
    path.write_text(HEAP, "utf-8")
    return str(path)


def test_equivalent(kemu: Run, heap: str) -> None:
    done = kemu("diff", heap, "--right", "R2=two")
    assert done.code == 0, done.err
    assert "equivalent, proved: equal programs" in done.out
    assert 'right: R2=two "of a heap of nine"' in done.out


def test_different(kemu: Run, heap: str) -> None:
    done = kemu("diff", heap, "--left", "R1=wins", "--right", "R1=loses")
    assert done.code == 1, done.err
    lines = done.out.splitlines()
    assert lines[1] == 'left: R1=wins "who takes the last" [C1]'
    assert "different, after 2 steps: no shorter game shows a difference" in lines
    assert lines[-2:] == ["left: end: ben wins", "right: end: anna wins"]


def test_choices_side_by_side(kemu: Run, heap: str) -> None:
    done = kemu("diff", heap, "--left", "size=3", "--right", "instance=large")
    assert done.code == 1, done.err
    assert "both: R1=wins, R2=one, players=2" in done.out
    first, *rest = done.out.splitlines()[-4:]
    assert first == "then ben at take [C2]:"
    assert [line.split() for line in rest] == [
        ["only", "left:", "nothing", "only", "right:"], ["take(2)"], ["both:", "1", "action"]
    ]  # fmt: skip


def test_neither(kemu: Run, heap: str) -> None:
    text = Path(heap).read_text("utf-8").replace("0..6 = size", "0..90000 = 90000")
    Path(heap).write_text(text, "utf-8")
    done = kemu("diff", heap, "--right", "R1=loses", "--seconds", "1")
    assert done.code == 5, done.err
    assert "no difference found, but not proved equivalent: no game of up to" in done.out


def test_two_files(kemu: Run, heap: str, tmp_path: Path) -> None:
    other = tmp_path / "pile.kemu"
    other.write_text(HEAP.replace("most", "enough").replace("Heap", "Pile").replace("heap", "pile"), "utf-8")
    done = kemu("diff", heap, str(other), "--instance", "large")
    assert done.code == 0 and "equal programs" in done.out
    other.write_text(HEAP.replace("heap -= n\n", "heap -= n\n        assert never_one: heap != 1\n"), "utf-8")
    done = kemu("diff", heap, str(other))
    assert done.code == 1
    assert "the files differ in: rules (line 11 | 11)" in done.out, done.out
    assert "right: breaks down" in done.out and "never_one" in done.out


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("# taken as it is\nconst size_ = 1", "const size_ = 1  # one", "comments and line numbers only"),
        ('const row = words("# . .")', 'const row = words("# . x")', "row (line 1 | 1)"),
        ("instance two: size = 6", "instance two: size = 3", "instance two (line 1 | 1)"),
        ('table T from "t.csv": n: 0..9', 'table T from "u.csv": n: 0..9', "T (line 1 | 1)"),
        ('table T from "t.csv": n: 0..9', None, "T (line 1 | 1)"),
    ],
)
def test_in_what_two_files_differ(one: str, other: str | None, told: str, kemu: Run, tmp_path: Path) -> None:
    for folder, line, count in (("left", one, 1), ("right", other or one, 1 if other else 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "heap.kemu").write_text(f"{line}\n{HEAP}", "utf-8")
        for name in ("t.csv", "u.csv"):
            (tmp_path / folder / name).write_text(f"name,n\na,{count}\n", "utf-8")
    done = kemu("diff", *(str(tmp_path / folder / "heap.kemu") for folder in ("left", "right")))
    assert f"the files differ in: {told}" in " ".join(done.out.split())


def test_json_and_traces(kemu: Run, heap: str, tmp_path: Path) -> None:
    done = kemu("diff", heap, "--right", "R1=loses", "--json", "--save-trace", "kept")
    found = json.loads(done.out)
    assert (found["answer"], found["shortest"], found["trace"]) == ("different", True, ["take(1)", "take(2)"])
    assert found["difference"] == {"kind": "result", "left": ["won by ben"], "right": ["won by anna"]}
    assert found["right"]["settings"]["R1"] == "loses"
    for name, winner in (("left", "ben"), ("right", "anna")):
        again = kemu("replay", f"kept/{name}.json")
        assert again.code == 0 and f"end: {winner} wins" in again.out, again.err


SECRET = """\
game "Secret"
players ann, ben
reading G1 "who may look at the card": one | both = one
const seers = {ann} if G1 == one else {ann, ben}
state:
    card: 1..3 secret to seers
rules:
    card = roll 1..3
    choose guess(n in 1..3) by ben
    end win(ben if n == card else ann)
"""


def test_who_knows_what_counts_too(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "secret.kemu").write_text(SECRET)
    told = "plays the same, proved: exhaustive search of 10 pairs of positions; who knows what differs"
    done = kemu("diff", "secret.kemu", "--right", "G1=both")
    assert done.code == 1 and told in done.out.splitlines(), done.err
    assert done.out.splitlines()[-1] == "ben can tell these two plays apart in right, not in left: 1; 2."
    line = kemu("diff", "secret.kemu", "--readings").out.splitlines()[1]
    assert f"matters: {told}: ben can tell these two plays apart in G1=both, not in G1=one: 1; 2" in line
    found = json.loads(kemu("diff", "secret.kemu", "--right", "G1=both", "--json").out)
    assert (found["answer"], found["plays_the_same"]) == ("different", told.split(": ")[1].split(";")[0])
    assert found["difference"] == {"kind": "knowledge", "left": [], "right": ["ben", "1", "2"]}


@pytest.mark.slow
def test_readings(kemu: Run, heap: str) -> None:
    done = kemu("diff", heap, "--readings")
    assert done.code == 1, done.err
    _, size, first, second, end = done.out.splitlines()
    assert size.startswith(
        "size=6: matters: after 1 step (the shortest), take(2) is possible only with size=6"
    )
    assert first.startswith('R1=loses "who takes the last" [C1]: matters: after 2 steps')
    assert second == 'R2=two "of a heap of nine": does not matter, proved: equal programs'
    assert end == "values that matter: 2; proved not to matter: 1; unknown: 0"
    only = kemu("diff", heap, "--readings", "--only", "R2", "--json")
    assert only.code == 0 and json.loads(only.out)["option"] == "R2"


def test_what_was_not_tried_is_told(kemu: Run, heap: str) -> None:
    text = Path(heap).read_text("utf-8")
    Path(heap).write_text(text.replace("option size", "option spare: 1..20 = 5\noption size"), "utf-8")
    done = kemu("diff", heap, "--readings", "--only", "spare")
    assert done.code == 5
    assert done.out.splitlines()[-1].endswith("unknown: 0; spare: 17 values between not tried")


def test_interrupted(kemu: Run, heap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: Comparing) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Comparing, "run", run)
    done = kemu("diff", heap, "--right", "R1=loses")
    assert done.code == 130
    assert "no difference found, but not proved equivalent: too little time" in done.out


def test_bad_input(kemu: Run, heap: str) -> None:
    assert kemu("diff", COIN, RACE).code == 1
    for wrong in (
        ["diff", heap],
        ["diff", heap, "--right", "R3=two"],
        ["diff", heap, "--right", "R2"],
        ["diff", heap, "--right", "instance=small"],
        ["diff", heap, "--right", "players=5"],
        ["diff", heap, "--right", "players=many"],
        ["diff", heap, "--readings", "--only", "R3"],
        ["diff", heap, "--readings", "--right", "R2=two"],
        ["diff", heap, "--only", "R2", "--right", "R2=two"],
        ["diff", heap, "nowhere.kemu"],
    ):
        done = kemu(*wrong)
        assert done.code == 64 and "Error" in done.err and "internal" not in done.err, (wrong, done)
