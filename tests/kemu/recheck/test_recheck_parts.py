"""`kemu recheck` of what was proved on parts of the state: confirmed, and caught if it was tampered with."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kemu.recheck import manifest
from kemu_verifier.strategy import strategy

from tests.gallery.test_gallery import HERE
from tests.kemu.conftest import Run

from .test_recheck import bundled, dropped, rewritten, tampered, wrong

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recheck_parts")]  # its bundles are made once

pytest.importorskip("cvc5")

SHOP = """
game "Shop"
players one, two
domain Good = 0..30
state:
    till:  0..40 = 20
    fund:  0..40
    fee:   1..4 = 1
    each p in Player:
        purse: 0..40 = 10
        sour:  bool
    shelf: map[Good, Good?]
rules:
    for p in turns():
        choose by p:
            buy(n in 1..3) if purse[p] >= n and till + n <= 40 and not sour[p]: move n from purse[p] to till
            pay(n in 1..3) if till >= n and purse[p] + n <= 40 and shelf[n] is some:
                move n from till to purse[p]
            sort(g in Good, h in Good) if g < 3 and h < 3: shelf[g] = h
            sulk if not sour[p]: sour[p] = true
            cheer if sour[p]:
                if till >= 2 and purse[p] + 2 <= 40 and shelf[2] != 4:
                    move 2 from till to purse[p]
                sour[p] = shelf[2] == 1
            found if fund + fee <= 20 and till >= fee:
                move fee from till to fund
                if fee < 4: fee += 1
            leave if sour[p]: end tie
lemma kept: always fund + till + sum(purse[p] for p in Player) == 40
property enough: always till + purse[one] <= 40
property fees: always fund >= fee - 1
"""
PURSES = """
game "Purses"
players one, two
domain Good = 0..30
state:
    till:  0..2000 = 1000
    purse: map[Player, 0..2000] = {p: 500 for p in Player}
    shelf: map[Good, Good?]
rules:
    for p in turns():
        choose by p:
            buy(n in 1..5) if purse[p] >= n and till + n <= 2000: move n from purse[p] to till
            sort(g in Good, h in Good) if g < 3 and h < 3: shelf[g] = h
            leave: end tie
lemma kept: always till + sum(purse[p] for p in Player) == 2000
property broke expect impossible: possible till + purse[one] > 2000
"""
ASKED = ("enough", "fees", "no_fault")


def looking_at_parts(patch: pytest.MonkeyPatch) -> None:
    """Parts of the state are looked at however small the whole is."""
    patch.setattr(strategy, "SMALL", 0)
    patch.setattr(strategy, "NEARLY", 1_000)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A bundle of proofs that look at some of the variables only."""
    folder = tmp_path_factory.mktemp("parts")
    (folder / "shop.kemu").write_text(SHOP)
    with pytest.MonkeyPatch.context() as patch:
        looking_at_parts(patch)
        wanted = [f"--property={name}" for name in ASKED]
        yield bundled(folder / "bundle", str(folder / "shop.kemu"), *wanted)


def test_the_whole_state_takes_over_what_was_proved_on_a_part(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "purses.kemu").write_text(PURSES)
    with pytest.MonkeyPatch.context() as patch:
        looking_at_parts(patch)
        patch.setattr(strategy, "STATES", 1)
        folder = bundled(
            tmp_path / "bundle", str(tmp_path / "purses.kemu"), "--property=broke", "--seconds=8"
        )
    part, whole = manifest.load(folder).sections
    assert whole.name == "whole" and [claim.verdict for claim in part.shows] == ["kept"]
    carried = [each.role["verdict"] for each in whole.conditions if each.role["shows"] == "carried"]
    assert set(carried) == {"kept"}
    done = kemu("recheck", str(folder))
    assert done.code == 0, done.out


