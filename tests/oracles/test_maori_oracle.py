"""The Māori oracle against hand-made positions; ME numbers are the worked examples of the rule facts."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from . import maori as oracle
from .maori import SLOTS, Act, Board, Model, Over, Sail, Stage, line
from .maori_tiles import FIELDS, TILES, VOLCANO, Field

RED, YELLOW, GREEN = oracle.COLOURS[:3]


def at(
    boards: Mapping[str, Board] | None = None,
    *,
    players: int = 2,
    display: Mapping[int, str] | None = None,
    stage: Stage | None = None,
    **options: str,
) -> Model:
    """Yellow's turn, the ship above column 0; the display shows plain sea but for the depths given of that
    column. Nothing else is accounted for: the face-down tiles are all of the box."""
    start = oracle.initial(players, **options)
    shown: dict[oracle.Slot, str] = dict.fromkeys(SLOTS, "sea")
    shown |= {line(0)[depth]: tile for depth, tile in (display or {}).items()}
    return replace(
        start,
        mover=YELLOW,
        stage=stage or Sail(),
        display={slot: tile for slot, tile in shown.items() if tile},
        berth=0,
        boards={**start.boards, **(boards or {})},
    )


def act(board: Board, display: Mapping[int, str] | None = None, **options: str) -> Model:
    return at({YELLOW: board}, players=2, display=display, stage=Act(), **options)


def play(model: Model, *texts: str) -> Model:
    for text in texts:
        assert text in (model.actions() or model.outcomes()), (text, model.actions(), model.outcomes())
        model = model.apply(text)
    return model


def depths(model: Model, name: str) -> set[int]:
    return {int(text[len(name) + 1]) for text in model.actions() if text.startswith(f"{name}(")}


def fields(model: Model, name: str) -> set[Field]:
    """The fields that actions of one name offer."""
    found = set()
    for text in model.actions():
        if text.startswith(f"{name}("):
            x, y = text.rstrip(")").rsplit("(", 1)[1].split(", ")
            found.add((int(x), int(y)))
    return found


def score(tiles: Mapping[Field, str], shells: int = 0, **options: str) -> dict[str, int]:
    """Yellow's points beside a red player with nothing but nine shells."""
    boards = {YELLOW: Board(shells, tiles), RED: Board(9)}
    return at(boards, players=2, display=None, stage=Over(), **options).score(YELLOW)


def test_the_box() -> None:
    kinds = list(TILES.values())
    assert sum(tile.count for tile in kinds) == 97

    def total(number: int, palms: bool) -> int:
        chosen = [tile for name, tile in TILES.items() if name != VOLCANO and len(tile.land) == number]
        return sum(tile.count for tile in chosen if bool(tile.palms) == palms)

    assert (total(0, True), total(1, True), total(2, True), total(0, False)) == (10, 54, 14, 17)
    assert sum(tile.count * tile.palms for tile in kinds) == 112
    assert sum(tile.count * tile.boats for tile in kinds) == 16
    assert sum(tile.count * tile.shells for tile in kinds) == 11
    assert sum(tile.count * tile.huts for tile in kinds) == 12
    assert sum(tile.count for tile in kinds if tile.half) == 8
    assert len(FIELDS["front"]) == 16 and len(FIELDS["atoll"]) == 20


def test_setup() -> None:  # ME17
    model = oracle.initial(5)
    assert model.outcomes()["sea_boat"] == 8 and VOLCANO not in model.outcomes()
    assert sum(model.outcomes().values()) == 95
    for slot in SLOTS:
        assert model.kind == "chance" and model.actor is None
        model = model.apply("north_1" if slot in SLOTS[:4] else max(model.outcomes()))
    assert model.display[0, 3] == "north_1" and "north_1" not in model.face_down
    assert sum(model.face_down.values()) == 81 and model.face_down[VOLCANO] == 2
    assert model.actor == RED and set(model.actions()) == {f"place({berth})" for berth in range(16)}
    placed = play(model, "place(15)")
    assert placed.actor == YELLOW and placed.supply == 5
    assert play(placed, "sail(2)").berth == 1
    for players, options in (
        (6, {}),
        (5, {"side": "atoll"}),
        (5, {"edition": "german"}),
        (2, {"M5": "maybe"}),
    ):
        with pytest.raises(ValueError):
            oracle.initial(players, **options)


def test_the_ship_looks_along_a_line() -> None:
    assert line(0) == [(0, 0), (0, 1), (0, 2), (0, 3)] and line(3)[0] == (3, 0)
    assert line(4) == [(3, 0), (2, 0), (1, 0), (0, 0)] and line(7)[0] == (3, 3)
    assert line(8) == [(3, 3), (3, 2), (3, 1), (3, 0)] and line(11)[0] == (0, 3)
    assert line(12) == [(0, 3), (1, 3), (2, 3), (3, 3)] and line(15)[0] == (0, 0)


