"""A bundle's files, read with distrust."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kemu_checker.cuts import Cuts, cut, cuts_in
from kemu_checker.leftovers import check_leftovers
from kemu_checker.looks import below
from kemu_checker.machine import STOPS
from kemu_checker.questions import questions
from kemu_checker.scopes import Scopes
from kemu_checker.shapes import check, check_program, sizes
from kemu_checker.text import BadText, Node, read
from kemu_checker.wellformed import check_types

_MOST = 200_000_000
CLAIMING = ("proved", "refuted", "possible", "impossible")
VERDICTS = (*CLAIMING, "not inductive", "holds to depth", "sampled", "unknown", "not applicable")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the bundle says to one question."""

    key: str
    verdict: str
    evidence: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Proof:
    """An induction, a ranking or a strategy; and where loops are cut in the program that it is about."""

    node: Node
    cuts: Cuts | None


@dataclass(frozen=True, slots=True)
class Other:
    """A program that is not the whole game's: a rule by itself; and what is proved of it."""

    program: Node
    proofs: list[Proof] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is checked: program, claims, answers, and what was found for them."""

    folder: Path
    program: Node
    claims: Node
    answers: tuple[Answer, ...]
    proofs: tuple[Proof, ...]
    others: dict[str, Other]  # by the key of a question
    unreadable: tuple[str, ...]

    def record(self, name: str) -> Any:
        """A play."""
        return from_json(_text(self.folder, name))


def open_bundle(folder: Path, program: str | None = None, claims: str | None = None) -> Bundle:
    """The bundle in this folder; raises BadText if it is none. Texts that are given stand for the files."""
    try:
        manifest = from_json(_text(folder, "manifest.json"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadText(f"manifest.json: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("version") != 5:
        raise BadText("manifest.json is none of version 5")
    whole = check_program(read(_text(folder, "program.txt") if program is None else program))
    check(whole, "Program", sizes(whole))
    check_types(whole, whole)
    check_leftovers(whole)
    said = read(_text(folder, "claims.txt") if claims is None else claims)
    check(said, "Claims", sizes(whole))
    check_types(said, whole)
    _check_claims(whole, said)
    answers = tuple(_answers(manifest))
    if len({answer.key for answer in answers}) < len(answers):
        raise BadText("manifest.json: two answers to one question")
    others = {each.key: Other(each.run) for each in questions(whole, said) if each.run is not None}
    for each in others.values():
        check_leftovers(each.program)
    named: dict[str, Other] = {}
    unreadable = []
    for answer in answers:
        other = others.get(answer.key)
        if other is not None:
            named |= dict.fromkeys(_named(answer), other)
    proofs: list[Proof] = []
    for name in _list(manifest, "proofs"):
        other = named.get(name)
        try:
            proof = read_proof(_text(folder, f"proofs/{name}.txt"), whole if other is None else other.program)
        except BadText as error:
            unreadable.append(f"proofs/{name}.txt: {error}")
        else:
            (proofs if other is None else other.proofs).append(proof)
    return Bundle(folder, whole, said, answers, tuple(proofs), others, tuple(unreadable))


def _named(answer: Answer) -> list[str]:
    """The proofs that an answer names."""
    inductions = answer.evidence.get("proofs")
    names = [*(inductions if isinstance(inductions, list) else []), answer.evidence.get("ranking")]
    return [name for name in names if isinstance(name, str)]


def altered(folder: Path) -> list[str]:
    """The files that are not as the manifest says."""
    try:
        listed = dict(from_json(_text(folder, "manifest.json"))["files"])
    except (ValueError, RecursionError, LookupError, TypeError):
        return ["manifest.json lists no files"]
    wrong = [
        f"{name} is not as it was written" for name, told in listed.items() if _sum(folder, name) != told
    ]
    there = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return wrong + [f"{name} is not listed" for name in there if name not in {*listed, "manifest.json"}]


def from_json(text: str) -> Any:
    """Data that can be read in one way only: no name twice, nothing that is no number."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refused)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadText("a name stands twice in what should have it once")
    return found


def _refused(text: str) -> Any:
    raise BadText(f"{text} is no number")


def _sum(folder: Path, name: str) -> str:
    try:
        return hashlib.sha256(_bytes(folder, name)).hexdigest()
    except BadText:
        return ""


