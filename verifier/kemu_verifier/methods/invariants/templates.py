"""Candidate invariants: simple things true of all sampled states, which may or may not be provable.

Templates: a variable or local keeps to fewer values than its type; two name the same element; what an index
variable points at is constant; a Boolean function of the author is constant for given arguments; counters
(linear_features.py) are in linear relations. Guessing from runs and keeping what is inductive: Ernst et al.,
"Dynamically discovering likely program invariants" (1999); Flanagan and Leino, "Houdini" (2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State

from kemu_verifier.goal.goal import reading, stops
from kemu_verifier.methods.invariants.linear_features import Feature, features, relations
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.havoc import optional
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import FALSE, IVAR, TRUE, VAR, Lit
from kemu_verifier.symbolic.transition import Transitions
from kemu_verifier.symbolic.values import Cases, Number

SAMPLES = 120  # states looked at for each stop
FUNCTIONS = 12  # argument tuples of a function that are tried
MANY = 64  # elements of an array of which constancy is looked at


@dataclass(frozen=True, slots=True)
class Sample:
    """A reachable state, and the number of decisions that led to it."""

    state: State
    decisions: int


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A literal for each stop at which it is meant to hold. `claim`: the author's property of that name;
    `rank`: 0 for a lemma, 2 for what is hoped not to hold; of guesses 0 for those to be tried first.
    `between`: makes the literals at stops of chance, for a claim of which nothing is asked there. It raises
    TooLarge."""

    words: str
    lits: dict[int, Lit]
    claim: bool = False
    rank: int = 1
    between: Callable[[], dict[int, Lit]] | None = None


class Samples:
    """Sampled states by stop, with the values of terms in them."""

    def __init__(self, transitions: Transitions, samples: Sequence[Sample]) -> None:
        self.transitions = transitions
        by_block: dict[int, list[Sample]] = {}
        known: set[tuple[State, int]] = set()
        for sample in samples:
            if (sample.state, sample.decisions) not in known:
                known.add((sample.state, sample.decisions))
                by_block.setdefault(sample.state.block, []).append(sample)
        self.by_block = {block: _spread(found) for block, found in by_block.items()}
        self.values: dict[int, list[Valuation]] = {
            block: [self._valuation(sample) for sample in found] for block, found in self.by_block.items()
        }

    def _valuation(self, sample: Sample) -> Valuation:
        layout, state = self.transitions.layout, sample.state
        values = layout.encode(state.block, state.vars, state.locals)
        return Valuation(self.transitions.terms, {**values, self.transitions.clock: sample.decisions})

    def hold(self, block: int, lit: Lit) -> bool:
        return lit == TRUE or all(values.lit(lit) for values in self.values.get(block, ()))


