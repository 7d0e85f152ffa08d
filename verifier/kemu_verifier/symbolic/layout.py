"""The symbolic state: fresh variables for every state variable and local, and the ways between them and plain
values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.snapshots import EMPTY, Snapshots

from kemu_verifier.symbolic.expressions import Env, const
from kemu_verifier.symbolic.havoc import histories, optional
from kemu_verifier.symbolic.mapping import Substitution, Valuation
from kemu_verifier.symbolic.terms import FALSE, TRUE, VAR, Lin, Lit, Terms
from kemu_verifier.symbolic.values import Cases, Numbers, Value

FEW = 12
ONE_HOT = 130  # integers with at most so many values get a Boolean for each


@dataclass(slots=True)
class Binding:
    """What the variables of the symbolic state stand for elsewhere."""

    lits: dict[int, Lit] = field(default_factory=dict)
    lins: dict[int, Lin] = field(default_factory=dict)


class Layout:
    """One symbolic value for each state variable and local of a program; `typing` are the literals that must
    hold of them. Of those `hidden` only whether they have a value is there. `integers`: numbers, unlike what
    stands for an element, are integers, not a Boolean for each value. Histories are always hidden.
    """

    def __init__(
        self,
        program: k.Program,
        terms: Terms,
        hidden: frozenset[int] = frozenset(),
        integers: bool = False,
    ) -> None:
        self.few = (2 if terms.linear else FEW) if integers else ONE_HOT
        self.program = program
        self.terms = terms
        self.numbers = Numbers(terms)
        self.typing: list[Lit] = []
        self.vars: list[Any] = []
        hidden |= histories(program)
        self.seen = [at for at in range(len(program.vars)) if at not in hidden]
        for at, var in enumerate(program.vars):
            if at in hidden:
                self.vars.append(self._presence(var))
            elif var.length is None:
                self.vars.append(self.fresh(var.type, var.name, bool(var.texts)))
            else:
                labels = var.labels or tuple(map(str, range(var.length)))
                made = (self.fresh(var.type, f"{var.name}[{label}]", bool(var.texts)) for label in labels)
                self.vars.append(tuple(made))
        self._locals: dict[int, Value] = {}

    def fresh(self, type_: k.Type, name: str, element: bool = True) -> Value:
        if isinstance(type_, k.Bool):
            return self.terms.var(name)
        if isinstance(type_, k.Set):
            return tuple(self.terms.var(f"{i} in {name}") for i in range(type_.size))
        assert isinstance(type_, k.Int), "a history is not looked at"
        if type_.high - type_.low >= (ONE_HOT if element else self.few):
            node = self.terms.ivar(name, type_.low, type_.high)
            return Lin(0, ((1, node),))
        values = range(type_.low, type_.high + 1)
        lits = self.terms.one_of([f"{name}={value}" for value in values])
        if len(lits) > 2:
            self.typing += self.terms.exactly_one(lits)
        return Cases(tuple(zip(values, lits, strict=True)))

    def _presence(self, var: k.Var) -> Any:
        """Of a hidden variable: whether it, or each of its elements, has a value; an empty tuple if it always
        has. Of a history: whether it is empty."""
        if isinstance(var.type, k.History):
            return self.terms.var(f"{var.name} is empty")
        if not optional(var.type):
            return ()
        if var.length is None:
            return self.terms.var(f"{var.name} is some")
        return tuple(self.terms.var(f"{var.name}[{at}] is some") for at in range(var.length))

    def shown(self) -> Iterator[tuple[int, k.Var, Any]]:
        """(number, variable, symbolic value) of the variables that are not hidden."""
        return ((at, self.program.vars[at], self.vars[at]) for at in self.seen)

    def local(self, local: int) -> Value:
        if local not in self._locals:
            info = self.program.locals[local]
            self._locals[local] = self.fresh(info.type, info.name, bool(info.texts))
        return self._locals[local]

    def env(self, block: int, versions: Sequence[int]) -> Env:
        """Any state at a stop."""
        live = self.program.blocks[block].live
        return Env(list(self.vars), list(versions), {local: self.local(local) for local in live})

    def opening(self, versions: Sequence[int]) -> Env:
        """The state as a game begins."""
        vars: list[Any] = []
        for at, var in enumerate(self.program.vars):
            if at not in self.seen:
                vars.append(_there(self.vars[at], var, var.initial))
            elif isinstance(var.initial, tuple):
                vars.append(tuple(const(var.type, value) for value in var.initial))
            else:
                assert isinstance(var.initial, int), "a history is not looked at"
                one = const(var.type, var.initial)
                vars.append(one if var.length is None else (one,) * var.length)
        return Env(vars, list(versions), {})

    # ------------------------------------------------------------------------------------------ binding

    def bind(self, block: int, env: Env) -> Binding:
        """The variables of the state at a stop, as the environment has them."""
        binding = Binding()
        for symbol, value in zip(self.vars, env.vars, strict=True):
            if symbol is not value:
                self._bind_var(symbol, value, binding)
        for local in self.program.blocks[block].live:
            if local in env.locals:
                self._bind(self.local(local), env.locals[local], binding)
        return binding

    def _bind_var(self, symbol: Any, value: Any, binding: Binding) -> None:
        if isinstance(symbol, tuple) and symbol and not isinstance(symbol[0], int):
            for one, other in zip(symbol, value, strict=True):
                if one is not other:
                    self._bind(one, other, binding)
        else:
            self._bind(symbol, value, binding)

    def _bind(self, symbol: Value, value: Value, binding: Binding) -> None:
        if isinstance(symbol, int):
            assert isinstance(value, int)
            binding.lits[symbol] = value
        elif isinstance(symbol, tuple):
            assert isinstance(value, tuple)
            binding.lits.update(zip(symbol, value, strict=True))
        elif isinstance(symbol, Lin):
            assert isinstance(value, Cases | Lin)
            binding.lins[symbol.terms[0][1]] = self.numbers.lin(value)
        else:
            assert isinstance(value, Cases | Lin)
            self._bind_cases(symbol, value, binding)

    def _bind_cases(self, symbol: Cases, value: Cases | Lin, binding: Binding) -> None:
        pairs = symbol.pairs[-1:] if len(symbol.pairs) == 2 else symbol.pairs
        if len(symbol.pairs) == 1:
            return
        known = dict(value.pairs) if isinstance(value, Cases) else None
        for v, lit in pairs:
            binding.lits[lit] = self.numbers.equal_const(value, v) if known is None else known.get(v, -1)

    def substitution(self, binding: Binding) -> Substitution:
        return Substitution(self.terms, binding.lits, binding.lins)

    # ------------------------------------------------------------------------------------------ plain values

    def encode(self, block: int, vars: Sequence[Any], locals: Sequence[int]) -> dict[int, int]:
        """The values of the variables in a concrete state."""
        values: dict[int, int] = {}
        for at, var, symbol in self.shown():
            pairs = [(symbol, vars[at])] if var.length is None else zip(symbol, vars[at], strict=True)
            for one, plain in pairs:
                _encode(one, plain, values)
        for at in {*range(len(vars))} - {*self.seen}:
            there = _there(self.vars[at], self.program.vars[at], vars[at])
            lits = there if isinstance(there, tuple) else (there,)
            symbols = self.vars[at] if isinstance(self.vars[at], tuple) else (self.vars[at],)
            values.update((symbol, int(lit == TRUE)) for symbol, lit in zip(symbols, lits, strict=True))
        for local, plain in zip(self.program.blocks[block].live, locals, strict=True):
            _encode(self.local(local), plain, values)
        return values

    def decode(self, block: int, values: Valuation) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        """Variables and live locals of the concrete state that a valuation describes."""
        vars: list[Any] = []
        for var, symbol in zip(self.program.vars, self.vars, strict=True):
            if isinstance(var.type, k.History):
                vars.append(EMPTY)  # of which nothing is known
            elif var.length is None:
                vars.append(decode(symbol, values))
            else:
                vars.append(tuple(decode(one, values) for one in symbol))
        live = self.program.blocks[block].live
        return tuple(vars), tuple(decode(self.local(local), values) for local in live)


def _there(symbol: Any, var: k.Var, plain: Any) -> Any:
    """What stands for the plain value of a hidden variable."""
    if isinstance(plain, Snapshots):
        return FALSE if len(plain) else TRUE
    if symbol == ():
        return ()
    if var.length is None:
        return FALSE if plain == -1 else TRUE
    cells = plain if isinstance(plain, tuple) else (plain,) * var.length
    return tuple(FALSE if cell == -1 else TRUE for cell in cells)


def _encode(symbol: Value, plain: int, values: dict[int, int]) -> None:
    if isinstance(symbol, int):
        values[symbol] = int(plain)
    elif isinstance(symbol, tuple):
        values.update((lit, plain >> i & 1) for i, lit in enumerate(symbol))
    elif isinstance(symbol, Lin):
        values[symbol.terms[0][1]] = plain
    else:
        values.update((lit, int(v == plain)) for v, lit in _positive(symbol.pairs))


def _positive(pairs: Iterable[tuple[int, Lit]]) -> list[tuple[int, Lit]]:
    return [(v, lit) for v, lit in pairs if lit > 1]


def variables(terms: Terms, symbol: Any) -> list[int]:
    """The variables in a symbolic value, or in the elements of an array."""
    if isinstance(symbol, int):
        return [node for node in terms.cone([symbol]) if terms.kind[node] == VAR]
    if isinstance(symbol, tuple):
        return [node for element in symbol for node in variables(terms, element)]
    if isinstance(symbol, Lin):
        return [term for _, term in symbol.terms]
    return [abs(lit) for _, lit in symbol.pairs if abs(lit) > 1]


def decode(symbol: Value, values: Valuation) -> int:
    """The plain value of a symbolic one."""
    if isinstance(symbol, int):
        return int(values.lit(symbol))
    if isinstance(symbol, tuple):
        return sum(1 << i for i, lit in enumerate(symbol) if values.lit(lit))
    if isinstance(symbol, Lin):
        return values.lin(symbol)
    return next((v for v, lit in symbol.pairs if values.lit(lit)), symbol.pairs[0][0])
