"""`kemu verify`: verdicts as a table with the games behind them, as JSON, and as an exit code."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kemu.cli import verify
from kemu.cli.artifacts import Artifacts
from kemu.service import survey
from kemu_verifier.goal.lemma_cache import LemmaCache
from kemu_verifier.goal.verdict import Kind, Verdict

from tests.kemu.conftest import CROSSES, RACE, Run

ASKED = ("verify", CROSSES, "--no-standard", "--seconds", "20")


def test_the_table_says_verdict_expectation_and_method_of_every_property(kemu: Run) -> None:
    done = kemu(*ASKED)
    assert done.code == 0
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines() if line}
    assert rows["one_winner"][:2] == ["proved", "yes"]
    assert rows["cross_can_win"][:2] == ["possible", "yes"]
    assert rows["always_decided"][:3] == ["refuted", "yes:", "refuted"]
    said = "The game holds: 2 proved; 1 shown to be possible; 1 refuted, as expected; nothing open"
    assert done.out.splitlines()[-2:] == ["4 verdicts, all as expected", said]


def test_a_refutation_is_shown_as_boards_with_the_statements_that_changed_them(kemu: Run) -> None:
    out = kemu(*ASKED, "--property", "always_decided", "--full").out
    assert "after 9 steps:" in out
    assert "end: a tie" in out
    assert out.count("[R1]") == 9
    assert "... " not in out


def test_a_long_trace_is_abridged_unless_asked_for_in_full(kemu: Run) -> None:
    out = kemu(*ASKED, "--property", "always_decided").out
    assert "4 steps without boards:\n3. cross: place(" in out


def test_a_surprise_is_named_and_is_the_exit_code(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "crosses.kemu").write_text(Path(CROSSES).read_text().replace(" expect refuted", ""))
    done = kemu("verify", "crosses.kemu", "--no-standard")
    assert done.code == 1
    assert "NO: proved" in done.out
    assert "1 not as expected: always_decided (refuted); exit code 1" in done.out


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("refuted", 1),
        ("not inductive", 2),
        ("holds to depth", 3),
        ("unknown", 4),
        ("sampled", 5),
        ("proved", 0),
    ],
)
def test_the_exit_code_is_that_of_the_worst_surprise(
    kemu: Run, monkeypatch: pytest.MonkeyPatch, kind: str, code: int
) -> None:
    def one(*_: object, **__: object) -> Iterator[Verdict]:
        yield Verdict("over", False, "terminates", kind)  # type: ignore[arg-type]

    monkeypatch.setattr(verify, "verify", one)
    assert kemu("verify", RACE).code == code


def test_for_machines_every_verdict_is_an_object_on_a_line(kemu: Run) -> None:
    done = kemu(*ASKED, "--json")
    *lines, last = map(json.loads, done.out.splitlines())
    found = {each["property"]: each for each in lines}
    assert len(found) == 4
    assert last["shared"].keys() == {"exploration", "symbolic reading"}
    refuted = found["always_decided"]
    assert refuted["game"] == "Noughts and Crosses"
    assert refuted["settings"] == {"size": "3", "players": 2}
    assert (refuted["verdict"], refuted["expected"], refuted["surprise"]) == ("refuted", "refuted", False)
    assert len(refuted["trace"]) == 9
    assert {"instance", "by", "seconds", "assumptions"} <= refuted.keys()
    assert done.err == ""


def test_a_trace_that_was_saved_is_replayed(kemu: Run, tmp_path: Path) -> None:
    kemu(*ASKED, "--property", "always_decided", "--save-trace", "traces")
    done = kemu("replay", "traces/always_decided.json")
    assert done.code == 0
    assert "always_decided: refuted" in done.out
    assert "end: a tie" in done.out


@pytest.mark.slow
def test_all_instances_are_asked_in_one_go(kemu: Run) -> None:
    done = kemu("verify", CROSSES, "--all", "--property", "one_winner", "--minutes", "2")
    assert done.code == 0
    told = [line.split(";")[0] for line in done.out.splitlines() if "1 proved" in line]
    assert sorted(told) == [
        "as it stands: 1 proved",
        "large: 1 proved",
    ]  # in the order in which they are done
    assert "one_winner   proved 2" in done.out
    assert "not checked:\n  size: numbers that no declared instance has" in done.out


@pytest.mark.slow
def test_of_all_instances_it_is_told_where_a_claim_is_about_nothing(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "ends.kemu").write_text("""game "Ends"
players ann
option over: bool = true
rules:
    while true:
        choose step by ann
        if over: end win(ann)
