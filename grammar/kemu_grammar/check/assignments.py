"""Assignments and moves: what is a variable, and what may be put into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kemu_grammar.check import operators
from kemu_grammar.check.builtins import SINK
from kemu_grammar.check.foreign import optional, ranges, unquoted
from kemu_grammar.check.infer import Inference
from kemu_grammar.check.scope import Local, Report, Symbols, article
from kemu_grammar.source.kinds import PLAYER, UNKNOWN, Kind, compatible, describe, element, plain
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr

Scope = dict[str, Local]


@dataclass(frozen=True, slots=True)
class Where:
    """Where a statement stands. `pure`: in a fun. `flow`: in `rules:`. `turns`: inside a loop over
    `turns`, so that a `choose` knows its actor. `trial`: one action, `action`, led here, and a path may still
    belong to it ("open"), or `require` speak of it ("walked"), or has ("done")."""

    pure: bool = False
    flow: bool = False
    loop: bool = False
    turns: bool = False
    trial: Literal["", "open", "walked", "done"] = ""
    action: str = ""
    result: Kind = UNKNOWN
    name: str = ""


class AssignmentChecker:
    """Part of StatementChecker."""

    infer: Inference
    report: Report
    symbols: Symbols
    winners: list[tuple[t.Assign, Local]]  # the locals of this name, and what sets them

    def acts(self, s: t.Node, what: str, where: Where) -> bool:
        """Whether this may act; reports it in a fun."""
        if where.pure:
            message = f"a `fun` only looks and cannot act: `{what}` belongs in a `rule`"
            self.report.add("E0501", s.span, message)
        return not where.pure

    def value(self, value: t.Value, scope: Scope, where: Where, target: str = "") -> Kind:
        raise NotImplementedError

    def assign(self, s: t.Assign, scope: Scope, where: Where) -> None:
        name = s.target.id if isinstance(s.target, t.Name) else ""
        kind = self.value(s.value, scope, where, name)
        if s.type is not None:
            if where.name and not where.pure:
                ranges(s.type, self.symbols, self.report)
            declared = self.infer.type_kind(s.type)
            if not optional(s.type, declared, s.value, self.report):
                self.fits(kind, declared, s)
            scope[name] = Local(declared, "local", s.target.span)
        elif name and self._new(name, scope):
            if s.op != "=":
                self.infer.name(s.target, scope)  # type: ignore[arg-type]
                return
            scope[name] = Local(kind, "local", s.target.span)
            if kind == PLAYER and name == "winner":
                self.winners.append((s, scope[name]))
        elif self.place(s.target, scope, f"`{s.op}` changes what is on its left", where):
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
        """A local may have the name of a function or of an enum's member: `n` is north here and a number
        there."""
        symbol = self.symbols.table.get(name)
        return name not in scope and (symbol is None or symbol.role in ("member", "row", "fun", "rule"))

    def fits(self, kind: Kind, wanted: Kind, s: t.Assign) -> None:
        value = s.value
        if kind.form == "function" and wanted.form != "function" and not isinstance(value, t.Event):
            self.infer.uncalled(value)
        elif not self.infer.assignable(kind, wanted):
            message = f"this must be {describe(wanted)}, but it is {describe(kind)}"
            self.report.add("E0405", value.span, message, fix=unquoted(value, wanted, self.symbols))

    def changed(self, s: t.Assign, kind: Kind, wanted: Kind) -> None:
        """`+=`, `-=`, `|=`, `&=`: as `x = x + e`."""
        value, op = s.value, s.op[0]
        left, right = plain(wanted), plain(kind)
        if right.form == "function" and isinstance(value, Expr):
            self.infer.uncalled(value)
            return
        if isinstance(value, Expr) and operators.combined(op, left, right) is None:
            fix = operators.changed_as_meant(s, value, left, right, self.report)
        else:
            fix = None
        odd = next((one for one in (left, right) if operators.refuses(op, one)), None)
        if odd is not None and fix is None:
            self.report.add("E0402", s.span, f"`{s.op}` {operators.takes(op)}, but this is {describe(odd)}")
        elif operators.combined(op, left, right) is None:
            self.report.add("E0402", s.span, operators.cannot(s.op, left, right), fix=fix)
        elif unlike := operators.unlike(left, right):
            self.report.add("E0403", s.span, unlike)

    def place(self, e: Expr, scope: Scope, why: str, where: Where | None = None) -> bool:
        """Whether an expression is a variable or a part of one; reports if not."""
        root: Expr = e
        while isinstance(root, t.Index | t.Field):
            if isinstance(root, t.Field) and self._apart(root, scope):
                return False
            root = root.value
        if not isinstance(root, t.Name):
            self.report.add("E0503", e.span, f"{why}, but this is not a variable")
            return False
        local = scope.get(root.id)
        if local is not None:
            what = {
                "parameter": "a parameter",
                "loop": "the variable of a loop",
                "arm": "a parameter of an action",
            }
            if local.role in what:
                message = f"`{root.id}` is {what[local.role]} and cannot change"
                self.report.add("E0503", root.span, message)
            return local.role not in what
        symbol = self.symbols.table.get(root.id)
        if symbol is None:
            self.infer.name(root, scope)
            return False
        if symbol.role != "state variable" and root.id not in self.symbols.unclear:
            where_ = ((self.report.locate(symbol.declaration.span, root.id), "declared here"),)
            message = f"`{root.id}` is {article(symbol.role)}, not a variable: it cannot be changed"
            self.report.add("E0503", root.span, message, where_)
            return False
        if where is not None and where.pure:
            message = f"a `fun` only looks: it cannot change the state variable `{root.id}`"
            self.report.add("E0501", e.span, message)
            return False
        return True

    def _apart(self, e: t.Field, scope: Scope) -> bool:
        """Whether `p.score` means `score[p]`; reports it."""
        symbol = self.symbols.table.get(e.name)
        if symbol is None or symbol.role != "state variable":
            return False
        kind = plain(self.infer.silently(lambda: self.infer.kind(e.value, scope)))
        return e.name not in (self.infer.fields_of(kind) or ()) and self.infer.apart(e, e, None, kind)

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
            if not self.held(kind, what, s.what):
                return

    def held(self, zone: Kind, what: Kind, where: Expr) -> bool:
        """Whether a zone can hold such things; reports if not."""
        held = plain(zone) if zone.form == "option" else element(zone)
        if zone.form not in ("option", "set", "bag", "list") or compatible(held, what):
            return True
        message = f"this is {describe(what)}, but what moves here is {describe(held)}"
        self.report.add("E0405", where.span, message)
        return False
