"""Types: every expression is given what it takes, and is what it says; no function runs itself."""

from collections.abc import Iterable
from typing import Any

from kemu_checker.ranges import Ranges
from kemu_checker.scopes import Scopes
from kemu_checker.text import BadText, Node

_TRUTHS = {"and", "or", "not"}
_NUMBERS = {"add", "sub", "mul", "neg", "abs", "min", "max", "div", "mod", "lt", "le", "single"}
_SETS = {"union", "inter", "diff", "subset", "card"}
_COUNTS = {"not": 1, "neg": 1, "abs": 1, "card": 1, "single": 1}
_MANY = {"and", "or", "add", "mul", "min", "max", "union", "inter"}
_RESULTS = {"not", "and", "or", "eq", "ne", "lt", "le", "in", "subset"}
_WRITES = {"Store", "Put", "Fill", "Note", "Forget"}
_GREATEST = 2**63 - 1
_WIDEST = 1 << 20  # elements of a set

Form = tuple[str, int | None]  # Bool, Int, Set or History; the size of a set
BOOL, INT = ("Bool", None), ("Int", None)


def form(kind: Node) -> Form:
    """What a type has to agree in with another one."""
    return kind.kind, kind.fields[0] if kind.kind == "Set" else None


def check_types(item: Any, program: Node, definitions: tuple[Node, ...] = ()) -> None:
    """Raises BadText unless every expression in it is given what it takes; `Def` means one of these."""
    typing, ranges = Typing(program, definitions), Ranges(program, definitions)
    todo: list[Any] = [item]
    while todo:
        each = todo.pop()
        if isinstance(each, tuple):
            todo += each
        elif isinstance(each, Node):
            if each.kind == "Program" and each is not program:
                check_types(each, each)
            elif each.kind == "Property" and each.fields[7] is not None:
                check_types(each.fields[2], each.fields[7].fields[0])
                todo.append(each.fields[7])
            elif each.kind == "Run":
                check_types(each.fields[:2], each.fields[0])
                todo.append(each.fields[3])
            else:
                todo += each.fields
                typing.node(each)
                ranges.node(each)