@pytest.mark.parametrize("name", ["needs_lemma", "overfull_bag", "leak", "stuck"])
def test_evidence_on_small_games_is_borne_out(
    kemu: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their states are not gone through, so that they are proved as large games are; faults included."""
    looking_at_parts(monkeypatch)
    monkeypatch.setattr(strategy, "STATES", 1)
    folder = bundled(tmp_path / "bundle", str(HERE / f"{name}.kemu"))
    done = kemu("recheck", str(folder))
    assert done.code in (0, 4) and "the translation" in done.out, done.out


@pytest.fixture
def copied(parts: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(parts, tmp_path / "copy"))


def test_each_proof_stands_in_the_section_of_what_it_looks_at(parts: Path) -> None:
    about = manifest.load(parts)
    sections = {section.name: section for section in about.sections}
    stands = {v.property: v.evidence for v in about.verdicts}
    assert {v.method for v in stands.values()} == {"invariants"}
    (fees,) = stands["fees"].sections
    assert sections[fees].hidden == ["till", "purse", "sour", "shelf", "result"]
    (enough,) = stands["enough"].sections
    assert [claim.verdict for claim in sections[enough].shows] == ["kept", "enough"]  # one was not asked for
    assert {"fee", "sour", "shelf"} <= set(sections[enough].hidden)
    carried = {
        (condition.role["verdict"], condition.role["section"])
        for section in stands["no_fault"].sections
        for condition in sections[section].conditions
        if condition.role["shows"] == "carried"
    }
    assert carried == {("kept", enough), ("enough", enough), ("fees", fees)}


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_proofs_on_parts_of_the_state_are_confirmed(kemu: Run, parts: Path, solver: str) -> None:
    done = kemu("recheck", str(parts), "--solver", solver)
    assert done.code == 0, done.out
    assert len(re.findall(r"confirmed +" + solver, done.out)) == len(ASKED)


# ------------------------------------------------------------------------------------------ tampering


def of(parts: Path, verdict: str) -> manifest.Section:
    """The section that a verdict stands in."""
    about = manifest.load(parts)
    (name,) = next(v.evidence.sections for v in about.verdicts if v.property == verdict)
    return next(section for section in about.sections if section.name == name)


def test_a_claim_that_nobody_shows_cannot_be_taken_over(kemu: Run, copied: Path) -> None:
    """The section that shows it says so no more."""
    name = of(copied, "enough").name

    def unsay(plain: dict[str, Any]) -> None:
        section = next(each for each in plain["sections"] if each["name"] == name)
        section["shows"] = [each for each in section["shows"] if each["verdict"] != "kept"]

    rewritten(copied, unsay)
    assert f"no_fault: {name} does not show kept" in wrong(kemu, copied)


def test_a_section_cannot_rest_on_itself_or_a_later_one(kemu: Run, copied: Path) -> None:
    def turn(plain: dict[str, Any]) -> None:
        plain["sections"].reverse()

    rewritten(copied, turn)
    assert "which comes later" in wrong(kemu, copied)


def test_an_invariant_that_is_taken_over_has_to_be_what_the_claim_says(kemu: Run, copied: Path) -> None:
    section = of(copied, "no_fault").name
    dropped(copied, next((copied / "conditions" / section).glob("carried-*-0.smt2")))
    assert "that are shown elsewhere are not the first ones" in wrong(kemu, copied)


def test_an_altered_invariant_is_caught(kemu: Run, copied: Path) -> None:
    """In all files of a section, so that they agree: what was taken over does not say what the claim says."""
    section = of(copied, "no_fault").name
    for path in (copied / "conditions" / section).glob("*.smt2"):
        text = path.read_text("utf-8")
        if stronger(text) != text:
            tampered(copied, f"conditions/{section}/{path.name}", stronger)
    assert re.search(f"cvc5.* refutes {section}/carried|does not hold in a state", wrong(kemu, copied))


def stronger(text: str) -> str:
    """The first invariants of all stops are never so."""
    return re.sub(r"^(\(define-fun \|k\d+#0'?\| \(\) Bool ).*\)$", r"\1false)", text, flags=re.M)


def test_a_way_that_is_left_out_is_caught(kemu: Run, copied: Path) -> None:
    section = of(copied, "fees").name
    dropped(copied, next((copied / "conditions" / section).glob("keeps-*-arm-5-to-*")))
    assert "no condition says that the step" in wrong(kemu, copied)


def test_a_forged_step_is_caught_though_it_speaks_of_what_is_hidden(kemu: Run, copied: Path) -> None:
    """Whatever is hidden, the fund does not stay as it is when something is put there."""
    section, start = of(copied, "enough").name, "(define-fun |till'| () Int "

    def still(text: str) -> str:
        return "\n".join(f"{start}|till|)" if line.startswith(start) else line for line in text.split("\n"))

    for path in (copied / "conditions" / section).glob("*-arm-4-to-*"):
        if still(text := path.read_text("utf-8")) != text:
            tampered(copied, f"conditions/{section}/{path.name}", still)
    assert "whatever is hidden, a step from" in wrong(kemu, copied)


def test_what_is_known_of_a_state_says_nothing_about_what_is_hidden(kemu: Run, copied: Path) -> None:
    section = of(copied, "enough")
    symbols: dict[str, Any] = json.loads((copied / section.symbols).read_text("utf-8"))
    unknown = next(symbol for symbol, meaning in symbols.items() if "unknown" in meaning).strip("|")

    def looser(text: str) -> str:
        first = re.compile(r"^(\(define-fun \|k\d+#0('?)\| \(\) Bool )(.*)\)$", re.M)
        return first.sub(lambda found: f"{found[1]}(or {found[3]} |{unknown}{found[2]}|))", text)

    for path in (copied / "conditions" / section.name).glob("*.smt2"):
        if looser(text := path.read_text("utf-8")) != text:
            tampered(copied, f"conditions/{section.name}/{path.name}", looser)
    assert "rests on something that the section does not look at" in wrong(kemu, copied)


def test_a_fault_that_no_section_excludes_is_missed(kemu: Run, copied: Path) -> None:
    name = of(copied, "no_fault").name

    def unsay(plain: dict[str, Any]) -> None:
        section = next(each for each in plain["sections"] if each["name"] == name)
        section["faults"] = []

    rewritten(copied, unsay)
    assert "no section excludes the fault" in wrong(kemu, copied)
