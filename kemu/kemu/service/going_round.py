"""Games that need not end: the claims that say so, and the options that decide about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_engine.batch.playout import playout
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.game import Game as Playable
from kemu_engine.static.values import text_of
from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast
from kemu_verifier.diff.readings import values

from kemu.base.opening import Wanted, made
from kemu.base.sources import declarations

GAMES = 3  # random games that are played with another value of an option
MOST = 8  # values that are tried


@dataclass(frozen=True, slots=True)
class Other:
    """An option as it is set here, and what else it could be."""

    name: str
    value: str
    others: tuple[str, ...]


def admitted(program: k.Program) -> list[k.Property]:
    """The claims by which the game may go on for ever."""
    claims = (each for each in program.properties if each.expect == "refuted")
    return [each for each in claims if "terminates" in (each.form, each.name)]


def deciding(program: k.Program) -> list[Other]:
    """The options that these claims cite."""
    cited = {number for each in admitted(program) for number in program.origins[each.origin].cites}
    return [each for each in options(program) if each.name in cited]


def options(program: k.Program) -> list[Other]:
    """All options of the game, as far as its text can be read and they do not run through numbers."""
    found = []
    settings = dict(program.settings)
    for file, text in program.sources.items():
        for each in declarations(text, file):
            if isinstance(each, ast.Option) and each.name in settings and not numeric(each):
                texts = tuple(text_of(value) for value in values(each))
                others = tuple(text for text in texts if text != settings[each.name])
                found.append(Other(each.name, settings[each.name], others))
    return found


def numeric(option: ast.Option) -> bool:
    return isinstance(option.values, ast.RangeType)


def enders(rules: Game, want: Wanted, program: k.Program, longest: int) -> Iterator[tuple[str, str]]:
    """Options that, set to this other value, let a few random games end; those first that the claims cite."""
    cited = deciding(program)
    rest = [each for each in options(program) if each not in cited]
    tried = [(each.name, value) for each in (*cited, *rest) for value in each.others]
    for name, value in tried[:MOST]:
        try:
            game = made(rules, Wanted({**want.settings, name: value}, want.players))
        except (SettingError, RulesError):
            continue
        if all(ends(game, number, longest) for number in range(GAMES)):
            yield name, value


def ends(game: Playable, number: int, longest: int) -> bool:
    return playout(game, 0, number, longest).ending == "end"
