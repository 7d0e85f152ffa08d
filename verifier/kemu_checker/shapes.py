"""The shape of every node: which fields it has, and what each of them must be."""

from collections.abc import Callable
from typing import Any

from kemu_checker.text import BadText, Node

# text, int, nat, flag (0 or 1), any, type, expr, code, exit; a node's name; an index: @vars, @locals, ...;
# `*x` a list of x, `?x` perhaps nothing, `x|y` either.
SHAPES: dict[str, tuple[str, ...]] = {
    name: tuple(fields.split())
    for name, fields in {
        "Program": "text *setting *text *Var *LocalInfo *Table *Domain *Function *Fault *Block "
        "@blocks @vars nat",
        "Var": "text type ?nat int|*int|Snapshots *text *text ?nat|*nat nat",
        "LocalInfo": "text type *text flag",
        "Table": "text *int",
        "Domain": "text *text",
        "Function": "text *@locals type code",
        "Fault": "text",
        "Snapshots": "nat",
        "Block": "code exit *@locals text",
        "Bool": "",
        "Int": "int int",
        "Set": "nat",
        "History": "*@vars",
        "Const": "type int",
        "Local": "type @locals",
        "Load": "type @vars",
        "At": "type @vars expr",
        "Lookup": "type @tables expr",
        "Times": "type @vars",
        "Op": "type text *expr",
        "If": "type expr expr expr",
        "Fold": "type text @locals expr expr expr",
        "Closure": "type expr @locals expr",
        "Let": "type @locals expr expr",
        "Call": "type @functions *expr",
        "Need": "type expr expr @faults",
        "Trial": "type code expr",
        "Assign": "@locals expr",
        "Store": "@vars expr",
        "Put": "@vars expr expr",
        "Fill": "@vars @locals expr",
        "Note": "@vars",
        "Forget": "@vars",
        "When": "expr code code",
        "For": "@locals expr code",
        "Loop": "nat code @faults",
        "Break": "",
        "Continue": "",
        "Return": "expr",
        "Check": "expr @faults",
        "Goto": "@blocks",
        "Split": "expr @blocks @blocks",
        "Switch": "@locals *@blocks",
        "Decide": "text expr *Arm int @faults",
        "Arm": "text *Param expr expr @blocks",
        "Param": "text @locals expr expr @domains",
        "Chance": "text @locals expr @domains @blocks @faults",
        "End": "text",
        "Fail": "@faults",
        "Claims": "*Property *Assertion *Line *Untold",
        "Untold": "@blocks text ?expr",
        "Property": "text text *expr ?int *@blocks ?text flag ?Run",
        "Run": "Program *expr *text ?Run",
        "Assertion": "text *@faults",
        "Line": "text nat *place",
        "Induction": "text *@vars *text *expr *Known",
        "Known": "@blocks *expr",
        "Ranking": "text *text *expr *Round",
        "Strategy": "text *text *expr *Round *Preferred",
        "Round": "*Height *int *int",
        "Height": "@blocks *expr",
        "Preferred": "@blocks nat ?*nat",
        "Cut": "*Opened *nat any",
        "Opened": "nat nat",
        "Def": "@definitions",
        "Clock": "",
    }.items()
}
_GROUPS = {
    "type": {"Bool", "Int", "Set", "History"},
    "expr": {"Const", "Local", "Load", "At", "Lookup", "Times", "Op", "If", "Fold", "Closure", "Let", "Call"}
    | {"Need", "Trial"},
    "exit": {"Goto", "Split", "Switch", "Decide", "Chance", "End", "Fail"},
}
_STATEMENTS = {"Assign", "Store", "Put", "Fill", "Note", "Forget", "When", "For", "Loop", "Break", "Continue"}
_STATEMENTS |= {"Return", "Check"}
_LISTS = {"vars": 3, "locals": 4, "tables": 5, "domains": 6, "functions": 7, "faults": 8, "blocks": 9}


def sizes(program: Node) -> dict[str, int]:
    """How many variables, locals, ... there are: what indices are measured by."""
    return {name: len(program.fields[at]) for name, at in _LISTS.items()}


def check_program(item: Any) -> Node:
    """The item, if all of it has the shape of a program."""
    if not isinstance(item, Node) or item.kind != "Program" or len(item.fields) != len(SHAPES["Program"]):
        raise BadText("this is no program")
    for at in _LISTS.values():
        if not isinstance(item.fields[at], tuple):
            raise BadText("a program's lists are lists")
    check(item, "Program", sizes(item))
    return item


def check(item: Any, shape: str, limits: dict[str, int], expressions: frozenset[str] = frozenset()) -> None:
    """Raises BadText unless the item has this shape; `expressions` are those allowed besides the kernel's."""
    todo: list[tuple[Any, str, dict[str, int]]] = [(item, shape, limits)]
    while todo:
        item, shape, limits = todo.pop()
        if "|" in shape:
            parts = shape.split("|")
            shape = next((part for part in parts if _fits(item, part)), parts[0])
        if shape[0] == "?":
            if item is None:
                continue
            shape = shape[1:]
        if shape[0] == "*" or shape in ("code", "setting", "place"):
            _need(isinstance(item, tuple), shape, item)
            inner = {"code": "statement", "setting": "text", "place": "nat"}.get(shape, shape[1:])
            todo += [(each, inner, limits) for each in item]
            _need(shape != "setting" or len(item) == 2, shape, item)
        elif shape[0] == "@":
            _need(type(item) is int and 0 <= item < limits[shape[1:]], f"index of {shape[1:]}", item)
        elif shape in _LEAVES:
            _need(_LEAVES[shape](item), shape, item)
        else:
            _need(isinstance(item, Node), shape, item)
            kinds = _GROUPS.get(shape) or (_STATEMENTS if shape == "statement" else {shape})
            if shape == "expr":
                kinds = kinds | expressions
            _need(item.kind in kinds and len(item.fields) == len(SHAPES[item.kind]), shape, item)
            about = _about(item)
            if about is not None:
                limits = sizes(check_lists(about))
            todo += [
                (field, part, limits) for field, part in zip(item.fields, SHAPES[item.kind], strict=True)
            ]


def _about(item: Node) -> Node | None:
    """The program that the fields of a node speak of, if it is another one: a claim about a rule by itself
    speaks of the program of its run."""
    if item.kind == "Property" and isinstance(item.fields[7], Node):
        item = item.fields[7]
    if item.kind == "Run" and item.fields and isinstance(item.fields[0], Node):
        item = item.fields[0]
    return item if item.kind == "Program" and len(item.fields) == len(SHAPES["Program"]) else None


def check_lists(program: Node) -> Node:
    """The program, whose lists are lists."""
    _need(all(isinstance(program.fields[at], tuple) for at in _LISTS.values()), "Program", program)
    return program


def _fits(item: Any, shape: str) -> bool:
    if shape[0] == "*":
        return isinstance(item, tuple)
    if shape[0] == "?":
        return item is None
    return isinstance(item, Node) if shape[0].isupper() else type(item) is int


def _need(holds: bool, shape: str, item: Any) -> None:
    if not holds:
        shown = item.kind if isinstance(item, Node) else repr(item)[:60]
        raise BadText(f"{shown} stands where `{shape}` belongs")


_LEAVES: dict[str, Callable[[Any], bool]] = {
    "text": lambda item: isinstance(item, str),
    "int": lambda item: type(item) is int,
    "nat": lambda item: type(item) is int and item >= 0,
    "flag": lambda item: type(item) is int and item in (0, 1),
    "any": lambda item: True,
}
