"""Worked examples that pass or say what was the case instead; views as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.play.examples import run_example, run_examples
from kemu_engine.play.game import Game
from kemu_engine.play.view import Mark, Picture, view

from tests.engine.build import YES, num, op
from tests.engine.games import hidden_coin, nim
from tests.rules import game_in

HEAP = k.Load(k.Int(0, 7), 0)


FEW = op("lt", HEAP, num(5))
HEAPED, FIVE = ((HEAP, ()),), ((num(5), ()),)


def do(*texts: str, actor: int | None = None, kind: Any = "action") -> tuple[k.Step, ...]:
    return tuple(k.Step(kind, text, actor, -1) for text in texts)


def holds(expr: k.Expr, *sides: k.Sides) -> k.Expectation:
    return k.Expectation("holds", expr, (), -1, sides)


def says(kind: Any, *texts: str, actors: tuple[int, ...] = ()) -> k.Expectation:
    return k.Expectation(kind, None, texts, -1, (), actors)


def run(
    program: k.Program, steps: tuple[k.Step, ...], *expect: k.Expectation, block: int = -1, given: k.Code = ()
) -> str:
    """The message of an example that expects something at its end; nothing if it passes."""
    last = tuple(replace(each, after=len(steps)) for each in expect)
    return run_example(Game(program), k.Example("an example", block, given, steps, last, -1)).message


def test_an_example_plays_its_steps_and_looks() -> None:
    assert run(nim(), do("take(3)", "take( 3 )"), holds(op("eq", HEAP, num(1)))) == ""
    assert run(nim(), do("take(3)", actor=0), says("legal", "take(3)"), says("illegal", "take(4)")) == ""
    assert run(hidden_coin(), do("tails", kind="chance"), says("exactly", "say(tails)", "say(heads)")) == ""


def test_expectations_may_stand_between_the_steps() -> None:
    seven, four = holds(op("eq", HEAP, num(7))), replace(holds(op("eq", HEAP, num(4))), after=1)
    late = k.Example("an example", -1, (), do("take(3)", "take(3)"), (seven, four), -1)
    assert run_example(Game(nim()), late).passed
    early = replace(late, expect=(replace(seven, after=1),))
    assert not run_example(Game(nim()), early).passed


def test_several_dice_may_be_told_together() -> None:
    game = game_in("""
        game "Dice"
        players ann, ben
        state:
            sum: 0..12
        rules:
            dice = roll 2 of 1..6
            sum = dice[0] + dice[1]
            choose go by ann
            end win(ann)
        example "both":
            do: roll (3, 1)
            expect: sum == 4
            do: go
        example "one by one":
            do: 3; roll 1
            expect: sum == 4
        example "three":
            do: (3, 1, 1)
    """)
    both, single, three = run_examples(game)
    assert both.passed and single.passed
    assert three.message.startswith("1 is not possible for ann at go")


def test_what_is_legal_may_say_for_whom() -> None:
    north, south = says("legal", "take(1)", actors=(0,)), says("legal", "take(1)", actors=(1,))
    assert run(nim(), (), north, says("exactly", "take(1)", "take(2)", "take(3)", actors=(0,))) == ""
    assert run(nim(), (), south).startswith("south is not to move: north is at take: take(1), ")
    assert (
        run(nim(), (), says("illegal", "take(4)", actors=(0,)), says("illegal", "take(1)", actors=(1,))) == ""
    )
    assert run(nim(), (), says("illegal", "take(1)", actors=(0,))) == "take(1) should not be legal"


def test_an_example_may_begin_at_a_stop_with_other_values() -> None:
    given = (k.Assign(0, num(1)), k.Store(0, num(2)))
    take = next(number for number, block in enumerate(nim().blocks) if block.name == "play.take")
    assert run(nim(), do("take(2)", actor=1), holds(op("eq", HEAP, num(0))), block=take, given=given) == ""


@pytest.mark.parametrize(
    ("steps", "expected", "message"),
    [
        (do("take(9)"), holds(YES), "take(9) is not possible for north at take; possible: take(1), "),
        (do("take(1)", actor=1), holds(YES), "take(1) is not for south to do: north is at take: take(1), "),
        (do("3", kind="chance"), holds(YES), "3 is an outcome of chance, but north is at take"),
        (
            do(*["take(3)"] * 2, "take(1)", "pass"),
            holds(YES),
            "pass cannot be done: the game is over, north is in first place",
        ),
        ((), holds(FEW, k.Sides(FEW, HEAPED, FIVE)), "does not hold: the left side is 7, the right side 5"),
        (
            (),
            holds(op("and", YES, FEW), k.Sides(YES, FIVE, FIVE), k.Sides(FEW, HEAPED, ("{", *FIVE, " }"))),
            "does not hold: the left side is 7, the right side {5}",
        ),
        ((), holds(op("not", YES)), "does not hold: north is at take: take(1), "),
        (
            (),
            says("legal", "take(1)", "pass"),
            "pass should be legal; north is at take: take(1), take(2), take(3)",
        ),
        ((), says("illegal", "take(1)"), "take(1) should not be legal"),
        (
            (),
            says("exactly", "take(1)", "take(2)", "take(4)"),
            "take(4) should be legal and take(3) should not be",
        ),
    ],
)
def test_a_failing_example_says_what_was_the_case(
    steps: tuple[k.Step, ...], expected: k.Expectation, message: str
) -> None:
    assert message in run(nim(), steps, expected)


def test_values_are_told_in_the_words_of_the_variable() -> None:
    said = k.Load(k.Int(-1, 1), 1)
    steps = (*do("heads", kind="chance"), *do("say(tails)"))
    same = op("eq", said, num(0))
    sides = k.Sides(same, ((said, ("none", "heads", "tails")),), ("heads",))
    assert "the left side is tails, the right side heads" in run(hidden_coin(), steps, holds(same, sides))


def test_a_failing_expectation_is_quoted_from_the_rules_file() -> None:
    program = nim()  # its first origin is columns 1 to 9 of line 5
    quoted = replace(program, sources={"rules.kemu": "\n\n\n\nheap == 5 and more"})
    result = run_example(
        Game(quoted),
        k.Example("an example", -1, (), (), (k.Expectation("holds", op("eq", HEAP, num(5)), (), 0),), -1),
    )
    assert result.message.startswith("heap == 5 does not hold")
    assert result.origin == program.origins[0]


def test_a_view_is_glyphs_at_places_and_lines() -> None:
    few = op("lt", HEAP, num(5))
    spots = (
        k.Spot("heap", YES, num(2), HEAP, k.If(k.Int(0, 1), few, num(1), num(0)), ("many", "few")),
        k.Spot("nothing", few, num(0), num(0), num(0), ("!",)),
    )
    words = ("none", "one", "two", "three", "four", "five", "six", "seven")
    lines = (k.Line(YES, ("heap ", (HEAP, ()), " or ", (HEAP, words))), k.Line(few, ("few",)))
    game = Game(replace(nim(), views=(k.View("table", spots, lines),)))
    first = game.initial()
    assert view(first) == [Picture("table", (Mark("heap", 2, 7, "many"),), ("heap 7 or seven",))]
    marks = (Mark("heap", 2, 4, "few"), Mark("nothing", 0, 0, "!"))
    assert view(first.apply("take(3)")) == [Picture("table", marks, ("heap 4 or four", "few"))]
