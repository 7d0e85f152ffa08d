"""Statements: who may act where, what may be assigned, which names live in a rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grammar import tree as t
from grammar.builtins import SINK
from grammar.infer import Inference
from grammar.kinds import UNKNOWN, Kind, compatible, describe, element, plain, tuple_of
from grammar.names import closest
from grammar.scope import Local
from grammar.tree import Expr, Span

Scope = dict[str, Local]


@dataclass(frozen=True, slots=True)
class Where:
    """Where a statement stands. `pure`: in a fun. `flow`: in `rules:`. `turns`: inside a loop over `turns`, so that a
    `choose` knows its actor. `arm`: some action led here."""

    pure: bool = False
    flow: bool = False
    loop: bool = False
    turns: bool = False
    arm: bool = False
    result: Kind = UNKNOWN
    name: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A `choose`: the actions it offers, the names that live in its rule."""

    rule: str
    arms: tuple[t.Arm, ...]
    scope: Scope
    optional: bool


class Acting:
    """Checks blocks of statements; keeps the decisions and the calls between rules that it meets."""

    def __init__(self, infer: Inference) -> None:
        self.infer, self.report, self.symbols = infer, infer.report, infer.symbols
        self.decisions: list[Decision] = []
        self.calls: dict[str, list[tuple[str, Span]]] = {}
        self.outcomes: set[str] = {"roll", "draw"}  # labels of chance nodes
        self.scopes: list[Scope] = []

    def block(self, block: t.Block, scope: Scope, where: Where) -> None:
        """Checks statements in order; `scope` grows."""
        for statement in block:
            self.statement(statement, scope, where)
            if isinstance(statement, t.Choose):
                where = replace(where, arm=True)

    def statement(self, s: t.Statement, scope: Scope, where: Where) -> None:
        infer = self.infer
        match s:
            case t.Assign():
                self.assign(s, scope, where)
            case t.Do(value=value):
                self.do(s, value, scope, where)
            case t.If(branches=branches, other=other):
                for test, body in branches:
                    infer.truth(test, scope, "`if` takes a truth value")
                    self.block(body, scope, where)
                self.block(other, scope, where)
            case t.For():
                self.for_(s, scope, where)
            case t.While(test=test, body=body):
                infer.truth(test, scope, "`while` takes a truth value")
                self.block(body, scope, replace(where, loop=True))
            case t.Repeat(bound=bound, body=body):
                infer.number(bound, scope, "how often a loop may run")
                self.block(body, scope, replace(where, loop=True))
            case t.Break() | t.Continue():
                if not where.loop:
                    word = type(s).__name__.lower()
                    self.report.add("E0509", s.span, f"`{word}` stands outside a loop")
            case t.Return(value=value):
                self.return_(s, value, scope, where)
            case t.Move():
                self.move(s, scope, where)
            case t.End(kind=kind, value=value):
                self.acts(s, f"end {kind}", where)
                if value is not None and kind == "win":
                    infer.player(value, scope, "who wins")
                elif value is not None:
                    self.ranking(value, scope)
            case t.Require(condition=condition):
                self.acts(s, "require", where)
                infer.truth(condition, scope, "`require` takes a truth value")
                if where.flow and not where.arm:
                    self.report.add("E0510", s.span, "`require` speaks of the action that led here; none has")
            case t.Choose():
                self.choose(s, scope, where)

    def acts(self, s: t.Node, what: str, where: Where) -> bool:
        """Whether this may act; reports it in a fun."""
        if where.pure:
            message = f"a `fun` looks, it does not act: `{what}` belongs in a `rule`"
            self.report.add("E0501", s.span, message)
        return not where.pure

    # ------------------------------------------------------------------------------------------- values

    def value(self, value: t.Value, scope: Scope, where: Where, target: str = "") -> Kind:
        """The kind of a right-hand side, which may act."""
        infer = self.infer
        match value:
            case t.Roll(faces=faces, count=count):
                self.acts(value, "roll", where)
                inner = infer.collection(faces, scope)
                if count is None:
                    return inner
                infer.number(count, scope, "how many dice there are")
                return tuple_of(*([inner] * count.value)) if isinstance(count, t.Number) and count.value < 20 else UNKNOWN
            case t.Draw(source=source, condition=condition):
                self.acts(value, "draw", where)
                inner = infer.collection(source, scope)
                if condition is not None:
                    inside = {**scope, target: Local(inner)} if target else scope
                    infer.truth(condition, inside, "`if` takes a truth value")
                return inner
            case t.Call() if isinstance(rule := infer.callee(value, scope), t.Rule):
                self.rule_call(value, rule, scope, where)
                return infer.result_kind(rule)
        return infer.kind(value, scope)

    def rule_call(self, e: t.Call, rule: t.Rule, scope: Scope, where: Where) -> None:
        if self.acts(e, f"{rule.name}(...)", where):
            called = "" if isinstance(e.value, t.Name) and e.value.id == "before" else rule.name
            self.calls.setdefault(where.name, []).append((called, e.span))
        self.infer.called(e, scope)
        for p, arg in zip(rule.params, e.args, strict=False):
            if p.inout:
                self.place(arg, scope, f"`{p.name}` of `{rule.name}` is changed")

    def do(self, s: t.Do, value: t.Value, scope: Scope, where: Where) -> None:
        kind = self.value(value, scope, where)
        if isinstance(value, t.Roll | t.Draw):
            return
        if isinstance(value, t.Call):
            called = self.infer.callee(value, scope)
            if isinstance(called, t.Rule):
                return
            if called is None and isinstance(value.value, t.Name) and kind == UNKNOWN:
                return  # unknown, and said so
        name = value.id if isinstance(value, t.Name) else ""
        if name and name not in scope and isinstance(self._declared(name), t.Rule):
            fix = (_end(value.span), "()")
            self.report.add("E0504", value.span, f"`{name}` is a rule: call it, `{name}()`", fix=fix)
        elif isinstance(value, t.Compare) and value.rest[0][0] == "==" and isinstance(value.first, t.Name | t.Index | t.Field):
            message = "this compares and forgets the answer; to assign, write `=`"
            fix = (self.between(value.first.span, value.rest[0][1].span, "=="), "=")
            self.report.add("E0504", s.span, message, fix=fix)
        elif where.pure:
            start = Span(s.span.file, s.span.line, s.span.column, s.span.line, s.span.column)
            message = "this value goes nowhere; a function gives its value with `return`"
            self.report.add("E0504", s.span, message, fix=(start, "return "))
        else:
            self.report.add("E0504", s.span, "this looks and does nothing: a statement acts")

    def between(self, left: Span, right: Span, word: str) -> Span:
        gap = Span(left.file, left.end_line, left.end_column, right.line, right.column)
        lines = self.report.sources.get(left.file, "").split("\n")
        column = lines[gap.line - 1].find(word, gap.column - 1) + 1 if gap.line <= len(lines) else 0
        return Span(gap.file, gap.line, column, gap.line, column + len(word)) if column else gap

    def _declared(self, name: str) -> t.Declaration | None:
        symbol = self.symbols.table.get(name)
        return symbol.declaration if symbol else None

    def ranking(self, e: Expr, scope: Scope) -> None:
        """`rank((score, shells))`: functions of a player are named, not called."""
        for item in e.items if isinstance(e, t.Tuple) else (e,):
            if self.infer.kind(item, {**scope, "p": Local(UNKNOWN)}).form == "bool":
                self.report.add("E0405", item.span, "a rank is a number for every player, this is a truth value")

    # ------------------------------------------------------------------------------------------- assignment

    def assign(self, s: t.Assign, scope: Scope, where: Where) -> None:
        name = s.target.id if isinstance(s.target, t.Name) else ""
        kind = self.value(s.value, scope, where, name)
        if isinstance(s.value, t.Roll | t.Draw) and name:
            self.outcomes.add(name)
        if s.type is not None:
            declared = self.infer.type_kind(s.type)
            self.fits(kind, declared, s)
            scope[name] = Local(declared, "local", s.target.span)
        elif name and self._new(name, scope):
            if s.op != "=":
                self.infer.name(s.target, scope)  # type: ignore[arg-type]
                return
            scope[name] = Local(kind, "local", s.target.span)
        elif self.place(s.target, scope, "`=` changes it", where):
            wanted = self.infer.kind(s.target, scope)
            if s.op == "=":
                self.fits(kind, wanted, s)
                if name in scope and not compatible(kind, wanted):
                    scope[name].kind = UNKNOWN
            else:
                self.changed(s, kind, wanted)
        elif name:
            scope[name] = Local(UNKNOWN)

    def _new(self, name: str, scope: Scope) -> bool:
        """A local may have the name of a function or of an enum's member: `n` is north here and a number there."""
        symbol = self.symbols.table.get(name)
        return name not in scope and (symbol is None or symbol.role in ("member", "row", "fun", "rule"))

    def fits(self, kind: Kind, wanted: Kind, s: t.Assign) -> None:
        value = s.value
        if kind.form == "function" and wanted.form != "function" and not isinstance(value, t.Roll | t.Draw):
            self.infer.uncalled(value)
        elif not self.infer.assignable(kind, wanted):
            message = f"here belongs {describe(wanted)}, this is {describe(kind)}"
            self.report.add("E0405", value.span, message.replace(", perhaps missing,,", ", perhaps missing,"))

    def changed(self, s: t.Assign, kind: Kind, wanted: Kind) -> None:
        """`+=`, `-=`, `|=`, `&=`."""
        a, b = plain(wanted), plain(kind)
        if a.form in ("bool", "element", "text") or (a.form == "int" and b.form not in ("int", "unknown", "none")):
            odd = describe(wanted) if a.form != "int" else describe(kind)
            self.report.add("E0402", s.span, f"`{s.op}` takes numbers, this is {odd}")
        elif a.form in ("set", "list") and b.form in ("int", "bool", "element", "point") and s.op != "+=":
            message = f"`{s.op}` takes a {a.form}, this is {describe(kind)}"
            self.report.add("E0402", s.span, message)

    def place(self, e: Expr, scope: Scope, why: str, where: Where | None = None) -> bool:
        """Whether an expression is a variable or a part of one; reports if not."""
        root: Expr = e
        while isinstance(root, t.Index | t.Field):
            root = root.value
        if not isinstance(root, t.Name):
            self.report.add("E0503", e.span, f"{why}: this is no variable")
            return False
        local = scope.get(root.id)
        if local is not None:
            what = {"parameter": "a parameter", "loop": "the variable of a loop", "arm": "a parameter of an action"}
            if local.role in what:
                message = f"`{root.id}` is {what[local.role]} and does not change"
                self.report.add("E0503", root.span, message)
            return local.role not in what
        symbol = self.symbols.table.get(root.id)
        if symbol is None:
            self.infer.name(root, scope)
            return False
        if symbol.role != "state variable":
            where_ = ((self.report.locate(symbol.declaration.span, root.id), "declared here"),)
            message = f"`{root.id}` is a {symbol.role}, not a variable: it cannot be changed"
            self.report.add("E0503", root.span, message.replace("a option", "an option").replace("a enum", "an enum"), where_)
            return False
        if where is not None and where.pure:
            message = f"a `fun` looks, it does not act: it cannot change the state variable `{root.id}`"
            self.report.add("E0501", e.span, message)
            return False
        return True

    # ------------------------------------------------------------------------------------------- flow

    def for_(self, s: t.For, scope: Scope, where: Where) -> None:
        infer = self.infer
        kind = infer.collection(s.source, scope)
        before = {name: scope.get(name) for name in s.targets}
        scope |= infer.bind(s.targets, kind)
        for condition in s.conditions:
            infer.truth(condition, scope, "`if` takes a truth value")
        if s.order is not None:
            self.acts(s, "in order of", where)
            infer.player(s.order, scope, "who orders")
            params = tuple(t.Parameter(name, s.source, span=s.span) for name in s.targets[:1])
            arm = t.Arm(f"next_{s.targets[0]}", params, None, None, span=s.span)
            self.decisions.append(Decision(where.name, (arm,), scope, False))
        source = s.source
        is_turns = isinstance(source, t.Call) and isinstance(source.value, t.Name) and source.value.id == "turns"
        self.block(s.body, scope, replace(where, loop=True, turns=where.turns or is_turns))
        for name in s.targets:
            old = before[name]
            scope[name] = replace(scope[name], role="local") if old is None or old.role == "loop" else old

    def return_(self, s: t.Return, value: Expr | None, scope: Scope, where: Where) -> None:
        if where.flow:
            self.report.add("E0507", s.span, "`return` ends a rule or a fun; `rules:` go on until `end`")
        if value is None:
            if where.pure:
                self.report.add("E0507", s.span, "a function returns a value")
            return
        if isinstance(value, t.Call) and isinstance(rule := self.infer.callee(value, scope), t.Rule):
            self.rule_call(value, rule, scope, where)
            message = f"`{rule.name}` is a rule: it acts, so its call stands alone or as a whole right-hand side"
            self.report.add("E0502", value.span, message, ((None, "write `x = ...`, then `return x`"),))
            return
        kind = self.infer.kind(value, scope)
        if kind.form == "function" and where.result.form not in ("function", "unknown"):
            self.infer.uncalled(value)
        elif not self.infer.assignable(kind, where.result):
            message = f"`{where.name}` returns {describe(where.result)}, this is {describe(kind)}"
            self.report.add("E0405", value.span, message)

    def move(self, s: t.Move, scope: Scope, where: Where) -> None:
        self.acts(s, "move", where)
        kinds: list[Kind] = []
        for end in (s.source, s.target):
            if isinstance(end, t.Name) and end.id == SINK and SINK not in scope:
                continue
            if self.place(end, scope, "things move from one variable to another"):
                kinds.append(self.infer.kind(end, scope))
        if s.what is None:
            return
        what = self.infer.kind(s.what, scope)
        for kind in kinds:
            held = plain(kind) if kind.form == "option" else element(kind)
            if kind.form in ("option", "set", "bag", "list") and not compatible(held, what):
                message = f"this is {describe(what)}; here lies {describe(held)}"
                self.report.add("E0405", s.what.span, message)
                return

    # ------------------------------------------------------------------------------------------- decisions

    def choose(self, s: t.Choose, scope: Scope, where: Where) -> None:
        allowed = self.acts(s, "choose", where)
        if s.actor is not None:
            self.infer.player(s.actor, scope, "who chooses")
        elif allowed and not where.turns:
            message = "who chooses? outside `for p in turns():` say it with `by`"
            self.report.add("E0506", self.report.locate(s.span, "choose"), message, fix=self._by(s, scope))
        one = s.arms[0] if len(s.arms) == 1 and s.arms[0].body is None else None
        names: dict[str, Span] = {}
        for arm in s.arms:
            if arm.name in names:
                note = ((names[arm.name], "the first stands here"),)
                self.report.add("E0302", self.report.locate(arm.span, arm.name), f"two actions `{arm.name}`", note)
            names.setdefault(arm.name, self.report.locate(arm.span, arm.name))
            inner = scope if one is not None else dict(scope)
            for p in arm.params:
                inner[p.name] = Local(self.infer.collection(p.source, inner), "arm", p.span)
            if arm.condition is not None:
                self.infer.truth(arm.condition, inner, "`if` takes a truth value")
            if arm.body is not None:
                self.block(arm.body, inner, replace(where, arm=True))
                for name, local in inner.items():
                    if local.role != "arm":
                        scope.setdefault(name, local)
        if s.other is not None:
            self.block(s.other, scope, where)
        self.decisions.append(Decision(where.name, s.arms, scope, s.optional))

    def _by(self, s: t.Choose, scope: Scope) -> tuple[Span, str] | None:
        """`by p`, if one local can only be meant."""
        players = [name for name, local in scope.items() if describe(local.kind) == "a player"]
        arm = s.arms[0]
        if len(players) != 1 or arm.body is not None:
            return None
        lines = self.report.sources.get(s.span.file, "").split("\n")
        line = lines[s.span.line - 1] if s.span.line <= len(lines) else ""
        end = arm.span.end_column - 1
        if end < len(line) and line[end] == "(":
            depth = 0
            for at in range(end, len(line)):
                depth += {"(": 1, ")": -1}.get(line[at], 0)
                if depth == 0:
                    end = at + 1
                    break
            else:
                return None
        here = Span(s.span.file, s.span.line, end + 1, s.span.line, end + 1)
        return here, f" by {players[0]}"

    # ------------------------------------------------------------------------------------------- whole definitions

    def definition(self, d: t.Fun | t.Rule | t.Rules) -> None:
        """Checks the body of a fun, a rule or the rules."""
        infer = self.infer
        scope: Scope = {}
        if isinstance(d, t.Rules):
            infer.place = "rules"
            self.block(d.body, scope, Where(flow=True, name="rules"))
            self.scopes.append(scope)
            return
        infer.place = "fun" if isinstance(d, t.Fun) else "rules"
        for p in d.params:
            kind = infer.type_kind(p.type)
            if p.default is not None:
                infer.argument(p.default, kind, p.name, d.name, {})
            if p.name in scope:
                self.report.add("E0302", p.span, f"two parameters `{p.name}`")
            scope[p.name] = Local(kind, "inout" if p.inout else "parameter", p.span)
        result = infer.type_kind(d.result)
        if isinstance(d.body, tuple):
            self.block(d.body, scope, Where(pure=isinstance(d, t.Fun), result=result, name=d.name))
            self.scopes.append(scope)
            return
        kind = infer.kind(d.body, scope)
        if kind.form == "function" and result.form not in ("function", "unknown"):
            infer.uncalled(d.body)
        elif not infer.assignable(kind, result):
            self.report.add("E0405", d.body.span, f"`{d.name}` gives {describe(result)}, this is {describe(kind)}")

    def unread(self) -> None:
        """A local that is never read and is named nearly like a state variable was meant to be that."""
        variables = [s.name for s in self.symbols.table.values() if s.role == "state variable"]
        for name, local in (item for scope in self.scopes for item in scope.items()):
            if local.read or local.role != "local" or local.span == t.NOWHERE:
                continue
            near = closest(name, variables)
            if near is not None:
                message = f"`{name}` is never read"
                self.report.add("E0304", local.span, message, fix=(local.span, near))


def _end(span: Span) -> Span:
    return Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)

