"""Verdicts as one page of HTML that needs nothing else: what was asked and found, plays by their boards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from importlib.resources import files

from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.trace import Change, Trace, TraceStep, trace
from kemu_grammar.game.rulebook import Statement
from kemu_verifier.goal.verdict import Verdict

from kemu.base.words import counted
from kemu.render.drawn_steps import DrawnSteps
from kemu.render.trace import everything, written
from kemu.render.turn import chance
from kemu.render.verdicts import answer, assumptions, summary
from kemu.render.words import ending, instance
from kemu.service.runs import played_in

ROOM = 4_000_000  # characters of boards; plays beyond show their last board only
CHANGES = 12  # of a step that are told
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
    body += [*made.cited(), made.pictures.definitions()]
    style, script = (
        files("kemu.render").joinpath(f"report.{kind}").read_text("utf-8") for kind in ("css", "js")
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(game.title)}: verdicts</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f"\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def text(words: object) -> str:
    return escape(str(words))


def items(words: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{text(each)}</li>" for each in words) + "</ul>"


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
    """The parts of a page that know of each other: how much is drawn already, which statements are cited."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.statements = subject.statements or {}
        self.used: dict[str, None] = {}
        self.drawn = 0
        self.pictures = DrawnSteps()

    def card(self, verdict: Verdict, number: int) -> str:
        """Everything about one verdict."""
        span = verdict.origin.span
        out = [f'<article id="v{number}"><header><h3>{text(verdict.property)}</h3>{badge(verdict)}']
        out.append(f'<span class="soft">{self.cites(verdict.origin.cites)}</span></header>')
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
            out.append(self.play(game, trace(game, verdict.steps, start), verdict.kind == "possible"))
        if verdict.state_json is not None:
            boards = [
                self.figure(f"state {at}", self._state(each)) for at, each in enumerate(verdict.state_json, 1)
            ]
            out.append(f'<div class="play">{"".join(boards)}</div>')
        return "".join(out) + "</article>"

    def _state(self, json: object) -> State:
        return self.subject.game.state(json)

    def cites(self, numbers: Sequence[str]) -> str:
        """The statements' numbers, with links to their texts where these are known."""
        out = []
        for each in numbers:
            if each in self.statements:
                self.used[each] = None
                out.append(
                    f'<a href="#s-{text(each)}" title="{text(self.statements[each].text)}">[{text(each)}]</a>'
                )
            else:
                out.append(f"[{text(each)}]")
        return " ".join(out)

    def cited(self) -> list[str]:
        """The texts of the statements that were cited."""
        if not self.used:
            return []
        told = [self.statements[each] for each in sorted(self.used, key=natural)]
        entries = [
            f'<dt id="s-{text(s.number)}">[{text(s.number)}]</dt><dd>{text(s.text)}</dd>' for s in told
        ]
        return ["<h2>Statements of the rulebook</h2>", f"<dl>{''.join(entries)}</dl>"]

    # ------------------------------------------------------------------------------------------ plays

    def play(self, game: Game, found: Trace, ending_first: bool) -> str:
        """All steps of a play with their boards; where too much is drawn already, the last board only."""
        figures = []
        if found.start is not None:
            figures.append(self.figure("at the start", found.start))
        if self.drawn < ROOM:
            for number, step in enumerate(found.steps, 1):
                after = step.after or step.before
                who = self.who(game, step)
                figures.append(
                    self.figure(f"{number}. {who}: {text(step.text)}", after, step.before, step.changes, True)
                )
        elif found.final is not None:
            steps = [f"{step.actor or chance(step.before)}: {step.text}" for step in found.steps]
            figures = [f"<details><summary>{counted(len(steps), 'step')}</summary>{items(steps)}</details>"]
            figures.append(self.figure("in the end", found.final))
        end = ""
        if found.fault is not None:
            end = f"<p>The last step runs into a fault: {text(found.fault.message)}</p>"
        elif found.final is not None and found.final.result is not None:
            end = f"<p>End: {text(ending(found.final.result))}</p>"
        if figures and end:
            figures[-1] = figures[-1].removesuffix("</figure>") + f"{end}</figure>"
        place = ' data-from="end"' if ending_first else ""
        self.drawn += sum(map(len, figures))
        return f'<div class="play"{place}>{"".join(figures)}</div>'

    def who(self, game: Game, step: TraceStep) -> str:
        if step.actor is None:
            return chance(step.before)
        return f'<span class="p{game.players.index(step.actor) % 8} own">{text(step.actor)}</span>'

    def figure(
        self,
        title: str,
        state: State,
        before: State | None = None,
        changes: Sequence[Change] = (),
        marked: bool = False,
    ) -> str:
        """A step: its title (HTML if `marked`), the boards after it, what it changed and why."""
        try:
            views = self.pictures.boards(state, before)
        except FaultError as error:
            views = f"<p>(no picture: {text(error.message)})</p>"
        result = state.program.vars[state.program.result].name
        told = [change for change in changes if change.where.split("[")[0] != result]
        lines = [f"<li>{text(each.text)}</li>" for each in everything(state)] if state.starts_run else []
        lines += [
            f"<li>{text(written([each]))} {self.cites(each.origin.cites if each.origin else ())}</li>"
            for each in told[:CHANGES]
        ]
        lines += (
            [f"<li>and {counted(len(told) - CHANGES, 'change')} more</li>"] if len(told) > CHANGES else []
        )
        head = title if marked else text(title)
        below = f"<ul>{''.join(lines)}</ul>" if lines else ""
        return f'<figure class="step"><figcaption>{head}</figcaption>{views}{below}</figure>'


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


def natural(number: str) -> tuple[str, int]:
    """Sorts `K2` before `K10`."""
    found = re.fullmatch(r"(\D*)(\d+)", number)
    return (found[1], int(found[2])) if found else (number, 0)
