"""Readings in which variables are hidden: every play is a play of them, so what is proved there is so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu.base.opening import load
from kemu_engine.interp.frame import Faulted
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Choice, Stop
from kemu_engine.play.game import Game
from kemu_engine.play.steps import Steps
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.invariants.equal_locals import copies
from kemu_verifier.methods.search.explicit_state import explore
from kemu_verifier.strategy import localization, strategy
from kemu_verifier.strategy.actions import kept_by_actions
from kemu_verifier.strategy.conservation import conserved
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.coarse import CoarseTransitions
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.linear import LinearTransitions
from kemu_verifier.symbolic.solve import solve
from kemu_verifier.symbolic.terms import IVAR, Lin, Lit
from kemu_verifier.symbolic.transition import Transitions
from kemu_verifier.symbolic.values import TooLarge

from tests.engine.kernels import Maker
from tests.gallery.test_gallery import GAMES, HERE
from tests.rules import game_in
from tests.soak import as_far, examples, number

pytestmark = pytest.mark.slow

SPREAD = [*GAMES[::3], *GAMES[1::3], *GAMES[2::3]]


class Loose:
    """A reading of a program in which some variables are hidden, asked whether it can do what was done."""

    def __init__(self, program: k.Program, random: Random) -> None:
        hidden = frozenset(at for at in range(len(program.vars)) if random.random() < 0.5)
        kind = random.random()
        self.faulty = kind >= 0.6  # whether faults are looked at
        if kind < 0.3:
            same, apart = copies(program, Deadline(5)), dict(_apart(program, random))
            self.read: Transitions = LinearTransitions(program, hidden, same, apart)
        elif kind < 0.6:
            self.read = CoarseTransitions(program, hidden if random.random() < 0.5 else frozenset())
        else:
            self.read = Transitions(program, hidden=hidden, integers=random.random() < 0.5)
            self.read.reader.hiding.opaque = random.random() < 0.5
        self.terms = self.read.terms

    def same(self, node: int, value: int, standing: Lit | Lin) -> Lit:
        """That what stands for a variable has the value."""
        if isinstance(standing, Lin):
            gap = self.terms.plus(standing, Lin(value), -1)
            return self.terms.both(self.terms.le0(gap), self.terms.le0(self.terms.plus(Lin(0), gap, -1)))
        return standing if value else -standing

    def allows(self, stop: Stop, choice: tuple[int, tuple[int, ...]], after: Stop | int) -> bool:
        """Whether the step can lead to the state; of a fault, whether it can be met or is not looked at."""
        read, terms = self.read, self.terms
        step, layout = read.step(stop.block), read.layout
        chosen = [
            lit
            for option, lit in zip(step.options, step.chosen, strict=True)
            if (option.arm, option.values) == choice
        ]
        values = layout.encode(stop.block, stop.vars, stop.locals)
        begun = [
            self.same(node, value, Lin(0, ((1, node),)) if terms.kind[node] == IVAR else node)
            for node, value in values.items()
        ]
        lits = [*layout.typing, *step.clauses, read.arrival(stop.block).stands, *begun, *chosen]
        if isinstance(after, int):
            if not self.faulty or after in read.reader.unknowns.missed:
                return True
            return self.holds([*lits, terms.disj([lit for lit, fault in step.faults if fault == after])])
        for edge in step.edges:
            if edge.target == after.block:
                ended = []
                for node, value in layout.encode(after.block, after.vars, after.locals).items():
                    plain: Lit | Lin = Lin(0, ((1, node),)) if terms.kind[node] == IVAR else node
                    bound = edge.binding.lins if terms.kind[node] == IVAR else edge.binding.lits
                    ended.append(self.same(node, value, bound.get(node, plain)))  # type: ignore[attr-defined]
                if chosen and self.holds([*lits, edge.env.live, *ended]):
                    return True
        return False

    def holds(self, lits: list[Lit]) -> bool:
        return solve(self.terms, lits, Deadline(20)).status != "unsat"


def _apart(program: k.Program, random: Random) -> Iterator[tuple[int, int]]:
    """At some stops, a local whose values are looked at one by one."""
    for stop, block in enumerate(program.blocks):
        some = [at for at in block.live if isinstance(program.locals[at].type, k.Int)]
        if some and random.random() < 0.5:
            yield stop, random.choice(some)


def followed(machine: Any, stop: Stop, choice: Choice) -> Stop | int:
    """Where the choice leads, or the fault that it meets."""
    try:
        return machine.follow(stop, choice)  # type: ignore[no-any-return]
    except Faulted as fault:
        return fault.index


def follow(program: k.Program, random: Random, steps: int) -> None:
    """Plays at random, and asks of every step."""
    loose, machine = Loose(program, random), Game(program, reader="interpreter").machine
    stop = machine.begin()
    for _ in range(steps):
        if not stop.choices:
            return
        choice = random.choice(stop.choices)
        plain = (choice.arm, choice.values)
        after = followed(machine, stop, choice)
        assert loose.allows(stop, plain, after)
        if isinstance(after, int):
            return
        stop = after


@given(st.integers(0, 1 << 32), st.booleans())
@examples(10)
def test_every_step_of_a_program_made_at_random_is_a_step_of_the_reading(seed: int, histories: bool) -> None:
    with suppress(TooLarge):
        random = Random(seed)
        program = Maker(random, histories).program(unset=False)
        with suppress(Faulted):
            follow(program, random, 5)


@pytest.mark.parametrize("name", as_far(5, SPREAD))
def test_every_step_of_a_small_game_is_a_step_of_the_reading(name: str) -> None:
    program = load(HERE / f"{name}.kemu").program
    for seed in range(number(2)):
        with suppress(Faulted):
            follow(program, Random(seed), 12)


@pytest.mark.parametrize("name", as_far(5, SPREAD))
def test_what_a_part_proves_is_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    game = load(HERE / f"{name}.kemu")
    context, asked = ProofContext(game, 5, lambda words: None), questions(game.program, True)
    context.shared = 10
    found = localization.Localized()
    localization.prove_on_parts(context, asked, found, Deadline(2 * context.shared))
    sums = localization.Localized(faultless=found.faultless)
    conserved(context, asked, sums, Deadline(2 * context.shared))
    kept = localization.Localized()
    kept_by_actions(context, [replace(q, expected=None) for q in asked], kept, Deadline(context.shared))
    found.proved.update(sums.proved | kept.proved)
    graph = explore(Steps(game), 20_000, Deadline(60))
    for question in asked:
        if question.key in found.proved:
            assert question.goal is not None
            goal = question.goal(None)
            assert graph.first(goal.looking(), Deadline(60)) is None if goal.holds else True
    assert graph.fault_path(found.faultless.__contains__) is None


SHOP = """
game "Shop"
players one, two
domain Good = 0..300
state:
    till:  0..20 = 10
    purse: map[Player, 0..20] = {p: 5 for p in Player}
    shelf: map[Good, Good?]
