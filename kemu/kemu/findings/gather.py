"""Finding out about the gaps of a rulebook: the claims that cite them, and readings compared in play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from kemu_grammar.game import rulebook
from kemu_grammar.game.beside import FILE, beside
from kemu_grammar.syntax.parser import parse

from kemu.base.library import BadInput
from kemu.base.opening import declared, made, opened
from kemu.findings.claims import Budget, Model, claimed, modelled
from kemu.findings.data import Choice, Findings, Gap, Looked
from kemu.findings.readings import chosen, setting
from kemu.findings.today import claims_hash
from kemu.findings.wordings import closing, strange
from kemu.service.instances import named

SECTION = "gaps"  # what the heading of a section on gaps begins with


def gather(
    name: str, budget: Budget, progress: Callable[[str], None], before: Findings | None = None
) -> Findings:
    """Everything that can be found out in the time; games found `before` that show a difference are tried
    again. Raises RulesError, BadInput (a game without rules.md, a wording for what it does not
    state).
    """
    rules = opened(name)
    path = beside(rules.file)
    if path is None:
        raise BadInput(f"{rules.title} has no {FILE}, which would name the gaps of its rulebook")
    texts = [parse(rules.sources[file], file) for file in (rules.file, rules.proofs) if file]
    traced = rulebook.compared(rulebook.load(path), *texts)
    closed = closing(path.read_text("utf-8-sig"))
    if missing := strange(closed, traced.account.statements):
        raise BadInput(f"{path} has no statement {missing[0]}, of which it says how it would be closed")
    gaps = [s for s in traced.account.statements if s.section.lower().startswith(SECTION)]
    numbers = {gap.number for gap in gaps}
    wants = [named(want) for want in declared(rules)]
    instances = [made(rules, want) for want in wants]
    models = list(modelled(path.parent))
    progress("claims")
    claims, plays = claimed(rules, name, wants, instances, numbers, budget)
    for model in models:
        progress(f"claims of {model.rules.title}")
        for number, more in model.claims(numbers, budget).items():
            claims[number] = [*claims.get(number, ()), *more]
    for choice in [] if before is None else (each for gap in before.gaps for each in gap.choices):
        if choice.steps:
            plays.setdefault((choice.option, choice.left.name), []).append(choice.steps)
    choices: dict[str, list[Choice]] = defaultdict(list)
    for choice in chosen(name, rules, wants, numbers, plays, budget.seconds, budget.processes, progress):
        choices[choice.option].append(choice)
    found = []
    for gap in gaps:
        own, others = tuple(claims.get(gap.number, ())), tuple(choices[gap.number])
        cited = traced.by_number[gap.number]
        examples = tuple(dict.fromkeys(c.name for c in cited if c.kind == "example"))
        found.append(Gap(gap.number, gap.text, own, others, examples))
    looked = [
        Looked(setting(each.rules, want.name, game), claims_hash(game.program, numbers), each.path)
        for each in (Model("", rules, tuple(wants), tuple(instances)), *models)
        for want, game in zip(each.wants, each.instances, strict=True)
    ]
    return Findings(name, rules.title, tuple(found), tuple(looked))
