"""A program with its loops cut: where play goes round without a stop it stops at each lap, and goes on.

What holds at the other stops of the one program holds there in the other, and the same faults are met; but a
loop that never ends, which is a fault of the program, is none here. What each lap keeps is proved by
induction from stop to stop, however many laps there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import Stopping, onward
from kemu_engine.kernel.liveness import needed

LONG = 8  # elements of a set that is not known, from which on a `for` over it counts as a loop


@dataclass(frozen=True, slots=True)
class Cut:
    """A program with a stop in each loop, the old blocks under their numbers; these stops; where loops that
    stand in the code of a block became blocks: the block, and the place in its code; and by stop the local
    that holds the element that a lap of a `For` is for."""

    program: k.Program
    heads: frozenset[int]
    opened: tuple[tuple[int, int], ...]
    elements: dict[int, int]


def cut(program: k.Program, opened_only: bool = False) -> Cut | None:
    """The program with its loops cut, or only those that stand in the code of a block; nothing if there is no
    such loop, or one that cannot be cut."""
    opened, old = _Opened(program), len(program.blocks)
    program = opened.program()
    found = [opened.laps.get(head, head) for head in heads(program) if head >= old or not opened_only]
    if not found or any(isinstance(program.blocks[head].exit, Stopping) for head in found):
        return None
    live, lap = needed(program), len(program.locals)
    blocks, once = list(program.blocks), len(program.domains)
    for number, head in enumerate(found, 1):
        blocks.append(program.blocks[head])
        stop = k.Chance("lap", lap, k.Const(k.Int(1, 1), 1), once, len(blocks) - 1, 0)
        blocks[head] = k.Block((), stop, tuple(sorted(live[head])), f"lap#{number}")
    made = replace(
        program,
        blocks=tuple(blocks),
        locals=(*program.locals, k.LocalInfo("lap", k.Int(0, 0))),
        domains=(*program.domains, k.Domain("lap", ("on",))),
        examples=(),
        views=(),
    )
    elements = {head: opened.elements[head] for head in found if head in opened.elements}
    return Cut(made, frozenset(found), tuple(opened.places), elements)


def heads(program: k.Program) -> list[int]:
    """The blocks to which play comes back without a stop, one for each loop at least."""
    found, under_way, done = set[int](), set[int](), set[int]()
    for root in (program.entry, *range(len(program.blocks))):
        waiting = [(root, False)]
        while waiting:
            block, left = waiting.pop()
            if left:
                under_way.discard(block)
                done.add(block)
            elif block in under_way:
                found.add(block)
            elif block not in done:
                under_way.add(block)
                waiting.append((block, True))
                waiting += [(target, False) for target in onward(program.blocks[block].exit)]
    return sorted(found)


class _Opened:
    """A program whose long loops are blocks: those that stand by themselves in the code of a block."""

    def __init__(self, program: k.Program) -> None:
        self.old = program
        self.blocks = list(program.blocks)
        self.locals = list(program.locals)
        self.places: list[tuple[int, int]] = []
        self.laps: dict[int, int] = {}  # of a `For`: by its head where a lap begins whose element is known
        self.elements: dict[int, int] = {}  # and there the local that holds it

    def program(self) -> k.Program:
        at = 0
        while at < len(self.blocks):  # what is put behind a loop may have another one
            self._open(at)
            at += 1
        return replace(self.old, blocks=tuple(self.blocks), locals=tuple(self.locals))

    def _open(self, number: int) -> None:
        block = self.blocks[number]
        at = next((at for at, each in enumerate(block.code) if _long(self.old, each)), None)
        if at is None:
            return
        loop = block.code[at]
        self.places.append((number, at))
        assert isinstance(loop, k.For | k.Loop)
        left, head = self._local("left", k.Int(0, 1)), len(self.blocks)
        again, leave = build.eq(left, build.integer(1)), k.Block(block.code[at + 1 :], block.exit)
        if isinstance(loop, k.For):
            assert isinstance(loop.over.type, k.Set)
            size = loop.over.type.size
            rest, element = self._local("rest", loop.over.type), self._local("element", k.Int(0, size - 1))
            enter = k.Assign(rest.id, loop.over)
            first = build.fold("first", element.id, rest, build.TRUE, build.TRUE)
            next_, lap, after = head + 1, head + 2, head + 3
            fewer = build.set_op("diff", rest, build.single(k.Local(element.type, loop.local), size))
            choose = k.Assign(loop.local, build.clamped(first, 0, size - 1))
            made = [
                k.Block((), k.Split(build.ne(rest, build.mask(size, 0)), next_, after)),
                k.Block((choose, k.Assign(rest.id, fewer)), k.Goto(lap)),
                k.Block(self._once(loop.body, left.id), k.Split(again, after, head)),
                leave,
            ]
            self.laps[head], self.elements[lap] = lap, loop.local
        else:
            lap, after, spent = head + 1, head + 2, head + 3
            laps = self._local("laps", k.Int(0, loop.bound))
            enter = k.Assign(laps.id, build.integer(0))
            one_more = build.add(laps, build.integer(1))
            start = k.Assign(laps.id, build.clamped(one_more, 0, loop.bound))
            made = [
                k.Block((), k.Split(build.lt(laps, build.integer(loop.bound)), lap, spent)),
                k.Block((start, *self._once(loop.body, left.id)), k.Split(again, after, head)),
                leave,
                k.Block((), k.Fail(loop.fault)),
            ]
        self.blocks += made
        self.blocks[number] = replace(block, code=(*block.code[:at], enter), exit=k.Goto(head))

    def _once(self, body: k.Code, left: int) -> k.Code:
        """One lap, after which it is said whether the loop was left: that comes to a second lap if not."""
        second = self._local("second", k.Int(0, 1))
        over = k.When(build.eq(second, build.integer(1)), (k.Assign(left, build.integer(0)), k.Break()), ())
        return (k.Assign(left, build.integer(1)), k.For(second.id, build.full(2), (over, *body)))

    def _local(self, name: str, kind: k.Type) -> k.Local:
        self.locals.append(k.LocalInfo(name, kind))
        return k.Local(kind, len(self.locals) - 1)


def _long(program: k.Program, statement: k.Stmt) -> bool:
    """Whether it is a loop of many laps, nobody knows how many."""
    if not isinstance(statement, k.For):
        return isinstance(statement, k.Loop)
    match statement.over:
        case k.Const():
            return False
        case k.Lookup(table=table):
            return max(each.bit_count() for each in program.tables[table].values) > LONG
        case over:
            assert isinstance(over.type, k.Set)
            return over.type.size > LONG
