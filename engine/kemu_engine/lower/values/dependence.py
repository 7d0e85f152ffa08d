"""What a piece of tree depends on: free names, state, chance; asked before it is lowered."""

from __future__ import annotations

from typing import Any

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import children

RESULT_NAMES = frozenset({"winner", "winners", "payoff"})
PLAY = "what could be"  # under this name an expression reads all of play; no name of a file has a space
STOPS = (t.Choose, t.Roll, t.Draw, t.Reveal, t.Deal, t.End)


class Analysis:
    """Facts about trees against the surviving declarations of one instance; each worked out once."""

    def __init__(
        self,
        names: dict[str, t.Declaration],
        variables: tuple[t.StateVariable, ...],
        before: dict[int, t.Fun | t.Rule],
    ) -> None:
        self.names = names
        self.state = frozenset(v.name for v in variables)
        self.histories = {v.name: noted(v, variables) for v in variables if is_history(v)}
        self.before = before
        self._free: dict[int, tuple[Any, frozenset[str]]] = {}
        self._reads: dict[int, tuple[Any, frozenset[str]]] = {}
        self._stops: dict[int, tuple[Any, bool]] = {}
        self._reached: dict[int, tuple[Any, tuple[t.Fun | t.Rule, ...]]] = {}
        self._owned: dict[int, tuple[Any, frozenset[str], list[t.Fun | t.Rule]]] = {}

    # ------------------------------------------------------------------------------------------ names

    def free(self, node: Any) -> frozenset[str]:
        """The names that occur in an expression and are not bound inside it."""
        entry = self._free.get(id(node))
        if entry is None:
            entry = self._free[id(node)] = (node, frozenset(self._names(node)))
        return entry[1]

    def _names(self, node: Any) -> set[str]:
        match node:
            case t.Name(id=name):
                return {name}
            case t.Field(value=value):
                return set(self.free(value))
            case t.Call(value=value, args=args, named=named):
                inner = [*args, *(v for _, v in named)]
                return set().union(self.free(value), *(self.free(a) for a in inner))
            case t.Comprehension(element=element, clauses=clauses, key=key):
                return self._clauses(clauses, [element] if key is None else [element, key])
            case t.Arrow(params=params, body=body):
                return set(self.free(body) - set(params))
            case t.Text(parts=parts):
                return set().union(*(self.free(p) for p in parts if not isinstance(p, str)))
            case t.Can(args=args, actor=actor):
                inner = [*(args or ()), *(() if actor is None else (actor,))]
                return {PLAY}.union(*(self.free(a) for a in inner))
            case t.GenericType(binder=str(binder)):
                return set().union(*(self.free(c) for c in children(node))) - {binder}
            case t.After(value=value, action=action):
                return {PLAY} | self.free(value) | self.free(action)
            case _:
                return set().union(*(self.free(c) for c in children(node)))

    def _clauses(self, clauses: tuple[t.Clause, ...], inside: list[t.Expr]) -> set[str]:
        if not clauses:
            return set().union(*(self.free(e) for e in inside))
        first = clauses[0]
        rest = self._clauses(clauses[1:], inside).union(*(self.free(c) for c in first.conditions))
        return set(self.free(first.source)) | (rest - set(first.targets))

    # ------------------------------------------------------------------------------------------ state

    def state_read(self, node: Any) -> frozenset[str]:
        """The state variables that an expression reads, itself or through functions (result names count as
        state).
        """
        entry = self._reads.get(id(node))
        if entry is None:
            entry = self._reads[id(node)] = (node, self._state_read(node))
        return entry[1]

    def _state_read(self, node: Any) -> frozenset[str]:
        found: set[str] = set()
        for name in self.free(node):
            declaration = self.names.get(name)
            if name == PLAY:
                found |= {PLAY, *self.state}
            elif name in self.state or name in RESULT_NAMES or name == "before":
                found.add(name)  # what `before` reads is asked when its call is lowered
            elif isinstance(declaration, t.Fun):
                found |= self.fun_reads(declaration)
        return frozenset(found)

    def fun_reads(self, fun: t.Fun | t.Rule) -> frozenset[str]:
        """The state variables that a function reads, itself or through others."""
        entry = self._reads.get(id(fun))
        if entry is None:
            reads = frozenset().union(*(self._own(f)[1] for f in self.reached(fun)))
            entry = self._reads[id(fun)] = (fun, reads)
        return entry[1]

    def reached(self, fun: t.Fun | t.Rule) -> tuple[t.Fun | t.Rule, ...]:
        """A function, and those that it calls, itself or through others."""
        entry = self._reached.get(id(fun))
        if entry is None:
            found = {id(fun): fun}
            waiting = [fun]
            while waiting:
                for other in self._own(waiting.pop())[2]:
                    if id(other) not in found:
                        found[id(other)] = other
                        waiting.append(other)
            entry = self._reached[id(fun)] = (fun, tuple(found.values()))
        return entry[1]

    def _own(self, fun: t.Fun | t.Rule) -> tuple[Any, frozenset[str], list[t.Fun | t.Rule]]:
        """A function, the state variables that it names, and the functions."""
        entry = self._owned.get(id(fun))
        if entry is None:
            entry = self._owned[id(fun)] = (fun, *self._named(fun))
        return entry

    def _named(self, fun: t.Fun | t.Rule) -> tuple[frozenset[str], list[t.Fun | t.Rule]]:
        bound = {p.name for p in fun.params} | (
            set(assigned(fun.body)) if isinstance(fun.body, tuple) else set()
        )
        nodes = list(fun.body) if isinstance(fun.body, tuple) else [fun.body]
        names = sorted(set().union(*(self.free(n) for n in nodes)) - bound)
        called: list[t.Fun | t.Rule] = [d for d in map(self.names.get, names) if isinstance(d, t.Fun)]
        if id(fun) in self.before:
            called.append(self.before[id(fun)])
        read = {n for n in names if n in self.state or n in RESULT_NAMES}
        return frozenset(read | {PLAY, *self.state} if PLAY in names else read), called

    def touched(self, rule: t.Rule) -> frozenset[str]:
        """The state variables that a rule may read or change, itself or through what it calls."""
        bound = {p.name for p in rule.params} | (set(assigned(rule.body)) - self.state)
        names = frozenset().union(*(self.free(s) for s in rule.body)) - bound
        if PLAY in names:
            return self.state
        found: set[str] = set()
        for name in names:
            declaration = self.names.get(name)
            if name in self.state:
                found.add(name)
            elif isinstance(declaration, t.Fun):
                found |= self.fun_reads(declaration)
            elif isinstance(declaration, t.Rule):
                found |= self.touched(declaration)
        found |= {history for history, of in self.histories.items() if found.intersection(of)}
        return frozenset(found)

    # ------------------------------------------------------------------------------------------ stops

    def stops(self, node: Any) -> bool:
        """Whether running a statement may stop: it decides, rolls, draws or ends, itself or in a rule that it
        calls.
        """
        key = id(node)
        if key not in self._stops:
            self._stops[key] = node, False  # no recursion among rules, so this is never read while open
            self._stops[key] = node, self._may_stop(node)
        return self._stops[key][1]

    def _may_stop(self, node: Any) -> bool:
        if isinstance(node, STOPS) or (isinstance(node, t.For) and node.order is not None) or is_turns(node):
            return True
        if isinstance(node, t.Call) and isinstance(node.value, t.Name):
            declaration = self.names.get(node.value.id)
            if isinstance(declaration, t.Rule) and self.stops(declaration.body):
                return True
        return any(self.stops(c) for c in children(node))


