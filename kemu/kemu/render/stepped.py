"""Plays to step through, in pages of HTML: the boards after each step, what it changed, the rule that did it.

Reports of verdicts, findings and studies show plays by this. A page takes `style()` and `script()` once, then
any number of plays, and at its end `closing()`: the shapes of all boards, and the statements that were cited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.trace import Change, Trace, TraceStep
from kemu_grammar.game.rulebook import Statement

from kemu.base.words import counted
from kemu.findings.phrases import Phrases, moves_in_words
from kemu.render.drawn_steps import DrawnSteps
from kemu.render.reasons import Line, effect, line_of, line_of_arm
from kemu.render.trace import everything
from kemu.render.turn import chance
from kemu.render.words import ending

ROOM = 4_000_000  # characters of boards; plays beyond show their last board only
CHANGES = 12  # of a step that are told


def style() -> str:
    """Of pages that show plays."""
    return _file("page.css") + _file("stepped.css")


def script() -> str:
    """What makes of steps, one below the other, a play that one steps through."""
    return _file("stepped.js")


def page(title: str, body: Sequence[str], more: str = "") -> str:
    """A whole page that needs nothing else; `more`: style."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style()}{more}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + f"\n</main>\n<script>\n{script()}</script>\n</body>\n</html>\n"
    )


def _file(name: str) -> str:
    return files("kemu.render").joinpath(name).read_text("utf-8")


def text(words: object) -> str:
    return escape(str(words))


def items(words: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{text(each)}</li>" for each in words) + "</ul>"


class Plays:
    """The plays of a page; `statements` of the rulebook, by number, if they are known."""

    def __init__(self, statements: Mapping[str, Statement] | None = None) -> None:
        self.statements = statements or {}
        self.used: dict[str, None] = {}
        self.drawn = 0
        self.pictures = DrawnSteps()
        self.phrases: dict[str, Phrases] = {}

    def closing(self) -> list[str]:
        """What stands at the end of the page."""
        shapes = self.pictures.definitions()
        if not self.used:
            return [shapes]
        told = [self.statements[each] for each in sorted(self.used, key=natural)]
        entries = [
            f'<dt id="s-{text(s.number)}">[{text(s.number)}]</dt><dd>{text(s.text)}</dd>' for s in told
        ]
        return ["<h2>Statements of the rulebook</h2>", f"<dl>{''.join(entries)}</dl>", shapes]

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

    # ------------------------------------------------------------------------------------------ plays

    def play(
        self, found: Trace, ending_first: bool = False, other: Trace | None = None, skip: int = 0
    ) -> str:
        """All steps of a play with their boards, but for the first ones that are to be skipped; where too
        much is drawn already, the last board only. `other`: the same steps under other rules, whose boards
        are shown, too, where they differ."""
        figures = []
        if found.start is not None:
            begin = f"after {counted(skip, 'step')}" if skip else "at the start"
            figures.append(self.figure(begin, found.states[skip]))
        if self.drawn < ROOM:
            for number, step in enumerate(found.steps[skip:], skip + 1):
                figures.append(self.step(number, step, other))
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

    def step(self, number: int, step: TraceStep, other: Trace | None = None) -> str:
        """A step of a play, the boards after it, what changed, and the rule that did it."""
        after = step.after or step.before
        below = rule(step)
        states = () if other is None else other.states
        if number < len(states) and states[number].vars != after.vars:
            shown = self.boards(states[number], after)
            below = f'<p class="other">Under the other answer:</p>{shown}{below}'
        return self.figure(f"{number}. {self.told(step)}", after, step.before, step.changes, below)

    def told(self, step: TraceStep) -> str:
        """Who did what, in the words of the rulebook where it has some; HTML."""
        before = step.before
        words = self._phrases(before.program).said("" if step.actor else before.label, step.text)
        if step.actor is None:
            said = words[:1].upper() + words[1:] or f"{chance(before)}: {step.text}"
            return f'<span title="{text(step.text)}">{text(said)}</span>' if words else text(said)
        who = f"{self.pictures.dot(before, step.actor)}{text(step.actor)}"
        if words:
            return f'{who} <span title="{text(step.text)}">{text(words)}</span>'
        return f"{who}: {text(step.text)}"

    def _phrases(self, program: k.Program) -> Phrases:
        """Those beside the rules file, read once."""
        file = next(iter(program.sources), "")
        if file not in self.phrases:
            self.phrases[file] = moves_in_words(file)
        return self.phrases[file]

    def boards(self, state: State, before: State | None) -> str:
        """The boards of a state, with rings round what looked otherwise before."""
        try:
            return self.pictures.boards(state, before)
        except FaultError as error:
            return f"<p>(no picture: {text(error.message)})</p>"

    def figure(
        self,
        title: str,
        state: State,
        before: State | None = None,
        changes: Sequence[Change] = (),
        below: str = "",
    ) -> str:
        """A position: its title (HTML), its boards, what was changed by what; `below` that more HTML."""
        result = state.program.vars[state.program.result].name
        told = [change for change in changes if change.where.split("[")[0] != result]
        lines = [f"<li>{text(each.text)}</li>" for each in everything(state)] if state.starts_run else []
        lines += [
            f"<li>{text(effect(each))} {self.cites(each.origin.cites if each.origin else ())}</li>"
            for each in told[:CHANGES]
        ]
        lines += (
            [f"<li>and {counted(len(told) - CHANGES, 'change')} more</li>"] if len(told) > CHANGES else []
        )
        list_ = f"<ul>{''.join(lines)}</ul>" if lines else ""
        views = self.boards(state, before)
        return f'<figure class="step"><figcaption>{title}</figcaption>{views}{list_}{below}</figure>'


def rule(step: TraceStep) -> str:
    """The lines of the rules that offered what was done, to be opened."""
    stop = step.before.stop
    found: Line | None = None
    if isinstance(stop, k.Decide):
        arm = step.before.choices[step.before.index(step.text)].arm
        found = line_of_arm(step.before.program, stop.arms[arm])
    elif isinstance(stop, k.Chance):
        found = line_of(step.before.program, stop.origin)
    if found is None:
        return ""
    doc = f"<p>{text(found.doc)}</p>" if found.doc else ""
    return (
        f"<details><summary>the rule, line {found.number}</summary>{doc}"
        f"<pre>{text(found.text)}</pre></details>"
    )


def natural(number: str) -> tuple[str, int]:
    """Sorts `K2` before `K10`."""
    found = re.fullmatch(r"(\D*)(\d+)", number)
    return (found[1], int(found[2])) if found else (number, 0)
