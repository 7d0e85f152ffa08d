"""Every game in docs/findings.md shows what it is said to show, and the page says what was found.

tests/findings/ is written by `kemu findings GAME... --kept tests/findings`, the page is
what it prints (with `--again`: without looking anew).
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest
from kemu.base.opening import Wanted
from kemu.cli.findings import read
from kemu.findings import gather
from kemu.findings.data import Choice, Claim, Setting
from kemu.render.findings import page
from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_engine.support.process_pool import DIED, Failed
from kemu_grammar.game.game import Game as Rules
from kemu_verifier.diff.compare import confirmed
from kemu_verifier.goal.questions import questions

from tests.instances import rules, with_settings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
NAMES = ["moeraki-kemu", "mahe", "maori", "tongiaki"]
KEPT = {name: read(ROOT / "tests" / "findings" / f"{name}.json") for name in NAMES}
PLAYED = {
    (name, msgspec.json.encode(entry)): pytest.param(
        name, entry, id=f"{name}-{gap.number}-{getattr(entry, 'property', '')}{getattr(entry, 'value', '')}"
    )
    for name, found in KEPT.items()
    for gap in found.gaps
    for entry in (*gap.claims, *gap.choices)
    if entry.steps is not None and getattr(entry, "verdict", "") not in ("equivalent", "unknown")
}  # what is told of several gaps once


def instance(name: str, setting: Setting) -> Game:
    return with_settings(name, setting.settings, setting.players)


@pytest.mark.parametrize(("name", "entry"), PLAYED.values())
def test_the_game_shows_it(name: str, entry: Claim | Choice) -> None:
    if isinstance(entry, Claim) and entry.model:
        name = str(Path(rules(name).file).parent / entry.model)
    if isinstance(entry, Choice):
        left, right = instance(name, entry.left), instance(name, entry.right)
        assert confirmed(left, right, entry.steps) is not None
        return
    game = instance(name, entry.instance)
    played = replay(game, entry.steps or ())
    if entry.form == "terminates":
        assert played.last in played.states[:-1]
        return
    (question,) = (
        q for q in questions(game.program, True) if (q.name, q.standard) == (entry.property, entry.standard)
    )
    assert question.goal is not None and question.goal(None).reached(played)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_up_to_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(shown: Rules, want: Wanted) -> Game:
        assert want.players is not None
        return with_settings(name if shown is rules(name) else shown.file, want.settings, want.players)

    monkeypatch.setattr("kemu.render.findings.made", made)
    assert page(rules(name), KEPT[name]) in (ROOT / "docs" / "findings.md").read_text("utf-8")


def test_a_comparison_whose_process_dies_is_told_as_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def died(_: int, __: object, tasks: list[object]) -> Generator[tuple[int, Failed]]:
        yield from ((at, Failed(DIED)) for at in range(len(tasks)))

    monkeypatch.setattr(gather, "outcomes", died)
    budget = gather.Budget(1, 1, 1)
    found = list(gather.chosen("moeraki-kemu", rules("moeraki-kemu"), [], {"K3"}, {}, budget, set(), print))
    assert found and {(each.verdict, each.words) for each in found} == {("unknown", DIED)}