def is_history(variable: t.StateVariable) -> bool:
    return isinstance(variable.type, t.HistoryType)


def noted(history: t.StateVariable, variables: tuple[t.StateVariable, ...]) -> tuple[str, ...]:
    """The names of the variables whose values a history keeps."""
    assert isinstance(history.type, t.HistoryType)
    named = {one.id for one in history.type.variables}
    return tuple(v.name for v in variables if not is_history(v) and (not named or v.name in named))


def is_turns(node: Any) -> bool:
    return isinstance(node, t.For) and _is_call(node.source, "turns")


def _is_call(node: Any, name: str) -> bool:
    return isinstance(node, t.Call) and isinstance(node.value, t.Name) and node.value.id == name


def leaves(block: t.Block) -> bool:
    """Whether a block holds a `return` that leaves the rule around it."""
    return any(isinstance(s, t.Return) or any(leaves_in(c) for c in children(s)) for s in block)


def leaves_in(node: Any) -> bool:
    return isinstance(node, t.Return) or any(leaves_in(c) for c in children(node))


def assigned(block: t.Block) -> dict[str, int]:
    """How often each bare name is assigned in a block, those in loops counting twice."""
    counts: dict[str, int] = {}
    _assigned(block, counts, 1)
    return counts


def _assigned(node: Any, counts: dict[str, int], weight: int) -> None:
    match node:
        case t.Assign(target=t.Name(id=name), op=op):
            counts[name] = counts.get(name, 0) + (weight if op == "=" else 2)
        case t.For(targets=targets, body=body):
            for name in targets:
                counts[name] = counts.get(name, 0) + 1
            _assigned(body, counts, 1)  # a name assigned only inside a lap is fresh in every lap
        case t.Path(name=name, body=body):
            counts[name] = counts.get(name, 0) + 1
            _assigned(body, counts, 1)
        case t.Choose(together=t.Clause(targets=(name,)), arms=arms, other=other):
            counts[name] = counts.get(name, 0) + 1
            _assigned((arms, other or ()), counts, weight)
        case t.Move(target=target, source=source) | t.Deal(target=target, source=source):
            for place in (target, source):
                if isinstance(place, t.Name):
                    counts[place.id] = counts.get(place.id, 0) + 2
        case _:
            for child in children(node):
                _assigned(child, counts, weight)


def root(target: t.Expr) -> str | None:
    """The variable that `board[p][w].x` is a part of."""
    while isinstance(target, t.Index | t.Field):
        target = target.value
    return target.id if isinstance(target, t.Name) else None