def test_sailing() -> None:
    def steps(board: Board) -> list[str]:
        return at({YELLOW: board}).actions()

    assert steps(Board(0)) == ["sail(1)", "sail(2)"]  # ME1
    assert steps(Board(1)) == ["sail(1)", "sail(2)", "sail(3)"]
    assert len(steps(Board(2, {(1, 0): "sea_boat"}, store="sea_boat"))) == 5
    paid = play(at({YELLOW: Board(4)}), "sail(3)")  # ME2
    assert paid.berth == 3 and paid.boards[YELLOW].shells == 3 and paid.supply == 21


def test_taking() -> None:
    assert depths(act(Board(3)), "take") == {0, 1, 2, 3} == depths(act(Board(3)), "keep")  # ME3
    assert depths(act(Board(1)), "take") == {0, 1}
    taken = play(act(Board(3), {2: "isle_2"}), "take(2, (1, 2))")
    assert taken.boards[YELLOW].shells == 1 and taken.boards[YELLOW].tiles == {(1, 2): "isle_2"}
    assert taken.kind == "chance" and VOLCANO in taken.outcomes()
    refilled = play(taken, VOLCANO)
    assert refilled.display[0, 2] == VOLCANO and refilled.actor == RED
    # ME4: a volcano bars what lies behind it.
    assert depths(act(Board(5), {1: VOLCANO}), "keep") == {0}
    assert depths(act(Board(5), {0: VOLCANO}), "keep") == set()
    # An empty place is passed over free of charge, or not (M8).
    assert depths(act(Board(0), {0: "", 1: ""}), "keep") == {2}
    assert depths(act(Board(1), {0: "", 1: ""}, M8="yes"), "keep") == set()
    assert depths(act(Board(1), {0: ""}, M8="yes"), "keep") == {1}
    # Without face-down tiles the place stays empty.
    dry = play(replace(act(Board(0)), face_down={}), "keep(0)")
    assert dry.actor == RED and (0, 0) not in dry.display


def test_the_other_actions() -> None:
    kept = play(act(Board(0)), "keep(0)", "sea")
    assert kept.boards[YELLOW].store == "sea"
    board = Board(0, {(1, 1): "sea"}, store="sea_shell")
    model = act(board)
    assert depths(model, "keep") == set()  # ME11
    assert (1, 1) not in fields(model, "unload") and len(fields(model, "unload")) == 15
    unloaded = play(model, "unload((2, 2))")
    assert unloaded.boards[YELLOW] == Board(1, {(1, 1): "sea", (2, 2): "sea_shell"})
    assert unloaded.supply == 19 and unloaded.actor == RED
    bare = play(replace(model, supply=0), "unload((2, 2))")
    assert bare.boards[YELLOW].shells == 0
    assert play(model, "remove((1, 1))").boards[YELLOW].tiles == {}
    assert play(model, "nothing").boards[YELLOW] == board
    assert (0, 0) not in fields(model, "take") and (0, 0) in fields(act(Board(), side="atoll"), "take")


# Ten palms without a hut (a wreath among them, over the edge between the two leis), six with one, five boats.
EXAMPLE: dict[Field, str] = {
    (1, 1): "south_lei",
    (1, 2): "north_lei",
    (2, 0): "east_2",
    (3, 0): "west_2",
    (2, 1): "isle_2",
    (3, 1): "isle_2",
    (2, 2): "east_hut",
    (3, 2): "ew_3",
    (4, 2): "west_2",
    (0, 1): "sea_boat",
    (0, 2): "sea_boat",
    (1, 0): "sea_boat",
    (1, 3): "sea_boat",
    (2, 3): "sea_boat",
}


def test_scoring_example() -> None:  # ME5
    points = score(EXAMPLE, shells=3)
    assert points == {"palms": 10 + 12, "wreaths": 10, "boats": 7, "shells": 0, "empty": -2}
    assert sum(points.values()) == 37


