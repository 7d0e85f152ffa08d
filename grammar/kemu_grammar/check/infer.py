"""Names and kinds in expressions: every name known, every operator with what it takes."""

from __future__ import annotations

from typing import Literal

from kemu_grammar.check import operators
from kemu_grammar.check.builtins import ACTOR, FOREIGN, FUNCTIONS, RESULTS, taken
from kemu_grammar.check.calls import Calls
from kemu_grammar.check.compare_kinds import Comparing
from kemu_grammar.check.context import Env
from kemu_grammar.check.declarations import Declared
from kemu_grammar.check.foreign import no_name, truths
from kemu_grammar.check.foreign_parts import apart
from kemu_grammar.check.scope import Local, Report, Symbols
from kemu_grammar.source.kinds import (
    BOOL,
    COLLECTIONS,
    INT,
    NONE,
    PLAYER,
    POINT,
    TEXT,
    UNKNOWN,
    VECTORS,
    Kind,
    compatible,
    describe,
    element,
    join,
    list_of,
    map_of,
    option,
    plain,
    set_of,
    tuple_of,
)
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span
from kemu_grammar.syntax.endings import TIES
from kemu_grammar.syntax.unparse import expression

Place = Literal["claim", "fun", "rules", "instance"]


class Inference(Calls, Comparing, Declared):
    """The kind of every expression; reports on the way. `place`: where the expression stands, since
    `winner` and the state are not known everywhere."""

    def __init__(self, symbols: Symbols, report: Report) -> None:
        super().__init__()
        self.symbols, self.report = symbols, report
        self.place: Place = "instance"
        self.before: t.Fun | t.Rule | None = None
        self.asked: list[t.Can] = []
        self.inside: dict[str, Span] = {}  # names that only a block above knows, and where it sets them
        self.set_in_rules: dict[str, Span] = {}  # names that only the rules know, and where they set them

    # ----------------------------------------------------------------------------------- expressions

    def kind(self, e: Expr, env: Env) -> Kind:
        """The kind of an expression, UNKNOWN if it cannot be told."""
        match e:
            case t.Number():
                return INT
            case t.Truth():
                return BOOL
            case t.Nothing():
                return NONE
            case t.Text(parts=parts):
                for part in parts:
                    if not isinstance(part, str):
                        self.kind(part, env)
                return TEXT
            case t.Name():
                return self.name(e, env)
            case t.Field():
                return self.field(e, env)
            case t.Index():
                return self.index(e, env)
            case t.Slice(value=value, low=low, high=high):
                for end in (low, high):
                    if end is not None:
                        self.number(end, env, "the end of a slice")
                return self.sliced(self.kind(value, env), value.span)
            case t.Call():
                return self.call(e, env)
            case t.Tuple(items=items):
                return tuple_of(*(self.kind(i, env) for i in items))
            case t.ListOf(items=items):
                return list_of(join(*(self.kind(i, env) for i in items)))
            case t.SetOf(items=items):
                return set_of(join(*(self.kind(i, env) for i in items)))
            case t.MapOf(pairs=pairs):
                keys = join(*(self.kind(key, env) for key, _ in pairs))
                return map_of(keys, join(*(self.kind(value, env) for _, value in pairs)))
            case t.Comprehension():
                return self.comprehension(e, env)
            case t.Unary():
                return self.unary(e, env)
            case t.Binary():
                return self.binary(e, env)
            case t.Compare():
                return self.compare(e, env)
            case t.Logic(op=op, items=items):
                for item in items:
                    self.truth(item, env, f"`{op}` takes truth values")
                return BOOL
            case t.Presence(value=value):
                if not self.asks_of_action(value, env):
                    self.kind(value, env)
                return BOOL
            case t.Choice(test=test, then=then, other=other):
                self.truth(test, env, "`if` takes a truth value")
                return join(self.kind(then, env), self.kind(other, env))
            case t.Range(low=low, high=high):
                self.number(low, env, "the end of a range")
                self.number(high, env, "the end of a range")
                return set_of(INT)
            case t.After(value=value, action=action):
                kind = self.kind(value, env)
                assert isinstance(action, t.Call)
                if isinstance(self.callee(action, env), t.Rule):
                    self.called(action, env)
                else:
                    self.report.add("E0508", action.span, "behind `after` a rule is called, and this is none")
                return kind
            case t.Can(args=args, actor=actor):
                for arg in args or ():
                    self.kind(arg, env)
                if actor is not None:
                    self.player(actor, env, "the player who could")
                self.asked.append(e)
                return BOOL
            case t.Arrow():
                self.report.add(
                    "E0409", e.span, "`x -> e` can only be an argument, as in `closure(seed, x -> e)`"
                )
                return UNKNOWN
        raise AssertionError(e)

    def truth(self, e: Expr, env: Env, rule: str = "a truth value is expected here") -> None:
        """Demands a truth value."""
        kind = self.kind(e, env)
        if kind.form in ("unknown", "bool") or (
            kind.form == "option" and kind.inner.form in ("bool", "unknown")
        ):
            return
        if kind.form == "function":
            self.uncalled(e)
        elif kind.form == "option":
            message = f"{rule}, but this is {describe(kind)}"
            self.report.add("E0401", e.span, message, fix=(_after(e.span), " is some"))
        elif kind.form == "element" and kind.name.startswith("option "):
            self.report.add(
                "E0401", e.span, f"{rule}, but this is {describe(kind)}; compare it with one of its values"
            )
        else:
            self.report.add("E0401", e.span, f"{rule}, but this is {describe(kind)}")

    def number(self, e: Expr, env: Env, what: str) -> None:
        """Demands a number."""
        kind = plain(self.kind(e, env))
        if kind.form == "function":
            self.uncalled(e)
        elif kind.form not in ("unknown", "int", "none"):
            self.report.add("E0402", e.span, f"{what} must be a number, but this is {describe(kind)}")

    def collection(self, e: Expr, env: Env) -> Kind:
        """Demands something that can be gone through; the kind of its elements."""
        return element(self.collection_kind(e, env))

    def collection_kind(self, e: Expr, env: Env) -> Kind:
        """Demands something that can be gone through; its kind."""
        kind = self.kind(e, env)
        if plain(kind).form in ("bool", "int", "text", "element", "word", "point"):
            note = "; the numbers up to n are `1..n`" if kind == INT else ""
            self.report.add("E0408", e.span, f"this is {describe(kind)}, not a collection{note}")
        elif kind.form == "function":
            self.uncalled(e)
        return kind

    def asks_of_action(self, value: Expr, env: Env) -> bool:
        """Whether `swap is some` asks if the action `swap` was chosen: there is no such local or variable."""
        if not isinstance(value, t.Name) or value.id in env or taken(value.id) not in env:
            return False
        symbol = self.symbols.table.get(value.id)
        return symbol is None or symbol.role in ("fun", "rule")

    def player(self, e: Expr, env: Env, what: str) -> None:
        """Demands a player."""
        kind = self.kind(e, env)
        if not compatible(kind, PLAYER):
            self.report.add("E0405", e.span, f"{what} must be a player, but this is {describe(kind)}")

    def players(self, e: Expr, env: Env, what: str) -> None:
        """Demands a player, or several."""
        kind = self.kind(e, env)
        if not compatible(kind, PLAYER) and not compatible(kind, set_of(PLAYER)):
            message = f"{what} must be a player or a set of players, but this is {describe(kind)}"
            self.report.add("E0405", e.span, message)

    def uncalled(self, e: Expr) -> None:
        name = e.id if isinstance(e, t.Name) else ""
        symbol = self.symbols.table.get(name)
        d = symbol.declaration if symbol else None
        bare = d is None and name in FUNCTIONS and FUNCTIONS[name].most == 0
        fix = (_after(e.span), "()") if bare or (isinstance(d, t.Fun) and not d.params) else None
        self.report.add(
            "E0406",
            e.span,
            f"`{name}` is a function: call it, `{name}(...)`".replace("(...)", "()" if bare else _dots(d)),
            fix=fix,
        )

    # ------------------------------------------------------------------------------- names and parts

    def name(self, e: t.Name, env: Env) -> Kind:
        local = env.get(e.id)
        if local is not None:
            local.read = True
            if local.role == "gone":
                what = "what is expected reads state variables, functions and `winner`"
                self.report.add(
                    "E0609", e.span, f"`{e.id}` is a name of a rule and has no value here: {what}"
                )
                return UNKNOWN
            return local.kind
        if e.id in self.symbols.table:
            kind = self.symbol_kind(e.id)
            if kind.form == "history":
                message = f"`{e.id}` is a history; how often the present stands in it says `times({e.id})`"
                self.report.add("E0410", e.span, message, fix=(e.span, f"times({e.id})"))
                return UNKNOWN
            return kind
        if e.id == "Player":
            return set_of(PLAYER)
        if e.id in RESULTS:
            if self.place in ("rules", "instance"):
                message = f"`{e.id}` is known only at the end: in `at_end`, `expect` and other claims"
                self.report.add("E0309", e.span, message)
            kinds = {"winner": option(PLAYER), "winners": set_of(PLAYER), "payoff": map_of(PLAYER, INT)}
            return kinds[e.id]
        if e.id in self.symbols.words:
            return Kind("word", e.id)
        if e.id in FUNCTIONS:
            return Kind("function", e.id)
        self.undefined(e, env)
        return UNKNOWN

    def history(self, e: Expr, env: Env) -> None:
        """Demands a history."""
        if isinstance(e, t.Name) and e.id not in env and e.id in self.symbols.table:
            kind = self.symbol_kind(e.id)
        else:
            kind = self.kind(e, env)
        if kind.form not in ("history", "unknown"):
            self.report.add("E0410", e.span, f"a history is wanted here, but this is {describe(kind)}")

    def undefined(self, e: t.Name, env: Env) -> None:
        """A name that nobody knows; a foreign word gets its translation."""
        foreign = FOREIGN.get(e.id)
        if no_name(e, self.report):
            return
        if self.place == "claim" and e.id == ACTOR:
            message = (
                "`actor` is whoever is to act at a decision: `at LABEL always actor == ...` says at which"
            )
            self.report.add("E0316", e.span, message)
            return
        if self.place == "claim" and e.id in self.set_in_rules:
            note = (self.set_in_rules[e.id], f"only state is seen here: declare `{e.id}` under `state:`")
            self.report.add("E0316", e.span, f"`{e.id}` has a value only inside the rules", (note,))
        elif e.id in self.inside:
            note = (self.inside[e.id], "declare it before the block: `name: <type> = ...`")
            self.report.add(
                "E0316", e.span, f"`{e.id}` has a value only inside the block that sets it", (note,)
            )
        elif self.place == "claim" and e.id in TIES:
            self.report.add("E0301", e.span, f"unknown name `{e.id}`", fix=(e.span, "winner is none"))
        elif foreign is not None:
            self.report.add("E0301", e.span, f"unknown name `{e.id}`", fix=(e.span, foreign))
        else:
            known = [*env, *self.symbols.near(), *sorted(self.symbols.words)]
            self.report.unknown("E0301", "unknown name", e.id, e.span, known)

    def field(self, e: t.Field, env: Env) -> Kind:
        kind = plain(self.kind(e.value, env))
        fields = self.fields_of(kind)
        if e.name not in (fields or ()) and self.apart(e, e, None, kind):
            return UNKNOWN
        if fields is None:
            if kind.form in ("bool", "int", "text") or kind.form in COLLECTIONS:
                self.report.add("E0303", _last_word(e), f"{describe(kind)} has no field `{e.name}`")
            return UNKNOWN
        if e.name not in fields:
            what = f"{describe(kind)} has no field".removeprefix("a ")
            self.report.unknown("E0303", what, e.name, _last_word(e), fields)
            return UNKNOWN
        return fields[e.name]

    def apart(self, e: Expr, part: t.Field, args: tuple[Expr, ...] | None, kind: Kind) -> bool:
        """Whether a part, or a call of a method with `args`, was meant for `score[p]` or `score(p)`; reports
        it. `kind`: of what stands before the dot."""
        symbol = self.symbols.table.get(part.name)
        own = apart(part, args, kind, symbol, UNKNOWN if symbol is None else self.symbol_kind(part.name))
        if own:
            self.report.add("E0303", e.span, f"`{expression(e)}` is written `{own}`", fix=(e.span, own))
        return bool(own)

    def index(self, e: t.Index, env: Env) -> Kind:
        first = e.value
        if not isinstance(first, t.Index):
            return self.part(e, plain(self.kind(first, env)), self.kind(e.index, env))
        kind, keys = plain(self.kind(first.value, env)), [self.kind(i, env) for i in (first.index, e.index)]
        if kind.form == "map" and kind.inner == POINT and keys == [INT, INT]:
            own = f"{expression(first.value)}[({expression(first.index)}, {expression(e.index)})]"
            message = f"`{expression(e)}` is written `{own}`: the map is indexed by points"
            self.report.add("E0404", e.span, message, fix=(e.span, own))
            return UNKNOWN
        return self.part(e, plain(self.part(first, kind, keys[0])), keys[1])

    def part(self, e: t.Index, kind: Kind, key: Kind) -> Kind:
        """What lies in something of a kind under a key."""
        if kind.form in ("map", "bag"):
            if not compatible(kind.inner, key):
                message = f"the {kind.form} is indexed by {describe(kind.inner)}, but this is {describe(key)}"
                self.report.add("E0404", e.index.span, message)
            return (
                kind.parts[1]
                if kind.form == "map" and len(kind.parts) > 1
                else INT
                if kind.form == "bag"
                else UNKNOWN
            )
        if kind.form in ("list", "tuple"):
            if plain(key).form not in ("int", "unknown"):
                message = f"a {kind.form} is indexed by a number, but this is {describe(key)}"
                self.report.add("E0404", e.index.span, message)
            if kind.form == "tuple" and isinstance(e.index, t.Number) and e.index.value < len(kind.parts):
                return kind.parts[e.index.value]
            return kind.inner if kind.form == "list" else UNKNOWN
        if kind.form in ("bool", "int", "text", "element", "word", "set", "function"):
            notes = {"set": " (a set has no first element)", "text": " (`[:1]` is its first letter)"}
            why = notes.get(kind.form, "")
            self.report.add("E0404", e.span, f"{describe(kind)} cannot be indexed{why}")
        return UNKNOWN

    def sliced(self, kind: Kind, span: Span) -> Kind:
        if plain(kind).form in ("bool", "int", "element", "set", "map", "bag"):
            self.report.add(
                "E0404", span, f"only a list or a text can be sliced, but this is {describe(kind)}"
            )
            return UNKNOWN
        return plain(kind)

    # --------------------------------------------------------------------------------------- clauses

    def bind(
        self, targets: tuple[str, ...], kind: Kind, role: Literal["loop", "arm"] = "loop"
    ) -> dict[str, Local]:
        """The names of `for a, b in ...`, where the source yields values of this kind."""
        if len(targets) == 1:
            return {targets[0]: Local(kind, role)}
        parts = kind.parts if kind.form in ("tuple", "row") and len(kind.parts) == len(targets) else ()
        kinds = parts or ((INT,) * len(targets) if kind.form == "point" else (UNKNOWN,) * len(targets))
        return {name: Local(k, role) for name, k in zip(targets, kinds, strict=True)}

    def clauses(self, clauses: tuple[t.Clause, ...], env: Env) -> dict[str, Local]:
        """The scope inside a comprehension."""
        scope = dict(env)
        for clause in clauses:
            scope |= self.bind(clause.targets, self.collection(clause.source, scope))
            for condition in clause.conditions:
                self.truth(condition, scope, "`if` takes a truth value")
        return scope

    def comprehension(self, e: t.Comprehension, env: Env) -> Kind:
        scope = self.clauses(e.clauses, env)
        inner = self.kind(e.element, scope)
        if e.key is not None:
            return map_of(self.kind(e.key, scope), inner)
        return set_of(inner) if e.kind == "set" else list_of(inner)

    # ------------------------------------------------------------------------------------- operators

    def unary(self, e: t.Unary, env: Env) -> Kind:
        if e.op == "not":
            self.truth(e.operand, env, "`not` takes a truth value")
            return BOOL
        kind = plain(self.kind(e.operand, env))
        if kind.form not in ("unknown", "int", "none") and kind.form not in VECTORS:
            self.report.add("E0402", e.operand.span, f"`{e.op}` takes a number, but this is {describe(kind)}")
            return UNKNOWN
        return kind

    def binary(self, e: t.Binary, env: Env) -> Kind:
        if e.op == "implies":
            self.truth(e.left, env, "`implies` takes truth values")
            self.truth(e.right, env, "`implies` takes truth values")
            return BOOL
        left, right = plain(self.kind(e.left, env)), plain(self.kind(e.right, env))
        for side, kind in ((e.left, left), (e.right, right)):
            if kind.form == "function":
                self.uncalled(side)
                return UNKNOWN
            if operators.refuses(e.op, kind):
                if e.op in ("&", "|") and left.form == right.form == "bool":
                    truths(e, self.report)
                message = f"`{e.op}` {operators.takes(e.op)}, but this is {describe(kind)}"
                self.report.add("E0402", side.span, message)
                return UNKNOWN
        made = operators.combined(e.op, left, right)
        unlike = operators.unlike(left, right) if made is not None and e.op != "|" else ""
        if unlike:
            self.report.add("E0403", e.span, unlike)
        elif made is None:
            fix = operators.joined_sets(e, left, right, self.report)
            self.report.add("E0402", e.span, operators.cannot(e.op, left, right), fix=fix)
        return UNKNOWN if unlike or made is None else made


def _after(span: Span) -> Span:
    return Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)


def _last_word(e: t.Field) -> Span:
    s = e.span
    return Span(s.file, s.end_line, s.end_column - len(e.name), s.end_line, s.end_column)


def _dots(d: t.Declaration | None) -> str:
    return "()" if isinstance(d, t.Fun | t.Rule) and not d.params else "(...)"
