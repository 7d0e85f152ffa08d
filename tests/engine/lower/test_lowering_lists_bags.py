"""What lists, bags, counters, replaced functions and orders mean: tiny rules files, played."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_engine.play.state import FaultError
from kemu_engine.play.view import view
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import made, play, texts

STACKS = """
game "Stacks"
players red, blue
domain Piece = 1..4
domain Place = 1..2
state:
    pile: map[Place, list[Piece, 4] = []] unique = {1: [1, 2, 3, 4]}
fun where(x: Piece): pile.find(x)
fun above(x: Piece) -> list[Piece, 4]:
    p = where(x)
    if p is none:
        return [x]
    return pile[p][pile[p].index(x):]
fun below(x: Piece): pile[where(x)][:pile[where(x)].index(x)]
rules:
    for p in turns():
        choose carry(x in Piece)
        load = above(x)
        from_ = where(x)
        if from_ is some:
            pile[from_] = pile[from_][:-len(load)]
        pile[2] += load
        if len(pile[2]) == 4:
            end win(p)
example "the load keeps its order":
    do: carry(2); carry(1)
    expect: pile[2] == [2, 3, 4, 1]; pile[1] == []; below(4) == [2, 3]
example "what lies on nothing is carried alone":
    given: pile[1] = [1]
    do: carry(3)
    expect: pile[2] == [3]; above(4) == [4]
"""


def test_a_function_with_statements_gives_a_list() -> None:
    state = play(made(STACKS), "carry(2)", "carry(2)", "carry(1)")
    assert state.is_end


ORDER = """
game "Order"
players red, blue
domain Card = 1..3
state:
    row: list[Card, 3]
rules:
    for c in {c for c in Card} in order of red:
        row += [c]
    end tie
example "the last is not asked for":
    do: red next_c(2); next_c(3)
    expect: row == [2, 3, 1]
"""


def test_the_order_of_one_thing_is_no_question() -> None:
    game = made(ORDER)
    assert texts(game.initial()) == ["next_c(1)", "next_c(2)", "next_c(3)"]
    assert play(game, "next_c(1)", "next_c(2)").is_end


COUNTERS = """
game "Counters"
players red, blue
state:
    pool: 0..9 = 9
    each p in Player:
        shells: 0..9
        open: 0..9
rules:
    for p in turns():
        choose:
            take(n in 1..5):
                move n from pool to shells[p]
            spend(n in 1..5):
                move n from shells[p] to box
            show:
                move all from shells[p] to open[p]
        if pool == 0:
            end rank((shells, open))
example "five and two":
    do: take(5); take(2)
    expect: pool == 2; shells[red] == 5; shells[blue] == 2
example "into the box and to another counter":
    do: take(5); take(2); spend(4); show
    expect: shells[red] == 1; shells[blue] == 0; open[blue] == 2
"""


def test_move_n_between_counters() -> None:
    game = made(COUNTERS)
    with pytest.raises(FaultError):
        play(game, "take(5)", "take(5)")
    with pytest.raises(FaultError):
        play(game, "spend(1)")


BEFORE = """
game "Before"
players red, blue
option level: easy | hard | harder = easy
domain Spot = 1..4
state:
    stone: map[Spot, Player?]
fun free(p: Player): {s for s in Spot if stone[s] is none}
fun cost(s: Spot): 1
under level != easy:
    fun free(p: Player): {s for s in before(p) if s != 4}
    fun cost(s: Spot): before(s) + s
under level == harder:
    fun free(p: Player): {s for s in before(p) if s != 1}
    fun cost(s: Spot): 10 * before(s)
rules:
    for p in turns():
        choose put(s in free(p))
        stone[s] = p
        if len(free(p)) == 0:
            end rank(total)
fun total(p: Player): sum(cost(s) for s in Spot if stone[s] == p)
"""


@pytest.mark.parametrize(
    ("level", "spots", "scores"),
    [("easy", (1, 2, 3, 4), (2, 2)), ("hard", (1, 2, 3), (6, 3)), ("harder", (2, 3), (30, 40))],
)
def test_before_is_the_function_replaced(level: str, spots: tuple[int, ...], scores: tuple[int, int]) -> None:
    game = made(BEFORE, level=level)
    assert texts(game.initial()) == [f"put({s})" for s in spots]
    end = play(game, *(f"put({s})" for s in spots))
    assert end.result is not None and [keys[0] for keys in end.result.scores.values()] == list(scores)


TILES = """
game "Tiles"
players red, blue
enum Side: left_, right_
table Tile from "tiles.csv": count: 1..3; sides: set[Side]; crown: Side?
state:
    bag_: bag[Tile, 9] = {t: t.count for t in Tile}
    held: Tile?
rules:
    draw t from bag_ if t != hill
    held = t
    choose keep() by red
    end win(red if t == lake else blue)
example "a lake":
    do: draw lake; keep
    expect: winner == red; bag_[lake] == 1; lake.crown == left_; len(sea.sides) == 0
