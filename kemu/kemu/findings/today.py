"""Whether findings that were kept are about the rules and the claims as they are today."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import canonical
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.game import Game as Playable
from kemu_grammar.game.game import Game
from kemu_verifier.goal.questions import questions

from kemu.base.library import BadInput, find
from kemu.base.opening import Wanted, declared, made
from kemu.findings.claims import modelled, speaks
from kemu.findings.data import Findings, Setting
from kemu.service.instances import named


def claims_hash(program: k.Program, numbers: set[str]) -> str:
    """SHA-256 in hexadecimal of what is claimed of the gaps of these numbers, wherever it is written."""
    cited = [question for question in questions(program, True) if speaks(question, numbers)]
    asked = {(question.name, question.standard) for question in cited}
    said = tuple(p for p in program.properties if (p.name, False) in asked)
    hoped = tuple((question.key, question.form, question.expected or "") for question in cited)
    return sha256(canonical((said, hoped)).encode()).hexdigest()


def another(found: Findings, rules: Game) -> bool:
    """Whether the findings are plainly about another game than these rules."""
    if found.title != rules.title:
        return True
    try:
        return find(found.rules).resolve() != Path(rules.file).resolve()
    except BadInput:  # it has been moved, or is named from another folder
        return False


def changed(rules: Game, found: Findings) -> str | None:
    """What is no longer as it was when this was found; None if all is. Raises RulesError."""
    return next(_changes(rules, found), None)


def _changes(rules: Game, found: Findings) -> Iterator[str]:
    if found.title != rules.title:
        yield f"they are about {found.title}"
    numbers, games = {gap.number for gap in found.gaps}, _Made()
    texts = {"": rules} | {model.path: model.rules for model in modelled(Path(rules.file).parent)}
    for model in sorted({each.model for each in found.instances} - texts.keys()):
        yield f"there is no model {model}"
    for model, text in texts.items():
        wants = {want.name: want for want in map(named, declared(text))}
        looked = {each.setting.name: each for each in found.instances if each.model == model}
        of = f" of {model}" if model else ""
        yield from (f"the instance {name}{of} is declared no more" for name in looked if name not in wants)
        yield from (f"the instance {name}{of} is new" for name in wants if name not in looked)
        for name, each in looked.items():
            game = games.of(text, wants[name])
            if game is None or game.hash != each.setting.program:
                yield f"{name}{of} is played by other rules"
            elif claims_hash(game.program, numbers) != each.claims:
                yield f"something else is claimed of {name}{of}"
    for side in (side for gap in found.gaps for each in gap.choices for side in (each.left, each.right)):
        if side.players and not games.same(rules, side):
            yield f"{side.name} is played by other rules"


class _Made:
    """Instances, each made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Playable | None] = {}

    def of(self, rules: Game, want: Wanted) -> Playable | None:
        """The instance, if the rules still allow it."""
        key = (rules.file, want.players, *sorted(want.settings.items()))
        if key not in self._known:
            try:
                self._known[key] = made(rules, want)
            except SettingError:
                self._known[key] = None
        return self._known[key]

    def same(self, rules: Game, setting: Setting) -> bool:
        game = self.of(rules, Wanted(dict(setting.settings), setting.players))
        return game is not None and game.hash == setting.program
