"""Claims about rules by themselves: what excludes the bad case, and what only seems to."""

from pathlib import Path

import pytest
from kemu.recheck.texts import texts_of
from kemu_verifier.strategy.contracts import RuleRun

import kemu
from tests.checker.forge import bundle, checked
from tests.checker.written import Round, Written, number, op, whole

RING = """
game "Ring"
players ann, bob
state:
    at: 0..5 = 0
    fuel: 0..99999 = 3
rules:
    wander(ann)
    end tie
rule wander(p: Player):
    while at != 0:
        choose step by p
        at = (at + 2) % 6
rule drive(p: Player):
    while fuel > 0:
        choose step by p
        fuel -= 1
rule settle(p: Player):
    while at != 5:
        choose step by p
        at += 1
rule trip(p: Player):
    for i in 1..2:
        choose step by p
        fuel -= 1
property settles: from any: run settle(ann) returns
property may_settle: from any: run settle(ann) can return
property settles_not: from any: run settle(ann) never returns
property trips: from any: run trip(ann) returns
property may_trip: from any: run trip(ann) can return
property trips_not: from any if fuel > 5: run trip(ann) returns
property astray: from any if at % 2 == 1: run wander(ann) never returns
property home:   from any if at % 2 == 0: run wander(ann) never returns
property drives: from any: run drive(ann) returns
property strays: from any: run wander(ann) returns
property gets_home: from any: run wander(ann) can return
property may_get_home: from any if at % 2 == 0: run wander(ann) can return
"""


class OneRun(Written):
    """A game, with proofs about one of its rules by itself."""

    def about(self, name: str) -> "OneRun":
        """Stops and variables are those of this claim's program from now on."""
        run = next(each.run for each in self.game._playable.program.properties if each.name == name)
        self.program = run.program
        self.blocks = {block.name: f"{i:x}," for i, block in enumerate(run.program.blocks) if block.name}
        return self

    @property
    def begin(self) -> str:
        """The stop where it begins."""
        return next(name for name in self.blocks if name.startswith("start"))

    @property
    def step(self) -> str:
        """The stop where somebody chooses."""
        return next(name for name in self.blocks if name.endswith(".step"))

    def claims(self) -> str:
        return texts_of(self.game._playable.program)["claims.txt"].decode()

    def odd(self) -> str:
        """That the place is an odd number."""
        return op("eq", whole("mod", self.load("at"), number(2)), number(1))


@pytest.fixture
def ring(tmp_path: Path) -> OneRun:
    (tmp_path / "game.kemu").write_text(RING)
    return OneRun(tmp_path, kemu.load(tmp_path / "game.kemu"))


def test_a_rule_never_returns(ring: OneRun) -> None:
    ring.about("astray").induction("odd", {ring.step: [ring.odd()]})
    assert ring.judge("astray", "proved", kind="excluded", proofs=["odd"]) == "confirmed"


def test_an_invariant_that_does_not_follow_from_the_condition(ring: OneRun) -> None:
    ring.about("home").induction("odd", {ring.step: [ring.odd()]})
    assert ring.judge("home", "proved", kind="excluded", proofs=["odd"]) == "wrong"


def test_nothing_may_be_added_to_where_a_rule_begins(ring: OneRun) -> None:
    ring.about("home").induction("odd", {ring.begin: [ring.odd()], ring.step: [ring.odd()]})
    assert ring.judge("home", "proved", kind="excluded", proofs=["odd"]) == "wrong"
    assert "any state" in ring.why


def test_an_end_is_reached_where_nothing_is_known(ring: OneRun) -> None:
    ring.about("astray").induction("nothing", {})
    assert ring.judge("astray", "proved", kind="excluded", proofs=["nothing"]) == "wrong"


def ranked(ring: OneRun, claim: str, variable: str, *uses: str) -> str:
    """The verdict on `returns`, by a measure."""
    falling: Round = ({ring.step: ring.load(variable)}, 0, None)
    ring.ranking("end", falling)
    return ring.judge(claim, "proved", kind="ranking", proofs=list(uses), ranking="end")


def test_a_rule_returns(ring: OneRun) -> None:
    ring.about("drives").induction("left", {ring.step: [op("lt", number(0), ring.load("fuel"))]})
    assert ranked(ring, "drives", "fuel", "left") == "confirmed"


def test_a_rule_that_may_run_into_a_fault(ring: OneRun) -> None:
    ring.about("drives")
    assert ranked(ring, "drives", "fuel") == "wrong"


def test_a_rule_that_goes_round(ring: OneRun) -> None:
    ring.about("strays")
    assert ranked(ring, "strays", "at") == "wrong"
    ring.proofs.clear()
    ring.induction("nothing", {})
    assert ring.judge("strays", "proved", kind="excluded", proofs=["nothing"]) == "wrong"


def test_a_rule_can_return(ring: OneRun) -> None:
    """By a measure that falls; of the other claim odd places are a ring."""
    even = op("eq", whole("mod", ring.load("at"), number(2)), number(0))
    falling: Round = ({ring.about("may_get_home").step: whole("neg", ring.load("at"))}, -5, None)
    ring.induction("even", {ring.step: [even]})
    ring.strategy("way", [], falling)
    given = {"kind": "ranking", "ranking": "way"}
    assert ring.judge("may_get_home", "proved", proofs=["even"], **given) == "confirmed"
    assert ring.judge("may_get_home", "proved", proofs=[], **given) == "wrong"
    ring.about("gets_home")
    assert ring.judge("gets_home", "proved", proofs=["even"], **given) == "wrong"
    assert ring.judge("gets_home", "proved", proofs=[], **given) == "wrong"


