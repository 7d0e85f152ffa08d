"""`kemu recheck`: the rules of a bundle are compiled anew, and their texts are given to the checker."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kemu.cli.main import main
from kemu.recheck import manifest
from kemu.recheck.rules import program_of
from kemu_engine.kernel.hash import program_hash
from kemu_verifier.strategy import strategy

from tests.gallery.test_gallery import HERE
from tests.kemu.recheck.test_bundle import bundled
from tests.soak import as_far

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recheck")]  # its bundle is made once

pytest.importorskip("cvc5")

Rechecked = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of proofs by induction, of plays and of a loop."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strategy, "STATES", 1)
        return bundled(tmp_path_factory.mktemp("proofs") / "bundle", str(HERE / "needs_lemma.kemu"))


@pytest.fixture
def copied(proofs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(proofs, tmp_path / "copy"))


@pytest.fixture
def rechecked(capfd: pytest.CaptureFixture[str]) -> Rechecked:
    """The exit code, and what is said, by the checker in its own process too."""

    def run(folder: Path, *options: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main(["recheck", str(folder), *options])
        assert isinstance(end.value.code, int)
        return end.value.code, capfd.readouterr().out

    return run


def rewritten(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes the manifest."""
    path = folder / manifest.NAME
    plain = json.loads(path.read_text("utf-8"))
    change(plain)
    path.write_text(json.dumps(plain), "utf-8")


def tampered(folder: Path, name: str, old: str, new: str) -> None:
    """Changes a file, and the hash of it in the manifest, so that only what it says gives it away."""
    path = folder / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    rewritten(folder, lambda plain: plain["files"].update({name: digest}))


def test_everything_is_confirmed(proofs: Path, rechecked: Rechecked) -> None:
    code, said = rechecked(proofs)
    assert code == 0, said
    assert "18 confirmed" in said
    of = program_of(proofs, manifest.load(proofs))
    assert re.match(rf"{of.game!r} for {', '.join(of.players)}; .*program {program_hash(of)}\n", said)


@pytest.mark.parametrize("name", as_far(3, ["relay", "missing_value", "beginning", "forced_loop"]))
def test_small_games_that_are_proved_as_large_ones_are_confirmed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rechecked: Rechecked
) -> None:
    """Their states are not gone through; and parts of the state are looked at."""
    monkeypatch.setattr(strategy, "STATES", 1)
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    code, said = rechecked(bundled(tmp_path / "bundle", str(HERE / f"{name}.kemu")))
    assert code == 0, said


FIRST = ("not applicable", "exploration", "symbolic reading")
SEVERAL = """
game "Several"
players ann
state:
    at: 0..6 = 0
    lit: set[0..19]
rules:
    for p in turns():
        choose step(k in 0..19) by p
        lit |= {k}
        at = [1, 2, 0, 4, 4, 3, 6][at]
property four: never at == 4
"""
SHORT = """
game "Short"
players ann
state:
    sum: 0..300
rules:
    for i in 1..3:
        choose add(k in 0..9) by ann
        sum += k
    end win(ann)
property much: always sum < 28
"""


@pytest.mark.parametrize(
    ("rules", "by", "name"),
    [
        pytest.param(SEVERAL, "longer k-induction", "four", id="k-induction"),
        pytest.param(SHORT, "bounded model checking", "much", id="to the end"),
    ],
)
def test_several_steps_in_a_row(
    rules: str, by: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rechecked: Rechecked
) -> None:
    rows = tuple(row for row in strategy.STRATEGY if row.method in (*FIRST, by, strategy.STRATEGY[-1].method))
    monkeypatch.setattr("kemu_verifier.strategy.verify.STRATEGY", rows)
    monkeypatch.setattr(strategy, "STATES", 1)
    (tmp_path / "game.kemu").write_text(rules)
    folder = bundled(tmp_path / "bundle", str(tmp_path / "game.kemu"), f"--property={name}", "--seconds=20")
    (answer,) = json.loads((folder / manifest.NAME).read_text("utf-8"))["answers"]
    assert answer["evidence"]["kind"] == "steps"
    assert "1 confirmed" in rechecked(folder, "--only", name)[1]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        pytest.param("program.txt", '"debt"', '"dept"', id="another name"),
        pytest.param("program.txt", "Const(Int(0,0,),0,),", "Const(Int(1,1,),1,),", id="another constant"),
        pytest.param(
            "program.txt",
            '"stop",[],Const(Bool(),1,),',
            '"stop",[],Const(Bool(),0,),',
            id="a way never taken",
        ),
        pytest.param("claims.txt", '"eq"', '"ne"', id="another case"),
    ],
)
def test_it_is_the_program_of_the_rules_that_is_checked(
    copied: Path, name: str, old: str, new: str, rechecked: Rechecked
) -> None:
    """Other texts are told, and what is answered is checked of the rules."""
    tampered(copied, name, old, new)
    code, said = rechecked(copied)
    assert code == 1 and f"the rules compile to another {name}" in said and "18 confirmed" in said


