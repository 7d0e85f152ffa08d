"""Programs, claims and rules of true bundles, forged: what is confirmed of them must be so.

    .venv/bin/python -m tests.checker.forge_programs needs_lemma ring [--all]

What is written down is then evidence about another game, and may be right by chance. So what is confirmed of
it is asked once more of all its states, or all its plays: they must not say the contrary. `kemu recheck`,
which compiles the rules, must not end with 0.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner
from kemu.cli.main import main as kemu
from kemu.recheck.texts import CLAIMS, PROGRAM, texts_of
from kemu_engine.lower.instantiate import instantiate
from kemu_grammar.game.game import read
from kemu_grammar.source.diagnostics import RulesError

from tests.checker.forge import LINE, Forgery, checked, command, forged, within
from tests.checker.trees import as_json, forged_texts
from tests.rules import LIBRARY

SECONDS = 10
"""Of work for one forgery; other programs may be without end."""
NOT_SHOWN = "the evidence does not show it"
_WORDS = {"<": "<=", "<=": "<", "==": "!=", "!=": "==", ">": ">=", "and": "or", "or": "and", "+=": "-="}
_WORDS |= {
    ">=": ">",
    "-=": "+=",
    "true": "false",
    "false": "true",
    "secret": "",
    "hidden": "",
    "never": "always",
}
_WORD = re.compile(r"[<>=!]=|\+=|-=|[<>]|\b(?:and|or|true|false|secret|hidden|never)\b|\b\d+\b")


def forgeries(folder: Path, _: list[Path]) -> Iterator[Forgery]:
    """All changes of what a bundle is about: its program, its claims, its rules."""
    for name in (PROGRAM, CLAIMS):
        for words, other in forged_texts((folder / name).read_text()):
            yield Forgery(f"{name}: {words}", {name: other.encode()})
    for path in sorted((folder / "rules").rglob("*.kemu")):
        name = path.relative_to(folder).as_posix()
        text = path.read_text()
        for words, other in _forged_rules(text):
            if other == text:
                continue
            yield Forgery(f"{name}: {words}", {name: other.encode(), **_compiled(path, other)})


def _forged_rules(text: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines(keepends=True)
    for i in range(len(lines)):
        yield f"line {i + 1} left out", "".join([*lines[:i], *lines[i + 1 :]])
    for match in _WORD.finditer(text):
        old = match[0]
        for new in (str(int(old) + 1), str(max(int(old) - 1, 0))) if old.isdigit() else (_WORDS[old],):
            line = text.count("\n", 0, match.start()) + 1
            yield f"line {line}: {old} is {new}", text[: match.start()] + new + text[match.end() :]


def _compiled(path: Path, text: str) -> dict[str, bytes | None]:
    """What other rules compile to; nothing if they are none."""
    before = path.read_text()
    try:
        path.write_text(text)
        return dict(texts_of(instantiate(read(path, LIBRARY), {}, None)))
    except RulesError:
        return {}
    finally:
        path.write_text(before)


def tried(folder: Path, forgery: Forgery, _: dict[str, str]) -> list[str]:
    """What is wrong with what is said of another program."""
    with forged(folder, forgery):
        try:
            with within(SECONDS) as late:
                found = [*_contradicted(folder), *_passed(folder)]
        except Exception as error:
            return [f"{type(error).__name__}: {error}"]
    return [] if late else found


def _contradicted(folder: Path) -> list[str]:
    """What is confirmed, and not so by all states, or all plays."""
    confirmed = {match["key"]: match["said"] for match in LINE.finditer(checked(folder))}
    manifest = json.loads((folder / "manifest.json").read_text())
    answers = []
    for answer in manifest["answers"]:
        kind = "all plays" if answer["key"] in ("informed", "no_leak") else "all states"
        looked_at = {"kind": kind, "number": answer["evidence"].get("number")}
        if confirmed.get(answer["key"]) == answer["verdict"] and answer["evidence"]["kind"] != kind:
            answers.append({**answer, "evidence": looked_at})
    if not answers:
        return []
    with forged(folder, Forgery("", {"manifest.json": as_json({**manifest, "answers": answers}).encode()})):
        lines = checked(folder).splitlines()
    return [f"not by all states: {line}" for line in lines if line.endswith(NOT_SHOWN)]


def _passed(folder: Path) -> list[str]:
    """Whether `kemu recheck` finds nothing, though the checker it asks does not."""
    with patch.object(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess((), 0)):
        done = CliRunner().invoke(kemu, ["recheck", str(folder)])
    return [] if done.exit_code in (1, 64) else [f"`kemu recheck` ends with {done.exit_code}: {done.output}"]


if __name__ == "__main__":
    sys.exit(command("tests.checker.forge_programs", __doc__, forgeries, tried))
