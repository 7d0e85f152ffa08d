"""Bundles forged in every place (some of `python -m tests.checker.forge`), and the known forgeries."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from kemu_checker.answers import Judge
from kemu_checker.rules import Proofs
from kemu_verifier.methods.invariants import k_induction
from kemu_verifier.strategy import strategy

from tests.checker import forge_programs
from tests.checker.forge import DEFINITE, HERE, Forgery, bundle, bundles, checked, forgeries, tried, truth

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("forged")]  # the bundles are made once

SOME = {"climb": 431, "climb-blind": 907, "stuck-blind": 37, "needs_lemma-blind": 433}
"""Bundles, and of how many forgeries one is tried."""

SEARCHED = 1_000
"""States of games that are searched whole; what is true of a larger one is known from proofs."""

Bundles = dict[str, tuple[Path, dict[str, str]]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bundles:
    games, above = ["climb", "stuck", "needs_lemma"], tmp_path_factory.mktemp("true")
    with patch.object(strategy, "STATES", SEARCHED):
        return {folder.name: (folder, true) for folder, true in bundles(games, above)}


def bad(made: Bundles, name: str, every: int) -> Iterator[str]:
    folder, true = made[name]
    others = [made[each][0] for each in ("stuck", "needs_lemma-blind", "climb") if each != name]
    some = [each for i, each in enumerate(forgeries(folder, others)) if i % every == 0]
    assert len(some) > 10
    yield from (f"{each.words}: {problem}" for each in some for problem in tried(folder, each, true))


@pytest.mark.parametrize("name", SOME)
def test_nothing_false_is_confirmed(made: Bundles, name: str) -> None:
    assert list(bad(made, name, SOME[name])) == []


def test_a_checker_that_believes_everything_would_be_noticed(
    made: Bundles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "_shown", lambda *_: True)
    assert any(bad(made, "stuck-blind", 13))


def bad_programs(made: Bundles) -> Iterator[str]:
    folder, true = made["stuck-blind"]
    some = [each for i, each in enumerate(forge_programs.forgeries(folder, [])) if i % 37 == 0]
    assert len(some) > 10
    for each in some:
        yield from (f"{each.words}: {problem}" for problem in forge_programs.tried(folder, each, true))


def test_of_another_program_nothing_is_confirmed_that_its_states_refute(made: Bundles) -> None:
    assert list(bad_programs(made)) == []


def test_proofs_that_are_not_looked_at_would_be_noticed(
    made: Bundles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Proofs, "excluded", lambda *_: True)
    assert any(bad_programs(made))


def test_what_is_true_is_confirmed_in_both_bundles(made: Bundles) -> None:
    for name in ("needs_lemma", "needs_lemma-blind", "climb", "climb-blind"):
        folder, true = made[name]
        assert f"\n{len(true)} confirmed\nexit code 0" in checked(folder)


def test_what_several_steps_in_a_row_show_is_written_and_confirmed(tmp_path: Path) -> None:
    folder = bundle(HERE / "in_a_row.kemu", tmp_path / "bundle", blind=True, seconds=3)
    kinds = {key: evidence(folder, key)["kind"] for key in ("no_fault", "settles", "can_settle")}
    assert set(kinds.values()) == {"steps"}
    assert evidence(folder, "can_get_home")["kind"] == "ranking"
    assert "14 confirmed, 1 nothing claimed\nexit code 0" in checked(folder)


def test_what_laps_keep_is_written_and_confirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(k_induction, "HURRY", 1)  # so that no guess is given up on a slow machine
    monkeypatch.setattr(strategy, "MOST_GAMES", 1_000)
    folder = bundle(HERE / "sown.kemu", tmp_path / "bundle", blind=True, seconds=12)
    assert {evidence(folder, key)["kind"] for key in ("kept", "lost", "no_fault", "never_stuck")} == {"laps"}
    assert " confirmed, 1 nothing claimed\nexit code 0" in checked(folder)
    true = {key: said for key, said in truth(folder).items() if said in DEFINITE}
    some = [each for i, each in enumerate(forgeries(folder, [])) if i % 397 == 0]
    assert [(each.words, problem) for each in some for problem in tried(folder, each, true)] == []


def answered(folder: Path, key: str, **changes: object) -> Forgery:
    """Another answer to one question."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for answer in manifest["answers"]:
        if answer["key"] == key:
            answer.update(changes)
    return Forgery(key, {"manifest.json": json.dumps(manifest).encode()}, key)


