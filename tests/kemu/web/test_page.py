"""The page in Chromium: a game by keyboard alone, to the end; the same picture as Python draws."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
HOW = "no Chromium: `apt-get install chromium` and `pip install playwright` get what this test needs"
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason=HOW)]


@pytest.fixture
def address() -> Iterator[str]:
    command = [sys.executable, "-m", "kemu", "table", "tic-tac-toe", "--no-browser"]
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=unbuffered) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        yield found[0]
        server.send_signal(signal.SIGINT)


@pytest.fixture
def page() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason=HOW)
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 390, "height": 844})
        opened.set_default_timeout(60_000)
        yield opened
        browser.close()


def test_a_game_is_played_by_keyboard_to_its_end(address: str, page: Any) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    page.goto(address)
    page.wait_for_selector("#begin:enabled")
    page.select_option("#seats label:nth-of-type(2) select", "random")
    page.press("#begin", "Enter")
    for _ in range(5):
        page.wait_for_selector("g.legal[tabindex], #menu button.main")
        if page.locator("#menu button.main").count():
            break
        steps = page.locator("#log li").count()
        page.locator("g.legal[tabindex]").first.press("Enter")
        page.wait_for_selector(f"#log li:nth-child({steps + 1})")
        page.wait_for_selector("body:not([aria-busy])")
    assert page.locator("#menu button.main").inner_text() == "Play again"
    assert re.search("wins|tie", page.inner_text("#status"))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not faults
