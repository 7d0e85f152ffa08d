"""What `kemu verify` writes down for others: bundles of evidence, and pages of HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote

import click
from kemu_engine.play.game import Game
from kemu_grammar.game import rulebook as statements
from kemu_grammar.game.beside import beside
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.game.rulebook import Statement
from kemu_grammar.source.diagnostics import RulesError
from kemu_verifier.evidence.examine import Examination, Found
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.verify import USUAL, Effort

from kemu.base.writing import writable, write
from kemu.cli.progress import Watch
from kemu.render.report import Subject, page
from kemu.service import bundle


@dataclass(slots=True)
class Artifacts:
    """What to write about one instance: a bundle to a folder, a page to a file, or neither."""

    rules: Rules
    game: Game
    instance: str
    seconds: float
    folder: Path | None
    html: Path | None
    _examined: Examination | None = field(default=None, init=False)

    def verdicts(
        self,
        game: Game,
        names: Sequence[str] | None,
        seconds: float,
        progress: Callable[[str], None],
        standard: bool,
        effort: Effort = USUAL,
        shared: dict[str, float] | None = None,
    ) -> Iterator[Verdict]:
        """As `verify`, but what proves them is kept."""
        self._examined = Examination(game, names, seconds, progress, standard, effort, shared)
        yield from self._examined.verdicts()

    def ready(self) -> None:
        """Raises BadInput if something could not be written."""
        if self.html is not None:
            writable(self.html)
        if self.folder is not None:
            bundle.ready(self.folder)

    def write(self, found: Sequence[Verdict]) -> None:
        """Writes the bundle and the page, if they were asked for. Raises BadInput."""
        proofs = None
        if self.folder is not None and self._examined is not None:
            proofs = self._proofs(self._examined)
            bundle.write(bundle.files_of(self._examined, proofs, self.rules, self.seconds), self.folder)
            click.echo(f"written: kemu recheck {quote(str(self.folder))}", err=True)
        if self.html is not None:
            about = Subject(self.game, self.instance, rulebook(self.rules))
            told = page(about, found, proofs.invariants if proofs else None)
            write(self.html, told.encode())
            click.echo(f"written: {self.html}", err=True)

    def rescue(self, found: Sequence[Verdict]) -> None:
        """Writes what was found before an interrupt; what is there already, which may be whole, stays as it
        is. Raises BadInput."""
        for path in (self.folder, self.html):
            if path is not None and (any(path.iterdir()) if path.is_dir() else path.exists()):
                click.echo(f"not written: {path} is there already, and this run was not finished", err=True)
                return
        if found:
            self.write(found)

    def _proofs(self, examined: Examination) -> Found:
        with Watch() as watch:
            examined.context.progress = watch.show
            return examined.proofs()


def rulebook(rules: Rules) -> dict[str, Statement]:
    """The statements of the rules.md beside a rules file, by number; empty if it is missing or
    malformed."""
    try:
        path = beside(rules.file)
        return {} if path is None else {s.number: s for s in statements.load(path).statements}
    except (OSError, RulesError):
        return {}
