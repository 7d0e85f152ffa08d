"""Claims about rules by themselves: what is shown of them by inductions and measures (docs/evidence.md)."""

from collections.abc import Callable, Iterable
from typing import Any

from kemu_checker.bundle import Proof
from kemu_checker.preferences import can_end
from kemu_checker.questions import Question
from kemu_checker.ranking import ends
from kemu_checker.rules import Proofs, Verdict
from kemu_checker.state import MALFORMED, SILENT
from kemu_checker.text import BadText, Node
from kemu_checker.unrolling import runs_over
from kemu_checker.views import Limits


def beginning(program: Node) -> int:
    """The stop at which play begins, in any state."""
    code, exit_ = program.fields[9][program.fields[10]].fields[:2]
    if code or exit_.kind != "Goto":
        raise BadText("a rule by itself begins with something else than a stop")
    block = int(exit_.fields[0])
    if program.fields[9][block].fields[1].kind != "Chance":
        raise BadText("a rule by itself does not begin with its call")
    return block


def shown(
    question: Question,
    evidence: dict[str, Any],
    proofs: Iterable[Proof],
    limits: Limits,
    note: Callable[[str], None],
) -> Verdict | str:
    """Whether the bad case of a claim about a rule is excluded; a text says why that is open."""
    assert question.run is not None
    kinds = ("ranking", "steps") if question.form == "can_return" else ("excluded", "ranking", "steps")
    if question.form not in ("returns", "never_returns", "can_return") or evidence.get("kind") not in kinds:
        return "the checker knows no rule for this question"
    known = Proofs(question.run, limits, note=note, begin=beginning(question.run))
    if evidence["kind"] == "steps":
        to_the_end, steps = question.form != "never_returns", number_of_steps(evidence)
        return runs_over(known, _faults(question), to_the_end, steps)
    for proof in proofs:
        known.add(proof.node, proof.cuts)
    names = known.inductions(evidence)
    if question.form == "can_return":
        return _can_end(known, names, evidence)
    parts: list[Callable[[], Verdict]] = [
        lambda: known.all_shown(names),
        lambda: known.excluded(_faults(question), names),
    ]
    if question.form == "never_returns":
        parts.append(lambda: known.no_end(names))
    else:
        parts.append(lambda: _ends_always(known, names, evidence))
    verdicts: list[Verdict] = []
    for part in parts:
        verdicts.append(part())
        if verdicts[-1] is False:
            return False
    return None if None in verdicts else True


def number_of_steps(evidence: dict[str, Any]) -> int:
    """How many steps in a row the evidence says."""
    steps = evidence["steps"]
    if type(steps) is not int:
        raise BadText("`steps` is no number")
    return steps


def _faults(question: Question) -> Question:
    assert question.run is not None
    faults = frozenset(range(len(question.run.fields[8]))) | {MALFORMED}
    more = set() if question.form == "never_returns" else {SILENT}
    return Question(f"{question.key}: faults", "fault", faults=faults | more)


def _ends_always(proofs: Proofs, names: list[str], evidence: dict[str, Any]) -> Verdict:
    """By the ranking that is named; without one, no way may go round."""
    ranking = Node("Ranking", ("", (), (), ()))
    if evidence["kind"] == "ranking":
        ranking = proofs.falling(evidence["ranking"], "Ranking", names)
    held = proofs.all_shown((*names, *ranking.fields[1]))
    return held and ends(proofs, ranking, chance=False)


def _can_end(proofs: Proofs, names: list[str], evidence: dict[str, Any]) -> Verdict:
    strategy = proofs.falling(evidence["ranking"], "Strategy", names)
    held = proofs.all_shown(strategy.fields[1])
    return held and can_end(proofs, strategy)
