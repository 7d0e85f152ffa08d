"""What each pass of the optimiser makes of a small program: the text of a block before and after it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.printer import expression, printed
from kemu_engine.kernel.walk import expressions
from kemu_engine.opt.constant_folding import substituted
from kemu_engine.opt.copy_propagation import propagate_copies
from kemu_engine.opt.cse import eliminate_common_subexpressions
from kemu_engine.opt.inline import inline
from kemu_engine.opt.licm import hoist_invariants
from kemu_engine.opt.loop_fusion import fuse_loops
from kemu_engine.opt.predicate_pushdown import push_predicates
from kemu_engine.opt.sets.vectorize import vectorize

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

    def whole(self, row: k.Local, cell: k.Local) -> k.Expr:
        """Whether all cells of a row are mine."""
        return self.fold("all", k.Lookup(k.Set(6), self.rows, row), self.mine(cell), cell.id)

    def counted(self, test: Callable[[k.Local], k.Expr]) -> k.Expr:
        cell = self.cell()
        return self.fold("count", every(6), test(cell), cell.id)

    def raised(self, cell: k.Expr) -> k.Stmt:
        return k.Put(self.height, cell, num(1))


def pushed(program: k.Program) -> k.Program:
    return push_predicates(program).program


def hoisted(program: k.Program) -> k.Program:
    return hoist_invariants(push_predicates(program)).program


def shared(program: k.Program) -> k.Program:
    return eliminate_common_subexpressions(push_predicates(program)).program


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
    return [k.When(b.fold("any", every(6), b.whole(row, cell), row.id), (k.Store(b.score, num(1)),))]


def neighbours(b: Board) -> list[k.Stmt]:
    return [k.Store(b.score, b.counted(lambda c: b.mine(b.lookup(b.near, c))))]


def side(b: Board, cell: k.Expr) -> k.Expr:
    """Who moves next where somebody has a cell, by a table; a fault elsewhere."""
    sides, owner = b.table(9, 1, 0), b.at(b.owner, cell)
    found = b.lookup(sides, op("add", owner, num(1)))
    return k.Need(k.Int(0, 9), op("ne", owner, num(-1)), found, b.fault("missing_value"))


def sides(b: Board) -> list[k.Stmt]:
    def test(cell: k.Local) -> k.Expr:
        taken = op("ne", b.at(b.owner, cell), num(-1))
        return op("and", taken, op("eq", side(b, cell), b.load(b.turn)))

    return [k.Store(b.score, b.counted(test))]


def sides_of_all(b: Board) -> list[k.Stmt]:
    return [k.Store(b.score, b.counted(lambda c: op("eq", side(b, c), b.load(b.turn))))]


def one_higher(b: Board) -> list[k.Stmt]:
    higher = op("add", b.load(b.turn), num(1))
    return [k.Store(b.score, b.counted(lambda c: op("eq", op("add", b.at(b.owner, c), num(1)), higher)))]


def row_beyond(b: Board) -> list[k.Stmt]:
    """Whether the cells after those of a row are mine."""
    cell = b.cell()
    row = k.Lookup(k.Set(6), b.rows, b.load(b.turn))
    test = b.fold("all", row, b.mine(b.lookup(b.near, cell)), cell.id)
    return [k.When(test, (k.Store(b.score, num(1)),))]


def sides_beyond(b: Board) -> list[k.Stmt]:
    cell = b.cell()
    row = k.Lookup(k.Set(6), b.rows, b.load(b.turn))
    test = op("eq", side(b, b.lookup(b.near, cell)), b.load(b.turn))
    return [k.When(b.fold("any", row, test, cell.id), (k.Store(b.score, num(1)),))]


def among_the_first(b: Board) -> list[k.Stmt]:
    """Of numbers that stand for the first four cells only, by a table of these."""
    cell = b.cell()
    place = b.lookup(b.table(3, 2, 1, 0, 1, 2), cell)
    test = op("eq", b.at(b.owner, place), b.lookup(b.table(0, 1, 0, 1), place))
    row = k.Lookup(k.Set(6), b.rows, b.load(b.turn))
    return [k.When(b.fold("any", row, test, cell.id), (k.Store(b.score, num(1)),))]


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


def overwritten_copy(b: Board) -> list[k.Stmt]:
    one, two = b.cell("one"), b.cell("two")
    first = k.Assign(one.id, b.at(b.height, num(0)))
    return [first, k.Assign(two.id, one), k.Assign(one.id, num(3)), b.raised(two)]


def two_loops_of_which_one_reads_ahead(b: Board) -> list[k.Stmt]:
    one, two = b.cell("one"), b.cell("two")
    ahead = b.at(b.height, b.lookup(b.near, two))
    return [
        k.For(one.id, b.load(b.some), (k.Put(b.height, one, num(0)),)),
        k.For(
            two.id, b.load(b.some), (k.Put(b.owner, two, k.If(k.Int(0, 1), op("eq", ahead, num(0)), *BITS)),)
        ),
    ]


def need_in_a_test(b: Board) -> list[k.Stmt]:
    """Whether a row is mine, or one that is looked up behind a test by which it is there, or another."""
    there = b.var("there", k.Int(-1, 5), 0)
    row, cell = b.cell("row"), b.cell()
    rows = [b.fold("any", every(6), b.whole(row, cell), row.id) for _ in range(2)]
    need = k.Need(k.Int(0, 5), op("le", num(0), b.load(there)), b.load(there), b.fault("missing_value"))
    between = op("and", op("ne", b.load(there), num(-1)), op("eq", b.lookup(b.near, need), num(1)))
    return [k.When(op("or", rows[0], between, rows[1]), (k.Store(b.score, num(1)),))]


def loop_that_asks_for_the_same(b: Board) -> list[k.Stmt]:
    """Every cell of some gets the height of the first one and whose turn it is; the scores are left alone."""
    cell, first = b.cell(), b.at(b.height, num(0))
    value = k.Need(k.Int(0, 99), op("le", first, num(98)), op("add", first, b.load(b.turn)), b.fault("high"))
    return [k.For(cell.id, b.load(b.some), (k.Put(b.owner, cell, b.load(b.turn)), k.Store(b.score, value)))]


def loop_that_sets_what_it_asks(b: Board) -> list[k.Stmt]:
    cell = b.cell()
    return [k.For(cell.id, b.load(b.some), (k.Put(b.height, cell, b.at(b.height, num(0))),))]


def fold_that_needs_a_number(b: Board) -> list[k.Stmt]:
    """The sum of all heights, each with what may fault, but is asked of every cell before all else."""
    cell = b.cell()
    need = k.Need(k.Int(0, 5), op("le", b.load(b.score), num(5)), b.load(b.score), b.fault("low"))
    there = b.at(b.height, need)
    return [k.Store(b.score, b.fold("sum", every(6), op("mul", there, b.at(b.height, cell)), cell.id))]


def fold_within_a_fold(b: Board) -> list[k.Stmt]:
    """The pairs of cells, the second in a row of the first, that are equally high."""
    one, two = b.cell("one"), b.cell("two")
    alike = op("eq", b.at(b.height, two), b.at(b.height, one))
    row = k.Op(k.Set(6), "union", (k.Lookup(k.Set(6), b.rows, one), b.load(b.some)))
    inner = b.fold("count", row, op("and", alike, op("lt", b.load(b.turn), two)), two.id)
    return [k.Store(b.score, b.fold("sum", every(6), inner, one.id))]


def height_twice(b: Board) -> list[k.Stmt]:
    """The height of the same cell, before and after a change of owner; and after a change of height."""
    here = b.at(b.height, b.lookup(b.near, b.load(b.turn)))
    return [
        k.Store(b.score, here),
        k.Put(b.owner, num(0), num(1)),
        k.When(op("lt", here, num(5)), (k.Put(b.height, num(1), num(0)), k.Store(b.score, here))),
    ]


def height_perhaps(b: Board) -> list[k.Stmt]:
    """The height of a cell, at first only if it is my turn."""
    here, other = b.at(b.height, b.load(b.turn)), op("eq", b.load(b.turn), num(0))
    low, high = op("lt", here, num(5)), op("lt", num(2), here)
    return [k.When(op("and", other, low, high), (k.Store(b.score, here),)), k.Store(b.turn, here)]


def value_of_two_types(b: Board) -> list[k.Stmt]:
    twice = op("add", b.load(b.turn), b.load(b.turn))
    values = (twice, k.Op(k.Int(0, 5), "add", twice.args), twice)
    return [k.Put(b.height, value, num(at)) for at, value in enumerate(values)]


def value_of_a_local(b: Board) -> list[k.Stmt]:
    """A local is a name of its value until it is set again."""
    here = b.at(b.height, b.load(b.turn))
    one = k.Local(k.Int(0, 99), b.local("x", k.Int(0, 99)))
    first, second = k.Store(b.score, here), k.Store(b.score, here)
    return [k.Assign(one.id, here), first, k.Assign(one.id, num(3)), second]


BITS = num(1), num(0)

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
    "copy propagation, not of what has changed since": (
        propagate_copies,
        overwritten_copy,
        "one := height[0]\ntwo := one\none := 3\nheight[two] = 1",
        "one := height[0]\ntwo := one\none := 3\nheight[two] = 1",
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
    "superset tables, over what cannot fault where it stands": (
        vectorize,
        need_in_a_test,
        "if (any(all((owner[c] == turn) for c in table0_0[row]) for row in all 6)"
        " or ((there != -1) and (table1_1[need((0 <= there), there, missing_value)] == 1))"
        " or any(all((owner[c] == turn) for c in table0_0[row]) for row in all 6)):\n    score = 1",
        "if (((all 6 - RowsTouching[table0_0]((all 6 - Cells[owner](turn)))) != {})"
        " or ((there != -1) and (table1_1[need((0 <= there), there, missing_value)] == 1))):\n    score = 1",
    ),
    "static gather": (
        vectorize,
        neighbours,
        "score = count((owner[table1_1[c]] == turn) for c in all 6)",
        "score = card((all 6 - RowsTouching[related_2]((all 6 - Cells[owner](turn)))))",
    ),
    "value cases, and what does not fault behind a test of the value": (
        vectorize,
        sides,
        "score = count(((owner[c] != -1) and"
        " (need((owner[c] != -1), table2_2[(owner[c] + 1)], missing_value) == turn)) for c in all 6)",
        "score = card(((Cells[owner](0) if (turn == 1) else {}) | (Cells[owner](1) if (turn == 0) else {})))",
    ),
    "value cases, not of what may fault": (
        vectorize,
        sides_of_all,
        "score = count((need((owner[c] != -1), table2_2[(owner[c] + 1)], missing_value) == turn)"
        " for c in all 6)",
        "score = count(true for c in all 6"
        " if (need((owner[c] != -1), table2_2[(owner[c] + 1)], missing_value) == turn))",
    ),
    "set vectorisation, of a number more than the element": (
        vectorize,
        one_higher,
        "score = count(((owner[c] + 1) == (turn + 1)) for c in all 6)",
        "score = card(Cells[owner](turn))",
    ),
    "reindexing": (
        vectorize,
        row_beyond,
        "if all((owner[table1_1[c]] == turn) for c in table0_0[turn]):\n    score = 1",
        "if (related_2[turn] <= Cells[owner](turn)):\n    score = 1",
    ),
    "reindexing, not of what may fault: the places may come in another order": (
        vectorize,
        sides_beyond,
        "if any((need((owner[table1_1[c]] != -1), table2_2[(owner[table1_1[c]] + 1)], missing_value) == turn)"
        " for c in table0_0[turn]):\n    score = 1",
        "if any(true for c in table0_0[turn]"
        " if (need((owner[table1_1[c]] != -1), table2_2[(owner[table1_1[c]] + 1)], missing_value) == turn)):"
        "\n    score = 1",
    ),
    "reindexing, not where only some of the places are asked of": (
        vectorize,
        among_the_first,
        "if any((owner[table2_2[c]] == table3_3[table2_2[c]]) for c in table0_0[turn]):\n    score = 1",
        "if ((table0_0[turn] & ((({} - RowsTouching[related_4]((all 6 - Cells[owner](-1))))"
        " | ({1, 3, 5} - RowsTouching[related_4]((all 6 - Cells[owner](0)))))"
        " | ({0, 2, 4} - RowsTouching[related_4]((all 6 - Cells[owner](1)))))) != {}):\n    score = 1",
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
    "loop fusion, not where one reads what the other has yet to write": (
        fuse_loops,
        two_loops_of_which_one_reads_ahead,
        "for one in some:\n    height[one] = 0\n"
        "for two in some:\n    owner[two] = (1 if (height[table1_1[two]] == 0) else 0)",
        "for one in some:\n    height[one] = 0\n"
        "for two in some:\n    owner[two] = (1 if (height[table1_1[two]] == 0) else 0)",
    ),
    "loop-invariant code motion, but what may fault stays": (
        hoisted,
        loop_that_asks_for_the_same,
        "for c in some:\n    owner[c] = turn\n    score = need((height[0] <= 98), (height[0] + turn), high)",
        "t_1 := turn\nt_2 := (height[0] <= 98)\nt_3 := (height[0] + t_1)\n"
        "for c in some:\n    owner[c] = t_1\n    score = need(t_2, t_3, high)",
    ),
    "loop-invariant code motion, not of what the loop changes": (
        hoisted,
        loop_that_sets_what_it_asks,
        "for c in some:\n    height[c] = height[0]",
        "for c in some:\n    height[c] = height[0]",
    ),
    "loop-invariant code motion, of what comes first for sure": (
        hoisted,
        fold_that_needs_a_number,
        "score = sum((height[need((score <= 5), score, low)] * height[c]) for c in all 6)",
        "score = (let t = height[need((score <= 5), score, low)]: sum((t * height[c]) for c in all 6))",
    ),
    "loop-invariant code motion, from within": (
        hoisted,
        fold_within_a_fold,
        "score = sum(count(((height[two] == height[one]) and (turn < two)) for two in (table0_0[one] | some))"
        " for one in all 6)",
        "score = (let t_2 = some: (let t_3 = turn: sum((let t_4 = height[one]: count(((height[two] == t_4)"
        " and (t_3 < two)) for two in (table0_0[one] | t_2))) for one in all 6)))",
    ),
    "common subexpressions, as long as nothing has changed": (
        shared,
        height_twice,
        "score = height[table1_1[turn]]\nowner[0] = 1\n"
        "if (height[table1_1[turn]] < 5):\n    height[1] = 0\n    score = height[table1_1[turn]]",
        "score = (t_1 := height[(t_0 := table1_1[turn])])\nowner[0] = 1\n"
        "if (t_1 < 5):\n    height[1] = 0\n    score = height[t_0]",
    ),
    "common subexpressions, but not of what may not have been evaluated": (
        shared,
        height_perhaps,
        "if ((turn == 0) and (height[turn] < 5) and (2 < height[turn])):\n    score = height[turn]\n"
        "turn = height[turn]",
        "if ((turn == 0) and ((t := height[turn]) < 5) and (2 < t)):\n    score = height[turn]\n"
        "turn = height[turn]",
    ),
    "common subexpressions, a local until it is set again": (
        shared,
        value_of_a_local,
        "x := height[turn]\nscore = height[turn]\nx := 3\nscore = height[turn]",
        "x := height[turn]\nscore = x\nx := 3\nscore = height[turn]",
    ),
    "common subexpressions, of one type": (
        shared,
        value_of_two_types,
        "height[(turn + turn)] = 0\nheight[(turn + turn)] = 1\nheight[(turn + turn)] = 2",
        "height[(t := (turn + turn))] = 0\nheight[(turn + turn)] = 1\nheight[t] = 2",
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


def decision(test: Callable[[Board, k.Local], k.Expr]) -> tuple[k.Program, list[str]]:
    """A decision about a cell, and the domain of its parameter once predicates are pushed down."""
    b = Board()
    cell = b.cell()
    b.block([], k.Goto(1))
    param = b.param("c", cell.id, b.domain(*"abcdef"), where=test(b, cell))
    b.block([], b.decide("go", num(0), b.arm("put", 0, param)), name="go")
    program = b.program(0, b.score)
    pushed = push_predicates(program)
    domain = pushed.domains[1, 0][-1]
    return program, [expression(pushed.program, each) for each in (domain.over, domain.where)]


def test_the_domain_of_a_parameter_is_narrowed_down() -> None:
    _, domain = decision(lambda b, c: op("eq", b.at(b.owner, c), num(-1)))
    assert domain == ["Cells[owner](-1)", "true"]


def test_what_masks_cannot_say_is_still_to_be_asked() -> None:
    _, domain = decision(lambda b, c: op("and", b.mine(c), op("lt", b.at(b.height, c), num(9))))
    assert domain == ["Cells[owner](turn)", "(height[c] < 9)"]


def test_what_is_asked_of_every_value_of_a_parameter_is_worked_out_before() -> None:
    program, _ = decision(lambda b, c: op("lt", b.at(b.height, c), b.at(b.height, num(0))))
    made = hoist_invariants(push_predicates(program))
    (domain,) = made.domains[1, 0]
    assert [expression(made.program, each) for each in expressions(domain.before)] == ["height[0]"]
    assert expression(made.program, domain.where) == "(height[c] < t)"


def test_a_value_that_is_wanted_behind_a_stop_keeps_its_name() -> None:
    b = Board()
    low = op("lt", b.at(b.height, num(0)), num(5))
    b.block([], k.Goto(1))
    b.block([], b.decide("go", num(0), b.arm("on", 2, guard=low)), name="go")
    b.block([k.Store(b.score, b.at(b.height, num(0))), k.Store(b.turn, b.at(b.height, num(0)))], k.Goto(1))
    lines = [line.strip() for line in printed(shared(b.program(0, b.score))).split("\n")]
    assert "on() if ((t := height[0]) < 5) goto 2" in lines
    assert lines[-3:] == ["score = (t := height[0])", "turn = t", "goto 1"]


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


def test_a_value_that_turns_out_never_to_fit_is_a_fault() -> None:
    cell = k.Local(k.Int(0, 5), 0)
    needed = k.Need(k.Int(0, 1), op("le", cell, num(1)), cell, 0)
    assert substituted(needed, 0, num(2)) == k.Need(k.Int(0, 0), build.FALSE, num(0), 0)
