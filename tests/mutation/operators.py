"""What is changed: the operators, each from a node of Python's syntax tree to edits of the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Edit = tuple[int, int, str]
"""What stands between two offsets of the text, and what takes its place."""

COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: (r"<", ("<=", ">=")),
    ast.LtE: (r"<=", ("<", ">")),
    ast.Gt: (r">", (">=", "<=")),
    ast.GtE: (r">=", (">", "<")),
    ast.Eq: (r"==", ("!=",)),
    ast.NotEq: (r"!=", ("==",)),
    ast.Is: (r"\bis\b", ("is not",)),
    ast.IsNot: (r"\bis\s+not\b", ("is",)),
    ast.In: (r"\bin\b", ("not in",)),
    ast.NotIn: (r"\bnot\s+in\b", ("in",)),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: (r"-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.FloorDiv: (r"//", "*"),
    ast.Mod: (r"%", "//"),
    ast.Pow: (r"\*\*", "*"),
    ast.BitOr: (r"\|", "&"),
    ast.BitAnd: (r"&", "|"),
    ast.LShift: (r"<<", ">>"),
    ast.RShift: (r">>", "<<"),
}
NAMES = (
    ("min", "max"),
    ("any", "all"),
    ("eq", "ne"),
    ("le", "lt"),
    ("add", "sub"),
    ("div", "mod"),
    ("both", "either"),
)
WORDS = (*NAMES, ("and", "or"), ("sum", "count"), ("union", "inter"), ("first", "only"), ("set", "list"))


def _either_way(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {one: two for pair in pairs for one, two in (pair, pair[::-1])}


OTHER_NAME = {**_either_way((*NAMES, ("TRUE", "FALSE"))), "mul": "add"}
OTHER_WORD = {**_either_way(WORDS), "mul": "add", "diff": "inter"}
"""Functions, and operations told by a word, that are taken for one another."""

TRANSPARENT = {"reversed", "sorted", "abs"}


@dataclass(frozen=True, slots=True)
class Text:
    """A module's text, and where its nodes stand in it."""

    text: str
    starts: tuple[int, ...]
    lines: tuple[bytes, ...]

    @classmethod
    def of(cls, text: str) -> Text:
        lines = text.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        return cls(text, tuple(starts), tuple(line.encode() for line in lines))

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1][:column].decode())

    def extent(self, node: ast.expr | ast.stmt | ast.pattern) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def source(self, node: ast.expr | ast.stmt | ast.pattern) -> str:
        start, end = self.extent(node)
        return self.text[start:end]

    def between(self, left: ast.expr, right: ast.expr, pattern: str) -> tuple[int, int] | None:
        """Where an operator stands between its operands."""
        start, end = self.extent(left)[1], self.extent(right)[0]
        found = re.search(pattern, self.text[start:end])
        return None if found is None else (start + found.start(), start + found.end())


Operator = Callable[[ast.AST, Text], Iterator[Edit]]


def comparison(node: ast.AST, text: Text) -> Iterator[Edit]:
    """`<` becomes `<=` and `>=`, `==` becomes `!=`, `in` becomes `not in`, and so on."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            pattern, others = COMPARISONS[type(op)]
            at = text.between(left, right, pattern)
            if at is not None:
                yield from ((*at, other) for other in others)


def arithmetic(node: ast.AST, text: Text) -> Iterator[Edit]:
    """`+` and `-`, `*` and `+`, `|` and `&`, and so on."""
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _classes(node):
        pattern, other = ARITHMETIC[type(node.op)]
        at = text.between(node.left, node.right, pattern)
        if at is not None:
            yield (*at, other)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        start = text.extent(node)[0]
        yield (start, start + 1, "+")


def connective(node: ast.AST, text: Text) -> Iterator[Edit]:
    """`and` becomes `or`, `or` becomes `and`."""
    if isinstance(node, ast.BoolOp):
        word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            at = text.between(left, right, rf"\b{word}\b")
            if at is not None:
                yield (*at, other)


def operand(node: ast.AST, text: Text) -> Iterator[Edit]:
    """One side of an `and` or `or` left out, one of the classes in `A | B`."""
    if isinstance(node, ast.BoolOp):
        neutral = "True" if isinstance(node.op, ast.And) else "False"
        for value in node.values:
            yield (*text.extent(value), neutral)
    if isinstance(node, ast.BinOp) and _classes(node):
        yield (*text.extent(node), text.source(node.left))
        yield (*text.extent(node), text.source(node.right))


def _classes(node: ast.BinOp) -> bool:
    """Whether `A | B` stands for classes: names that begin with a capital."""
    if not isinstance(node.op, ast.BitOr):
        return False
    parts = [node.left, node.right]
    names = [
        p.attr if isinstance(p, ast.Attribute) else p.id
        for p in parts
        if isinstance(p, ast.Attribute | ast.Name)
    ]
    return bool(names) and all(
        n[0].isupper() or n in ("bool", "int", "str", "tuple", "frozenset") for n in names
    )


def condition(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A condition turned round: of `if`, `while`, comprehensions and cases."""
    tests: list[ast.expr] = []
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            tests = [test]
        case ast.comprehension(ifs=ifs):
            tests = ifs
        case ast.match_case(guard=ast.expr() as guard):
            tests = [guard]
    for test in tests:
        yield (*text.extent(test), f"(not ({text.source(test)}))")


