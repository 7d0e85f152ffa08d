"""Mutants: what each operator makes of a snippet, and one mutant of every fate in a tiny game."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game as Playable
from kemu_engine.support.process_pool import DIED, Failed
from kemu_grammar.game.game import Game, read, read_text
from kemu_grammar.source.diagnostics import RulesError
from kemu_verifier.diff.bisimulation import Pair
from kemu_verifier.diff.games import difference
from kemu_verifier.diff.matching import Apart
from kemu_verifier.diff.search import same_graph
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.mutate.fate import Fate, Instance, by_claims, judged, tally
from kemu_verifier.mutate.judge import Judge, declarations
from kemu_verifier.mutate.mutants import OPERATORS, Mutant, mutants, needed_names
from kemu_verifier.mutate.run import chosen, run
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.solve import Deadline

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = ROOT / "spec"

HEAP = """\
game "Heap"
players anna, ben
domain Take = 1..2
check len(Take) == 2
state:
    heap: 0..6 = 5
    last: 0..2 = 0
rules:
    for p in turns(from=anna):
        choose take(n in Take) if n <= heap
        heap -= n
        last = n
        if heap == 0 and last > 0:
            end win(p)
property decided: at_end winner is some
property empty: at_end heap == 0
example "anna takes two":
    do: anna take(2)
    expect: heap == 3
"""

SNIPPETS = """\
game "Snippets"
players anna, ben
enum Dir: n, e, s
domain Spot = grid(1..3, 1..3)
domain Edge = {{p for p in Spot if p.x == 1}}
domain Size = 1..3
state:
    at: Spot? = none
    way: Dir = n
    who: Player = anna
    k: 0..9 = 0
{fun}
rules:
    for p in turns(from=anna):
        choose go(c in Spot) if f(c, p)
        at = c
"""


def game(text: str) -> Game:
    return read_text(text, "test.kemu", LIBRARY)


def made_in(fun: str, operator: str) -> set[tuple[str, str]]:
    """What the operator makes of a function of a spot and a player."""
    text = SNIPPETS.format(fun=fun)
    line = 1 + text[: text.index(fun)].count("\n")
    found = mutants(game(text))
    return {
        (m.before, m.after)
        for m in found
        if m.operator == operator and line <= m.span.line <= line + fun.count("\n")
    }


HEAD = "fun f(c: Spot, p: Player):"
CASES = [
    ("neighbour", f"{HEAD} c == (1, 2)", {("c == (1, 2)", "c == (2, 2)"), ("c == (1, 2)", "c == (0, 2)"),
                                           ("c == (1, 2)", "c == (1, 3)"), ("c == (1, 2)", "c == (1, 1)")}),
    ("neighbour", f"{HEAD} c == (1, -2)", {("c == (1, -2)", "c == (2, -2)"), ("c == (1, -2)", "c == (0, -2)"),
     ("c == (1, -2)", "c == (1, -1)"), ("c == (1, -2)", "c == (1, -3)")}),
    ("neighbour", f"{HEAD} c.x < k", {("c.x < k", "c.y < k")}),
    ("neighbour", f"{HEAD} way == e", {("way == e", "way == s")}),
    ("player", f"{HEAD} who == p", {("who == p", "who == other(p)"), ("who == p", "other(who) == p")}),
    ("player", f"{HEAD} who == other(p)", {("who == other(p)", "who == p"),
     ("who == other(p)", "other(who) == other(p)")}),
    ("player", f"{HEAD} who == ben", {("who == ben", "who == anna"), ("who == ben", "other(who) == ben")}),
    ("comparison", f"{HEAD} k < 3", {("k < 3", "k <= 3")}),
    ("comparison", f"{HEAD} k >= 3", {("k >= 3", "k > 3")}),
    ("comparison", f"{HEAD} at != c", {("at != c", "at == c")}),
    ("comparison", f"{HEAD} c in Edge", {("c in Edge", "c not in Edge")}),
    ("comparison", f"{HEAD} at is none", {("at is none", "at is some")}),
    ("comparison", f"{HEAD} not even(k)", {("not even(k)", "even(k)")}),
    ("constant", f"{HEAD} k < 3", {("k < 3", "k < 4"), ("k < 3", "k < 2")}),
    ("constant", f"{HEAD} k > 0", {("k > 0", "k > 1"), ("k > 0", "k > -1")}),
    ("condition", f"{HEAD} even(k) and k > 2",
     {("even(k) and k > 2", "k > 2"), ("even(k) and k > 2", "even(k)")}),
    ("condition", f"{HEAD} any(even(q.x) for q in Edge if q != c)",
     {("any(even(q.x) for q in Edge if q != c)", "any(even(q.x) for q in Edge)")}),
    ("branches", f"{HEAD} even(k) if k > 2 else even(c.x)",
     {("even(k) if k > 2 else even(c.x)", "even(c.x) if k > 2 else even(k)")}),
    ("domain", f"{HEAD} c in Edge", {("c in Edge", "c in Spot")}),
    ("connective", f"{HEAD} even(k) or k > 2", {("even(k) or k > 2", "even(k) and k > 2")}),
    ("quantifier", f"{HEAD} any(even(q.x) for q in Edge)",
     {("any(even(q.x) for q in Edge)", "all(even(q.x) for q in Edge)")}),
    ("extreme", f"{HEAD} k > min(c.x, c.y)", {("k > min(c.x, c.y)", "k > max(c.x, c.y)")}),
    ("arithmetic", f"{HEAD} k > c.x * c.y - 1",
     {("k > c.x * c.y - 1", "k > c.x + c.y - 1"), ("k > c.x * c.y - 1", "k > c.x * c.y + 1")}),
    ("statement", f"{HEAD}\n    a = k\n    return a > 1", {("a = k", ""), ("return a > 1", "")}),
    ("branches", f"{HEAD}\n    if k > 1:\n        return true\n    return false",
     {("if k > 1:", "if not k > 1:")}),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "fun", "expected"), CASES)
def test_what_an_operator_makes(operator: str, fun: str, expected: set[tuple[str, str]]) -> None:
    assert made_in(fun, operator) == expected


def test_every_operator_has_a_snippet() -> None:
    assert {operator for operator, _, _ in CASES} | {operator for operator, _, _ in ENDS} == set(OPERATORS)


SCORED = """\
game "Scored"
players {players}
domain Spot = 1..3
state:
    host: Player
    each p in Player:
        score: 0..9
        coins: 0..9
