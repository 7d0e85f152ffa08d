"""The sections of a bundle: each is a proof by itself, but for the claims that it takes over from others
before it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from kemu_engine.kernel import nodes as k

from kemu.recheck.claims import Claim, claim_of, stops
from kemu.recheck.manifest import Claimed, Manifest, Section, Verdict
from kemu.recheck.plays import Wrong
from kemu.recheck.smtlib import Malformed, parse
from kemu.recheck.structure import Proof, about_faults

WHOLE = "whole"
OF_CLAIMS = ("excludes", "avoids", "falls")  # what other conditions do not rest on


class Sections:
    """Those of one bundle, about this program."""

    def __init__(self, folder: Path, manifest: Manifest, program: k.Program) -> None:
        self.folder = folder
        self.manifest = manifest
        self.program = program
        self.named = {each.name: each for each in manifest.sections}
        if len(self.named) < len(manifest.sections):
            raise Wrong("two sections have the same name")
        self._proofs: dict[str, Proof] = {}

    def section(self, name: str) -> Section:
        if name not in self.named:
            raise Wrong(f"there is no section {name}")
        return self.named[name]

    def proof(self, name: str) -> Proof:
        """The conditions of a section. Raises Wrong."""
        if name not in self._proofs:
            section, files = self.section(name), {}
            for each in section.conditions:
                if not each.name.startswith(f"{name}/"):
                    raise Wrong(f"{each.name} does not belong to {name}")
                try:
                    text = (self.folder / "conditions" / f"{each.name}.smt2").read_text("utf-8")
                    files[each.name] = parse(text)
                except Malformed as error:
                    raise Wrong(f"{each.name}: {error}") from None
            symbols = json.loads((self.folder / section.symbols).read_text("utf-8"))
            if name == WHOLE and (section.hidden or any("unknown" in each for each in symbols.values())):
                raise Wrong("in the whole state, nothing is hidden")
            conditions = {each.name: each for each in section.conditions}
            self._proofs[name] = Proof(self.program, symbols, conditions, files, bool(section.hidden))
        return self._proofs[name]

    # ------------------------------------------------------------------------------------------ what is shown

    def claim(self, claimed: Claimed) -> Claim:
        """What a claim that a section shows says. Raises Wrong."""
        mine = [p for p in self.program.properties if (p.name, p.form) == (claimed.property, claimed.form)]
        found = claim_of(self.program, claimed.property, claimed.form, False) if len(mine) == 1 else None
        if found is None or found.state is None:
            raise Wrong(f"the program makes no such claim: {claimed.property}")
        return found

    def behind(self, names: Iterable[str]) -> list[str]:
        """These sections, and those from which they take claims over. Raises Wrong."""
        order = list(self.named)
        found, waiting = set[str](), list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                for stop, verdict, source in self._carried(name):
                    self.section(source)
                    if order.index(source) >= order.index(name):
                        raise Wrong(f"{name} takes {verdict} over from {source}, which comes later")
                    self._shown(source, verdict, stop)
                    waiting.append(source)
        return [name for name in order if name in found]

    def _carried(self, name: str) -> list[tuple[int, str, str]]:
        """What a section takes over: of a stop, a claim, from a section."""
        roles = [each.role for each in self.section(name).conditions if each.role.get("shows") == "carried"]
        return [(role["stop"], role["verdict"], role["section"]) for role in roles]

    def _shown(self, name: str, verdict: str, stop: int) -> None:
        """Raises Wrong unless a section shows of a stop that a claim holds there."""
        claimed = next((one for one in self.section(name).shows if one.verdict == verdict), None)
        if claimed is None or stop not in self.claim(claimed).blocks:
            raise Wrong(f"{name} does not show {verdict} at {self.proof(name).stop(stop)}")
        self.excluded(name, verdict, claimed.conditions, self.claim(claimed))

    def excluded(self, name: str, verdict: str, files: list[str], claim: Claim) -> None:
        """Raises Wrong unless these files of a section are all that the claim takes."""
        proof = self.proof(name)
        if claim.state is not None:
            proof.excluded(verdict, files, claim.blocks, "excludes")
        elif claim.fault is not None or claim.line is not None:
            proof.excluded(verdict, files, {-1, *stops(self.program, k.Decide, k.Chance)}, "avoids")
        else:
            raise Wrong("invariants cannot decide that")

    def faultless(self, names: Iterable[str], claim: Claim) -> None:
        """Raises Wrong unless the sections exclude all faults that are asked for."""
        found: set[int] = set()
        every = {-1, *stops(self.program, k.Decide, k.Chance)}
        for section in map(self.section, names):
            roles = [self.proof(section.name).condition(file).role for file in section.avoids]
            for stop in sorted(every):
                mine = [
                    each["faults"] for each in roles if each["shows"] == "avoids" and each["stop"] == stop
                ]
                if not set(section.faults) <= {code for codes in mine for code in codes}:
                    raise Wrong(
                        f"{section.name} says less of {self.proof(section.name).stop(stop)} than it should"
                    )
            found.update(section.faults)
        assert claim.fault is not None
        if missing := [at for at in range(len(self.program.faults)) if claim.fault(at) and at not in found]:
            raise Wrong(f"no section excludes the fault: {self.program.faults[missing[0]].message}")

    def conditions(self, names: Iterable[str]) -> list[str]:
        """The conditions on which all rests that these sections show."""
        found = []
        for section in map(self.section, names):
            found += [each.name for each in section.conditions if each.role.get("shows") not in OF_CLAIMS]
            taken = {
                verdict
                for other in names
                for _, verdict, name in self._carried(other)
                if name == section.name
            }
            found += [file for one in section.shows if one.verdict in taken for file in one.conditions]
        return found

    def claims(self, name: str, verdicts: Iterable[tuple[str, Verdict]]) -> dict[str, Claim]:
        """The claims of which conditions of a section may speak, by what they call them; `verdicts` are those
        that conditions stand behind. Raises Wrong if two are called the same."""
        called = {
            (one.verdict, one.property, one.form, False) for each in self.named.values() for one in each.shows
        }
        called |= {(key, one.property, one.form, one.standard) for key, one in verdicts}
        roles = [each.role for each in self.section(name).conditions]
        some = [role["faults"] for role in roles if "faults" in role]
        found = {about_faults(codes): Claim(fault=frozenset(codes).__contains__) for codes in some}
        for key, about, form, standard in called:
            claim = claim_of(self.program, about, form, standard)
            if key in found or claim is None:
                raise Wrong(f"not exactly one claim is called {key}")
            found[key] = claim
        return found
