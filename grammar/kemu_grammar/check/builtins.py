"""What every rules file has: functions, methods, words; what they take and what they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kemu_grammar.source.keywords import words

Wants = Literal["any", "number", "text", "collection", "truths", "numbers", "player", "arrow", "collections",
    "history",
]  # fmt: skip
Gives = Literal[
    "unknown", "bool", "int", "text", "element", "element?", "list", "set", "bag", "points", "ring", "player",
    "players", "pairs", "numbered", "zip", "subsets", "lists", "flat", "closure", "first",
    "words",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Builtin:
    """`most` None: any number. `wants`: of each argument, the last for all that follow. `gives`: see
    calls.py."""

    least: int
    most: int | None
    wants: tuple[Wants, ...]
    gives: Gives
    named: tuple[str, ...] = ()


FUNCTIONS: dict[str, Builtin] = {
    "len": Builtin(1, 1, ("collection",), "int"),
    "sum": Builtin(1, 1, ("numbers",), "element"),
    "min": Builtin(1, None, ("any",), "first"),
    "max": Builtin(1, None, ("any",), "first"),
    "any": Builtin(1, 1, ("truths",), "bool"),
    "all": Builtin(1, 1, ("truths",), "bool"),
    "abs": Builtin(1, 1, ("number",), "int"),
    "sign": Builtin(1, 1, ("number",), "int"),
    "int": Builtin(1, 1, ("any",), "int"),
    "even": Builtin(1, 1, ("number",), "bool"),
    "odd": Builtin(1, 1, ("number",), "bool"),
    "first": Builtin(1, 1, ("collection",), "element?"),
    "only": Builtin(1, 1, ("collection",), "element"),
    "sorted": Builtin(1, 1, ("collection",), "list"),
    "reversed": Builtin(1, 1, ("collection",), "list"),
    "enumerate": Builtin(1, 1, ("collection",), "numbered"),
    "zip": Builtin(1, None, ("collection",), "zip"),
    "pairs": Builtin(1, 1, ("collection",), "pairs"),
    "union": Builtin(1, 1, ("collections",), "flat"),
    "set": Builtin(1, 1, ("collection",), "set"),
    "list": Builtin(1, 1, ("collection",), "list"),
    "tuple": Builtin(1, 1, ("collection",), "unknown"),
    "bag": Builtin(1, 2, ("collection", "any"), "bag"),
    "range": Builtin(1, 3, ("number",), "ring"),
    "grid": Builtin(2, 2, ("collection",), "points"),
    "hexes": Builtin(1, 1, ("number",), "points"),
    "ring": Builtin(1, 1, ("any",), "ring"),
    "subsets": Builtin(2, 2, ("collection", "number"), "subsets"),
    "product": Builtin(1, None, ("collection",), "lists"),
    "closure": Builtin(2, 2, ("collection", "arrow"), "closure"),
    "turns": Builtin(0, 0, (), "players", ("from",)),
    "left": Builtin(1, 1, ("player",), "player"),
    "right": Builtin(1, 1, ("player",), "player"),
    "other": Builtin(1, 1, ("player",), "player"),
    "others": Builtin(1, 1, ("player",), "players"),
    "text": Builtin(1, 1, ("any",), "text"),
    "upper": Builtin(1, 1, ("text",), "text"),
    "words": Builtin(1, 1, ("text",), "words"),
    "times": Builtin(1, 1, ("history",), "int"),
}

METHODS: dict[str, Builtin] = {
    "index": Builtin(1, 1, ("any",), "int"),  # of a list: where x stands
    "count": Builtin(1, 1, ("any",), "int"),  # of a list: how often
    "find": Builtin(1, 1, ("any",), "unknown"),  # of a unique map: the key under which x lies, or none
    "with": Builtin(2, 2, ("number", "any"), "unknown"),  # of a list: with another element at one place
}

TYPES = ("bool", "int", "text", "Player")
NUMBERS = words("int integer Integer Int number Number float")  # no types in play
FOREIGN_TYPES = {
    "integer": "int", "Integer": "int", "Int": "int", "number": "int", "Number": "int", "boolean": "bool",
    "Boolean": "bool", "Bool": "bool", "string": "text", "String": "text", "str": "text", "player": "Player",
}  # fmt: skip
ACTOR = "actor"  # whoever is to act: in claims about a decision
RESULTS = ("winner", "winners", "payoff")  # known at the end of the game: in properties and expectations
SINK = "box"  # out of the game, as the target of `move`
BEFORE = "before"  # in an `under` block: what the definition replaces
VERDICTS = (
    "proved", "refuted", "possible", "impossible", "holds", "sampled", "unknown", "not inductive",
    "not applicable", "any",
)  # fmt: skip
STANDARD = (  # the questions that are asked of every game
    "no_fault", "never_stuck", "terminates", "ends_almost_surely", "action_possible", "branch_possible",
    "result_determined", "informed", "no_leak",
)  # fmt: skip
FORMER = {  # questions that were asked under another name
    "legal_from_view": "it became two: `informed`, whether everybody knows what he may do, and `no_leak`",
}
FOREIGN = {  # what other languages call it
    "True": "true", "False": "false", "None": "none", "null": "none", "nil": "none", "count": "len",
    "size": "len", "length": "len", "print": "line", "exists": "any", "some": "any", "forall": "all",
    "every": "all", "maximum": "max", "minimum": "min",
    "players": "Player", "opponent": "other", "next": "left",
}  # fmt: skip


_DICE = "chance is a statement: `x = roll 1..6`, `draw c from pile`"
_SHOWN = 'what is shown stands in a `view`: `line "{x}"`'
ADVICE = {  # instead of functions that other languages have
    **dict.fromkeys(words("print echo puts printf log display show write"), _SHOWN),
    **dict.fromkeys(words("random randint rand randrange choice sample shuffle"), _DICE),
    **dict.fromkeys(words("input ask prompt"), "a player decides by `choose`"),
    **dict.fromkeys(words("dict map"), "a map is written `{key: value for key in D}`"),
    **dict.fromkeys(words("filter"), "a set is written `{x for x in D if e}`"),
}


def taken(action: str) -> str:
    """Under this name a scope keeps whether an action was chosen that play may go on without; no name of a
    rules file has a space."""
    return f"{action} taken"
