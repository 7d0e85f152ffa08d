"""`kemu recheck`: a bundle is checked without the prover, and one that was tampered with is caught."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from kemu.base.library import BadInput
from kemu.cli.main import main
from kemu.recheck import manifest
from kemu.recheck.smtlib import Malformed, holds, parse, python, tree
from kemu.service import bundle

from tests.grammar.game.test_proofs import written
from tests.kemu.conftest import CELLS, COIN, CROSSES, Run

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recheck")]  # its bundles are made once

pytest.importorskip("cvc5")


def bundled(folder: Path, rules: str, *more: str) -> Path:
    done = CliRunner().invoke(main, ["verify", rules, "--seconds", "4", "--bundle", str(folder), *more])
    assert done.exit_code in (0, 1, 4), done.output
    return folder


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of proofs by induction and by a ranking."""
    folder = tmp_path_factory.mktemp("proofs")
    wanted = [f"--property={name}" for name in ("fair", "ends", "most", "no_fault")]
    return bundled(folder / "bundle", CELLS, *wanted)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of proofs by exhaustive search."""
    return bundled(tmp_path_factory.mktemp("searched") / "bundle", CROSSES)


@pytest.fixture
def copied(proofs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(proofs, tmp_path / "copy"))


def tampered(folder: Path, name: str, change: Callable[[str], str]) -> None:
    """Changes a file, and the hash of it in the manifest, so that only what it says gives it away."""
    path = folder / name
    old = path.read_text("utf-8")
    new = change(old)
    assert new != old
    path.write_text(new, "utf-8")
    rewritten(folder, lambda plain: plain["files"].update({name: hashlib.sha256(new.encode()).hexdigest()}))


def dropped(folder: Path, path: Path) -> None:
    """Takes a condition out of the bundle."""
    path.unlink()
    name = path.relative_to(folder / "conditions").with_suffix("").as_posix()

    def drop(plain: dict[str, Any]) -> None:
        del plain["files"][f"conditions/{name}.smt2"]
        for section in plain["sections"]:
            section["conditions"] = [each for each in section["conditions"] if each["name"] != name]

    rewritten(folder, drop)


def rewritten(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes the manifest."""
    path = folder / manifest.NAME
    plain = json.loads(path.read_text("utf-8"))
    change(plain)
    path.write_text(json.dumps(plain), "utf-8")


def test_bundles_of_proofs_searches_and_plays_are_confirmed(kemu: Run, proofs: Path, searched: Path) -> None:
    for folder, by in ((proofs, "cvc5"), (searched, "all 5478 states")):
        done = kemu("recheck", str(folder))
        assert done.code == 0, done.out
        assert by in done.out and "the interpreter" in done.out


