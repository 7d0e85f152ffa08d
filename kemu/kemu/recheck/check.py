"""Checks a bundle, verdict by verdict."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from kemu_engine.kernel.hash import pieces
from kemu_engine.kernel.sight import secret
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read

from kemu.recheck.claims import Claim, claim_of
from kemu.recheck.manifest import NAME, Manifest, Verdict, load
from kemu.recheck.plays import Wrong, circle, replayed, shows
from kemu.recheck.sampling import Sampler, sample, walks
from kemu.recheck.search import Space, TooMany, region
from kemu.recheck.secrets import SECRETS
from kemu.recheck.sections import WHOLE, Sections
from kemu.recheck.smtlib import Malformed
from kemu.recheck.solvers import Solver, answer

Outcome = Literal["confirmed", "wrong", "open", "nothing claimed"]

NO_CLAIMS = ("unknown", "sampled", "holds to depth", "not inductive", "not applicable")
INTERPRETED = 5_000  # states that the interpreter explores; the generated reader if there are more
NEAR = 20_000  # states around a loop that are looked at
STEPS, SAMPLING = 250, 6.0  # of random plays against the conditions, and seconds for them


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one thing that was checked: `by` what, in how many seconds, and why if not confirmed."""

    what: str
    verdict: str
    outcome: Outcome
    by: str
    seconds: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class RecheckOptions:
    """What a bundle is checked with: a solver by its name (None: none is installed), the seconds for each
    of its answers, and how many states to explore at most."""

    name: str
    solver: Solver | None
    seconds: float
    states: int


class Open(Exception):
    """Something could not be checked; the message says why."""


