"""What a person typed, and which action was meant: by number, by its text, or by enough of it."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from difflib import get_close_matches

from kemu_grammar.source.did_you_mean import closest

from kemu.base.library import shown

DIGITS = 18  # of a number that can be that of an action
NUMBER = re.compile(r"-?\d+")


class NotUnderstood(Exception):
    """No action is meant, or several. The message says what could have been meant; `several` holds those
    actions that begin as was typed."""

    def __init__(self, message: str, several: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.several = tuple(several)


def meant(
    typed: str,
    legal: Sequence[str],
    commands: Sequence[str] = (),
    listed: Container[int] = (),
    arguments: bool = False,
) -> str:
    """The one action of `legal` that `typed` means. (`commands`: what else might have been meant; `listed`:
    the numbers with which the person has seen actions listed; `arguments`: whether actions take numbers.)

    `#5` is the action of that number in `legal`, counted from 1; so is `5` where actions take no numbers and
    the list was seen, else it is an argument. Otherwise spaces, brackets, commas and case do not matter, and
    the name may be left out where the rest is enough: "place((3, 1))", "place 3 1", "3,1". Raises
    NotUnderstood.
    """
    typed = typed.strip()
    if typed in legal:
        return typed
    number = typed.removeprefix("#").strip()
    if number.isdecimal() and len(number) <= DIGITS:
        if typed.startswith("#"):
            return numbered(int(number), legal)
        if not arguments:
            text = numbered(int(number), legal)
            if int(number) in listed:
                return text
            raise NotUnderstood(f"`?` lists the actions with their numbers; `#{number}` is {text}")
    found = beginning_so(typed, legal)
    if len(found) == 1:
        return found[0]
    if found:
        raise NotUnderstood(f"{shown(typed)} could mean {some(found)}", found)
    if number.isdecimal() and 1 <= int(number[:DIGITS]) <= len(legal):
        raise NotUnderstood(f"no action here begins with {number}; `#{number}` is {legal[int(number) - 1]}")
    raise NotUnderstood(f"{shown(typed)} is not possible here" + near(typed, legal, commands))


def numbered(number: int, legal: Sequence[str]) -> str:
    """The action of that number."""
    if 1 <= number <= len(legal):
        return legal[number - 1]
    raise NotUnderstood(f"there is no action {number}: they are numbered from 1 to {len(legal)}")


def beginning_so(typed: str, legal: Sequence[str]) -> list[str]:
    """The actions that `typed` may mean or begin, only those that fit best."""
    wanted = words(typed)
    for fits in (whole, ending, beginning, inner):
        found = [action for action in legal if wanted and fits(words(action), wanted)]
        if found:
            return found
    return []


def words(text: str) -> list[str]:
    return re.findall(r"\w+|-\d+", text.casefold())


def short(action: str) -> str:
    """What a person may type for it: `place 3 1`."""
    return " ".join(words(action))


def narrowed(typed: str, legal: Sequence[str]) -> list[str]:
    """All actions that begin as typed, with their name or without."""
    wanted = words(typed)
    return [each for each in legal if not wanted or any(f(words(each), wanted) for f in (beginning, inner))]


def completions(begun: str, legal: Sequence[str], commands: Sequence[str]) -> list[str]:
    """The words that may come next after the beginning of a line."""
    wanted = words(begun)
    if not wanted:
        return list(dict.fromkeys([*(words(text)[0] for text in legal), *commands]))
    if wanted[0] in commands:
        return completions(" ".join(wanted[1:]), legal, ())
    actions = [words(text) for text in legal]
    after = [each[len(wanted) :] for each in actions if each[: len(wanted)] == wanted]
    after = after or [each[len(wanted) + 1 :] for each in actions if each[1 : len(wanted) + 1] == wanted]
    return list(dict.fromkeys(rest[0] for rest in after if rest))


def exactly(typed: str, action: str) -> bool:
    """Whether an action was typed in full, with its name or without."""
    return whole(words(action), words(typed)) or ending(words(action), words(typed))


def whole(action: list[str], wanted: list[str]) -> bool:
    return action == wanted


def ending(action: list[str], wanted: list[str]) -> bool:
    return action[1:] == wanted


def beginning(action: list[str], wanted: list[str]) -> bool:
    """Whether the action begins so; the name, and the last word typed, may be cut short."""
    return action[0].startswith(wanted[0]) and starts(action[1:], wanted[1:])


def inner(action: list[str], wanted: list[str]) -> bool:
    """Whether the arguments begin so."""
    return starts(action[1:], wanted)


def starts(those: list[str], wanted: list[str]) -> bool:
    if not wanted:
        return True
    at = len(wanted) - 1
    return those[:at] == wanted[:at] and len(those) > at and those[at].startswith(wanted[at])


def near(typed: str, legal: Sequence[str], commands: Sequence[str]) -> str:
    """What to say of a text that means nothing: how its beginning goes on, or what is written like it."""
    wanted = words(typed)
    for length in range(len(wanted) - 1, 0, -1):
        begun = [words(text) for text in legal if beginning(words(text), wanted[:length])]
        if begun:
            following = list(dict.fromkeys(each[length] for each in begun if len(each) > length))
            after = " ".join([begun[0][0], *wanted[1:length]])
            return (
                f"; after `{after}` comes {some(following)}"
                if following
                else f"; nothing comes after `{after}`"
            )
    close = get_close_matches(typed, legal, n=3, cutoff=0.6)
    if not close:
        short = {" ".join(words(action)[1:]): action for action in legal}
        close = [short[text] for text in get_close_matches(" ".join(wanted), short, n=3, cutoff=0.6)]
    if not close and wanted:
        names = dict.fromkeys(words(action)[0] for action in legal)
        command = closest(wanted[0], commands)  # nearer than a name must be: few letters make many words
        close = [command] if command else get_close_matches(wanted[0], names, n=1)
        close = [name for name in close if name != wanted[0]]
    return f"; did you mean {some(close)}?" if close else "; `?` lists what is possible"


def some(actions: Sequence[str], most: int = 4) -> str:
    named = list(actions[:most])
    rest = len(actions) - len(named)
    if rest:
        return ", ".join(named) + f" or {rest} more"
    return " or ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