property won: at_end winner == ann
""")
    done = kemu("verify", str(tmp_path / "ends.kemu"), "--all", "--no-standard", "--minutes", "1")
    assert "won proved 1; proved (vacuous) 1: over=false" in " ".join(done.out.split())
    assert "over=false: 1 proved (vacuous);" in done.out


@pytest.mark.slow
def test_instances_between_which_nothing_differs_are_asked_once(kemu: Run, tmp_path: Path) -> None:
    rules = """game "Idle"
players 2..4: ann, ben, cid, dot
reading A1 "says nothing here": yes | no = yes
reading A2 "is claimed otherwise": yes | no = yes
state:
    n: 0..3
rules:
    while n < 3:
        choose step by ann
        n += 1
    end tie
property small:          always n <= 3
property less if A2 == no: always n <= 2
"""
    (tmp_path / "idle.kemu").write_text(rules)
    done = kemu("verify", str(tmp_path / "idle.kemu"), "--all", "--no-standard", "--minutes", "1")
    assert "A1=no: nothing differs from as it stands" in done.out
    assert "A2=no: 1 proved, 1 refuted" in done.out
    assert "proved 3" in done.out
    assert "not checked:\n  games with 3 and 4 players" in done.out


TOLD = """game "Told"
players ann, ben, cid
reading A1 "who is told": first | second = first
state:
    coin: bool hidden
const who = ben if A1 == first else cid
rules:
    coin = roll {false, true}
    reveal coin to who
    choose by ben:
        yes if coin:
            end win(ben)
        no if not coin:
            end win(ben)
"""
LINES = """game "Lines"
players ann, ben
reading A1 "which comes when": first | second = first
state:
    x: 0..9 = 0
    y: 0..9
rule one():
    y = 1
rule two():
    y = 1
rules:
    choose pick(n in {0, 3}) by ann
    x = n
    if x == 5:
        if A1 == first:
            one()
        else:
            two()
    else:
        if A1 == first:
            two()
        else:
            one()
    end tie
"""


@pytest.mark.parametrize(
    ("rules", "asked", "told"),
    [(TOLD, "informed", "refuted (NO: proved) 1"), (LINES, "branch_possible", "impossible")],
)
def test_who_is_told_and_which_line_is_carried_out_differ(
    kemu: Run, tmp_path: Path, rules: str, asked: str, told: str
) -> None:
    file = tmp_path / "odd.kemu"
    file.write_text(rules)
    done = kemu("verify", str(file), "--all", "--property", asked)
    assert "nothing differs" not in done.out and told in done.out


def test_an_interrupt_keeps_what_is_known_and_ends_with_130(
    kemu: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> Iterator[Verdict]:
        yield Verdict("over", False, "terminates", "proved", "a ranking")
        raise KeyboardInterrupt

    monkeypatch.setattr(verify, "verify", interrupted)
    done = kemu("verify", RACE)
    assert done.code == 130
    assert "a ranking" in done.out
    assert "so far, 1 verdict" in done.out


def test_an_interrupt_leaves_a_bundle_of_what_is_known_but_replaces_none(
    kemu: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Artifacts.verdicts

    def interrupted(*given: Any, **also: Any) -> Iterator[Verdict]:
        yield next(iter(whole(*given, **also)))
        raise KeyboardInterrupt

    monkeypatch.setattr(Artifacts, "verdicts", interrupted)
    folder = tmp_path / "race"
    folder.mkdir()  # in which there is nothing yet
    done = kemu("verify", RACE, "--bundle", str(folder))
    assert (done.code, "written: kemu recheck" in done.err) == (130, True)
    told = json.loads((folder / "manifest.json").read_text())
    assert len(told["answers"]) == 1
    done = kemu("verify", RACE, "--bundle", str(folder))
    assert (done.code, "is there already" in done.err) == (130, True)
    assert json.loads((folder / "manifest.json").read_text()) == told


def test_whoever_asks_it_to_end_interrupts_it(kemu: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> Iterator[Verdict]:
        yield Verdict("over", False, "terminates", "proved", "a ranking")
        os.kill(os.getpid(), signal.SIGTERM)
        yield Verdict("never", False, "terminates", "proved")

    monkeypatch.setattr(verify, "verify", stopped)
    done = kemu("verify", RACE)
    assert (done.code, "so far, 1 verdict" in done.out) == (130, True)


def test_time_for_everything_is_kept_to_and_what_is_open_is_told(kemu: Run) -> None:
    done = kemu("verify", "mahe", "--minutes", "0.02")
    assert done.code == 4
    assert "The game is not shown to hold: " in done.out
    assert "More time may answer what is open: `--seconds" in done.out


def test_what_the_process_computed_before_the_command_takes_none_of_its_time() -> None:
    now = time.process_time()
    late, early = (verify.limit(1, True, 1000, None, began) for began in (now, now - 500))
    assert late is not None and early is not None and 499 < late - early < 501


def test_an_error_of_our_own_keeps_what_is_known_and_is_no_verdict(
    kemu: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Iterator[Verdict]:
        yield Verdict("over", False, "terminates", "proved", "a ranking")
        raise ZeroDivisionError

    monkeypatch.setattr(verify, "verify", broken)
    done = kemu("verify", RACE)
    assert done.code == 70
    assert "a ranking" in done.out


def test_a_name_that_no_property_has_is_refused_with_one_that_is_like_it(kemu: Run) -> None:
    done = kemu("verify", CROSSES, "--property", "one_winer")
    assert done.code == 64
    assert "did you mean one_winner?" in done.err


def test_a_claim_is_meant_with_or_without_its_value_and_its_place(kemu: Run, tmp_path: Path) -> None:
    rules = tmp_path / "walk.kemu"
    rules.write_text(PACES, "utf-8")
    by_name = {
        name: {json.loads(line)["property"] for line in done.out.splitlines() if "property" in line}
        for name in ("fits", "fits(2)", "fits(2) at step")
        if (done := kemu("verify", str(rules), "--property", name, "--json"))
    }
    assert by_name["fits(2) at step"] == {"fits(2) at step"}
    assert by_name["fits(2)"] == {"fits(2) at step", "fits(2) at leap"}
    assert by_name["fits"] == {"fits(2) at step", "fits(2) at leap", "fits(3) at step", "fits(3) at leap"}


PACES = """game "Paces"
players ann
state:
    at: 0..2 = 0