def test_scoring() -> None:
    assert score({(1, 1): "east_hut", (2, 1): "ew_hut", (3, 1): "west_hut"})["palms"] == 6
    assert (
        score({(1, 1): "east_hut", (2, 1): "ew_hut", (3, 1): "ew_3", (4, 1): "west_hut"})["palms"] == 12
    )  # ME6
    boats = dict.fromkeys(FIELDS["front"][:5], "sea_boat")
    tied = at({YELLOW: Board(0, boats), RED: Board(0, boats)}, stage=Over())  # ME7, ME8
    assert [tied.score(player)["boats"] for player in (RED, YELLOW)] == [7, 7]
    assert tied.score(RED)["shells"] == 0 and tied.places() == {RED: 1, YELLOW: 1}
    # ME9: both fields of an unfinished island are empty again, and its boat is gone.
    unfinished = score({(1, 1): "east_1", (2, 1): "ew_boat"})
    assert unfinished == {"palms": 0, "wreaths": 0, "boats": 2, "shells": 0, "empty": -16}
    stored = at({YELLOW: Board(0, {}, store="isle_2")}, stage=Over())  # ME10
    assert stored.score(YELLOW)["palms"] == 0
    assert score({(1, 1): "east_lei", (2, 1): "ew_2", (3, 1): "west_lei"})["wreaths"] == 0
    assert score({(1, 1): "east_lei", (2, 1): "west_lei"})["wreaths"] == 10
    # Printed land ends an island only by option (M24).
    assert score({(0, 1): "north_2"})["palms"] == 0 and score({(0, 1): "north_2"}, M24="yes")["palms"] == 2
    assert score({(0, 1): "west_2"}, M24="yes")["palms"] == 0
    # Yellow and red have ten points less than none; yellow has more shells.
    yellow = Board(4, {(1, 1): "isle_1", (1, 2): "isle_1"})
    red = Board(3, {(1, 1): "isle_hut", (1, 2): "sea"})
    tied = at({YELLOW: yellow, RED: red, GREEN: Board(9)}, players=3, stage=Over())
    assert sum(tied.score(YELLOW).values()) == sum(tied.score(RED).values()) == -10
    assert tied.places() == {GREEN: 1, YELLOW: 2, RED: 3}


def test_the_atoll() -> None:  # ME12
    def palms(tiles: Mapping[Field, str]) -> int:
        return score(tiles, side="atoll")["palms"]

    assert palms({(1, 1): "east_hut", (2, 1): "west_2"}) == 12
    assert palms({(1, 1): "east_1", (2, 1): "west_2"}) == 6
    assert palms({(0, 1): "east_hut", (1, 1): "west_2"}) == 6
    assert palms({(0, 1): "east_1", (1, 1): "west_2"}) == 3
    assert score({(1, 1): "east_lei", (2, 1): "west_lei"}, side="atoll")["wreaths"] == 10
    assert score({}, side="atoll")["empty"] == -20
    covered = {YELLOW: Board(0, {(2, 1): "sea"})}
    assert at(covered, side="atoll").actions() == ["sail(1)"]
    assert at(covered, side="atoll", M5="yes").actions() == ["sail(1)", "sail(2)"]
    assert score({(2, 1): "east_1"}, side="atoll")["boats"] == 2  # the tile goes, the boat is seen again


def test_the_small_ship_of_the_advanced_game() -> None:  # ME13
    first = play(act(Board(0), level="advanced"), "take(0, (4, 2))", "sea")
    assert first.boards[YELLOW].ship == (4, 2) and first.actor == RED  # no other tile to go to
    board = Board(0, {(4, 2): "sea", (1, 0): "sea"}, ship=(4, 2))
    model = act(board, level="advanced")
    assert fields(model, "take") == {(4, 1), (3, 1), (3, 2), (3, 3)}
    after = play(model, "take(0, (3, 3))", "sea")
    assert after.actor == YELLOW
    assert set(after.actions()) == {"stay", "settle((1, 0))", "settle((3, 3))"}
    assert play(after, "settle((1, 0))").boards[YELLOW].ship == (1, 0)
    assert play(after, "stay").boards[YELLOW].ship == (4, 2)
    for text in ("nothing", "remove((4, 2))"):
        assert play(model, text).actions() == ["stay", "settle((1, 0))"]