def read_proof(text: str, program: Node) -> Proof:
    """A proof, whose definitions rest on those before them only."""
    proof, cuts, whole = read(text), None, program
    if isinstance(proof, Node) and proof.kind == "Cut":
        check(proof, "Cut", {})
        cuts, proof = cuts_in(proof), proof.fields[2]
        program = cut(program, cuts)
    if not isinstance(proof, Node) or proof.kind not in ("Induction", "Ranking", "Strategy"):
        raise BadText("this is neither an induction nor a ranking nor a strategy")
    place = 3 if proof.kind == "Induction" else 2
    if len(proof.fields) <= place or not isinstance(proof.fields[place], tuple):
        raise BadText("this has no list of definitions")
    more = frozenset(("Def", "Clock") if proof.kind == "Induction" else ("Def",))
    limits = sizes(program)
    for number, each in enumerate(proof.fields[place]):
        check(each, "expr", {**limits, "definitions": number}, more)
    check(proof, proof.kind, {**limits, "definitions": len(proof.fields[place])}, more)
    check_types(proof, program, proof.fields[place])
    scopes = Scopes(program, proof.fields[place])
    for known in proof.fields[4] if proof.kind == "Induction" else ():
        scopes.at(known.fields[0], known.fields[1])
        if cuts is not None and _stops(whole, known.fields[0]):
            _check_common(known.fields[1], proof.fields[3], whole)
    for each in proof.fields[3] if proof.kind != "Induction" else ():
        for height in each.fields[0]:
            scopes.at(height.fields[0], height.fields[1])
    return Proof(proof, cuts)


def _stops(program: Node, block: int) -> bool:
    """Whether play stops at the block of that number, if there is one."""
    blocks = program.fields[9]
    return block < len(blocks) and blocks[block].fields[1].kind in STOPS


def _check_common(exprs: tuple[Node, ...], definitions: tuple[Node, ...], whole: Node) -> None:
    """What is said of a stop of the whole program has no local, not even to try something with, that there is
    only where loops are cut: elsewhere that is another one, or none."""
    limits, more = {**sizes(whole), "definitions": len(definitions)}, frozenset(("Def", "Clock"))
    waiting, seen = [*exprs], set[int]()
    while waiting:
        expr = waiting.pop()
        check(expr, "expr", limits, more)
        used = {node.fields[0] for node in below(expr, ()) if node.kind == "Def"} - seen
        seen |= used
        waiting += (definitions[number] for number in used)


def _check_claims(program: Node, claims: Node) -> None:
    """What is claimed of states reads locals that are kept there."""
    scopes = Scopes(program)
    for question in questions(program, claims):
        stops = {program.fields[9][block].fields[2]: block for block in question.blocks}
        for block in stops.values():
            scopes.at(block, question.exprs)
    for block, _, players in (each.fields for each in claims.fields[3]):
        scopes.at(block, [players] if players is not None else [])


def speaks_of_time(proof: Node) -> bool:
    """Whether the number of decisions occurs in it."""
    todo: list[Any] = [proof]
    while todo:
        item = todo.pop()
        if isinstance(item, Node):
            if item.kind == "Clock":
                return True
            todo += item.fields
        elif isinstance(item, tuple):
            todo += item
    return False


def _list(manifest: dict[str, Any], name: str) -> list[str]:
    found = manifest.get(name)
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise BadText(f"manifest.json: `{name}` is no list of texts")
    return found


def _answers(manifest: dict[str, Any]) -> Iterator[Answer]:
    found = manifest.get("answers")
    if not isinstance(found, list):
        raise BadText("manifest.json: `answers` is no list")
    for each in found:
        match each:
            case {"key": str(key), "verdict": str(verdict), "evidence": dict(evidence)}:
                if verdict not in VERDICTS:
                    raise BadText("manifest.json: a verdict that there is not")
                yield Answer(key, verdict, evidence)
            case _:
                raise BadText("manifest.json: an answer has a key, a verdict and evidence")


def _text(folder: Path, name: str) -> str:
    try:
        return _bytes(folder, name).decode()
    except UnicodeDecodeError as error:
        raise BadText(f"{name}: {error}") from None


def _bytes(folder: Path, name: str) -> bytes:
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise BadText(f"{name} is outside of the bundle")
        if not path.is_file():
            raise BadText(f"there is no file {name}")
        if path.stat().st_size > _MOST:
            raise BadText(f"{name} is too large")
        return path.read_bytes()
    except BadText:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        raise BadText(f"{name}: {error}") from None