property fits for n in 2..3: at step, leap always at <= n
rules:
    while at < 2:
        choose step by ann
        at += 1
        if at < 2:
            choose leap by ann
            at += 1
    end tie
"""


@pytest.mark.parametrize(
    "options",
    [
        ("--jobs", "2"),
        ("--markdown",),
        ("--all", "--seconds", "5"),
        ("--all", "--json", "--markdown"),
        ("--all", "--set", "size=4"),
    ],
)
def test_options_that_would_do_nothing_are_refused(kemu: Run, options: tuple[str, ...]) -> None:
    done = kemu("verify", CROSSES, *options)
    assert done.code == 64
    assert "--all" in done.err or "not both" in done.err


WALK = """game "Walk"
players ann
domain Town = 1..4
state:
    at: Town
fun post(t: Town) -> Town?: none if t == 4 else t + 1
rule walk():
    while post(at) is some:
        choose go by ann
        at = post(at)
property arrives forgetting post expect refuted: from any if at == 3: run walk() returns
view map:
    cell t in Town at (t, 1): "x" if at == t else "."
rules:
    walk()
    end tie
"""


def test_where_a_run_begins_is_told_with_what_no_view_shows(kemu: Run, tmp_path: Path) -> None:
    rules = tmp_path / "walk.kemu"
    rules.write_text(WALK, "utf-8")
    done = kemu("verify", str(rules), "--property", "arrives", "--report", str(tmp_path / "page.html"))
    assert "post(): " in done.out
    assert "post(): " in (tmp_path / "page.html").read_text("utf-8")


def test_a_second_look_adds_definite_answers_and_takes_none_away() -> None:
    def done(*kinds: Kind) -> survey.Done:
        verdicts = tuple(Verdict(f"p{at}", False, "always", kind) for at, kind in enumerate(kinds))
        return survey.Done(0, verdicts, LemmaCache(), 1.0, "")

    first = done("proved", "sampled", "unknown", "holds to depth")
    again = survey.better(first, done("unknown", "unknown", "refuted", "proved"))
    assert [verdict.kind for verdict in again.verdicts] == ["proved", "sampled", "refuted", "proved"]
    assert survey.still_open(again) == ("p1",)
