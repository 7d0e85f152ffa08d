"""Where an example begins: a stop at which play can stand with the locals that are given, those that follow
from them, and no other that play still needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax.ast import NOWHERE, Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import reached, stops_from, targets
from kemu_engine.kernel.equations import Equation, Equations
from kemu_engine.kernel.evaluate import Evaluator
from kemu_engine.kernel.liveness import Reads, needed, perhaps_set
from kemu_engine.kernel.walk import written
from kemu_engine.lower.calling_context import Shared, seen_from, shared_rules
from kemu_engine.lower.statements.kill_dead_vars import needed_vars
from kemu_engine.static.problems import refuse
from kemu_engine.static.work import Work

LOOKED = 4  # steps of a value that is tried, of an equation that is looked at
ANALYSED = 100  # of a block, in what is to be known of all blocks for one chain of calls
MOST_TRIED = 100_000  # values of a local that are tried for one that gives a parameter its argument


@dataclass(frozen=True, slots=True)
class Place:
    """A stop, and a chain of calls that leads to it (by the local in which a rule keeps where it returns to);
    the values given to locals, and the code that gives local variables theirs. `names` and `var_names`: how
    those are called in an example that it can give. `presumed`: what other locals hold; `premises`: what
    has to be so there."""

    block: int
    chain: Mapping[int, int]
    values: Mapping[int, int]
    code: k.Code
    names: Mapping[int, str]
    var_names: Mapping[str, str]
    presumed: Mapping[int, k.Expr]
    premises: tuple[k.Premise, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """How an example may begin: the places that its label means, the first that fits is meant."""

    label: str
    places: tuple[Place, ...]
    given: k.Code
    span: Span


class Beginnings:
    """The beginnings of a program's examples."""

    def __init__(self, program: k.Program, work: Work) -> None:
        self.program = program
        self.work = work
        self.rules = shared_rules(program)
        self.reads = Reads()
        self._views: dict[tuple[tuple[int, int], ...], View] = {}

    def begun(self, example: k.Example, start: Start, numbers: Mapping[int, int]) -> k.Example:
        """The example at the first place that fits. `numbers`: of the blocks that can be reached."""
        refused: RulesError | None = None
        self.work.here = start.span
        for place in start.places:
            block = numbers.get(place.block, -1)
            if block not in self.view(place.chain).reached:
                continue
            try:
                code, premises = Position(self, place, start, block).found()
            except RulesError as problem:
                refused = refused or problem
                continue
            return replace(example, block=block, given=code, premises=premises)
        if refused is None:
            refuse("E0745", start.span, f"in this instance play never comes to `{start.label}`")
        raise refused

    def adjusted(self, example: k.Example) -> k.Example:
        """An example at the beginning of the game, whose locals follow the state that is given."""
        first = stops_from(self.program, self.program.entry)
        if not first:  # play comes to no stop at all
            return example
        place = Place(next(iter(first)), {}, {}, (), {}, {}, {})
        if not example.given or len(first) != 1 or place.block not in self.view({}).reached:
            return example
        start = Start("", (place,), example.given, NOWHERE)
        return replace(example, given=Position(self, place, start, place.block).adjusted())

    def view(self, chain: Mapping[int, int]) -> View:
        key = tuple(sorted(chain.items()))
        self.work.spend(LOOKED)
        if key not in self._views:
            self.work.spend(ANALYSED * len(self.program.blocks))
            self._views[key] = View(self.program, chain, self.rules, self.reads)
        return self._views[key]


class View:
    """What holds, and what is needed, at the stops of a program, as a chain of calls comes to them."""

    def __init__(
        self, program: k.Program, chain: Mapping[int, int], rules: Mapping[int, Shared], reads: Reads
    ) -> None:
        seen = seen_from(program, chain, rules)
        self.reached = frozenset(reached([seen.entry], lambda number: targets(seen.blocks[number].exit)))
        self.equations = Equations(seen, len(program.blocks), reads)
        set_, selectors = perhaps_set(seen), rules.keys()
        self.locals = [read & perhaps - selectors for read, perhaps in zip(needed(seen), set_, strict=True)]
        self.vars = needed_vars(seen)


