"""What an exception is, where the module of its class need not be loaded."""

from __future__ import annotations

import sys


def is_a(error: BaseException, module: str, name: str) -> bool:
    """Whether the exception is of that class; if so, its module is loaded, and nothing need be imported."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(error, kind)
