"""Questions to z3: conjunctions of literals, answered with values of their variables.

Three readings of long sums. Exact: pseudo-Boolean constraints, decided by z3's SAT core (or integers, where
the sum stands beside integer variables). Abstract: each sum is a free integer within its bounds, so that
"unsatisfiable" still counts and "satisfiable" may be spurious; sums in `exact` are kept as they are. A model
that gets a sum wrong is answered with a threshold that it has to respect, and the question is put again.
Blind: each comparison that takes arithmetic is a truth value of its own, which leaves nothing but logic.
Counted: sums are added up as integers, products and quotients are free ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import z3

from kemu_verifier.symbolic.deadline import Deadline as Deadline
from kemu_verifier.symbolic.deadline import room, share
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import (
    AND,
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
    Terms,
)
from kemu_verifier.symbolic.values import TooLarge
from kemu_verifier.symbolic.watchdog import Watchdog

Status = Literal["sat", "unsat", "unknown"]
LONG = 2  # sums of more literals are abstracted
FEW = 8  # literals that are counted as fast as looked at
WIDE = (1 << 31) - 1  # beyond it z3 takes no coefficient of a truth value
INTERRUPTED = ("interrupted from keyboard", "interrupted", "canceled")  # what z3 calls Ctrl-C
NO_ROOM = "the solver has no room to go on"


def among(processes: int) -> None:
    """This process is one of so many of ours that work side by side: it keeps to its share of the memory. z3
    has half of that; beyond it z3 says "unknown"."""
    share(processes)
    z3.set_param("memory_high_watermark_mb", room() // 2_000_000)


among(1)


@dataclass(frozen=True, slots=True)
class Answer:
    status: Status
    values: dict[int, int] = field(default_factory=dict)
    reason: str = ""


class Translator:
    """z3 expressions for the nodes of a store, each made once. `unseen`: how many comparisons were made
    truth values of their own."""

    def __init__(
        self,
        terms: Terms,
        abstract: bool = False,
        exact: Collection[int] = (),
        blind: bool = False,
        counted: bool = False,
    ) -> None:
        self.terms = terms
        self.abstract = abstract
        self.exact = exact
        self.blind = blind
        self.counted = counted
        self.unseen = 0
        self.context = z3.main_ctx()
        self._kept = z3.AstVector(ctx=self.context)  # what keeps alive what stands below without a wrapper
        self._made: dict[int, Any] = {}  # by node: a truth value as z3 itself has it, a number as z3py has it
        self._denied: dict[int, z3.Ast] = {}  # by node: that it is false
        self._made[1] = self._bare(z3.BoolVal(True))
        self.variables: dict[int, Any] = {}
        self._declared: dict[int, Any] = {}  # as z3's models name the variables, which keep them alive
        self.bounds: list[Any] = []
        self.integers = False
        self._grouped: dict[int, list[int]] = {}  # by group: those in it that have been made, and told of
        self._rungs: dict[int, Any] = {}  # by group: what holds if one of those is true
        self._told = 0  # of how many variables that was looked at

    @property
    def size(self) -> int:
        """How many nodes have been made."""
        return len(self._made)

    def lits(self, lits: Iterable[Lit]) -> list[Any]:
        lits = list(lits)
        missing = [lit for lit in lits if abs(lit) not in self._made]
        if missing:
            for node in self.cone(missing):
                if node not in self._made:
                    self._made[node] = self._make(node)
        return [self._lit(lit) for lit in lits]

    def cone(self, roots: Iterable[int]) -> list[int]:
        """What has to be made: below pseudo-Boolean atoms the literals, below what is abstracted nothing."""
        found: set[int] = set()
        waiting = [abs(root) for root in roots]
        while waiting:
            node = waiting.pop()
            if node not in found and node not in self._made:
                found.add(node)
                if not self._abstracted(node):
                    waiting += self.terms.children(node)
        return sorted(found)

    def _abstracted(self, node: int) -> bool:
        terms = self.terms
        if self.blind:
            return weighs(terms, node)
        if self.counted:
            return terms.kind[node] in (MUL, DIV, MOD)
        return (
            self.abstract
            and terms.kind[node] in (SUM, MUL, DIV, MOD)
            and node not in self.exact
            and not (terms.kind[node] == SUM and len(terms.data[node]) <= LONG)
        )

    def _lit(self, lit: Lit) -> Any:
        return self._wrapped(self._ast(lit))

    def _ast(self, lit: Lit) -> Any:
        if lit > 0:
            return self._made[lit]
        if -lit not in self._denied:
            self._denied[-lit] = self._negated(self._made[-lit])
        return self._denied[-lit]

    def _make(self, node: int) -> Any:
        kind, data = self.terms.kind[node], self.terms.data[node]
        if kind == AND:
            return self._all([self._ast(lit) for lit in data])
        if kind == VAR:
            return self._bare(self._variable(node, z3.Bool(f"v{node}")))
        if kind == LE:
            if self.blind and weighs(self.terms, node):
                self.unseen += 1
                return self._bare(z3.Bool(f"c{node}"))
            return self._bare(self._atom(*data))
        if kind == IVAR or self._abstracted(node):
            return self._integer(node)
        if kind == SUM:
            return _Sum(data)
        self.integers = True
        if kind == ITE:
            return z3.If(self._lit(data[0]), self.linear(data[1]), self.linear(data[2]))
        a, b = self.linear(data[0]), self.linear(data[1])
        if kind == MUL:
            return a * b
        floor = z3.If(b > 0, z3.ToInt(z3.ToReal(a) / z3.ToReal(b)), z3.ToInt(z3.ToReal(-a) / z3.ToReal(-b)))
        if kind == DIV:
            return floor
        return a - b * floor

    def _integer(self, node: int) -> Any:
        self.integers = True
        low, high = self.terms.bounds[node]
        made = self._variable(node, z3.Int(f"n{node}"))
        self.bounds += [made >= low, made <= high]
        return made

    def _variable(self, node: int, made: Any) -> Any:
        self.variables[node] = made
        self._declared[node] = made.decl().ast
        return made

    def _atom(self, const: int, terms: tuple[tuple[int, int], ...]) -> Any:
        """const + terms <= 0"""
        if all(isinstance(self._made[term], _Sum) for _, term in terms):
            total: dict[Lit, int] = {}
            for coef, term in terms:
                for c, lit in self.terms.data[term]:
                    total[lit] = total.get(lit, 0) + coef * c
            return self._pseudo_boolean(total, -const)
        return self.linear(Lin(const, terms)) <= 0

    def _pseudo_boolean(self, total: dict[Lit, int], bound: int) -> Any:
        """sum of coefficient * literal <= bound"""
        weighted = []
        for lit, coef in sorted(total.items()):
            if coef < 0:  # c[x] = c + (-c)[not x]
                bound -= coef
                weighted.append((self._lit(-lit), -coef))
            elif coef > 0:
                weighted.append((self._lit(lit), coef))
        if bound < 0:
            return z3.BoolVal(False)
        most, least = sum(coef for _, coef in weighted), min((coef for _, coef in weighted), default=0)
        if most <= bound:
            return z3.BoolVal(True)
        if bound < least:
            return z3.And([z3.Not(lit) for lit, _ in weighted])
        if most - least <= bound:
            return z3.Or([z3.Not(lit) for lit, _ in weighted])
        if self.counted or max(bound, *(coef for _, coef in weighted)) > WIDE:
            self.integers = True
            return z3.Sum([z3.If(lit, z3.IntVal(coef), z3.IntVal(0)) for lit, coef in weighted]) <= bound
        return z3.PbLe(weighted, bound)

    def linear(self, value: Lin) -> Any:
        parts = [z3.IntVal(value.const)]
        self.integers = True
        for coef, term in value.terms:
            made = self._made[term]
            if isinstance(made, _Sum):
                parts += [z3.If(self._lit(lit), z3.IntVal(coef * c), z3.IntVal(0)) for c, lit in made.items]
            else:
                parts.append(coef * made)
        return z3.Sum(parts) if len(parts) > 1 else parts[0]

    def cuts(self, values: Mapping[int, int], sums: Iterable[int] | None = None) -> list[Any]:
        """Of each abstracted sum, or of those of the sums, that the values get wrong a threshold between its
        value and the true one: the sum is at most that just if its items are. Only of sums whose items are at
        hand."""
        true, found = Valuation(self.terms, values), []
        for node in self.variables.keys() & set(self.variables if sums is None else sums):
            if self.terms.kind[node] == SUM and node in values:
                items = self.terms.data[node]
                total = sum(coef for coef, lit in items if true.lit(lit))
                if total != values[node] and all(self._at_hand(lit) for _, lit in items):
                    self.lits(lit for _, lit in items)
                    most = min(total, values[node])
                    within = self._pseudo_boolean({lit: coef for coef, lit in items}, most)
                    found.append(within == (self.variables[node] <= most))
        return found

    def grouped(self) -> list[Any]:
        """What is to be said of the variables made since this was asked last: of a group of which exactly one
        is true no two are, and if all are made one is. A group of which some are not made says no more.

        No two: a ladder, of which a rung holds if one of those up to it is true."""
        found: list[Any] = []
        for node in list(self.variables)[self._told :]:
            group = self.terms.group.get(node)
            if group is None:
                continue
            here, new = self._grouped.setdefault(group, []), self._made[node]
            here.append(node)
            if len(here) > 1:
                below = self._rungs[group]
                found.append(self._false(below, new))
                rung = self._bare(z3.Bool(f"one of {group} up to {len(here)}"))
                found += [self._false(each, self._negated(rung)) for each in (below, new)]
                self._rungs[group] = rung
            else:
                self._rungs[group] = new
            if len(here) == len(self.terms.groups[group]):
                found.append(self.not_all([-each for each in here]))
        self._told = len(self.variables)
        return found

    def not_all(self, lits: Sequence[Lit]) -> Any:
        """That some of the literals, which have been made, is false."""
        return self._false(*map(self._ast, lits))

    # z3py wraps each expression in an object that counts references. Of those in between there are a hundred
    # times as many as anybody asks for: they are made without.

    def _false(self, *parts: z3.Ast) -> Any:
        return self._wrapped(self._negated(self._all(parts)))

    def _negated(self, part: z3.Ast) -> z3.Ast:
        return self._keep(z3.Z3_mk_not(self.context.ref(), part))

    def _all(self, parts: Sequence[z3.Ast]) -> z3.Ast:
        return self._keep(z3.Z3_mk_and(self.context.ref(), len(parts), (z3.Ast * len(parts))(*parts)))

    def _keep(self, made: z3.Ast) -> z3.Ast:
        z3.Z3_ast_vector_push(self.context.ref(), self._kept.vector, made)
        return made

    def _bare(self, made: z3.BoolRef) -> z3.Ast:
        return self._keep(made.as_ast())

    def _wrapped(self, made: z3.Ast) -> z3.BoolRef:
        return z3.BoolRef(made, self.context)

    def values(self, model: Any) -> dict[int, int]:
        """The values of the variables in a model; those that do not matter are left out. There are thousands
        of them, and many models: they are asked of z3 itself, not of z3py."""
        context, values = self.context.ref(), dict[int, int]()
        for node, declared in self._declared.items():
            value = z3.Z3_model_get_const_interp(context, model.model, declared)
            if value.value is None:
                continue
            if self.terms.kind[node] == VAR:
                values[node] = int(z3.Z3_get_bool_value(context, value) == z3.Z3_L_TRUE)
            else:
                values[node] = int(z3.Z3_get_numeral_string(context, value))
        return values

    def completed(self, values: Mapping[int, int]) -> dict[int, int]:
        """The values, and of groups none of which is true one that has not been made."""
        terms, full = self.terms, dict(values)
        for group, members in enumerate(terms.groups):
            here = self._grouped.get(group, ())
            if len(here) < len(members) and not any(values.get(node) for node in here):
                full[next(node for node in members if node not in here)] = 1
        return full

    def _at_hand(self, lit: Lit) -> bool:
        return abs(lit) in self._made or self.terms.kind[abs(lit)] == VAR

    def equation(self, value: Lin) -> Any:
        """value == 0"""
        return self.number(value) == 0

    def number(self, value: Lin) -> Any:
        """The value; its terms may have to be made first."""
        for node in self.cone(term for _, term in value.terms):
            if node not in self._made:
                self._made[node] = self._make(node)
        return self.linear(value)


def weighs(terms: Terms, node: int) -> bool:
    """Whether the node is a comparison that takes arithmetic: not one that says of all literals of a sum, or
    of all but one, that they hold or that they do not, nor one of a few literals."""
    if terms.kind[node] != LE:
        return False
    const, compared = terms.data[node]
    if any(terms.kind[term] != SUM for _, term in compared):
        return True
    coefs = [factor * coef for factor, term in compared for coef, _ in terms.data[term]]
    if len(coefs) <= FEW:
        return False
    low, high = terms.range(Lin(const, compared))
    unit = min(map(abs, coefs))
    uneven = max(map(abs, coefs)) > unit
    return len(compared) > 1 or uneven or low + 2 * unit <= 0 < high - 2 * unit


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum that is put into the atoms above it."""

    items: tuple[tuple[int, Lit], ...]


