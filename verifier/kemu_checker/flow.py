"""What may depend on secrets: a bound on it from the program's text alone (docs/evidence.md, "Flow").

Two plays that look alike to somebody without a seat come to the same stops, and agree there on all variables
and kept locals that are not found here. Plays that run into a fault are none.
"""

from dataclasses import dataclass, field
from itertools import product
from typing import Any

from kemu_checker.looks import below
from kemu_checker.machine import following, targets
from kemu_checker.scopes import Scopes
from kemu_checker.sight import masks
from kemu_checker.text import Node

_COMBINATIONS = 50_000
_CANDIDATES = 400
_NONE: frozenset[int] = frozenset()


@dataclass(eq=False)
class Flow:
    """`vars`, `locals`: what may depend on a secret; `places`: the blocks to which a secret may have led;
    `leaks`: what becomes visible by one.

    `sealed`: a decision that is made together. What is chosen there is told when all have chosen, and told
    like any other is no secret; but in between it is one. This asks for what depends on it then, on the way
    back to that decision, which is `among` these blocks; `known` is what depends on other secrets.
    """

    program: Node
    claims: Node
    sealed: int | None = None
    among: tuple[int, ...] = ()
    known: "Flow | None" = None
    vars: set[int] = field(default_factory=set)
    locals: set[int] = field(default_factory=set)
    places: set[int] = field(default_factory=set)
    leaks: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._told = {block: told for block, told, _ in (each.fields for each in self.claims.fields[3])}
        self._scopes = Scopes(self.program)
        self._read: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        self._regions: dict[int, frozenset[int]] = {}
        blocks = self.program.fields[9]
        if self.known is None:
            every = enumerate(self.program.fields[3])
            self.vars |= {at for at, var in every if not var.fields[7] and masks(var) is not None}
            self.among = tuple(range(len(blocks)))
        else:
            self.vars |= self.known.vars
            self.locals |= self.known.locals
            self.places |= self.known.places
        size = -1
        while size != (size := len(self.vars) + len(self.locals) + len(self.places) + len(self.leaks)):
            for at in self.among:
                self._code(blocks[at].fields[0], at in self.places)
                self._exit(at, blocks[at].fields[1])

    def _node(self, block: int) -> Node:
        return self.program.fields[9][block].fields[1]  # type: ignore[no-any-return]

    # Expressions

    def secret(self, item: Any, bound: frozenset[int] = _NONE) -> bool:
        """Whether the value of an expression may depend on a secret; `bound`: locals bound around it, within
        an expression that is looked at as a whole."""
        if isinstance(item, tuple):
            return any(self.secret(each, bound) for each in item)
        if not isinstance(item, Node):
            return False
        match item.kind:
            case "Local":
                return item.fields[1] in self.locals - bound
            case "Load" | "At" if item.fields[1] in self.vars:
                return True
            case "Times":
                history = self.program.fields[3][item.fields[1]].fields[1].fields[0]
                return item.fields[1] in self.vars or not self.vars.isdisjoint(history)
            case "Call":
                loaded, others = self._of_function(item.fields[1])
                if not (self.vars.isdisjoint(loaded) and self.locals.isdisjoint(others)):
                    return True
        outside, inside, binder = _scope(item)
        return self.secret(outside, bound) or self.secret(inside, bound | binder)

    def _of_function(self, number: int) -> tuple[frozenset[int], frozenset[int]]:
        """The variables that a function reads, and the locals that are not its own."""
        found = self._read.get(number)
        if found is None:
            loaded, local = set[int](), set[int]()
            for node in below(self.program.fields[7][number].fields[3]):
                if node.kind in ("Load", "At", "Times"):
                    loaded.add(node.fields[1])
                    kind = self.program.fields[3][node.fields[1]].fields[1]
                    loaded.update(kind.fields[0] if kind.kind == "History" else ())
                elif node.kind == "Local":
                    local.add(node.fields[1])
                elif node.kind == "Call":
                    more, others = self._of_function(node.fields[1])
                    loaded |= more
                    local |= others
            own = self._scopes.of_function(number)
            found = self._read[number] = frozenset(loaded), frozenset(local - own)
        return found

    def _used(self, secretly: bool, *exprs: Any) -> bool:
        """Notes what is left in locals; whether one of the expressions is secret, or is worked out where a
        secret led to."""
        secretly = secretly or self.secret(exprs)
        if secretly:
            self.locals |= self._scopes.left(exprs)
        return secretly

    # Code

    def _code(self, code: tuple[Node, ...], secretly: bool) -> bool:
        """Notes what code writes; `secretly`: a secret may have decided that it is carried out. Whether a
        secret may decide that a loop around it is left, or its lap."""
        jumps = False
        for node in code:
            jumps = self._statement(node, secretly or jumps) or jumps
        return jumps

    def _statement(self, node: Node, secretly: bool) -> bool:
        match node.kind:
            case "Assign":
                if self._used(secretly, node.fields[1]):
                    self.locals.add(node.fields[0])
            case "Store" | "Put":
                self._written(node.fields[0], self._used(secretly, *node.fields[1:]))
            case "Fill":
                self._written(node.fields[0], self._used(secretly, node))
            case "Note":
                noted = self.program.fields[3][node.fields[0]].fields[1].fields[0]
                self._written(node.fields[0], secretly or not self.vars.isdisjoint(noted))
            case "Forget":
                self._written(node.fields[0], secretly)
            case "When":
                inner = self._used(secretly, node.fields[0])
                then, other = (self._code(each, inner) for each in node.fields[1:])
                return then or other
            case "For":
                local, over, code = node.fields
                inner = self._used(secretly, over)
                if self._laps(code, inner):
                    inner = True
                if inner:
                    self.locals.add(local)
            case "Loop":
                self._laps(node.fields[1], secretly)
            case "Break" | "Continue" | "Return":
                return secretly
            case "Check":
                self._used(secretly, node.fields[0])
        return False

    def _laps(self, code: tuple[Node, ...], secretly: bool) -> bool:
        """The laps of a loop; where a secret may end one, it may decide about all that follow."""
        if self._code(code, secretly):
            self._code(code, True)
            return True
        return False

    def _written(self, var: int, secretly: bool) -> None:
        if not secretly or var in self.vars:
            return
        _, _, _, _, _, _, _, local = self.program.fields[3][var].fields
        if var != self.program.fields[11] and not local:
            self.leaks.add(f"variable {self.program.fields[3][var].fields[0]} may depend on a secret")
        self.vars.add(var)

    # Exits

    def _exit(self, at: int, node: Node) -> None:
        match node.kind:
            case "Split":
                if self._used(at in self.places, node.fields[0]):
                    self._part(at)
            case "Switch":
                if node.fields[0] in self.locals:
                    self._part(at)
            case "Decide":
                self._stop(at)
                self._decide(at, node)
            case "Chance":
                self._stop(at)
                domain = self.program.fields[6][node.fields[3]]
                if at in self._told or len(set(domain.fields[1])) < len(domain.fields[1]):
                    self.locals.add(node.fields[1])

    def _stop(self, at: int) -> None:
        if at in self.places and self.sealed is None:
            self.leaks.add(f"whether play comes to stop {at} may depend on a secret")

    def _decide(self, at: int, node: Node) -> None:
        _, actor, arms, other, _ = node.fields
        if self.secret(actor) or (other >= 0 and self.secret(arms)):
            self.leaks.add(f"who acts at stop {at}, or whether, may depend on a secret")
        hidden = self._told.get(at) == "never" or at == self.sealed
        if hidden or not self._tells(arms):
            self.locals |= {param.fields[1] for arm in arms for param in arm.fields[1]}
            if len(arms) > 1:
                self._part(at)

    def _tells(self, arms: tuple[Node, ...]) -> bool:
        """Whether from the text of an action one knows all of it."""
        texts: set[str] = set()
        left = _COMBINATIONS
        for arm in arms:
            words = [self.program.fields[6][param.fields[4]].fields[1] for param in arm.fields[1]]
            sizes = [len(each) for each in words]
            count = 1
            for size in sizes:
                count *= size
            left -= count
            if left < 0:
                return False
            for each in product(*words):
                shown = f"{arm.fields[0]}({', '.join(filter(None, each))})" if any(each) else arm.fields[0]
                if shown in texts:
                    return False
                texts.add(shown)
        return True

    # Where ways part and meet

    def _part(self, at: int) -> None:
        """A secret decides where play goes on from here: that is so in all blocks until all ways meet."""
        found = self._regions.get(at)
        if found is None:
            found = self._regions[at] = frozenset(self._reached(at, self._meeting(at)))
        self.places |= found

    def _meeting(self, at: int) -> int | None:
        """A block that comes on all ways from here to an end; the nearest that is found."""
        if not self._ends(at, None):
            return None
        near = self._reached(at, None)
        return next((each for each in near[:_CANDIDATES] if each != at and not self._ends(at, each)), None)

    def _ends(self, at: int, without: int | None) -> bool:
        """Whether play can end from here, if it may not come to that block."""
        return any(self._node(each).kind == "End" for each in self._reached(at, without))

    def _reached(self, at: int, without: int | None) -> list[int]:
        """The blocks behind this one, the nearest first; those that fail are none."""
        found: dict[int, None] = {}
        todo = _onward(self._node(at))
        for each in todo:  # which grows
            if each not in found and each != without and self._node(each).kind != "Fail":
                found[each] = None
                todo += _onward(self._node(each))
        return list(found)


