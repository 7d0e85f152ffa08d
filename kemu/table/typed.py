"""What a person typed, and which action was meant: by number, by its text, or by enough of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches


class NotUnderstood(Exception):
    """No action is meant, or several. The message says what could have been meant."""


def meant(typed: str, legal: Sequence[str], commands: Sequence[str] = ()) -> str:
    """The one action of `legal` that `typed` means. (`commands`: what else might have been meant.)

    A number counts from 1 in `legal`. Otherwise spaces, brackets, commas and case do not matter, and the
    name may be left out where the rest is enough: "place((3, 1))", "place 3 1", "3,1".
    """
    typed = typed.strip()
    if typed in legal:
        return typed
    if typed.isdecimal():
        if 1 <= int(typed) <= len(legal):
            return legal[int(typed) - 1]
        raise NotUnderstood(f"there is no action {typed}: they are numbered from 1 to {len(legal)}")
    wanted = words(typed)
    for close in (whole, ending, beginning):
        found = [action for action in legal if wanted and close(words(action), wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotUnderstood(f"{typed!r} could mean {some(found)}")
    raise NotUnderstood(f"{typed!r} is not possible here" + near(typed, legal, commands))


def words(text: str) -> list[str]:
    return re.findall(r"\w+|-\d+", text.casefold())


def whole(action: list[str], wanted: list[str]) -> bool:
    return action == wanted


def ending(action: list[str], wanted: list[str]) -> bool:
    return action[1:] == wanted


def beginning(action: list[str], wanted: list[str]) -> bool:
    return action[0].startswith(wanted[0]) and action[1 : len(wanted)] == wanted[1:]


def near(typed: str, legal: Sequence[str], commands: Sequence[str]) -> str:
    """What to say of a text that means nothing: what is written like it."""
    close = get_close_matches(typed, [*commands, *legal], n=3, cutoff=0.6)
    if not close:
        short = {" ".join(words(action)[1:]): action for action in legal}
        close = [short[text] for text in get_close_matches(" ".join(words(typed)), short, n=3, cutoff=0.6)]
    hint = f"; did you mean {some(close)}?" if close else "; "
    return hint + (" " if close else "") + "`moves` lists what is possible"


def some(actions: Sequence[str], most: int = 4) -> str:
    named = list(actions[:most])
    rest = len(actions) - len(named)
    if rest:
        return ", ".join(named) + f" or {rest} more"
    return " or ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
