"""Each rule of docs/evidence.md has a proof that only this rule stops, beside one that it lets through."""

from pathlib import Path

import pytest
from kemu_checker import views
from kemu_checker.shapes import check_program
from kemu_checker.text import BadText, read

from tests.checker.written import Written, number, op, whole, written

LADDER = """
game "Ladder"
players ann, bob
state:
    left: 0..9 = 5
    seen: 0..9 = 0
rules:
    for p in turns():
        choose:
            down if left > 1:
                left -= 1
            rest if seen < 3:
                seen += 1
                left = 5
            stop:
                end win(p)
property above: always left > 0
property below: always left <= 5
property six:   possible left == 6
"""
AT, END = "rules.choose", "rules.end win"


@pytest.fixture(autouse=True, params=[views._MUCH, 0], ids=["one_by_one", "at_once"])
def _edges(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The edges of a stop are looked at one by one, or those of an arm at once."""
    monkeypatch.setattr(views, "_MUCH", request.param)


@pytest.fixture
def ladder(tmp_path: Path) -> Written:
    return written(tmp_path, LADDER)


def both(fact: str) -> dict[str, list[str]]:
    return {AT: [fact], END: [fact]}


def test_an_induction_that_is_kept_excludes(ladder: Written) -> None:
    ladder.induction("low", both(op("lt", number(0), ladder.load("left"))))
    ladder.induction("high", both(op("le", ladder.load("left"), number(5))))
    assert ladder.judge("above", "proved", kind="excluded", proofs=["low"]) == "confirmed"
    assert ladder.judge("six", "impossible", kind="excluded", proofs=["high"]) == "confirmed"
    assert ladder.judge("no_fault", "proved", kind="excluded", proofs=["low"]) == "confirmed"


def test_an_invariant_that_a_step_breaks(ladder: Written) -> None:
    ladder.induction("three", both(op("lt", number(3), ladder.load("left"))))
    assert ladder.judge("above", "proved", kind="excluded", proofs=["three"]) == "wrong"


def test_an_invariant_that_is_not_true_in_the_opening(ladder: Written) -> None:
    ladder.induction("never", both("Const(Bool(),0,),"))
    assert ladder.judge("above", "proved", kind="excluded", proofs=["never"]) == "wrong"


def test_an_invariant_that_faults_does_not_hold(ladder: Written) -> None:
    fact = f"Need(Bool(),{op('lt', ladder.load('left'), number(5))}Const(Bool(),1,),0,),"
    ladder.induction("fault", both(fact))
    assert ladder.judge("below", "proved", kind="excluded", proofs=["fault"]) == "wrong"


def test_a_proof_that_rests_on_itself(ladder: Written) -> None:
    ladder.induction("low", both(op("lt", number(0), ladder.load("left"))), uses=("low",))
    with pytest.raises(ValueError, match="rests on `low`"):
        ladder.judge("above", "proved", kind="excluded", proofs=["low"])


def test_a_proof_that_rests_on_a_later_one(ladder: Written) -> None:
    ladder.induction("one", both(op("lt", number(1), ladder.load("left"))), uses=("two",))
    ladder.induction("two", both(op("lt", number(1), ladder.load("left"))), uses=())
    with pytest.raises(ValueError, match="rests on `two`"):
        ladder.judge("above", "proved", kind="excluded", proofs=["one"])


def test_a_proof_is_worth_no_more_than_what_it_rests_on(ladder: Written) -> None:
    ladder.induction("none", both("Const(Bool(),0,),"))
    ladder.induction("low", both(op("lt", number(0), ladder.load("left"))), uses=("none",))
    assert ladder.judge("above", "proved", kind="excluded", proofs=["low"]) == "wrong"


def test_a_case_at_a_stop_of_which_nothing_is_known(ladder: Written) -> None:
    ladder.induction("low", {AT: [op("lt", number(0), ladder.load("left"))]})
    assert ladder.judge("above", "proved", kind="excluded", proofs=["low"]) == "wrong"


def test_an_arm_that_can_be_taken(ladder: Written) -> None:
    ladder.induction("nothing", {})
    assert ladder.judge("action_possible(down)", "impossible", kind="excluded", proofs=["nothing"]) == "wrong"


def test_measures_that_fall(ladder: Written) -> None:
    left, seen = ladder.load("left"), ladder.load("seen")
    ladder.ranking("end", ({AT: whole("neg", seen)}, -9, None), ({AT: left}, 0, None))
    assert ladder.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "confirmed"


@pytest.mark.parametrize(
    ("measure", "bound"),
    [
        pytest.param("left", 0, id="it rises on one edge"),
        pytest.param("seen", 0, id="it falls on none"),
    ],
)
def test_a_measure_alone(ladder: Written, measure: str, bound: int) -> None:
    ladder.ranking("end", ({AT: ladder.load(measure)}, bound, None))
    assert ladder.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


def test_a_measure_below_its_bound(ladder: Written) -> None:
    left, seen = ladder.load("left"), ladder.load("seen")
    ladder.ranking("end", ({AT: whole("neg", seen)}, -2, None), ({AT: left}, 0, None))
    assert ladder.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


def test_the_number_of_decisions_is_no_measure(ladder: Written) -> None:
    ladder.ranking("end", ({AT: whole("neg", "Clock(),")}, -(2**62), None))
    assert ladder.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


def test_measures_that_rest_on_the_number_of_decisions(ladder: Written) -> None:
    left, seen = ladder.load("left"), ladder.load("seen")
    ladder.induction("clock", both(op("le", "Clock(),", number(2**62 + 1))))
    ladder.ranking("end", ({AT: whole("neg", seen)}, -9, None), ({AT: left}, 0, None), uses=("clock",))
    assert ladder.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "confirmed"


def test_a_stop_without_a_measure(ladder: Written) -> None:
    ladder.ranking("end", ({END: ladder.load("left")}, 0, None))
    assert ladder.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


DICE = """
game "Dice"
players ann
state:
    left: 0..5 = 5
rules:
    for p in turns():
        d = roll 1..3
        if d == 1:
            if left == 1: end win(p)
            left -= 1
        else:
            {}
"""
ROLL = "rules.roll"


def dice(folder: Path, otherwise: str) -> Written:
    return written(folder, DICE.replace("{}", otherwise))


def test_chance_helps(tmp_path: Path) -> None:
    game = dice(tmp_path, "left = 5")
    game.ranking("end", ({ROLL: game.load("left")}, 0, 5))
    assert game.judge("ends_almost_surely", "proved", kind="ranking", proofs=[], ranking="end") == "confirmed"
    assert game.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


def test_chance_helps_a_measure_only_that_is_bounded_from_above(tmp_path: Path) -> None:
    game = dice(tmp_path, "left = 5")
    game.ranking("end", ({ROLL: game.load("left")}, 0, None))
    assert game.judge("ends_almost_surely", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"
    game.ranking("end", ({ROLL: game.load("left")}, 0, 4))
    assert game.judge("ends_almost_surely", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


def test_chance_that_lowers_nothing(tmp_path: Path) -> None:
    game = dice(tmp_path, "left = 5")
    game.ranking("end", ({ROLL: number(0)}, 0, 0))
    assert game.judge("ends_almost_surely", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


PURSE = """
game "Purse"
players ann
state:
    notes: 0..5 = 5
    coins: 0..9 = 0
rules:
    for p in turns():
        choose:
            change if notes > 0:
                notes -= 1
                coins = 9
            pay if coins > 0:
                coins -= 1
            leave:
                end win(p)
"""


def test_of_two_numbers_the_first_that_changes_decides(tmp_path: Path) -> None:
    purse = written(tmp_path, PURSE)
    stop, notes, coins = "rules.choose", purse.load("notes"), purse.load("coins")
    for numbers, verdict in (([notes, coins], "confirmed"), ([coins, notes], "wrong"), ([notes], "wrong")):
        purse.ranking("end", ({stop: numbers}, 0, None))
        assert purse.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == verdict
    purse.ranking("end", ({stop: [notes, coins]}, 1, None))  # below the second's bound
    assert purse.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"
    purse.ranking("end", ({stop: [notes, coins]}, 0, None))
    assert "[0,0,],[],)" in purse.proofs["end"]
    purse.proofs["end"] = purse.proofs["end"].replace("[0,0,],[],", "[0,],[],")  # the second has no bound
    assert purse.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == "wrong"


def test_plays(ladder: Written) -> None:
    assert ladder.judge("action_possible(rest)", "possible", kind="play", steps=["down"]) == "confirmed"
    assert ladder.judge("six", "possible", kind="play", steps=["down"]) == "wrong"
    assert ladder.judge("above", "refuted", kind="play", steps=["down"]) == "wrong"


def test_a_play_with_an_action_that_is_not_legal(ladder: Written) -> None:
    steps = ["down", "down", "down", "down", "down"]
    assert ladder.judge("above", "refuted", kind="play", steps=steps) == "wrong"
    assert "step 5" in ladder.why


LOOP = """
game "Loop"
players ann
state:
    at: 0..2 = 0
    high: 0..1 = 0
rules:
    while true:
        choose by ann:
            on if at < 2: at += 1
            back if at == 1: at = 0
            stop if at == 2: end win(ann)
property three: maximize at
"""


def test_a_lasso(tmp_path: Path) -> None:
    game = written(tmp_path, LOOP)
    assert game.judge("terminates", "refuted", kind="play", steps=["on", "back"], loop=0) == "confirmed"
    assert game.judge("terminates", "refuted", kind="play", steps=["on", "back"], loop=1) == "wrong"
    assert game.judge("terminates", "refuted", kind="play", steps=["on", "back"], loop=2) == "wrong"
    assert game.judge("terminates", "proved", kind="play", steps=["on", "back"], loop=0) == "wrong"
    assert game.judge("terminates", "proved", kind="all states") == "wrong"


UNSET = """
game "Unset"
players ann
state:
    at: 0..2 = 0
rule wait():
    choose by ann:
        go: pass
        far if at < 2: at += 1
rules:
    while true:
        choose by ann:
            long:
                k: 0..2 = 2
                while k > 0:
                    wait()
                    k -= 1
                    if at == 2: k = 1 - k
            short: wait()
            stop: end win(ann)
"""


def test_a_lasso_from_where_a_local_is_not_yet_set(tmp_path: Path) -> None:
    """It is kept, as a rule that is called elsewhere, too, leads to where it is read."""
    game = written(tmp_path, UNSET)
    for steps, loop, verdict in (
        (["long", "go", "go"], 0, "confirmed"),
        (["long", "go", "go"], 1, "wrong"),
        (["long", "far", "go"], 0, "wrong"),
        (["long", "go", "go", "short", "go"], 3, "confirmed"),
        (["long", "far", "far", "short"], 2, "wrong"),
        (["long", "go", "go", "long", "go"], 2, "confirmed"),
        (["long", "go", "go", "long", "go"], 1, "wrong"),
    ):
        assert game.judge("terminates", "refuted", kind="play", steps=steps, loop=loop) == verdict, steps


def test_the_greatest_value(tmp_path: Path) -> None:
    game = written(tmp_path, LOOP)
    game.induction("none", {})
    shown = {"kind": "value", "proofs": ["none"], "steps": ["on", "on"]}
    assert game.judge("three", "proved", number=2, **shown) == "confirmed"
    assert game.judge("three", "proved", number=1, **shown) == "wrong"
    assert game.judge("three", "proved", number=2, **{**shown, "steps": ["on"]}) == "wrong"
    assert game.judge("three", "proved", number=1, **{**shown, "steps": ["on"]}) == "wrong"


def test_an_answer_that_a_question_cannot_have(ladder: Written) -> None:
    assert ladder.judge("above", "possible", kind="all states") == "wrong"
    assert ladder.judge("six", "refuted", kind="all states") == "wrong"
    assert ladder.judge("six", "impossible", kind="all states") == "confirmed"
    assert ladder.judge("six", "possible", kind="all states") == "wrong"
    assert ladder.judge("above", "proved", kind="nothing hidden") == "wrong"


def test_a_fact_that_is_no_truth_value(ladder: Written) -> None:
    ladder.induction("five", both(number(5)))
    assert ladder.judge("above", "proved", kind="excluded", proofs=["five"]) == "wrong"


def test_a_definition_that_rests_on_itself(ladder: Written) -> None:
    ladder.proofs["round"] = f'Induction("round",[],[],[Def(0,),],[Known({ladder.stop(AT)}[Def(0,),],),],),'
    assert ladder.judge("above", "proved", kind="excluded", proofs=["round"]) == "wrong"


@pytest.mark.parametrize(
    "text", ["", "Program(", "[1,],", "Int(0,1,)", "f" * 5000 + ",", "[" * 30_000, "1,2,", "Const(,),"]
)
def test_texts_that_are_none(text: str) -> None:
    with pytest.raises(BadText):
        check_program(read(text))


AGES = """
game "Ages"
players ann
state:
    days: 0..999999999999999999 = 0
    ages: 0..9 = 0
rules:
    while ages < 9:
        choose by ann:
            on:
                if days == 999999999999999999:
                    days = 0
                    ages += 1
                else:
                    days += 1
            stop: end win(ann)
    end tie
property early: never ages == 5
"""


def test_a_bound_that_rests_on_how_far_the_number_of_decisions_is_looked_at(tmp_path: Path) -> None:
    game = written(tmp_path, AGES)
    age = whole("mul", game.load("ages"), number(10**18))
    counted = op("le", whole("add", age, game.load("days")), "Clock(),")
    game.induction("time", {stop: [counted] for stop in game.blocks})
    assert game.judge("early", "proved", kind="excluded", proofs=["time"]) == "open"


@pytest.mark.parametrize(("bound", "verdict"), [(2**62 + 1, "open"), (2**62 - 1, "wrong")])
def test_a_measure_that_only_the_number_of_decisions_bounds(tmp_path: Path, bound: int, verdict: str) -> None:
    game = written(tmp_path, AGES.replace("ages += 1", "ages = 0 if ages == 8 else ages + 1"))
    past = whole("add", whole("mul", game.load("ages"), number(10**18)), game.load("days"))
    known = [op("le", past, "Clock(),"), op("le", "Clock(),", number(bound))]
    game.induction("few", dict.fromkeys(game.blocks, known))
    stop = next(name for name in game.blocks if "end" not in name)
    game.ranking("end", ({stop: whole("neg", past)}, -bound, None), uses=("few",))
    assert game.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == verdict


ROUNDS = """
game "Rounds"
players ann, bob
state:
    left: 0..8 = 8
    seen: 0..8 = 0
rules:
    choose by ann:
        go:
            while left > 0:
                left -= 1
                seen += 1
                if seen == 7:
                    choose by bob:
                        on:
                            end win(ann)
            end win(bob)
property few: always seen <= 6
property no_more: always seen <= 7
"""


def test_a_way_that_goes_round_and_can_be_taken_is_looked_at(tmp_path: Path) -> None:
    """Only ways that no values take are left out, however often they go round."""
    game = written(tmp_path, ROUNDS)
    low, all_there = (op("le", game.load("seen"), number(n)) for n in (6, 7))
    at_first = op("eq", game.load("seen"), number(0))
    stops = {name: [] for name in game.blocks if name != "rules.go"}
    game.induction("few", {name: [low] for name in stops} | {"rules.go": [at_first]})
    together = op("eq", whole("add", game.load("seen"), game.load("left")), number(8))
    more = {name: [all_there] for name in stops} | {"rules.go": [at_first, together]}
    game.induction("more", more)
    assert game.judge("few", "proved", kind="excluded", proofs=["few"]) == "wrong"
    assert game.judge("no_more", "proved", kind="excluded", proofs=["more"]) == "confirmed"


STAIRS = """
game "Stairs"
players ann
state:
    at: 0..5 = 0
rules:
    while true:
        choose by ann:
            up if at < 3: at += 1
property top: never at == 3
"""


def test_what_holds_only_where_play_can_go_on(tmp_path: Path) -> None:
    """It is true of all decisions, but does not exclude that play comes to where nothing can be done."""
    game = written(tmp_path, STAIRS)
    game.induction("low", {next(iter(game.blocks)): [op("lt", game.load("at"), number(3))]})
    assert game.judge("top", "proved", kind="excluded", proofs=["low"]) == "confirmed"
    assert game.judge("no_fault", "proved", kind="excluded", proofs=["low"]) == "confirmed"
    assert game.judge("never_stuck", "proved", kind="excluded", proofs=["low"]) == "wrong"
    game.induction("lower", {next(iter(game.blocks)): [op("lt", game.load("at"), number(2))]})
    assert game.judge("top", "proved", kind="excluded", proofs=["lower"]) == "wrong"


STEEP = """
game "Steep"
players ann
state:
    at: 0..5 = 4
rules:
    while true:
        choose by ann:
            down if at in 1..4: at = at - 1 if at > 1 else 5
            {}
"""


@pytest.mark.parametrize(
    ("more", "verdict"), [("off if at == 0: end win(ann)", "confirmed"), ("up if at == 5: at = 4", "wrong")]
)
def test_a_measure_that_rises_only_where_play_cannot_go_on(tmp_path: Path, more: str, verdict: str) -> None:
    game = written(tmp_path, STEEP.replace("1..4", "1..4").replace("{}", more))
    game.ranking("end", ({next(iter(game.blocks)): game.load("at")}, 0, None))
    assert game.judge("terminates", "proved", kind="ranking", proofs=[], ranking="end") == verdict
