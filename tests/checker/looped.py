"""Games with loops, whose bundles are written by hand."""

from __future__ import annotations

from pathlib import Path

from kemu_checker.cuts import Cuts, cuts_of
from kemu_verifier.symbolic.laps import heads

from tests.checker.written import Written, number, op, whole, written

POUR = """
game "Pour"
players ann, bob
state:
    left: 0..40 = 40
    right: 0..40 = 0
rules:
    for p in turns():
        choose:
            pour:
                hand: 0..40 = left
                left = 0
                while hand > 0:
                    {}
                left = right
                right = 0
            stop:
                end win(p)
property kept: always left == 40
property less: always left < 40
"""
SOUND = ["hand -= 1", "right += 1"]
DOUBLE = ["hand -= 1", "right += 1", "right += 1"]
WAITING = ["if right < 20:", "    hand -= 1", "    right += 1"]
SHORT = ["if right == 39: break", "hand -= 1", "right += 1"]
LONG = ["hand -= 1", "right += 1", "if right == 40: right += 1"]
SWAPPED = ["hand += 1", "right -= 1"]
AT, END, HEAD, INNER = "rules.choose", "rules.end win", "head", "head'"
NEVER = "Const(Bool(),0,),"


class Looped(Written):
    """A game with loops, which are cut at their heads: `head`, `head'`, ..."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.cuts = heads(self.program)
        self.blocks |= {HEAD + "'" * n: f"{at:x}," for n, at in enumerate(self.cuts)}

    def local(self, name: str) -> str:
        """The value of a rule's variable."""
        at = next(i for i, local in enumerate(self.program.locals) if local.name.endswith(f".{name}"))
        kind = self.program.locals[at].type
        return f"Local(Int({kind.low:x},{kind.high:x},),{at:x},),"

    def shown(self, key: str, ranking: str | None = None, verdict: str = "proved", **more: object) -> str:
        """The verdict on an answer that rests on the proof `kept` of all laps."""
        evidence = {"kind": "laps", "cuts": self.cuts, "proofs": ["kept"], "ranking": ranking} | more
        plain, cuts = self.proofs, cuts_of(evidence) or Cuts((), tuple(self.cuts))
        self.proofs = {name: self.cut(text, cuts) for name, text in plain.items()}
        found = self.judge(key, verdict, **evidence)
        self.proofs = plain
        return found

    def cut(self, proof: str, cuts: Cuts) -> str:
        """The proof, about the program with its loops cut."""
        places = "".join(f"Opened({block:x},{at:x},)," for block, at in cuts.opened)
        return f"Cut([{places}],[{''.join(f'{at:x},' for at in cuts.blocks)}],{proof}),"


def looped(folder: Path, rules: str) -> Looped:
    return Looped(folder, written(folder, rules).game)


def pour(folder: Path, lap: list[str] = SOUND, rules: str = POUR) -> Looped:
    """With an invariant for SOUND, and a measure."""
    game = looped(folder, rules.replace("{}", ("\n" + " " * 20).join(lap)))
    left, right, hand = game.load("left"), game.load("right"), game.local("hand")
    full = [op("eq", left, number(40)), op("eq", right, number(0))]
    total = op("eq", whole("add", hand, right), number(40))
    game.induction("kept", {AT: full, END: full, HEAD: [total, op("eq", left, number(0))]})
    game.ranking("falls", ({HEAD: hand}, 0, None))
    return game


def proved_where_cut(game: Looped, *names: str, cuts: list[int] | None = None) -> None:
    """These proofs are about the program with its loops cut."""
    for name in names:
        game.proofs[name] = game.cut(game.proofs[name], Cuts((), tuple(cuts or game.cuts)))


NESTED = """
game "Nested"
players ann, bob
state:
    rows: 0..9 = 0
    all: 0..81 = 0
rules:
    for p in turns():
        choose:
            fill:
                all = 0
                rows = 0
                while rows < 9:
                    cells: 0..9 = 0
                    while cells < 9:
                        cells += 1
                        all += 1
                    rows += 1
            stop:
                end win(p)
property whole: always all == 0 or all == 81
"""