def test_a_changed_file_is_told(copied: Path, rechecked: Rechecked) -> None:
    (copied / "README.txt").write_text("?")
    code, said = rechecked(copied)
    assert code == 1 and "README.txt is not as it was written" in said


def test_a_question_without_an_answer_is_told(copied: Path, rechecked: Rechecked) -> None:
    rewritten(copied, lambda plain: plain["answers"].pop(0))
    code, said = rechecked(copied)
    assert code == 4 and "does not answer" in said


def test_answers_that_are_exchanged_are_caught(copied: Path, rechecked: Rechecked) -> None:
    def exchange(plain: dict[str, Any]) -> None:
        for answer in plain["answers"]:
            if answer["key"] in ("terminates", "no_fault"):
                answer["verdict"] = {"proved": "refuted", "refuted": "proved"}[answer["verdict"]]

    rewritten(copied, exchange)
    code, said = rechecked(copied)
    assert code == 1 and "16 confirmed" in said


@pytest.mark.parametrize(
    "change",
    [{"game": "Another"}, {"settings": {"size": "9"}}, {"players": ["ann", "eve"]}],
    ids=lambda change: next(iter(change)),
)
def test_a_manifest_that_speaks_of_another_game(
    copied: Path, change: dict[str, Any], rechecked: Rechecked
) -> None:
    rewritten(copied, lambda plain: plain.update(change))
    code, said = rechecked(copied)
    assert code == 1 and f"the manifest speaks of the {next(iter(change))} " in said


def test_a_bundle_cannot_bring_its_own_checker(copied: Path) -> None:
    """Its folder may be the present one."""
    (copied / "kemu_checker").mkdir()
    (copied / "kemu_checker" / "__main__.py").write_text("print('all confirmed')")
    command = [Path(sys.executable).with_name("kemu"), "recheck", "."]
    done = subprocess.run(command, cwd=copied, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "all confirmed" not in done.stdout and "18 confirmed" in done.stdout


@pytest.mark.parametrize("name", ["above", "program.txt", "rules/game/needs_lemma.kemu"])
def test_links_are_no_files_of_a_bundle(
    copied: Path, tmp_path: Path, name: str, rechecked: Rechecked
) -> None:
    """Nor if nobody lists them: what would be checked is not what is in the bundle."""
    mine = tmp_path / "mine"
    if (copied / name).exists():
        shutil.move(copied / name, mine)
        rewritten(copied, lambda plain: plain["files"].pop(name))
    else:
        mine.mkdir()
    (copied / name).symlink_to(mine)
    code, said = rechecked(copied)
    assert code == 1 and f"'{name}' is neither a file nor a folder" in said and "confirmed" not in said


@pytest.mark.parametrize("name", [manifest.NAME, "rules/game/needs_lemma.kemu"])
def test_pipes_are_none_either(copied: Path, name: str, rechecked: Rechecked) -> None:
    """What is read from them would never end."""
    (copied / name).unlink()
    os.mkfifo(copied / name)
    assert rechecked(copied) == (1, f"'{name}' is neither a file nor a folder\n")


def test_a_file_that_would_fill_the_disk(copied: Path, rechecked: Rechecked) -> None:
    os.truncate(copied / "README.txt", 1 << 40)
    assert rechecked(copied) == (1, "'README.txt' is too large\n")


def test_a_manifest_that_is_nested_too_deep(copied: Path, rechecked: Rechecked) -> None:
    path = copied / manifest.NAME
    path.write_text(path.read_text().replace("{", '{"more": ' + "[" * 200_000 + "]" * 200_000 + ",", 1))
    assert rechecked(copied)[0] == 64


def test_what_a_bundle_says_stays_on_its_line(copied: Path, rechecked: Rechecked) -> None:
    answer = {"key": "x\nall confirmed\x1b[2K", "verdict": "proved"}
    rewritten(copied, lambda plain: plain["answers"].append(plain["answers"][0] | answer))
    code, said = rechecked(copied)
    assert code == 1 and r"x\nall confirmed\x1b[2K" in said and "\nall" not in said


def test_nothing_of_the_prover_is_loaded(proofs: Path) -> None:
    code = (
        "import sys; from kemu.cli.main import main\n"
        "try: main(['recheck', sys.argv[1]])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('z3', 'kemu_verifier')]\n"
        "assert not bad, bad\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(proofs)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
