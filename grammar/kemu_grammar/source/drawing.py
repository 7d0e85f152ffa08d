"""The vocabulary of `draw`: shapes, the words about them, symbols and colours (docs/drawing.md)."""

from __future__ import annotations

SHAPES: dict[str, tuple[int, int]] = {
    "square": (1, 1), "circle": (1, 1), "hexagon": (1, 1), "polygon": (3, 100), "tile": (1, 1),
    "disc": (1, 1), "ring": (1, 1), "card": (1, 1), "die": (1, 1), "symbol": (1, 1), "text": (1, 1),
    "arrow": (1, 2), "line": (2, 100), "curve": (2, 4),
    "seat": (0, 0), "note": (0, 0),
}  # fmt: skip
"""How many places each takes, at least and at most."""

WORDS = ("at", "to", "off", "out", "fill", "edge", "size", "turned", "row", "heap", "stack")
OF_A_PLACE = ("off", "out")
"""Words that go on from the place before them; those may be said again, and `to` too."""

GROUNDS = ("squares", "hexes")
"""What the places of a view are, after `draw on`."""

SYMBOLS = (
    "pawn", "rook", "knight", "bishop", "queen", "king", "crown", "cross", "star", "flag", "heart", "diamond",
    "spade", "club", "eye", "bomb", "wall", "palm", "hut", "boat", "canoe", "wreath", "half_wreath", "shell",
    "turtle", "egg", "volcano", "mask", "wave",
)  # fmt: skip

COLOURS = (
    "black", "white", "grey", "red", "orange", "yellow", "green", "cyan", "blue", "purple", "violet",
    "magenta", "pink", "brown", "paper", "ink", "quiet", "line", "cell", "light", "dark", "wood", "felt",
    "water", "sea", "deep", "land", "forest", "sand", "rock", "stone", "lava", "gold", "card", "hint", "none",
)  # fmt: skip
