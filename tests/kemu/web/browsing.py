"""The page in a real browser: what serves it, what plays in it, what is looked for on it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
HOW = "no Chromium: `apt-get install chromium` and `pip install playwright` get what this test needs"
WIDE, NARROW = (1280, 800), (375, 812)
HASTE = "const later = setTimeout; window.setTimeout = (does, ms) => later(does, ms > 400 ? ms : 5);"
"""Bots do not pause so that one sees what they did."""

SMALL = """() => [...document.querySelectorAll("button, summary, select, input:not([type=file]), .reach")]
    .map((each) => [each, each.getBoundingClientRect()])
    .filter(([, box]) => box.width && Math.min(box.width, box.height) < 23.9)
    .map(([each, { width, height }]) => `${each.className.baseVal ?? each.textContent} ${width} ${height}`)
    .slice(0, 3)"""
"""What can be touched and takes up less than 24 pixels."""


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """`kemu table` with these arguments; its address."""
    command = [sys.executable, "-m", "kemu", "table", *arguments, "--no-browser"]
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=unbuffered) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)


@contextmanager
def handed_out(folder: Path) -> Iterator[str]:
    """A folder behind a plain web server; its address."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "-b", "127.0.0.1", "-d", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split("(")[1].split(")")[0]
        try:
            yield address
        finally:
            server.terminate()


@contextmanager
def browsing() -> Iterator[Any]:
    """Chromium, driven by playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page in the browser, and somebody who plays there by chance; `faults`: what went wrong."""

    def __init__(self, browser: Any, size: tuple[int, int] = WIDE, dark: bool = False, seed: int = 1) -> None:
        wide, high = size
        self.page = browser.new_page(
            viewport={"width": wide, "height": high},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            has_touch=size == NARROW,
        )
        self.page.set_default_timeout(60_000)
        self.page.add_init_script(HASTE)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._heard)
        self.random = Random(seed)

    def _heard(self, told: Any) -> None:
        """What the browser complains of, but for what the table refuses: that is said on the page."""
        if told.type == "error" and "status of 400" not in told.text:
            self.faults.append(told.text)

    def settled(self) -> None:
        """When the page waits for a person."""
        self.page.wait_for_selector("body:not([aria-busy])")

    def begin(self, address: str, game: str, seats: str = "random") -> None:
        """Chooses a game, and who plays the others; begins."""
        self.page.goto(address)
        self.page.wait_for_selector("#begin:enabled")
        if self.page.locator("#game option").count() > 1:
            self.page.select_option("#game", game)
            self.settled()
        for other in self.page.locator("#seats select").all()[1:]:
            known = other.locator(f"option[value='{seats}']").count()
            other.select_option(seats if known else "random")
        self.page.click("#begin")
        self.page.wait_for_selector("#play:not([hidden])")
        self.settled()

    @property
    def over(self) -> bool:
        return bool(self.page.locator("#menu button", has_text="Play again").count())

    def offered(self) -> list[Any]:
        """What can be picked: on the board, and beside it."""
        beside = self.page.locator("#menu button:not(.back, .why-now)")
        return [*self.page.locator("g.legal[tabindex]").all(), *beside.all()]

    def pick(self, by_keyboard: bool = False) -> None:
        """One thing that can be picked."""
        every = self.offered()
        assert every, f"nothing can be picked: {self.page.inner_text('#status')}"
        chosen = self.random.choice(every)
        if by_keyboard:
            chosen.press("Enter")
        else:
            chosen.click(timeout=4000)
        self.settled()
        said = self.page.inner_text("#error") if self.page.locator("#error:not([hidden])").count() else ""
        if said:
            self.faults.append(f"refused: {said}")

    def blamed(self) -> list[str]:
        """What axe-core finds serious or worse, and whether anything stands out to the right."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        told = [
            f"{each['id']} ({each['impact']}): {each['help']}: {each['nodes'][0]['html'][:160]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        sizes = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if self.page.viewport_size["width"] == NARROW[0]:
            told += [f"too small for a finger: {each}" for each in self.page.evaluate(SMALL)]
        return told + ([f"scrolls to the right: {sizes}"] if sizes[0] > sizes[1] else [])
