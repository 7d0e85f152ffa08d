"""What is said about a game: options and instances, properties, examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

from kemu_grammar.check.assignments import Scope
from kemu_grammar.check.builtins import ACTOR, FORMER, FUNCTIONS, STANDARD, VERDICTS
from kemu_grammar.check.foreign import unquoted
from kemu_grammar.check.foreign_parts import as_point
from kemu_grammar.check.infer import Inference
from kemu_grammar.check.scope import Local, article
from kemu_grammar.check.statements import StatementChecker
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.kinds import PLAYER, UNKNOWN, compatible, describe
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Span
from kemu_grammar.syntax.walk import children, names_in, nodes


class Claims:
    """Checks against the decisions that `acting` has met."""

    def __init__(
        self,
        infer: Inference,
        acting: StatementChecker,
        players: tuple[str, ...],
        instances: dict[str, t.Instance],
    ) -> None:
        self.infer, self.report, self.symbols = infer, infer.report, infer.symbols
        self.decisions, self.players, self.instances = acting.decisions, players, instances
        self.actions: dict[str, list[t.Arm]] = {}
        self.callers, self.outcomes = acting.callers, acting.outcomes
        self.paths = acting.paths
        self.labels: dict[str, Scope] = {}
        self.places = {label: set(rules) for label, rules in acting.places.items()}
        for decision in self.decisions:
            for arm in decision.arms:
                self.actions.setdefault(arm.name, []).append(arm)
                self.labels.setdefault(arm.name, {}).update(decision.live)
                self.places.setdefault(arm.name, set()).add(decision.rule)
            if decision.rule and decision.rule != "rules":
                self.places.setdefault(decision.rule, set()).add(decision.rule)
                self.labels.setdefault(decision.rule, {}).update(decision.live)
        self.decided = frozenset(self.labels)
        for label, live in acting.outcomes.items():
            self.labels.setdefault(label, {}).update(live)

    # --------------------------------------------------------------------------------------- options

    def option(self, d: t.Option) -> None:
        if isinstance(d.values, tuple):
            truth = next((value for value in d.values if isinstance(value, bool)), None)
            if truth is not None:
                text = _text(truth)
                message = f"`{d.name}` lists `{text}`; what is true or false is an option `{d.name}: bool`"
                self.report.add("E0308", self.report.locate(d.span, text), message)
                return
            for value, count in Counter(d.values).items():
                if count > 1:
                    self.report.add("E0302", d.span, f"`{d.name}` lists the value `{value}` twice")
            self.other_meanings(d, d.values)
        elif isinstance(d.values, t.RangeType):
            self.infer.number(d.values.low, {}, "the end of a range")
            self.infer.number(d.values.high, {}, "the end of a range")
        if isinstance(d.default, str | int):
            self.value(d, d.default, self.report.locate(d.span, _text(d.default), last=True))
        else:
            self.default(d, d.default)

    def other_meanings(self, d: t.Option, values: tuple[str | int | bool, ...]) -> None:
        """A value that is also the name of another value would be read as that, or that as this. What is
        called is told apart by its brackets; state is compared in play."""
        for word in values:
            other = self.symbols.table.get(word) if isinstance(word, str) else None
            if other is not None and other.role not in ("fun", "rule", "state variable"):
                where = self.report.locate(other.declaration.span, other.name)
                role = article(other.role)
                message = f"`{word}` is a value of `{d.name}` and also {role}: rename one of the two"
                note = ((where, f"the {other.role} is declared here"),)
                self.report.add("E0302", self.report.locate(d.span, other.name), message, note)

    def default(self, d: t.Option, default: t.Expr) -> None:
        """A default that is worked out: of options that are declared before, and of how many there are of
        something."""
        before = [*takewhile(lambda name: name != d.name, self.symbols.options)]
        if isinstance(default, t.Name) and default.id not in self.symbols.options:
            self.value(d, default.id, default.span)  # a word that it does not have
            return
        for name in _names(default):
            if name.id in self.symbols.options and name.id not in before:
                message = f"`{name.id}` is not known yet: a default depends on options declared before"
                self.report.add("E0319", name.span, message)
            elif id(name) in _counted(default) and self._has_size(name.id):
                for end in self._ends() if name.id == "Player" else ():
                    if not names_in(end) <= {*before, *FUNCTIONS}:
                        message = (
                            "how many players there are depends on an option that is not declared before"
                        )
                        self.report.add("E0319", name.span, message)
            elif name.id not in {*before, *FUNCTIONS, *self.symbols.words}:
                message = f"a default depends on options declared before, not on `{name.id}`"
                self.report.add("E0319", name.span, message)
        self.infer.kind(default, {})
        for leaf in _leaves(default):
            value = t.plain_value(leaf)
            if value is not None and not (isinstance(leaf, t.Name) and leaf.id in before):
                self.value(d, value, leaf.span)

    def _has_size(self, name: str) -> bool:
        """Whether it is known how many there are before anything is worked out."""
        symbol = self.symbols.table.get(name)
        return name == "Player" or (symbol is not None and symbol.role in ("enum", "table"))

    def _ends(self) -> Iterator[t.Expr]:
        """What says how many players there are, if not as many as are named."""
        declared = self.symbols.table[self.players[0]].declaration if self.players else None
        if isinstance(declared, t.Players):
            yield from (end for end in (declared.low, declared.high) if end is not None)

    def value(self, d: t.Option, value: str | int | bool, span: Span) -> None:
        """Whether an option can have a value."""
        if d.values == "bool":
            if not isinstance(value, bool):
                near = closest(str(value), ("true", "false"))
                message = f"`{d.name}` is `true` or `false`"
                self.report.add("E0308", span, message, fix=None if near is None else (span, near))
        elif isinstance(d.values, t.RangeType):
            low, high = d.values.low, d.values.high
            known = isinstance(low, t.Number) and isinstance(high, t.Number)
            inside = isinstance(value, int) and not isinstance(value, bool)
            if inside and isinstance(low, t.Number) and isinstance(high, t.Number):
                inside = low.value <= int(value) <= high.value
            if not inside:
                bounds = f" from {low.value} to {high.value}" if known else ""  # type: ignore[union-attr]
                self.report.add("E0308", span, f"`{d.name}` is a number{bounds}, not {_text(value)}")
        elif isinstance(value, bool) or value not in d.values:
            words = ", ".join(str(v) for v in d.values)
            near = closest(str(value), [str(v) for v in d.values])
            fix = None if near is None else (span, near)
            self.report.add("E0308", span, f"`{d.name}` is one of {words}, not {_text(value)}", fix=fix)

    def instance(self, d: t.Instance, players: t.Players) -> None:
        self.like(d)
        seen: set[str] = set()
        for name, value in d.settings:
            span = self.report.locate(d.span, name)
            if name in seen:
                self.report.add(
                    "E0302", self.report.locate(d.span, name, last=True), f"`{name}` is set twice"
                )
                continue
            seen.add(name)
            option = self.symbols.options.get(name)
            if option is not None:
                self.value(option, value, self._setting(d, name, value))
            elif name == "players":
                self.count(value, players, self._setting(d, name, value))
            else:
                known = [*self.symbols.options, "players"]
                self.report.unknown("E0313", "unknown option", name, span, known)

    def like(self, d: t.Instance) -> None:
        """That there is the instance on which this one builds, and that it does not build on this."""
        if not d.like:
            return
        behind = self.report.locate(d.span, d.name)
        rest = Span(d.span.file, behind.end_line, behind.end_column, d.span.end_line, d.span.end_column)
        span = self.report.locate(rest, d.like)
        if d.like not in self.instances:
            self.report.unknown(
                "E0317", "unknown instance", d.like, span, [n for n in self.instances if n != d.name]
            )
            return
        way = [d.name]
        while way[-1] in self.instances and way[-1] not in way[:-1]:
            way.append(self.instances[way[-1]].like)
        if way[-1] == d.name:
            words = ", which is like ".join(f"`{name}`" for name in way[1:])
            self.report.add("E0318", span, f"`{d.name}` is like {words}")

    def count(self, value: str | int | bool, players: t.Players, span: Span) -> None:
        high: t.Expr | None = players.high or t.Number(len(players.names))
        low: t.Expr | None = players.low or high
        if not (isinstance(low, t.Number) and isinstance(high, t.Number)):
            return
        if isinstance(value, bool) or not isinstance(value, int) or not low.value <= value <= high.value:
            numbers = f"{low.value}" if low == high else f"{low.value} to {high.value}"
            self.report.add("E0308", span, f"the game is for {numbers} players, not {_text(value)}")

    def _setting(self, d: t.Instance, name: str, value: str | int | bool) -> Span:
        """Where the value of a setting stands."""
        start = self.report.locate(d.span, name)
        rest = Span(start.file, start.end_line, start.end_column, d.span.end_line, d.span.end_column)
        return self.report.locate(rest, _text(value))

    # ------------------------------------------------------------------------------------ properties

    def property(self, d: t.Property) -> None:
        infer = self.infer
        infer.place = "claim"
        scope = infer.clauses(d.each, {})
        if d.condition is not None:
            infer.truth(d.condition, scope, "`if` takes a truth value")
        if d.expect is not None and d.expect not in VERDICTS:
            span = self.report.locate(d.span, d.expect.split()[-1])
            message = f"there is no verdict `{d.expect}`; the verdicts are {', '.join(VERDICTS)}"
            near = closest(d.expect, VERDICTS)
            self.report.add("E0604", span, message, fix=None if near is None else (span, near))
        if d.form == "standard":
            self.standard(d)
        if d.labels:
            places = [self.label(label, d.span) for label in d.labels]
            common = {name: kind for name, kind in places[0].items() if all(name in p for p in places)}
            scope = {**self.actor(d.labels), **common, **scope}
        elif d.form == "initially":
            message = "`initially` says what holds when play first comes somewhere: `at LABEL initially ...`"
            self.report.add("E0601", self.report.locate(d.span, d.form), message)
        if d.bound is not None:
            infer.number(d.bound, scope, "a bound")
        if d.run is not None:
            self.run(d, d.run, scope)
        elif d.forgetting:
            message = "only a claim `from any ...: run ...` can forget functions"
            self.report.add("E0608", self.report.locate(d.span, "forgetting"), message)
        if d.value is None:
            return
        if d.form in ("terminates", "ends_almost_surely", "at_most", "at_least", "maximize", "returns"):
            kind = infer.kind(d.value, scope)
            if kind.form == "function":
                infer.uncalled(d.value)
            elif kind.form in ("bool", "element", "text", "set"):
                hint = "; `len(...)` counts its elements" if kind.form == "set" else ""
                message = f"a number is expected here, but this is {describe(kind)}{hint}"
                self.report.add("E0402", d.value.span, message)
        else:
            infer.truth(d.value, scope, f"`{d.form.replace('_possible', ' possible')}` takes a truth value")

    def run(self, d: t.Property, call: t.Call, scope: Scope) -> None:
        """A claim about a rule by itself."""
        infer, report = self.infer, self.report
        if d.start is not None:
            infer.truth(d.start, scope, "`if` takes a truth value")
        name = call.value.id if isinstance(call.value, t.Name) else ""
        rules = {s.name for s in self.symbols.table.values() if isinstance(s.declaration, t.Rule)}
        if name in rules:
            infer.called(call, scope)
            rule = self.symbols.table[name].declaration
            if isinstance(rule, t.Rule) and any(p.inout for p in rule.params):
                report.add(
                    "E0608",
                    call.span,
                    f"`{name}` changes what it is given, and there is nothing to change here",
                )
        elif name in self.symbols.table:
            report.add("E0608", call.span, f"`{name}` is not a rule, and only rules can be run")
        else:
            report.unknown("E0608", "unknown rule", name, call.value.span, rules)
        for name in d.forgetting:
            span = report.locate(d.span, name)
            symbol = self.symbols.table.get(name)
            if symbol is None:
                funs = [s.name for s in self.symbols.table.values() if isinstance(s.declaration, t.Fun)]
                report.unknown("E0608", "unknown function", name, span, funs)
            elif not isinstance(symbol.declaration, t.Fun):
                report.add("E0608", span, f"`{name}` is not a function, and only functions can be forgotten")

    def standard(self, d: t.Property) -> None:
        """What is expected of a question that is asked of every game; of actions also one by one."""
        name, bracket, arm = d.name.rstrip(")").partition("(")
        if name in FORMER:
            span = self.report.locate(d.span, name)
            self.report.add(
                "E0607", span, f"`{name}` is asked no longer: {FORMER[name]}", fix=(span, "informed")
            )
        elif name not in STANDARD:
            what = "a property without a claim names a standard question, and there is none called"
            self.report.unknown("E0607", what, name, self.report.locate(d.span, name), STANDARD)
        elif bracket and name != "action_possible":
            message = f"only `action_possible` can be asked about one action, not `{name}`"
            self.report.add("E0607", self.report.locate(d.span, arm), message)
        elif bracket and arm not in self.actions:
            span = self.report.locate(d.span, arm)
            self.report.unknown("E0607", "unknown action", arm, span, list(self.actions))

    def label(self, label: str, span: Span) -> Scope:
        """The names that live at a decision."""
        if label not in self.labels:
            self.report.unknown(
                "E0601", "unknown decision", label, self.report.locate(span, label), self.labels
            )
            return {}
        return dict(self.labels[label])

    def actor(self, labels: Iterable[str]) -> Scope:
        """The name of whoever is to act, if all of these are decisions and nothing else is called so."""
        if ACTOR in self.symbols.table or not all(label in self.decided for label in labels):
            return {}
        return {ACTOR: Local(PLAYER)}

    def outside(self, label: str, live: Scope) -> Scope:
        """The names of the rules that may have led to a stop, which only examples can use; all of them as
        `rule.name`, too."""
        found: Scope = {}
        seen: set[str] = set()
        waiting = [(rule, live) for rule in sorted(self.places.get(label, ()))]
        while waiting:
            rule, scope = waiting.pop(0)
            for name, local in scope.items():
                found.setdefault(name, local)
                found[f"{rule}.{name}"] = local
            if rule not in seen:
                seen.add(rule)
                waiting += self.callers.get(rule, {}).items()
        return found

    # -------------------------------------------------------------------------------------- examples

    def example(self, d: t.Example) -> None:
        infer, report = self.infer, self.report
        infer.place = "claim"
        scope: Scope = {}
        if d.condition is not None:
            infer.truth(d.condition, {}, "`if` takes a truth value")
        live: Scope | None = None
        known: Scope = {}
        if d.label is not None:
            live = self.label(
                d.label, Span(d.span.file, d.span.line + 1, 1, d.span.end_line, d.span.end_column)
            )
            known = {**self.outside(d.label, live), **live}
        told = d.label in self.labels
        for name, value in d.locals:
            kind = infer.kind(value, {})
            if told and name not in known:
                span = report.locate(
                    Span(d.span.file, d.span.line + 1, 1, value.span.line, value.span.column), name, True
                )
                report.unknown("E0606", f"at `{d.label}` there is no name", name, span, known)
            elif told and not compatible(known[name].kind, kind):
                message = f"`{name}` is {describe(known[name].kind)} there, but this is {describe(kind)}"
                report.add("E0405", value.span, message)
            scope[name] = Local(kind)
        self.given(d.given)
        for step in d.steps:
            self.step(step)
        rules = {name: local.kind for name, local in {**known, **scope}.items()}
        expected = {n: Local(kind, "gone") for n, kind in rules.items() if n not in self.symbols.table}
        for e in d.expect:
            for step in e.steps:
                self.step(step)
            if e.value is not None:
                infer.truth(e.value, expected, "an expectation is true or false")

    def given(self, block: t.Block) -> None:
        """What differs from the initial values: state variables only."""
        for s in block:
            if isinstance(s, t.Note | t.Forget):
                self.infer.history(s.history, {})
            if not isinstance(s, t.Assign):
                continue
            assert not isinstance(s.value, t.Event), "the syntax of examples knows no chance here"
            kind = self.infer.kind(s.value, {})
            root = s.target
            while isinstance(root, t.Index | t.Field):
                root = root.value
            assert isinstance(root, t.Name)
            symbol = self.symbols.table.get(root.id)
            if symbol is None or symbol.role != "state variable":
                known = [x.name for x in self.symbols.table.values() if x.role == "state variable"]
                self.report.unknown("E0301", "unknown state variable", root.id, root.span, known)
                continue
            wanted = self.infer.kind(s.target, {})
            if not self.infer.assignable(kind, wanted):
                message = f"this must be {describe(wanted)}, but it is {describe(kind)}"
                self.report.add("E0405", s.value.span, message, fix=unquoted(s.value, wanted, self.symbols))

    def step(self, step: t.Step) -> None:
        report = self.report
        kinds = [self.infer.kind(a, {}) for a in step.args]
        if step.actor is not None and step.actor not in self.players:
            span = report.locate(step.span, step.actor)
            report.unknown("E0605", "unknown player", step.actor, span, self.players)
        if step.kind == "chance":
            return
        name_span = report.locate(step.span, step.name)
        if step.name == "pass":
            if not any(d.optional for d in self.decisions) and "pass" not in self.actions:
                report.add("E0602", name_span, "nobody may pass: the rules have no `may choose`")
            return
        arms = self.actions.get(step.name)
        if arms is None and self._outcome(step):
            return
        if arms is None:
            report.unknown("E0602", "unknown action", step.name, name_span, self.actions)
            return
        counts = {len(a.params) for a in arms}
        walks = step.name in self.paths
        if len(step.args) <= min(counts) if walks else len(step.args) not in counts:
            wanted = f"more than {min(counts)}" if walks else " or ".join(map(str, sorted(counts)))
            note = ((arms[0].span, "this is the action"),)
            plural = "" if wanted.endswith("1") else "s"
            message = f"`{step.name}` takes {wanted} argument{plural}, but is given {len(step.args)}"
            scope = next((d.scope for d in self.decisions if arms[0] in d.arms), {})
            report.add("E0603", step.span, message, note, fix=as_point(step.args, arms, scope, self.infer))
            return
        if len(arms) == 1:
            scope = next((d.scope for d in self.decisions if arms[0] in d.arms), {})
            for p, kind, arg in zip(arms[0].params, kinds, step.args, strict=not walks):
                wanted_kind = scope[p.name].kind if p.name in scope and arms[0].body is None else UNKNOWN
                if not compatible(kind, wanted_kind):
                    wanted = describe(wanted_kind)
                    message = f"`{p.name}` of `{step.name}` must be {wanted}, but this is {describe(kind)}"
                    report.add("E0405", arg.span, message)

    def _outcome(self, step: t.Step) -> bool:
        """Whether a step may be an outcome of chance, written without `roll` or `draw`."""
        known = step.name in self.symbols.table and not step.args and step.actor is None
        return known and bool(self.outcomes) and self.infer.symbol_kind(step.name).form == "element"


def cycles(calls: dict[str, list[tuple[str, Span]]]) -> Iterable[tuple[tuple[str, ...], Span]]:
    """Rules that call themselves, directly or round a corner: the names on the way and where the last
    call stands."""
    done: set[str] = set()
    for start in calls:
        if start in done:
            continue
        path: list[str] = [start]
        ways = [iter(calls.get(start, ()))]
        while path:
            following = next(ways[-1], None)
            if following is None:
                done.add(path.pop())
                ways.pop()
                continue
            name, span = following
            if name in path:
                yield (*path[path.index(name) :], name), span
            elif name not in done:
                path.append(name)
                ways.append(iter(calls.get(name, ())))


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names(node: Any) -> Iterator[t.Name]:
    """The names in an expression, in the order of the text."""
    if isinstance(node, t.Name):
        yield node
    for child in children(node):
        yield from _names(child)


def _counted(e: t.Expr) -> set[int]:
    """The names, by their ids, in an expression of which it is asked how many there are, `len(Player)`."""
    calls = (node for node in nodes(e) if isinstance(node, t.Call) and node.value == t.Name("len"))
    return {id(arg) for call in calls for arg in call.args}


def _leaves(e: t.Expr) -> Iterator[t.Expr]:
    """The values that an expression chooses from."""
    if isinstance(e, t.Choice):
        yield from _leaves(e.then)
        yield from _leaves(e.other)
    else:
        yield e