"""


def test_rows_of_a_file_are_names(tmp_path: Path) -> None:
    (tmp_path / "tiles.csv").write_text(
        "tile,count,sides,crown\nsea,1,-,-\nlake,2,left_ right_,left_\nhill,3,left_,-\n"
    )
    game = made(TILES, str(tmp_path / "game.kemu"))
    assert [outcome.text for outcome, _ in game.initial().outcomes()] == ["sea", "lake"]
    with pytest.raises(RulesError, match="cannot be read"):
        made(TILES, str(tmp_path / "elsewhere" / "game.kemu"))


SHOWN = """
game "Shown"
players red, blue
enum Fruit: fig, plum, pear
state:
    basket: bag[Fruit, 9] = {fig: 1, plum: 3}
    row: list[Fruit, 3] = [pear, fig]
    seen: set[Fruit] = {pear}
    best: map[Player, Fruit? = none] = {red: plum}
rules:
    choose wait() by red
    best[blue] = fig
    end tie
view table_:
    line "basket {basket}row {row}seen {seen}"
    line "best {[best[p] for p in Player]}"
    line "red has {best[red]}" if best[blue] is none else "blue has {best[blue]}"
    line "both" if best[blue] is some else ""
"""


def test_a_line_lists_collections_and_chooses() -> None:
    game = made(SHOWN)
    lines = [line.rstrip() for line in view(game.initial())[0].lines]
    assert lines == ["basket fig plumx3 row pear fig seen pear", "best plum none", "red has plum", ""]
    assert [line.rstrip() for line in view(play(game, "wait"))[0].lines][2:] == ["blue has fig", "both"]


GIVEN = """
game "Given"
players red, blue
domain Spot = 1..4
state:
    stone: map[Spot, bool = false]
rule clear:
    for s in {s for s in Spot if stone[s] and s > 2}:
        stone[s] = false
rules:
    choose stop() by red
    clear()
    end rank((left_, zero))
fun left_(p: Player): len({s for s in Spot if stone[s]})
fun zero(p: Player): 0
example "a rule tried on what is given":
    given: stone = {1: true, 3: true}; clear()
    expect: stone[1]; not stone[3]; left_(red) == 1
"""


def test_an_example_begins_with_a_rule() -> None:
    assert play(made(GIVEN), "stop").is_end


MAY = """
game "May"
players red, blue
domain Spot = 1..3
state:
    stone: map[Spot, Player?]
    left_: 0..9
rules:
    for p in turns():
        may choose put(s in Spot) if stone[s] is none
        if s is some:
            stone[s] = p
        choose sweep(x in Spot) if stone[x] is some
        else:
            left_ += 1
        if x is some:
            end win(p)
example "to pass leaves the parameter none":
    do: pass; pass; put(2); sweep(2)
    expect: left_ == 2; winner == red
"""


def test_the_parameter_of_what_was_not_chosen_is_none() -> None:
    game = made(MAY)
    state = play(game, "pass")
    assert state.actor == "blue" and texts(state) == ["put(1)", "put(2)", "put(3)", "pass"]


def test_the_parameter_of_what_was_not_chosen_is_a_fault_where_one_is_wanted() -> None:
    game = made(MAY.split("example")[0].replace("if s is some:", "if true:"))
    with pytest.raises(FaultError):
        play(game, "pass")


RULES = """
game "Rules"
players red, blue
option level: easy | hard | harder = easy
instance hard: level = hard
instance harder: level = harder
state:
    n: 0..99
rule bump(p: Player):
    n += 1
under level != easy:
    rule bump(p: Player):
        before(p)
        choose more(k in 1..2) by p
        n += 10 * k
under level == harder:
    rule bump(p: Player):
        n += 5
        before(p)
rules:
    for p in turns():
        choose go()
        bump(p)
        if n > 1:
            end win(p)
example "once" if level == hard:
    do: go; more(2)
    expect: n == 21
example "twice" if level == harder:
    do: go; more(1)
    expect: n == 16
"""


@pytest.mark.parametrize("level", ["easy", "hard", "harder"])
def test_before_is_the_rule_replaced(level: str) -> None:
    game = made(RULES, level=level)
    assert texts(play(game, "go")) == (["go"] if level == "easy" else ["more(1)", "more(2)"])


KNOWN_BAGS = """
game "Known bags"
players red, blue
domain Egg = 1..6
const clutch: bag[Egg] = {4: 3, 5: 0}
fun many(s: bag[Egg]): len(s)
check len(clutch) == 3 and clutch[1] == 0 and sum(clutch) == 12 and {e for e in clutch} == {4}
check many({1: 4, 2: 2}) == 6
state:
    deck: bag[Egg, 9] = clutch
    n: 0..9
rules:
    e = roll Egg
    n = clutch[e] + len(deck)
    end tie
"""


def test_a_constant_bag_counts_things_as_one_of_state_does() -> None:
    assert play(made(KNOWN_BAGS), "4")["n"] == 6
    assert play(made(KNOWN_BAGS), "1")["n"] == 3
