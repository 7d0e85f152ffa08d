"""What a verdict claims, worked out anew from the program: its own reading of docs/verdicts.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import FaultError, State


@dataclass(frozen=True, slots=True)
class Claim:
    """What decides about a verdict. Just one is set: `state` says whether a state is the case in question,
    `fault` whether a fault (by its index) is, `line` is a line of a rules file (name, number); or `whole`
    names what the whole graph decides. `number` is what is to be made great. `wanted`: the case in question
    is hoped for, rather than bad. `blocks`: the stops of which `state` speaks."""

    state: Callable[[State], bool] | None = None
    fault: Callable[[int], bool] | None = None
    line: tuple[str, int] | None = None
    whole: str = ""
    number: Callable[[State], int | None] | None = None
    wanted: bool = False
    blocks: frozenset[int] = frozenset()


def claim_of(program: k.Program, name: str, form: str, standard: bool) -> Claim | None:
    """What a question of this name is about; None if the program asks none."""
    if standard:
        return _standard(program, name)
    if form == "assert":
        named = frozenset(at for at, fault in enumerate(program.faults) if fault.name == name)
        return Claim(fault=named.__contains__) if named else None
    mine = [p for p in program.properties if p.name == name and p.form == form]
    return _stated(program, mine[0]) if len(mine) == 1 else None


def stops(program: k.Program, *kinds: type) -> frozenset[int]:
    return frozenset(at for at, block in enumerate(program.blocks) if isinstance(block.exit, kinds))


def _stated(program: k.Program, p: k.Property) -> Claim | None:
    """A claim of the author's."""
    if p.form in ("terminates", "ends_almost_surely"):
        return Claim(whole=p.form)
    if not p.exprs:
        return None
    kinds: dict[str, tuple[type, ...]] = {"at_end": (k.End,), "everywhere": (k.Decide, k.Chance, k.End)}
    blocks = frozenset(p.blocks) or stops(program, *kinds.get(p.form, (k.Decide, k.End)))
    expr, bound = p.exprs[0], p.bound or 0

    def value(state: State) -> int | None:
        """None for a fault."""
        try:
            return state.evaluate(expr)
        except FaultError:
            return None

    def there(test: Callable[[int | None], bool]) -> Callable[[State], bool]:
        return lambda state: state.block in blocks and test(value(state))

    match p.form:
        case "always" | "at_end" | "everywhere":
            return Claim(state=there(lambda found: not found), blocks=blocks)
        case "never":
            return Claim(state=there(lambda found: found is None or bool(found)), blocks=blocks)
        case "possible":
            return Claim(state=there(bool), wanted=True, blocks=blocks)
        case "at_most":
            return Claim(state=there(lambda found: found is None or found > bound), blocks=blocks)
        case "at_least":
            return Claim(state=there(lambda found: found is None or found < bound), blocks=blocks)
        case "always_possible":
            return Claim(state=there(bool), whole="always_possible")
        case "maximize":
            return Claim(
                number=lambda state: value(state) if state.block in blocks else None, whole="maximize"
            )
    return None


def _standard(program: k.Program, name: str) -> Claim | None:
    """A question asked of every game."""
    stuck = frozenset(at for at, fault in enumerate(program.faults) if fault.code == "stuck")
    match name:
        case "no_fault":
            return Claim(fault=lambda index: index not in stuck)
        case "never_stuck":
            return Claim(fault=stuck.__contains__)
        case "terminates" | "ends_almost_surely" | "informed" | "no_leak":
            return Claim(whole=name)
        case "result_determined":
            return Claim(state=_undetermined, blocks=_decided(program))
    inside = name.partition("(")[2].removesuffix(")")
    if name.startswith("action_possible("):
        arms = _arms(program, inside)
        return _possible(arms) if arms else None
    if name.startswith("branch_possible("):
        file, _, line = inside.rpartition(" ")
        return Claim(line=(file, int(line)), wanted=True) if line.isdigit() else None
    return None


def _possible(arms: Sequence[tuple[int, int]]) -> Claim:
    """That an action of these arms is legal somewhere."""
    blocks = frozenset(block for block, _ in arms)
    return Claim(state=lambda state: _can(state, arms), wanted=True, blocks=blocks)


def _decided(program: k.Program) -> frozenset[int]:
    """The ends with a winner or a ranking."""
    exits = enumerate(block.exit for block in program.blocks)
    return frozenset(at for at, exit in exits if isinstance(exit, k.End) and exit.form in ("win", "rank"))


def _undetermined(state: State) -> bool:
    """An end with a winner or a ranking at which several share the first place."""
    result = state.result
    return result is not None and result.form in ("win", "rank") and len(result.winners) > 1


def _arms(program: k.Program, name: str) -> list[tuple[int, int]]:
    """The arms (block, number) that a name means: `put`, or `play.choose: put` where there are several."""
    every = [
        (at, number, block.name or block.exit.label, arm.name)
        for at, block in enumerate(program.blocks)
        if isinstance(block.exit, k.Decide)
        for number, arm in enumerate(block.exit.arms)
    ]
    return [(at, number) for at, number, where, arm in every if name in (arm, f"{where}: {arm}")]


def _can(state: State, arms: Sequence[tuple[int, int]]) -> bool:
    return any((state.block, choice.arm) in arms for choice in state.choices)