rules:
    for p in turns():
        choose by p:
            buy(n in 1..5) if purse[p] >= n and till + n <= 20: move n from purse[p] to till
            sort(g in Good, h in Good) if g < 3 and h < 3: shelf[g] = h
            leave: end tie
lemma kept: always till + sum(purse[p] for p in Player) == 20
property never_rich: always all(purse[p] <= 4 for p in Player)
"""


NOT_NONE = """
game "Minus one"
players one, two
state:
    x: -3..3 = 3
    y: 0..1
rules:
    for p in turns():
        choose by p:
            down if x > -3: x -= 1
            leave: end tie
        if x == -1: y = 1
property zero: always y == 0
"""


def test_minus_one_is_a_number_where_it_is_not_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    game = game_in(NOT_NONE)
    context = ProofContext(game, 5, lambda words: None)
    context.shared = 10
    found = localization.Localized()
    localization.prove_on_parts(context, questions(game.program, False), found, Deadline(2 * context.shared))
    assert found.proved == {}


def test_a_claim_about_few_variables_of_a_large_game_is_proved_on_these(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(strategy, "SMALL", 0)
    verdicts = {v.property: v for v in verify(game_in(SHOP), ["kept", "never_rich"], seconds=4)}
    assert verdicts["kept"].kind == "proved" and "looking at till, purse only" in verdicts["kept"].by
    assert verdicts["never_rich"].kind == "refuted"


NOWHERE = """
game "Nowhere"
players one, two
domain Spot = 0..2
state:
    at:   Spot?
    pile: map[Spot, 0..2]
rules:
    for p in turns():
        choose by p:
            heap: pile[at] = 4 + at
            leave: end tie
"""


def test_of_two_faults_the_first_is_met_on_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place is no place, and the number too large: if on a part the one were first and on another the
    other, each would be excluded by the other, and none met."""
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    game = game_in(NOWHERE)
    context, found = ProofContext(game, 5, lambda words: None), localization.Localized()
    context.shared = 10
    localization.prove_on_parts(context, questions(game.program, True), found, Deadline(2 * context.shared))
    met = explore(Steps(game), 20, Deadline(60)).fault_path(found.faultless.__contains__)
    assert met is None


SHELF = """
game "Shelf"
players ann, bob
enum Thing: cup, jug, pot, urn
domain Spot = 0..4
const stock = [cup, cup, jug, pot, urn]
state:
    shelf: map[Spot, Thing?] = {s: stock[s] for s in Spot}
    hand:  Spot = 0
    each p in Player:
        home: map[Spot, Thing?]
        mood: 0..99
fun there(k: Thing):
    return (len({s for s in Spot if shelf[s] == k})
            + sum(len({s for s in Spot if home[p][s] == k}) for p in Player))
rules:
    for p in turns():
        choose by p:
            reach(s in Spot): hand = s
            take(t in Spot) if shelf[hand] is some and home[p][t] is none:
                home[p][t] = shelf[hand]
                shelf[hand] = none
            hum if mood[p] < 99: mood[p] += 1
            leave: end tie
lemma kept: always all(there(k) <= stock.count(k) for k in Thing)
property homely: always all(home[p][s] != cup for p in Player for s in Spot)
"""


