"""Bundles: what `kemu verify` found, with all that others need to check it, in one folder."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from kemu_engine.kernel.hash import canonical
from kemu_engine.play.game import Game
from kemu_engine.play.trace import Trace, record_of, trace
from kemu_grammar.game.beside import PROOFS
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.syntax.ast import Table
from kemu_verifier.evidence import answers as a
from kemu_verifier.evidence.examine import Examination, Found
from kemu_verifier.evidence.itf import itf
from kemu_verifier.goal.verdict import Verdict

from kemu.base.library import BadInput, shown
from kemu.recheck import manifest as m
from kemu.recheck.texts import texts_of
from kemu.service.runs import played_in

README = """A bundle of evidence, written by `kemu verify --bundle`.

manifest.json   the answer to each question, and what stands behind it (docs/bundle.schema.json of Kemu)
rules/          the rules file and what it uses
program.txt     the program that the answers are about; its SHA-256 is the program's hash
claims.txt      what is claimed of it
proofs/         what was found for proofs: invariants and measures
traces/         plays, as Kemu's records (`kemu replay FILE`) and in Apalache's trace format (*.itf.json)

`kemu recheck FOLDER` checks all of it without Kemu's prover. docs/evidence.md of Kemu says what each part
means.
"""


def files_of(examination: Examination, found: Found, rules: Rules, seconds: float) -> dict[str, bytes]:
    """The files of a bundle, by path. Raises BadInput."""
    game = examination.game
    files = {"README.txt": README.encode()} | texts_of(game.program)
    sources, main = sources_of(rules)
    files |= {f"rules/{name}": text for name, text in sources.items()}
    answers = []
    for number, each in enumerate(found.answers):
        stem = f"traces/{number:02}-{file_name(each.verdict.property)}"
        if isinstance(each.evidence, a.Play | a.Value):
            record, informal = play_of(game, each.shown)
            files |= {f"{stem}.json": record, f"{stem}.itf.json": informal}
        elif isinstance(each.evidence, a.TwoPlays):
            for name, steps in zip(names_of_two(stem), each.evidence.plays, strict=True):
                files[name] = record_in_json(game, trace(game, steps, None), each.verdict)
        evidence = written(each.evidence, stem)
        answers.append(m.Answer(each.key, each.verdict.kind, evidence, said(each.verdict)))
    for proof in found.proofs:
        files[f"proofs/{proof.name}.txt"] = canonical(proof).encode()
    manifest = m.Manifest(
        game=game.title,
        settings=game.settings,
        players=list(game.players),
        rules=f"rules/{main}",
        library="rules/library",
        made=m.Made(version("kemu"), platform.python_version(), version("z3-solver"), seconds),
        answers=answers,
        proofs=[proof.name for proof in found.proofs],
        files={name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
    )
    files[m.NAME] = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    return files


def names_of_two(stem: str) -> list[str]:
    """The files of two plays."""
    return [f"{stem}.json", f"{stem}-other.json"]


def written(evidence: a.Evidence, stem: str) -> m.Evidence:
    """Evidence as the manifest has it; `stem`: how the names of the files of its plays begin, if it has
    some."""
    trace = f"{stem}.json"
    match evidence:
        case a.Play():
            state = None if evidence.state is None else msgspec.to_builtins(list(evidence.state))
            return m.Play(trace, evidence.loop, evidence.around, state, evidence.since)
        case a.AllStates():
            return m.AllStates(evidence.number)
        case a.Excluded():
            return m.Excluded(list(evidence.proofs))
        case a.Steps():
            return m.Steps(list(evidence.proofs), evidence.steps)
        case a.Laps():
            opened = [list(each) for each in evidence.opened]
            return m.Laps(list(evidence.heads), list(evidence.proofs), evidence.ranking, opened)
        case a.Ranked():
            return m.Ranked(list(evidence.proofs), evidence.ranking)
        case a.Value():
            return m.Value(evidence.number, trace, list(evidence.proofs))
        case a.NothingHidden():
            return m.NothingHidden()
        case a.TwoPlays():
            return m.TwoPlays(names_of_two(stem), evidence.seer)
        case a.AllPlays():
            return m.AllPlays()
        case a.Flow():
            return m.Flow()
        case a.TwoStates():
            return m.TwoStates(list(evidence.proofs))
        case a.Nothing():
            return m.Nothing(evidence.reason)


def said(verdict: Verdict) -> m.Said:
    """What a verdict says besides."""
    span = verdict.origin.span
    return m.Said(
        property=verdict.property,
        standard=verdict.standard,
        form=verdict.form,
        wanted=verdict.wanted,
        by=verdict.by,
        detail=verdict.detail,
        depth=verdict.depth,
        seconds=round(verdict.seconds, 3),
        assumptions=list(verdict.assumptions),
        cites=list(verdict.origin.cites),
        place=f"{Path(span.file).name}:{span.line}" if span.line else None,
    )


def play_of(game: Game, verdict: Verdict) -> tuple[bytes, bytes]:
    """The trace of a verdict as a record and in ITF."""
    game, start = played_in(game, verdict)
    found = trace(game, verdict.steps or (), start)
    note = f"{verdict.property}: {verdict.kind}"
    record = record_in_json(game, found, verdict)
    states = found.states
    loop = None
    if verdict.form in ("terminates", "ends_almost_surely") and len(states) > 1:
        loop = next((at for at, state in enumerate(states[:-1]) if state == states[-1]), None)
    steps = [step.text for step in found.steps]
    return record, in_json(itf(game, states, steps, note, loop))


def record_in_json(game: Game, found: Trace, verdict: Verdict) -> bytes:
    """A trace of a verdict as a record."""
    note = f"{verdict.property}: {verdict.kind}"
    return msgspec.json.format(msgspec.json.encode(record_of(game, found, note)), indent=1) + b"\n"


def file_name(name: str) -> str:
    """A property's name as part of a file's name."""
    return re.sub(r"[^\w.#-]+", "_", name).strip("_") or "verdict"


def in_json(data: Any) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()


def sources_of(rules: Rules) -> tuple[dict[str, bytes], str]:
    """The rules file, what it uses, and its tables' files, as they are to lie beside each other; and the path
    of the rules file."""
    main = Path(rules.file)
    found: dict[str, bytes] = {}
    for file, text in rules.sources.items():
        path = Path(file)
        own = path in (main, Path(rules.proofs))
        folder = "game" if own else f"library/{path.parent.name}"
        found[f"{folder}/{path.name}"] = text.encode()
        for each in rules.names.values():
            if isinstance(each, Table) and each.text is not None and Path(each.span.file) == path:
                found[f"{folder}/{each.file}"] = each.text.encode()
    found.setdefault("library/README.txt", b"What the rules file uses of Kemu's library.\n")
    opened = main.name if Path(rules.proofs).name in ("", PROOFS) else Path(rules.proofs).name
    return found, f"game/{opened}"


def ready(folder: Path) -> None:
    """Whether a bundle can be written there: nothing is there yet, or an older bundle. Raises BadInput."""
    if folder.exists() and not (folder / m.NAME).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{shown(str(folder))} already exists and is not a bundle")
    if os.path.ismount(folder):
        raise BadInput(
            f"{shown(str(folder))} is a mount point, which cannot be replaced; name a folder in it"
        )
    above = next(path for path in folder.absolute().parents if path.exists())
    try:
        Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=above)).rmdir()
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(folder))}: {error.strerror or error}") from error


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Writes the bundle, whole or not at all; an older one makes way. Raises BadInput."""
    ready(folder)
    folder = folder.absolute()
    draft = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        for name, data in files.items():
            path = draft / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        draft.chmod(0o755)
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
            try:
                folder.rename(old / "bundle")
                draft.rename(folder)
            except BaseException:
                if not folder.exists():
                    (old / "bundle").rename(folder)
                shutil.rmtree(old, ignore_errors=True)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            draft.rename(folder)
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(folder))}: {error.strerror or error}") from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
