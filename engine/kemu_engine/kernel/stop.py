"""Where play waits, and the ways to go on from there."""

from __future__ import annotations

import msgspec

from kemu_engine.kernel.values import Cells


class Choice(msgspec.Struct, frozen=True):
    """One way to go on at a stop. At a decision `arm` counts the arms and `values` are the parameters; at a
    chance node `arm` is 0, `values` the one outcome, `weight` its weight (1 at a decision)."""

    arm: int
    values: tuple[int, ...]
    weight: int = 1


class Stop(msgspec.Struct, frozen=True):
    """Where play waits: the block, the state variables, the values of the block's live locals in their order;
    who acts (index of a player, -1 at chance nodes and ends), and what can be chosen (nothing at an end)."""

    block: int
    vars: tuple[Cells, ...]
    locals: tuple[int, ...]
    actor: int
    choices: tuple[Choice, ...]
