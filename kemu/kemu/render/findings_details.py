"""The details of findings: by which method each was found, in which instances, and the games in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import join

from kemu_engine.play.game import Game
from kemu_engine.play.trace import Trace, trace
from kemu_grammar.game.game import Game as Rules
from kemu_verifier.diff.observe import Difference
from kemu_verifier.goal.questions import family

from kemu.base.opening import Wanted, made, opened, wanted
from kemu.findings.data import Choice, Claim, Cost, Findings, Gap, Setting
from kemu.findings.play import LONGEST
from kemu.render.trace import boards, filled, headlines, rounds, squeezed
from kemu.render.verdicts import some
from kemu.render.words import ending

WIDTH = 100
DETAILED = """\
How each finding was made: the claims about a gap with what is known of them in each instance, the
commands that look for games like these, and the games in full. A claim is proved only for the
instances of which it says so. What is open here was open when the time for all claims of a game was
up; one claim by itself has more time."""

UNDATED = """\
*It is not known of which version of these rules this was found. The games are games of today's rules;
what is proved, and how often something happens, is told as it was found.*"""


def details(rules: Rules, findings: Findings, games: Games) -> str:
    """One game's findings. Raises RulesError, SettingError, RecordError if they are of other rules."""
    out = [f"## {findings.title}", *([] if findings.instances else ["", UNDATED])]
    for gap in findings.gaps:
        if not has_details(gap):
            continue
        out += ["", f'<a id="{anchor(findings.rules, gap.number)}"></a>', f"### {gap.number}", "", gap.text]
        if gap.examples:
            out += ["", f"Tried by {quoted(gap.examples)} in the rules file."]
        out += [line for claim in gap.claims for line in told(rules, findings.rules, claim, games)]
        out += [line for choice in gap.choices for line in compared(rules, findings.rules, choice, games)]
    return "\n".join(out) + "\n"


def has_details(gap: Gap) -> bool:
    """Whether anything is known of it besides what it says."""
    return bool(gap.claims or gap.choices or gap.examples)


def anchor(name: str, number: str) -> str:
    return f"{Path(name).stem}-{number.lower()}"


def quoted(examples: tuple[str, ...]) -> str:
    return ", ".join(f"`{example}`" for example in examples)


def told(rules: Rules, name: str, claim: Claim, games: Games) -> Iterator[str]:
    """A claim: what it says, its verdicts, and the game."""
    words = f" ({claim.doc.rstrip('.')})" if claim.doc else ""
    by = f", by {claim.by}" if claim.by else ""
    where = "In a model of part of the game, " if claim.model else ""
    own = "" if claim.members else by
    yield from ("", f"{where}`{family(claim.property)}`{words}: {spread(claim.verdicts)}{own}.")
    alike: dict[str, list[str]] = {}
    for member, verdicts in claim.members.items():
        said = spread(verdicts) + (by if member == claim.property else "")
        alike.setdefault(said, []).append(f"`{member}`")
    yield from ("", *(f"- {some(names)}: {said}." for said, names in alike.items())) if alike else ()
    if claim.model:
        name = str(Path(rules.file).parent / claim.model)
        rules = opened(name)
    command = join(["kemu", "verify", name, *instance(claim.instance), "--property", claim.property])
    if claim.steps is not None:
        yield from games.shown(games.made(rules, claim.instance), claim.steps, command)
    else:
        yield from ([""] if alike else [])
        yield f"Shown by `{command}`."


def spread(verdicts: Mapping[str, tuple[str, ...]]) -> str:
    """The verdicts, each with where it was found."""
    return "; ".join(f"{kind} in {some(names)}" for kind, names in verdicts.items())