def _spread(found: list[Sample]) -> list[Sample]:
    """So many of them, evenly."""
    if len(found) <= SAMPLES:
        return found
    return [found[at * len(found) // SAMPLES] for at in range(SAMPLES)]


def candidates(
    transitions: Transitions, samples: Samples, sums: Sequence[Feature], deadline: Deadline
) -> list[Candidate]:
    """All that the samples do not refute, by stop; those that are found in time."""
    found: list[Candidate] = []
    counted = [*features(transitions), *sums]
    unseen = []
    for block in stops(transitions.program, k.Decide, k.Chance, k.End):
        if block not in samples.values:
            unseen.append(block)
            continue
        seen: set[Lit] = {TRUE, FALSE}
        more = relations(transitions, samples.values[block], block, counted)
        alike = chain(
            _equal(transitions, block), _within(transitions, block), _still_asked(transitions, block)
        )
        guesses = (alike, chain(_guesses(transitions, samples, block), more))
        for rank, (words, lit) in ((rank, each) for rank, some in enumerate(guesses) for each in some):
            if deadline.passed:
                break
            if lit not in seen and samples.hold(block, lit):
                seen.add(lit)
                found.append(Candidate(words, {block: lit}, rank=rank))
    return found + _carried_over(transitions, found, unseen)


def relating(
    transitions: Transitions, samples: Samples, sums: Sequence[Feature], deadline: Deadline
) -> list[Candidate]:
    """The linear relations alone, among these sums, the counters and the locals at a stop."""
    counted = [*sums, *features(transitions)]
    return [
        Candidate(words, {block: lit})
        for block in sorted(samples.values)
        for words, lit in relations(transitions, samples.values[block], block, counted)
        if not deadline.passed and lit != TRUE and samples.hold(block, lit)
    ]


def _carried_over(transitions: Transitions, found: list[Candidate], unseen: list[int]) -> list[Candidate]:
    """For stops that no sample reached: what was guessed of the others and speaks of no local."""
    layout = transitions.layout
    shared = {node for symbol in layout.vars for node in variables(transitions.terms, symbol)} | {
        transitions.clock
    }
    lits = {lit: c.words for c in found for lit in c.lits.values() if "!=" not in c.words}
    general = []
    for lit, words in lits.items():
        nodes = transitions.terms.cone([lit])
        if all(node in shared for node in nodes if transitions.terms.kind[node] in (VAR, IVAR)):
            general.append((lit, words))
    return [Candidate(words, {block: lit}) for block in unseen for lit, words in general]


def _guesses(transitions: Transitions, samples: Samples, block: int) -> Iterator[tuple[str, Lit]]:
    yield from _values(transitions, samples, block)
    yield from _pointed(transitions, block)
    for words, expr in predicates(transitions):
        lit, sound = reading(transitions, expr, block)
        yield words, transitions.terms.both(lit, sound)
        yield f"not {words}", transitions.terms.both(-lit, sound)


def scalars(
    transitions: Transitions, block: int
) -> Iterator[tuple[str, k.Type, Number | Lit, tuple[str, ...]]]:
    """(name, type, value, texts of values) of the scalar variables and live locals at a stop."""
    program = transitions.program
    for _, var, symbol in transitions.layout.shown():
        if var.length is None and not isinstance(var.type, k.Set):
            yield var.name, var.type, symbol, var.texts
        elif var.length is not None and var.length <= MANY and not isinstance(var.type, k.Set):
            for at, element in enumerate(symbol):
                label = var.labels[at] if var.labels else str(at)
                yield f"{var.name}[{label}]", var.type, element, var.texts
    for local in program.blocks[block].live:
        info = program.locals[local]
        if not isinstance(info.type, k.Set):
            value = transitions.layout.local(local)
            assert not isinstance(value, tuple)
            yield info.name, info.type, value, info.texts


def _values(transitions: Transitions, samples: Samples, block: int) -> Iterator[tuple[str, Lit]]:
    """The one value that is always taken, else those that never are."""
    at_end = isinstance(transitions.program.blocks[block].exit, k.End)
    for name, type_, value, texts in scalars(transitions, block):
        if at_end and "[" in name:
            continue
        if isinstance(value, int):
            yield f"{name}", value
            yield f"not {name}", -value
        elif isinstance(value, Cases) and isinstance(type_, k.Int):
            named = [(texts[v - type_.low] if texts else str(v), lit) for v, lit in value.pairs]
            constant = next((pair for pair in named if samples.hold(block, pair[1])), None)
            if constant is not None:
                yield f"{name} == {constant[0]}", constant[1]
            else:
                yield from ((f"{name} != {text}", -lit) for text, lit in named)


def _equal(transitions: Transitions, block: int) -> Iterator[tuple[str, Lit]]:
    """What names the same element of a domain: the player whose turn it is and the one that a loop is at."""
    terms, named = transitions.terms, list[tuple[str, Cases, tuple[str, ...]]]()
    for name, _, value, texts in scalars(transitions, block):
        if isinstance(value, Cases) and texts and "[" not in name:
            named.append((name, value, texts))
    for (name, value, texts), (other, same, others) in combinations(named, 2):
        if texts == others:
            lits = dict(same.pairs)
            both = [terms.both(lit, lits[v]) for v, lit in value.pairs if v in lits]
            yield f"{name} == {other}", terms.disj(both)


def _within(transitions: Transitions, block: int) -> Iterator[tuple[str, Lit]]:
    """That what is named, if anything is, lies in a set of such things: a card that was chosen and is not yet
    played, in the hand. Of two arrays of one length, element by element."""
    terms, sets = transitions.terms, dict[tuple[str, ...], list[tuple[str, str, tuple[Lit, ...]]]]()
    for _, var, symbol in transitions.layout.shown():
        if isinstance(var.type, k.Set) and var.texts:
            labels = var.labels or tuple(map(str, range(var.length or 0)))
            each = [("", symbol)] if var.length is None else zip(labels, symbol, strict=True)
            named = ((f"[{label}]" if label else "", var.name, one) for label, one in each)
            sets.setdefault(var.texts, []).extend(named)
    for name, type_, value, texts in scalars(transitions, block) if sets else ():
        if not isinstance(value, Cases) or not isinstance(type_, k.Int) or len(value.pairs) < 2:
            continue
        element = name[name.index("[") :] if "[" in name else ""
        for label, other, members in sets.get(texts[max(0, -type_.low) :], ()):
            if not (element and label) or element == label:
                inside = [terms.either(-lit, members[v]) for v, lit in value.pairs if v >= 0]
                yield f"{name} in {other}{label}", terms.conj(inside)


def _still_asked(transitions: Transitions, block: int) -> Iterator[tuple[str, Lit]]:
    """That of an array just those elements are empty that a loop is at or has still to come to: what players
    have chosen who are asked one after the other."""
    terms, layout, program = transitions.terms, transitions.layout, transitions.program
    equal, live = transitions.reader.numbers.equal_const, program.blocks[block].live
    for rest, at in ((rest, at) for rest in live for at in live):
        left, now = program.locals[rest], program.locals[at]
        if not isinstance(left.type, k.Set) or not isinstance(now.type, k.Int) or now.texts != left.texts:
            continue
        members, here = layout.local(rest), layout.local(at)
        assert isinstance(members, tuple) and not isinstance(here, int | tuple)
        standing = [equal(here, i + now.type.low) for i in range(len(members))]
        apart = [-terms.both(member, lit) for member, lit in zip(members, standing, strict=True)]
        yield f"{now.name} not in {left.name}", terms.conj(apart)
        for _, var, symbol in layout.shown():
            if var.length == len(members) and optional(var.type):
                lits = [
                    terms.iff(equal(one, -1), terms.either(members[i], standing[i]))
                    for i, one in enumerate(symbol)
                ]
                yield f"{var.name} is none just of {now.name} and {left.name}", terms.conj(lits)


def _pointed(transitions: Transitions, block: int) -> Iterator[tuple[str, Lit]]:
    """What stands in an array at the place that a variable or local names."""
    terms = transitions.terms
    for name, type_, index, _ in scalars(transitions, block):
        if not isinstance(index, Cases) or not isinstance(type_, k.Int) or "[" in name:
            continue
        for _, var, symbol in transitions.layout.shown():
            if var.length != type_.high + 1 or var.length < 3 or not isinstance(var.type, k.Int):
                continue
            for v in range(var.type.low, min(var.type.high, var.type.low + 5) + 1):
                lits = [
                    terms.either(-lit, transitions.reader.numbers.equal_const(symbol[i], v))
                    for i, lit in index.pairs
                    if i >= 0
                ]
                text = var.texts[v - var.type.low] if var.texts else str(v)
                yield f"{var.name}[{name}] == {text}", terms.conj(lits)


def predicates(transitions: Transitions) -> Iterator[tuple[str, k.Expr]]:
    """The author's Boolean functions, each for all its arguments."""
    program = transitions.program
    for number, function in enumerate(program.functions):
        types = [program.locals[param].type for param in function.params]
        if not isinstance(function.type, k.Bool) or not all(isinstance(t, k.Int) for t in types):
            continue
        ranges = [range(t.low, t.high + 1) for t in types if isinstance(t, k.Int)]
        count = 1
        for values in ranges:
            count *= len(values)
        reads = transitions.reader.facts.function_reads(number)
        if count > FUNCTIONS or not reads or reads & transitions.reader.hiding.hidden:
            continue
        for values_ in product(*ranges):
            args = tuple(k.Const(t, v) for t, v in zip(types, values_, strict=True))
            texts = [_text(program, param, v) for param, v in zip(function.params, values_, strict=True)]
            yield f"{function.name}({', '.join(texts)})", k.Call(k.BOOL, number, args)


def _text(program: k.Program, local: int, value: int) -> str:
    info = program.locals[local]
    if info.texts and isinstance(info.type, k.Int):
        return info.texts[value - info.type.low]
    return str(value)
