"""A solver that gives up says so, and one that has no room to go on is not asked again."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import z3
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Translator, ask, scope, solve
from kemu_verifier.symbolic.terms import Terms
from kemu_verifier.symbolic.values import TooLarge

VARIABLES, CLAUSES = 300, 1_280


def hard(terms: Terms) -> list[int]:
    """More than a solver gets through at once."""
    random, names = Random(1), [terms.var(f"free {number}") for number in range(VARIABLES)]
    return [
        terms.disj([random.choice((1, -1)) * each for each in random.sample(names, 3)])
        for _ in range(CLAUSES)
    ]


def without_room(monkeypatch: pytest.MonkeyPatch, opened: bool) -> None:
    push = z3.Solver.push

    def full(self: Any) -> None:
        if opened:
            push(self)
        raise z3.Z3Exception("Resource limits hit in push")

    monkeypatch.setattr(z3.Solver, "push", full)


def test_a_question_without_room_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    without_room(monkeypatch, opened=False)
    terms = Terms()
    answer = solve(terms, hard(terms), Deadline(0.05))
    assert (answer.status, answer.reason) == ("unknown", "the solver has no room to go on")


@pytest.mark.parametrize("opened", [False, True])
def test_no_solver_goes_on_outside_a_scope(monkeypatch: pytest.MonkeyPatch, opened: bool) -> None:
    without_room(monkeypatch, opened)
    terms = Terms()
    made = Translator(terms)
    lits, solver = made.lits(hard(terms)), z3.SolverFor("QF_FD")
    if not opened:
        with pytest.raises(TooLarge):
            ask(solver, lits, made, Deadline(0.05))
    else:
        assert ask(solver, lits, made, Deadline(0.05)).status == "unknown"
        assert solver.num_scopes() == 1


def test_no_room_for_a_scope_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    without_room(monkeypatch, opened=False)
    with pytest.raises(TooLarge, match="no room"), scope(z3.Solver()):
        pass
