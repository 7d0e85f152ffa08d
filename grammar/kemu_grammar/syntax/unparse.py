"""Back to source: the syntax tree as text that parses to an equal tree.

Expressions and types come on one line; statements as lines, those of inner blocks indented by four spaces.
"""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

IMPLIES, CHOICE, OR, AND, NOT, COMPARE, RANGE, UNION, MEET, SUM, PRODUCT, UNARY, POWER, POSTFIX = range(14)
"""How tightly an expression binds; an operand that binds less than its place asks is put in parentheses."""

_BINARY = {
    "implies": IMPLIES,
    "|": UNION,
    "&": MEET,
    "+": SUM,
    "-": SUM,
    "*": PRODUCT,
    "//": PRODUCT,
    "%": PRODUCT,
    "**": POWER,
}
_OPEN = {"set": "{}", "map": "{}", "list": "[]"}


def expression(expr: t.Expr, place: int = IMPLIES) -> str:
    """An expression where one that binds at least as `place` is wanted."""
    text, level = _expression(expr)
    return text if level >= place else f"({text})"


def _expression(expr: t.Expr) -> tuple[str, int]:
    match expr:
        case t.Unary("not", operand):
            return f"not {expression(operand, NOT)}", NOT
        case t.Unary(op, operand):
            return f"{op}{expression(operand, UNARY)}", UNARY
        case t.Binary("implies", left, right):
            return f"{expression(left, CHOICE)} implies {expression(right, IMPLIES)}", IMPLIES
        case t.Binary("**", left, right):
            return f"{expression(left, POSTFIX)}**{expression(right, UNARY)}", POWER
        case t.Binary(op, left, right):
            level = _BINARY[op]
            return f"{expression(left, level)} {op} {expression(right, level + 1)}", level
        case t.Compare(first, rest):
            parts = [expression(first, RANGE), *(f"{op} {expression(other, RANGE)}" for op, other in rest)]
            return " ".join(parts), COMPARE
        case t.Logic(op, items):
            level = AND if op == "and" else OR
            return f" {op} ".join(expression(item, level + 1) for item in items), level
        case t.Presence(value, some):
            return f"{expression(value, RANGE)} is {'some' if some else 'none'}", COMPARE
        case t.Choice(test, then, other):
            sides = f"{expression(then, OR)} if {expression(test, OR)}"
            return f"{sides} else {expression(other, CHOICE)}", CHOICE
        case t.Range(low, high):
            return f"{expression(low, UNION)}..{expression(high, UNION)}", RANGE
        case t.After(value, action):
            return f"{expression(value, COMPARE)} after {expression(action, POSTFIX)}", NOT
        case t.Can(name, args, actor):
            given = "" if args is None else f"({', '.join(map(expression, args))})"
            by = "" if actor is None else f" by {expression(actor, POSTFIX)}"
            return f"can {name}{given}{by}", UNARY
    return _atom(expr), POSTFIX


def _atom(expr: t.Expr) -> str:
    match expr:
        case t.Number(value):
            return str(value)
        case t.Truth(value):
            return "true" if value else "false"
        case t.Nothing():
            return "none"
        case t.Name(name):
            return name
        case t.Text(parts):
            return '"' + "".join(_piece(part) for part in parts) + '"'
        case t.Field(value, name):
            return f"{expression(value, POSTFIX)}.{name}"
        case t.Index(value, t.Tuple(items)) if len(items) > 1:
            return f"{expression(value, POSTFIX)}[{_list(items)}]"
        case t.Index(value, index):
            return f"{expression(value, POSTFIX)}[{expression(index)}]"
        case t.Slice(value, low, high):
            ends = [expression(end) if end is not None else "" for end in (low, high)]
            return f"{expression(value, POSTFIX)}[{':'.join(ends)}]"
        case t.Call(value, args, named):
            given = [*map(expression, args), *(f"{name}={expression(arg)}" for name, arg in named)]
            return f"{expression(value, POSTFIX)}({', '.join(given)})"
        case t.Tuple(items):
            return f"({_list(items)}{',' if len(items) == 1 else ''})"
        case t.ListOf(items):
            return f"[{_list(items)}]"
        case t.SetOf(items):
            return "{" + _list(items) + "}"
        case t.MapOf(pairs):
            return "{" + ", ".join(f"{expression(key)}: {expression(value)}" for key, value in pairs) + "}"
        case t.Comprehension(kind, element, clauses, key):
            text = expression(element) if key is None else f"{expression(key)}: {expression(element)}"
            text = " ".join([text, *map(clause, clauses)])
            return text if kind == "each" else f"{_OPEN[kind][0]}{text}{_OPEN[kind][1]}"
        case t.Arrow(params, body):
            names = params[0] if len(params) == 1 else f"({', '.join(params)})"
            return f"{names} -> {expression(body)}"
    raise AssertionError(f"no text for {type(expr).__name__}")


def _list(items: tuple[t.Expr, ...]) -> str:
    return ", ".join(map(expression, items))


def _piece(part: str | t.Expr) -> str:
    if not isinstance(part, str):
        return "{" + expression(part) + "}"
    text = part.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return text.replace("{", "{{").replace("}", "}}")


def clause(one: t.Clause) -> str:
    """`for x in source if condition`"""
    conditions = "".join(f" if {expression(condition, OR)}" for condition in one.conditions)
    return f"for {', '.join(one.targets)} in {expression(one.source, OR)}{conditions}"


