"""The parts of which proof conditions are made: what is known at a stop, what a step does, what sums are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import stops_from

from kemu_verifier.evidence.smt import Every, Writer, joined, number, primed, sum_symbol
from kemu_verifier.evidence.symbols import Symbols
from kemu_verifier.methods.termination.ranking import Measure
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.terms import TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Step

OPENING = "the opening"


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a file that belong together, and the nodes of the variables and sums that they speak of (of
    `sums_after` as they are after the step)."""

    title: str
    lines: tuple[str, ...]
    used: frozenset[int] = frozenset()
    sums: frozenset[int] = frozenset()
    sums_after: frozenset[int] = frozenset()
    linear: bool = True

    def after(self) -> Part:
        """The same about the state after the step (whose symbols the step defines)."""
        lines = tuple(map(primed, self.lines))
        return Part(f"{self.title}, after", lines, frozenset(), frozenset(), self.sums, self.linear)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known at a stop: `clauses` are (symbol, words), each defined in the part. Of the first of them
    `given` says by which claims they were shown on another reading."""

    part: Part
    clauses: tuple[tuple[str, str], ...]
    given: tuple[str, ...] = ()


Given = Mapping[int, Mapping[Lit, str]]
"""By stop, literals that hold there, and the claims that say so."""


class Parts:
    """Writes the parts for one reading, each once. `given`: what was shown on other readings; `left_out`:
    facts of the context that are not to be relied on."""

    def __init__(
        self, context: ProofContext, given: Given | None = None, left_out: Given | None = None
    ) -> None:
        self.context = context
        self.given = given or {}
        self.left_out = left_out or {}
        self.transitions = context.transitions
        self.terms = context.transitions.terms
        self.knowledge = context.knowledge
        self.symbols = Symbols(context.transitions)
        for block in [*context.moving, *(edge.target for edge in context.edges)]:
            self.symbols.live(block)
        for block in context.moving:
            self.symbols.choices(self.transitions.step(block))
        self.mentioned: set[int] = set()  # the sums that some file speaks of
        self._known: dict[int, Known] = {}
        self._group = {node: group for group in self.symbols.groups for node in group}

    def stop(self, block: int) -> str:
        return OPENING if block < 0 else self.context.program.blocks[block].name

    def edge(self, edge: Edge) -> str:
        arm = f", arm {edge.arm}" if edge.arm >= 0 else ""
        return f"{self.stop(edge.source)}{arm} to {self.stop(edge.target)}"

    def writer(self, prefix: str, exact: Collection[int] = ()) -> Writer:
        return Writer(self.terms, self.symbols.names, prefix, exact)

    # ------------------------------------------------------------------------------------------ parts

    def known(self, block: int) -> Known:
        """The invariants of a stop: those shown elsewhere; that something can be done there, unless that
        rests on what is hidden; those shown here."""
        if block not in self._known:
            writer, clauses = self.writer(f"k{block}."), list[tuple[str, str]]()
            given = {lit: words for lit, words in self.given.get(block, {}).items() if lit != TRUE}
            facts = dict(given)
            if block >= 0:
                stands = self.transitions.arrival(block).stands
                if not self.transitions.reader.unknowns.of([stands]):
                    facts.setdefault(stands, "something can be done here")
                for fact in self.knowledge.facts.get(block, ()):
                    if fact.lit not in self.left_out.get(block, ()):
                        facts.setdefault(fact.lit, fact.words)
            for lit, words in facts.items():
                if lit != TRUE:
                    text = writer.lit(lit)
                    clauses.append((writer.define(f"k{block}#{len(clauses)}", "Bool", text), words))
            title = f"known at {self.stop(block)}"
            self._known[block] = Known(part(title, writer), tuple(clauses), tuple(given.values()))
        return self._known[block]

    def choice(self, block: int) -> Part:
        """Exactly one of the choices at a stop is taken."""
        step: Step = self.transitions.begin() if block < 0 else self.transitions.step(block)
        nodes = [lit for lit in step.chosen if lit > 1]
        lines = [f"(assert {text})" for text in self._one(nodes)] if len(nodes) > 1 else []
        return Part(f"choice at {self.stop(block)}", tuple(lines), frozenset(nodes))

    def step(self, edge: Edge, nodes: Iterable[int], purpose: str) -> Part:
        """What the edge does to these variables, and under which condition (`|taken|`) it is taken."""
        writer, after = self.writer("s"), self.knowledge.after(edge)
        writer.define("taken", "Bool", writer.lit(edge.env.live))
        for node in sorted(set(nodes)):
            sort = self.symbols.sort(node)
            text = (
                writer.lin(after.lin(Lin(0, ((1, node),)))) if sort == "Int" else writer.lit(after.lit(node))
            )
            writer.lines.append(f"(define-fun {primed(self.symbols.names[node])} () {sort} {text})")
        return part(f"step from {self.edge(edge)}, for {purpose}", writer)

    def bad(self, lit: Lit, title: str) -> Part:
        """`|bad|`: a case that a verdict excludes."""
        writer = self.writer("b")
        writer.define("bad", "Bool", writer.lit(lit))
        return part(title, writer)

    def measure(self, measure: Measure, at: int, block: int) -> Part:
        """The value of the measure, `|mN|`, which falls; one that rises is taken with the other sign."""
        writer = self.writer(f"m{at}.")
        value = self.terms.plus(Lin(0), measure.at[block], measure.sign)
        writer.define(f"m{at}", "Int", writer.lin(value))
        return part(f"measure {at} at {self.stop(block)}", writer)

    def sum(self, node: int) -> Part:
        """What the symbol of a sum is the sum of."""
        writer = self.writer(f"n{node}.")
        items = writer.items(node)
        writer.sums.add(node)
        writer.lines.append(f"(assert (= {sum_symbol(node)} {items}))")
        return part(f"sum {node}", writer)

    def sums(self, nodes: Iterable[int]) -> list[Part]:
        """The same of all these, and of the sums inside them."""
        found: dict[int, Part] = {}
        waiting = sorted(nodes)
        while waiting:
            node = waiting.pop(0)
            if node not in found:
                found[node] = self.sum(node)
                waiting += sorted(found[node].sums - {node})
        return [found[node] for node in sorted(found)]

    def some(self, node: int) -> Part:
        """Of a sum of ones: where one is, it is at least 1; where one is missing, it is not full."""
        writer, name = self.writer(f"o{node}."), sum_symbol(node)
        data = self.terms.data[node]
        texts = []
        for _, lit in data:
            text = writer.lit(lit)
            texts += [f"(=> {text} (<= 1 {name}))", f"(or {text} (<= {name} {number(len(data) - 1)}))"]
        writer.define(f"some {node}", "Bool", joined("and", texts, "true"))
        writer.sums.add(node)
        return part(f"elements of sum {node}", writer)

    def of_ones(self, node: int) -> bool:
        return all(coef == 1 for coef, _ in self.terms.data[node])

    def changes(self, edge: Edge, sums: Iterable[int], here: Collection[int]) -> tuple[list[Part], list[str]]:
        """By how much the edge changes sums (`|change N|`), and that some of `here` are what they become: the
        parts that this needs, and the equations."""
        parts, equations = [], []
        for node in sorted(sums):
            name, title = sum_symbol(node), f"change of sum {node} from {self.edge(edge)}"
            writer = self.writer(f"d{node}.", Every())
            change = writer.define(f"change {node}", "Int", writer.lin(self.knowledge.change(edge, node)))
            made = part(title, writer)
            parts.append(Part(title, made.lines, made.used, frozenset([node]), frozenset([node])))
            equations.append(f"(= {primed(name)} (+ {name} {change}))")
            value = self.becomes(edge, node)
            if value is not None and all(term in here for _, term in value.terms):
                equations.append(f"(= {primed(name)} {self.writer('').lin(value)})")
        return parts, equations

    def becomes(self, edge: Edge, node: int) -> Lin | None:
        """What a sum is after the edge, as a long sum over the state before and the choice; None if it is the
        same sum, or no such."""
        value = self.knowledge.after(edge).lin(Lin(0, ((1, node),)))
        if not value.terms or value == Lin(0, ((1, node),)):
            return None
        return value if all(self.writer("").apart(term) for _, term in value.terms) else None

    def identities(self, sums: Collection[int]) -> list[tuple[str, frozenset[int]]]:
        """Equations that hold between sums because every element has one value; with the sums in them."""
        found = []
        for value in self.knowledge.defined(None, sums):
            writer = self.writer("i")
            text = writer.lin(value)
            if not writer.lines:
                found.append((f"(= 0 {text})", frozenset(writer.sums)))
        return found

    # ------------------------------------------------------------------------------------------ types

    def types(self, used: Iterable[int]) -> tuple[list[int], list[str]]:
        """All variables of the groups that these belong to, and what types say of them."""
        typed = list(self.typed(used))
        return [node for nodes, _ in typed for node in nodes], [text for _, texts in typed for text in texts]

    def typed(self, used: Iterable[int]) -> Iterator[tuple[list[int], list[str]]]:
        """The same, by group."""
        done: set[int] = set()
        for node in sorted(used):
            if node not in done:
                group = self._group.get(node, [node])
                done.update(group)
                is_int = self.symbols.sort(node) == "Int"
                yield group, self._one(group) if len(group) > 1 else self._within(node) if is_int else []

    def changing(self, edge: Edge) -> list[int]:
        """The variables alive after the edge of whose types something has to be shown: those it writes."""
        live = self.context.program.blocks[edge.target].live
        found = []
        for node in self.symbols.state():
            meaning, group = self.symbols.meanings[self.symbols.names[node]], self._group.get(node, [node])
            typed = len(group) > 1 or self.symbols.sort(node) == "Int"
            if typed and ("local" not in meaning or meaning["local"] in live):
                binding = edge.binding
                found += [node] if any(n in binding.lits or n in binding.lins for n in group) else []
        return found

    def _one(self, nodes: Sequence[int]) -> list[str]:
        """Exactly one of them."""
        names = [self.symbols.names[node] for node in nodes]
        return [joined("or", names, "false"), *apart(names)]

    def _within(self, node: int) -> list[str]:
        """The bounds of an integer; the number of decisions made has no upper one."""
        symbol, (low, high) = self.symbols.names[node], self.terms.bounds[node]
        upper = [] if node == self.transitions.clock else [f"(<= {symbol} {number(high)})"]
        return [f"(<= {number(low)} {symbol})", *upper]

    def bounds(self, node: int, name: str) -> list[str]:
        """The bounds of a sum."""
        low, high = self.terms.bounds[node]
        return [f"(<= {number(low)} {name})", f"(<= {name} {number(high)})"]

    # ------------------------------------------------------------------------------------------ files

    def file(
        self,
        words: str,
        parts: Sequence[Part],
        equations: Sequence[str],
        question: Sequence[str],
        bounded: bool = True,
    ) -> str:
        """The text of a file: declarations and types of what its parts use, the parts, the question.

        `equations` between sums are assumed as well; `bounded`: and the bounds of sums."""
        sums = set().union(*(each.sums for each in parts))
        after = set().union(*(each.sums_after for each in parts))
        nodes, types = self.types(set().union(*(each.used for each in parts)))
        self.mentioned |= sums | after
        names = [*map(sum_symbol, sorted(sums)), *(primed(sum_symbol(node)) for node in sorted(after))]
        for node, name in zip([*sorted(sums), *sorted(after)], names, strict=True):
            types += self.bounds(node, name) if bounded else []
        logic = "QF_LIA" if all(each.linear for each in parts) else "QF_NIA"
        out = [f"; {words}", "; expect: unsat", "(set-info :status unsat)", f"(set-logic {logic})"]
        out.append(";; declarations")
        out += [f"(declare-const {self.symbols.names[node]} {self.symbols.sort(node)})" for node in nodes]
        out += [f"(declare-const {name} Int)" for name in names]
        out += [";; types", *(f"(assert {text})" for text in types)]
        for each in parts:
            out += [f";; {each.title}", *each.lines] if each.lines else []
        out += [";; equations", *(f"(assert {text})" for text in equations)] if equations else []
        return "\n".join([*out, ";; question", *question, "(check-sat)"]) + "\n"


def apart(names: Sequence[str]) -> list[str]:
    """That no two of them hold: none of the first half with one of the second, nor two of a half."""
    if len(names) < 2:
        return []
    halves = names[: len(names) // 2], names[len(names) // 2 :]
    either, other = (joined("or", list(half), "false") for half in halves)
    return [f"(not (and {either} {other}))", *apart(halves[0]), *apart(halves[1])]


def part(title: str, writer: Writer) -> Part:
    """What a writer has written."""
    used, sums = frozenset(writer.used), frozenset(writer.sums)
    return Part(title, tuple(writer.lines), used, sums, frozenset(), writer.linear)


def ways(program: k.Program) -> set[tuple[int, int, int]]:
    """From the opening (-1, arm -1) and from every stop by every arm: the stops to which the blocks lead, as
    far as one sees without looking at any value."""
    found = {(-1, -1, target) for target in stops_from(program, program.entry)}
    for source, block in enumerate(program.blocks):
        match block.exit:
            case k.Decide():
                for number_, arm in enumerate(block.exit.arms):
                    found |= {(source, number_, target) for target in stops_from(program, arm.target)}
            case k.Chance():
                found |= {(source, 0, target) for target in stops_from(program, block.exit.target)}
    return found
