"""Induction over many candidates at once: what is left of them, also when time runs out; and what time is."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_verifier.methods.invariants.k_induction import Houdini, Proofs
from kemu_verifier.methods.invariants.solvers import EdgeSolver, Post
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.transition import Transitions

from tests.engine.build import Builder, num, op
from tests.rules import game_in


def follower() -> k.Program:
    """`far` takes the value that `near` had, but never 5; `near` becomes anything up to 3, or stays 5."""
    b = Builder("Follower", ("anna",))
    near, far = b.var("near", k.Int(0, 5), 0), b.var("far", k.Int(0, 5), 0)
    n = b.local("n", k.Int(0, 3))
    choose, act = b.hole(), b.hole()
    b.block([], b.decide("go", num(0), b.arm("go", act, b.param("n", n, b.domain(*"0123")))), choose)
    five, here = op("eq", b.load(near), num(5)), b.load(near)
    moved = [
        k.Store(far, k.If(k.Int(0, 5), five, num(0), here)),
        k.Store(near, k.If(k.Int(0, 5), five, here, b.get(n))),
    ]
    b.block(moved, k.Goto(choose), act)
    return b.program(choose, b.var("result", k.Int(0, 1), (0,)))


def candidates(context: ProofContext) -> dict[str, Candidate]:
    """ "far" is kept because "near" is; the other two fall together."""
    symbols = dict(zip(("near", "far"), context.transitions.layout.vars, strict=False))
    numbers, found = context.transitions.reader.numbers, {}
    for name, symbol in symbols.items():
        for most in (3, 2):
            lit = -context.transitions.terms.disj(
                [numbers.equal_const(symbol, v) for v in range(most + 1, 6)]
            )
            words = name if most == 3 else f"{name} wrong"
            found[words] = Candidate(words, dict.fromkeys(context.moving, lit), claim=True)
    return found


class Countdown(Deadline):
    """Passes when it has been looked at so many times."""

    def __init__(self, looks: int) -> None:
        super().__init__(60)
        self.looks = looks

    @property
    def passed(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_what_rests_on_what_is_wrong_is_dropped() -> None:
    context = ProofContext(Game(follower()), 5, lambda words: None)
    given = candidates(context)
    houdini = Houdini(context.knowledge, list(given.values()), Deadline(10))
    assert {c.words for c in houdini.run(context.edges)} == {"near", "far"}
    assert houdini.support(given["far"]) == ["near"]
    assert houdini.support(given["near"]) == []
    assert not Houdini(context.knowledge, [given["far"]], Deadline(10)).run(context.edges)


LAMPS = """
game "Lamps"
players ann
domain Lamp = 0..9
state:
    lit: set[Lamp]
rules:
    for p in turns():
        choose by p:
            light(l in Lamp) if l not in lit and l < 9 - spared: lit |= {l}
            stop: end win(p)
"""


@pytest.mark.parametrize(("spared", "kept"), [(3, 0), (4, 5)])
def test_a_claim_of_which_six_parts_are_broken_is_given_up(spared: int, kept: int) -> None:
    context = ProofContext(game_in(LAMPS.replace("spared", str(spared))), 5, lambda words: None)
    lamps = context.transitions.layout.vars[0]
    parts = [Candidate("dark", dict.fromkeys(context.moving, -lamp), claim=True) for lamp in lamps]
    assert len(Houdini(context.knowledge, parts, Deadline(10)).run(context.edges)) == kept


@pytest.mark.parametrize("looks", range(12))
def test_of_a_run_cut_short_stays_what_is_proved(looks: int) -> None:
    context = ProofContext(Game(follower()), 5, lambda words: None)
    given, proofs = candidates(context), Proofs()
    cut = Houdini(context.knowledge, list(given.values()), Countdown(looks), proofs)
    found = {c.words for c in cut.run(context.edges)}
    assert found in (set(), {"near"}, {"near", "far"})
    assert looks or not found
    again = Houdini(context.knowledge, list(given.values()), Deadline(10), proofs)
    assert {c.words for c in again.run(context.edges)} == {"near", "far"}


@pytest.mark.parametrize(("seconds", "found"), [(40, set()), (100, {"near", "far"})])
def test_where_there_is_plenty_of_time_each_question_has_more(
    seconds: float, found: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer on `near` within ten seconds: it falls, and with it `far`."""
    context, asked = ProofContext(Game(follower()), 5, lambda words: None), EdgeSolver.ask

    def slow(
        solver: EdgeSolver, alive: Iterable[Candidate], posts: Sequence[Post], deadline: Deadline, exact: bool
    ) -> tuple[Answer, set[Candidate]]:
        if deadline.left < 11 and posts[0][0].words == "near":
            return Answer("unknown", reason="out of time"), set()
        return asked(solver, alive, posts, deadline, exact)

    monkeypatch.setattr(EdgeSolver, "ask", slow)
    houdini = Houdini(context.knowledge, list(candidates(context).values()), Deadline(seconds))
    assert {c.words for c in houdini.run(context.edges)} == found


