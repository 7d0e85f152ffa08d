"""Which variables to look at together, and which claims that is for.

Two claims belong together if they look at the same variables: by themselves, or through the indices that
say at which places of them something is looked at or changed. Whoever proves claims on a part of the state
(slices.py, conserved.py) takes its parts from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine import kernel as k
from verifier.questions import Question
from verifier.symbolic.facts import Facts, nodes
from verifier.symbolic.hiding import Hiding

WIDE = 4_000  # symbols of a variable, beyond which it stays hidden
FEW = 400  # symbols of the variables among which linear relations are looked for
LITTLE = 8  # symbols of a small variable, and elements of a small domain


@dataclass(frozen=True, slots=True)
class Group:
    """Variables that are looked at together. `opaque`: not into closures. `last`: the steps are asked for
    faults as well, and invariants are guessed. `related`: linear relations are guessed, and nothing else."""

    seen: frozenset[int]
    opaque: bool
    last: bool
    related: bool = False


def groups(
    program: k.Program,
    facts: Facts,
    claims: dict[str, Question],
    looks: dict[str, frozenset[int]],
    wide: frozenset[int],
) -> list[Group]:
    """What each claim looks at, what lies in something else left out, unless something is counted there; then
    what hangs together. Claims that speak of closures come after all others."""
    found: list[Group] = []
    small = {at for at, var in enumerate(program.vars) if var.length is None and 1 < width(var) <= LITTLE}
    for opaque in (True, False):
        close = {
            key: places(program, facts, looks[key]) - wide
            for key, q in claims.items()
            if looks[key].isdisjoint(wide) and any(map(facts.flows, q.exprs)) != opaque
        }
        joined, outer = components(close.values()), nested(program, close.values())
        tallied = {one | small for key, one in close.items() if counts(program, claims[key])}
        few = sorted((one for one in tallied if _size(program, one)[0] <= FEW), key=partial(_size, program))
        found += [Group(one, opaque, False, True) for one in few]
        found += [Group(one, opaque, False) for one in outer if one not in joined]
        found += [Group(one, opaque, True) for one in joined]
    return [one for one in found if len(one.seen) < len(program.vars)]


def width(var: k.Var) -> int:
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


def nested(program: k.Program, sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The sets that lie in no other one; those first that are read fastest."""
    given = {one for one in sets if one}
    outer = [one for one in given if not any(one < other for other in given)]
    return sorted(outer, key=partial(_size, program))


def _size(program: k.Program, seen: frozenset[int]) -> tuple[int, list[int]]:
    """What sorts sets of variables: those that are read fastest first."""
    return sum(width(program.vars[at]) for at in seen), sorted(seen)


def places(program: k.Program, facts: Facts, seen: frozenset[int]) -> frozenset[int]:
    """The variables, and those that say at which places of them something is looked at or changed."""
    found = set(seen)
    for root in (*program.blocks, *program.functions):
        for node in nodes(root):
            if isinstance(node, k.At | k.Put) and node.var in seen:
                found |= facts.reads(node.index)
    return frozenset(found)


def is_claim(q: Question) -> bool:
    """Whether induction may prove it, and it is hoped to hold."""
    hoped = q.expected in (None, "proved", "any")
    return q.kind == "reach" and q.bad and hoped and bool(q.exprs) and q.goal is not None


def adds_up(program: k.Program, question: Question) -> bool:
    """Whether a claim speaks of a sum, itself or through functions."""
    return any(isinstance(node, k.Fold) and node.op == "sum" for node in _said(program, question))


def counts(program: k.Program, question: Question) -> bool:
    """Whether it counts over all of a domain, and adds nothing up."""
    long = False
    for node in _said(program, question):
        if isinstance(node, k.Fold) and isinstance(node.over, k.Const):
            long |= node.op in ("count", "set") and node.over.value.bit_count() > LITTLE
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


def looks_at(program: k.Program, facts: Facts, q: Question, wide: frozenset[int]) -> frozenset[int]:
    """The variables that a claim speaks of, `wide` ones being hidden."""
    hiding = Hiding(program, facts, wide)
    return frozenset().union(*(hiding.looks(expr) for expr in q.exprs))
