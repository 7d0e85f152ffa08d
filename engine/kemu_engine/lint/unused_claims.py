"""Examples and properties whose `if` holds in no instance that the rules file declares."""

from __future__ import annotations

from dataclasses import replace

from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.syntax import ast as t

from kemu_engine.lower.instantiate import Instance
from kemu_engine.lower.settings import SettingError
from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import StaticFault
from kemu_engine.support.stack import deep


def idle(game: Game) -> tuple[Diagnostic, ...]:
    """One diagnostic for each example and property that neither the game as it stands nor any declared
    instance asks for. Nothing as long as one of the instances cannot be made: that is told of the instance.
    """
    claims: tuple[t.Property | t.Example, ...] = (*game.properties, *game.examples)
    steps = 0  # of all instances together
    waiting = [d for d in claims if d.condition is not None or _each(d)]
    with deep():
        try:
            for settings in ({}, *(dict(one.settings) for one in game.instances.values())):
                if waiting:
                    players = settings.pop("players", None)
                    evaluator = Instance(game, settings, None if players is None else int(players)).evaluator
                    waiting = [d for d in waiting if not _applies(d, evaluator)]
                    steps += evaluator.work.steps
                    if steps > evaluator.work.most:
                        return ()
        except (RulesError, SettingError, StaticFault, RecursionError):
            return ()
    waiting.sort(key=lambda d: (d.span.file != game.file, d.span.line))
    return tuple(_told(d, game) for d in waiting)


def _each(d: t.Property | t.Example) -> tuple[t.Clause, ...]:
    return d.each if isinstance(d, t.Property) else ()


def _applies(d: t.Property | t.Example, evaluator: Evaluator) -> bool:
    asked = d.condition is None or evaluator.truth(d.condition, {})
    return asked and any(True for _ in evaluator.scopes(_each(d), {}))


def _told(d: t.Property | t.Example, game: Game) -> Diagnostic:
    what = "example" if isinstance(d, t.Example) else "lemma" if d.lemma else "property"
    names = ", ".join(f"`{name}`" for name in game.instances)
    where = f"nor in {names}" if names else "and no other instance is declared"
    message = f"this {what} is never looked at: it does not apply to the game as it stands, {where}"
    line = game.sources[d.span.file].split("\n")[d.span.line - 1]
    head = replace(d.span, end_line=d.span.line, end_column=len(line.split("#")[0].rstrip()) + 1)
    note = "declare an instance for which its `if` holds: `instance name: option = value`"
    return Diagnostic("E0766", head, message, ((None, note),))