def test_a_claim_of_many_things_is_proved_part_by_part_or_not_at_all() -> None:
    """Of fifty cells, of which each step marks one: none is marked twice; the last can be marked."""
    b = Builder("Marks", ("anna",))
    mark = b.var("mark", k.Int(0, 2), (0,) * 50)
    n = b.local("n", k.Int(0, 49))
    choose, act = b.hole(), b.hole()
    cells = b.domain(*map(str, range(50)))
    unmarked = op("eq", b.at(mark, b.get(n)), num(0))
    b.block([], b.decide("go", num(0), b.arm("go", act, b.param("n", n, cells, where=unmarked))), choose)
    b.block([k.Put(mark, b.get(n), op("add", b.at(mark, b.get(n)), num(1)))], k.Goto(choose), act)
    context = ProofContext(Game(b.program(choose, b.var("result", k.Int(0, 1), (0,)))), 5, lambda words: None)
    terms, equal = context.transitions.terms, context.transitions.reader.numbers.equal_const
    cells_ = context.transitions.layout.vars[0]
    once = [-equal(cell, 2) for cell in cells_]
    claims = [
        Candidate(words, dict.fromkeys(context.moving, terms.conj(lits)), claim=True)
        for words, lits in (("once", once), ("not the last", [*once, equal(cells_[49], 0)]))
    ]
    houdini = Houdini(context.knowledge, claims, Deadline(20))
    assert [c.words for c in houdini.run(context.edges)] == ["once"]


def test_time_is_what_the_process_computes() -> None:
    deadline = Deadline(0.2)
    time.sleep(0.3)
    assert not deadline.passed
    while time.process_time() < deadline.end:
        pass
    assert deadline.passed


def test_an_index_may_be_wider_than_other_numbers() -> None:
    """A pair of numbers that says which of 900 things is meant is read exactly."""
    b = Builder("Pairs", ("anna",))
    left, right = b.var("left", k.Int(0, 29), 0), b.var("right", k.Int(0, 29), 0)
    n = b.local("n", k.Int(0, 29))
    choose, act = b.hole(), b.hole()
    index = op("add", op("mul", b.load(left), num(30)), b.load(right))
    odd = k.Op(k.BOOL, "in", (index, k.Const(k.Set(900), sum(1 << at for at in range(1, 900, 2)))))
    b.block(
        [], b.decide("go", num(0), b.arm("go", act, b.param("n", n, b.domain(*map(str, range(30)))))), choose
    )
    b.block([k.Store(left, b.load(right)), k.Store(right, b.get(n))], k.Goto(choose), act)
    transitions = Transitions(b.program(choose, b.var("result", k.Int(0, 1), (0,))))
    lit = transitions.reader.truth(odd, transitions.env(transitions.program.entry), 1)
    assert not any(transitions.terms.bounds.get(node) for node in transitions.terms.cone([lit]))


RELAY = """
game "Relay"
players ann, ben, cas, dan, eva
domain Post = 0..49
state:
    mover: Player
    last:  Player
    laps:  map[Post, 0..9]
rules:
    for p in turns():
        mover = p
        choose run(q in Post) by p if laps[q] < 9
        laps[q] += 1
        last = p
        choose by p:
            rest: pass
            stop: end win(p)
property handed_over: at rest always last == mover
"""


def test_who_is_said_to_be_to_move_is_guessed_to_be_the_one_that_the_loop_is_at() -> None:
    (verdict,) = verify(game_in(RELAY), ["handed_over"], seconds=20)
    assert (verdict.kind, "mover == rules.p" in verdict.by + verdict.detail) == ("proved", True)


def test_where_they_may_differ_nothing_is_guessed() -> None:
    text = RELAY.replace("        mover = p\n", "        if last != eva: mover = p\n")
    (verdict,) = verify(game_in(text), ["handed_over"], seconds=5)
    assert verdict.kind == "refuted"
