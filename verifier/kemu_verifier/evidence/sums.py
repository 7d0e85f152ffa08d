"""Why equations between sums hold: lemmas about single elements, from which they follow by adding up.

`|1 if N|` is 1 where literal N holds, else 0. One file defines these and shows the lemmas; in the other they
are any numbers for which the lemmas hold, and linear arithmetic does the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from kemu_engine.kernel import nodes as k

from kemu_verifier.evidence.parts import Part, Parts
from kemu_verifier.evidence.smt import Writer, joined, number, primed, quoted, sum_symbol
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lit
from kemu_verifier.symbolic.transition import Edge


class Lemmas:
    """Lemmas about literals, collected; `numbers` are all symbols in them, which are integers."""

    def __init__(self, parts: Parts, title: str) -> None:
        self.parts = parts
        self.title = title
        self.writer: Writer = parts.writer("l.")
        self.numbers: dict[str, None] = {}
        self.texts: list[str] = []
        self._ones: dict[str, str] = {}
        self._lits: set[Lit] = set()

    def one(self, lit: Lit) -> str:
        """`|1 if N|` of a literal over the state before the step, or the choice."""
        if lit in (TRUE, FALSE):
            return "1" if lit == TRUE else "0"
        if lit not in self._lits:
            self._lits.add(lit)
            self._name(quoted(f"1 if {lit}"), self.writer.lit(lit))
            if -lit in self._lits:
                self.texts.append(f"(= {self.one(lit)} (- 1 {self.one(-lit)}))")
        return quoted(f"1 if {lit}")

    def later(self, lit: Lit, text: str) -> str:
        """The same of a literal over the state after the step, which has this text over the state before."""
        name = primed(quoted(f"1 if {lit}"))
        self._name(name, primed(text))
        return name

    def _name(self, name: str, text: str) -> None:
        if name not in self._ones:
            self._ones[name] = text
            self.numbers[name] = None

    def adds(self, total: str, items: Iterable[tuple[int, str]], const: int = 0) -> None:
        """The total is the constant and the sum of coefficient * number."""
        self.numbers[total] = None
        parts = [number(const)] if const else []
        parts += [one if coef == 1 else f"(* {number(coef)} {one})" for coef, one in items]
        self.texts.append(f"(= {total} {joined('+', parts, '0')})")

    @property
    def symbols(self) -> list[str]:
        return [quoted(f"lemma {at}") for at in range(len(self.texts))]

    @property
    def lines(self) -> tuple[str, ...]:
        """The definitions of the lemmas."""
        named = zip(self.symbols, self.texts, strict=True)
        return tuple(f"(define-fun {symbol} () Bool {text})" for symbol, text in named)

    @property
    def part(self) -> Part:
        """The lemmas, and what the numbers in them are."""
        ones = [f"(define-fun {name} () Int (ite {text} 1 0))" for name, text in self._ones.items()]
        used, sums = frozenset(self.writer.used), frozenset(self.writer.sums)
        return Part(self.title, (*self.writer.lines, *ones, *self.lines), used, sums)

    def adding(self, words: str, equations: Sequence[str]) -> str:
        """The file in which the numbers are any for which the lemmas hold."""
        out = [f"; {words}", "; expect: unsat", "(set-info :status unsat)", "(set-logic QF_LIA)"]
        out += [";; declarations", *(f"(declare-const {name} Int)" for name in self.numbers)]
        out += [f";; {self.title}, to add up", *self.lines, ";; question"]
        out += [f"(assert {symbol})" for symbol in self.symbols]
        return (
            "\n".join([*out, f"(assert (not {joined('and', list(equations), 'true')}))", "(check-sat)"])
            + "\n"
        )


def change_lemmas(parts: Parts, edge: Edge, sums: Iterable[int], here: Collection[int]) -> Lemmas:
    """What the edge does to each element of these sums; of the elements that it might change for the same
    reason, that no two are changed at once; and what the changes and the sums of `here` are sums of."""
    terms, after = parts.terms, parts.knowledge.after(edge)
    lemmas = Lemmas(parts, f"lemmas on sums from {parts.edge(edge)}")
    for node in sorted(sums):
        signed: dict[int, list[Lit]] = {}
        inner = parts.writer(f"n{node}.")  # its texts are those of the part that says what the sum is
        items = []
        for coef, lit in terms.data[node]:
            later, new, old = lemmas.later(lit, inner.lit(lit)), after.lit(lit), lemmas.one(lit)
            items.append((coef, later))
            lemmas.texts.append(f"(= {later} {lemmas.one(new)})")
            if new != lit:
                up, down = parts.knowledge.turned(lit, new)
                signed.setdefault(coef, []).append(up)
                signed.setdefault(-coef, []).append(down)
                lemmas.texts.append(f"(= {later} (+ {old} (- {lemmas.one(up)} {lemmas.one(down)})))")
        lemmas.adds(primed(sum_symbol(node)), items)
        lemmas.adds(sum_symbol(node), ((coef, lemmas.one(lit)) for coef, lit in terms.data[node]))
        _joint(parts, lemmas, signed)
        change = parts.knowledge.change(edge, node)
        moved = [each for coef, term in change.terms for each in _scaled(parts, coef, term)]
        lemmas.adds(quoted(f"change {node}"), [(c, lemmas.one(lit)) for c, lit in moved], change.const)
        value = parts.becomes(edge, node)
        for _, term in value.terms if value is not None else ():
            if term in here:
                lemmas.adds(sum_symbol(term), [(coef, lemmas.one(lit)) for coef, lit in terms.data[term]])
    return lemmas


def _scaled(parts: Parts, coef: int, term: int) -> list[tuple[int, Lit]]:
    """The items of a sum that is taken so many times."""
    return [(coef * c, lit) for c, lit in parts.terms.data[term]]


def _joint(parts: Parts, lemmas: Lemmas, signed: dict[int, list[Lit]]) -> None:
    """Of several literals that exclude each other: that their sum is that of "one of them"."""
    for _, every in sorted(signed.items()):
        lits = [lit for lit in every if lit != FALSE]
        if len(lits) > 1 and parts.knowledge.exclusive(lits):
            lemmas.adds(lemmas.one(parts.terms.disj(lits)), [(1, lemmas.one(lit)) for lit in lits])


def identity_lemmas(parts: Parts, sums: Iterable[int]) -> Lemmas:
    """Of each element of the array over which these sums run: that it has one value."""
    wanted = set(sums)
    lemmas = Lemmas(parts, f"lemmas on elements of sums {sorted(wanted)}")
    transitions, terms = parts.transitions, parts.terms
    numbers = transitions.reader.numbers
    for _, var, symbol in transitions.layout.shown():
        if var.length is None or not isinstance(var.type, k.Int):
            continue
        values = range(var.type.low, var.type.high + 1)
        cells = [[numbers.equal_const(element, value) for value in values] for element in symbol]
        columns = [terms.sum(0, [(1, lit) for lit in column]) for column in zip(*cells, strict=True)]
        if wanted & {term for value in columns for _, term in value.terms}:
            for row in cells:
                lemmas.texts.append(f"(= 1 {joined('+', [lemmas.one(lit) for lit in row], '0')})")
    for node in sorted(wanted):
        lemmas.adds(sum_symbol(node), ((coef, lemmas.one(lit)) for coef, lit in terms.data[node]))
    return lemmas
