"""Two browsers at a table over a network; the server is killed in the middle, and they play on."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
HOW = "no Chromium: `apt-get install chromium` and `pip install playwright` get what this test needs"
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason=HOW)]
LEGAL = "g.legal[tabindex]"


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """The address, what kills the server, and what starts it again."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        here = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "kemu", "table", "tic-tac-toe", "--serve", here]
    command += ["--journal", str(tmp_path / "journal")]
    running = [subprocess.Popen(command, env={**os.environ, "PYTHONUNBUFFERED": "1"})]

    def kill() -> None:
        running[-1].kill()
        running[-1].wait()

    yield f"http://{here}/", kill, lambda: running.append(subprocess.Popen(command))
    kill()


@pytest.fixture
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason=HOW)
    with sync_api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def reached(browser: Any, address: str) -> Any:
    page = browser.new_context().new_page()
    page.set_default_timeout(60_000)
    for _ in range(100):
        try:
            page.goto(address)
            break
        except Exception:  # the server is not there yet
            page.wait_for_timeout(300)
    return page


def test_two_browsers_play_and_the_server_is_killed(
    browser: Any, serving: tuple[str, Callable[[], None], Callable[[], None]]
) -> None:
    address, kill, start = serving
    cross = reached(browser, address)
    cross.wait_for_selector("#begin:enabled")
    cross.press("#begin", "Enter")
    cross.wait_for_selector("#together >> text=nought has not come yet")
    kept = cross.evaluate("Object.entries(sessionStorage)")
    links = json.loads(kept[0][1])
    nought, watching = (reached(browser, f"{address}#{links[each]}") for each in ("nought", ""))
    nought.click("text=Take the seat")
    nought.wait_for_selector("#menu >> text=Waiting for cross")
    cross.wait_for_selector("#together >> text=nought is here")
    cross.locator(LEGAL).first.press("Enter")
    nought.wait_for_selector(LEGAL)
    kill()
    nought.wait_for_selector("text=Connection lost")
    start()
    nought.locator(LEGAL).first.press("Enter")
    cross.wait_for_selector("#log li:nth-child(2)")
    cross.wait_for_selector(LEGAL)
    assert "You are nought" in nought.inner_text("#together")
    watching.wait_for_selector("#log li:nth-child(2)")
    assert watching.locator(".changed").count() == 1  # whoever watches sees the last step
    nought.reload()
    nought.wait_for_selector("#log li:nth-child(2)")


def test_a_bot_is_seen_to_think_and_a_seat_in_too_many_windows_is_told_so(
    browser: Any, serving: tuple[str, Callable[[], None], Callable[[], None]]
) -> None:
    first = reached(browser, serving[0])
    first.wait_for_selector("#begin:enabled")
    first.select_option("#seats label:nth-of-type(2) select", "mcts:1s")
    first.press("#begin", "Enter")
    first.locator(LEGAL).first.press("Enter")
    first.wait_for_selector("#menu >> text=nought is thinking")
    first.wait_for_selector("#log li:nth-child(2)")
    others = [reached(browser, first.url) for _ in range(4)]
    first.wait_for_selector("text=open in too many other windows")
    first.click("text=Go on here")
    others[0].wait_for_selector("text=open in too many other windows")
    others[0].locator(LEGAL).first.press("Enter")  # who plays there is there
    others[3].wait_for_selector("#log li:nth-child(4)")
    assert others[0].locator("#log li").count() == 4


def test_who_leaves_a_table_and_comes_back_hears_of_all_once(
    browser: Any, serving: tuple[str, Callable[[], None], Callable[[], None]]
) -> None:
    page = reached(browser, serving[0])
    page.wait_for_selector("#begin:enabled")
    page.select_option("#seats label:nth-of-type(2) select", "random")
    page.press("#begin", "Enter")
    page.wait_for_selector(LEGAL)
    seat = page.url.partition("#")[2]
    for _ in range(2):
        page.press("#other", "Enter")
        page.wait_for_selector("#begin:enabled")
        page.evaluate(f"location.hash = '{seat}'")
        page.wait_for_selector(LEGAL)
    for step in (2, 4):
        page.locator(LEGAL).first.press("Enter")
        page.wait_for_selector(f"#log li:nth-child({step})")
        page.wait_for_selector(LEGAL)
    told = page.locator("#log li").all_inner_texts()
    assert len(set(told)) == len(told) == 4
