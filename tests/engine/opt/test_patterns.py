"""Rows and patterns of cells, asked about for all places at once; actions in rows; names that say the same.

Boards of more than 64 cells take several words; each game is played by the interpreter, generated Python and
WebAssembly.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from kemu_engine.batch.playout import playout, playouts, stepwise
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import statements
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.opt.copy_propagation import propagate_copies
from kemu_engine.opt.inline import inline
from kemu_engine.opt.nodes import RowsTouching, Stencil
from kemu_engine.opt.pipeline import optimize
from kemu_engine.play.game import Game
from kemu_engine.run.wasm.emit.patterns import patterns, steps
from kemu_grammar.game.game import read_text

pytestmark = pytest.mark.slow

LIBRARY = Path(__file__).parents[3] / "spec"

ROWS = """
game "Rows"
players ann, bob
use boards
domain Cell = grid(1..WIDTH, 1..HEIGHT)
const rows = [r[i:i + 3] for d in [(1, 0), (1, 1), (2, 1)] for r in lines(Cell, d) for i in range(len(r) - 2)]
state:
    mark: map[Cell, Player?]
rules:
    for p in turns():
        choose put(c in Cell) if mark[c] is none
        mark[c] = p
        if any(all(mark[c] == p for c in r) for r in rows): end win(p)
        if all(mark[c] is some for c in Cell): end tie
"""

FLANKED = """
game "Flanked"
players ann, bob
use boards
domain Cell = grid(1..WIDTH, 1..HEIGHT)
domain Step = {d for d in grid(-1..1, -1..1) if d != (0, 0)}
state:
    disc: map[Cell, Player? = none] = {(2, 2): ann, (3, 3): ann, (3, 2): bob, (2, 3): bob}
fun ray(c: Cell, d: Step): line(Cell, c, d)[1:4]
fun seen(c: Cell): {e for d in Step for e in ray(c, d)[1:]}
fun between(c: Cell, e: Cell):
    {x for d in Step if e in ray(c, d) for x in ray(c, d)[:ray(c, d).index(e)]}
fun own(p: Player): {c for c in Cell if disc[c] == p}
fun closing(p: Player, c: Cell): {e for e in seen(c) & own(p) if between(c, e) <= own(other(p))}
fun turned(p: Player, c: Cell): {x for e in closing(p, c) for x in between(c, e)}
rules:
    for p in turns():
        choose lay(c in Cell) if disc[c] is none and len(closing(p, c)) > 0
        else: end rank(discs)
        for x in turned(p, c): disc[x] = p
        disc[c] = p
fun discs(p: Player): len(own(p))
"""

STEPS = """
game "Steps"
players ann, bob
domain Cell = grid(1..WIDTH, 1..HEIGHT)
const up = {ann: 1, bob: -1}
state:
    man: map[Cell, Player? = none] = {c: ann if c.y < 3 else bob for c in Cell if c.y < 3 or c.y > HEIGHT - 2}
    left: 0..60 = 60
fun ahead(p: Player, a: Cell): {b for b in Cell if b.y == a.y + up[p] and abs(b.x - a.x) <= 1}
rules:
    for p in turns():
        choose:
            go(a in Cell, b in ahead(p, a)) if man[a] == p and (man[b] is none or man[b] != p and a.x != b.x):
                man[a] = none
                man[b] = p
            rest: pass
        left -= 1
        if left == 0: end rank(men)
fun men(p: Player): len({c for c in Cell if man[c] == p})
"""

BOARDS = {"small": (5, 4), "one word": (8, 8), "two words": (11, 7), "three words": (13, 10)}


@cache
def program(text: str, board: str) -> k.Program:
    width, height = BOARDS[board]
    text = text.replace("WIDTH", str(width)).replace("HEIGHT", str(height))
    return instantiate(read_text(text, "rules.kemu", LIBRARY), {})


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("text", [ROWS, FLANKED, STEPS], ids=["rows", "flanked", "steps"])
def test_every_reader_plays_the_same_games(text: str, board: str) -> None:
    game = Game(program(text, board))
    reference = Game(game.program, reader="interpreter")
    bulk = [*playouts(game, 5, 100, 100)]
    assert bulk[:20] == [playout(game, 5, index, 100) for index in range(20)]
    assert playout(game, 5, 0, 4) == stepwise(reference, 5, 0, 4)


@pytest.mark.parametrize("board", BOARDS)
def test_rows_in_an_array_are_one_question(board: str) -> None:
    assert any(isinstance(part, RowsTouching) for part in optimize(program(ROWS, board)).parts())


@pytest.mark.parametrize("board", BOARDS)
def test_a_condition_on_what_is_seen_from_a_cell_is_one_question_for_all_cells(board: str) -> None:
    made = optimize(program(FLANKED, board))
    (found,) = {part.patterns for part in made.parts() if isinstance(part, Stencil)}
    assert len(found) == 8 * 2  # a disc between, or two, in eight directions


def test_a_set_of_pairs_is_gathered_from_one_of_the_two() -> None:
    made = optimize(program(FLANKED, "one word"))
    assert any(isinstance(part, k.Fold) and part.op == "union" for part in made.parts())


def test_rows_that_are_alike_are_one_pattern() -> None:
    rows = [0b111, 0b1110, 0b100100100, 0b111000]
    assert patterns(rows) == {(0, 1, 2): 0b1011, (0, 3, 6): 0b100}


def test_an_even_pattern_is_found_by_doubling() -> None:
    def way(*shape: int) -> list[tuple[int, bool]]:
        return [(step.by, step.doubled) for step in steps(shape)]

    assert way(0, 3, 6, 9, 12) == [(3, True), (6, True), (3, True)]
    assert way(0, 1, 4) == [(1, False), (4, False)]


CLAIMS = """
game "Claims"
players ann, bob
domain Cell = 1..9
state:
    stone: map[Cell, Player?]
    tile: map[Cell, Player?]
