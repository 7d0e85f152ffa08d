"""Statements: who may act where, what may be assigned, which names live in a rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from kemu_grammar.check.assignments import AssignmentChecker, Scope, Where
from kemu_grammar.check.builtins import FUNCTIONS, SINK, taken
from kemu_grammar.check.foreign_statements import compares, left_rules, no_statement, winners
from kemu_grammar.check.infer import Inference
from kemu_grammar.check.ranking import ranking
from kemu_grammar.check.scope import Local
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.kinds import BOOL, PLAYER, UNKNOWN, Kind, describe, option, tuple_of
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span


@dataclass(frozen=True, slots=True)
class Decision:
    """A `choose`: the actions it offers, the names of its rule, and those that have a value there."""

    rule: str
    arms: tuple[t.Arm, ...]
    scope: Scope
    optional: bool
    live: Scope


class StatementChecker(AssignmentChecker):
    """Checks blocks of statements; keeps the decisions and the calls between rules that it meets."""

    def __init__(self, infer: Inference) -> None:
        self.infer, self.report, self.symbols = infer, infer.report, infer.symbols
        self.decisions: list[Decision] = []
        self.calls: dict[str, list[tuple[str, Span]]] = {}
        self.callers: dict[str, dict[str, Scope]] = {}  # by rule its callers, and the names that live there
        self.outcomes: dict[str, Scope] = {}  # the labels of chance nodes, and the names that live there
        self.places: dict[str, set[str]] = {}  # the labels of chance nodes, and the rules where they stand
        self.paths: set[str] = set()  # the actions that have one
        self.scopes: list[Scope] = []
        self.winners = []

    def block(self, block: t.Block, scope: Scope, where: Where) -> None:
        """Checks statements in order; `scope` grows."""
        for before, statement in zip((None, *block), block, strict=False):
            if isinstance(statement, t.Do) and no_statement(statement, before, scope, self.infer):
                continue
            self.statement(statement, scope, where)
            if isinstance(statement, t.Choose):
                arm = None if may_skip(statement) else _one(statement)
                where = replace(where, trial="open" if arm else "", action=arm.name if arm else "")
            elif isinstance(statement, t.Path):
                where = replace(where, trial="walked" if where.trial == "open" else where.trial)
            elif isinstance(statement, t.Require):
                where = replace(where, trial="done")

    def inner(self, block: t.Block, scope: Scope, where: Where) -> None:
        """Checks a block within a block: names that it sets first are forgotten behind it."""
        own = dict(scope)
        self.block(block, own, where)
        first = {name: local for name, local in own.items() if name not in scope}
        self.infer.inside |= {name: local.span for name, local in first.items()}
        self.scopes.append(first)

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
                    self.inner(body, scope, replace(where, trial=""))
                self.inner(other, scope, replace(where, trial=""))
            case t.For():
                self.for_(s, scope, where)
            case t.While(test=test, body=body):
                infer.truth(test, scope, "`while` takes a truth value")
                self.inner(body, scope, replace(where, loop=True, trial=""))
            case t.Repeat(bound=bound, body=body):
                infer.number(bound, scope, "the limit of a loop")
                self.inner(body, scope, replace(where, loop=True, trial=""))
            case t.Path():
                self.path(s, scope, where)
            case t.Break() | t.Continue():
                if not where.loop:
                    word = type(s).__name__.lower()
                    self.report.add("E0509", s.span, f"`{word}` is outside a loop")
            case t.Again():
                self.acts(s, "again", where)
                if not where.turns:
                    self.report.add("E0511", s.span, "`again` is outside a loop over `turns()`")
            case t.Deal():
                self.deal(s, scope, where)
            case t.Return(value=value):
                self.return_(s, value, scope, where)
            case t.Move():
                self.move(s, scope, where)
            case t.End(kind=kind, value=value):
                self.acts(s, f"end {kind}", where)
                if value is not None and kind == "win":
                    infer.player(value, scope, "the winner")
                elif value is not None:
                    ranking(s, scope, infer)
            case t.Require(condition=condition, most=most):
                self.acts(s, "require", where)
                if most:
                    infer.number(condition, scope, "what there is most of")
                else:
                    infer.truth(condition, scope, "`require` takes a truth value")
                if where.trial == "done":
                    message = "an action can have only one `require`; join the conditions with `and`"
                    self.report.add("E0510", s.span, message)
                elif not where.trial and not where.pure:
                    message = (
                        "`require` belongs in an arm or after a `choose` of one action, which it restricts"
                    )
                    self.report.add("E0510", s.span, message)
            case t.Assert(condition=condition):
                self.acts(s, "assert", where)
                infer.truth(condition, scope, "`assert` takes a truth value")
            case t.Note(history=history) | t.Forget(history=history):
                self.acts(s, type(s).__name__.lower(), where)
                infer.history(history, scope)
            case t.Choose():
                self.choose(s, scope, where)
            case t.Pass():
                pass
            case _:
                assert_never(s)

    def deal(self, s: t.Deal, scope: Scope, where: Where) -> None:
        self.infer.number(s.number, scope, "how many are drawn")
        drawn = self.value(t.Draw(s.source, span=s.span), scope, where)
        if isinstance(s.target, t.Name) and s.target.id == SINK and SINK not in scope:
            return
        if self.place(s.target, scope, "what is drawn is put into a variable"):
            self.held(self.infer.kind(s.target, scope), drawn, s.source)

    # ---------------------------------------------------------------------------------------- values

    def value(self, value: t.Value, scope: Scope, where: Where, target: str = "") -> Kind:
        """The kind of a right-hand side, which may act."""
        infer = self.infer
        match value:
            case t.Roll(faces=faces, count=count):
                self.acts(value, "roll", where)
                self.outcome("roll", target, scope, where)
                inner = infer.collection(faces, scope)
                if count is None:
                    return inner
                infer.number(count, scope, "the number of dice")
                return (
                    tuple_of(*([inner] * count.value))
                    if isinstance(count, t.Number) and count.value < 20
                    else UNKNOWN
                )
            case t.Draw(source=source, condition=condition):
                self.acts(value, "draw", where)
                self.outcome("draw", target, scope, where)
                inner = infer.collection(source, scope)
                if condition is not None:
                    inside = {**scope, target: Local(inner)} if target else scope
                    infer.truth(condition, inside, "`if` takes a truth value")
                return inner
            case t.Reveal(shown=shown, to=to):
                self.acts(value, "reveal", where)
                self.outcome("reveal", target, scope, where)
                if to is not None:
                    infer.players(to, scope, "who is shown a secret")
                return infer.kind(shown, scope)
            case t.Call() if isinstance(rule := infer.callee(value, scope), t.Rule):
                self.rule_call(value, rule, scope, where)
                return infer.result_kind(rule)
        return infer.kind(value, scope)

    def outcome(self, word: str, target: str, scope: Scope, where: Where) -> None:
        """A chance node is spoken of by its word, or by the name that the outcome gets."""
        for label in (word, target) if target else (word,):
            self.outcomes.setdefault(label, {}).update(scope)
            self.places.setdefault(label, set()).add(where.name)

    def rule_call(self, e: t.Call, rule: t.Rule, scope: Scope, where: Where) -> None:
        if self.acts(e, f"{rule.name}(...)", where):
            called = "" if isinstance(e.value, t.Name) and e.value.id == "before" else rule.name
            self.calls.setdefault(where.name, []).append((called, e.span))
            self.callers.setdefault(rule.name, {}).setdefault(where.name, {}).update(scope)
        self.infer.called(e, scope)
        for p, arg in zip(rule.params, e.args, strict=False):
            if p.inout:
                self.place(arg, scope, f"`{p.name}` of `{rule.name}` is changed")

    def do(self, s: t.Do, value: t.Value, scope: Scope, where: Where) -> None:
        kind = self.value(value, scope, where)
        if isinstance(value, t.Event):
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
        elif (
            isinstance(value, t.Compare)
            and value.rest[0][0] == "=="
            and isinstance(value.first, t.Name | t.Index | t.Field)
        ):
            message = "this compares two values and drops the answer; to assign, write `=`"
            fix = (self.report.between(value.first.span, value.rest[0][1].span, "=="), "=")
            self.report.add("E0504", s.span, message, fix=fix)
        elif where.pure:
            start = Span(s.span.file, s.span.line, s.span.column, s.span.line, s.span.column)
            message = "this value is lost; a function gives its value with `return`"
            self.report.add("E0504", s.span, message, fix=(start, "return "))
        else:
            self.report.add("E0504", s.span, "this has no effect: its value is lost")

    def _declared(self, name: str) -> t.Declaration | None:
        symbol = self.symbols.table.get(name)
        return symbol.declaration if symbol else None

    # ------------------------------------------------------------------------------------------ flow

    def for_(self, s: t.For, scope: Scope, where: Where) -> None:
        infer = self.infer
        source, kind = s.source, infer.collection(s.source, scope)
        is_turns = isinstance(source, t.Name) and source.id == "turns" and "turns" not in scope
        if is_turns:  # not called, and said so
            kind = PLAYER
        live = dict(scope)
        before = {name: scope.get(name) for name in s.targets}
        scope |= infer.bind(s.targets, kind)
        for condition in s.conditions:
            infer.truth(condition, scope, "`if` takes a truth value")
        if s.order is not None:
            self.acts(s, "in order of", where)
            infer.player(s.order, scope, "the player who picks the order")
            params = tuple(t.Parameter(name, s.source, span=s.span) for name in s.targets[:1])
            arm = t.Arm(f"next_{s.targets[0]}", params, None, None, span=s.span)
            self.decisions.append(Decision(where.name, (arm,), scope, False, live))
        if isinstance(source, t.Call) and isinstance(source.value, t.Name):
            name = source.value.id
            is_turns = name == "turns" or (name not in FUNCTIONS and name not in self.symbols.table)
        self.inner(s.body, scope, replace(where, loop=True, trial="", turns=where.turns or is_turns))
        for name in s.targets:
            old = before[name]
            scope[name] = replace(scope[name], role="local") if old is None or old.role == "loop" else old

    def path(self, s: t.Path, scope: Scope, where: Where) -> None:
        infer = self.infer
        if self.acts(s, "path", where) and where.trial != "open":
            message = "a path belongs to an action: at the top of its block, once, before `require`"
            self.report.add("E0512", s.span, message)
        self.paths.add(where.action)
        infer.number(s.bound, scope, "the limit of a path")
        inner = scope | infer.bind((s.name,), infer.collection(s.source, scope))
        for condition in s.conditions:
            infer.truth(condition, inner, "`if` takes a truth value")
        self.inner(s.body, inner, replace(where, loop=True, trial=""))

    def return_(self, s: t.Return, value: Expr | None, scope: Scope, where: Where) -> None:
        if where.flow and left_rules(s, where.loop, scope, self.infer):
            return
        if value is None:
            if where.pure:
                self.report.add("E0507", s.span, "`return` in a fun needs a value")
            return
        if isinstance(value, t.Call) and isinstance(rule := self.infer.callee(value, scope), t.Rule):
            self.rule_call(value, rule, scope, where)
            message = f"`{rule.name}` is a rule, so its call must stand alone or be a whole right-hand side"
            self.report.add("E0502", value.span, message, ((None, "write `x = ...`, then `return x`"),))
            return
        kind = self.infer.kind(value, scope)
        if kind.form == "function" and where.result.form not in ("function", "unknown"):
            self.infer.uncalled(value)
        elif not self.infer.assignable(kind, where.result):
            message = f"`{where.name}` returns {describe(where.result)}, but this is {describe(kind)}"
            self.report.add("E0405", value.span, message)

    # ------------------------------------------------------------------------------------- decisions

    def choose(self, s: t.Choose, scope: Scope, where: Where) -> None:
        allowed = self.acts(s, "choose", where)
        if s.together is not None:
            scope = self.together(s.together, scope)
            where = replace(where, loop=True)
        live = dict(scope)
        if s.actor is not None:
            self.infer.player(s.actor, scope, "the player who chooses")
        elif allowed and not where.turns:
            message = "who chooses? outside `for p in turns():` say so with `by`"
            self.report.add("E0506", self.report.locate(s.span, "choose"), message, fix=self._by(s, scope))
        one = _one(s)
        names: dict[str, Span] = {}
        for arm in s.arms:
            if arm.name in names:
                note = ((names[arm.name], "the first one is here"),)
                self.report.add(
                    "E0302",
                    self.report.locate(arm.span, arm.name),
                    f"two actions are called `{arm.name}`",
                    note,
                )
            names.setdefault(arm.name, self.report.locate(arm.span, arm.name))
            inner = scope if one is not None else dict(scope)
            for p in arm.params:
                inner[p.name] = Local(self.infer.collection(p.source, inner), "arm", p.span)
            if arm.condition is not None:
                self.infer.truth(arm.condition, inner, "`if` takes a truth value")
            if arm.body is not None:
                self.inner(arm.body, inner, replace(where, trial="open", action=arm.name))
        if s.other is not None:
            self.inner(s.other, scope, replace(where, trial=""))
        if one is not None and may_skip(s):
            scope[taken(one.name)] = Local(BOOL, "arm")
            for p in one.params:
                scope[p.name] = replace(scope[p.name], kind=option(scope[p.name].kind))
        self.decisions.append(Decision(where.name, s.arms, scope, s.optional, live))

    def together(self, clause: t.Clause, scope: Scope) -> Scope:
        """The names in the blocks of a `choose together`: those around it, and who chooses."""
        inner = scope | self.infer.bind(clause.targets, self.infer.collection(clause.source, scope))
        for condition in clause.conditions:
            self.infer.truth(condition, inner, "`if` takes a truth value")
        return inner

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

    # ----------------------------------------------------------------------------- whole definitions

    def definition(self, d: t.Fun | t.Rule | t.Rules) -> None:
        """Checks the body of a fun, a rule or the rules."""
        infer = self.infer
        infer.inside = {}
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
                self.report.add("E0302", p.span, f"two parameters are called `{p.name}`")
            scope[p.name] = Local(kind, "inout" if p.inout else "parameter", p.span)
        result = infer.type_kind(d.result)
        if isinstance(d, t.Fun) and compares(d, scope, infer):
            return
        if isinstance(d.body, tuple):
            self.block(d.body, scope, Where(pure=isinstance(d, t.Fun), result=result, name=d.name))
            self.scopes.append(scope)
            return
        kind = infer.kind(d.body, scope)
        if kind.form == "function" and result.form not in ("function", "unknown"):
            infer.uncalled(d.body)
        elif not infer.assignable(kind, result):
            self.report.add(
                "E0405", d.body.span, f"`{d.name}` gives {describe(result)}, but this is {describe(kind)}"
            )

    def unread(self) -> None:
        """A local that is never read and is named nearly like a state variable was meant to be that, and one
        that is called `winner` to end the game."""
        winners(self.winners, self.report)
        variables = [s.name for s in self.symbols.table.values() if s.role == "state variable"]
        for name, local in (item for scope in self.scopes for item in scope.items()):
            if local.read or local.role != "local" or local.span == t.NOWHERE:
                continue
            near = closest(name, variables)
            if near is not None:
                message = f"`{name}` is never read"
                self.report.add("E0304", local.span, message, fix=(local.span, near))

    def asked(self) -> None:
        """That there are the actions of which `can` asks."""
        arms = {arm.name: arm for decision in self.decisions for arm in decision.arms}
        for e in self.infer.asked:
            arm = arms.get(e.name)
            at = self.report.locate(e.span, e.name)
            if arm is None:
                self.report.unknown("E0301", "unknown action", e.name, at, arms)
            elif e.name in self.paths and e.args is not None and len(e.args) >= len(arm.params):
                pass
            elif e.args is not None and len(e.args) != len(arm.params):
                number = len(arm.params)
                wanted = f"{number} argument{'' if number == 1 else 's'}"
                self.report.add("E0312", e.span, f"`{e.name}` takes {wanted}, but is given {len(e.args)}")


def _one(s: t.Choose) -> t.Arm | None:
    """The action of a choice of one, with what follows for its body."""
    return s.arms[0] if len(s.arms) == 1 and s.arms[0].body is None else None


def may_skip(s: t.Choose) -> bool:
    """Whether play can go on behind a choice of one action, `may choose place(c in Cell)`, without that
    action: then its parameters are none there."""
    return s.optional or (s.other is not None and not _leaves(s.other))


def _leaves(block: t.Block) -> bool:
    """Whether nothing goes on behind a block."""
    last = block[-1] if block else None
    if isinstance(last, t.If):
        return all(_leaves(b) for _, b in last.branches) and _leaves(last.other)
    return isinstance(last, t.End | t.Return | t.Break | t.Continue | t.Again)


def _end(span: Span) -> Span:
    return Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
