"""The page in Chromium: a game by keyboard alone, to its end, with nothing that axe-core calls serious; why;
a link with the whole game; the same pictures as Python draws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from kemu.render.scene.data import Board, Point, Shape, as_json
from kemu.render.scene.data import Scene as Picture
from kemu.render.scene.drawing import KINDS, drawing

from tests.kemu.web.browsing import CHROMIUM, HOW, NARROW, Tab, browsing, served

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason=HOW)]
UNIT = 100  # of the page's pictures


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served("tic-tac-toe") as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    pytest.importorskip("playwright.sync_api", reason=HOW)
    with browsing() as found:
        yield found


def test_a_game_is_played_by_keyboard_to_its_end_and_told_by_a_link(address: str, browser: Any) -> None:
    tab = Tab(browser, NARROW)
    page = tab.page
    page.goto(address)
    page.wait_for_selector("#begin:enabled")
    blamed = tab.blamed()
    page.select_option("#seats label:nth-of-type(2) select", "random")
    page.press("#begin", "Enter")
    page.wait_for_selector("g.legal")
    tab.settled()
    blamed += tab.blamed()
    while not tab.over:
        tab.pick(by_keyboard=True)
    assert re.search("wins|tie", page.inner_text("#status"))
    page.press("#log li:last-child .entry", "Enter")
    assert "choose put" in page.inner_text("#log .why")
    blamed += tab.blamed()
    page.press("#link", "Enter")
    link, log = page.input_value("#address"), page.inner_text("#log li:nth-child(2)")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("#play:not([hidden])")
    tab.settled()
    assert tab.over and page.inner_text("#log li:nth-child(2)") == log
    assert not tab.faults and not blamed
    page.close()


def shapes() -> Iterator[Shape]:
    """Of every kind: plain, and with all that can be said of one."""
    points: tuple[Point, ...] = ((1.0, 1.0), (3.0, 2.0), (2.0, 4.0))
    for kind in KINDS:
        at = points if kind in ("polygon", "line", "curve", "arrow") else points[:1]
        size = (0.1, 0.1) if kind in ("line", "curve") else (1.2, 0.8)
        name = "canoe" if kind == "symbol" else "3" if kind == "die" else "word"
        text = "" if kind in ("polygon", "line", "curve", "arrow") else name
        yield Shape(kind, at, size, text="x" if kind == "text" else name if kind == "symbol" else "")
        yield Shape(kind, at, size, "blue", "red", text, 30.0, "Cell", "(1, 2)")
    yield Shape("arrow", points[:1], (0.4, 0.8), turn=120.0)
    yield Shape("curve", (*points, (5.0, 1.0)), (0.1, 0.1), "red")
    yield Shape("die", points[:1], (1.0, 1.0), "none", "", "12")


COMPARED = """async ([board, theirs]) => {
  const { drawn } = await import("/scene.js");
  const { symbols } = await (await fetch("/drawing.json")).json();
  const rules = new CSSStyleSheet();
  rules.replaceSync("svg.x { font-family: sans-serif } .mid { text-anchor: middle }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules];
  const space = "http://www.w3.org/2000/svg";
  const put = (inside) => {
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("class", "x");
    svg.append(inside);
    document.body.append(svg);
    return inside;
  };
  const told = (top) => [...top.querySelectorAll(":not(g, title)")].map((each) => {
      const box = each.getBBox(), at = each.getCTM();
      const look = ["fill", "stroke", "opacity", "stroke-opacity", "stroke-linejoin"].map((name) =>
        each.getAttribute(name)?.replace(/^0?\\./, "."));
      const wide = Number(each.getAttribute("stroke-width"));
      const corner = new DOMPoint(box.x, box.y).matrixTransform(at);
      const other = new DOMPoint(box.x + box.width, box.y + box.height).matrixTransform(at);
      return { name: each.localName.replace("circle", "ellipse"), look, wide, text: each.textContent,
        where: [corner.x, corner.y, other.x, other.y] };
    });
  const reader = new DOMParser();
  const parsed = (text) =>
    reader.parseFromString(`<svg xmlns="${space}">${text}</svg>`, "image/svg+xml").documentElement;
  const title = (top) => top.querySelector("title")?.textContent ?? "";
  return board.shapes.map((shape, at) => {
    const mine = put(drawn({ ...board, shapes: [shape] }, symbols).firstElementChild);
    const python = put(document.importNode(parsed(theirs[at]), true));
    const titles = [title(mine), title(python)];
    const pair = { kind: shape.kind, mine: told(mine), python: told(python), titles };
    mine.parentNode.remove();
    python.parentNode.remove();
    return pair;
  });
}"""


def test_the_page_draws_every_shape_as_python_does(address: str, browser: Any) -> None:
    tab = Tab(browser)
    tab.page.goto(address)
    every = [*shapes()]
    board = Board("all", (0.0, 0.0, 6.0, 5.0), tuple(every))
    data = as_json(Picture("all", "", (), (board,)))["boards"][0]
    for pair in tab.page.evaluate(COMPARED, [data, [drawing(each, UNIT) for each in every]]):
        kind = pair["kind"]
        assert pair["mine"] and pair["titles"][0] == pair["titles"][1], kind
        assert [each["name"] for each in pair["mine"]] == [each["name"] for each in pair["python"]], kind
        for mine, python in zip(pair["mine"], pair["python"], strict=True):
            assert (kind, mine["look"], mine["text"]) == (kind, python["look"], python["text"])
            assert mine["wide"] == pytest.approx(python["wide"], abs=0.6), kind
            assert mine["where"] == pytest.approx(python["where"], abs=0.6), kind
    assert not tab.faults
    tab.page.close()


PICKED = """async () => {
  const { Picking } = await import("/picking.js");
  const actions = [{ name: "go", args: ["1"], text: "go(1)" }, { name: "go", args: ["2"], text: "go(2)" }];
  const picks = [{ action: "go", parameter: "c", domains: ["Cell"] }];
  const picking = new Picking(actions, { go: ["c"] }, picks);
  const there = new Set(["Cell\\n1\\nann", "Cell\\n1\\nben", "Cell\\n2"]);
  return [[...picking.places(there, "ann").keys()], picking.values(there, "ann")];
}"""


def test_what_is_shown_for_each_player_is_picked_on_his_own(address: str, browser: Any) -> None:
    tab = Tab(browser)
    tab.page.goto(address)
    assert tab.page.evaluate(PICKED) == [["Cell\n1\nann", "Cell\n2"], []]
    tab.page.close()


RING = """async (shapes) => {
  const { shown } = await import("/board.js");
  const action = { name: "go", args: ["tonga"], text: "go(tonga)" };
  const places = new Map([["Isle\\ntonga", [action]]]);
  const look = { places, chosen: [], at: 0, changed: new Set(), take: () => {} };
  const made = shown({ title: "x", box: [0, 0, 2, 2], shapes }, {}, look);
  const ring = made.querySelector(".round") ?? made.querySelector(".mark");
  return ["cx", "cy", "r"].map((name) => Number(ring.getAttribute(name)) / 100);
}"""


def test_what_is_written_on_a_thing_is_marked_round_the_thing(address: str, browser: Any) -> None:
    """A ring round the words would go through what else is written there."""
    land = Shape("circle", ((1.0, 1.0),), (0.6, 0.6), "land", "", "", 0.0, "Isle", "tonga")
    words = [
        Shape("text", ((1.0, down),), (0.4, 0.1), "ink", "", text, 0.0, "Isle", "tonga")
        for down, text in ((0.9, "4"), (1.1, "tonga"))
    ]
    assert marked(address, browser, land, *words) == pytest.approx([1.0, 1.0, 0.6 * 0.58])


def test_what_lies_beside_each_other_for_one_thing_is_marked_in_its_middle(
    address: str, browser: Any
) -> None:
    """Boats on a beach, not the one drawn last; what is elsewhere for the same thing is another matter."""
    boats = [
        Shape("symbol", (at,), (0.2, 0.2), "blue", "", "boat", 0.0, "Isle", "tonga")
        for at in ((1.7, 0.3), (0.9, 1.0), (1.1, 1.0), (1.0, 1.2))
    ]
    assert marked(address, browser, *boats)[:2] == pytest.approx([1.0, 1.1])
    cell = Shape("square", ((1.0, 1.0),), (1.0, 1.0), "water", "", "", 0.0, "Isle", "tonga")
    shell = Shape("symbol", ((1.3, 1.3),), (0.2, 0.2), "white", "", "shell", 0.0, "Isle", "tonga")
    assert marked(address, browser, cell, shell)[:2] == [1.0, 1.0]


def marked(address: str, browser: Any, *shapes: Shape) -> Any:
    """Where the mark of what is drawn so lies, and its radius."""
    tab = Tab(browser)
    tab.page.goto(address)
    data = as_json(Picture("all", "", (), (Board("x", (0.0, 0.0, 2.0, 2.0), shapes),)))["boards"][0]
    found = tab.page.evaluate(RING, data["shapes"])
    tab.page.close()
    return found
