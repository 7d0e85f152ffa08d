"""Oracle: a naive evaluator of the syntax tree, for a part of the language, written from docs/language.md.

It walks the tree that the parser gives and knows nothing of programs, intervals or layouts. A position is
the history of actions and outcomes that led to it; whoever wants to look behind one replays it.

It knows: enums, ranges, grids, products, subsets and lists of them; all types, in each other; funs and rules
(with returned values, `inout`, recursion); all statements; `roll`, `draw`; `turns`;
what could be (`after`, `can`); histories; every kind of `end`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_decisions import offered
from tests.oracles.naive_statements import Statements
from tests.oracles.naive_stops import Ended, Run, Stop
from tests.oracles.naive_types import Env
from tests.oracles.naive_values import Bag, Domain, Fault, Member, elements, text


class Naive(Statements):
    """A game read from a syntax tree. `play(history)` says where it leads."""

    def __init__(self, module: t.Module) -> None:
        self.globals: Env = {}
        self.funs: dict[str, t.Fun | t.Rule] = {}
        self.records: dict[str, t.Record] = {}
        self.vars: Env = {}
        self.types: dict[str, t.Type] = {}
        self.open = Counter()
        variables = [v for d in module.declarations if isinstance(d, t.State) for v in d.variables]
        self.unique = {v.name for v in variables if v.unique}
        self.secrets = {v.name: v for v in variables if v.secret is not None}
        self.declarations = module.declarations
        for d in module.declarations:
            match d:
                case t.Players(names=names):
                    self.players = [Member("Player", i, n) for i, n in enumerate(names)]
                    self._members("Player", self.players)
                case t.Enum(name=name, members=names):
                    self._members(name, [Member(name, i, n) for i, n in enumerate(names)])
                case t.Domain(name=name, value=None, fields=fields):
                    self.globals[name] = self.rows(fields)
                case t.Domain(name=name, value=value) if value is not None:
                    self.globals[name] = Domain.of(elements(self.eval(value, {})))
                case t.Record():
                    self.records[d.name] = d
                case t.Const(name=name, type=kind, value=value):
                    found = self.eval(value, {})
                    self.globals[name] = found if kind is None else self.fit(found, kind, {})
                case t.Fun() | t.Rule():
                    self.funs[d.name] = d
                case t.Rules():
                    self.rules = d
        blocks = [self.rules.body, *(d.body for d in self.funs.values() if isinstance(d, t.Rule))]
        self.arms = {arm[1].name: arm for block in blocks for arm in offered(block)}
        sealed = [arm for s, arm, _, _ in self.arms.values() if s.sealed]
        self.sealed = {name for arm in sealed for name in (arm.name, *(p.name for p in arm.params))}

    def _members(self, name: str, members: list[Member]) -> None:
        self.globals[name] = Domain.of(members)
        self.globals |= {m.text: m for m in members}

    # ---------------------------------------------------------------------------------------- play

    def play(self, history: Sequence[str]) -> Stop:
        """Where a history leads. Raises Fault if the rules fault on the way (or at the stop)."""
        self.vars = {}
        for d in self.declarations:
            if isinstance(d, t.State):
                for v in d.variables:
                    self._declare(v)
        run = self.block(self.rules.body, {})
        stop = self._ahead(run, None)
        for done in history:
            assert done in dict(stop.choices), f"{done} is not possible: {stop}"
            stop = self._ahead(run, done)
        return stop

    def _ahead(self, run: Run, done: str | None) -> Stop:
        try:
            return run.send(done)
        except StopIteration:
            raise Fault("the rules run out") from None
        except Ended as end:
            places = {p.text: 1 + sum(k > key for k in end.keys.values()) for p, key in end.keys.items()}
            return Stop("end", None, (), dict(self.vars), places)

    def present(self, history: str) -> list[Any]:
        """The values that a history is of, as they are."""
        kind = self.types[history]
        assert isinstance(kind, t.HistoryType)
        plain = [name for name in self.vars if not isinstance(self.types[name], t.HistoryType)]
        values = [self.vars[name] for name in [each.id for each in kind.variables] or plain]
        return [{k: n for k, n in v.items() if n} if isinstance(v, Bag) else v for v in values]

    def unseen(self, name: str, player: str) -> set[str] | None:
        """The keys of a state variable under which a player sees nothing; None if the whole is not seen."""
        v = self.secrets.get(name)
        if v is None or v.secret is None:
            return set()
        if isinstance(v.secret, t.Nothing):
            return None
        if v.each is None:
            return set() if self.eval(v.secret, {}).text == player else None
        keys = elements(self.eval(v.each[1], {}))
        return {text(k) for k in keys if self.eval(v.secret, {v.each[0]: k}).text != player}

    def _declare(self, v: t.StateVariable) -> None:
        if isinstance(v.type, t.HistoryType):
            self.types[v.name], self.vars[v.name] = v.type, []
            return
        if v.each is None:
            self.types[v.name] = v.type
            self.vars[v.name] = self.fit(
                self.eval(v.initial, {}) if v.initial is not None else self.empty(v.type), v.type, {}
            )
            return
        name, over = v.each
        keys = self.eval(over, {})
        assert isinstance(over, t.Name)
        self.types[v.name] = t.GenericType("map", (t.NamedType(over.id), v.type))
        given = {
            k: self.eval(v.initial, {name: k}) if v.initial is not None else self.empty(v.type) for k in keys
        }
        self.vars[v.name] = self.fit(given, self.types[v.name], {})
