"""What is shown lap by lap: of the program whose loops are cut (docs/evidence.md)."""

from typing import Any

from kemu_checker.cuts import Cuts
from kemu_checker.questions import Question
from kemu_checker.ranking import Ranking
from kemu_checker.rules import Proofs, Verdict
from kemu_checker.state import SILENT
from kemu_checker.text import BadText, Node
from kemu_checker.views import View


class Laps(Ranking):
    """The ways from lap to lap without a stop of the program's own."""

    def __init__(self, proofs: Proofs, proof: Node, cuts: Cuts) -> None:
        self.cuts = cuts
        super().__init__(proofs, proof, chance=False)

    def moving(self) -> list[View]:
        """The stops at the heads."""
        return [self.proofs.view(at) for at in self.cuts.blocks]


def excluded(proofs: Proofs, question: Question, evidence: dict[str, Any], cuts: Cuts) -> Verdict:
    """Whether the case is excluded by what these proofs say of the program that is cut. That play goes round
    for ever is a fault of its own: then the ranking that is named must fall from lap to lap."""
    if question.kind not in ("state", "arm", "fault"):
        raise BadText("laps show nothing of this")
    names = proofs.inductions(evidence)
    found = [proofs.all_shown(names)]
    if found[-1] is not False:
        found.append(proofs.excluded(question, names))
    if found[-1] is not False and SILENT in question.faults:
        ranking = proofs.falling(evidence["ranking"], "Ranking", names)
        found += [proofs.all_shown(ranking.fields[1]), Laps(proofs, ranking, cuts).shown()]
    return False if False in found else None if None in found else True
