"""Pictures as text: rows and columns, labels where the elements' names give them, changes in brackets."""

from kemu.render.board import beside, draw, flowing
from kemu_engine.play.view import Mark, Picture
from rich.cells import cell_len


def picture(*rows: str) -> Picture:
    """Glyphs in rows, the elements named by column and row, from 1."""
    marks = [
        Mark(f"({x}, {y})", x, y, glyph)
        for y, row in enumerate(rows, 1)
        for x, glyph in enumerate(row, 1)
        if glyph != " "
    ]
    return Picture("board", tuple(marks), ())


def test_columns_and_rows_carry_the_coordinates_that_actions_use() -> None:
    assert draw(picture("x.", " o")) == [
        "  1 2",
        "1 x .",
        "2   o",
    ]


def test_numbers_above_nine_are_written_downwards() -> None:
    assert (
        draw(picture("." * 11))[:2]
        == [
            "                     1 1",
            "   1 2 3 4 5 6 7 8 9 0 1".replace("   1", "  1", 1),
        ]
        or draw(picture("." * 11))[0].strip() == "1 1"
    )


def test_what_changed_stands_in_brackets() -> None:
    assert draw(picture("xo.", "..."), picture("...", "...")) == [
        "  1 2 3",
        "1[x|o].",
        "2 . . .",
    ]


def test_glyphs_of_up_to_three_signs_keep_their_columns() -> None:
    marks = (Mark("(1, 1)", 1, 1, "x12"), Mark("(2, 1)", 2, 1, "."), Mark("(1, 2)", 1, 2, "o"))
    assert draw(Picture("board", marks, ())) == [
        "   1   2",
        "1 x12  .",
        "2  o",
    ]


def test_of_two_glyphs_at_one_place_the_later_is_seen() -> None:
    marks = (Mark("(1, 1)", 1, 1, "."), Mark("(1, 1)", 1, 1, "x"))
    assert draw(Picture("board", marks, ()))[-1] == "1 x"


def test_elements_with_one_name_label_the_line_that_they_lie_in() -> None:
    piles = tuple(Mark(name, x, 0, str(x)) for x, name in enumerate(("a", "b", "c")))
    assert draw(Picture("piles", piles, ())) == [" a b c", " 0 1 2"]


def test_names_that_say_nothing_about_the_place_are_no_labels() -> None:
    nine = tuple(Mark(str(cell), cell % 3, cell // 3, ".") for cell in range(9))
    assert draw(Picture("board", nine, ())) == [" . . ."] * 3


def test_boards_stand_side_by_side_as_far_as_they_fit() -> None:
    blocks = [["1", "a a"], ["2", "b b"], ["3", "c c"]]
    assert beside(blocks, width=10) == ["1     2", "a a   b b", "", "3", "c c"]
    assert beside(blocks, width=1) == ["1", "a a", "", "2", "b b", "", "3", "c c"]


def test_views_of_their_own_width_flow_into_rows() -> None:
    wide, narrow = ["a a a a a"], ["b", "c"]
    assert flowing([wide, narrow, narrow], width=17) == ["a a a a a   b   b", "            c   c"]
    assert flowing([narrow, wide, narrow], width=13) == ["b   a a a a a", "c", "", "b", "c"]


def test_a_board_wider_than_the_terminal_is_drawn_in_strips() -> None:
    assert draw(picture("xoxo", "..."), width=8) == ["  1 2 3", "1 x o x", "2 . . .", "", "  4", "1 o", "2"]
    three = tuple(Mark(str(n), n % 3, n // 3, "x") for n in range(6))
    assert draw(Picture("board", three, ()), width=5) == [
        *(" x x", " x x", ""),
        *("(from column 3 of 3; 7 characters wide, all would fit)", " x", " x"),
    ]


def test_glyphs_are_aligned_by_the_columns_that_they_take() -> None:
    glyphs = ("\u0101", "a\u0304", "\u6d77", "\U0001f422", "abc")
    marks = tuple(Mark(str(x), x, y, glyph) for y in (0, 1) for x, glyph in enumerate(glyphs))
    for line in draw(Picture("board", marks, ())):
        assert cell_len(line) == 4 * len(glyphs)
        assert line.endswith(" abc")


def test_an_empty_glyph_takes_no_place() -> None:
    marks = (Mark("p", 0, 0, ""), Mark("q", 3, 2, "x"), Mark("r", 4, 2, "y"), Mark("s", 9, 9, ""))
    assert draw(Picture("board", marks, ())) == [" x y"]
