"""A program as play comes to a place in a rule by one chain of calls, where others may call the rule, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import reached, targets
from kemu_engine.kernel.walk import assigned, written
from kemu_engine.lower.statements.kill_dead_locals import site_of, zero
from kemu_engine.lower.statements.kill_dead_vars import reset


@dataclass(frozen=True, slots=True)
class Shared:
    """A rule that is called at several places: where its blocks begin and end, the block of each call, and
    where play goes on behind it. `own`: its blocks, those of the rules that it calls among them."""

    entry: int
    leave: int
    calls: Mapping[int, int]
    returns: tuple[int, ...]
    own: frozenset[int]


def shared_rules(program: k.Program) -> dict[int, Shared]:
    """By the local that says where to return to."""
    found: dict[int, Shared] = {}
    for leave, block in enumerate(program.blocks):
        exit = block.exit
        if not isinstance(exit, k.Switch):
            continue
        calls: dict[int, int] = {}
        entry = -1
        for number, other in enumerate(program.blocks):
            site = site_of(other, exit.local)
            if site is not None and isinstance(other.exit, k.Goto):
                calls[site], entry = number, other.exit.block
        found[exit.local] = Shared(entry, leave, calls, exit.targets, frozenset())
    return {local: replace(rule, own=_own(program, rule, found.values())) for local, rule in found.items()}


def _own(program: k.Program, rule: Shared, rules: Iterable[Shared]) -> frozenset[int]:
    """What is reached from the entry of a rule without leaving it: from the rules it calls back to it."""
    back: dict[int, list[int]] = {}
    leaves = {other.leave for other in rules}
    for other in rules:
        for site, number in other.calls.items():
            back.setdefault(number, []).append(other.returns[site])

    def following(number: int) -> list[int]:
        return [*([] if number in leaves else targets(program.blocks[number].exit)), *back.get(number, ())]

    return frozenset(reached([rule.entry], following))


def seen_from(program: k.Program, chain: Mapping[int, int], rules: Mapping[int, Shared]) -> k.Program:
    """The program with each of the rules in `chain` entered by that call only, and left to behind it.
    Other calls of shared rules are passed by: what they might change has some value or other."""
    blocks = list(program.blocks)
    for local, rule in rules.items():
        chosen = chain.get(local)
        for site, number in rule.calls.items():
            passing = len(blocks)
            blocks.append(k.Block(_overwriting(program, rule), k.Goto(rule.returns[site])))
            ways: k.Exit = k.Goto(passing)
            if site == chosen:
                ways = k.Split(build.TRUE, rule.entry, passing)
            blocks[number] = replace(blocks[number], exit=ways)
        leaving: k.Exit = k.Fail(0) if chosen is None else k.Goto(rule.returns[chosen])
        blocks[rule.leave] = replace(blocks[rule.leave], exit=leaving)
    return replace(program, blocks=tuple(blocks))


def _overwriting(program: k.Program, rule: Shared) -> k.Code:
    """Code that changes whatever the rule may change."""
    codes = [program.blocks[number].code for number in sorted(rule.own)]
    locals_ = sorted(frozenset[int]().union(*map(assigned, codes)))
    vars_ = sorted(frozenset[int]().union(*map(written, codes)))
    return (
        *(k.Assign(local, zero(program.locals[local].type)) for local in locals_),
        *(reset(program, var, -1) for var in vars_ if program.vars[var].length != 0),
    )
