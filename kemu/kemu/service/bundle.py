"""Bundles: what `kemu verify` found, with all that others need to check it, in one folder."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from kemu_engine.kernel.hash import pieces
from kemu_engine.play.game import Game
from kemu_engine.play.trace import record_of, trace
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.game.proofs import FILE
from kemu_grammar.syntax.ast import Table
from kemu_verifier.evidence.examine import Examination, Proofs
from kemu_verifier.evidence.itf import itf
from kemu_verifier.evidence.sections import Section, file_name
from kemu_verifier.goal.verdict import Verdict

from kemu.base.library import BadInput, shown
from kemu.recheck import manifest as m

README = """A bundle of evidence, written by `kemu verify --bundle`.

manifest.json   what is claimed, and what stands behind each verdict (schema: docs/bundle.schema.json of Kemu)
rules/          the rules file and what it uses
program.txt     the program that the verdicts are about; its SHA-256 is the program's hash
traces/         plays, as Kemu's records (`kemu replay FILE`) and in Apalache's trace format (*.itf.json)
conditions/     proof conditions in SMT-LIB 2, section by section: each is confirmed if a solver says "unsat"
symbols/        what the symbols in the conditions of a section stand for

`kemu recheck FOLDER` checks all of it without Kemu's prover. docs/evidence.md of Kemu says what each part
means.
"""


def files_of(examination: Examination, proofs: Proofs, rules: Rules, seconds: float) -> dict[str, bytes]:
    """The files of a bundle, by path. Raises BadInput."""
    game = examination.game
    files: dict[str, bytes] = {"README.txt": README.encode(), "program.txt": canonical(game.program).encode()}
    sources, main = sources_of(rules)
    files |= {f"rules/{name}": text for name, text in sources.items()}
    verdicts = []
    for number, each in enumerate(proofs.evidence):
        about = msgspec.convert(each.about, m.Evidence)
        if about.method == "play":
            stem = f"traces/{number:02}-{file_name(each.verdict.property)}"
            record, informal = play_of(game, each.verdict)
            files |= {f"{stem}.json": record, f"{stem}.itf.json": informal}
            about = msgspec.structs.replace(about, trace=f"{stem}.json", itf=f"{stem}.itf.json")
        verdicts.append(told(each.verdict, about))
    for condition in proofs.conditions:
        files[f"conditions/{condition.name}.smt2"] = condition.text.encode()
    for section in proofs.sections:
        files[symbols_of(section)] = in_json(section.symbols)
    made = m.Made(version("kemu"), platform.python_version(), version("z3-solver"), seconds)
    manifest = m.Manifest(
        game=game.title,
        settings=game.settings,
        players=list(game.players),
        program=game.hash,
        claims=claims_hash(game),
        rules=f"rules/{main}",
        library="rules/library",
        made=made,
        verdicts=verdicts,
        sections=[listed(section) for section in proofs.sections],
        files={name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
    )
    files[m.NAME] = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    return files


def symbols_of(section: Section) -> str:
    return f"symbols/{section.name}.json"


def listed(section: Section) -> m.Section:
    """A section, as the manifest has it."""
    return m.Section(
        name=section.name,
        words=section.words,
        hidden=section.hidden,
        symbols=symbols_of(section),
        conditions=[m.Condition(c.name, c.words, dict(c.role), c.confirmed) for c in section.conditions],
        invariants=section.invariants,
        shows=[m.Claimed(c.verdict, c.property, c.form, c.conditions) for c in section.shows],
        faults=section.faults,
        avoids=section.avoids,
    )


def told(verdict: Verdict, about: m.Evidence) -> m.Verdict:
    span = verdict.origin.span
    return m.Verdict(
        property=verdict.property,
        standard=verdict.standard,
        form=verdict.form,
        verdict=verdict.kind,
        wanted=verdict.wanted,
        by=verdict.by,
        detail=verdict.detail,
        depth=verdict.depth,
        seconds=round(verdict.seconds, 3),
        assumptions=list(verdict.assumptions),
        cites=list(verdict.origin.cites),
        place=f"{Path(span.file).name}:{span.line}" if span.line else None,
        evidence=about,
    )


def play_of(game: Game, verdict: Verdict) -> tuple[bytes, bytes]:
    """The trace of a verdict as a record and in ITF."""
    found = trace(game, verdict.steps or ())
    note = f"{verdict.property}: {verdict.kind}"
    record = msgspec.json.format(msgspec.json.encode(record_of(game, found, note)), indent=1) + b"\n"
    states = found.states
    loop = None
    if verdict.form in ("terminates", "ends_almost_surely") and len(states) > 1:
        loop = next((at for at, state in enumerate(states[:-1]) if state == states[-1]), None)
    steps = [step.text for step in found.steps]
    return record, in_json(itf(game, states, steps, note, loop))


def in_json(data: Any) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()


def canonical(program: object) -> str:
    """The text whose SHA-256 is the program's hash (kernel/hash.py)."""
    return "".join(pieces(program))


def claims_hash(game: Game) -> str:
    """SHA-256 of the properties."""
    return hashlib.sha256(canonical(game.program.properties).encode()).hexdigest()


def sources_of(rules: Rules) -> tuple[dict[str, bytes], str]:
    """The rules file, what it uses, and its tables' files, as they are to lie beside each other; and the path
    of the rules file. Raises BadInput."""
    main = Path(rules.file)
    found: dict[str, bytes] = {}
    tables = [each for each in rules.names.values() if isinstance(each, Table) and each.file]
    for file, text in rules.sources.items():
        path = Path(file)
        own = path in (main, Path(rules.proofs))
        folder = "game" if own else f"library/{path.parent.name}"
        found[f"{folder}/{path.name}"] = text.encode()
        for table in tables:
            if Path(table.span.file) == path:
                beside = path.parent / str(table.file)
                where = Path(folder) / str(table.file)
                if ".." in where.parts or where.is_absolute():
                    raise BadInput(f"{shown(str(table.file))} lies outside the folder of its rules file")
                found[where.as_posix()] = beside.read_bytes()
    found.setdefault("library/README.txt", b"What the rules file uses of Kemu's library.\n")
    opened = main.name if Path(rules.proofs).name in ("", FILE) else Path(rules.proofs).name
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
