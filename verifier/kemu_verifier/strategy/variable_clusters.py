"""Which variables to look at together, and which claims that is for.

A claim is about the variables that it looks at, and those that say at which places of them something is
looked at or changed; claims that are about a variable in common hang together. Whoever proves claims on a
part of the state (localization.py, conservation.py) takes its parts from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import nodes

from kemu_verifier.goal.questions import Question
from kemu_verifier.strategy import strategy
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.havoc import Hiding, histories


@dataclass(frozen=True, slots=True)
class Group:
    """Variables that are looked at together. `opaque`: not into closures. `last`: the steps are asked for
    faults as well, and invariants are guessed. `related`: linear relations are guessed, and no
    other invariants. `faults`: no claim is asked."""

    seen: frozenset[int]
    opaque: bool
    last: bool
    related: bool = False
    faults: bool = False


def wide(program: k.Program) -> frozenset[int]:
    """The variables that stay hidden, because they are too much to read: histories always."""
    return histories(program) | frozenset(
        at for at, var in enumerate(program.vars) if _width(var) > strategy.WIDE
    )


@dataclass(frozen=True, slots=True)
class About:
    """What a claim is about: the variables that it speaks of, and with those that point to places of them
    (none if it speaks of what stays hidden); whether it speaks of closures; also with those small ones that
    something is worked out of which is put into them."""

    looks: frozenset[int]
    close: frozenset[int]
    flows: bool
    fed: frozenset[int]

    def said_in(self, group: Group) -> bool:
        """Whether the claim can be said there."""
        return self.looks <= group.seen and not (group.opaque and self.flows)

    def whole_in(self, group: Group) -> bool:
        """Whether all is seen there that it is about."""
        return bool(self.close) and self.close <= group.seen and self.said_in(group)


def about(program: k.Program, facts: Facts, q: Question, hidden: frozenset[int]) -> About:
    """What a claim is about, some variables being hidden."""
    looks = looks_at(program, facts, q, hidden)
    close = frozenset() if looks & hidden else _places(program, facts, looks) - hidden
    return About(looks, close, any(map(facts.flows, q.exprs)), _fed(program, facts, close) - hidden)


def groups(program: k.Program, claims: Mapping[str, Question], parts: Mapping[str, About]) -> list[Group]:
    """What each claim is about, what lies in something else left out, unless something is counted there; then
    what hangs together, then that with what is put into it. Claims that speak of closures come after all
    others, before all small variables by which faults are told."""
    found: list[Group] = []
    scalars = {at: _width(var) for at, var in enumerate(program.vars) if var.length is None}
    small = {at for at, width in scalars.items() if 1 < width <= strategy.LITTLE}
    for opaque in (True, False):
        close = {key: one.close for key, one in parts.items() if one.close and one.flows != opaque}
        joined, outer = components(close.values()), _nested(program, close.values())
        tallied = {one | small for key, one in close.items() if _counts(program, claims[key])}
        few = (one for one in tallied if _size(program, one)[0] <= strategy.FEW_RELATED)
        found += [Group(one, opaque, False, True) for one in sorted(few, key=partial(_size, program))]
        found += [Group(one, opaque, False) for one in outer if one not in joined]
        found += [Group(one, opaque, True) for one in joined]
        fed = components(one.fed for one in parts.values() if one.close and one.flows != opaque)
        found += [Group(one, opaque, True) for one in fed if one not in joined]
    tests = (one for one in _tested(program) if not any(one <= other.seen for other in found if other.last))
    found = [*(Group(one, True, True, faults=True) for one in components(tests)), *found]
    return [one for one in found if len(one.seen) < len(program.vars)]


def _width(var: k.Var) -> int:
    """How many symbols the elements of a variable take; a number is one."""
    if isinstance(var.type, k.Set):
        size = var.type.size
    else:
        size = var.type.high - var.type.low + 1 if isinstance(var.type, k.Int) and var.texts else 1
    return size * (1 if var.length is None else var.length)


def components(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The sets, those that overlap joined; small ones first."""
    joined: list[frozenset[int]] = []
    for one in sets:
        apart = [other for other in joined if other.isdisjoint(one)]
        joined = [*apart, one.union(*(other for other in joined if not other.isdisjoint(one)))]
    return sorted((one for one in joined if one), key=lambda one: (len(one), sorted(one)))


def _nested(program: k.Program, sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The sets that lie in no other one; those first that are read fastest."""
    given = {one for one in sets if one}
    outer = [one for one in given if not any(one < other for other in given)]
    return sorted(outer, key=partial(_size, program))


def _size(program: k.Program, seen: frozenset[int]) -> tuple[int, list[int]]:
    """What sorts sets of variables: those that are read fastest first."""
    return sum(_width(program.vars[at]) for at in seen), sorted(seen)


def _places(program: k.Program, facts: Facts, seen: frozenset[int]) -> frozenset[int]:
    """The variables, and those that say at which places of them something is looked at or changed."""
    found = set(seen)
    for root in (*program.blocks, *program.functions):
        for node in nodes(root):
            if isinstance(node, k.At | k.Put) and node.var in seen:
                found |= facts.reads(node.index)
    return frozenset(found)


def _fed(program: k.Program, facts: Facts, seen: frozenset[int]) -> frozenset[int]:
    """The variables, and the small ones of which something is worked out that is put into them."""
    found = set(seen)
    for root in program.blocks:
        for node in nodes(root):
            if isinstance(node, k.Store | k.Put | k.Fill) and node.var in seen:
                found |= {at for at in facts.reads(node.value) if _width(program.vars[at]) <= strategy.FED}
    return frozenset(found)


def _tested(program: k.Program) -> Iterator[frozenset[int]]:
    """For each fault that is told by small variables only, these."""
    facts = Facts(program)
    for root in (*program.blocks, *program.functions):
        for node in nodes(root):
            read = facts.reads(node.test) if isinstance(node, k.Need | k.Check) else frozenset[int]()
            if not any(_width(program.vars[at]) > strategy.FED for at in read) and read.isdisjoint(
                histories(program)
            ):
                yield read


def is_claim(q: Question) -> bool:
    """Whether induction may prove it, and it is hoped to hold."""
    hoped = q.expected in (None, "proved", "any")
    return q.kind == "reach" and q.bad and hoped and bool(q.exprs) and q.goal is not None


def adds_up(program: k.Program, question: Question) -> bool:
    """Whether a claim speaks of a sum, itself or through functions."""
    return any(isinstance(node, k.Fold) and node.op == "sum" for node in _said(program, question))


def _counts(program: k.Program, question: Question) -> bool:
    """Whether it counts over all of a domain, and adds nothing up."""
    long = False
    for node in _said(program, question):
        if isinstance(node, k.Fold) and isinstance(node.over, k.Const):
            long |= node.op in ("count", "set") and node.over.value.bit_count() > strategy.LITTLE
    return long and not adds_up(program, question)


def _said(program: k.Program, question: Question) -> Iterator[Any]:
    """The nodes of what is asked, and of the functions that it calls."""
    waiting: list[Any] = [*question.exprs]
    called: set[int] = set()
    while waiting:
        for node in nodes(waiting.pop()):
            yield node
            if isinstance(node, k.Call) and node.function not in called:
                called.add(node.function)
                waiting.append(program.functions[node.function].body)


def looks_at(program: k.Program, facts: Facts, q: Question, hidden: frozenset[int]) -> frozenset[int]:
    """The variables that a claim speaks of, some being hidden."""
    hiding = Hiding(program, facts, hidden)
    return frozenset().union(*(hiding.looks(expr) for expr in q.exprs))
