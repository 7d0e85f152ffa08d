"""What belongs together in two programs: stops, variables and locals."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k

from kemu_verifier.diff.observe import wording
from kemu_verifier.goal.goal import stops


class Apart(Exception):
    """The two programs cannot be read over one state, or a step tells them apart."""


def together(left: k.Program, right: k.Program) -> dict[int, int]:
    """The stops of the left program with those of the right that belong to them: those of the same kind and
    name, then of the others those with the same choices, in their order."""
    kinds = (k.Decide, k.Chance, k.End)
    mine, theirs = stops(left, *kinds), stops(right, *kinds)
    named = {(type(right.blocks[at].exit), right.blocks[at].name): at for at in theirs}
    found: dict[int, int] = {}
    for at in mine:
        twin = named.pop((type(left.blocks[at].exit), left.blocks[at].name), None)
        if twin is not None and (
            not isinstance(left.blocks[at].exit, k.End) or _worded(left, at, right, twin)
        ):
            found[at] = twin
    rest = [at for at in theirs if at not in found.values()]
    for at in mine:
        twin = next((other for other in rest if _worded(left, at, right, other)), None)
        if at not in found and twin is not None:
            found[at] = twin
            rest.remove(twin)
    return found


def _worded(left: k.Program, at: int, right: k.Program, twin: int) -> bool:
    same_kind = type(left.blocks[at].exit) is type(right.blocks[twin].exit)
    return same_kind and wording(left, at) == wording(right, twin)


def shared_vars(left: k.Program, right: k.Program) -> dict[int, int]:
    """The variables of the right program with those of the left that hold the same, each with one only: the
    result, those of the same name, of the others those of the same type in their order. Raises Apart if the
    results cannot be compared."""

    def alike(mine: int, theirs: int) -> bool:
        one, other = left.vars[mine], right.vars[theirs]
        return (one.type, one.length, one.texts) == (other.type, other.length, other.texts)

    if not alike(left.result, right.result):
        raise Apart("another result")
    found = {right.result: left.result}
    for by_name in (True, False):
        for theirs, var in enumerate(right.vars):
            for mine, other in enumerate(left.vars):
                free = theirs not in found and mine not in found.values()
                if free and alike(mine, theirs) and (not by_name or var.name == other.name):
                    found[theirs] = mine
    return found


def shared_locals(left: k.Program, right: k.Program, blocks: dict[int, int]) -> dict[int, int]:
    """The locals of the right program with those of the left that hold the same, as far as both are alive at
    stops that belong together. Raises Apart if two would be the same."""
    found: dict[int, int] = {}
    for by_name in (True, False):
        for mine, theirs in blocks.items():
            for local in right.blocks[theirs].live:
                taken = {found[other] for other in right.blocks[theirs].live if other in found}
                info = right.locals[local]
                for twin in left.blocks[mine].live:
                    other_info = left.locals[twin]
                    alike = info.type == other_info.type and (not by_name or info.name == other_info.name)
                    if local not in found and twin not in taken and alike:
                        found[local] = twin
    for theirs in blocks.values():
        ties = [found[local] for local in right.blocks[theirs].live if local in found]
        if len(set(ties)) < len(ties):
            raise Apart("other locals")
    return found
