"""What each pass of the optimiser makes of a small program: the text of a block before and after it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.printer import printed
from kemu_engine.opt.copy_propagation import propagate_copies
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.inline import inline
from kemu_engine.opt.loop_fusion import fuse_loops
from kemu_engine.opt.loop_live_out import loop_live_out
from kemu_engine.opt.predicate_pushdown import push_predicates
from kemu_engine.opt.vectorize import Vectorizer, vectorize

from tests.engine.build import YES, Builder, every, num, op, subset

Pass = Callable[[k.Program], k.Program]
Case = Callable[["Board"], list[k.Stmt]]


class Board(Builder):
    """Six cells: whose they are (-1: nobody's), how high, which are marked; six rows of two cells."""

    def __init__(self) -> None:
        super().__init__()
        self.owner = self.var("owner", k.Int(-1, 1), (-1,) * 6)
        self.height = self.var("height", k.Int(0, 99), (0,) * 6)
        self.turn = self.var("turn", k.Int(0, 1), 0)
        self.score = self.var("score", k.Int(0, 99), 0)
        self.some = self.var("some", k.Set(6), 0)
        self.rows = self.table(*(1 << cell | 1 << (cell + 1) % 6 for cell in range(6)))
        self.near = self.table(*((cell + 1) % 6 for cell in range(6)))

    def cell(self, name: str = "c") -> k.Local:
        return k.Local(k.Int(0, 5), self.local(name, k.Int(0, 5)))

    def mine(self, cell: k.Expr) -> k.Expr:
        return op("eq", self.at(self.owner, cell), self.load(self.turn))

    def counted(self, test: Callable[[k.Local], k.Expr]) -> k.Expr:
        cell = self.cell()
        return self.fold("count", every(6), test(cell), cell.id)

    def raised(self, cell: k.Expr) -> k.Stmt:
        return k.Put(self.height, cell, num(1))


def pushed(program: k.Program) -> k.Program:
    draft = Draft(program)
    return draft.done(push_predicates(program, loop_live_out(program), Vectorizer(draft)))


def call(b: Board) -> list[k.Stmt]:
    x = k.Local(k.Int(0, 9), b.local("x", k.Int(0, 9)))
    function = b.function("twice", [x.id], k.Int(0, 18), k.Return(op("add", x, x)))
    return [k.Store(b.score, k.Call(k.Int(0, 18), function, (b.load(b.turn),)))]


def few_laps(b: Board) -> list[k.Stmt]:
    cell = b.cell()
    return [k.For(cell.id, subset(6, 1, 4), (b.raised(cell),))]


def copies(b: Board) -> list[k.Stmt]:
    one, two = b.cell("one"), b.cell("two")
    return [k.Assign(one.id, b.at(b.height, num(0))), k.Assign(two.id, one), b.raised(two)]


def count_of_cells(b: Board) -> list[k.Stmt]:
    return [k.Store(b.score, b.counted(b.mine))]


def count_of_high_cells(b: Board) -> list[k.Stmt]:
    return [k.Store(b.score, b.counted(lambda c: op("and", b.mine(c), op("le", num(3), b.at(b.height, c)))))]


def whole_row(b: Board) -> list[k.Stmt]:
    row, cell = b.cell("row"), b.cell()
    whole = b.fold("all", k.Lookup(k.Set(6), b.rows, row), b.mine(cell), cell.id)
    return [k.When(b.fold("any", every(6), whole, row.id), (k.Store(b.score, num(1)),))]


def neighbours(b: Board) -> list[k.Stmt]:
    return [k.Store(b.score, b.counted(lambda c: b.mine(b.lookup(b.near, c))))]


def pairs(b: Board) -> list[k.Stmt]:
    pair = k.Local(k.Int(0, 11), b.local("pair", k.Int(0, 11)))
    side, cell = op("div", pair, num(6)), k.Op(k.Int(0, 5), "mod", (pair, num(6)))
    test = op("eq", b.at(b.owner, cell), side)
    return [k.Store(b.score, k.Fold(k.Int(0, 12), "count", pair.id, every(12), YES, test))]


def two_loops(b: Board) -> list[k.Stmt]:
    one, two = b.cell("one"), b.cell("two")
    return [
        k.For(one.id, b.load(b.some), (k.Put(b.height, one, num(0)),)),
        k.For(two.id, b.load(b.some), (k.Put(b.owner, two, num(0)),)),
    ]


def loop_with_a_test(b: Board) -> list[k.Stmt]:
    cell = b.cell()
    return [k.For(cell.id, every(6), (k.When(b.mine(cell), (b.raised(cell),)),))]


def loop_that_changes_what_it_asks(b: Board) -> list[k.Stmt]:
    cell = b.cell()
    return [k.For(cell.id, every(6), (k.When(b.mine(cell), (k.Store(b.turn, num(1)),)),))]


CASES: dict[str, tuple[Pass, Case, str, str]] = {
    "inlining": (inline, call, "score = twice(turn)", "score = (turn + turn)"),
    "loop unrolling": (
        inline,
        few_laps,
        "for c in {1, 4}:\n    height[c] = 1",
        "height[1] = 1\nheight[4] = 1\nc := 4",
    ),
    "copy propagation": (
        propagate_copies,
        copies,
        "one := height[0]\ntwo := one\nheight[two] = 1",
        "one := height[0]\nheight[one] = 1",
    ),
    "set vectorisation": (
        vectorize,
        count_of_cells,
        "score = count((owner[c] == turn) for c in all 6)",
        "score = card(Cells[owner](turn))",
    ),
    "set vectorisation, as far as masks can say": (
        vectorize,
        count_of_high_cells,
        "score = count(((owner[c] == turn) and (3 <= height[c])) for c in all 6)",
        "score = count(true for c in Cells[owner](turn) if (3 <= height[c]))",
    ),
    "superset tables": (
        vectorize,
        whole_row,
        "if any(all((owner[c] == turn) for c in table0_0[row]) for row in all 6):\n    score = 1",
        "if ((all 6 - RowsTouching[table0_0]((all 6 - Cells[owner](turn)))) != {}):\n    score = 1",
    ),
    "static gather": (
        vectorize,
        neighbours,
        "score = count((owner[table1_1[c]] == turn) for c in all 6)",
        "score = card((all 6 - RowsTouching[related_2]((all 6 - Cells[owner](turn)))))",
    ),
    "fold nesting": (
        vectorize,
        pairs,
        "score = count((owner[(pair % 6)] == (pair // 6)) for pair in all 12)",
        "score = sum(card(Cells[owner](pair_1)) for pair_1 in all 2)",
    ),
    "loop fusion": (
        fuse_loops,
        two_loops,
        "for one in some:\n    height[one] = 0\nfor two in some:\n    owner[two] = 0",
        "for one in some:\n    height[one] = 0\n    owner[one] = 0",
    ),
    "predicate pushdown": (
        pushed,
        loop_with_a_test,
        "for c in all 6:\n    if (owner[c] == turn):\n        height[c] = 1",
        "for c in Cells[owner](turn):\n    height[c] = 1",
    ),
    "predicate pushdown, not of what the loop changes": (
        pushed,
        loop_that_changes_what_it_asks,
        "for c in all 6:\n    if (owner[c] == turn):\n        turn = 1",
        "for c in all 6:\n    if (owner[c] == turn):\n        turn = 1",
    ),
}


def block(program: k.Program) -> str:
    """The text of the first block."""
    lines = printed(program).split("\n")
    start, end = lines.index("block 0:"), lines.index("    goto 1")
    return "\n".join(line.removeprefix("    ") for line in lines[start + 1 : end])


@pytest.mark.parametrize("name", CASES)
def test_what_a_pass_makes_of_a_block(name: str) -> None:
    change, make, before, after = CASES[name]
    b = Board()
    code = make(b)
    b.block(code, k.Goto(1))
    b.block([], k.End("tie"), name="end")
    program = b.program(0, b.score)
    assert block(program) == before
    assert block(change(program)) == after