class Typing:
    """Looks at nodes, one by one."""

    def __init__(self, program: Node, definitions: tuple[Node, ...] = ()) -> None:
        self.program, self.definitions = program, definitions
        self.vars, self.locals, self.tables = program.fields[3:6]
        self.functions, self.blocks = program.fields[7], program.fields[9]
        self._fitting: set[tuple[int, Form]] = set()

    def node(self, node: Node) -> None:
        """One node; not what is in it."""
        look = getattr(self, f"_{node.kind.lower()}", None) if node.kind != "Set" else self._sized
        if look is not None:
            look(*node.fields)

    def of(self, expr: Node) -> Form:
        """The form of an expression's values."""
        while expr.kind == "Def":
            expr = self.definitions[expr.fields[0]]
        return INT if expr.kind == "Clock" else form(expr.fields[0])

    def want(self, expr: Node, wanted: Form) -> None:
        """The expression has to be of this form."""
        if self.of(expr) != wanted:
            raise BadText(
                f"{expr.kind} of type {_words(self.of(expr))} stands where {_words(wanted)} belongs"
            )

    def _set(self, expr: Node) -> int | None:
        kind, size = self.of(expr)
        if kind != "Set":
            raise BadText(f"{expr.kind} of type {kind} stands where a Set belongs")
        return size

    def _says(self, result: Node, actual: Form) -> None:
        if form(result) != actual:
            raise BadText(f"{_words(actual)} is said to be {_words(form(result))}")

    def _number(self, local: int) -> None:
        if form(self.locals[local].fields[1]) != INT:
            raise BadText(f"local {self.locals[local].fields[0]} is no integer")

    # Types, variables, locals

    def _int(self, low: int, high: int) -> None:
        if low > high:
            raise BadText(f"there is no integer {low}..{high}")

    def _var(
        self, name: str, kind: Node, length: int | None, initial: Any, _: Any, __: Any, seen: Any, ___: Any
    ) -> None:
        self._declared(name, kind)
        masks = seen if isinstance(seen, tuple) else () if seen is None else (seen,)
        if any(mask >> len(self.program.fields[2]) for mask in masks):
            raise BadText(f"variable {name} is seen by a player that there is not")
        if kind.kind == "History":
            if length is not None or any(self.vars[i].fields[1].kind == "History" for i in kind.fields[0]):
                raise BadText(f"variable {name} is no history")
        elif type(initial) is not (int if length is None else tuple):
            raise BadText(f"variable {name} begins with what it cannot be")
        elif isinstance(initial, tuple) and len(initial) != length:
            raise BadText(f"variable {name} begins with as many elements as it has")

    def _localinfo(self, name: str, kind: Node, *_: Any) -> None:
        self._declared(name, kind)
        if kind.kind == "History":
            raise BadText("a local is no history")

    def _declared(self, name: str, kind: Node) -> None:
        if kind.kind == "Int" and not -_GREATEST <= kind.fields[0] <= kind.fields[1] <= _GREATEST:
            raise BadText(f"{name} needs more than 63 bits")

    def _sized(self, size: int) -> None:
        if size > _WIDEST:
            raise BadText(f"a set of {size} elements")

    # Expressions

    def _const(self, result: Node, value: int) -> None:
        kind, size = form(result)
        inside = {
            "Bool": value in (0, 1),
            "Int": kind == "Int" and result.fields[0] <= value <= result.fields[1],
            "Set": value >= 0 and value.bit_length() <= (size or 0),
        }
        if not inside.get(kind, False):
            raise BadText("a constant is not of its type")

    def _local(self, result: Node, local: int) -> None:
        self._says(result, form(self.locals[local].fields[1]))

    def _load(self, result: Node, var: int) -> None:
        self._says(result, self._of_var(var, array=False))

    def _at(self, result: Node, var: int, index: Node) -> None:
        self._says(result, self._of_var(var, array=True))
        self.want(index, INT)

    def _of_var(self, var: int, array: bool) -> Form:
        name, kind, length = self.vars[var].fields[:3]
        if (length is not None) != array or kind.kind == "History":
            raise BadText(f"variable {name} is used in the wrong way")
        return form(kind)

    def _lookup(self, result: Node, table: int, index: Node) -> None:
        self.want(index, INT)
        kind, size = form(result)
        if (table, (kind, size)) not in self._fitting:
            most = 1 if kind == "Bool" else (1 << (size or 0)) - 1
            if kind != "Int" and not all(0 <= value <= most for value in self.tables[table].fields[1]):
                raise BadText(f"table {table} holds what is no {kind}")
            self._fitting.add((table, (kind, size)))

    def _times(self, result: Node, var: int) -> None:
        self._says(result, INT)
        self._historical(var)

    def _historical(self, var: int) -> None:
        if self.vars[var].fields[1].kind != "History":
            raise BadText(f"variable {self.vars[var].fields[0]} is no history")

    def _op(self, result: Node, operator: str, arguments: tuple[Node, ...]) -> None:
        if operator not in _TRUTHS | _NUMBERS | _SETS | {"eq", "ne", "in"}:
            raise BadText(f"there is no operator `{operator}`")
        count = _COUNTS.get(operator, 2)
        if len(arguments) < count or (len(arguments) > count and operator not in _MANY):
            raise BadText(f"`{operator}` is given {len(arguments)} values")
        if operator == "in":
            self.want(arguments[0], INT)
            self._set(arguments[1])
        elif operator in ("eq", "ne"):
            self.want(arguments[0], self.of(arguments[1]))
        elif operator in _SETS:
            size = self._set(arguments[0])
            for each in arguments:
                self.want(each, ("Set", size))
        else:
            for each in arguments:
                self.want(each, BOOL if operator in _TRUTHS else INT)
        if operator in _RESULTS:
            self._says(result, BOOL)
        elif operator in _SETS - {"card"}:
            self._says(result, self.of(arguments[0]))
        elif operator != "single":
            self._says(result, INT)
        elif result.kind != "Set":
            raise BadText("`single` gives a set")

    def _if(self, result: Node, test: Node, then: Node, other: Node) -> None:
        self.want(test, BOOL)
        self._says(result, self.of(then))
        self.want(other, form(result))

    def _fold(self, result: Node, operator: str, binder: int, over: Node, where: Node, body: Node) -> None:
        if operator not in ("any", "all", "count", "sum", "set", "first", "min", "max"):
            raise BadText(f"there is no fold `{operator}`")
        self._number(binder)
        self._set(over)
        self.want(where, BOOL)
        self.want(body, BOOL if operator in ("any", "all", "count", "first") else INT)
        if operator != "set":
            self._says(result, BOOL if operator in ("any", "all") else INT)
        elif result.kind != "Set":
            raise BadText("the fold `set` gives a set")

    def _closure(self, result: Node, seed: Node, binder: int, step: Node) -> None:
        self._number(binder)
        self._says(result, ("Set", self._set(seed)))
        self.want(step, form(result))

    def _let(self, result: Node, local: int, value: Node, body: Node) -> None:
        self.want(value, form(self.locals[local].fields[1]))
        self.want(body, form(result))

    def _call(self, result: Node, function: int, arguments: tuple[Node, ...]) -> None:
        _, params, returned, _ = self.functions[function].fields
        self._says(result, form(returned))
        if len(params) != len(arguments):
            raise BadText("a function is called with a wrong number of arguments")
        for local, each in zip(params, arguments, strict=True):
            self.want(each, form(self.locals[local].fields[1]))

    def _need(self, result: Node, test: Node, value: Node, fault: int) -> None:
        self.want(test, BOOL)
        self.want(value, form(result))

    def _trial(self, result: Node, code: Any, test: Node) -> None:
        if any(node.kind == "Return" for node in _nodes(code)):
            raise BadText("a Return in a Trial")
        self.want(test, form(result))

    # Statements

    def _assign(self, local: int, value: Node) -> None:
        self.want(value, form(self.locals[local].fields[1]))

    def _store(self, var: int, value: Node) -> None:
        self.want(value, self._of_var(var, array=False))

    def _put(self, var: int, index: Node, value: Node) -> None:
        self.want(index, INT)
        self.want(value, self._of_var(var, array=True))

    def _fill(self, var: int, binder: int, value: Node) -> None:
        self._number(binder)
        self.want(value, self._of_var(var, array=True))

    def _note(self, var: int) -> None:
        self._historical(var)

    def _forget(self, var: int) -> None:
        self._historical(var)

    def _when(self, test: Node, *_: Any) -> None:
        self.want(test, BOOL)

    def _check(self, test: Node, fault: int) -> None:
        self.want(test, BOOL)

    def _for(self, local: int, over: Node, code: Any) -> None:
        self._number(local)
        self._set(over)

    # Blocks

    def _split(self, test: Node, *_: Any) -> None:
        self.want(test, BOOL)

    def _switch(self, local: int, blocks: Any) -> None:
        self._number(local)

    def _decide(self, label: str, actor: Node, arms: Any, other: int, stuck: int) -> None:
        self.want(actor, INT)
        if not -1 <= other < len(self.blocks):
            raise BadText(f"there is no block {other}")

    def _arm(self, name: str, params: Any, guard: Node, legal: Node, target: int) -> None:
        self.want(guard, BOOL)
        self.want(legal, BOOL)

    def _param(self, name: str, local: int, over: Node, where: Node, domain: int) -> None:
        self._number(local)
        self._set(over)
        self.want(where, BOOL)

    def _chance(self, label: str, local: int, weight: Node, *_: Any) -> None:
        self._number(local)
        self.want(weight, INT)

    # Wholes

    def _program(self, *fields: Any) -> None:
        _calls(self.functions)
        scopes = Scopes(self.program)
        for function in self.functions:
            scopes.code(function.fields[3], frozenset(function.fields[1]), [])
            for node in _nodes(function.fields[3], trials=False):
                if node.kind in _WRITES:
                    raise BadText(f"function {function.fields[0]} changes the state")
                if node.kind == "Return":
                    self.want(node.fields[0], form(function.fields[2]))
                    Ranges(self.program).returned(function.fields[2], node.fields[0])
        for block in self.blocks:
            if block.fields[0] and block.fields[1].kind in ("Decide", "Chance", "End"):
                raise BadText("a block that stops has code")
            if any(node.kind == "Return" for node in _nodes(block.fields[0], trials=False)):
                raise BadText("a Return outside functions")
        result, width = fields[11], fields[12]
        kind, length = self.vars[result].fields[1:3]
        if kind.kind != "Int" or length != len(fields[2]) * width:
            raise BadText("the result has as many keys as players and width say")

    def _property(self, name: str, form: str, exprs: tuple[Node, ...], *_: Any) -> None:
        numbers = form in ("at_most", "at_least", "maximize", "terminates", "ends_almost_surely")
        for each in exprs:
            self.want(each, INT if numbers else BOOL)

    def _known(self, block: int, exprs: tuple[Node, ...]) -> None:
        for each in exprs:
            self.want(each, BOOL)

    def _untold(self, block: int, told: str, players: Node | None) -> None:
        kind = self.blocks[block].fields[1].kind
        if (kind, told, players is None) not in (
            ("Decide", "together", True),
            ("Decide", "never", True),
            ("Chance", "some", False),
        ):
            raise BadText("it is not said in a way that there is who is told what was done")
        if players is not None:
            self.want(players, ("Set", len(self.program.fields[2])))

    def _height(self, block: int, exprs: tuple[Node, ...]) -> None:
        for expr in exprs:
            self.want(expr, INT)


def _words(wanted: Form) -> str:
    kind, size = wanted
    return kind if size is None else f"{kind}({size})"


def _calls(functions: tuple[Node, ...]) -> None:
    """No function calls itself, not even by others."""
    calls = [_called(function.fields[3]) for function in functions]
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


def _called(code: Any) -> list[int]:
    return list(dict.fromkeys(node.fields[1] for node in _nodes(code) if node.kind == "Call"))


def _nodes(item: Any, trials: bool = True) -> Iterable[Node]:
    """All nodes in it, perhaps without those that are only tried."""
    todo = [item]
    while todo:
        each = todo.pop()
        if isinstance(each, tuple):
            todo += each
        elif isinstance(each, Node):
            yield each
            todo += each.fields if trials or each.kind != "Trial" else each.fields[2:]
