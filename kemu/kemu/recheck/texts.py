"""The program and its claims as texts, as a bundle holds them and the checker reads them."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import canonical
from kemu_engine.play.claims import claims

PROGRAM, CLAIMS = "program.txt", "claims.txt"


def texts_of(program: k.Program) -> dict[str, bytes]:
    """The texts, by the names of their files."""
    return {PROGRAM: canonical(program).encode(), CLAIMS: canonical(claims(program)).encode()}
