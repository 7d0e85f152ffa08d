"""What a bundle writes cannot be taken for what the checker says; and what can be read in two ways is not."""

import json
from pathlib import Path
from typing import Any

import pytest
from kemu_checker.__main__ import main

from tests.checker.written import Written, written

ROUND = """
game "Round"
players ann
state:
    x: 0..9 = 5
rules:
    while true:
        choose by ann:
            keep: pass
            stop: end win(ann)
property five: always x == 5
"""
LINE = "terminates                               proved       confirmed           0.0 s  " + 1000 * " "


@pytest.fixture
def round_(tmp_path: Path) -> Written:
    return written(tmp_path, ROUND)


def said(
    game: Written, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str]:
    """What the command says of a bundle that answers five rightly, and the other questions as they are."""
    monkeypatch.setattr("sys.argv", ["kemu_checker", str(game.folder), "--solver", "glucose"])
    code = main()
    return code, capsys.readouterr().out


def answered(game: Written, *more: dict[str, Any], **changes: Any) -> None:
    """A bundle with these answers too, and other fields in its manifest."""
    assert game.judge("five", "proved", kind="all states") == "confirmed"
    path = game.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["answers"] += more
    path.write_text(json.dumps({**manifest, **changes}))


def unknown(key: str, verdict: str = "unknown") -> dict[str, Any]:
    return {"key": key, "verdict": verdict, "evidence": {"kind": "none", "reason": ""}}


def test_a_verdict_that_looks_like_a_line(round_: Written, capsys: Any, monkeypatch: Any) -> None:
    answered(round_, unknown("terminates", "proved       confirmed           0.0 s  " + 1000 * " "))
    code, text = said(round_, capsys, monkeypatch)
    assert code == 1 and "confirmed" not in text and "a verdict that there is not" in text


def test_a_key_that_looks_like_a_line(round_: Written, capsys: Any, monkeypatch: Any) -> None:
    answered(round_, unknown(LINE))
    text = said(round_, capsys, monkeypatch)[1]
    lines = [line for line in text.splitlines() if line.startswith("terminates ")]
    assert len(lines) == 1 and "does not answer" in lines[0]


@pytest.mark.parametrize("name", ["terminates", "terminates (2)", "informed(ann)"])
def test_a_claim_that_has_the_name_of_a_standard_question(
    round_: Written, capsys: Any, monkeypatch: Any, name: str
) -> None:
    answered(round_, unknown("terminates"))
    claims = round_.folder / "claims.txt"
    claims.write_text(claims.read_text().replace('"five"', f'"{name}"'))
    code, text = said(round_, capsys, monkeypatch)
    assert code == 1 and "confirmed" not in text and "standard question" in text


def test_a_claim_whose_name_looks_like_that_of_a_standard_question(
    tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    """One of its letters is Cyrillic."""
    game = written(tmp_path, ROUND.replace("five", "terminat\u0435s"))
    assert game.judge("terminat\u0435s", "proved", kind="all states") == "confirmed"
    lines = said(game, capsys, monkeypatch)[1].splitlines()
    assert [line.split()[:3] for line in lines if " confirmed " in line] == [
        ["'terminat\\u0435s'", "proved", "confirmed"]
    ]


@pytest.mark.parametrize("text", ['{"version": 5, "version": 3}', '{"version": 3, "n": NaN}', "\ufeff{}"])
def test_json_that_can_be_read_in_two_ways(round_: Written, capsys: Any, monkeypatch: Any, text: str) -> None:
    answered(round_)
    (round_.folder / "manifest.json").write_text(text)
    assert said(round_, capsys, monkeypatch)[0] == 1


def test_files_that_nobody_listed(round_: Written, capsys: Any, monkeypatch: Any) -> None:
    answered(round_, files={})
    code, text = said(round_, capsys, monkeypatch)
    assert code == 1 and "program.txt is not listed" in text


def test_a_question_that_nobody_asks(round_: Written, capsys: Any, monkeypatch: Any) -> None:
    answered(round_)
    monkeypatch.setattr("sys.argv", ["kemu_checker", str(round_.folder), "--only", "six"])
    assert main() == 1 and "nobody asks 'six'" in capsys.readouterr().out
