"""Bundles written by hand: programs of small games, claims, and proofs that are right or forged."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kemu_checker.answers import Judge, Room
from kemu_checker.arithmetic import Arithmetic
from kemu_checker.bundle import open_bundle
from kemu_checker.questions import Question, questions
from kemu_checker.rules import Proofs
from kemu_checker.views import Limits
from kemu_engine.kernel.hash import pieces

import kemu

TRUE = "Const(Bool(),1,),"


Round = tuple[dict[str, str | list[str]], int, int | None]  # heights at stops, lower bound of each, upper


def program_text(game: kemu.Game) -> str:
    """A program in the signs of docs/program-text.md."""
    return "".join(pieces(game._playable.program))


def number(n: int) -> str:
    """A constant."""
    return f"Const(Int({n:x},{n:x},),{n:x},),"


def op(operator: str, *arguments: str, kind: str = "Bool()") -> str:
    """An operator's value."""
    return f'Op({kind},"{operator}",[{"".join(arguments)}],),'


def whole(operator: str, *arguments: str) -> str:
    """An integer's value, of a type that is wide enough for any."""
    wide = 1 << 100 * (1 + sum(each.count("Op(") for each in arguments))
    return op(operator, *arguments, kind=f"Int(-{wide:x},{wide:x},)")


@dataclass
class Written:
    """A game, with the proofs written for it."""

    folder: Path
    game: kemu.Game

    def __post_init__(self) -> None:
        self.program = self.game._playable.program
        self.proofs: dict[str, str] = {}
        self.edited: dict[str, str] = {}  # in the text of the program, what stands there instead
        self.blocks = {block.name: f"{i:x}," for i, block in enumerate(self.program.blocks) if block.name}

    def text(self) -> str:
        """The program's text, perhaps of another program than the rules'."""
        text = program_text(self.game)
        for old, new in self.edited.items():
            assert old in text
            text = text.replace(old, new)
        return text

    def stop(self, name: str) -> str:
        """The number of a stop."""
        return self.blocks[name]

    def load(self, name: str) -> str:
        """The value of a variable."""
        at = self.at(name)
        kind = "".join(pieces(self.program.vars[at].type))
        return f"Load({kind}{at:x},),"

    def at(self, name: str) -> int:
        """The number of a variable."""
        return next(i for i, var in enumerate(self.program.vars) if var.name == name)

    def induction(
        self,
        name: str,
        known: dict[str, list[str]],
        uses: tuple[str, ...] = (),
        forget: tuple[str, ...] = (),
    ) -> None:
        """A proof that these are kept at these stops, some variables forgotten."""
        left = "".join(f"{self.at(each):x}," for each in forget)
        facts = "".join(f"Known({self.stop(stop)}[{''.join(exprs)}],)," for stop, exprs in known.items())
        users = "".join(f'"{each}",' for each in uses)
        self.proofs[name] = f'Induction("{name}",[{left}],[{users}],[],[{facts}],),'

    def ranking(self, name: str, *rounds: Round, uses: tuple[str, ...] = ()) -> None:
        """Measures, round by round."""
        text = ""
        for heights, low, high in rounds:
            numbers = {stop: [each] if isinstance(each, str) else each for stop, each in heights.items()}
            rows = "".join(f"Height({self.stop(stop)}[{''.join(each)}],)," for stop, each in numbers.items())
            size = max(map(len, numbers.values()), default=1)
            lows, highs = f"{low:x}," * size, "" if high is None else f"{high:x}," * size
            text += f"Round([{rows}],[{lows}],[{highs}],),"
        users = "".join(f'"{each}",' for each in uses)
        self.proofs[name] = f'Ranking("{name}",[{users}],[],[{text}],),'

    def strategy(
        self,
        name: str,
        preferred: list[tuple[str, int, int | None]],
        *rounds: Round,
        uses: tuple[str, ...] = (),
    ) -> None:
        """Measures that fall where at stops this arm is preferred, or of it this argument."""
        self.ranking(name, *rounds, uses=uses)
        rows = ""
        for stop, arm, argument in preferred:
            given = "-," if argument is None else f"[{argument:x},],"
            rows += f"Preferred({self.stop(stop)}{arm:x},{given}),"
        text = self.proofs[name].replace("Ranking(", "Strategy(", 1)
        self.proofs[name] = f"{text.removesuffix('),')}[{rows}],),"

    def claims(self) -> str:
        """The properties of the rules."""
        found = ""
        for each in self.program.properties:
            bound = "-" if each.bound is None else f"{each.bound:x}"
            exprs = "".join("".join(pieces(expr)) for expr in each.exprs)
            blocks = "".join(f"{block:x}," for block in each.blocks)
            found += f'Property({json.dumps(each.name)},"{each.form}",[{exprs}],{bound},[{blocks}],-,0,-,),'
        return f"Claims([{found}],[],[],[],),"

    def judge(self, key: str, verdict: str, **evidence: Any) -> str:
        """The checker's verdict on one answer; `steps` are written as a record."""
        if isinstance(evidence.get("steps"), list):
            evidence["trace"] = self.record("play.json", evidence.pop("steps"))
        answers = [{"key": key, "verdict": verdict, "evidence": evidence}]
        manifest = {"version": 5, "answers": answers, "proofs": list(self.proofs)}
        (self.folder / "proofs").mkdir(exist_ok=True)
        for name, text in self.proofs.items():
            (self.folder / f"proofs/{name}.txt").write_text(text)
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        (self.folder / "program.txt").write_text(self.text())
        (self.folder / "claims.txt").write_text(self.claims())
        return self._judged(key)

    def record(self, name: str, steps: list[str]) -> str:
        """Writes a play; the name of its file."""
        (self.folder / name).write_text(json.dumps({"steps": [{"text": text} for text in steps]}))
        return name

    def _judged(self, key: str) -> str:
        bundle, asked = open_bundle(self.folder), self.questions()
        places = frozenset(place for each in asked for place in each.places)
        proofs = Proofs(bundle.program, Limits("glucose", 20.0, Arithmetic), places, note=lambda text: None)
        for proof in bundle.proofs:
            proofs.add(proof.node, proof.cuts)
        question = next(each for each in asked if each.key == key)
        judge = Judge(bundle, proofs, Room(), lambda text: None)
        verdict, self.why = judge.judge(question, bundle.answers[0])
        return verdict

    def questions(self) -> list[Question]:
        """What is asked of the game."""
        bundle = open_bundle(self.folder)
        return questions(bundle.program, bundle.claims)


def written(folder: Path, rules: str) -> Written:
    """A game given by its rules."""
    (folder / "game.kemu").write_text(rules)
    return Written(folder, kemu.load(folder / "game.kemu"))
