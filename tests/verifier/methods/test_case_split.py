"""Questions about an action that are too hard as a whole, put value by value of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest
from kemu_engine.kernel import nodes as k
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.invariants.action_cases import Action, Case, Chosen
from kemu_verifier.methods.invariants.case_solver import CaseSolver, _Sight
from kemu_verifier.methods.invariants.case_split import ByCases
from kemu_verifier.methods.invariants.fault_edges import unmet
from kemu_verifier.methods.invariants.solvers import EdgeSolver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.terms import Lit

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
        choose move(a in Cell, b in Cell) if mark[b] == 0
        mark[b] = mark[a]
        mark[a] = 1
        if spoiled and a == 2 and b == 3: mark[b] = 2
        if mark[0] == 1: end win(p)
"""


class Asked:
    """Counts the cases that are asked about. Nothing is found out as a whole, nor in the `hard` case."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, hard: int = 0) -> None:
        self.cases = 0
        whole = CaseSolver.ask

        def ask(solver: CaseSolver, *given: Any) -> tuple[Answer, set[Candidate]]:
            self.cases += 1
            if self.cases == hard:
                return Answer("unknown"), set()
            return whole(solver, *given)

        unknown = Answer("unknown"), set[Candidate]()
        monkeypatch.setattr(EdgeSolver, "ask", lambda *given: unknown)
        monkeypatch.setattr(CaseSolver, "ask", ask)


def kept(context: ProofContext, claims: Sequence[Candidate], backwards: bool = False) -> list[str]:
    """What induction finds, case by case; `backwards`: it looks at the last edge first."""
    edges = context.edges[:: -1 if backwards else 1]
    return [claim.words for claim in ByCases(context.knowledge, claims, Deadline(20)).run(edges)]


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
    # four values, once for both edges; for one of them its four, too, and that it is none of these
    assert asked.cases == (4 if not hard else 9)


@pytest.mark.parametrize("hard", [0, 3])
def test_what_is_broken_in_one_case_falls(hard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(spoiled=True)
    Asked(monkeypatch, hard)
    assert kept(context, [never_two(context)]) == []


@pytest.mark.parametrize("forgotten", [(2,), (2, 3)])
def test_a_value_that_was_forgotten_is_noticed(forgotten: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first parameter; of the next, where the case is too hard."""
    context, values = context_of(spoiled=True), Action.values
    Asked(monkeypatch, hard=3 if len(forgotten) > 1 else 0)

    def forgetful(action: Action, case: Case, length: int) -> dict[Chosen, list[tuple[Chosen, Lit]]]:
        return {more: options for more, options in values(action, case, length).items() if more != forgotten}

    monkeypatch.setattr(Action, "values", forgetful)
    assert kept(context, [never_two(context)]) == []