fun best() -> Player: host
fun worth(p: Player): score[p] + coins[p]
rules:
{rules}
"""
TWO, THREE = "anna, ben", "anna, ben, cid"
TURNS = "    for p in turns():\n        "
ENDS = [
    ("begins", TURNS + "end win(p)", {("for p in turns():", "for p in turns(from=ben):")}),
    ("begins", "    for p in turns(from=host):\n        end win(p)",
     {("for p in turns(from=host):", "for p in turns(from=other(host)):")}),
    ("begins", "    for p in turns(from=ben):\n        end win(p)",
     {("for p in turns(from=ben):", "for p in turns(from=anna):")}),
    ("begins", "    for p in Player:\n        choose go(s in Spot) by p\n    end tie",
     {("for p in Player:", "for p in reversed(Player):")}),
    ("asked", TURNS + "choose go(s in Spot)\n        end win(p)",
     {("choose go(s in Spot)", "choose go(s in Spot) by other(p)")}),
    ("asked", TURNS + "choose go(s in Spot) by best()\n        end win(p)",
     {("choose go(s in Spot) by best()", "choose go(s in Spot) by other(best())")}),
    ("asked", TURNS + "for s in Spot in order of p:\n            score[p] = s\n        end win(p)",
     {("for s in Spot in order of p:", "for s in Spot in order of other(p):")}),
    ("winner", TURNS + "end win(p)", {("end win(p)", "end win(other(p))")}),
    ("winner", "    end win(best())", {("end win(best())", "end win(other(best()))")}),
    ("winner", "    end rank((score, worth))",
     {("end rank((score, worth))", "end rank(score)"), ("end rank((score, worth))", "end rank(worth)"),
      ("end rank((score, worth))", "end rank((worth, score))")}),
    ("inverted", "    end rank(worth)", {("end rank(worth)", "end rank({p: -worth(p) for p in Player})")}),
    ("inverted", "    end rank((score, worth))",
     {("end rank((score, worth))", "end rank({p: (-score[p], worth(p)) for p in Player})"),
      ("end rank((score, worth))", "end rank({p: (score[p], -worth(p)) for p in Player})")}),
    ("inverted", "    end pays({anna: 1, ben: -1})",
     {("end pays({anna: 1, ben: -1})", "end pays({anna: -1, ben: 1})")}),
    ("tie", TURNS + "end win(p)", {("end win(p)", "end tie")}),
    ("tie", TURNS + "end tie", {("end tie", "end win(p)")}),
    ("tie", "    end rank(worth)", {("end rank(worth)", "end tie")}),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "rules", "expected"), ENDS)
def test_what_becomes_of_turns_and_results(operator: str, rules: str, expected: set[tuple[str, str]]) -> None:
    found = mutants(game(SCORED.format(players=TWO, rules=rules)))
    assert {(m.before, m.after) for m in found if m.operator == operator} == expected


def test_of_three_players_another_one_is_the_next() -> None:
    rules = TURNS + "choose go(s in Spot)\n        end win(p)"
    found = {m.operator: m.after for m in mutants(game(SCORED.format(players=THREE, rules=rules)))}
    assert found["winner"] == "end win(left(p))" and found["asked"] == "choose go(s in Spot) by left(p)"


def test_a_mutant_differs_in_one_place_and_the_original_stays() -> None:
    original = game(HEAP)
    before = declarations(original)
    found = list(mutants(original))
    assert [m.number for m in found] == list(range(1, len(found) + 1))
    assert all(declarations(m.game) != before for m in found)
    assert declarations(original) == before == declarations(game(HEAP))


def test_claims_and_views_are_left_alone() -> None:
    for each in mutants(game(HEAP)):
        assert each.game.properties == game(HEAP).properties
        assert each.game.examples == game(HEAP).examples
        assert each.game.checks == game(HEAP).checks


def test_only_what_play_needs_is_changed() -> None:
    path = next(LIBRARY.glob("*/*.kemu"), None)
    rules = next(file for file in sorted(LIBRARY.glob("*/*.kemu")) if "\ngame " in file.read_text("utf-8"))
    assert path is not None
    spec = read(rules, LIBRARY)
    needed = needed_names(spec)
    assert {m.span.file for m in mutants(spec)} == {spec.file}
    viewed = {name for name in spec.names if name not in needed}
    spans = [spec.names[name].span for name in viewed if spec.names[name].span.file == spec.file]
    assert spans, "the spec has no definition that only claims or the view use"
    lines = {line for span in spans for line in range(span.line, span.end_line)}
    assert not lines & {m.span.line for m in mutants(spec)}


# ---------------------------------------------------------------------------------------------- fates


def fates(text: str = HEAP) -> dict[tuple[str, str, str], Fate]:
    original = game(text)
    judge = Judge(original, [Instance("as it stands")], 2.0, None)
    return {(m.operator, m.before, m.after): judge.judge(m) for m in mutants(original)}


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str, str], Fate]:
    return fates()


def test_rejected(found: dict[tuple[str, str, str], Fate]) -> None:
    fate = found["statement", "choose take(n in Take) if n <= heap", ""]
    assert fate.kind == "rejected" and fate.by.startswith("E")


def test_killed_by_a_check(found: dict[tuple[str, str, str], Fate]) -> None:
    assert found["constant", "1..2", "1..3"] == Fate(
        "check", "line 4", "as it stands", "this check does not hold"
    )


def test_killed_by_an_example(found: dict[tuple[str, str, str], Fate]) -> None:
    fate = found["begins", "for p in turns(from=anna):", "for p in turns(from=ben):"]
    assert (fate.kind, fate.by) == ("example", "anna takes two")


def test_killed_by_a_property(found: dict[tuple[str, str, str], Fate]) -> None:
    fate = found["comparison", "if heap == 0 and last > 0:", "if heap != 0 and last > 0:"]
    assert (fate.kind, fate.by) == ("property", "empty")


def test_killed_by_a_fault(found: dict[tuple[str, str, str], Fate]) -> None:
    fate = found["condition", "choose take(n in Take) if n <= heap", "choose take(n in Take)"]
    assert (fate.kind, fate.by) == ("fault", "out_of_range")


def test_equivalent(found: dict[tuple[str, str, str], Fate]) -> None:
    fate = found["condition", "if heap == 0 and last > 0:", "if heap == 0:"]
    assert fate.kind == "equivalent" and "reachable states" in fate.by


def test_survived(found: dict[tuple[str, str, str], Fate]) -> None:
    fate = found["winner", "end win(p)", "end win(other(p))"]
    assert fate.kind == "survived" and "won by" in fate.detail


SHOWN = """
game "Shown"
players ann, ben, cid
state:
    coin: bool hidden
