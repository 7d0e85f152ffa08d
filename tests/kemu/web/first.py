"""Seconds from `kemu table GAME` to the first board on the screen, in a browser that is open already.

python -m tests.kemu.web.first GAME ...     the second time with a warm cache
"""

from __future__ import annotations

import sys
import time
from typing import Any

from tests.kemu.web.browsing import CHROMIUM, HOW, browsing, served


def first(browser: Any, game: str) -> tuple[float, float, float]:
    """Until the address is said, the game can be begun, and the board is there."""
    page = browser.new_page()
    began = time.monotonic()
    with served(game) as address:
        told = time.monotonic()
        page.goto(address)
        page.wait_for_selector("#begin:enabled")
        ready = time.monotonic()
        page.click("#begin")
        page.wait_for_selector("#boards svg")
        there = time.monotonic()
    page.close()
    return told - began, ready - began, there - began


def main() -> int:
    if not CHROMIUM:
        print(HOW)
        return 1
    with browsing() as browser:
        for game in sys.argv[1:]:
            told, ready, there = min((first(browser, game) for _ in range(4)), key=lambda each: each[2])
            print(f"{game}: the address {told:.2f} s, the page {ready:.2f} s, the board {there:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
