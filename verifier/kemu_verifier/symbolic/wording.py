"""Terms in words: what a literal over the state at a stop says, as an author would write it; nothing where
that would be long."""

from __future__ import annotations

from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text, names_of_live, place

from kemu_verifier.symbolic.terms import AND, IVAR, LE, VAR, Lit
from kemu_verifier.symbolic.transition import Transitions
from kemu_verifier.symbolic.values import Cases

LONG = 8  # parts of what can be said in words


class Wording:
    """The words for the state at a stop."""

    def __init__(self, transitions: Transitions, block: int) -> None:
        self.terms = transitions.terms
        self.names: dict[Lit, str] = {}  # of literals, negative ones too
        self.numbers: dict[int, str] = {}
        layout, program = transitions.layout, transitions.program
        for _, var, symbol in layout.shown():
            if var.length is None:
                self._name(var.name, var.type, var.texts, symbol)
            else:
                for at, element in enumerate(symbol):
                    self._name(place(var, at), var.type, var.texts, element)
        names = names_of_live(program, block)
        for name, local in zip(names, program.blocks[block].live, strict=True):
            info = program.locals[local]
            self._name(name, info.type, info.texts, layout.local(local))

    def _name(self, name: str, type_: k.Type, texts: tuple[str, ...], value: Any) -> None:
        if isinstance(value, int):
            self._both(value, name, f"not {name}")
        elif isinstance(type_, k.Set):
            for at, lit in enumerate(value):
                text = texts[at] if texts else str(at)
                self._both(lit, f"{text} in {name}", f"{text} not in {name}")
        elif isinstance(value, Cases):
            for v, lit in value.pairs:
                text = as_text(v, type_, texts)
                self.names[lit] = f"{name} == {text}"
                self.names.setdefault(-lit, f"{name} != {text}")
        elif not texts:  # else a number stands for an element of a domain
            self.numbers[value.terms[0][1]] = name

    def _both(self, lit: Lit, said: str, denied: str) -> None:
        self.names[lit], self.names[-lit] = said, denied

    def said(self, lit: Lit) -> str:
        """What the literal says; nothing where that is long, or adds up more than numbers of the state."""
        kind = self.terms.kind[abs(lit)]
        if kind == VAR:
            return self.names.get(lit, "")
        if kind == LE:
            return self._compared(lit)
        if kind != AND or len(self.terms.data[abs(lit)]) > LONG:
            return ""
        parts = [self.said(part if lit > 0 else -part) for part in self.terms.data[abs(lit)]]
        inner = [f"({part})" if " and " in part or " or " in part else part for part in parts]
        return (" and " if lit > 0 else " or ").join(inner) if all(parts) else ""

    def _compared(self, lit: Lit) -> str:
        """const + terms <= 0, or its negation: what is counted positively stands on the left."""
        const, items = self.terms.data[abs(lit)]
        if len(items) > LONG or any(self.terms.kind[term] != IVAR for _, term in items):
            return ""
        if any(term not in self.numbers for _, term in items):
            return ""
        left = [(coef, self.numbers[term]) for coef, term in items if coef > 0]
        right = [(-coef, self.numbers[term]) for coef, term in items if coef < 0]
        sides = _added(left, max(const, 0)), _added(right, max(-const, 0))
        return f"{sides[0]} {'<=' if lit > 0 else '>'} {sides[1]}"


def _added(items: list[tuple[int, str]], const: int) -> str:
    parts = [name if coef == 1 else f"{coef} * {name}" for coef, name in items]
    return " + ".join([*parts, str(const)] if const or not parts else parts)