def evidence(folder: Path, key: str) -> dict[str, object]:
    answers = json.loads((folder / "manifest.json").read_text())["answers"]
    return next(each["evidence"] for each in answers if each["key"] == key)


def test_a_lasso_does_not_prove_that_play_ends(made: Bundles) -> None:
    for name in ("climb", "climb-blind"):
        folder, true = made[name]
        assert evidence(folder, "terminates")["kind"] == "play"
        assert tried(folder, answered(folder, "terminates", verdict="proved"), true) == []


def test_two_verdicts_with_each_others_evidence(made: Bundles) -> None:
    folder, true = made["climb-blind"]
    other = evidence(folder, "low")
    assert tried(folder, answered(folder, "terminates", verdict="proved", evidence=other), true) == []
    other = evidence(folder, "action_possible(leap)")
    assert tried(folder, answered(folder, "high", verdict="possible", evidence=other), true) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("manifest.json", "[" * 1_000_000, id="deep JSON"),
        pytest.param("manifest.json", '{"version": 5, "answers": [], "proofs": ["\\u0000"]}', id="no name"),
        pytest.param("manifest.json", '{"version": 5, "answers": [], "proofs": ["../../x"]}', id="outside"),
        pytest.param("manifest.json", '{"version": ' + "9" * 10_000 + "}", id="a number of many digits"),
        pytest.param("program.txt", "[" * 1_000_000, id="deep text"),
        pytest.param("program.txt", "", id="nothing"),
        pytest.param("claims.txt", "Claims([],[],[],[fffffff,],),", id="a stop that is none"),
        pytest.param("proofs/ending.txt", 'Induction("ending",[fffffffff,],[],[],[],),', id="no variable"),
        pytest.param("proofs/ending.txt", 'Ranking("ending",["ending",],[],[],),', id="rests on itself"),
        pytest.param("traces", None, id="no plays"),
    ],
)
def test_hostile_files(made: Bundles, tmp_path: Path, name: str, text: str | None) -> None:
    folder = Path(shutil.copytree(made["stuck-blind"][0], tmp_path / "copy"))
    if text is None:
        shutil.rmtree(folder / name)
    else:
        (folder / name).write_text(text)
    printed = checked(folder)
    assert printed.endswith(("exit code 1", "exit code 4"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("Int(0,", "Int(-" + "f" * 100 + ",", id="a number of many digits"),
        pytest.param("Bool(),", f"Set({10**9:x},),", id="a set of very many elements"),
        pytest.param("[Var(", f'[Var("big",Bool(),{10**9:x},[],[],[],-,0,),Var(', id="a very long variable"),
    ],
)
def test_programs_of_hostile_size(made: Bundles, tmp_path: Path, old: str, new: str) -> None:
    folder = Path(shutil.copytree(made["stuck-blind"][0], tmp_path / "copy"))
    text = (folder / "program.txt").read_text()
    assert old in text
    (folder / "program.txt").write_text(text.replace(old, new, 1))
    assert checked(folder).endswith("exit code 1")


def test_a_file_that_is_none(made: Bundles, tmp_path: Path) -> None:
    """What is read from it would never end."""
    folder = Path(shutil.copytree(made["stuck-blind"][0], tmp_path / "copy"))
    (folder / "program.txt").unlink()
    os.mkfifo(folder / "program.txt")
    assert "there is no file program.txt" in checked(folder)