def test_nothing_of_the_prover_is_loaded(proofs: Path) -> None:
    code = (
        "import sys; from kemu.cli.main import main\n"
        "try: main(['recheck', sys.argv[1]])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "bad = [m for m in sys.modules if m.split('.')[0] == 'z3' or m.startswith(('kemu_verifier.methods',"
        " 'kemu_verifier.symbolic', 'kemu_verifier.evidence', 'kemu_verifier.strategy'))]\n"
        "assert not bad, bad\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(proofs)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_another_solver_may_be_named(kemu: Run, proofs: Path) -> None:
    assert kemu("recheck", str(proofs), "--solver", "z3").code == 0
    done = kemu("recheck", str(proofs), "--solver", "no-such-solver")
    assert done.code == 64 and "no-such-solver" in done.err


def test_without_an_answer_it_is_open_not_confirmed(kemu: Run, proofs: Path, tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\necho unknown\n")
    silent.chmod(0o755)
    done = kemu("recheck", str(proofs), "--solver", str(silent))
    assert done.code == 4 and "could not be checked" in done.out


def test_too_many_states_are_open_not_confirmed(kemu: Run, searched: Path) -> None:
    done = kemu("recheck", str(searched), "--states", "100")
    assert done.code == 4 and "--states 5478" in done.out


# ------------------------------------------------------------------------------------------ tampering


def test_a_file_that_was_changed_is_caught_by_its_hash(kemu: Run, copied: Path) -> None:
    with (copied / "program.txt").open("a") as file:
        file.write(" ")
    assert "program.txt is not as it was written" in wrong(kemu, copied)


def test_a_changed_trace_is_caught(kemu: Run, copied: Path) -> None:
    name = next(path.name for path in (copied / "traces").glob("*most.json"))

    def shorter(text: str) -> str:
        record = json.loads(text)
        return json.dumps({**record, "steps": record["steps"][:-1]})

    tampered(copied, f"traces/{name}", shorter)
    assert "most: the last state is not as the verdict says" in wrong(kemu, copied)


def test_a_weaker_invariant_is_caught(kemu: Run, copied: Path) -> None:
    """In one file, because it is another there; in all of them, because the claim does not follow."""
    paths = sorted((copied / "conditions").glob("whole/*.smt2"))
    files = [path.name for path in paths if weaker(text := path.read_text("utf-8")) != text]
    tampered(copied, f"conditions/whole/{files[0]}", weaker)
    assert "for the part 'known at rules." in wrong(kemu, copied)
    for name in files[1:]:
        tampered(copied, f"conditions/whole/{name}", weaker)
    assert "cvc5" in (said := wrong(kemu, copied)) and "refutes" in said


def weaker(text: str) -> str:
    """Without invariants, but for the first of each stop: that something can be done there."""
    return re.sub(r"^(\(define-fun \|k\d+#[1-9]\d*'?\| \(\) Bool ).*\)$", r"\1true)", text, flags=re.M)


def test_changed_rules_are_caught(kemu: Run, copied: Path) -> None:
    tampered(copied, "rules/game/cells.kemu", lambda text: text.replace("if owner[c] is none", ""))
    assert "the rules compile to another program" in wrong(kemu, copied)


def test_a_changed_claim_is_caught(kemu: Run, copied: Path) -> None:
    tampered(copied, "rules/game/cells.kemu", lambda text: text.replace("has(bob) + 1", "has(bob)"))
    assert "the rules make other claims" in wrong(kemu, copied)


def test_a_dropped_condition_is_caught(kemu: Run, copied: Path) -> None:
    dropped(copied, next((copied / "conditions").glob("whole/keeps-3-arm-0-to-3*")))
    assert "no condition says that the step" in wrong(kemu, copied)


def test_a_condition_that_asks_something_else_is_caught(kemu: Run, copied: Path) -> None:
    name = next(path.name for path in (copied / "conditions").glob("whole/*fair-3.smt2"))
    tampered(
        copied, f"conditions/whole/{name}", lambda text: text.replace("(assert |bad|)", "(assert false)")
    )
    assert "does not ask what it says it shows" in wrong(kemu, copied)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("choice at nowhere\n(assert false)", "assumes something of the choice at nowhere"),
        ("else\n(define-fun |k3#0| () Bool false)", "defines |k3#0| under 'else'"),
        ("else\n(define-fun |m0| () Int 1)", "defines |m0| under 'else'"),
    ],
)
def test_what_is_slipped_into_a_condition_is_caught(kemu: Run, copied: Path, part: str, told: str) -> None:
    name = next(path.name for path in (copied / "conditions").glob("whole/*fair-3.smt2"))
    tampered(
        copied,
        f"conditions/whole/{name}",
        lambda text: text.replace(";; question", f";; {part}\n;; question"),
    )
    assert told in wrong(kemu, copied)


def test_a_condition_on_types_that_asks_for_less_is_caught(kemu: Run, copied: Path) -> None:
    name = next(path.name for path in (copied / "conditions").glob("whole/types-3-arm-0-to-3*"))
    first = re.compile(r"(;; question\n(?:.*\n)*\(assert \(not \(and )\(or (?:\|[^|]*\| ?)+\)")
    tampered(copied, f"conditions/whole/{name}", lambda text: first.sub(r"\1true", text))
    assert "does not ask whether" in wrong(kemu, copied)


def test_a_forged_step_is_caught_by_random_plays(kemu: Run, copied: Path) -> None:
    """Steps that are never taken keep every invariant."""
    for path in (copied / "conditions").glob("whole/*3-arm-0-to-3*"):
        text = path.read_text("utf-8")
        if "(define-fun |taken| () Bool" in text:
            tampered(copied, f"conditions/whole/{path.name}", never_taken)
    assert "the conditions differ" in wrong(kemu, copied)


def never_taken(text: str) -> str:
    start = "(define-fun |taken| () Bool "
    return "\n".join(f"{start}false)" if line.startswith(start) else line for line in text.split("\n"))


def test_a_verdict_that_the_evidence_does_not_bear_out_is_caught(kemu: Run, copied: Path) -> None:
    def claim(plain: dict[str, Any]) -> None:
        for each in plain["verdicts"]:
            if each["property"] == "most":
                each["verdict"] = "proved"

    rewritten(copied, claim)
    assert "most: a play cannot show that this is proved" in wrong(kemu, copied)


def test_a_claim_that_is_said_to_be_none_is_caught(kemu: Run, copied: Path) -> None:
    def unsay(plain: dict[str, Any]) -> None:
        for each in plain["verdicts"]:
            each["evidence"] = {"method": "nothing claimed"}

    rewritten(copied, unsay)
    assert "there is no evidence that" in wrong(kemu, copied)


def test_what_is_not_written_down_is_open(kemu: Run, copied: Path) -> None:
    def lose(plain: dict[str, Any]) -> None:
        for each in plain["verdicts"]:
            each["evidence"] = {"method": "none", "reason": "lost"}

    rewritten(copied, lose)
    done = kemu("recheck", str(copied))
    assert done.code == 4 and "lost" in done.out, done.out


def test_a_measure_that_does_not_fall_is_caught(kemu: Run, copied: Path) -> None:
    flat = re.compile(r"^(\(define-fun \|m\d+'?\| \(\) Int ).*\)$", re.M)
    for path in list((copied / "conditions").glob("whole/measure-*")):
        tampered(copied, f"conditions/whole/{path.name}", lambda text: flat.sub(r"\g<1>0)", text))
    assert "refutes whole/measure" in wrong(kemu, copied)


def test_a_measure_that_has_no_least_value_is_caught(kemu: Run, copied: Path) -> None:
    """With every decision the number of those made rises: no play would be endless."""
    counted = re.compile(r"^(\(define-fun \|m\d+('?)\| \(\) Int ).*\)$", re.M)
    for path in list((copied / "conditions").glob("whole/measure-*")):
        name = f"conditions/whole/{path.name}"
        tampered(copied, name, lambda text: counted.sub(r"\1(- 0 |decisions made\2|))", text))
    assert "it rests on |decisions made|" in wrong(kemu, copied)


STAY = """
game "Stay"
players ann, bob
rules:
    for p in turns():
        choose:
            stay:
                pass
            leave:
                end win(p)
"""

TOSS = """
game "Toss"
players ann, bob
rules:
    for p in turns():
        choose toss by p
        coin = roll 1..2
        if coin == 1:
            end win(p)
"""

KEEP = """
game "Keep"
players ann, bob
rules:
    for p in turns():
        coin = roll 1..2
        choose:
            keep:
                pass
            stop if coin == 1:
                end win(p)
"""


def rules(folder: Path, text: str) -> str:
    path = folder / "game.kemu"
    path.write_text(text)
    return str(path)


def test_a_play_that_returns_proves_no_end(kemu: Run, tmp_path: Path) -> None:
    def turn(plain: dict[str, Any]) -> None:
        plain["verdicts"][0] |= {"verdict": "proved"}

    folder = bundled(tmp_path / "bundle", rules(tmp_path, STAY), "--property=terminates")
    assert kemu("recheck", str(folder)).code == 0
    rewritten(folder, turn)
    assert "a play cannot show that this is proved" in wrong(kemu, folder)


def test_a_play_that_returns_by_chance_refutes_no_probability(kemu: Run, tmp_path: Path) -> None:
    def swap(plain: dict[str, Any]) -> None:
        loop, surely = plain["verdicts"]
        surely |= {"verdict": "refuted", "evidence": loop["evidence"]}

    names = ("--property=terminates", "--property=ends_almost_surely")
    folder = bundled(tmp_path / "bundle", rules(tmp_path, TOSS), *names)
    assert kemu("recheck", str(folder)).code == 0
    rewritten(folder, swap)
    assert "chance leads out of the loop" in wrong(kemu, folder)


def test_a_play_round_which_the_players_can_stay_refutes_it(kemu: Run, tmp_path: Path) -> None:
    folder = bundled(tmp_path / "bundle", rules(tmp_path, KEEP), "--property=ends_almost_surely")
    done = kemu("recheck", str(folder))
    assert done.code == 0 and "whatever chance brings" in done.out


def test_a_secret_that_is_said_to_be_none_is_caught(kemu: Run, tmp_path: Path) -> None:
    def unsay(plain: dict[str, Any]) -> None:
        plain["verdicts"][0]["evidence"] = {"method": "nothing hidden"}

    folder = bundled(tmp_path / "bundle", COIN, "--property=no_leak")
    rewritten(folder, unsay)
    assert "something is hidden" in wrong(kemu, folder)


def test_forged_searches_are_caught(kemu: Run, searched: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(searched, tmp_path / "copy"))

    def claim(plain: dict[str, Any]) -> None:
        whole = next(v["evidence"] for v in plain["verdicts"] if v["property"] == "one_winner")
        for each in plain["verdicts"]:
            if each["property"] == "always_decided":
                each |= {"verdict": "proved", "evidence": whole}

    rewritten(copy, claim)
    assert "always_decided: state " in wrong(kemu, copy)


def wrong(kemu: Run, folder: Path) -> str:
    """What is said of a bundle that does not hold."""
    done = kemu("recheck", str(folder))
    assert done.code == 1, done.out
    return done.out


@pytest.mark.parametrize("opened", ["heap.kemu", "proofs.kemu"])
def test_a_bundle_holds_the_file_of_proofs(kemu: Run, tmp_path: Path, opened: str) -> None:
    written(tmp_path)
    folder = bundled(tmp_path / "bundle", str(tmp_path / opened), "--property=ends", "--instance=small")
    assert (folder / "rules" / "game" / "proofs.kemu").is_file()
    assert kemu("recheck", str(folder)).code == 0


# ------------------------------------------------------------------------------------------ bundles


def test_a_folder_that_is_no_bundle_is_neither_checked_nor_overwritten(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert kemu("recheck", "mine").code == 64
    assert kemu("verify", CROSSES, "--bundle", "mine").code == 64
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_a_bundle_is_replaced_as_a_whole(kemu: Run, searched: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(searched, tmp_path / "copy"))
    (copy / "stray.txt").write_text("?")
    assert kemu("verify", CROSSES, "--property", "one_winner", "--bundle", str(copy)).code == 0
    assert not (copy / "stray.txt").exists()
    assert [v.property for v in manifest.load(copy).verdicts] == ["one_winner"]


def test_a_bundle_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something goes wrong after the old one has made way."""
    bundle.write({manifest.NAME: b"old"}, tmp_path / "mine")
    rename = Path.rename

    def fails(self: Path, to: Path) -> Path:
        if self.name != "bundle" and to == tmp_path / "mine":
            raise OSError(28, "No space left on device")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(BadInput, match="No space left"):
        bundle.write({manifest.NAME: b"new"}, tmp_path / "mine")
    assert (tmp_path / "mine" / manifest.NAME).read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_traces_are_written_in_apalaches_format_too(searched: Path) -> None:
    trace = json.loads(next((searched / "traces").glob("*always_decided.itf.json")).read_text("utf-8"))
    assert trace["#meta"]["format"] == "ITF" and len(trace["states"]) == 10
    assert set(trace["vars"]) == set(trace["states"][0]) - {"#meta"}


def test_the_schema_in_the_documents_is_that_of_the_manifest() -> None:
    path = Path(__file__).parents[3] / "docs" / "bundle.schema.json"
    assert json.loads(path.read_text("utf-8")) == msgspec.to_builtins(manifest.schema())


# ------------------------------------------------------------------------------------------ SMT-LIB


def test_expressions_have_the_values_that_smt_lib_gives_them() -> None:
    assert holds("(= (div (- 7) 2) (- 4))", {})
    assert holds("(and (=> |a| (not |b|)) (<= (ite |b| 1 0) 0))", {"|a|": True, "|b|": False})
    with pytest.raises(Malformed):
        python(tree("(exec 1)"))


@pytest.mark.parametrize(
    "line", ["(assert false)", "(define-fun |x| () Bool true)(assert false)", "(set-option :a b)"]
)
def test_lines_that_do_not_belong_are_refused(line: str) -> None:
    with pytest.raises(Malformed):
        parse(f";; declarations\n;; known at x\n{line}\n;; question\n(check-sat)")
