"""What is known of each gap of a rulebook, in a form that is kept in a file."""

from __future__ import annotations

from typing import Literal

import msgspec

Effect = Literal["winner", "course", "score", "board"]
"""What becomes different, the gravest first: who wins, or whether the game is over; what may be done or who
is to act; the numbers by which players are ranked; only what lies on the board."""


class Setting(msgspec.Struct, frozen=True):
    """An instance: `name` as the rules file calls it, its settings, the number of players; `printed`: on the
    rulebook's own board, with all of its pieces, and by our readings; `program`: the hash of its program
    (none: unknown)."""

    name: str
    settings: dict[str, str | int | bool]
    players: int
    printed: bool = True
    program: str = ""


class Looked(msgspec.Struct, frozen=True):
    """An instance of which claims were asked; `claims`: a hash of what they say. `model`: as of a claim."""

    setting: Setting
    claims: str
    model: str = ""


class Cost(msgspec.Struct, frozen=True):
    """How often it matters in so many random `games`: a claim is broken, or of two readings something that is
    remembered becomes different (`up`); what may be done, who is to act, or how the game ends becomes so
    (`met`; None: not counted); another `winner`, the same players going on at random under both readings;
    games that were not over after play.LONGEST steps, and such that broke down, as we read it and as the
    other value does (None: counted among the `endless`)."""

    games: int
    up: int
    winner: int = 0
    endless: tuple[int, int] = (0, 0)
    broken: tuple[int, int] | None = None
    met: int | None = None


class Claim(msgspec.Struct, frozen=True):
    """A claim that cites the gap, `doc` in words. `verdicts`: the instances with each verdict, "proved
    (vacuous)" where the claim is about nothing; of a claim for several values the least of theirs, and if
    these are not the same everywhere, `members` has those of each. `verdict`, found `by` that method in
    `instance`, is the one that tells most; `steps` where a game shows it. `model`: the rules file of which it
    is claimed, within the game's folder, if that is a model of a part of the game."""

    property: str
    standard: bool
    form: str
    verdict: str
    wanted: str
    by: str
    instance: Setting
    verdicts: dict[str, tuple[str, ...]] = {}
    doc: str = ""
    steps: tuple[str, ...] | None = None
    model: str = ""
    cost: Cost | None = None
    members: dict[str, dict[str, tuple[str, ...]]] = {}


class Unlike(msgspec.Struct, frozen=True):
    """How two readings differ at the end of a game that both allow: as kemu_verifier.diff.observe says."""

    kind: str
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """What becomes of another value of a reading: `left` (ours) and `right` allow the same for so many
    `steps`, look different after step `fork`, and after the last are `unlike`, which has that `effect`; or
    they are proved to be the same; or nothing is known. `words` may say why, or that they play the same."""

    option: str
    value: str
    verdict: Literal["equivalent", "different", "unknown"]
    left: Setting
    right: Setting
    by: str = ""
    words: str = ""
    steps: tuple[str, ...] = ()
    shortest: bool = False
    effect: Effect | None = None
    fork: int = 0
    unlike: Unlike | None = None
    cost: Cost | None = None


class Gap(msgspec.Struct, frozen=True):
    """A statement of the section on gaps, and what is known of it; `examples` of the rules file fix it."""

    number: str
    text: str
    claims: tuple[Claim, ...] = ()
    choices: tuple[Choice, ...] = ()
    examples: tuple[str, ...] = ()


class Findings(msgspec.Struct, frozen=True):
    """All gaps of a game's rulebook. `rules`: the name that the game is found by. `instances`: those declared
    when this was found (none: it is not known of which rules it was found)."""

    rules: str
    title: str
    gaps: tuple[Gap, ...]
    instances: tuple[Looked, ...] = ()


def shows(claim: Claim) -> bool:
    """Whether a game of the whole rules shows that it is as the gap says."""
    return claim.verdict in ("refuted", "possible") and claim.steps is not None and not claim.model