def negation(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A `not` removed."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield (*text.extent(node), f"({text.source(node.operand)})")


def constant(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A number one more and one less, a truth value the other one."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield (*text.extent(node), str(not node.value))
        elif isinstance(node.value, int):
            yield (*text.extent(node), str(node.value + 1))
            yield (*text.extent(node), f"({node.value - 1})")


def length(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A `len` one more and one less."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        for change in ("+ 1", "- 1"):
            yield (*text.extent(node), f"({text.source(node)} {change})")


def statement(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A statement left out: a call, a change in place, a fault; `break` and `continue` for each other."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield (*text.extent(node), "pass")
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield (*text.extent(node), "pass")
        case ast.Break():
            yield (*text.extent(node), "continue")
        case ast.Continue():
            yield (*text.extent(node), "break")


def arguments(node: ast.AST, text: Text) -> Iterator[Edit]:
    """Two neighbouring arguments of a call, each in the place of the other; not of texts, spans, classes."""
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id == "isinstance"):
        for one, two in zip(node.args, node.args[1:], strict=False):
            if _movable(one) and _movable(two):
                (start, end), (begin, stop) = text.extent(one), text.extent(two)
                yield (start, stop, text.source(two) + text.text[end:begin] + text.source(one))


def _movable(argument: ast.expr) -> bool:
    """Not what would be noticed at once in any other place."""
    match argument:
        case ast.Starred() | ast.JoinedStr() | ast.Constant(value=str()) | ast.Lambda() | ast.GeneratorExp():
            return False
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name not in ("span", "env", "scope")
    return True


def result(node: ast.AST, text: Text) -> Iterator[Edit]:
    """What is returned: of a call, its first argument; a truth value turned round; `None` where it may be."""
    if not isinstance(node, ast.FunctionDef):
        return
    told = "" if node.returns is None else ast.unparse(node.returns)
    for s in _returns(node.body):
        assert s.value is not None
        if told == "bool":
            yield (*text.extent(s.value), f"not ({text.source(s.value)})")
        elif told.endswith("| None") and not isinstance(s.value, ast.Constant):
            yield (*text.extent(s.value), "None")
        if isinstance(s.value, ast.Call) and s.value.args and _movable(s.value.args[0]):
            yield (*text.extent(s.value), f"({text.source(s.value.args[0])})")


def _returns(body: list[ast.stmt]) -> Iterator[ast.Return]:
    """The statements that return a value, those of functions within left out."""
    for s in body:
        if isinstance(s, ast.Return) and s.value is not None:
            yield s
        elif not isinstance(s, ast.FunctionDef | ast.ClassDef):
            for block in blocks(s):
                yield from _returns(block)


def case(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A case that never is the case; one of several patterns left out."""
    if isinstance(node, ast.match_case) and node.guard is None:
        yield (*text.extent(node.pattern), f"{text.source(node.pattern)} if False")
    if isinstance(node, ast.MatchOr):
        for one, two in zip(node.patterns, node.patterns[1:], strict=False):
            yield (text.extent(one)[0], text.extent(two)[0], "")
        yield (text.extent(node.patterns[-2])[1], text.extent(node.patterns[-1])[1], "")


def operation(node: ast.AST, text: Text) -> Iterator[Edit]:
    """`min` becomes `max`, `any` becomes `all`, `add` becomes `sub`, and so on, as names and as words."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in OTHER_NAME:
            end = text.extent(node)[1]
            yield (end - len(name), end, OTHER_NAME[name])
        case ast.Constant(value=str() as word) if word in OTHER_WORD:
            yield (*text.extent(node), repr(OTHER_WORD[word]))


def bounds(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A slice without one of its ends."""
    if isinstance(node, ast.Slice):
        for end in (node.lower, node.upper, node.step):
            if end is not None:
                yield (*text.extent(end), "")


def order(node: ast.AST, text: Text) -> Iterator[Edit]:
    """What is reversed, sorted or made positive as it was."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TRANSPARENT:
        yield from ((*text.extent(node), f"({text.source(first)})") for first in node.args[:1])


def blocks(s: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statements within a statement, block by block."""
    for field in ("body", "orelse", "finalbody"):
        if block := getattr(s, field, []):
            yield block
    for part in (*getattr(s, "handlers", []), *getattr(s, "cases", [])):
        yield part.body


OPERATORS: dict[str, Operator] = {
    o.__name__: o
    for o in (
        comparison, arithmetic, connective, operand, condition, negation, constant, length, statement,
        arguments, result, case, operation, bounds, order,
    )
}  # fmt: skip
