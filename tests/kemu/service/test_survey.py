"""The order of work over many instances: everything once, then what is open, while that brings answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from kemu.base.opening import Wanted
from kemu.service import survey
from kemu_engine.support.process_pool import Failed
from kemu_verifier.goal.lemma_cache import LemmaCache
from kemu_verifier.goal.verdict import Kind, Verdict


class Inline:
    """A crew that does everything at once, here."""

    free = True

    def __init__(self, size: int, work: Callable[..., Any], begin: object, given: object) -> None:
        self.work, self.found = work, dict[int, Any]()

    def give(self, number: int, *task: Any) -> None:
        try:
            self.found[number] = self.work(lambda _: None, *task)
        except ArithmeticError as error:
            self.found[number] = Failed(f"{type(error).__name__}: {error}")

    def done(self, timeout: float) -> dict[int, Any]:
        found, self.found = self.found, {}
        return found

    def given_up(self, number: int) -> Failed:
        return Failed("silent")

    def close(self) -> None: ...


Looks = list[tuple[int, tuple[str, ...] | None]]


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """What was asked of which instance. Of the first, `p` is open at first and `q` always; of the second
    nothing is."""
    looks: Looks = []

    def examine(
        tell: survey.Tell, task: survey.Task, seconds: float, limit: float, notes: LemmaCache
    ) -> survey.Done:
        looks.append((task.number, task.names))
        p: Kind = "proved" if task.again or task.number else "unknown"
        q: Kind = "refuted" if task.number else "sampled"
        notes.game(f"seen in {task.number}", ["go"])
        verdicts = (Verdict("p", False, "always", p), Verdict("q", False, "always", q, expected=q))
        if not task.number:
            verdicts = (verdicts[0], Verdict("q", False, "always", q))
        return survey.Done(task.number, verdicts, notes, 1.0, "")

    monkeypatch.setattr(survey, "Crew", Inline)
    monkeypatch.setattr(survey, "_examine", examine)
    return looks


def surveyed(minutes: float, programs: Sequence[str] = ("one", "two")) -> list[tuple[str, list[Kind], str]]:
    asked = [survey.Asked(Wanted({}, None, f"i{at}"), program) for at, program in enumerate(programs)]
    found = survey.survey("rules", asked, minutes, 2)
    return [(one.want.name, [verdict.kind for verdict in one.verdicts], one.like) for one in found]


def test_what_is_open_is_asked_again_as_long_as_that_brings_answers(looked: Looks) -> None:
    assert surveyed(5) == [
        ("i0", ["unknown", "sampled"], ""),
        ("i1", ["proved", "refuted"], ""),
        ("i0", ["proved", "sampled"], ""),
    ]
    assert looked == [(0, None), (1, None), (0, ("p", "q")), (0, ("q",))]


def test_without_time_nothing_is_asked_again(looked: Looks) -> None:
    assert len(surveyed(0.1)) == 2 and looked == [(0, None), (1, None)]


def test_asking_again_takes_several_times_as_long_or_is_left() -> None:
    open_ = (Verdict("p", False, "always", "unknown"),)
    known = {
        at: survey.Done(at, open_, LemmaCache(), seconds, "") for at, seconds in enumerate((50.0, 90.0, 10.0))
    }
    tasks = survey.asked_again(known, [1, 3, 1], 300, 1)
    assert [(task.number, task.weight) for task in tasks] == [(1, 270), (2, 30)]
    assert survey.asked_again(known, [1, 3, 1], 20, 1) == []


def test_where_little_is_asked_each_question_has_more_time() -> None:
    assert survey.times_of(("p",)) < survey.times_of(("p", "q")) < survey.times_of(None)
    assert survey.times_of(tuple("abcdefghijklmnop")) == survey.times_of(None)


def test_of_those_that_are_alike_one_is_looked_at(looked: Looks) -> None:
    found = surveyed(0.1, ("one", "two", "one"))
    assert [(name, like) for name, _, like in found] == [("i0", ""), ("i2", "i0"), ("i1", "")]
    assert looked == [(0, None), (1, None)]


def test_the_first_comes_first_then_small_ones(looked: Looks) -> None:
    asked = [
        survey.Asked(Wanted({}, None, f"i{at}"), f"{at}", None, 1, size) for at, size in enumerate((5, 9, 2))
    ]
    list(survey.survey("rules", asked, 0.1, 2))
    assert looked == [(0, None), (2, None), (1, None)]


def test_what_fails_in_one_process_leaves_the_others(looked: Looks, monkeypatch: pytest.MonkeyPatch) -> None:
    before = survey._examine

    def examine(
        tell: survey.Tell, task: survey.Task, seconds: float, limit: float, notes: LemmaCache
    ) -> survey.Done:
        if task.number == 0:
            raise ZeroDivisionError("by zero")
        return before(tell, task, seconds, limit, notes)

    monkeypatch.setattr(survey, "_examine", examine)
    asked = [survey.Asked(Wanted({}, None, f"i{at}"), f"{at}") for at in range(2)]
    found = [(one.error, len(one.verdicts)) for one in survey.survey("rules", asked, 0.1, 2)]
    assert found == [("ZeroDivisionError: by zero", 0), ("", 2)]


def test_a_process_that_does_not_answer_is_given_up(looked: Looks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inline, "give", lambda *_: None)
    for name in ("LOST", "LEAST"):
        monkeypatch.setattr(survey, name, 0.0001)
    asked = [survey.Asked(Wanted({}, None, f"i{at}"), f"{at}") for at in range(3)]
    assert [one.error for one in survey.survey("rules", asked, 0.001, 2)] == ["silent"] * 3


def test_an_error_in_a_second_look_is_told() -> None:
    before = survey.Done(0, (Verdict("p", False, "always", "unknown"),), LemmaCache(), 1.0, "")
    found = survey.better(before, survey.Done(0, (), LemmaCache(), 1.0, "ReplayError: no"))
    assert found.verdicts == before.verdicts and found.error == "when asked again: ReplayError: no"
