"""From the prover's terms back to expressions of the kernel about a state at a stop.

What several places use becomes a definition, written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kemu_engine.kernel import build as b
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.interval import arithmetic

from kemu_verifier.evidence.proof import Clock, Def, expression
from kemu_verifier.symbolic.terms import (
    AND,
    CONST,
    DIV,
    FALSE,
    ITE,
    IVAR,
    LE,
    MOD,
    MUL,
    SUM,
    TRUE,
    VAR,
    Lin,
    Lit,
)
from kemu_verifier.symbolic.transition import Transitions
from kemu_verifier.symbolic.values import Cases, Value

LEAVES = (CONST, VAR, IVAR)
COUNTED = 0, 1 << 62  # what the checker takes a number of decisions for (docs/evidence.md)
OPERATORS: dict[int, k.Operator] = {MUL: "mul", DIV: "div", MOD: "mod"}


@dataclass(frozen=True, slots=True)
class Number:
    """An expression, and the interval of its values."""

    expr: k.Expr
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Cell:
    """That an integer has a value: of which integer, from where to where it goes, and which value."""

    expr: k.Expr
    type: k.Int
    value: int


@dataclass(frozen=True, slots=True)
class Bit:
    """That something is in a set."""

    expr: k.Expr
    type: k.Set
    value: int


class Symbols:
    """What the symbols of the state stand for: `names` as expressions, `cells` and `bits` of those that are
    about a value of an integer or a member of a set. A symbol of what is hidden has no name."""

    def __init__(self, transitions: Transitions) -> None:
        self.names: dict[int, k.Expr] = {transitions.clock: expression(Clock())}
        self.cells: dict[int, Cell] = {}
        self.bits: dict[int, Bit] = {}
        self.presence: dict[int, int] = {}  # symbols of whether a hidden variable has a value: the variable
        program, layout = transitions.program, transitions.layout
        shown = {at for at, _, _ in layout.shown()}
        for number, (var, symbol) in enumerate(zip(program.vars, layout.vars, strict=True)):
            if symbol == () or isinstance(var.type, k.History):
                continue
            elements: Sequence[Value] = [symbol] if var.length is None else symbol
            for at, element in enumerate(elements):
                index = b.integer(at)
                here = k.Load(var.type, number) if var.length is None else k.At(var.type, number, index)
                if number in shown:
                    self._add(here, element)
                elif isinstance(element, int):
                    self.names[element] = k.Op(k.BOOL, "ne", (here, b.integer(-1)))
                    self.presence[element] = number
        self.locals: dict[int, int] = {}  # symbols that are about a local: which
        for local in {local for block in program.blocks for local in block.live}:
            known = len(self.names)
            self._add(k.Local(program.locals[local].type, local), layout.local(local))
            self.locals |= dict.fromkeys(list(self.names)[known:], local)

    def _add(self, here: k.Expr, value: Value) -> None:
        if isinstance(value, int):
            self.names[value] = here
        elif isinstance(value, Lin):
            self.names[value.terms[0][1]] = here
        elif isinstance(value, Cases):
            assert isinstance(here.type, k.Int)
            for number, lit in value.pairs:
                if lit > 1:
                    self.names[lit] = k.Op(k.BOOL, "eq", (here, b.integer(number)))
                    self.cells[lit] = Cell(here, here.type, number)
        else:
            assert isinstance(here.type, k.Set)
            for at, lit in enumerate(value):
                self.names[lit] = k.Op(k.BOOL, "in", (b.integer(at), here))
                self.bits[lit] = Bit(here, here.type, at)


class Translation:
    """Literals and numbers as expressions. `definitions`: what they share."""

    def __init__(self, transitions: Transitions, symbols: Symbols, roots: Iterable[int]) -> None:
        """`roots`: the literals, and the terms of the numbers, that are to be written."""
        self.terms = transitions.terms
        self.symbols = symbols
        self.definitions: list[k.Expr] = []
        self._truths: dict[int, k.Expr] = {}
        self._numbers: dict[int, Number] = {}
        roots = [abs(root) for root in roots]
        cone = self.terms.cone(roots)
        self.nameless = {
            node for node in cone if self.terms.kind[node] in (VAR, IVAR) and node not in symbols.names
        }
        uses = Counter(roots)
        for node in cone:
            uses.update(set(self.terms.children(node)))
        for node in cone:  # children come first
            if self.terms.kind[node] not in LEAVES and self.nameless.isdisjoint(self.terms.cone([node])):
                self._make(node, uses[node] > 1)

    def writable(self, root: int, live: Collection[int] | None = None) -> bool:
        """Whether the literal, or the term, speaks only of what has a name; and of no local that is not among
        these (so it would say the same of every value)."""
        cone = self.terms.cone([root])
        read = {self.symbols.locals[node] for node in cone if node in self.symbols.locals}
        return self.nameless.isdisjoint(cone) and (live is None or read <= set(live))

    # ------------------------------------------------------------------------------------------ truth

    def lit(self, lit: Lit) -> k.Expr:
        """A literal."""
        if lit in (TRUE, FALSE):
            return b.truth(lit == TRUE)
        node = abs(lit)
        expr = self.symbols.names.get(node) or self._truths[node]
        return expr if lit > 0 else _denied(expr)

    def _make(self, node: int, shared: bool) -> None:
        kind, data = self.terms.kind[node], self.terms.data[node]
        if kind == AND:
            self._truths[node] = self._kept(b.both(*map(self.lit, data)), shared)
        elif kind == LE:
            self._truths[node] = self._kept(self._at_most_0(Lin(*data)), shared)
        else:
            found = self._numeric(kind, data)
            self._numbers[node] = Number(self._kept(found.expr, shared), found.low, found.high)

    def _kept(self, expr: k.Expr, shared: bool) -> k.Expr:
        """The expression, or the definition that it becomes."""
        if not shared or isinstance(expr, k.Const | k.Local | k.Load):
            return expr
        self.definitions.append(expr)
        return expression(Def(len(self.definitions) - 1))

    def _at_most_0(self, value: Lin) -> k.Expr:
        left = self._sum(max(value.const, 0), [(c, t) for c, t in value.terms if c > 0])
        right = self._sum(max(-value.const, 0), [(-c, t) for c, t in value.terms if c < 0])
        return k.Op(k.BOOL, "le", (left.expr, right.expr))

    # ------------------------------------------------------------------------------------------ numbers

    def lin(self, value: Lin) -> k.Expr:
        """A linear sum."""
        return self._whole(value).expr

    def _term(self, node: int) -> Number:
        if self.terms.kind[node] == IVAR:
            name = self.symbols.names[node]
            return Number(name, *(COUNTED if isinstance(name, Clock) else self.terms.bounds[node]))
        return self._numbers[node]

    def _sum(self, const: int, items: Sequence[tuple[int, int]]) -> Number:
        """const + the sum of coefficient * term; the coefficients are above 0."""
        return _total(const, [_times(coef, self._term(term)) for coef, term in items])

    def _numeric(self, kind: int, data: Any) -> Number:
        if kind == SUM:
            const, items = 0, []
            for shift, item in self._counted(data):
                const += shift
                items.append(item)
            return _total(const, items)
        if kind == ITE:
            test, then, other = self.lit(data[0]), self._whole(data[1]), self._whole(data[2])
            low, high = min(then.low, other.low), max(then.high, other.high)
            return Number(k.If(k.Int(low, high), test, then.expr, other.expr), low, high)
        return _operation(OPERATORS[kind], self._whole(data[0]), self._whole(data[1]))

    def _whole(self, value: Lin) -> Number:
        left = self._sum(value.const, [(c, t) for c, t in value.terms if c > 0])
        right = [(-c, t) for c, t in value.terms if c < 0]
        return _operation("sub", left, self._sum(0, right)) if right else left

    def _counted(self, items: Sequence[tuple[int, Lit]]) -> Iterator[tuple[int, Number]]:
        """(constant, number): members of a set are counted as such, all values of an integer are itself."""
        sets: dict[tuple[k.Expr, int], int] = {}
        cells: dict[k.Expr, dict[int, tuple[int, Lit]]] = {}
        types: dict[k.Expr, k.Int] = {}
        for coef, lit in items:
            bit, cell = self.symbols.bits.get(lit), self.symbols.cells.get(lit)
            if bit is not None:
                sets[bit.expr, coef] = sets.get((bit.expr, coef), 0) | 1 << bit.value
            elif cell is not None:
                types[cell.expr] = cell.type
                cells.setdefault(cell.expr, {})[cell.value] = coef, lit
            else:
                yield 0, self._one(coef, lit)
        for (expr, coef), mask in sets.items():
            assert isinstance(expr.type, k.Set)
            whole = mask == (1 << expr.type.size) - 1
            inside = expr if whole else b.set_op("inter", expr, b.mask(expr.type.size, mask))
            most = mask.bit_count()
            yield 0, _times(coef, Number(k.Op(k.Int(0, most), "card", (inside,)), 0, most))
        for expr, values in cells.items():
            type_ = types[expr]
            above = range(type_.low + 1, type_.high + 1)
            step = values.get(type_.low + 1, (0, TRUE))[0]
            if step and all(values.get(v, (0,))[0] == step * (v - type_.low) for v in above):
                yield -step * type_.low, _times(step, Number(expr, type_.low, type_.high))
            else:
                yield from ((0, self._one(coef, lit)) for coef, lit in values.values())

    def _one(self, coef: int, lit: Lit) -> Number:
        """The coefficient if the literal holds, else 0."""
        low, high = min(coef, 0), max(coef, 0)
        return Number(k.If(k.Int(low, high), self.lit(lit), b.integer(coef), b.integer(0)), low, high)


def _operation(op: k.Operator, left: Number, right: Number) -> Number:
    type_ = arithmetic(op, k.Int(left.low, left.high), k.Int(right.low, right.high))
    return Number(k.Op(type_, op, (left.expr, right.expr)), type_.low, type_.high)


def _times(coef: int, number: Number) -> Number:
    return number if coef == 1 else _operation("mul", number, Number(b.integer(coef), coef, coef))


def _total(const: int, items: Sequence[Number]) -> Number:
    """const + the items, by halves, so that it nests little."""
    parts = [*items, Number(b.integer(const), const, const)] if const or not items else list(items)
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [_operation("add", *pair) for pair in pairs] + parts[len(parts) // 2 * 2 :]
    return parts[0]


def _denied(expr: k.Expr) -> k.Expr:
    """The negation, pushed inwards."""
    match expr:
        case k.Op(op="and", args=args):
            return b.either(*map(_denied, args))
        case k.Op(op="or", args=args):
            return b.both(*map(_denied, args))
        case k.Op(op="le", args=(left, right)):
            return k.Op(k.BOOL, "lt", (right, left))
        case k.Op(op="lt", args=(left, right)):
            return k.Op(k.BOOL, "le", (right, left))
    return b.no(expr)
