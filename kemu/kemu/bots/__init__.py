"""Players that are programs: what a bot is, and those that come with Kemu (docs/bots.md).

Everything public is a name of this module, and imported at its first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kemu.bots.matches import Played, match
    from kemu.bots.named import bot
    from kemu.bots.protocol import Bot, Random
    from kemu.bots.searching import MCTS, Line, Thought
else:  # a type checker that saw this would take any name for a public one
    _FROM = {
        "matches": ("Played", "match"),
        "named": ("bot",),
        "protocol": ("Bot", "Random"),
        "searching": ("MCTS", "Line", "Thought"),
    }

    def __getattr__(name):
        from importlib import import_module

        for module, names in _FROM.items():
            if name in names:
                return getattr(import_module(f"kemu.bots.{module}"), name)
        raise AttributeError(f"module 'kemu.bots' has no attribute {name!r}")


__all__ = ["MCTS", "Bot", "Line", "Played", "Random", "Thought", "bot", "match"]
