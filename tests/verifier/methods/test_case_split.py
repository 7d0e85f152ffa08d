"""Questions about an action that are too hard as a whole, put value by value of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

import pytest
from kemu_engine.kernel import nodes as k
from kemu_verifier.methods.invariants.case_split import CaseSplit, Chosen
from kemu_verifier.methods.invariants.k_induction import Houdini
from kemu_verifier.methods.invariants.solvers import EdgeSolver, Post
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.terms import TRUE, Lit
from kemu_verifier.symbolic.transition import Edge

from tests.rules import game_in

MARKS = """
game "Marks"
players ann
domain Cell = 0..3
option spoiled: bool = false
state:
    mark: map[Cell, 0..2]
rules:
    for p in turns():
        choose move(a in Cell, b in Cell) if mark[a] == 0
        mark[a] = 1
        if spoiled and a == 2 and b == 3: mark[b] = 2
        if mark[0] == 1: end win(p)
"""


class Asked:
    """Counts what is asked, and has no answer to what is `hard`: as a whole, or where so much is chosen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, hard: int) -> None:
        self.cases = 0
        whole, hard_case = EdgeSolver.ask, iter(range(1, 1_000))

        def ask(
            solver: EdgeSolver,
            alive: Iterable[Candidate],
            posts: Sequence[Post],
            deadline: Deadline,
            exactly: bool,
            case: Lit = TRUE,
        ) -> tuple[Answer, set[Candidate]]:
            if case == TRUE or next(hard_case) == hard:
                return Answer("unknown"), set()
            self.cases += 1
            return whole(solver, alive, posts, deadline, exactly, case)

        monkeypatch.setattr(EdgeSolver, "ask", ask)


def kept(context: ProofContext, claims: Sequence[Candidate], backwards: bool = False) -> list[str]:
    """What induction finds, case by case; `backwards`: it looks at the last edge first."""
    edges = context.edges[:: -1 if backwards else 1]
    houdini = Houdini(context.knowledge, claims, Deadline(20))
    houdini.cases = CaseSplit(context.knowledge, edges, 5.0)
    return [claim.words for claim in houdini.run(edges)]


def context_of(spoiled: bool = False) -> ProofContext:
    rules = MARKS.replace("= false", f"= {str(spoiled).lower()}")
    return ProofContext(game_in(rules), 5, lambda words: None)


def never_two(context: ProofContext) -> Candidate:
    """Nothing is marked twice, wherever play stands."""
    terms, equal = context.transitions.terms, context.transitions.reader.numbers.equal_const
    lit = terms.conj(-equal(cell, 2) for cell in context.transitions.layout.vars[0])
    return Candidate("never two", {edge.target: lit for edge in context.edges}, claim=True)


@pytest.mark.parametrize("hard", [0, 2])
def test_every_value_is_asked_about_and_what_is_too_hard_by_the_next_parameter(
    hard: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, asked = context_of(), Asked(monkeypatch, hard)
    assert kept(context, [never_two(context)]) == ["never two"]
    # four values, and that it is none of them; for one of them its four and none; once for both edges
    assert asked.cases == (5 if not hard else 9)


@pytest.mark.parametrize("hard", [0, 3])
def test_what_is_broken_in_one_case_falls(hard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(spoiled=True)
    Asked(monkeypatch, hard)
    assert kept(context, [never_two(context)]) == []


def test_a_value_that_was_forgotten_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    context, values = context_of(spoiled=True), CaseSplit._values
    Asked(monkeypatch, 0)

    def forgetful(split: CaseSplit, edge: Edge, chosen: Chosen) -> dict[Chosen, Lit]:
        return {more: lit for more, lit in values(split, edge, chosen).items() if more != (2,)}

    monkeypatch.setattr(CaseSplit, "_values", forgetful)
    assert kept(context, [never_two(context)]) == []


def test_what_holds_only_where_an_action_leads_is_asked_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first cell is marked just where the game is over."""
    context = context_of()
    Asked(monkeypatch, 0)
    program, first = context.program, context.transitions.layout.vars[0][0]
    marked = context.transitions.reader.numbers.equal_const(first, 1)
    ended = {edge.target: isinstance(program.blocks[edge.target].exit, k.End) for edge in context.edges}
    lits = {block: marked if end else -marked for block, end in ended.items()}
    claims = [never_two(context), Candidate("first", lits, claim=True)]
    assert kept(context, claims) == ["never two", "first"]


@pytest.mark.parametrize("backwards", [False, True])
def test_what_holds_on_one_edge_is_not_taken_for_what_holds_on_all(
    backwards: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first cell is unmarked as long as the game goes on, but not when it is over."""
    context = context_of()
    Asked(monkeypatch, 0)
    unmarked = -context.transitions.reader.numbers.equal_const(context.transitions.layout.vars[0][0], 1)
    claim = Candidate("unmarked", {edge.target: unmarked for edge in context.edges}, claim=True)
    assert kept(context, [claim], backwards) == []


LEANING = """
game "Leaning"
players ann
domain Cell = 0..3
state:
    mark: map[Cell, 0..2]
    x: bool = true
    y: bool = true
rules:
    for p in turns():
        choose move(a in Cell, b in Cell) if mark[a] == 0
        mark[a] = 1
        if not x: y = false
        if a == 2 and b == 3: x = false
        if mark[0] == 1: end win(p)
"""


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("order", [*permutations(("open", "y", "x"))])
def test_what_falls_takes_with_it_what_leaned_on_it_in_an_earlier_question(
    order: Sequence[str], backwards: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`y` holds only as long as `x` does, which is told to the solver in a question about `x` itself."""
    context = ProofContext(game_in(LEANING), 5, lambda words: None)
    Asked(monkeypatch, 0)
    program, layout = context.program, context.transitions.layout
    at = {var.name: layout.vars[number] for number, var in enumerate(program.vars)}
    marked = context.transitions.reader.numbers.equal_const(at["mark"][0], 1)
    ended = {edge.target: isinstance(program.blocks[edge.target].exit, k.End) for edge in context.edges}
    lits = {"x": dict.fromkeys(ended, at["x"]), "y": dict.fromkeys(ended, at["y"])}
    lits["open"] = {block: marked if end else -marked for block, end in ended.items()}
    claims = [Candidate(name, lits[name], claim=True) for name in order]
    assert kept(context, claims, backwards) == ["open"]


def test_claims_of_some_of_an_actions_ends_are_asked_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an action with several ends, after a claim about all of them."""
    rules = MARKS.replace("end win(p)", "end win(p)\n        if mark[1] == 1: end tie")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    Asked(monkeypatch, 0)
    claim = never_two(context)
    ends = {b: lit for b, lit in claim.lits.items() if isinstance(context.program.blocks[b].exit, k.End)}
    assert kept(context, [claim, Candidate("at ends", ends, claim=True)]) == ["never two", "at ends"]
