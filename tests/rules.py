"""Games from rules written in a test."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from kemu_engine.kernel.verify import problems
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.examples import run_examples
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_grammar.game.game import read_text

LIBRARY = Path(__file__).parents[1] / "spec"


def game_in(text: str, players: int | None = None, **options: str | int | bool) -> Game:
    """The game in a text, every value tested against its type while it runs."""
    return Game(instantiate(read_text(dedent(text), "test.kemu", LIBRARY), options, players), checked=True)


def sound_in(text: str, players: int | None = None, **options: str | int | bool) -> Game:
    """The game in a text, and its program is well-formed."""
    game = game_in(text, players, **options)
    assert problems(game.program) == []
    return game


def made(text: str, file: str = "test.kemu", **options: str | int | bool) -> Game:
    """The game in a text, its program well-formed and its examples as they say."""
    program = instantiate(read_text(text, file, LIBRARY), options)
    assert problems(program) == []
    game = Game(program, checked=True)
    for result in run_examples(game):
        assert result.passed, result.message
    return game


def play(start: Game | State, *moves: str) -> State:
    """The state after actions and outcomes."""
    state = start.initial() if isinstance(start, Game) else start
    for move in moves:
        state = state.apply(move)
    return state


def texts(state: State) -> list[str]:
    """What can come next."""
    return [move.text for move in state.moves()]
