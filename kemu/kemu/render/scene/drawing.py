"""A shape of a scene as an element of SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from math import atan2, cos, degrees, hypot, pi, sin, sqrt

from kemu.render.scene.data import Point, Shape
from kemu.render.scene.palette import NONE
from kemu.render.scene.symbols import SYMBOLS

CARD, CARD_WIDTH = 1.4, 0.62  # height to width; how much of a letter's height it is wide
FITS = 0.92  # of the room that is there a text takes up
PIPS = {
    "1": ((0, 0),), "2": ((-1, -1), (1, 1)), "3": ((-1, -1), (0, 0), (1, 1)),
    "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)), "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    "6": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}  # fmt: skip
USUAL = {
    "square": "cell", "hexagon": "cell", "circle": "cell", "polygon": "cell", "tile": "cell", "disc": "stone",
    "line": "line", "curve": "line", "ring": "ink", "arrow": "ink", "text": "quiet", "symbol": "ink",
    "card": "card", "die": "card",
}  # fmt: skip
"""The fill of each kind, if none is said."""
PAINTS = ("fill", "ink", "rib")  # of the parts of symbols; others are colours
RIB = ' stroke-opacity=".55"'
OUTLINED = ("square", "hexagon", "circle", "polygon")  # by a line that belongs to the board


def drawing(shape: Shape, unit: float) -> str:
    """The element, with its origin where the scene has it; `unit`: pixels of a place."""
    body = KINDS[shape.kind](shape, unit)
    name = f"{shape.element}: {shape.text}" if shape.element and shape.text else shape.element
    return f"<g><title>{escape(name)}</title>{body}</g>" if name else body


def used(shape: Shape) -> Iterator[str]:
    """The colours that the element needs."""
    yield from (name for name in (shape.fill or USUAL[shape.kind], shape.edge) if name not in ("", NONE))
    if shape.kind == "symbol":
        yield from (part for _, part in SYMBOLS.get(shape.text, ()) if part not in PAINTS)


def fill(shape: Shape) -> str:
    return paint(shape.fill or USUAL[shape.kind])


def paint(colour: str) -> str:
    return NONE if colour == NONE else f"var(--{colour})"


def stroke(shape: Shape, unit: float, wide: float = 0.025) -> str:
    """The outline: the colour that is said, or a thin line of the board, or a shadow round a piece."""
    usual = "var(--line)" if shape.kind in OUTLINED else rim(shape)
    thick = max(1.0, wide * unit * min(1.0, *shape.size))
    return f'stroke="{paint(shape.edge) if shape.edge else usual}" stroke-width="{thick:.1f}"'


def rim(shape: Shape) -> str:
    """What is round a piece, if nothing is said."""
    colour = shape.fill or USUAL[shape.kind]
    return "var(--edge)" if colour == NONE else f"var(--rim-{colour})"


def turned(shape: Shape, x: float, y: float) -> str:
    return f' transform="rotate({shape.turn:.1f} {x:.1f} {y:.1f})"' if shape.turn else ""


def middle(shape: Shape, unit: float) -> tuple[float, float, float, float]:
    """Where the shape lies, and how large it is, in pixels."""
    (x, y), (wide, high) = shape.at[0], shape.size
    return x * unit, y * unit, wide * unit, high * unit


def written(text: str, x: float, y: float, wide: float, high: float, colour: str) -> str:
    """A text in the middle of a box, as large as fits."""
    size = min(high, FITS * wide / (CARD_WIDTH * max(1, len(text))))
    return (
        f'<text class="mid" x="{x:.1f}" y="{y + 0.355 * size:.1f}" font-size="{size:.1f}" '
        f'font-weight="600" fill="{colour}">{escape(text)}</text>'
    )


def labelled(shape: Shape, unit: float, room: float = 0.62) -> str:
    """What is written on a shape, in a colour that is read on its own."""
    if not shape.text:
        return ""
    x, y, wide, high = middle(shape, unit)
    colour = shape.fill or USUAL[shape.kind]
    ink = "var(--ink)" if colour == NONE else f"var(--on-{colour})"
    return written(shape.text, x, y, wide * 0.94, high * room, ink)


def rectangle(shape: Shape, unit: float, round_: float = 0.0) -> str:
    x, y, wide, high = middle(shape, unit)
    corner = f' rx="{round_ * min(wide, high):.1f}"' if round_ else ""
    return (
        f'<rect x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}"{corner} '
        f'fill="{fill(shape)}" {stroke(shape, unit)}{turned(shape, x, y)}/>'
    )


def square(shape: Shape, unit: float) -> str:
    return rectangle(shape, unit) + labelled(shape, unit)


def tile(shape: Shape, unit: float) -> str:
    return rectangle(shape, unit, 0.14) + labelled(shape, unit)


def circle(shape: Shape, unit: float) -> str:
    x, y, wide, high = middle(shape, unit)
    return (
        f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{wide / 2:.1f}" ry="{high / 2:.1f}" fill="{fill(shape)}" '
        f"{stroke(shape, unit)}{turned(shape, x, y)}/>" + labelled(shape, unit)
    )


def disc(shape: Shape, unit: float) -> str:
    """With a rim, as a wooden piece has."""
    x, y, wide, _ = middle(shape, unit)
    inner = (
        ""
        if shape.text
        else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{wide * 0.33:.1f}" fill="none" stroke="{rim(shape)}" '
        f'stroke-width="1" opacity=".45"/>'
    )
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{wide / 2:.1f}" fill="{fill(shape)}" '
        f"{stroke(shape, unit, 0.035)}/>{inner}" + labelled(shape, unit)
    )


def ring(shape: Shape, unit: float) -> str:
    x, y, wide, _ = middle(shape, unit)
    thick = max(1.5, wide * 0.12)
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{(wide - thick) / 2:.1f}" fill="none" stroke="{fill(shape)}" '
        f'stroke-width="{thick:.1f}"/>' + labelled(shape, unit)
    )


def hexagon(shape: Shape, unit: float) -> str:
    """Two of its sides lie above and below; its neighbours are one place away."""
    x, y, wide, high = middle(shape, unit)
    corners = [
        (x + wide / sqrt(3) * cos(at * pi / 3), y + high / sqrt(3) * sin(at * pi / 3)) for at in range(6)
    ]
    return outline(shape, corners, unit, turned(shape, x, y)) + labelled(shape, unit)


def polygon(shape: Shape, unit: float) -> str:
    return outline(shape, [(x * unit, y * unit) for x, y in shape.at], unit)


def outline(shape: Shape, corners: list[Point], unit: float, more: str = "") -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    paints = f'fill="{fill(shape)}" {stroke(shape, unit)}'
    return f'<polygon points="{points}" {paints} stroke-linejoin="round"{more}/>'


def line(shape: Shape, unit: float) -> str:
    points = " ".join(f"{x * unit:.1f},{y * unit:.1f}" for x, y in shape.at)
    return f'<polyline points="{points}" {_drawn(shape, unit)}/>'


def curve(shape: Shape, unit: float) -> str:
    """Through its first and last point; those between pull it towards them."""
    points = [(x * unit, y * unit) for x, y in shape.at]
    path = f"M{_pair(points[0])}"
    if len(points) == 3:
        path += f"Q{_pair(points[1])} {_pair(points[2])}"
    elif len(points) == 4:
        path += f"C{_pair(points[1])} {_pair(points[2])} {_pair(points[3])}"
    else:
        path += "".join(f"L{_pair(each)}" for each in points[1:])
    return f'<path d="{path}" {_drawn(shape, unit)}/>'


def _pair(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _drawn(shape: Shape, unit: float) -> str:
    wide = max(1.0, shape.size[0] * unit)
    return (
        f'fill="none" stroke="{fill(shape)}" stroke-width="{wide:.1f}" stroke-linecap="round" '
        'stroke-linejoin="round"'
    )


def arrow(shape: Shape, unit: float) -> str:
    """From its first point to its last; at one point, upwards and turned. `size`: how wide the head is."""
    if len(shape.at) == 1:
        (x, y), half = shape.at[0], shape.size[1] / 2
        angle = shape.turn * pi / 180
        ends = [
            (x - half * sin(angle), y + half * cos(angle)),
            (x + half * sin(angle), y - half * cos(angle)),
        ]
        head = shape.size[0] * 0.5
    else:
        ends, head = [shape.at[0], shape.at[-1]], shape.size[0]
    (x1, y1), (x2, y2) = ((x * unit, y * unit) for x, y in ends)
    long, head = hypot(x2 - x1, y2 - y1), head * unit
    if not long:
        return ""
    across, back = head * 0.5, long - head * 0.9
    shaft = head * 0.16
    points = (
        f"0,{shaft:.1f} {back:.1f},{shaft:.1f} {back:.1f},{across:.1f} {long:.1f},0 {back:.1f},{-across:.1f} "
    )
    points += f"{back:.1f},{-shaft:.1f} 0,{-shaft:.1f}"
    return (
        f'<polygon points="{points}" transform="translate({x1:.1f} {y1:.1f}) '
        f'rotate({degrees(atan2(y2 - y1, x2 - x1)):.1f})" fill="{fill(shape)}" {stroke(shape, unit)} '
        'stroke-linejoin="round"/>'
    )


def card(shape: Shape, unit: float) -> str:
    return rectangle(shape, unit, 0.1) + labelled(shape, unit, 0.42)


def die(shape: Shape, unit: float) -> str:
    x, y, wide, _ = middle(shape, unit)
    ink = f"var(--on-{shape.fill or USUAL[shape.kind]})"
    apart, radius = wide * 0.27, wide * 0.09
    pips = "".join(
        f'<circle cx="{x + right * apart:.1f}" cy="{y + down * apart:.1f}" r="{radius:.1f}" fill="{ink}"/>'
        for right, down in PIPS.get(shape.text, ())
    )
    return rectangle(shape, unit, 0.2) + (pips if shape.text in PIPS else labelled(shape, unit))


def text(shape: Shape, unit: float) -> str:
    x, y, wide, high = middle(shape, unit)
    room = wide if len(shape.text) > 1 else max(wide, high)
    return f"<g{turned(shape, x, y)}>{written(shape.text, x, y, room, high, fill(shape))}</g>"


def symbol(shape: Shape, unit: float) -> str:
    x, y, wide, high = middle(shape, unit)
    colour = shape.fill or USUAL[shape.kind]
    inks = {"fill": paint(colour), "ink": f"var(--on-{colour})", "rib": NONE}
    edges = {"rib": f"var(--on-{colour})", "ink": NONE}
    parts = [
        f'<path d="{path}" fill="{inks.get(part) or paint(part)}" '
        f'stroke="{edges.get(part) or (paint(shape.edge) if shape.edge else rim(shape))}" stroke-width="3"'
        f'{RIB if part == "rib" else ""} stroke-linejoin="round" stroke-linecap="round"/>'
        for path, part in SYMBOLS.get(shape.text, ())
    ]
    turn = f" rotate({shape.turn:.1f})" if shape.turn else ""
    return (
        f'<g transform="translate({x:.1f} {y:.1f}){turn} scale({wide / 100:.4f} {high / 100:.4f}) '
        f'translate(-50 -50)">{"".join(parts)}</g>'
    )


KINDS: dict[str, Callable[[Shape, float], str]] = {
    "square": square, "hexagon": hexagon, "circle": circle, "polygon": polygon, "line": line, "curve": curve,
    "arrow": arrow, "disc": disc, "ring": ring, "tile": tile, "card": card, "die": die, "text": text,
    "symbol": symbol,
}  # fmt: skip