def solve(
    terms: Terms,
    lits: Iterable[Lit],
    deadline: Deadline,
    equations: Iterable[Lin] = (),
    abstract: bool = False,
    exact: Collection[int] = (),
) -> Answer:
    """Whether all the literals, and the equations (`lin` == 0), hold at once. Sat in abstract reading may be
    spurious.
    """
    lits = [lit for lit in lits if lit != TRUE]
    if FALSE in lits:
        return Answer("unsat")
    if deadline.passed:
        return Answer("unknown", reason="out of time")
    made = Translator(terms, abstract, exact)
    asserted = made.lits(lits)
    asserted += [made.equation(value) for value in equations]
    solver = z3.Solver() if made.integers else z3.SolverFor("QF_FD")
    try:
        answer = ask(solver, [*asserted, *made.bounds], made, deadline)
        while answer.status == "sat" and (cuts := made.cuts(answer.values)):
            answer = ask(solver, cuts, made, deadline)
    except TooLarge as error:
        return Answer("unknown", reason=str(error))
    return answer


def ask(
    solver: Any, asserted: list[Any], made: Translator, deadline: Deadline, assumed: Sequence[Any] = ()
) -> Answer:
    """Puts the question to a solver, whose state it adds to.

    After z3 has given up, what a solver without a scope says is not to be relied on, neither "sat" nor
    "unsat": it goes on in a scope, where another part of z3 answers. And what it calls a model in the moment
    of giving up may be none. Raises TooLarge if it has no room to go on.
    """
    tell(solver, asserted)
    with Watchdog(solver, max(0.001, deadline.left)) as watchdog:
        status = str(solver.check(*assumed))
    if status == "unsat":
        return Answer("unsat")
    if status != "sat":
        reason = solver.reason_unknown()
        if not solver.num_scopes():
            _open_scope(solver)
        if not watchdog.barked and reason in INTERRUPTED:
            raise KeyboardInterrupt
        return Answer("unknown", reason="out of time" if watchdog.barked else reason)
    model = solver.model()
    if watchdog.barked and not is_model(model, [*solver.assertions(), *assumed]):
        return Answer("unknown", reason="no model after all")
    return Answer("sat", made.values(model))


@contextmanager
def scope(solver: Any) -> Iterator[None]:
    """What is asserted within is forgotten afterwards, however it ends. Raises TooLarge if the solver has no
    room for it."""
    try:
        solver.push()
    except z3.Z3Exception as error:
        raise TooLarge(NO_ROOM) from error
    try:
        yield
    finally:
        solver.pop()


def _open_scope(solver: Any) -> None:
    """A scope, in which the solver goes on. For that z3 may want as much time and memory as for an answer."""
    with suppress(z3.Z3Exception):  # which leaves the scope open or not
        solver.push()
    if not solver.num_scopes():
        raise TooLarge(NO_ROOM)


def tell(solver: Any, asserted: Iterable[Any]) -> None:
    """Asserts what is known to be expressions of truth values, without z3py's looking at each."""
    for each in asserted:
        z3.Z3_solver_assert(solver.ctx.ref(), solver.solver, each.as_ast())


def is_model(model: Any, asserted: Iterable[Any]) -> bool:
    """Whether all that is asserted holds in the model; put as one question, for what they share is worked
    out once."""
    return bool(z3.is_true(model.eval(z3.And(z3.BoolVal(True), *asserted), True)))
