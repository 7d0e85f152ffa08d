"""Findings as one page of HTML that needs nothing else, with the games to step through under both answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kemu_grammar.game.rulebook import Statement
from markdown_it import MarkdownIt

from kemu.render import stepped
from kemu.render.findings_games import Played

SHOWN = 10
"""Steps of a game before its answers part that are shown."""
PLACE = re.compile(r"<p>PLAY(\d+)</p>")
ANCHOR = re.compile(r"<p>&lt;a id=&quot;([\w-]+)&quot;&gt;&lt;/a&gt;</p>")


class Examples:
    """The games of a page: they stand in its text by number until it is HTML."""

    def __init__(self, statements: Mapping[str, Statement]) -> None:
        self.plays = stepped.Plays(statements)
        self.written: list[str] = []

    def show(self, game: Played, where: str) -> Iterator[str]:
        """In place of moves and a position in text."""
        yield f"*Example* ({where})."
        yield from ("", f"PLAY{len(self.written)}")
        skip = max(0, min(game.choice.fork, len(game.left.steps)) - SHOWN)
        self.written.append(self.plays.play(game.left, other=game.right, skip=skip))

    def page(self, title: str, markdown: str) -> str:
        """The whole page; what the text has of HTML stays text."""
        reader = MarkdownIt("commonmark", {"html": False}).enable("table")
        body = ANCHOR.sub(r'<a id="\1"></a>', reader.render(markdown))
        body = PLACE.sub(lambda found: self.written[int(found[1])], body)
        return stepped.page(title, [body, *self.plays.closing()])
