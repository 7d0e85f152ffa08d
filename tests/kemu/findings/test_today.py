"""Findings that were kept are told again only of the rules that they were found of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kemu.conftest import Done, Run

pytestmark = pytest.mark.slow

RULES = """\
game "Nimlet"
players ann, ben
reading G1 "who takes the last": wins | loses = wins
state:
    heap: 0..5 = 3
rules:
    for p in turns():
        choose take(n in 1..2) if n <= heap
        heap -= n
        if heap == 0:
            if G1 == wins:
                end win(p)
            end win(other(p))
property ann_first expect any: never winner == ben   # [G2]
"""
BOOK = """\
# Nimlet, retold

## Gaps

- **[G1]** Who takes the last stone: wins or loses?
- **[G2]** May ann lose?
"""


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "nim")


def written(folder: Path, title: str = "Nimlet") -> Path:
    folder.mkdir(parents=True)
    (folder / "rules.md").write_text(BOOK)
    (folder / "nim.kemu").write_text(RULES.replace("Nimlet", title))
    return folder / "nim.kemu"


def findings(kemu: Run, *asked: str) -> Done:
    return kemu("findings", *asked, "--kept", "kept", "--minutes", "0.2", "--seconds", "1")


def test_they_are_told_again_as_they_were_found(kemu: Run, nim: Path) -> None:
    first = findings(kemu, "nim")
    again = findings(kemu, "nim", "--again")
    assert (first.code, again.code, again.err) == (0, 0, "") and again.out == first.out
    nim.write_text(f"# of the box\n\n{RULES}")
    assert findings(kemu, "nim", "--again").out == first.out  # where a rule stands is no matter


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("if G1 == wins:", "if G1 == wins and false:", "as it stands is played by other rules"),
        ("never winner == ben", "never winner == ann", "something else is claimed of as it stands"),
        ("Nimlet", "Nimble", "they are about Nimlet"),
        ("property", "instance small: G1 = loses\nproperty", "the instance small is new"),
    ],
)
def test_of_rules_that_have_changed_they_are_not_told(
    old: str, new: str, said: str, kemu: Run, nim: Path
) -> None:
    findings(kemu, "nim")
    nim.write_text(RULES.replace(old, new))
    done = findings(kemu, "nim", "--again")
    assert done.code == 64 and done.out == ""
    assert "kept/nim.json" in done.err and said in done.err and "kemu findings nim --kept kept" in done.err


def test_what_is_kept_of_one_game_is_not_taken_or_overwritten_for_another(kemu: Run, nim: Path) -> None:
    """Even if it is called the same."""
    findings(kemu, "nim")
    kept = Path("kept/nim.json").read_bytes()
    for title in ("Nimlet", "Another"):
        done = findings(kemu, str(written(nim.parents[1] / title)))
        assert done.code == 64 and "about another game" in done.err
        assert Path("kept/nim.json").read_bytes() == kept
    both = findings(kemu, "nim", "Another/nim.kemu")
    assert both.code == 64 and "would both be kept as" in both.err


def test_of_findings_that_do_not_say_of_which_rules_they_are_that_is_told(kemu: Run, nim: Path) -> None:
    findings(kemu, "nim")
    kept = Path("kept/nim.json")
    plain = json.loads(kept.read_bytes())
    del plain["instances"]
    kept.write_text(json.dumps(plain))
    done = findings(kemu, "nim", "--again", "--details", "details.md")
    assert done.code == 0 and "does not say of which rules it was found" in done.err
    assert "It is not known of which version of these rules this was found." in Path("details.md").read_text()