def test_a_paid_move_before_laying() -> None:  # ME15
    tiles = {(0, 1): "sea", (1, 1): "sea", (2, 2): "sea"}
    model = act(Board(2, tiles, store="sea", ship=(0, 1)), level="advanced")
    assert fields(model, "paddle") == {(1, 1)}  # three steps to (2, 2)
    assert fields(model, "unload") == {(1, 0), (0, 2), (1, 2)}
    moved = play(act(Board(3, tiles, store="sea", ship=(0, 1)), level="advanced"), "paddle((2, 2))")
    assert moved.boards[YELLOW].shells == 0 and moved.supply == 20 + 3
    assert not {"nothing", "keep(0)", "paddle((1, 1))", "remove((1, 1))"} & set(moved.actions())
    laid = play(moved, "unload((3, 3))")
    assert set(laid.actions()) == {"stay", *(f"settle({place})" for place in ((0, 1), (1, 1), (3, 3)))}
    assert play(laid, "stay").boards[YELLOW].ship == (2, 2)
    diagonal = act(Board(3, tiles, store="sea", ship=(0, 1)), level="advanced", M18="yes")
    assert play(diagonal, "paddle((2, 2))").boards[YELLOW].shells == 1
    strict = act(Board(2, tiles, store="sea", ship=(0, 1)), level="professional")
    near = play(strict, "paddle((1, 1))", "unload((2, 0))")
    assert near.boards[YELLOW].shells == 1 and near.boards[YELLOW].ship == (2, 0)
    # What moving has cost is not there for passing over; nobody moves who then could not lay.
    both = act(Board(1, tiles, ship=(0, 1)), level="advanced")
    assert "take(1, (1, 0))" in both.actions()
    assert depths(play(both, "paddle((1, 1))"), "take") == {0}
    assert not fields(act(Board(1, tiles, ship=(0, 1)), {0: VOLCANO}, level="advanced"), "paddle")


def test_the_professional_game() -> None:  # ME14
    board = Board(0, {(1, 1): "sea", (3, 1): "sea"}, ship=(1, 1))
    model = act(board, level="professional")
    laid = play(model, "take(0, (2, 2))", "sea")
    assert laid.boards[YELLOW].ship == (2, 2) and laid.actor == RED
    kept = play(model, "keep(0)", "sea")
    assert kept.boards[YELLOW].ship == (1, 1) and kept.actor == RED


@pytest.mark.parametrize(
    ("level", "edition", "removable"),
    [
        ("basic", "german", True),
        ("advanced", "german", False),
        ("advanced", "dutch", True),
        ("professional", "german", False),
        ("professional", "dutch", False),
    ],
)
def test_removing_the_tile_under_the_ship(level: str, edition: str, removable: bool) -> None:  # ME16
    ship = None if level == "basic" else (1, 1)
    board = Board(0, {(1, 1): "sea", (3, 1): "sea"}, ship=ship)
    model = act(board, level=level, edition=edition)
    assert ("remove((1, 1))" in model.actions()) is removable
    if level == "advanced" and removable:
        bound = act(board, level=level, edition=edition, M25="yes")
        assert play(bound, "remove((1, 1))").actions() == ["settle((3, 1))"]
        afloat = play(model, "remove((1, 1))", "stay")
        assert afloat.boards[YELLOW].ship is None
        again = replace(afloat, mover=YELLOW, stage=Act(), berth=0)
        assert len(fields(again, "take")) == 15
        assert play(again, "take(0, (4, 2))", "sea").boards[YELLOW].ship == (4, 2)


def test_the_end() -> None:
    nearly = Board(0, dict.fromkeys(FIELDS["front"][:-1], "sea"))
    model = at({GREEN: nearly}, players=3)
    model = play(model, "sail(1)", "nothing", "sail(1)", f"take(0, {FIELDS['front'][-1]})", "sea")
    assert model.last == GREEN and model.actor == RED
    model = play(model, "sail(1)", "nothing", "sail(1)", "nothing")
    assert model.kind == "end" and model.places() == {GREEN: 1, RED: 2, YELLOW: 2}


def test_nobody_can_fill_his_board() -> None:
    few = replace(act(Board(0)), face_down={"sea": 1, VOLCANO: 2}, display={(0, 0): "sea"})
    assert play(few, "nothing").kind == "end"
    assert play(replace(few, options=act(Board(0), M9="endless").options), "nothing").actor == RED
    board = Board(0, dict.fromkeys(FIELDS["front"][:13], "sea"), store="sea")
    assert play(replace(few, boards={**few.boards, RED: board}), "nothing").actor == RED


@pytest.mark.parametrize("level", ["basic", "advanced", "professional"])
@pytest.mark.parametrize("side", ["front", "atoll"])
def test_random_games(level: str, side: str) -> None:
    chance = random.Random(level)
    model = oracle.initial(3, level=level, side=side)
    for _ in range(1500):
        if model.kind == "end":
            assert min(model.places().values()) == 1
            break
        if model.kind == "chance":
            outcomes = model.outcomes()
            text = chance.choices(list(outcomes), list(outcomes.values()))[0]
        else:
            texts = model.actions()
            assert texts and len(set(texts)) == len(texts)
            laying = [text for text in texts if text.startswith(("take", "unload"))]
            text = chance.choice(laying or texts)
        model = model.apply(text)
        assert model.supply + sum(board.shells for board in model.boards.values()) == 30
    with pytest.raises(ValueError):
        model.apply("swim()")