@pytest.mark.parametrize(
    ("claim", "steps", "verdict"),
    [
        ("settles", 6, "confirmed"),
        ("settles", 9, "confirmed"),
        ("settles", 5, "wrong"),  # play may go on
        ("may_settle", 6, "confirmed"),
        ("may_settle", 5, "wrong"),
        ("settles_not", 6, "wrong"),
        ("strays", 9, "wrong"),
        ("gets_home", 9, "wrong"),
        ("trips", 9, "wrong"),  # a fault
        ("may_trip", 9, "wrong"),
        ("trips_not", 3, "confirmed"),
        ("trips_not", 0, "wrong"),
        ("trips_not", 1 << 70, "wrong"),
    ],
)
def test_all_runs_are_over_after_so_many_steps(ring: OneRun, claim: str, steps: int, verdict: str) -> None:
    assert ring.about(claim).judge(claim, "proved", kind="steps", proofs=[], steps=steps) == verdict


def test_proofs_about_one_program_are_none_about_another(ring: OneRun) -> None:
    ring.about("astray").induction("odd", {ring.step: [ring.odd()]})
    assert ring.judge("terminates", "proved", kind="ranking", proofs=["odd"], ranking="odd") == "wrong"


def from_state(ring: OneRun, key: str, verdict: str, steps: list[str], **more: object) -> str:
    """The verdict on a play that begins with these values of variables."""
    state = [more.get(var.name, var.initial) for var in ring.program.vars]
    state = [list(each) if isinstance(each, tuple) else each for each in state]
    return ring.judge(key, verdict, kind="play", steps=steps, state=state, loop=more.get("loop"))


CALL = "wander(ann)"


def test_plays_from_any_state(ring: OneRun) -> None:
    ring.about("strays")
    circle = [CALL, "step", "step", "step"]
    assert from_state(ring, "strays", "refuted", circle, at=1, loop=1) == "confirmed"
    assert from_state(ring, "strays", "refuted", circle, at=1, loop=0) == "wrong"
    assert from_state(ring, "strays", "refuted", circle, at=1) == "wrong"
    assert from_state(ring, "strays", "refuted", circle, at=2, loop=1) == "wrong"
    assert from_state(ring, "strays", "refuted", circle, at=7, loop=1) == "wrong"
    ring.about("home")
    assert from_state(ring, "home", "refuted", [CALL, "step"], at=4) == "confirmed"
    assert from_state(ring, "home", "refuted", [CALL], at=4) == "wrong"
    assert from_state(ring, "home", "refuted", [CALL, "step"], at=4, fuel=-1) == "wrong"


def test_a_play_from_a_state_that_has_not_the_condition(ring: OneRun) -> None:
    ring.about("astray")
    assert from_state(ring, "astray", "refuted", [CALL, "step"], at=4) == "wrong"
    assert "not run" in ring.why


def test_a_play_from_a_result_that_is_none(ring: OneRun) -> None:
    ring.about("home")
    assert from_state(ring, "home", "refuted", [CALL, "step"], at=4, result=[1, 0]) == "wrong"


def test_all_states_from_any(ring: OneRun) -> None:
    true = {"astray": True, "home": False, "strays": False, "gets_home": False, "may_get_home": True}
    for name, holds in true.items():
        ring.about(name)
        for verdict in ("proved", "refuted"):
            wanted = "confirmed" if holds == (verdict == "proved") else "wrong"
            assert ring.judge(name, verdict, kind="all states") == wanted, (name, verdict)


def test_that_a_rule_cannot_return(ring: OneRun) -> None:
    ring.about("gets_home")
    assert from_state(ring, "gets_home", "refuted", [CALL], at=1) == "confirmed"
    assert from_state(ring, "gets_home", "refuted", [CALL], at=2) == "wrong"
    ring.about("may_get_home")
    assert from_state(ring, "may_get_home", "refuted", [CALL], at=2) == "wrong"


NOTED = """
game "Noted"
players ann
state:
    x: 0..3 = 0
    y: 0..1 = 0
rules:
    settle(ann)
    end tie
rule settle(p: Player):
    x = 3
    while y == 1:
        choose step by p
property settles: from any: run settle(ann) returns
"""


class Noted(OneRun):
    """No rules file has a history where a rule begins in any state. This program has one: `x` is noted before
    it is written, and the loop goes on as long as its present value was noted."""

    def claims(self) -> str:
        text, at = super().claims(), f"{len(self.program.vars):x},"
        for old, new in {
            ",],[LocalInfo": ',Var("past",History([0,],),-,Snapshots 0,[],[],-,0,),],[LocalInfo',
            "Store(0,": f"Note({at}),Store(0,",
            self.load("y"): f"Times(Int(0,ff,),{at}),",
        }.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        return text


def test_a_variable_that_is_noted_only_has_every_value_at_first(tmp_path: Path) -> None:
    (tmp_path / "game.kemu").write_text(NOTED)
    noted = Noted(tmp_path, kemu.load(tmp_path / "game.kemu"))
    noted.about("settles")
    assert noted.judge("settles", "proved", kind="all states") == "wrong"
    assert noted.judge("settles", "refuted", kind="all states") == "confirmed"


NEVER_THERE = """
game "Never there"
players ann
state:
    x: 0..2 = 0
    y: 0..2 = 0
rules:
    wander()
    end tie
rule wander():
    while 4 < x:
        choose by ann:
            step if y == 1:
                y = 2
property wanders: from any if x < 2: run wander() returns
"""


def test_where_no_step_leads_nobody_is_stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RuleRun, "exhausted", lambda *_: None)
    (tmp_path / "game.kemu").write_text(NEVER_THERE)
    folder = bundle(tmp_path / "game.kemu", tmp_path / "bundle", True)
    (line,) = (line for line in checked(folder).splitlines() if line.startswith("wanders "))
    assert line.split()[1:3] == ["proved", "confirmed"], line