def test_what_holds_only_where_an_action_leads_is_asked_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first cell is marked just where the game is over."""
    context = context_of()
    Asked(monkeypatch)
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
    Asked(monkeypatch)
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
        if not x and a == 0: y = false
        if a == 2 and b == 3: x = false
        if mark[0] == 1: end win(p)
"""


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("order", [*permutations(("open", "y", "x"))])
def test_what_falls_takes_with_it_what_leaned_on_it_in_an_earlier_question(
    order: Sequence[str], backwards: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`y` holds only as long as `x` does, which is found broken after the case where `y` leans on it."""
    context = ProofContext(game_in(LEANING), 5, lambda words: None)
    Asked(monkeypatch)
    program, layout = context.program, context.transitions.layout
    at = {var.name: layout.vars[number] for number, var in enumerate(program.vars)}
    marked = context.transitions.reader.numbers.equal_const(at["mark"][0], 1)
    ended = {edge.target: isinstance(program.blocks[edge.target].exit, k.End) for edge in context.edges}
    lits = {"x": dict.fromkeys(ended, at["x"]), "y": dict.fromkeys(ended, at["y"])}
    lits["open"] = {block: marked if end else -marked for block, end in ended.items()}
    claims = [Candidate(name, lits[name], claim=True) for name in order]
    assert kept(context, claims, backwards) == ["open"]


def test_what_holds_where_an_action_is_taken_is_not_taken_for_it_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It ends where `x` holds, goes on where it does not, and leaves it as it is."""
    rules = LEANING.replace("if a == 2 and b == 3: x = false", "if x: end tie")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    Asked(monkeypatch)
    program = context.program
    x = context.transitions.layout.vars[[var.name for var in program.vars].index("x")]
    ends = {edge.target for edge in context.edges if isinstance(program.blocks[edge.target].exit, k.End)}
    claims = [Candidate(str(lit), dict.fromkeys(ends, lit), claim=True) for lit in (x, -x)]
    assert kept(context, claims) == []


def test_claims_of_some_of_an_actions_ends_are_asked_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an action with several ends, after a claim about all of them."""
    rules = MARKS.replace("end win(p)", "end win(p)\n        if mark[1] == 1: end tie")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    Asked(monkeypatch)
    claim = never_two(context)
    ends = {b: lit for b, lit in claim.lits.items() if isinstance(context.program.blocks[b].exit, k.End)}
    assert kept(context, [claim, Candidate("at ends", ends, claim=True)]) == ["never two", "at ends"]


TURNS = """
game "Turns"
players ann, bob, cyd
domain Cell = 0..2
state:
    mark: map[Cell, 0..2]
rules:
    for p in turns():
        choose move(a in Cell, b in Cell) if mark[b] == 0
        mark[b] = mark[a]
        mark[a] = 1
        if p == bob and a == 1: mark[b] = 2
        if mark[0] == 1: end win(p)
"""


@pytest.mark.parametrize("told", ["all", "not bob", "ann twice"])
@pytest.mark.parametrize("breaker", ["ann", "bob"])
def test_what_only_one_player_breaks_falls(breaker: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a player was forgotten, or what is said of two may hold at once."""
    rules = TURNS.replace("p == bob", f"p == {breaker}")
    context, actors = ProofContext(game_in(rules), 5, lambda words: None), Action.actors
    Asked(monkeypatch)

    def some(action: Action) -> list[Lit]:
        ann, bob, cyd = actors(action)
        several = {"not bob": [ann, cyd], "ann twice": [ann, action.terms.either(ann, bob), cyd]}
        return several.get(told, [ann, bob, cyd])

    monkeypatch.setattr(Action, "actors", some)
    assert kept(context, [never_two(context)]) == []


COUNTED = """
game "Counted"
players ann
domain Cell = 0..3
state:
    x: 0..1000
    y: 0..1000
    mark: map[Cell, 0..2]
rules:
    for p in turns():
        choose move(a in Cell, b in Cell) if x < 900 and y < 900
        x += 1
        y += 1
        if mark[a] == 1: x += 1
        mark[b] = 1
        if mark[0] == 1: end win(p)
"""


def counted() -> tuple[ProofContext, list[Candidate]]:
    """That the one number is not greater than the other; than twice the other, which is true."""
    context = ProofContext(game_in(COUNTED), 5, lambda words: None)
    program, terms, numbers = context.program, context.transitions.terms, context.transitions.reader.numbers
    at = {var.name: context.transitions.layout.vars[number] for number, var in enumerate(program.vars)}
    stops = {edge.target for edge in context.edges}
    return context, [
        Candidate(f"{times} times", dict.fromkeys(stops, terms.le0(gap)), claim=True)
        for times in (1, 2)
        for gap in [terms.plus(numbers.lin(at["x"]), numbers.lin(at["y"]), -times)]
    ]


def test_what_takes_arithmetic_is_seen_at_the_second_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    context, claims = counted()
    Asked(monkeypatch)
    assert kept(context, claims) == ["2 times"]


@pytest.mark.parametrize("asked", [1, 2])
def test_what_is_open_when_the_time_is_up_is_not_proved(asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    context, claims = counted()
    count, whole, deadline = Asked(monkeypatch), CaseSolver.ask, Deadline(20)

    def ask(solver: CaseSolver, *given: Any) -> tuple[Answer, set[Candidate]]:
        deadline.end = 0.0 if count.cases == asked else deadline.end
        return whole(solver, *given)

    monkeypatch.setattr(CaseSolver, "ask", ask)
    assert ByCases(context.knowledge, claims[1:], deadline).run(context.edges) == []


def test_a_claim_that_is_partly_left_as_it_was_rests_on_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = MARKS.replace("        mark[b] = mark[a]\n", "")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    Asked(monkeypatch)
    claim = never_two(context)
    houdini = ByCases(context.knowledge, [claim], Deadline(20))
    assert houdini.run(context.edges) == [claim]
    steps = [edge for edge in context.edges if edge.source >= 0]
    assert [houdini.proofs.reasons[id(edge), claim] for edge in steps] == [{claim}] * 2


def test_what_another_action_breaks_takes_with_it_what_leaned_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """All cases of the action that leans on it had been decided."""
    spoil = """
        choose:
            move(a in Cell, b in Cell) if mark[a] == 0:
                mark[a] = 1
                if not x and a == 0: y = false
            spoil(c in Cell, d in Cell) if mark[c] == 0:
                mark[c] = 1
                if c == 2 and d == 3: x = false
        if mark[0]"""
    rules = LEANING[: LEANING.index("        choose")].rstrip() + spoil + LEANING.split("if mark[0]")[1]
    context = ProofContext(game_in(rules), 5, lambda words: None)
    Asked(monkeypatch)
    at = {var.name: context.transitions.layout.vars[n] for n, var in enumerate(context.program.vars)}
    stops = {edge.target for edge in context.edges}
    claims = [Candidate(name, dict.fromkeys(stops, at[name]), claim=True) for name in "yx"]
    assert kept(context, claims) == []


FULL = """
game "Full"
players ann
domain Cell = 0..5
option spoiled: bool = false
state:
    here: set[Cell] = {0, 1, 2}
rules:
    for p in turns():
        choose move(a in here, b in Cell) if b not in here or spoiled
        here = here - {a} | {b}
        if 5 in here: end win(p)
"""


@pytest.mark.parametrize("spoiled", [False, True])
def test_what_is_moved_is_counted_by_what_changes(spoiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else is where. In no other sight."""
    rules = FULL.replace("= false", f"= {str(spoiled).lower()}")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    Asked(monkeypatch)
    unknown, whole = (Answer("unknown"), set[Candidate]()), _Sight.ask
    monkeypatch.setattr(_Sight, "ask", lambda sight, *given: whole(sight, *given) if sight._tied else unknown)
    terms, here = context.transitions.terms, context.transitions.layout.vars[0]
    three = [terms.sum(sign * -3, [(sign, lit) for lit in here]) for sign in (1, -1)]
    lit = terms.conj(terms.le0(each) for each in three)
    claim = Candidate("three", {edge.target: lit for edge in context.edges}, claim=True)
    assert kept(context, [claim]) == ([] if spoiled else ["three"])


SHOT = """
game "Shot"
players ann
domain Cell = 0..3
option spoiled: bool = false
state:
    at:    Cell = 0
    burnt: set[Cell]
rules:
    for p in turns():
        choose go(a in Cell, b in Cell) if a == at and b != a and a not in burnt and b not in burnt
        else:
            end win(p)
        at = b
        if spoiled and a == 1 and b == 2: burnt |= {0, 1, 3}
        choose shoot(c in Cell) if c != at and c not in burnt
        burnt |= {c}
        if len(burnt) > 1: end tie
"""
"""One can always shoot at where one came from."""


def of_faults(context: ProofContext, name: str) -> Goal:
    """What the question about faults looks for."""
    asked = next(question for question in questions(context.program, True) if question.name == name)
    assert asked.goal is not None
    return asked.goal(context.transitions)


@pytest.mark.parametrize("spoiled", [False, True])
def test_a_fault_is_asked_about_case_by_case(spoiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = SHOT.replace("= false", f"= {str(spoiled).lower()}")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    asked = Asked(monkeypatch)
    proved: dict[str, str] = {}
    context.learning.learn_by_cases([], [of_faults(context, "never_stuck")], proved, Deadline(20))
    assert asked.cases > 1
    assert set(proved) == (set() if spoiled else {"never_stuck"})


def test_a_fault_on_the_way_to_the_first_stop_is_left_to_others() -> None:
    rules = SHOT.replace("    for p in", "    at += 5\n    for p in")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    assert unmet(context.knowledge, of_faults(context, "no_fault"), 0) is None


def test_faults_that_are_not_met_take_nothing_else_for_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two questions about faults, of which one is met."""
    rules = SHOT.replace("burnt |= {c}", "burnt |= {c}\n        at += c")
    context = ProofContext(game_in(rules), 5, lambda words: None)
    Asked(monkeypatch)
    proved: dict[str, str] = {}
    faults = [of_faults(context, name) for name in ("never_stuck", "no_fault")]
    context.learning.learn_by_cases([], faults, proved, Deadline(20))
    assert set(proved) == {"never_stuck"}
