"""The Moeraki-Kemu oracle of the master level and the match against hand-made positions (KE11-KE14, KE17),
and against the oracle of the lower levels."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from . import moeraki_kemu as lower
from . import moeraki_kemu_master as oracle
from .moeraki_kemu import MANAIA, MATAU, Cell, Field
from .moeraki_kemu_master import Model, Warrior


def warriors_on(place: Field) -> set[str]:
    return {f"warrior({place}, {name})" for name in oracle.DIRECTIONS}


def play(model: Model, *texts: str) -> Model:
    for text in texts:
        assert text in model.actions(), (text, model.actor, model.actions())
        model = model.apply(text)
    return model


def at(
    mover: str,
    stones: Mapping[str, Sequence[Cell]],
    *,
    ball: Cell = (6, 6),
    tiles: Mapping[Field, str] | None = None,
    warriors: tuple[Warrior, ...] = (),
    options: Mapping[str, str | int] | None = None,
) -> Model:
    """A position of the master level: a stone is to be laid."""
    return Model(
        options=oracle.initial(2, level="master", **(options or {})).options,
        mover=mover,
        ball=ball,
        stones={cell: player for player, cells in stones.items() for cell in cells},
        tiles=tiles or {},
        warriors=warriors,
    )


ALL_LINE: list[Field] = [(6, 5), (5, 6), (4, 7), (3, 8), (2, 9)]


def test_a_warrior_clears_his_line() -> None:  # KE11
    tiles = {place: (MANAIA, MATAU)[number % 2] for number, place in enumerate(ALL_LINE)} | {(8, 3): MATAU}
    stones: dict[str, Sequence[Cell]] = {MANAIA: [(6, 4), (8, 4)], MATAU: [(7, 3)]}
    model = play(at(MANAIA, stones, tiles=tiles), "place((7, 5))")
    assert set(model.actions()) == {"lay"} | warriors_on((7, 4))
    cleared = play(model, "warrior((7, 4), down_left)")
    assert cleared.tiles == {(8, 3): MATAU} and cleared.watched() == set(ALL_LINE)
    assert cleared.actor == MATAU and not cleared.at_home(MANAIA)
    # Later no tile is laid there.
    later: dict[str, Sequence[Cell]] = {MANAIA: [(3, 7), (2, 8)], MATAU: [(4, 8)]}
    watched = at(MANAIA, later, warriors=cleared.warriors)
    assert play(watched, "place((3, 9))").tiles == {}


WHITE_WARRIOR = Warrior(MANAIA, (7, 4), (-1, 1))


@pytest.mark.parametrize(
    ("options", "put_back", "watched"),
    [
        ({}, True, False),
        ({"K3": "may_be_laid"}, False, False),
        ({"K4": "removes"}, False, True),
    ],
)
def test_gazes_cross(options: dict[str, str | int], put_back: bool, watched: bool) -> None:  # KE12
    stones: dict[str, Sequence[Cell]] = {
        MANAIA: [(4, 6), (5, 7), (6, 6)], MATAU: [(3, 5), (5, 5)],
    }  # fmt: skip
    model = at(MATAU, stones, ball=(6, 4), tiles={(7, 8): MATAU}, warriors=(WHITE_WARRIOR,), options=options)
    crossed = play(model, "place((4, 4))", "warrior((4, 5), down_right)")
    assert crossed.tiles == ({(5, 6): MANAIA} if put_back else {})
    assert ((5, 6) in crossed.watched()) is watched
    assert {(6, 5), (4, 7), (2, 9), (6, 7), (7, 8)} <= crossed.watched()


def test_a_field_where_gazes_cross_may_get_a_tile_later() -> None:
    warriors = (WHITE_WARRIOR, Warrior(MATAU, (4, 5), (1, 1)))
    stones: dict[str, Sequence[Cell]] = {MANAIA: [(4, 6)], MATAU: [(5, 7)]}
    assert play(at(MANAIA, stones, warriors=warriors), "place((5, 5))").tiles == {(5, 6): MANAIA}


@pytest.mark.parametrize("ban", ["no", "yes"])
def test_a_warrior_looks_at_a_warrior(ban: str) -> None:  # KE13, K26
    tiles: dict[Field, str] = {(8, 3): MANAIA, (10, 1): MATAU, (5, 6): MATAU}
    stones: dict[str, Sequence[Cell]] = {MATAU: [(8, 2), (9, 1)], MANAIA: [(9, 3)]}
    first = Warrior(MANAIA, (7, 4), (1, 1))
    model = at(MATAU, stones, tiles=tiles, warriors=(first,), options={"K26": ban})
    stopped = play(model, "place((10, 2))", "warrior((9, 2), down_left)")
    assert stopped.tiles == {(10, 1): MATAU, (5, 6): MATAU}  # behind the first warrior a tile stays
    assert (8, 3) in stopped.watched() and ((4, 7) in stopped.watched()) is (ban == "yes")


def test_a_warrior_steps_into_a_line_of_sight() -> None:  # K11, K12, K25
    stones: dict[str, Sequence[Cell]] = {MATAU: [(5, 5), (4, 6)], MANAIA: [(6, 6)]}

    def step(**options: str | int) -> set[Field]:
        model = at(MATAU, stones, ball=(6, 4), warriors=(WHITE_WARRIOR,), options={"K11": "yes"} | options)
        return play(model, "place((5, 7))", "warrior((5, 6), down_left)").watched()

    assert step() == set(ALL_LINE)
    assert step(K12="ends_there") == set(ALL_LINE) - {(5, 6)}
    assert step(K25="yes") == {(6, 5), (5, 6)}  # what both watch is a crossing


def test_when_a_warrior_may_be_put() -> None:
    # White's (5, 1) closes the half field (6, 1) 2:1 or 3:0; a whole tile can be replaced.
    two_one: dict[str, Sequence[Cell]] = {MANAIA: [(7, 1)], MATAU: [(6, 2)]}
    three: dict[str, Sequence[Cell]] = {MANAIA: [(7, 1), (6, 2)]}
    assert play(at(MANAIA, two_one), "place((5, 1))").tiles == {(6, 1): MANAIA}
    assert set(play(at(MANAIA, three), "place((5, 1))").actions()) == {"lay"} | warriors_on((6, 1))
    assert play(at(MANAIA, three, options={"K5": "squares"}), "place((5, 1))").tiles == {(6, 1): MANAIA}
    # Two of the directions lead off the board (K24).
    inside = play(at(MANAIA, three, options={"K24": "no"}), "place((5, 1))")
    assert set(inside.actions()) == {"lay", "warrior((6, 1), down_left)", "warrior((6, 1), down_right)"}
    # At the ball a tile is whole.
    at_ball = play(at(MATAU, {MANAIA: [(5, 5)], MATAU: [(6, 4)]}, options={"K5": "squares"}), "place((7, 5))")
    assert at_ball.actor == MATAU and set(at_ball.actions()) == {"lay"} | warriors_on((6, 5))
    assert play(at_ball, "lay").tiles == {(6, 5): MATAU}
    # The owner of the field decides, whoever closed it (K10).
    closes = {MANAIA: [(4, 2), (3, 3), (5, 3)]}
    by_other = play(at(MATAU, closes), "place((4, 4))")
    assert by_other.actor == MANAIA and by_other.mover == MATAU
    assert play(by_other, "lay").actor == MANAIA and play(by_other, "lay").tiles == {(4, 3): MANAIA}
    own = play(at(MATAU, closes, options={"K10": "no"}), "place((4, 4))")
    assert own.tiles == {(4, 3): MANAIA} and own.asked is None
    # On a watched field: neither a tile nor a warrior, or a warrior (K11).
    white: dict[str, Sequence[Cell]] = {MATAU: [(3, 7), (2, 8), (4, 8)]}
    barred = play(at(MANAIA, white, warriors=(WHITE_WARRIOR,)), "place((3, 9))")
    assert barred.tiles == {} and barred.asked is None
    watched = play(at(MANAIA, white, warriors=(WHITE_WARRIOR,), options={"K11": "yes"}), "place((3, 9))")
    assert watched.actor == MATAU and set(watched.actions()) == {"lay"} | warriors_on((3, 8))
    assert play(watched, "lay").tiles == {}


# White's stone (5, 3) closes (5, 2) and (4, 3) for white and (6, 3) for black; (5, 4) is even.
THREE_DUE: dict[str, Sequence[Cell]] = {
    MANAIA: [(3, 3), (4, 2), (5, 1), (5, 5)],
    MATAU: [(7, 3), (6, 2), (6, 4), (4, 4)],
}


def test_the_order_of_fields() -> None:  # KE14
    model = play(at(MANAIA, THREE_DUE), "place((5, 3))")
    # White says where his warrior goes, if anywhere; then it is black's turn to say so.
    assert model.actor == MANAIA
    assert set(model.actions()) == {"lay"} | warriors_on((5, 2)) | warriors_on((4, 3))
    laid = play(model, "lay")
    assert laid.tiles == {(5, 2): MANAIA, (4, 3): MANAIA} and laid.actor == MATAU
    # The warrior on (5, 2) looks at (6, 3): black's tile is due there, and neither it nor a warrior can come.
    after = play(model, "warrior((5, 2), down_right)")
    assert after.tiles == {(4, 3): MANAIA} and after.actor == MATAU and after.mover == MATAU
    gone = play(at(MANAIA, THREE_DUE, warriors=(Warrior(MANAIA, (9, 8), (1, 1)),)), "place((5, 3))")
    assert gone.tiles == {(5, 2): MANAIA, (4, 3): MANAIA} and gone.actor == MATAU
    assert set(gone.actions()) == {"lay"} | warriors_on((6, 3))


def test_a_winning_stone_settles_no_field() -> None:
    stones = {MANAIA: [(3, 3), (4, 2), (5, 1), (4, 4)], MATAU: [(7, 3), (6, 2), (6, 4), (5, 5)]}
    won = play(at(MANAIA, stones), "place((5, 3))")
    assert won.kind == "end" and won.tiles == {} and won.places() == {MATAU: 2, MANAIA: 1}


def test_a_warrior_may_bar_a_tile_of_his_own_tribe() -> None:
    # The white warrior on (4, 3) looks at (5, 2), which was due to white as well.
    model = play(at(MANAIA, THREE_DUE), "place((5, 3))", "warrior((4, 3), up_right)")
    assert model.tiles == {} and model.actor == MATAU and f"warrior({(6, 3)}, up_left)" in model.actions()


def test_two_rows_by_option() -> None:  # K2
    row: list[Cell] = [(3, 1), (5, 1), (7, 1)]
    other: list[Cell] = [(3, 11), (5, 11), (7, 11), (9, 11)]
    assert play(at(MATAU, {MATAU: row}), "place((9, 1))").kind == "end"
    one = play(at(MATAU, {MATAU: row}, options={"K2": "two_rows"}), "place((9, 1))")
    assert one.kind == "decision"
    assert play(at(MATAU, {MATAU: row + other}, options={"K2": "two_rows"}), "place((9, 1))").kind == "end"


def test_counting() -> None:
    warriors = (WHITE_WARRIOR,)
    assert at(MATAU, {}, tiles={(4, 3): MANAIA}, warriors=warriors).points_in_halves(MANAIA) == 2
    stands = at(MATAU, {}, tiles={(4, 3): MANAIA}, warriors=warriors, options={"K6": "yes"})
    assert stands.points_in_halves(MANAIA) == 4 and stands.points_in_halves(MATAU) == 0
    # K8: the twenty-fifth tile.
    many: dict[Field, str] = dict.fromkeys(list(lower.CORNERS)[-24:], MANAIA)
    stones: dict[str, Sequence[Cell]] = {MANAIA: [(3, 1)], MATAU: [(4, 2)]}
    for answer, number in (("unlimited", 25), ("none_laid", 24)):
        full = at(MANAIA, stones, tiles=many, warriors=warriors, options={"K8": answer})
        assert len(play(full, "place((5, 1))").tiles) == number


def test_a_match() -> None:  # KE17
    def win(model: Model, winner: str) -> Model:
        """The corner (3, 1), (2, 2), (1, 3) for the winner; the loser lays elsewhere."""
        games = sum(model.wins.values())
        corner = ["place((3, 1))", "place((2, 2))", "place((1, 3))"]
        idle = ["place((8, 10))", "place((10, 8))", "place((6, 10))"]
        while sum(model.wins.values()) == games:
            model = play(model, corner.pop(0) if model.actor == winner else idle.pop(0))
        return model

    for goal in (3, 5, 7, 10):
        model = oracle.initial(level="beginner", goal=goal)
        assert model.actor == MATAU and len(model.actions()) == 9
        model = win(play(model, "place_ball((6, 6))"), MANAIA)
        assert model.actor == MANAIA and len(model.actions()) == 8
        assert "place_ball((6, 6))" not in model.actions() and model.stones == {}
        model = win(play(model, "place_ball((5, 5))"), MATAU)
        assert model.actor == MATAU and "place_ball((6, 6))" in model.actions()
        for _ in range(goal - 1):
            assert model.kind == "decision"
            model = win(play(model, model.actions()[0]), MATAU)
        assert model.kind == "end" and model.actor is None and model.actions() == []
        assert model.places() == {MATAU: 1, MANAIA: 2} and model.wins == {MATAU: goal, MANAIA: 1}
    anywhere = win(play(oracle.initial(goal=3, K15="anywhere"), "place_ball((6, 6))"), MATAU)
    assert len(anywhere.actions()) == 9
    assert win(play(oracle.initial(), "place_ball((6, 6))"), MANAIA).places() == {MATAU: 2, MANAIA: 1}


# A full board without an early win, by rows: B = matau, W = manaia, O = the ball.
SIXTEEN_EACH = """
    B W W B / W B B W W / B B W B B W / B B B W W / B W O B W B / W W B B B
    B B B W W W / W B W W B / W W W B W B / B W B W W / W W B B"""


def test_full_boards() -> None:
    letters = dict(zip(lower.CELLS, SIXTEEN_EACH.replace("/", " ").split(), strict=True))

    def fill(**options: str | int) -> Model:
        held = {sign: [cell for cell, here in letters.items() if here == sign] for sign in "BWO"}
        model = play(oracle.initial(2, **options), f"place_ball({held['O'][0]})")
        for white, black in zip(held["W"], held["B"], strict=True):
            model = play(model, f"place({white})", f"place({black})")
        return model

    assert fill(level="basic").places() == {MATAU: 1, MANAIA: 2}  # equal: he who placed the ball
    assert fill(level="beginner").places() == {MATAU: 1, MANAIA: 1}
    assert fill(level="beginner", goal=3).actor == MANAIA  # K16
    again = fill(level="beginner", goal=3, K16="same")
    assert again.actor == MATAU and len(again.actions()) == 8 and sum(again.wins.values()) == 0


@pytest.mark.parametrize("level", ["beginner", "basic"])
def test_the_lower_levels_are_the_same_as_in_the_other_model(level: str) -> None:
    for seed in range(8):
        chance = random.Random(seed)
        model, state = oracle.initial(level=level), lower.initial(level)
        while model.kind != "end":
            assert model.actor == lower.actor(state) and model.actions() == lower.legal(state)
            text = chance.choice(model.actions())
            model, state = model.apply(text), lower.apply(state, text)
        result = lower.result(state)
        assert result is not None and lower.actor(state) is None
        ahead = [player for player, place in model.places().items() if place == 1]
        assert ahead == ([result["winner"]] if result["winner"] else [MATAU, MANAIA])
        assert model.tiles == lower.tiles(state)


def test_random_matches() -> None:
    for seed in range(6):
        chance = random.Random(seed)
        model = oracle.initial(level="master", goal=3)
        put = 0
        while model.kind != "end":
            texts = model.actions()
            assert texts and len(set(texts)) == len(texts) and model.actor in oracle.PLAYERS
            text = chance.choice(texts)
            put += text.startswith("warrior")
            model = model.apply(text)
            assert not model.watched() & set(model.tiles)
        assert put and sorted(model.places().values()) == [1, 2]
        with pytest.raises(ValueError):
            model.apply("sing()")
    with pytest.raises(ValueError):
        oracle.initial(goal=2)
    with pytest.raises(ValueError):
        oracle.initial(3)
