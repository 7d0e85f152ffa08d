"""`kemu verify --report`: one page of HTML that needs nothing else."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.kemu.conftest import COIN, CROSSES, Run

VOID = {"meta", "br", "input", "link"}


class Reader(HTMLParser):
    """Checks that elements nest; collects identifiers, links and what is loaded from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.count: dict[str, int] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.count[tag] = self.count.get(tag, 0) + 1
        self.ids += [given["id"]] if given.get("id") else []  # type: ignore[list-item]
        self.links += [given["href"]] if given.get("href") else []  # type: ignore[list-item]
        assert not given.get("src") and tag != "link"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def page(kemu: Run, tmp_path: Path) -> str:
    assert kemu("verify", CROSSES, "--seconds", "5", "--report", "page.html").code == 0
    return (tmp_path / "page.html").read_text("utf-8")


def test_the_page_is_whole_and_loads_nothing(page: str) -> None:
    read = Reader(page)
    assert len(set(read.ids)) == len(read.ids)
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)
    assert not re.search(r"https?://|@import|url\(", page)


def test_every_verdict_has_a_row_and_what_stands_behind_it(page: str) -> None:
    for name, kind in (("one_winner", "proved"), ("always_decided", "refuted"), ("no_fault", "proved")):
        row = re.search(rf'<a href="#(v\d+)">{name}</a>.*?</tr>', page)
        assert row and kind in row[0]
        assert f'<article id="{row[1]}">' in page
    assert "as expected" in page


def test_a_play_is_shown_step_by_step_as_boards(page: str) -> None:
    card = re.search(r"<h3>always_decided</h3>.*?</article>", page, re.S)
    assert card
    assert card[0].count('<figure class="step">') == 10
    assert card[0].count("<svg") == 10
    assert "End: a tie" in card[0] and card[0].count('class="n"') == 9


def test_names_cannot_break_out_of_the_page(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "x.kemu").write_text(
        'game "<script>alert(1)</script>"\nplayers ann, bob\nrules:\n    for p in turns():\n'
        "        choose stop\n        end win(p)\n"
    )
    assert kemu("verify", "x.kemu", "--seconds", "2", "--report", "x.html").code in (0, 1, 4)
    assert "<script>alert" not in (tmp_path / "x.html").read_text("utf-8")


def test_a_page_that_cannot_be_written_is_told_plainly(kemu: Run, tmp_path: Path) -> None:
    done = kemu("verify", COIN, "--seconds", "2", "--report", "nowhere/x.html")
    assert done.code == 64 and "nowhere/x.html" in done.err
    assert kemu("verify", COIN, "--all", "--report", "x.html").code == 64