@pytest.mark.parametrize(
    ("rules", "proved"),
    [
        (SHELF, {"kept"}),
        (SHELF.replace("                shelf[hand] = none\n", ""), set()),
        (SHELF.replace(" and home[p][t] is none", ""), {"kept"}),
        (SHELF.replace("shelf[hand] = none", "shelf[hand] = urn"), set()),
        (SHELF.replace("leave: end tie", "leave:\n                shelf = {s: cup for s in Spot}"), set()),
    ],
)
def test_things_of_each_kind_are_kept_or_not(
    rules: str, proved: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is taken from one place and put at another; the hand says where, though no claim speaks of it."""
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    game = game_in(rules)
    context = ProofContext(game, 10, lambda words: None)
    context.shared, context.plays = 2, []
    found = localization.Localized()
    localization.prove_on_parts(context, questions(game.program, False), found, Deadline(2 * context.shared))
    assert found.proved.keys() == proved


WALLS = """
game "Walls"
players one, two
domain Cell = 0..3
state:
    wall:  map[Cell, bool]
    fresh: bool = true
    bad:   bool
    other: 0..20
fun linked(): 3 in closure({0}, x -> {d for d in Cell if d == x + 1 and not wall[d]})
fun safe():   fresh or not linked()
rules:
    for p in turns():
        choose by p:
            wear if not linked(): fresh = false
            build(c in Cell): wall[c] = true
            raze(c in Cell): wall[c] = false
            spoil if not safe(): bad = true
            count if other < 20: other += 1
            leave(n in 1..200): end tie
property never_bad: always not bad or wall[1] or fresh
"""


def test_what_a_closure_gives_is_no_invariant(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is something else after walls were built; build(1), wear, raze(1), spoil breaks the claim."""
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    game = game_in(WALLS)
    context, found = ProofContext(game, 5, lambda words: None), localization.Localized()
    context.shared = 10
    localization.prove_on_parts(context, questions(game.program, False), found, Deadline(2 * context.shared))
    assert found.proved == {}


POINTER = """
game "Pointer"
players ann, bob
enum Side: left, right
enum Spot: a, b, c, d, e
state:
    face: map[Spot, Side] = {s: left for s in Spot}
    mark: map[Side, bool]
    at:   Spot = a
    pile: map[Spot, 0..2]
rules:
    for p in turns():
        choose by p:
            reach(s in Spot) if s != e: at = s
            turn: face[at] = right
            note: mark[face[a]] = true
            heap(s in Spot) if pile[s] < 2: pile[s] += 1
            leave: end tie
property last: always face[e] == left
property near: always at != e
property dull: always not mark[left] or mark[left] or mark[right]
"""


@pytest.mark.parametrize(
    ("start", "guard", "by"),
    [
        ("a", "s != e", "1-induction together with near, looking at face, at only"),
        ("a", "true", None),
        ("e", "s != e", None),  # turn at once
    ],
)
def test_a_claim_is_asked_where_all_is_seen_that_it_is_about(start: str, guard: str, by: str | None) -> None:
    """`last` is in a part without `at`, which says whose face is turned, and not shown there; with `mark` and
    `at` there is too much to read."""
    game = game_in(POINTER.replace("= a", f"= {start}").replace("s != e", guard))
    context, found = ProofContext(game, 5, lambda words: None), localization.Localized()
    context.shared, context.plays = 10, []
    localization.prove_on_parts(
        context, questions(context.program, False), found, Deadline(2 * context.shared)
    )
    assert found.proved.get("last") == by


CELLAR = """
game "Cellar"
players ann, bob
domain Good = 0..30
state:
    n: 0..9
    shelf: map[Good, Good?]
rules:
    for p in turns():
        choose by p:
            go if n != 5:
                n += 1
                assert small: n <= 5
                assert tiny: n <= 4
            sort(g in Good, h in Good) if g < 3 and h < 3: shelf[g] = h
            leave: end tie
property low: always n <= 5
"""


def test_an_assertion_is_proved_on_a_part_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    context, found = ProofContext(game_in(CELLAR), 5, lambda words: None), localization.Localized()
    context.shared, context.plays = 4, []
    localization.prove_on_parts(
        context, questions(context.program, False), found, Deadline(2 * context.shared)
    )
    assert found.proved.keys() == {"low", "small"}
    assert found.proved["small"].endswith("other variables hidden")


LONG = """
game "Long"
players one, two
domain Place = 0..30
state:
    at: map[Player, Place] = {one: 0, two: 30}
    history seen of at
rules:
    for p in turns():
        note seen
        assert fresh: times(seen) >= 1
        if times(seen) > 20:
            end tie
        choose:
            step(q in Place) if abs(q - at[p]) == 1 and q != at[other(p)]: at[p] = q
            rest: forget seen
property apart: always at[one] < at[two]
property empty: never times(seen) > 20
"""


def test_histories_are_left_out_of_proofs_and_that_is_said() -> None:
    verdicts = {each.property: each for each in verify(game_in(LONG), ["apart", "no_fault"], seconds=2)}
    assert verdicts["apart"].kind == "proved"
    assert "history `seen` is left out" in verdicts["no_fault"].detail
