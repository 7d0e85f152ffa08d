"""Bundles as files: written whole or not at all, and never over what is none."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from kemu.base.library import BadInput
from kemu.base.opening import load
from kemu.cli.main import main
from kemu.recheck import manifest
from kemu.recheck.rules import altered, compiled, program_of, subject
from kemu.recheck.texts import texts_of
from kemu.service import bundle

from tests.grammar.game.test_proofs import written
from tests.kemu.conftest import CELLS, CROSSES, Run

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recheck")]  # its bundles are made once


def bundled(folder: Path, rules: str, *more: str) -> Path:
    done = CliRunner().invoke(main, ["verify", rules, "--seconds", "4", "--bundle", str(folder), *more])
    assert done.exit_code in (0, 1, 4), done.output
    return folder


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of proofs by induction and by a ranking."""
    wanted = [f"--property={name}" for name in ("fair", "ends", "most", "no_fault")]
    return bundled(tmp_path_factory.mktemp("proofs") / "bundle", CELLS, *wanted)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of proofs by exhaustive search."""
    return bundled(tmp_path_factory.mktemp("searched") / "bundle", CROSSES)


def kinds(folder: Path) -> dict[str, str]:
    plain = json.loads((folder / manifest.NAME).read_text("utf-8"))
    return {each["key"]: each["evidence"]["kind"] for each in plain["answers"]}


def test_an_answer_says_what_stands_behind_it(proofs: Path, searched: Path) -> None:
    assert kinds(proofs) == {"fair": "excluded", "ends": "ranking", "most": "play", "no_fault": "excluded"}
    assert set(kinds(searched).values()) == {"all states", "play", "nothing hidden"}
    written = manifest.load(proofs).proofs
    assert (written[0], written[-1]) == ("whole", "ending")


def test_the_rules_give_the_texts_of_the_bundle_again(proofs: Path) -> None:
    about = manifest.load(proofs)
    for name, text in texts_of(program_of(proofs, about)).items():
        assert (proofs / name).read_bytes() == text
    assert altered(proofs, about) == []


def test_a_file_that_was_changed_added_or_taken_away_is_told(proofs: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(proofs, tmp_path / "copy"))
    (copy / "stray.txt").write_text("?")
    (copy / "claims.txt").write_text("?")
    (copy / "proofs" / "whole.txt").unlink()
    assert altered(copy, manifest.load(copy)) == [
        "proofs/whole.txt is missing",
        "stray.txt does not belong to the bundle",
        "claims.txt is not as it was written",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "'Heap' for ann, bob; short=false; program "),
        (("--set=short=true",), "'Heap' for ann, bob; short=true; program "),
        (
            ("--set=few=3",),
            "'Heap' for ann, bob; short=false; "
            "in the file of proofs' own model few=3, which may change rules; program ",
        ),
    ],
)
def test_it_is_said_of_what_a_bundle_is(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    folder = bundled(tmp_path / "bundle", str(written(tmp_path)), "--property=ends", *options)
    (given,) = (option.removeprefix("--set=").split("=") for option in options or ("--set=few=9",))
    game = load(tmp_path / "heap.kemu", **dict([given]))
    assert subject(compiled(folder, manifest.load(folder))) == said + game.hash


@pytest.mark.parametrize("opened", ["heap.kemu", "proofs.kemu"])
def test_a_bundle_holds_the_file_of_proofs(tmp_path: Path, opened: str) -> None:
    written(tmp_path)
    folder = bundled(tmp_path / "bundle", str(tmp_path / opened), "--property=ends", "--instance=small")
    assert (folder / "rules" / "game" / "proofs.kemu").is_file()
    texts = texts_of(program_of(folder, manifest.load(folder)))
    assert texts["claims.txt"] == (folder / "claims.txt").read_bytes()


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
    assert [answer.key for answer in manifest.load(copy).answers] == ["one_winner"]


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


def test_a_bundle_of_another_version_is_to_be_written_anew(tmp_path: Path) -> None:
    (tmp_path / manifest.NAME).write_text('{"version": 3}')
    with pytest.raises(BadInput, match=r"of version 3, .* for version 5: write it anew"):
        manifest.load(tmp_path)


def test_the_schema_in_the_documents_is_that_of_the_manifest() -> None:
    path = Path(__file__).parents[3] / "docs" / "bundle.schema.json"
    assert json.loads(path.read_text("utf-8")) == msgspec.to_builtins(manifest.schema())