Told = dict[int, int | None]
"""The values of locals; None for one that depends on the state."""


class Position:
    """The search for the locals of one place."""

    def __init__(self, all: Beginnings, place: Place, start: Start, block: int) -> None:
        self.program, self.reads, self.work = all.program, all.reads, all.work
        self.place, self.start = place, start
        view = all.view(place.chain)
        self.equations = view.equations.at(block)
        self.wanted, self.wanted_vars = view.locals[block], view.vars[block]
        self.known: Told = {**place.chain, **place.values}
        self.values: dict[int, k.Expr] = {
            local: self._const(local, value) for local, value in self.known.items() if value is not None
        }
        self.telling: list[Equation] = []  # the equations that have told a local

    def adjusted(self) -> k.Code:
        """The code that is given, and that which works out again the locals that follow from the state."""
        while any(self._tells(equation) for equation in self.equations):
            pass
        _, derived = self._code(())
        return (*self.start.given, *derived)

    def found(self) -> tuple[k.Code, tuple[k.Premise, ...]]:
        """The code that makes the position, and what must hold in it. Raises RulesError."""
        while any(self._tells(equation) for equation in self.equations):
            pass
        for local in self._missing():
            value = self.place.presumed.get(local)
            if value is not None and not self._unknown(self.reads.of(value)):
                self.known[local], self.values[local] = None, value
        self._nothing_missing()
        premises = tuple(self._premises())
        fixed, derived = self._code(premises)
        return (*fixed, *self.place.code, *self.start.given, *derived), premises

    def _code(self, premises: tuple[k.Premise, ...]) -> tuple[list[k.Stmt], list[k.Stmt]]:
        """What is asked for of the locals: those known before play, and those that the state tells."""
        asked = {*self.place.chain, *self.wanted, *self.reads.all(premise.test for premise in premises)}
        fixed: list[k.Stmt] = []
        derived: list[k.Stmt] = []
        for local, value in reversed(self.values.items()):
            if local in asked:
                asked |= self.reads.of(value)
                (derived if self.known[local] is None else fixed).append(k.Assign(local, value))
        return fixed[::-1], derived[::-1]

    def _const(self, local: int, value: int) -> k.Const:
        kind = self.program.locals[local].type
        return k.Const(kind, bool(value) if isinstance(kind, k.Bool) else value)

    def _unknown(self, locals_: Iterable[int]) -> frozenset[int]:
        return frozenset(locals_) - self.known.keys()

    # ------------------------------------------------------------------------------------------ what follows

    def _tells(self, equation: Equation) -> bool:
        """Whether an equation tells a local that was not known."""
        self.work.spend(LOOKED)
        unknown = self._unknown(equation.locals)
        target = equation.target
        if isinstance(target, k.Local) and target.id not in self.known:
            return not unknown and self._let(target.id, equation.value, equation)
        if len(unknown) != 1:
            return False
        (local,) = unknown
        if isinstance(equation.value, k.Local):
            return self._let(local, target, equation)
        if not isinstance(target, k.Local) or not self._static(equation):
            return False
        values = self._solutions(equation, local, self.known[target.id])
        return len(values) == 1 and self._let(local, self._const(local, values[0]), equation)

    def _let(self, local: int, value: k.Expr, equation: Equation) -> bool:
        fixed = self._static(equation) and not isinstance(value, k.Load)
        fixed = fixed and all(self.known[each] is not None for each in self.reads.of(value))
        self.known[local] = self._worked_out(value)(self.known) if fixed else None
        self.values[local] = value
        self.telling.append(equation)
        return True

    def _static(self, equation: Equation) -> bool:
        """Whether the value of an equation depends on nothing but locals that are known before play, or not
        known yet."""
        locals_ = equation.locals & self.known.keys()
        settled = all(self.known[local] is not None for local in locals_)
        return settled and not equation.vars and not build.faults(equation.value)

    def _worked_out(self, value: k.Expr) -> Callable[[Told], int]:
        evaluate = Evaluator(self.program.tables).expr(value)

        def at(known: Told) -> int:
            frame = _Bound([0] * len(self.program.locals))
            for local, held in known.items():
                frame.locals[local] = held or 0
            return int(evaluate(frame))

        return at

    def _solutions(self, equation: Equation, local: int, wanted: int | None) -> list[int]:
        """The values of a local with which an equation holds."""
        kind = self.program.locals[local].type
        if wanted is None or not isinstance(kind, k.Int) or kind.high - kind.low >= MOST_TRIED:
            return []
        self.work.spend(LOOKED * (kind.high - kind.low + 1), self.start.span)
        value = self._worked_out(equation.value)
        return [i for i in range(kind.low, kind.high + 1) if value({**self.known, local: i}) == wanted]

    # --------------------------------------------------------------------------------------- what must be so

    def _premises(self) -> Iterator[k.Premise]:
        """The equations that told nothing: whether they hold is known, or to be seen in the state."""
        yield from self.place.premises
        for equation in self.equations:
            target = equation.target
            told = any(equation is each for each in self.telling)
            if told or self._unknown(equation.locals) or not self._about_locals(equation):
                continue
            value = self.known[target.id] if isinstance(target, k.Local) else None
            if value is None or not self._static(equation):
                yield k.Premise(build.eq(target, equation.value), self._contradiction(equation))
            elif self._worked_out(equation.value)(self.known) != value:
                refuse("E0772", self.start.span, self._contradiction(equation))

    def _about_locals(self, equation: Equation) -> bool:
        if isinstance(equation.target, k.Local):
            return equation.target.id in self.known
        return bool(equation.locals)

    def _contradiction(self, equation: Equation) -> str:
        names = [self._name(local) for local in sorted(equation.locals)]
        names += [f"`{self.program.vars[var].name}`" for var in sorted(equation.vars)]
        if isinstance(equation.target, k.Local):
            target = self._name(equation.target.id)
        else:
            target = f"`{self.program.vars[equation.target.var].name}`"
        others = " and ".join(dict.fromkeys(name for name in names if name != target))
        follows = f"{target} follows from {others}" if others else f"{target} has one value only"
        return f"no play comes to `{self.start.label}` like this: {follows} there, and is something else here"

    def _name(self, local: int) -> str:
        frame, _, name = self.program.locals[local].name.rpartition(".")
        return f"`{name}` of `{frame}`" if frame else f"`{name}`"

    def _missing(self) -> list[int]:
        return sorted(self._unknown(self.wanted))

    def _nothing_missing(self) -> None:
        given = written(self.place.code)
        names = {local: self.place.names.get(local) for local in self._missing()}
        for local in list(names):
            for other in self._unknown(self.reads.of(self.place.presumed.get(local, build.TRUE))):
                names = {other: self.place.names.get(other), **names}
        names |= {-1 - var: self._var_name(var) for var in sorted(self.wanted_vars - given)}
        if not names:
            return
        usable = sorted((name for name in names.values() if name is not None), key=lambda name: "." in name)
        label = self.start.label
        if usable:
            hint = f"give it as in `at {label}, {usable[0]} = ...`"
            refuse("E0771", self.start.span, f"play needs `{usable[0]}` to go on from `{label}`: {hint}")
        first = next(iter(names))
        hidden = self._name(first) if first >= 0 else f"`{self.program.vars[-1 - first].name}`"
        message = (
            f"play needs {hidden} to go on from `{label}`, which cannot be given: begin the example earlier"
        )
        refuse("E0771", self.start.span, message)

    def _var_name(self, var: int) -> str | None:
        name = self.program.vars[var].name  # `rule.name`, of a part of a record or list with more behind it
        parts = name.split(".")
        return self.place.var_names.get(".".join(parts[:2]))


@dataclass(slots=True)
class _Bound:
    locals: list[int]
