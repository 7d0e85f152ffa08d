"""What lowers the rules of an instance, and what it needs of that instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kemu_grammar.game.game import Game
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import nodes as k
from kemu_engine.lower.beginnings import Start
from kemu_engine.lower.statements.cfg_builder import CfgLowering
from kemu_engine.lower.statements.endings import Endings
from kemu_engine.lower.statements.statements import StraightLineLowering
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.reps import Place
from kemu_engine.static.eval import Evaluator
from kemu_engine.static.types import Type


@dataclass(frozen=True, slots=True)
class Lowering:
    """What lowers rules, and what it has made. `places`: the state variables."""

    builder: Builder
    statements: StraightLineLowering
    control: CfgLowering
    endings: Endings
    places: dict[str, Place]


class Instance(Protocol):
    """A game with its options and players fixed."""

    game: Game
    evaluator: Evaluator

    def kind(self, variable: t.StateVariable) -> Type:
        """The type of a state variable."""

    def lowering(self) -> Lowering:
        """What lowers its rules: the state is laid out, and there is no block yet."""

    def with_blocks(
        self,
        lowering: Lowering,
        entry: int,
        properties: tuple[k.Property, ...] = (),
        examples: Sequence[tuple[k.Example, Start | None]] = (),
        views: tuple[k.View, ...] = (),
    ) -> k.Program:
        """The program that begins at a block."""
