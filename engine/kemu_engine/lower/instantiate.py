"""From a checked game and its settings to a program: domains and constants worked out, the rules lowered to
the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.build import TooWide
from kemu_engine.kernel.walk import roots
from kemu_engine.lower.beginnings import Start
from kemu_engine.lower.claims import Claims
from kemu_engine.lower.examples import Examples
from kemu_engine.lower.expressions.calls import Calls
from kemu_engine.lower.expressions.expressions import Expressions
from kemu_engine.lower.expressions.function_calls import FunctionCalls
from kemu_engine.lower.expressions.functions import Functions
from kemu_engine.lower.expressions.iterables import Iterables
from kemu_engine.lower.expressions.quantifiers import Quantifiers
from kemu_engine.lower.finish import finished
from kemu_engine.lower.initial import bake, bake_defaults
from kemu_engine.lower.lowering import Lowering
from kemu_engine.lower.rule_programs import forgotten, runs, total
from kemu_engine.lower.settings import SettingError, choose_settings, of_models, seats, words
from kemu_engine.lower.statements.cfg_builder import CfgLowering
from kemu_engine.lower.statements.endings import Endings
from kemu_engine.lower.statements.statements import StraightLineLowering
from kemu_engine.lower.statements.trials import Trials
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.coerce import Coercions
from kemu_engine.lower.values.dependence import Analysis
from kemu_engine.lower.values.histories import noted
from kemu_engine.lower.values.layout import Layout
from kemu_engine.lower.values.reps import Map, Place
from kemu_engine.lower.views import Views
from kemu_engine.static import tables
from kemu_engine.static.eval import Evaluator
from kemu_engine.static.maps import filled
from kemu_engine.static.overrides import REPLACES, replace_names
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.types import MapType, Type
from kemu_engine.static.values import Domain, Seq, Value, atoms, text_of
from kemu_engine.support.stack import deep

LARGEST_PROGRAM = 500_000  # operations


def instantiate(
    game: Game, settings: Mapping[str, str | int | bool] | None = None, players: int | None = None
) -> k.Program:
    """The program of one instance. Raises SettingError for wrong settings, RulesError for faults of the rules
    file.
    """
    try:
        with deep():
            return Instance(game, dict(settings or {}), players).program()
    except StaticFault as fault:
        raise fault.diagnosed("E0709") from None
    except RecursionError as error:
        span = _outermost(error) or t.Span(game.file, 1, 1, 1, 2)
        raise RulesError((Diagnostic("E0706", span, "what begins here nests too deeply", ()),)) from None


def player_counts(game: Game) -> range:
    """The numbers of players that a game is for, with all options by default, which have to be possible."""
    with deep():
        return Instance(game, {}, None).counts


def _outermost(error: RecursionError) -> t.Span | None:
    """The place of the definition or statement at which the descent began."""
    trace = error.__traceback__
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            if isinstance(value, t.Declaration | t.Statement) and value.span.line:
                return value.span
        trace = trace.tb_next
    return None


class Instance:
    def __init__(self, game: Game, settings: dict[str, str | int | bool], players: int | None) -> None:
        self.game = game
        self.settings = choose_settings(game, settings, players)
        self.known = words(game)
        self.known |= {n: self.known[v] if isinstance(v, str) else v for n, v in self.settings.items()}
        self.names = dict(game.names)
        self.before: dict[int, t.Fun | t.Rule] = {}
        self.evaluator = Evaluator(self.names, self.known, self.before)
        added = (getattr(d, "name", "") for under in game.unders for d in under.declarations)
        self.evaluator.definitions.conditional = frozenset(added)
        self._players(players)
        self._enums()
        replace_names(game.unders, self.names, self.before, self.evaluator)
        self.models = of_models(game, self.settings, players)
        self._as_in_the_rules()
        self._needs()

    # --------------------------------------------------------------------------- what is known from the start

    def _players(self, players: int | None) -> None:
        self.seats, self.counts = seats(self.game, self.evaluator, players)
        self.known["Player"] = Domain.of("Player", self.seats)
        self.known.update({p.name: p for p in self.seats})

    def _enums(self) -> None:
        numbers = iter(range(2, 1_000_000))
        found: list[t.Table] = []
        for declaration in self.names.values():
            if isinstance(declaration, t.Enum):
                items = atoms(declaration.name, declaration.members, next(numbers))
            elif isinstance(declaration, t.Table):
                items = tables.members(declaration, next(numbers))
                found.append(declaration)
            else:
                continue
            self.known[declaration.name] = Domain.of(declaration.name, items)
            self.known.update({a.name: a for a in items})
        for table in found:
            tables.fill(table, self.evaluator)

    def _as_in_the_rules(self) -> None:
        """A file of proofs replaces nothing of the rules file, but in a model of the game."""
        if not self.game.proofs or any(self.models.values()):
            return
        unders = (under for under in self.game.unders if under.span.file != self.game.proofs)
        inside = [d for under in unders for d in under.declarations if isinstance(d, REPLACES)]
        for name, declared in (self.game.names | {d.name: d for d in inside}).items():
            now = self.names.get(name, declared)
            if now.span.file == self.game.proofs != declared.span.file:
                message = f"`{name}` of the rules file is replaced here, and that not in a model of the game"
                note = ((declared.span, "this is what it replaces"),)
                raise RulesError((Diagnostic("E0782", now.span, message, note),))

    def _needs(self) -> None:
        for needs in self.game.needs:
            if not self.evaluator.truth(needs.condition, {}):
                line = (
                    self.game.sources[needs.span.file].splitlines()[needs.span.line - 1].split("#")[0].strip()
                )
                chosen = ", ".join(f"{n}={text_of(v)}" for n, v in self.settings.items())
                raise SettingError(f"{self.game.title} {line}; here {chosen}, {len(self.seats)} players")

    # ------------------------------------------------------------------------------------------ lowering

    def program(self) -> k.Program:
        game = self.game
        self._worked_out()
        self._checks()
        made = self.lowering()
        try:
            entry = made.control.game(game.rules)
            made.endings.finish()
            claims = Claims(made.control, made.endings)
            properties = claims.properties(tuple(d for d in game.properties if d.run is None))
            examples = Examples(claims).examples(game.examples)
            views = Views(made.control, made.endings).views(game.views)
        except TooWide:
            refuse("E0711", self.evaluator.work.here, "a number here may need more than 63 bits")
        program = self.with_blocks(made, entry, properties, examples, views)
        return replace(program, properties=(*program.properties, *self._runs()))

    def _runs(self) -> Iterator[k.Property]:
        """The claims about a rule by itself, those that forget the same functions together."""
        declared = [d for d in self.game.properties if d.run is not None]
        for names in dict.fromkeys(d.forgetting for d in declared):
            alike = [d for d in declared if d.forgetting == names]
            if not names:
                yield from runs(self, alike)
                continue
            analysis = Analysis(self.names, self.game.state, self.before)
            abstract = Instance(forgotten(self.game, names, analysis), self.settings, len(self.seats))
            for claim, real in zip(runs(abstract, alike), runs(self, alike), strict=True):
                assert claim.run is not None and real.run is not None
                total(self.game, names, claim.run.program, real.run.program)
                yield replace(claim, run=replace(claim.run, forgotten=names, real=real.run))

    def lowering(self) -> Lowering:
        """What lowers the rules of this instance: the state is laid out, and there is no block yet."""
        game, evaluator = self.game, self.evaluator
        self._worked_out()
        builder = Builder(game.citations, evaluator.work)
        coercions = Coercions(builder)
        analysis = Analysis(self.names, game.state, self.before)
        places: dict[str, Place] = {}
        expressions = Expressions(builder, coercions, evaluator, analysis, places)
        iterables = Iterables(expressions)
        quantifiers = Quantifiers(expressions, iterables)
        functions = FunctionCalls(expressions)
        calls = Calls(expressions, quantifiers, functions)
        layout = Layout(builder, expressions.read)
        statements = StraightLineLowering(expressions, iterables, quantifiers, calls, layout)
        expressions.quantifiers, expressions.calls = quantifiers, calls
        functions.with_statements = Functions(statements)
        kept: dict[str, range] = {}
        for variable in game.state:
            if variable.name not in analysis.histories:
                start = len(builder.vars)
                places[variable.name] = self._variable(variable, layout, statements)
                kept[variable.name] = range(start, len(builder.vars))
        rules = [d for d in self.names.values() if isinstance(d, t.Rule)]
        flow = [game.rules.body, *(d.body for d in rules)]
        used = noted([game.rules.body, *rules], evaluator)
        for name, of in analysis.histories.items():
            vars_ = tuple(var for each in of for var in kept[each])
            expressions.histories[name] = layout.history(name, vars_) if name in used else None
        endings = Endings(statements, self.seats, flow)
        control = CfgLowering(statements, analysis, endings)
        expressions.trials = Trials(control, flow)
        return Lowering(builder, statements, control, endings, places)

    def with_blocks(
        self,
        lowering: Lowering,
        entry: int,
        properties: tuple[k.Property, ...] = (),
        examples: Sequence[tuple[k.Example, Start | None]] = (),
        views: tuple[k.View, ...] = (),
    ) -> k.Program:
        """The program that begins at a block."""
        game, builder, endings = self.game, lowering.builder, lowering.endings
        settings = tuple((n, text_of(v)) for n, v in self.settings.items() if self.models.get(n, True))
        made = k.Program(
            game.title, settings, tuple(p.name for p in self.seats), tuple(builder.vars),
            tuple(builder.locals),
            tuple(builder.tables), tuple(builder.domains),
            tuple(f for f in builder.functions if f is not None),
            tuple(builder.faults), tuple(builder.origins), (), 0, endings.var, endings.width,
            properties, (), views, dict(game.sources),
        )  # fmt: skip
        program = finished(made, builder.blocks, entry, examples, builder.work)
        claimed = [expr for claim in properties for expr in claim.exprs]
        if sum(map(builder.sizes.of, (*roots(program), *claimed))) > LARGEST_PROGRAM:
            message = f"the rules and what is claimed of them have more than {LARGEST_PROGRAM:,} operations"
            refuse("E0774", game.rules.span, message)
        return program

    def kind(self, variable: t.StateVariable) -> Type:
        """The type of a state variable, the map included that `each` makes of it."""
        types = self.evaluator.types
        if variable.each is None:
            return types.make(variable.type, {})
        name, source = variable.each
        keys = self.evaluator.elements(source, {})
        return types.map_by_key(keys, lambda key: types.make(variable.type, {name: key}), variable.span)

    def _worked_out(self) -> None:
        """All domains and constants, so that what is wrong with one is told even if nobody uses it."""
        for name, declaration in self.names.items():
            if isinstance(declaration, t.Domain | t.Const):
                self.evaluator.global_value(name, declaration.span)

    def _checks(self) -> None:
        for check in self.game.checks:
            if not self.evaluator.truth(check.condition, {}):
                refuse("E0756", check.span, "this check does not hold")

    def _variable(self, variable: t.StateVariable, layout: Layout, statements: StraightLineLowering) -> Place:
        span, kind = variable.span, self.kind(variable)
        keys = () if variable.each is None else self.evaluator.elements(variable.each[1], {})
        place = layout.allocate(variable.name, kind, span, self._seen(variable, keys, kind))
        if isinstance(place, Map) and variable.unique:
            place = replace(place, unique=True)
        if variable.initial is None:
            bake_defaults(statements, place, kind, span)
        else:
            if variable.each is not None:
                for i, key in enumerate(keys):
                    assert isinstance(place, Map) and isinstance(kind, MapType)
                    value = self.evaluator.eval(variable.initial, {variable.each[0]: key})
                    bake(statements, place.get(_number(i)), kind.at(i), value, variable.initial.span)
            else:
                bake(
                    statements, place, kind, self.evaluator.eval(variable.initial, {}), variable.initial.span
                )
                self._injective(variable, kind)
        return place

    def _injective(self, variable: t.StateVariable, kind: Type) -> None:
        """That the first value of a `unique` map is one."""
        assert variable.initial is not None
        value = self.evaluator.eval(variable.initial, {})
        if variable.unique and isinstance(kind, MapType):
            whole = filled(value, kind.keys, kind.default, variable.initial.span)
            held = [x for v in whole.values() for x in (v if isinstance(v, Seq) else (v,)) if x is not None]
            if len(set(held)) < len(held):
                refuse("E0758", variable.initial.span, "a `unique` map holds no value twice")

    def _seen(self, variable: t.StateVariable, keys: tuple[Value, ...], kind: Type) -> tuple[int, ...] | None:
        """Who sees each of the variable's outermost elements; None: everyone everything."""
        if variable.secret is None:
            return None
        if isinstance(variable.secret, t.Nothing):
            return (0,) * (len(kind.keys) if isinstance(kind, MapType) else 1)
        if variable.each is None:
            seers = self._seats(self.evaluator.eval(variable.secret, {}), variable.secret.span)
            return (seers,) * (len(kind.keys) if isinstance(kind, MapType) else 1)
        seen = [self.evaluator.eval(variable.secret, {variable.each[0]: key}) for key in keys]
        return tuple(self._seats(each, variable.secret.span) for each in seen)

    def _seats(self, value: Value, span: t.Span) -> int:
        """The mask of a player, or of several."""
        several = value if isinstance(value, Seq | frozenset) else (value,)
        if not all(each in self.seats for each in several):
            refuse("E0757", span, "a secret is kept to a player, or to a set of players")
        return sum(1 << self.seats.index(each) for each in set(several))


def _number(value: int) -> k.Expr:
    return k.Const(k.Int(value, value), value)
