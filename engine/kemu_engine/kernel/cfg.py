"""Where blocks lead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kemu_engine.kernel import nodes as k


def targets(exit: k.Exit) -> list[int]:
    """The blocks that come next, in order; one may come twice."""
    match exit:
        case k.Goto(block):
            return [block]
        case k.Split(_, then, other):
            return [then, other]
        case k.Switch(_, blocks):
            return list(blocks)
        case k.Decide(arms=arms, other=other):
            return [arm.target for arm in arms] + ([other] if other >= 0 else [])
        case k.Chance(target=target):
            return [target]
    return []


def onward(exit: k.Exit) -> list[int]:
    """Those of them to which play goes on without a choice: at a decision, where nothing can be done."""
    if isinstance(exit, k.Decide):
        return [exit.other] if exit.other >= 0 else []
    return [] if isinstance(exit, k.Chance) else targets(exit)


def chosen(exit: k.Exit) -> list[int]:
    """Those of them at which play goes on after a choice."""
    if isinstance(exit, k.Decide):
        return [arm.target for arm in exit.arms]
    return [exit.target] if isinstance(exit, k.Chance) else []


def retargeted(exit: k.Exit, to: Mapping[int, int]) -> k.Exit:
    """The same exit, `to` other blocks than those that come next."""
    match exit:
        case k.Goto(block):
            return k.Goto(to[block])
        case k.Split(test, then, other):
            return k.Split(test, to[then], to[other])
        case k.Switch(local, blocks):
            return k.Switch(local, tuple(to[block] for block in blocks))
        case k.Decide(arms=arms, other=other):
            made = tuple(replace(arm, target=to[arm.target]) for arm in arms)
            return replace(exit, arms=made, other=to[other] if other >= 0 else other)
        case k.Chance(target=target):
            return replace(exit, target=to[target])
    return exit