class Check:
    """The check of one bundle."""

    def __init__(self, folder: Path, options: RecheckOptions, progress: Callable[[str], None]) -> None:
        self.folder = folder
        self.options = options
        self.progress = progress
        self.manifest: Manifest = load(folder)
        self._answers: dict[str, str] = {}

    def rows(self) -> Iterator[Row]:
        """What was checked, one by one: the files, the rules, then each verdict."""
        first = self._row("the files", "", self._files, "their hashes")
        yield first
        rules = self._row("the rules", "", self._rules, "compiled again")
        yield rules
        if rules.outcome != "confirmed":
            return
        for verdict in self.manifest.verdicts:
            self.progress(verdict.property)
            method = verdict.evidence.method
            if method == "nothing claimed" and verdict.verdict in NO_CLAIMS:
                yield Row(verdict.property, verdict.verdict, "nothing claimed", "", 0.0)
            else:
                yield self._row(verdict.property, verdict.verdict, partial(self._verdict, verdict), method)
        if any(self._symbolic(verdict) for verdict in self.manifest.verdicts):
            yield self._row("the translation", "", self._sampled, "random plays")

    def _row(self, what: str, verdict: str, check: Callable[[], str], by: str) -> Row:
        began = time.monotonic()
        outcome: Outcome = "confirmed"
        why = ""
        try:
            by = check()
        except (Wrong, Malformed) as error:
            outcome, why = "wrong", str(error)
        except (Open, TooMany) as error:
            outcome, why = "open", str(error)
        except (KeyError, IndexError, TypeError, ValueError, OSError) as error:
            outcome, why = (
                "wrong",
                f"it is damaged ({type(error).__name__}: {' '.join(str(error).split())[:120]})",
            )
        return Row(what, verdict, outcome, by, time.monotonic() - began, why)

    # ------------------------------------------------------------------------------------------ the whole

    def _files(self) -> str:
        """Every file is as it was written, and there are no others."""
        found = {p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*") if p.is_file()} - {
            NAME
        }
        if missing := sorted(set(self.manifest.files) - found):
            raise Wrong(f"{missing[0]} is missing")
        if more := sorted(found - set(self.manifest.files)):
            raise Wrong(f"{more[0]} does not belong to the bundle")
        for name, wanted in self.manifest.files.items():
            if hashlib.sha256((self.folder / name).read_bytes()).hexdigest() != wanted:
                raise Wrong(f"{name} is not as it was written")
        every = [each for section in self.manifest.sections for each in section.conditions]
        listed = {f"conditions/{each.name}.smt2" for each in every}
        if listed != {name for name in found if name.startswith("conditions/")}:
            raise Wrong("the conditions are not those that the manifest lists")
        return f"{len(found)} hashes"

    def _rules(self) -> str:
        """The rules, compiled again, give the program and the claims of the bundle."""
        program = self.game.program
        if self.game.hash != self.manifest.program:
            raise Wrong("the rules compile to another program than that of the bundle")
        if _hash((self.folder / "program.txt").read_text("utf-8")) != self.manifest.program:
            raise Wrong("program.txt is another program than that of the bundle")
        if _hash("".join(pieces(program.properties))) != self.manifest.claims:
            raise Wrong("the rules make other claims than those of the bundle")
        asked = [(v.standard, v.form, v.property) for v in self.manifest.verdicts]
        if len(set(asked)) < len(asked):
            raise Wrong("a question has two verdicts")
        return "compiled again"

    @cached_property
    def game(self) -> Game:
        """The rules of the bundle as an instance. Raises Wrong."""
        main, library = (self.folder / name for name in (self.manifest.rules, self.manifest.library))
        try:
            rules = read(main, library)
            options: dict[str, Any] = {
                name: _plain(value) for name, value in self.manifest.settings.items() if name in rules.options
            }
            return Game(instantiate(rules, options, len(self.manifest.players)))
        except (ValueError, Exception) as error:  # whatever is wrong with rules that somebody else wrote
            raise Wrong(f"the rules cannot be compiled: {' '.join(str(error).split())[:200]}") from None

    # ------------------------------------------------------------------------------------------ verdicts

    def _verdict(self, verdict: Verdict) -> str:
        """Checks one verdict; by what. Raises Wrong, Open."""
        about, game = verdict.evidence, self.game
        if about.method == "none":
            raise Open(about.reason)
        if about.method == "nothing claimed":
            raise Wrong(f"there is no evidence that this is {verdict.verdict}")
        claim = claim_of(game.program, verdict.property, verdict.form, verdict.standard)
        if claim is None:
            raise Wrong("the program asks no such question")
        if about.method == "play":
            if about.trace is None:
                raise Wrong("there is no trace")
            if claim.whole in (*SECRETS, "always_possible"):
                return self._refuted(claim, verdict)
            if claim.whole == "ends_almost_surely":
                return self._endless(verdict)
            trace = self.folder / about.trace
            said = shows(self.interpreted, trace, claim, verdict.verdict, verdict.form)
            return f"the interpreter: {said}"
        if verdict.verdict != ("impossible" if claim.wanted else "proved"):
            raise Wrong(f"such a proof cannot show that this is {verdict.verdict}")
        if about.method == "nothing hidden":
            if claim.whole not in SECRETS or secret(game.program):
                raise Wrong("something is hidden")
            return "the program: everybody sees everything"
        if about.method == "exhaustive":
            if (len(self.space.states), self.space.digest()) != (about.states, about.digest):
                raise Wrong(f"there are {len(self.space.states)} states, but not those of the bundle")
            self.space.confirms(claim, verdict.detail)
            return f"all {len(self.space.states)} states, by the {self._reader}"
        self._conditions(verdict, claim)
        return self.options.name

    def _refuted(self, claim: Claim, verdict: Verdict) -> str:
        """Refuted by what several plays, or all that may follow, show: looked for among all states."""
        replayed(self.interpreted, self.folder / str(verdict.evidence.trace))
        if verdict.verdict != "refuted":
            raise Wrong(f"a play cannot show that this is {verdict.verdict}")
        try:
            self.space.confirms(claim, "")
        except Wrong as found:
            return f"all {len(self.space.states)} states, by the {self._reader}: {found}"
        raise Wrong("no state shows it")

    def _endless(self, verdict: Verdict) -> str:
        """Refuted by a play that returns to an earlier state, from which the players can go on for ever
        whatever chance brings."""
        if verdict.verdict != "refuted":
            raise Wrong(f"a play cannot show that this is {verdict.verdict}")
        loop, _ = circle(self.interpreted, self.folder / str(verdict.evidence.trace))
        states, whole = region(self.interpreted, loop, min(NEAR, self.options.states))
        if not states and whole:
            raise Wrong("chance leads out of the loop")
        if not states:
            raise Open(f"chance may lead out of the loop; it was followed for {NEAR} states only")
        return f"the interpreter: the players can stay among {states} states, whatever chance brings"

    @cached_property
    def interpreted(self) -> Game:
        """The game, read by the interpreter."""
        return Game(self.game.program, reader="interpreter")

    @property
    def _reader(self) -> str:
        return "interpreter" if len(self.space.states) <= INTERPRETED else "generated Python"

    @cached_property
    def space(self) -> Space:
        """All states: by the interpreter if they are few. Raises TooMany."""
        wanted = max((v.evidence.states or 0 for v in self.manifest.verdicts), default=0)
        if wanted > self.options.states:
            raise TooMany(f"there are {wanted} states; `--states {wanted}` explores them all")
        game = self.interpreted if wanted <= INTERPRETED else self.game
        return Space(game, self.options.states, 600.0)

    # ------------------------------------------------------------------------------------------ conditions

    def _symbolic(self, verdict: Verdict) -> bool:
        return verdict.evidence.method in ("invariants", "ranking")

    def _key(self, verdict: Verdict) -> str:
        """The name by which conditions know a verdict: of several of one name the later are numbered."""
        same = [each for each in self.manifest.verdicts if each.property == verdict.property]
        at = next(at for at, each in enumerate(same) if each is verdict)
        return f"{verdict.property} ({at + 1})" if at else verdict.property

    @cached_property
    def sections(self) -> Sections:
        """What conditions show. Raises Wrong."""
        return Sections(self.folder, self.manifest, self.game.program)

    def _conditions(self, verdict: Verdict, claim: Claim) -> None:
        """The conditions of a verdict, and those on which all rest, make up a proof and are confirmed."""
        about, sections = verdict.evidence, self.sections
        if not about.sections:
            raise Wrong("it rests on no section")
        names, files = sections.behind(about.sections), list(about.conditions)
        for name in names:
            sections.proof(name).invariants()
        if about.sections != [WHOLE] and claim.fault is not None:
            sections.faultless(about.sections, claim)
            files = [file for name in about.sections for file in sections.section(name).avoids]
        elif len(about.sections) != 1:
            raise Wrong("exactly one section should show that")
        elif about.method == "ranking":
            if claim.whole not in ("terminates", "ends_almost_surely") or about.sections != [WHOLE]:
                raise Wrong("a ranking cannot decide that")
            sections.proof(WHOLE).ranking(files)
        else:
            sections.excluded(about.sections[0], self._key(verdict), files, claim)
        files = list(dict.fromkeys([*sections.conditions(names), *files]))
        for file in files:
            sections.proof(file.partition("/")[0]).asks(file)
        answers = {file: self._answer(file) for file in files}
        if wrong := [file for file, answer in answers.items() if answer == "sat"]:
            raise Wrong(f"{self.options.name} refutes {wrong[0]}")
        if open_ := [file for file, answer in answers.items() if answer != "unsat"]:
            raise Open(f"{open_[0]}: {answers[open_[0]]}")

    def _answer(self, name: str) -> str:
        """What the solver says to a condition; asked once."""
        if self.options.solver is None:
            raise Open("no solver is installed: `pip install cvc5`, or name one with --solver")
        if name not in self._answers:
            self.progress(f"{self.options.name}: {name}")
            path = self.folder / "conditions" / f"{name}.smt2"
            self._answers[name] = self.options.solver(path, self.options.seconds)
        return self._answers[name]

    def _sampled(self) -> str:
        """What the conditions say of states and steps is what the interpreter does."""
        self.progress("random plays")
        verdicts = [
            (self._key(verdict), verdict) for verdict in filter(self._symbolic, self.manifest.verdicts)
        ]
        counts, open_ = list[int](), 0
        for name, section in self.sections.named.items():
            if section.hidden and self.options.solver is None:
                raise Open("no solver is installed to check what is hidden")
            solver = partial(answer, self.options.solver) if self.options.solver else lambda text: "unknown"
            sampler = Sampler(
                self.game, self.sections.proof(name), self.sections.claims(name, verdicts), solver
            )
            sample(sampler, islice(walks(self.game, 0, SAMPLING), STEPS))
            counts.append(sampler.steps)
            open_ += sampler.open
        more = f"; {open_} of them without an answer from {self.options.name}" if open_ else ""
        return f"{'+'.join(map(str, counts))} steps of random plays{more}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(text: str) -> str | int | bool:
    """An option's value, as it is written in a command."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text
