"""What is known of each gap of a rulebook, in a form that is kept in a file."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["hole", "matters", "harmless", "partly", "settled", "open", "material"]
KINDS: dict[Kind, str] = {
    "hole": "Holes: a game shows each",
    "matters": "Gaps that matter in play: a game shows each, a reading closes it",
    "open": "Open",
    "harmless": "Harmless: proved",
    "partly": "Proved in some instances, and open in others",
    "settled": "Settled: by the text itself, or by one reading that examples fix",
    "material": "Matters of material and wording",
}


EDITION = "edition"
"""The option whose values are editions of the rulebook, which may differ in several points."""


class Setting(msgspec.Struct, frozen=True):
    """An instance: `name` as the rules file calls it, its settings, the number of players."""

    name: str
    settings: dict[str, str | int | bool]
    players: int


class Claim(msgspec.Struct, frozen=True):
    """A claim that cites the gap, `doc` in words. `verdicts`: the instances with each. `verdict`, found
    `by` that method in `instance`, is the one that tells most; `steps` where a game shows it. `model`: the
    rules file of which it is claimed, within the game's folder, if that is a model of a part of the game."""

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


class Choice(msgspec.Struct, frozen=True):
    """What becomes of another value of a reading, or of an edition: `left` (ours) and `right` allow the same
    for so many `steps`, and then differ, as `words` say; or they are proved to be the same; or nothing is
    known (then `words` may say why)."""

    option: str
    value: str
    verdict: Literal["equivalent", "different", "unknown"]
    left: Setting
    right: Setting
    by: str = ""
    words: str = ""
    steps: tuple[str, ...] = ()
    shortest: bool = False


class Gap(msgspec.Struct, frozen=True):
    """A statement of the section on gaps, and what is known of it; `examples` of the rules file fix it."""

    number: str
    text: str
    kind: Kind
    claims: tuple[Claim, ...] = ()
    choices: tuple[Choice, ...] = ()
    examples: tuple[str, ...] = ()


class Findings(msgspec.Struct, frozen=True):
    """All gaps of a game's rulebook. `rules`: the name that the game is found by."""

    rules: str
    title: str
    gaps: tuple[Gap, ...]


def kind_of(material: bool, claims: tuple[Claim, ...], choices: tuple[Choice, ...], tried: bool) -> Kind:
    """What a gap is. `tried`: an executed example or a claim speaks of it. Claims of models, and that
    editions differ somewhere, are told but decide nothing."""
    claims = tuple(claim for claim in claims if not claim.model)
    choices = tuple(choice for choice in choices if choice.option != EDITION)
    if material:
        return "material"
    if any(claim.verdict == "refuted" or shows_none(claim) for claim in claims):
        return "hole"
    if any(choice.verdict == "different" for choice in choices):
        return "matters"
    if any(claim.verdict == "possible" for claim in claims):
        return "matters"
    if any(choice.verdict == "unknown" for choice in choices):
        return "open"
    if (choices or claims) and all(set(claim.verdicts) == {"proved"} for claim in claims):
        return "harmless"
    if claims and all(claim.verdict == "proved" for claim in claims):
        return "partly"
    return "settled" if tried or not claims else "open"


def shows_none(claim: Claim) -> bool:
    """Whether what the author hoped for cannot be."""
    return claim.verdict == "impossible" and not claim.standard