def compared(rules: Rules, name: str, choice: Choice, games: Games) -> Iterator[str]:
    """Another reading: what becomes of it, and the game."""
    said = f"{choice.option}={choice.value}"
    own = left_of(rules, choice)
    command = join(["kemu", "diff", name, *instance(choice.left), *own, "--right", said])
    if choice.unlike is not None and choice.unlike.kind == "knowledge":
        yield from ("", f"`{said}` {choice.words}: {result(choice)}. `{command}`.")
    elif choice.verdict == "different":
        yield ""
        yield f"`{said}`, by {choice.by}{', the shortest game' if choice.shortest else ''}: {result(choice)}."
        yield from games.shown(games.made(rules, choice.left), choice.steps, command)
    elif choice.verdict == "equivalent":
        yield from ("", f"`{said}` is the same game in {choice.left.name}: {choice.by}. `{command}`.")
    else:
        yield from ("", f"`{said}`: {choice.words or 'neither a difference nor a proof'}. `{command}`.")
    if choice.cost is not None:
        cost = choice.cost
        met = "" if cost.met is None else f", and come to something else in {cost.met}"
        yield ""
        yield (
            f"Of {cost.games} random games in {choice.left.name} the two remember different things in "
            f"{cost.up}{met}; another player wins in {cost.winner}{''.join(unfinished(cost, said))}."
        )


def unfinished(cost: Cost, said: str) -> Iterator[str]:
    """How many games were not played to their end, and why."""
    long = f"not over after {LONGEST:,} steps"
    long = long if cost.broken is not None else f"{long}, or broken down"
    for how, (ours, theirs) in ((long, cost.endless), ("broken down by a fault", cost.broken or (0, 0))):
        if ours or theirs:
            yield f"; {how}: {ours} here, {theirs} with `{said}`"


def left_of(rules: Rules, choice: Choice) -> list[str]:
    """The option of a command that gives the left side our answer, if the instance has another."""
    own = wanted(rules, (), None, choice.left.name).settings if choice.left.name.isidentifier() else {}
    ours = str(choice.left.settings.get(choice.option))
    return ["--left", f"{choice.option}={ours}"] if own.get(choice.option, ours) != ours else []


def result(choice: Choice) -> str:
    if choice.unlike is None:
        return "what the rules remember differs, nothing that may be done"
    unlike = Difference(choice.unlike.kind, choice.unlike.left, choice.unlike.right)  # type: ignore[arg-type]
    mine = choice.left.settings[choice.option]
    return unlike.words(f"{choice.option}={mine}", f"{choice.option}={choice.value}")


class Games:
    """Instances, each made once, and games in them, each played once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Game] = {}
        self._traced: dict[tuple[int, tuple[str, ...]], Trace] = {}
        self._shown: set[tuple[int, tuple[str, ...]]] = set()

    def traced(self, game: Game, steps: tuple[str, ...]) -> Trace:
        """Raises RecordError."""
        key = id(game), steps
        if key not in self._traced:
            self._traced[key] = trace(game, steps)
        return self._traced[key]

    def shown(self, game: Game, steps: tuple[str, ...], command: str) -> Iterator[str]:
        """The game in words and the board at its end, once; and what looks for such games."""
        yield from ("", f"`{command}` looks for such a game.")
        if (id(game), steps) in self._shown:
            yield "This one is written out above."
            return
        self._shown.add((id(game), steps))
        found = self.traced(game, steps)
        yield from ("", "```", *filled(headlines(rounds(found.steps), 1), WIDTH))
        if found.final is not None:
            picture = boards(found.final, width=WIDTH)
            yield from (part.rstrip() for line in picture for part in squeezed(line, WIDTH))
            if found.final.result is not None:
                yield f"end: {ending(found.final.result)}"
        yield "```"

    def made(self, rules: Rules, setting: Setting) -> Game:
        """Raises RulesError, SettingError."""
        key = rules.file, setting.players, *sorted(setting.settings.items())
        if key not in self._known:
            self._known[key] = made(rules, Wanted(dict(setting.settings), setting.players, setting.name))
        return self._known[key]


def instance(setting: Setting) -> list[str]:
    """The options of a command that mean this instance; of the default none."""
    return ["--instance", setting.name] if setting.name.isidentifier() else []
