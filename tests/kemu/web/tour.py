"""Games played in the page, in Chromium, from the first click to the end, with pictures to look at.

python -m tests.kemu.web.tour FOLDER [GAME ...] [--exported] [--width phone]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kemu.web.export import export

from tests.kemu.web.browsing import CHROMIUM, HOW, NARROW, WIDE, Tab, browsing, handed_out, served

GAMES = (
    "moeraki-kemu", "mahe", "maori", "tongiaki", "chess", "hex", "kuhn-poker", "backgammon", "connect-four",
    "nine-mens-morris",
)  # fmt: skip
BY_KEYBOARD = "hex"
Looks = tuple[tuple[tuple[str, tuple[int, int]], bool], ...]
LOOKS: Looks = tuple(product((("desktop", WIDE), ("phone", NARROW)), (False, True)))
MOST = 3000  # picks in a game


def tour(
    folder: Path, games: list[str], seats: str, exported: bool = False, looks: Looks = LOOKS
) -> Iterator[str]:
    """Plays the games, one after another; a line of each, and of each thing that is wrong. `exported`: each
    as a page that needs no server of ours; `looks`: width, and whether by night, of the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as open_, browsing() as browser:
        address = "" if exported else open_.enter_context(served())
        for number, game in enumerate(games):
            (_, size), dark = looks[number % len(looks)]
            tab = Tab(browser, size, dark, number)
            began = time.monotonic()
            if exported:
                site = open_.enter_context(TemporaryDirectory())
                export(game, Path(site))
                address = open_.enter_context(handed_out(Path(site)))
            try:
                picks = played(tab, address, game, seats, folder, looks)
                end = tab.page.inner_text("#status")
                yield f"{game}: {picks} picks in {time.monotonic() - began:.0f} s: {end}"
            except Exception as error:
                tab.page.screenshot(path=folder / f"{game}-broken.png")
                yield f"{game}: BROKEN: {error}"
            yield from (f"    {fault}" for fault in dict.fromkeys(tab.faults))
            tab.page.close()


def played(tab: Tab, address: str, game: str, seats: str, folder: Path, looks: Looks) -> int:
    """A whole game; how much was picked."""
    tab.begin(address, game, seats)
    pictures(tab, folder, f"{game}-1-begun", looks)
    begun = False  # whether an action was seen half picked
    for picks in range(MOST):
        if tab.over:
            pictures(tab, folder, f"{game}-4-over", looks)
            return picks
        tab.pick(game == BY_KEYBOARD)
        if picks == 4 and not tab.over:
            buttons(tab, folder, game, looks)
        if picks == 25:
            pictures(tab, folder, f"{game}-3-middle", looks)
        if not begun and tab.page.locator("#menu button.back").count():
            begun = True
            pictures(tab, folder, f"{game}-2-picking", looks)
    raise AssertionError(f"no end after {MOST} picks")


def buttons(tab: Tab, folder: Path, game: str, looks: Looks) -> None:
    """Hint, why, undo, save and load, link; what cannot be done has to be said in words."""
    page: Any = tab.page
    for button in ("#hint:enabled", ".why-now", "#log li:last-child .entry", "#undo:enabled"):
        if page.locator(button).count():
            page.click(button)
            tab.settled()
            refused = page.locator("#error:not([hidden])")
            if refused.count():
                print(f"    {game} {button}: {refused.inner_text()}")
            if button != "#undo:enabled":
                pictures(tab, folder, f"{game}-5-{button.strip('#.').split(':')[0].split()[0]}", looks)
    steps = page.locator("#log .entry").count()
    page.click("#link")
    tab.settled()
    if page.locator("#address").count():
        with page.expect_download() as kept:
            page.click("#save")
        tab.settled()
        page.set_input_files("#file", kept.value.path())
        page.wait_for_timeout(200)
        tab.settled()
        if page.locator("#log .entry").count() < steps:
            tab.faults.append(f"{game}: a saved game that was loaded is shorter")


def pictures(tab: Tab, folder: Path, name: str, looks: Looks) -> None:
    """The page at each width, by day and by night; what is wrong with it."""
    page: Any = tab.page
    was = page.viewport_size
    for (look, (wide, high)), dark in looks:
        page.set_viewport_size({"width": wide, "height": high})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.wait_for_timeout(60)
        shot = f"{name}-{look}-{'dark' if dark else 'light'}"
        page.screenshot(path=folder / f"{shot}.png", full_page=look == "phone")
        tab.faults += [f"{shot}: {each}" for each in tab.blamed()]
    page.set_viewport_size(was)


def main() -> int:
    parser = argparse.ArgumentParser(description="Games played in the page, with pictures of them.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--exported", action="store_true", help="each game as an exported page")
    parser.add_argument("--seats", default="random", help="who plays the others: random, mcts:100")
    parser.add_argument("--width", choices=("desktop", "phone"), help="of the pictures; both, if not said")
    asked = parser.parse_args()
    if not CHROMIUM:
        print(HOW)
        return 1
    wrong = 0
    looks = tuple(each for each in LOOKS if asked.width in (None, each[0][0]))
    for line in tour(asked.folder, list(asked.games), asked.seats, asked.exported, looks):
        print(line, flush=True)
        wrong += line.startswith("    ") or "BROKEN" in line
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