fun near(c: Cell): {d for d in Cell if abs(c - d) <= 2}
fun held(p: Player, c: Cell): len({d for d in near(c) if stone[d] == p})
rule claim(p: Player, c: Cell):
    for d in Cell if abs(c - d) <= 1:
        if held(p, d) > held(other(p), d) and MORE: tile[d] = p
rules:
    for p in turns():
        choose put(c in Cell) if stone[c] is none
        stone[c] = p
        claim(p, c)
        claim(other(p), c)
        if all(stone[d] is some for d in Cell): end rank(tiles)
fun tiles(p: Player): len({d for d in Cell if tile[d] == p})
"""


@pytest.mark.parametrize(
    ("more", "loops"),
    [("tile[d] is none", 1), ("(d == 9 or tile[d + 1] is none)", 2)],  # of itself; of what comes later
)
def test_loops_over_the_same_set_are_one_if_their_laps_are_apart(more: str, loops: int) -> None:
    game = Game(instantiate(read_text(CLAIMS.replace("MORE", more), "rules.kemu", LIBRARY), {}))
    code = [each for block in optimize(game.program).program.blocks for each in statements(block.code)]
    assert sum(isinstance(each, k.For) for each in code) == loops
    reference = Game(game.program, reader="interpreter")
    bulk = [*playouts(game, 1, 100)]
    for index in range(20):
        assert bulk[index] == playout(game, 1, index) == stepwise(reference, 1, index)


def test_names_for_what_has_a_name_are_left_out() -> None:
    program = instantiate(read_text(CLAIMS.replace("MORE", "true"), "rules.kemu", LIBRARY), {})
    code = [each for block in propagate_copies(inline(program)).blocks for each in statements(block.code)]
    given = [each.value for each in code if isinstance(each, k.Assign)]
    assert not any(isinstance(value, k.Local) for value in given)


@pytest.mark.parametrize("name", ["NOWHERE", "PERHAPS"])
def test_what_may_not_be_there_is_a_fault_in_every_reader(name: str) -> None:
    """`not in []` holds of every value, but not of the first element of an empty list; a set with what is
    none is asked for twice, and kept under a name."""
    game = Game(instantiate(read_text(globals()[name], "test.kemu", LIBRARY)))
    assert playout(game, 5, 0, 4) == stepwise(Game(game.program, reader="interpreter"), 5, 0, 4)


PERHAPS = """
game "Perhaps"
players ann, bob
enum Hue: red, green, blue
state:
    tint: Hue?
rules:
    for p in turns():
        choose take(h in {tint})
        if can take:
            end win(p)
"""


NOWHERE = """
game "Nowhere"
players ann, bob
enum Hue: red, green, blue
state:
    listed: list[map[Hue, list[Hue, 2]], 2] = []
rules:
    for p in turns():
        choose:
            take(h in Hue, n in 0..2) if listed[0][h][0] not in []:
                require true
"""


COUNTED = """
game "Counted"
players ann, bob
enum Hue: red, green, blue
record Pair(many: 0..2, tint: Hue?)
state:
    n: 0..2 = 1
    rows: map[0..5, list[Pair, 2]] = {d: [Pair(1, red)] for d in 0..5}
rules:
    for p in turns():
        choose go(c in 0..1)
        require any(true for d in {2: 1, 0: 1} if rows[d][n - 1] is some)
        if c == 1: end win(p)
"""


def test_places_that_are_counted_with_stay_numbers_of_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the places of a table: as any places of the array, what is made of them would be greater."""
    monkeypatch.setenv("KEMU_CHECK_PASSES", "1")
    game = Game(instantiate(read_text(COUNTED, "test.kemu", LIBRARY)))
    assert playout(game, 5, 0, 4) == stepwise(Game(game.program, reader="interpreter"), 5, 0, 4)
