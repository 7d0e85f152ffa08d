"""Findings as a page: the gaps of a rulebook, what each comes to, and the game that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import join

from kemu_engine.play.game import Game
from kemu_engine.play.trace import trace
from kemu_grammar.game.game import Game as Rules

from kemu.base.opening import Wanted, made, opened
from kemu.base.words import counted
from kemu.findings.data import EDITION, KINDS, Choice, Claim, Findings, Gap, Setting
from kemu.render.trace import boards, filled, headlines, rounds, squeezed
from kemu.render.verdicts import some
from kemu.render.words import ending

WIDTH = 100
LONG = 60  # steps of a game of which only the last are written out
LAST = 12


def page(rules: Rules, findings: Findings) -> str:
    """One game's findings. Raises RulesError, SettingError, RecordError if they are of other rules."""
    out = [f"## {findings.title}", ""]
    games = Games()
    by_kind = {kind: [gap for gap in findings.gaps if gap.kind == kind] for kind in KINDS}
    out += ["| what it comes to | gaps |", "| --- | --- |"]
    out += [f"| {words} | {numbers(by_kind[kind])} |" for kind, words in KINDS.items() if by_kind[kind]]
    for kind, words in KINDS.items():
        if by_kind[kind]:
            out += ["", f"### {words}"]
        for gap in by_kind[kind]:
            out += ["", f"**[{gap.number}]** {gap.text}"]
            if gap.examples:
                out += ["", f"Tried by {quoted(gap.examples)} in the rules file."]
            out += [line for claim in gap.claims for line in told(rules, findings.rules, claim, games)]
            out += [line for choice in gap.choices for line in compared(rules, findings.rules, choice, games)]
    return "\n".join(out) + "\n"


def numbers(gaps: list[Gap]) -> str:
    return ", ".join(gap.number for gap in gaps)


def quoted(examples: tuple[str, ...]) -> str:
    return ", ".join(f"`{example}`" for example in examples)


def told(rules: Rules, name: str, claim: Claim, games: Games) -> Iterator[str]:
    """A claim: what it says, its verdicts, and the game."""
    spread = "; ".join(f"{kind} in {some(names)}" for kind, names in claim.verdicts.items())
    words = f" ({claim.doc.rstrip('.')})" if claim.doc else ""
    by = f", by {claim.by}" if claim.by else ""
    where = "In a model of part of the game, " if claim.model else ""
    yield from ("", f"{where}`{claim.property}`{words}: {spread}{by}.")
    if claim.model:
        name = str(Path(rules.file).parent / claim.model)
        rules = opened(name)
    command = join(["kemu", "verify", name, *instance(claim.instance), "--property", claim.property])
    if claim.steps is not None:
        yield from shown(games.made(rules, claim.instance), claim.steps, f"$ {command}")
    else:
        yield f"Shown by `{command}`."


def compared(rules: Rules, name: str, choice: Choice, games: Games) -> Iterator[str]:
    """Another reading: what becomes of it, and the game."""
    words = ["kemu", "diff", name, *instance(choice.left), "--right", f"{choice.option}={choice.value}"]
    if choice.verdict == "different":
        least = "the shortest that shows it" if choice.shortest else "shorter ones may exist"
        after = f"after {counted(len(choice.steps), 'step')} ({least})"
        here = ", here or in another point" if choice.option == EDITION else ""
        yield from ("", f"With `{choice.option}={choice.value}`{here}, {after}: {choice.words}.")
        yield from shown(games.made(rules, choice.left), choice.steps, f"$ {join(words)}")
    elif choice.verdict == "equivalent":
        yield from ("", f"`{choice.option}={choice.value}` is the same game: {choice.by}. `{join(words)}`.")
    else:
        why = choice.words or "no difference found"
        yield from (
            "",
            f"It is not known whether `{choice.option}={choice.value}` matters: {why}. `{join(words)}`.",
        )


def shown(game: Game, steps: tuple[str, ...], command: str) -> Iterator[str]:
    """The game in words, and the board at its end."""
    found = trace(game, steps)
    heads = headlines(rounds(found.steps), 1)
    if len(heads) > LONG:
        heads = [f"... {len(heads) - LAST} steps ...", *heads[-LAST:]]
    yield from ("", "```", command, *filled(heads, WIDTH))
    if found.final is not None:
        picture = boards(found.final, width=WIDTH)
        yield from (part.rstrip() for line in picture for part in squeezed(line, WIDTH))
        if found.final.result is not None:
            yield f"end: {ending(found.final.result)}"
    yield "```"


class Games:
    """Instances, each made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Game] = {}

    def made(self, rules: Rules, setting: Setting) -> Game:
        """Raises RulesError, SettingError."""
        key = rules.file, setting.players, *sorted(setting.settings.items())
        if key not in self._known:
            self._known[key] = made(rules, Wanted(dict(setting.settings), setting.players, setting.name))
        return self._known[key]


def instance(setting: Setting) -> list[str]:
    """The options of a command that mean this instance; of the default none."""
    return ["--instance", setting.name] if setting.name.isidentifier() else []
