"""Verdicts as one page of HTML that needs nothing else: what was asked and found, plays by their boards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.play.trace import trace
from kemu_grammar.game.rulebook import Statement
from kemu_verifier.goal.verdict import Verdict

from kemu.render import stepped
from kemu.render.stepped import Plays, items, text
from kemu.render.verdicts import answer, assumptions, summary
from kemu.render.words import instance
from kemu.service.runs import played_in

HOW = {
    "proved": "It holds in every reachable state, however long the play.",
    "refuted": "A play that breaks it is shown below; the interpreter has played it again.",
    "possible": "A play that gets there is shown below; the interpreter has played it again.",
    "impossible": "No reachable state is so.",
    "not inductive": "No proof, and no play that breaks it: a step leads from a state that no known invariant"
    " excludes into one that breaks it. It may be unreachable.",
    "holds to depth": "No play of up to so many steps breaks it; of longer ones nothing is known.",
    "sampled": "No random game broke it. That is no proof.",
    "unknown": "Nothing was found out within the time.",
    "not applicable": "The instance has nothing that the question speaks of.",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a page is about: a game, its instance's name if it has one, the statements of its rulebook."""

    game: Game
    instance: str = ""
    statements: Mapping[str, Statement] | None = None


def page(
    subject: Subject,
    verdicts: Sequence[Verdict],
    invariants: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The page; `invariants`: by stop."""
    game = subject.game
    own = [verdict for verdict in verdicts if not verdict.standard]
    asked = [verdict for verdict in verdicts if verdict.standard]
    made = Page(subject)
    number = {id(verdict): at for at, verdict in enumerate(verdicts)}
    body = [
        f"<h1>{text(game.title)}</h1>",
        f'<p class="soft">{text(f"{subject.instance}: " if subject.instance else "")}{text(instance(game))}'
        f" · program <code>{game.hash[:12]}</code> · kemu {version('kemu')}</p>",
        f'<p class="told">{text(summary(verdicts))}</p>',
    ]
    for title, some in (("What the rules file claims", own), ("What is asked of every game", asked)):
        if some:
            body += [f"<h2>{title}</h2>", table(some, number)]
    resting = assumptions(verdicts)
    if resting:
        body += ["<h2>Assumed</h2>", items(resting)]
    body.append("<h2>What stands behind it</h2>")
    body += [made.card(verdict, number[id(verdict)]) for verdict in (*own, *asked)]
    if invariants:
        body.append("<h2>Invariants</h2><p class='soft'>What proofs by induction rest on, by stop.</p>")
        for stop, words in invariants.items():
            body.append(f"<details><summary>{text(stop)}: {len(words)}</summary>{items(words)}</details>")
    return stepped.page(f"{game.title}: verdicts", [*body, *made.plays.closing()])


def badge(verdict: Verdict) -> str:
    kind = "none" if verdict.kind == "not applicable" else "good"
    if verdict.exit_code:
        kind = "bad" if verdict.surprise else "weak"
    return f'<span class="badge {kind}">{text(answer(verdict))}</span>'


def table(verdicts: Sequence[Verdict], number: Mapping[int, int]) -> str:
    """A row a verdict, with a link to what stands behind it."""
    rows = []
    for verdict in verdicts:
        said = f'<span class="soft">{wanted(verdict)}</span>' if wanted(verdict) else ""
        by = f'<span class="soft">{text(verdict.by)}</span>' if verdict.by else ""
        rows.append(
            f'<tr><td><a href="#v{number[id(verdict)]}">{text(verdict.property)}</a>{by}</td>'
            f"<td>{badge(verdict)}{said}</td><td>{verdict.seconds:.2f}</td></tr>"
        )
    head = "<thead><tr><th>property</th><th>verdict</th><th>seconds</th></tr></thead>"
    return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"


def wanted(verdict: Verdict) -> str:
    """What is to be said of what was hoped for: nothing where that goes without saying."""
    if verdict.exit_code:
        return f"wanted: {text(verdict.wanted)}"
    return "as expected" if verdict.expected and verdict.kind != "not applicable" else ""


class Page:
    """The parts of a page that know of each other."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.plays = Plays(subject.statements)

    def card(self, verdict: Verdict, number: int) -> str:
        """Everything about one verdict."""
        span = verdict.origin.span
        out = [f'<article id="v{number}"><header><h3>{text(verdict.property)}</h3>{badge(verdict)}']
        out.append(f'<span class="soft">{self.plays.cites(verdict.origin.cites)}</span></header>')
        lines = self.subject.game.program.sources.get(span.file, "").splitlines()
        of_action = verdict.standard and verdict.property.startswith("action_")
        if span.line and span.line <= len(lines) and not of_action:
            source = "\n".join(lines[span.line - 1 : max(span.line, min(span.end_line, span.line + 6))])
            out.append(f"<pre>{text(source)}</pre>")
        how = HOW[verdict.kind]
        expected = f" Expected was: {verdict.wanted}." if verdict.exit_code else ""
        by = f" Shown by: {verdict.by}." if verdict.by else ""
        out.append(f"<p>{text(how + by + expected)}</p>")
        out.append(detailed(verdict.detail))
        if verdict.assumptions:
            out.append(f"<p>Assumed:</p>{items(verdict.assumptions)}")
        if verdict.steps is not None:
            game, start = played_in(self.subject.game, verdict)
            out.append(self.plays.play(trace(game, verdict.steps, start), verdict.kind == "possible"))
        if verdict.state_json is not None:
            boards = [
                self.plays.figure(f"state {at}", self._state(each))
                for at, each in enumerate(verdict.state_json, 1)
            ]
            out.append(f'<div class="play">{"".join(boards)}</div>')
        return "".join(out) + "</article>"

    def _state(self, json: object) -> State:
        return self.subject.game.state(json)


def detailed(detail: str) -> str:
    """What a verdict says besides: lists of invariants as lists."""
    out = []
    for part in re.split(r"\. (?=at |invariants:)", detail):
        title, sign, rest = part.partition(": ")
        if sign and re.match(r"invariants$|at \S+", title):
            words = rest.split("; ")
            out.append(f"<details><summary>{text(title)}: {len(words)}</summary>{items(words)}</details>")
        elif part:
            out.append(f"<p>{text(part)}</p>")
    return "".join(out)
