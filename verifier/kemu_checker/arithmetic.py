"""Conditions with long sums: given to cvc5 as linear arithmetic, where clauses say too little at once."""

from functools import reduce
from typing import Any

from kemu_checker.sums import Sum
from kemu_checker.symbols import Symbol, Term, Truth


class Arithmetic:
    """cvc5 (Barbosa et al. 2022). A small symbol is a number 0..1 for each of its values, 1 together."""

    def __init__(self) -> None:
        import cvc5

        self._kinds = cvc5.Kind
        self._terms = cvc5.TermManager()
        self._solver = cvc5.Solver(self._terms)
        self._solver.setOption("incremental", "true")
        self._solver.setLogic("QF_LIA")
        self._made: dict[Term, Any] = {}
        self._values: dict[Symbol, list[Any]] = {}
        self._wide: dict[Symbol, Any] = {}
        self._zero, self._one = self._terms.mkInteger(0), self._terms.mkInteger(1)

    def add(self, truth: Truth) -> None:
        """This holds."""
        self._solver.assertFormula(self.term(truth))

    def possible(self, truths: list[Truth], seconds: float) -> bool | None:
        """Whether all that was added and these can hold together."""
        self._solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
        found = self._solver.checkSatAssuming(*map(self.term, truths))
        return True if found.isSat() else False if found.isUnsat() else None

    def term(self, truth: Truth) -> Any:
        """The formula; parts first, so that depth does not matter."""
        if type(truth) is int:
            return self._terms.mkBoolean(bool(truth))
        stack = [truth]
        while stack:
            each = stack[-1]
            missing = [part for part in self._parts(each) if part not in self._made]
            if each not in self._made and not missing:
                self._made[each] = self._write(each)
            if each in self._made:
                stack.pop()
            else:
                stack += missing
        return self._made[truth]

    def _parts(self, term: Term) -> list[Term]:
        if term.kind in ("and", "or"):
            return list(term.args)
        if term.kind == "in":
            return []
        return [held for held, _ in term.args[0].atoms if held is not None]

    def _write(self, term: Term) -> Any:
        make, kinds = self._terms.mkTerm, self._kinds
        match term.kind:
            case "in":
                return self._among(*term.args)
            case "and" | "or":
                return make(
                    kinds.AND if term.kind == "and" else kinds.OR, *(self._made[each] for each in term.args)
                )
            case "le":
                return make(kinds.LEQ, self._sum(term.args[0]), self._zero)
            case kind:
                equal = make(kinds.EQUAL, self._sum(term.args[0]), self._zero)
                return equal if kind == "eq" else make(kinds.NOT, equal)

    def _among(self, symbol: Symbol, mask: int) -> Any:
        values = self._numbers(symbol)
        chosen = [value for i, value in enumerate(values) if mask >> i & 1]
        total = chosen[0] if len(chosen) == 1 else self._terms.mkTerm(self._kinds.ADD, *chosen)
        return self._terms.mkTerm(self._kinds.GEQ, total, self._one)

    def _numbers(self, symbol: Symbol) -> list[Any]:
        values = self._values.get(symbol)
        if values is None:
            names = (f"{symbol.name}={n} {id(symbol)}" for n in range(symbol.low, symbol.high + 1))
            values = [self._between(name, 0, 1) for name in names]
            total = self._terms.mkTerm(self._kinds.ADD, *values)
            self._solver.assertFormula(self._terms.mkTerm(self._kinds.EQUAL, total, self._one))
            self._values[symbol] = values
        return values

    def _between(self, name: str, low: int, high: int) -> Any:
        made = self._terms.mkConst(self._terms.getIntegerSort(), name)
        for kind, bound in ((self._kinds.GEQ, low), (self._kinds.LEQ, high)):
            self._solver.assertFormula(self._terms.mkTerm(kind, made, self._terms.mkInteger(str(bound))))
        return made

    def _sum(self, total: Sum) -> Any:
        parts = [self._terms.mkInteger(str(total.const))]
        for (held, symbol), factor in total.atoms.items():
            parts.append(
                self._terms.mkTerm(
                    self._kinds.MULT, self._terms.mkInteger(str(factor)), self._atom(held, symbol)
                )
            )
        return reduce(lambda one, other: self._terms.mkTerm(self._kinds.ADD, one, other), parts)

    def _atom(self, held: Term | None, symbol: Symbol | None) -> Any:
        if symbol is None and held is not None and held.kind == "in" and held.args[1].bit_count() == 1:
            return self._numbers(held.args[0])[held.args[1].bit_length() - 1]
        value = self._one
        if symbol is not None:
            if symbol not in self._wide:
                self._wide[symbol] = self._between(f"{symbol.name} {id(symbol)}", symbol.low, symbol.high)
            value = self._wide[symbol]
        return (
            value
            if held is None
            else self._terms.mkTerm(self._kinds.ITE, self._made[held], value, self._zero)
        )
