"""Kemu: the rules of a board game are written once, then played and proved (docs/python.md).

    >>> import kemu
    >>> game = kemu.load("a-game", level="basic")       # or a path to a rules file
    >>> state = game.initial()
    >>> state = state.apply(state.actions()[0])         # or by number: state.step(state.legal()[0])

Everything public is a name of this module, or of `kemu.bots`, and imported at its first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kemu import bots as bots
    from kemu.api.public import *  # noqa: F403
else:  # a type checker that saw this would take any name for a public one

    def __getattr__(name):
        if name == "bots":
            from importlib import import_module

            return import_module("kemu.bots")
        if name == "__all__" or not name.startswith("__"):
            from kemu.api import public

            if name == "__all__":
                return ["__version__", *public.__all__]
            if name in public.__all__:
                return getattr(public, name)
        raise AttributeError(f"module 'kemu' has no attribute {name!r}")

    def __dir__():
        return sorted(__getattr__("__all__"))