def value(right: t.Value) -> str:
    """The right-hand side of an assignment."""
    match right:
        case t.Roll(faces, count):
            number = "" if count is None else f"{expression(count)} of "
            return f"roll {number}{expression(faces)}"
        case t.Draw():
            return f"draw {_drawn(right)}"
        case t.Reveal(shown, to):
            told = "" if to is None else f" to {expression(to, OR)}"
            return f"reveal {expression(shown, OR)}{told}"
    return expression(right)


def _drawn(draw: t.Draw) -> str:
    condition = f" if {expression(draw.condition)}" if draw.condition is not None else ""
    return f"from {expression(draw.source, OR)}{condition}"


def type_text(kind: t.Type) -> str:
    """A type."""
    match kind:
        case t.NamedType(name):
            return name
        case t.RangeType(low, high):
            return f"{expression(low, UNION)}..{expression(high, UNION)}"
        case t.OptionType(inner):
            return f"{type_text(inner)}?"
        case t.GenericType(head, args, size, binder, default):
            parts = list(map(type_text, args))
            if binder is not None:
                parts[0] = f"{binder} in {parts[0]}"
            if size is not None:
                parts.append(expression(size))
            if default is not None:
                parts[-1] += f" = {expression(default)}"
            return f"{head}[{', '.join(parts)}]"
        case t.HistoryType(variables):
            return f"history of {', '.join(one.id for one in variables)}" if variables else "history"
    raise AssertionError(f"no text for {type(kind).__name__}")


# ---------------------------------------------------------------------------------------------- statements


def block(statements: t.Block, indent: int = 0) -> list[str]:
    """The lines of a block."""
    return [line for each in statements for line in statement(each, indent)]


def statement(one: t.Statement, indent: int = 0) -> list[str]:
    """The lines of a statement."""
    margin = "    " * indent
    match one:
        case t.If(branches, other):
            lines: list[str] = []
            for number, (test, body) in enumerate(branches):
                word = "elif" if number else "if"
                lines += [f"{margin}{word} {expression(test)}:", *block(body, indent + 1)]
            return [*lines, *_else(other, indent)]
        case t.For(body=body) | t.While(body=body) | t.Repeat(body=body) | t.Path(body=body):
            return [margin + headline(one), *block(body, indent + 1)]
        case t.Choose(arms=arms, other=other):
            if arms[0].body is None:
                return [margin + headline(one), *_else(other, indent)]
            lines = [margin + headline(one)]
            for arm in arms:
                lines += [f"{margin}    {_arm(arm)}:", *block(arm.body or (), indent + 2)]
            return [*lines, *_else(other, indent + 1)]
    return [margin + headline(one)]


def _else(other: t.Block | None, indent: int) -> list[str]:
    return ["    " * indent + "else:", *block(other, indent + 1)] if other else []


def _arm(arm: t.Arm, by: str = "") -> str:
    params = ", ".join(f"{param.name} in {expression(param.source, OR)}" for param in arm.params)
    condition = f" if {expression(arm.condition)}" if arm.condition is not None else ""
    return f"{arm.name}{f'({params})' if params else ''}{by}{condition}"


def headline(one: t.Statement) -> str:
    """A statement on one line, without the blocks that belong to it."""
    match one:
        case t.Assign(target, op, right, kind):
            declared = f": {type_text(kind)}" if kind is not None else ""
            return f"{expression(target)}{declared} {op} {value(right)}"
        case t.Do(right):
            return value(right)
        case t.If(branches, _):
            return f"if {expression(branches[0][0])}:"
        case t.For(targets, source, conditions, _, order):
            tests = "".join(f" if {expression(condition, OR)}" for condition in conditions)
            chosen = f" in order of {expression(order, OR)}" if order is not None else ""
            return f"for {', '.join(targets)} in {expression(source, OR)}{chosen}{tests}:"
        case t.While(test, _):
            return f"while {expression(test)}:"
        case t.Repeat(bound, _):
            return f"repeat at most {expression(bound)}:"
        case t.Path(name, source, conditions, bound, stops, _):
            tests = "".join(f" if {expression(condition, OR)}" for condition in conditions)
            limit = f"at most {expression(bound, UNION)}{', may stop' if stops else ''}"
            return f"path {name} in {expression(source, OR)}{tests} {limit}:"
        case t.Return(None):
            return "return"
        case t.Return(result) if result is not None:
            return f"return {expression(result)}"
        case t.Deal(number, source, target):
            zones = f"from {expression(source, OR)} to {expression(target, OR)}"
            return f"draw {expression(number, UNION)} {zones}"
        case t.Move(what, every, source, target):
            moved = " ".join([*(["all"] if every else []), *([expression(what)] if what is not None else [])])
            return f"move {moved} from {expression(source)} to {expression(target)}"
        case t.End("tie", _):
            return "end tie"
        case t.End(kind, result) if result is not None:
            return f"end {kind}({expression(result)})"
        case t.Require(condition, most):
            return f"require {'most ' if most else ''}{expression(condition)}"
        case t.Assert(name, condition):
            return f"assert {name}: {expression(condition)}"
        case t.Note(history) | t.Forget(history):
            return f"{type(one).__name__.lower()} {history.id}"
        case t.Choose(actor, arms, optional, _, together, sealed):
            may = ("sealed " if sealed else "") + ("may " if optional else "")
            if together is not None:
                tests = "".join(f" if {expression(condition, OR)}" for condition in together.conditions)
                among = f"{together.targets[0]} in {expression(together.source, OR)}"
                return f"{may}choose together for {among}{tests}:"
            if arms[0].body is None:
                by = f" by {expression(actor, OR)}" if actor is not None else ""
                return f"{may}choose {_arm(arms[0], by)}"
            return f"{may}choose{f' by {expression(actor)}' if actor is not None else ''}:"
    return type(one).__name__.lower()  # again, break, continue, pass
