"""Whether clauses can all be true: by the solver that there is."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

_TICK = 0.005  # seconds between two looks at the clock


class Solver(Protocol):
    """Takes clauses, and says whether they and these literals can be true; None if it does not know."""

    def add(self, clause: list[int]) -> None:
        """One more clause."""

    def possible(self, literals: list[int], seconds: float) -> bool | None:
        """Whether all clauses and these literals can be true."""


class Glucose:
    """Glucose (Audemard, Simon 2009), by way of PySAT."""

    def __init__(self) -> None:
        from pysat.solvers import Glucose4

        self._solver = Glucose4()

    def add(self, clause: list[int]) -> None:
        """One more clause."""
        self._solver.add_clause(clause)

    def possible(self, literals: list[int], seconds: float) -> bool | None:
        """Whether all clauses and these literals can be true."""
        with _interrupting(self._solver.interrupt, seconds):
            found = self._solver.solve_limited(assumptions=literals, expect_interrupt=True)
        self._solver.clear_interrupt()
        return found  # type: ignore[no-any-return]


@contextmanager
def _interrupting(interrupt: Callable[[], None], seconds: float) -> Iterator[None]:
    """Interrupts what goes on after so many seconds of computing, however busy the machine is."""
    over, end = threading.Event(), time.process_time() + seconds

    def watch() -> None:
        while not over.wait(max(end - time.process_time(), _TICK)):
            if time.process_time() >= end:
                interrupt()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


class Cvc5:
    """cvc5 (Barbosa et al. 2022), given truth values only."""

    def __init__(self) -> None:
        import cvc5

        self._kinds = cvc5.Kind
        self._terms = cvc5.TermManager()
        self._solver = cvc5.Solver(self._terms)
        self._solver.setOption("incremental", "true")
        self._solver.setLogic("QF_UF")
        self._named: dict[int, Any] = {}

    def _literal(self, literal: int) -> Any:
        found = self._named.get(literal)
        if found is None:
            if literal > 0:
                found = self._terms.mkConst(self._terms.getBooleanSort(), f"x{literal}")
            else:
                found = self._terms.mkTerm(self._kinds.NOT, self._literal(-literal))
            self._named[literal] = found
        return found

    def add(self, clause: list[int]) -> None:
        """One more clause."""
        parts = [self._literal(each) for each in clause]
        self._solver.assertFormula(
            parts[0] if len(parts) == 1 else self._terms.mkTerm(self._kinds.OR, *parts)
        )

    def possible(self, literals: list[int], seconds: float) -> bool | None:
        """Whether all clauses and these literals can be true."""
        self._solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
        found = self._solver.checkSatAssuming(*map(self._literal, literals))
        return True if found.isSat() else False if found.isUnsat() else None


class Z3:
    """z3 (de Moura, Bjørner 2008), which the prover uses too, given truth values only."""

    def __init__(self) -> None:
        import importlib

        self._z3 = importlib.import_module("z3")
        self._solver = self._z3.Solver()

    def _literal(self, literal: int) -> Any:
        named = self._z3.Bool(f"x{abs(literal)}")
        return named if literal > 0 else self._z3.Not(named)

    def add(self, clause: list[int]) -> None:
        """One more clause."""
        self._solver.add(self._z3.Or(*map(self._literal, clause)))

    def possible(self, literals: list[int], seconds: float) -> bool | None:
        """Whether all clauses and these literals can be true."""
        self._solver.set("timeout", max(1, int(seconds * 1000)))
        return {"sat": True, "unsat": False}.get(str(self._solver.check(*map(self._literal, literals))))


SOLVERS: dict[str, Callable[[], Solver]] = {"glucose": Glucose, "cvc5": Cvc5, "z3": Z3}


def solvers_here() -> list[str]:
    """The names of the solvers that are installed, the prover's last."""
    found = []
    for name, make in SOLVERS.items():
        try:
            make()
        except ImportError:
            continue
        found.append(name)
    return found