def _scope(node: Node) -> tuple[tuple[Any, ...], tuple[Any, ...], frozenset[int]]:
    """The parts of a node that are worked out before it binds a local, those after, and the local."""
    match node.kind, node.fields:
        case "Fold", (_, _, binder, over, where, body):
            return (over,), (where, body), frozenset({binder})
        case "Closure", (_, seed, binder, step):
            return (seed,), (step,), frozenset({binder})
        case "Let", (_, local, value, body):
            return (value,), (body,), frozenset({local})
        case "Fill", (_, binder, value):
            return (), (value,), frozenset({binder})
        case "For", (local, over, code):
            return (over,), code, frozenset({local})
        case _:
            return node.fields, (), _NONE


def _onward(node: Node) -> list[int]:
    """The blocks to which play may go on from one, by a stop or without."""
    return [*following(node), *targets(node)]


def way_back(program: Node, decision: int) -> tuple[int, ...]:
    """A decision, and the blocks by which play may come from there to it again without another stop."""
    blocks = program.fields[9]
    before: dict[int, set[int]] = {}
    found, todo = set[int](), [decision]
    while todo:
        at = todo.pop()
        if at in found:
            continue
        found.add(at)
        node = blocks[at].fields[1]
        for after in _onward(node) if at == decision else following(node):
            before.setdefault(after, set()).add(at)
            todo.append(after)
    back, todo = {decision}, list(before.get(decision, ()))
    while todo:
        at = todo.pop()
        if at not in back:
            back.add(at)
            todo += before.get(at, ())
    return tuple(sorted(back))