rules:
    coin = roll {false, true}
    reveal coin to ben
    choose by ben:
        yes if coin:
            end win(ben)
        no if not coin:
            end win(ben)
"""


def test_who_is_told_is_no_small_matter() -> None:
    """The same in play, but ben does not know any more what he may do, as a prover would see."""
    assert fates(SHOWN)["player", "reveal coin to ben", "reveal coin to cid"].kind == "survived"


def test_a_value_that_somebody_sees_is_no_small_matter() -> None:
    """The same in play, but ben does not know the coin any more: not the same game."""
    seen = SHOWN.replace("hidden\n", "hidden\n    seen: bool secret to ben\n")
    fate = fates(seen.replace("reveal coin to ben", "seen = coin"))["statement", "seen = coin", ""]
    assert fate.kind == "survived"
    assert fate.detail.startswith("ben can tell these two plays apart in the original, not in the mutant")


@pytest.mark.slow
def test_equivalent_step_by_step() -> None:
    """On a heap whose states are too many to walk through."""
    text = HEAP.replace("0..6 = 5", "0..90000 = 90000").replace("heap == 3", "heap == 89998")
    original = game(text)
    judge = Judge(original, [Instance("as it stands")], 0.5, None)
    wanted = [
        m for m in mutants(original) if m.before == "if heap == 0 and last > 0:" and m.operator == "condition"
    ]
    told = {
        m.after: judge._same(judge.originals[0], Playable(instantiate(m.game)), Deadline(30)) for m in wanted
    }
    assert told["if heap == 0:"].startswith("step by step")
    assert told["if last > 0:"] == ""


def test_what_is_bounded_or_unknown_kills_nothing() -> None:
    original = game(HEAP)

    def prove(playable: Playable, _: float, limit: float) -> Iterator[Verdict]:
        mutant = playable.hash != Playable(instantiate(original)).hash
        yield Verdict("empty", False, "at_end", "holds to depth" if mutant else "proved")
        yield Verdict("hole", False, "always", "refuted")  # surprises in the original as well
        yield Verdict("decided", False, "at_end", "refuted" if mutant else "proved")

    judge = Judge(original, [Instance("as it stands")], 2.0, prove)
    one = next(m for m in mutants(original) if m.after == "end win(other(p))")
    assert judge.judge(one) == Fate("property", "decided", "as it stands", "refuted", True)


def test_a_difference_is_told() -> None:
    original = game(HEAP)
    one = next(m for m in mutants(original) if m.after == "for p in turns(from=ben):")
    pair = [Playable(instantiate(each)) for each in (original, one.game)]
    assert (
        difference(pair[0], pair[1], 5, Deadline(5))
        == "after the opening: anna is to act in the original, ben in the mutant"
    )
    assert difference(pair[0], pair[0], 5, Deadline(5)) == ""


def test_run_and_tally() -> None:
    original = game(HEAP)
    wanted: list[Mutant] = chosen(original, ["winner", "statement"])
    done = list(run(original, wanted, [Instance("as it stands")], 1.0, False, 1))
    assert [one.number for one in done] == [m.number for m in wanted]
    table = tally(done)
    assert list(table) == ["winner", "statement"]
    assert sum(table["winner"].values()) == sum(m.operator == "winner" for m in wanted)
    assert len(chosen(original, limit=7)) == 7


def test_samples_have_nothing_in_common() -> None:
    original = game(HEAP)
    samples = [{m.number for m in chosen(original, limit=7, sample=at)} for at in (1, 2)]
    assert [len(sample) for sample in samples] == [7, 7] and samples[0].isdisjoint(samples[1])


CLAIMED = HEAP.replace(
    "property empty", "property anna_begins: at take initially actor == anna\nproperty empty"
)


def test_without_examples_the_claims_have_to_notice() -> None:
    wanted = ("begins", "asked", "winner", "tie")
    for text, noticed in ((HEAP, {"tie"}), (CLAIMED, {"begins", "asked", "tie"})):
        original = game(text)
        judge = Judge(original, [Instance("as it stands")], 2.0, None, examples=False)
        every = [m for m in mutants(original) if m.operator in wanted]
        done = [judged(m, judge.judge(m), 0.0) for m in every]
        assert {one.operator for one in done if one.fate.kind == "property"} == noticed
        assert by_claims(done) == (len(noticed), 4)


def test_a_mutant_whose_process_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def died(*_: object) -> Generator[tuple[int, Failed]]:
        yield from ((at, Failed(DIED)) for at in range(2))

    monkeypatch.setattr("kemu_verifier.mutate.run.outcomes", died)
    original = game(HEAP)
    wanted = chosen(original, limit=2)
    fates = [one.fate for one in run(original, wanted, [Instance("as it stands")], 1.0, False, 2)]
    assert fates == [Fate("survived", "internal error", "", DIED)] * 2


@pytest.mark.parametrize("name", ["heap", "coin", "race"])
def test_step_by_step_agrees_with_walking_through(name: str) -> None:
    """Whatever is proved to be the same step by step has the same graph of states."""
    path = ROOT / "tests" / "kemu" / "games" / f"{name}.kemu"
    original = game(HEAP) if name == "heap" else read(path, LIBRARY)
    base = Playable(instantiate(original))
    context = ProofContext(base, 1.0, lambda _: None)
    same = different = 0
    for one in mutants(original):
        try:
            mutant = Playable(instantiate(one.game))
        except RulesError:
            continue
        try:
            proved = Pair(context, mutant.program).same(Deadline(1))
        except Apart:
            proved = False
        walked = same_graph(base, mutant, Deadline(5)) is not None
        assert walked or not proved, f"{one.before} -> {one.after}"
        same, different = same + proved, different + (not walked)
    assert different > 3
    assert same > 0 or name != "heap"
