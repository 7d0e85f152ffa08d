"""Colours by name, light and dark: of players, of boards, of land and water.

Those of players are told apart by people who see colours differently, after M. Okabe and K. Ito, "Color
universal design" (2008), made a little darker or lighter where they would vanish on a board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

PIECES = {
    "black": "#26241f", "white": "#fbf9f3", "grey": "#8d8a83", "red": "#c8371b", "orange": "#e69f00",
    "yellow": "#f2de3a", "green": "#009e73", "cyan": "#56b4e9", "blue": "#0a6cb0", "purple": "#8a57b0",
    "violet": "#8a57b0", "magenta": "#cc5fa0", "pink": "#e39ac0", "brown": "#7d5632",
}  # fmt: skip
"""The same by day and night: a red piece is red."""

GROUNDS = {
    "paper": ("#faf8f4", "#171614"), "ink": ("#22211f", "#ebe6dc"), "quiet": ("#6d685f", "#a39c8f"),
    "line": ("#b3a993", "#8a806c"), "cell": ("#eee6d3", "#5b5446"), "light": ("#f0e3c8", "#b6a68a"),
    "dark": ("#b58b62", "#715740"), "wood": ("#dfb876", "#a9834b"), "felt": ("#3f8f63", "#2f6e4c"),
    "water": ("#bfe0ec", "#274b59"), "sea": ("#8cc4dc", "#1d3c4c"), "deep": ("#3f8db3", "#12303f"),
    "land": ("#a9c77b", "#86a45c"), "forest": ("#4f8a3c", "#2c5526"), "sand": ("#f0d9a0", "#a78d58"),
    "rock": ("#9a9288", "#6a645c"), "stone": ("#c9c2b4", "#8b8478"), "lava": ("#d9512c", "#c9502f"),
    "gold": ("#d9a520", "#d9a520"), "card": ("#fffdf8", "#e8e2d4"), "hint": ("#f7c948", "#c99a1e"),
}  # fmt: skip
"""By day, by night."""

BLACK, WHITE = "#16140f", "#ffffff"  # what is written on colours
EDGES = ("rgba(20,16,10,.62)", "rgba(235,230,220,.45)")
"""Round pieces: dark, and light."""

NONE = "none"
NAMES = (*PIECES, *GROUNDS, NONE)
SEATS = ("blue", "orange", "green", "magenta", "cyan", "yellow", "red", "brown")


def colours(players: Sequence[str]) -> dict[str, str]:
    """The colour of each player: the one he is named after, if all are; otherwise it goes by the seat."""
    if all(player in PIECES for player in players):
        return {player: player for player in players}
    return {player: SEATS[seat % len(SEATS)] for seat, player in enumerate(players)}


def css(names: Iterable[str]) -> tuple[str, str]:
    """The variables of these colours, of what is written on them, and of the edges of pieces, by day and by
    night: then dark ones have a light edge, light ones a dark one, to be seen on what is as light."""
    dark, light = EDGES
    day, night = [f"--edge:{dark};"], [f"--edge:{light};"]
    for name in dict.fromkeys(names):
        pair = (PIECES[name],) * 2 if name in PIECES else GROUNDS[name]
        for shade, into in zip(pair, (day, night), strict=True):
            rim = light if into is night and on(shade) == WHITE else dark
            into.append(f"--{name}:{shade};--on-{name}:{on(shade)};--rim-{name}:{rim};")
    return "".join(day), "".join(night)


def on(shade: str) -> str:
    """Black or white, whichever is read more easily on a colour (WCAG 2.2, contrast ratio)."""
    bright = luminance(shade)
    return BLACK if (bright + 0.05) ** 2 > 0.05 * 1.05 else WHITE


def luminance(shade: str) -> float:
    """The relative luminance of `#rrggbb`, 0 to 1 (WCAG 2.2)."""
    parts = [int(shade[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
