"""Types of expressions: what an operator is given, and that no function runs itself."""

from typing import Any

from kemu_checker.text import BadText, Node

_TRUTHS = {"and", "or", "not"}
_NUMBERS = {"add", "sub", "mul", "neg", "abs", "min", "max", "div", "mod", "lt", "le", "single"}
_SETS = {"union", "inter", "diff", "subset", "card"}
_COUNTS = {"not": 1, "neg": 1, "abs": 1, "card": 1, "single": 1}
_MANY = {"and", "or", "add", "mul", "min", "max", "union", "inter"}
_RESULTS = {"not", "and", "or", "eq", "ne", "lt", "le", "in", "subset"}


def check_types(item: Any) -> None:
    """Raises BadText unless every expression in it is given what it takes."""
    todo: list[Any] = [item]
    while todo:
        each = todo.pop()
        if isinstance(each, tuple):
            todo += each
        elif isinstance(each, Node):
            todo += each.fields
            if each.kind == "Program":
                _functions(each)
            elif each.kind in _CHECKS:
                _CHECKS[each.kind](*each.fields)


def kind(expr: Node) -> str:
    """Bool, Int or Set."""
    return str(expr.fields[0].kind) if expr.kind not in ("Def", "Clock") else "any"


def _is(expr: Node, wanted: str) -> None:
    if kind(expr) not in (wanted, "any"):
        raise BadText(f"{expr.kind} of type {kind(expr)} stands where a {wanted} belongs")


def _op(result: Node, operator: str, arguments: tuple[Node, ...]) -> None:
    if operator not in _TRUTHS | _NUMBERS | _SETS | {"eq", "ne", "in"}:
        raise BadText(f"there is no operator `{operator}`")
    count = _COUNTS.get(operator, 2)
    if len(arguments) < count or (len(arguments) > count and operator not in _MANY):
        raise BadText(f"`{operator}` is given {len(arguments)} values")
    if operator == "in":
        _is(arguments[0], "Int")
        _is(arguments[1], "Set")
    elif operator in ("eq", "ne"):
        _is(arguments[0], kind(arguments[1]))
    else:
        for each in arguments:
            _is(each, "Bool" if operator in _TRUTHS else "Int" if operator in _NUMBERS else "Set")
    wanted = "Bool" if operator in _RESULTS else "Set" if operator in _SETS - {"card"} | {"single"} else "Int"
    if result.kind != wanted:
        raise BadText(f"`{operator}` gives no {result.kind}")
    sizes = {each.fields[0].fields[0] for each in arguments if kind(each) == "Set"}
    if len(sizes) > 1:
        raise BadText(f"`{operator}` is given sets of several sizes")


def _if(_: Node, test: Node, then: Node, other: Node) -> None:
    _is(test, "Bool")
    _is(then, kind(other))


def _fold(_: Node, operator: str, binder: int, over: Node, where: Node, body: Node) -> None:
    if operator not in ("any", "all", "count", "sum", "set", "first", "min", "max"):
        raise BadText(f"there is no fold `{operator}`")
    _is(over, "Set")
    _is(where, "Bool")
    _is(body, "Bool" if operator in ("any", "all", "count", "first") else "Int")


def _closure(result: Node, seed: Node, binder: int, step: Node) -> None:
    _is(seed, "Set")
    _is(step, "Set")
    if result.kind != "Set":
        raise BadText("a closure is a set")


def _need(_: Node, test: Node, value: Node, fault: int) -> None:
    _is(test, "Bool")


def _test(test: Node, *_: Any) -> None:
    _is(test, "Bool")


def _over(_: int, over: Node, code: Any) -> None:
    _is(over, "Set")


def _const(result: Node, value: int) -> None:
    inside = {
        "Bool": value in (0, 1),
        "Int": result.kind == "Int" and result.fields[0] <= value <= result.fields[1],
        "Set": result.kind == "Set" and 0 <= value < 1 << result.fields[0],
    }
    if not inside.get(result.kind, False):
        raise BadText("a constant is not of its type")


def _place(_: Any, at: int, index: Node) -> None:
    _is(index, "Int")


_CHECKS: dict[str, Any] = {
    "Const": _const,
    "Op": _op,
    "If": _if,
    "Fold": _fold,
    "Closure": _closure,
    "Need": _need,
    "At": _place,
    "Lookup": _place,
    "When": _test,
    "Check": _test,
    "Split": _test,
    "For": _over,
}


def _functions(program: Node) -> None:
    """No function calls itself, not even by others; lists and scalars are read as such."""
    calls = [_called(function.fields[3]) for function in program.fields[7]]
    done: set[int] = set()
    for root in range(len(calls)):
        stack, path = [(root, iter(calls[root]))], {root}
        while stack:
            at, rest = stack[-1]
            for each in rest:
                if each in path:
                    raise BadText("a function calls itself")
                if each not in done:
                    stack.append((each, iter(calls[each])))
                    path.add(each)
                    break
            else:
                stack.pop()
                path.discard(at)
                done.add(at)
    _variables(program)


def _called(code: Any) -> list[int]:
    found: dict[int, None] = {}
    todo = [code]
    while todo:
        item = todo.pop()
        if isinstance(item, tuple):
            todo += item
        elif isinstance(item, Node):
            if item.kind == "Call":
                found[item.fields[1]] = None
            todo += item.fields
    return list(found)


def _variables(program: Node) -> None:
    variables = program.fields[3]
    todo: list[Any] = [program]
    while todo:
        item = todo.pop()
        if isinstance(item, tuple):
            todo += item
            continue
        if not isinstance(item, Node):
            continue
        todo += (field for field in item.fields if not (isinstance(field, Node) and field.kind == "Program"))
        if item.kind in ("Load", "At", "Times", "Store", "Put", "Fill", "Note", "Forget"):
            var = variables[item.fields[1 if item.kind in ("Load", "At", "Times") else 0]]
            array, history = var.fields[2] is not None, var.fields[1].kind == "History"
            if array != (item.kind in ("At", "Put", "Fill")) or history != (
                item.kind in ("Times", "Note", "Forget")
            ):
                raise BadText(f"{item.kind} of variable {var.fields[0]}")
