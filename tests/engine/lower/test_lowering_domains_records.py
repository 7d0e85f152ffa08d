"""What unions, subdomains, tables, records, sized bags and points mean in play: tiny rules files, played."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.view import view
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import made, play, texts

CARDS = """
game "Cards"
players red, blue
option size: full | small = full
domain Edge = ring(0..3)
record Shore(spots: 1..3, jetties: set[Edge])
table AnyLand(points: 0..9, shores: list[Shore, 2]):
    atoll 2, [(1, {0, 1}), (3, {2})]
    reef  5, [(2, {3})]
    peak  9, [(1, {1})]
table Sea(depth: 0..9):
    calm 1
    wild 8
domain Land  = AnyLand if size == full else {atoll, reef}
domain Card  = Land | Sea
domain Port  = (card: Card, edge: Edge)
domain Slot  = (land: Land, nr: 0..1)
domain Beach = {b for b in Slot if b.nr < len(b.land.shores)}
domain Jetty = {q for q in Port if any(q in jetties(b) for b in Beach)}
fun jetties(b: Beach): {(b.land, e) for e in b.land.shores[b.nr].jetties}
fun spots(b: Beach): b.land.shores[b.nr].spots
fun beaches(i: Land): {b for b in Beach if b.land == i}
fun shore(q: Jetty) -> Beach: only(b for b in Beach if q in jetties(b))
fun next(q: Port) -> Port: (q.card, q.edge + 1)
check (len(Jetty) == 5 or size == small) and next((calm, 3)) == (calm, 0)
state:
    card: Card = atoll
    port: Port = (atoll, 3)
    boats: map[b in Beach, bag[Player, spots(b)]]
    depth: map[b in Beach, 0..spots(b)]
    worth: 0..9
rules:
    for p in turns():
        choose:
            look(c in Card):
                card = c
                worth = c.points if c in Land else c.depth
            count_points:
                worth = card.points
            turn_on:
                port = next(port)
            start(q in Jetty) if q.edge == port.edge:
                port = (shore(q).land, q.edge)
            add(bs in subsets(beaches(atoll), n())):
                for b in bs:
                    boats[b][p] += 1
            fill(b in Beach):
                boats[b][p] += 1
            give(b in Beach):
                boats[b] = {red: 2}
            sink(b in Beach):
                depth[b] += 1
            stop:
                end tie
fun n(): min(worth, 2)
"""


def test_union_takes_the_branch_of_its_part() -> None:
    game = made(CARDS)
    assert play(game, "look(reef)")["worth"] == 5
    assert play(game, "look(wild)")["worth"] == 8


def test_field_of_another_part_of_a_union_is_a_fault_of_play() -> None:
    game = made(CARDS)
    assert play(game, "look(reef)", "count_points")["worth"] == 5
    with pytest.raises(FaultError) as caught:
        play(game, "look(wild)", "count_points")
    assert caught.value.fault.code == "missing_value" and "points" in caught.value.fault.message


def test_field_that_no_part_of_a_union_has_is_an_error() -> None:
    with pytest.raises(RulesError) as caught:
        made(CARDS.replace("worth = card.points", "worth = card.height"))
    assert caught.value.diagnostics[0].code in ("E0712", "E0311")


def test_product_with_a_ring_goes_round_and_subdomain_widens() -> None:
    game = made(CARDS)
    assert play(game, "turn_on")["port"] == "(atoll, 0)"
    assert [a for a in texts(play(game, "turn_on", "turn_on")) if a.startswith("start")] == [
        "start((atoll, 1))",
        "start((peak, 1))",
    ]


def test_smaller_domain_by_an_option() -> None:
    state = play(made(CARDS, size="small"), "turn_on", "turn_on")
    assert [a for a in texts(state) if a.startswith("start")] == ["start((atoll, 1))"]


def test_action_with_a_set_whose_size_depends_on_play() -> None:
    game = made(CARDS)

    def sets(state: State) -> list[str]:
        return [a for a in texts(state) if a.startswith("add")]

    assert sets(game.initial()) == ["add({})"]
    assert sets(play(game, "look(calm)")) == ["add({(atoll, 0)})", "add({(atoll, 1)})"]
    assert sets(play(game, "look(reef)")) == ["add({(atoll, 0), (atoll, 1)})"]


@pytest.mark.parametrize(
    ("fits", "too_much", "code"),
    [
        (["fill((atoll, 0))"], "fill((atoll, 0))", "overfull"),
        (["fill((reef, 0))", "fill((reef, 0))"], "fill((reef, 0))", "overfull"),
        (["give((reef, 0))", "give((atoll, 1))"], "give((atoll, 0))", "overfull"),
        (["sink((atoll, 0))", "sink((atoll, 1))", "sink((atoll, 1))"], "sink((atoll, 0))", "out_of_range"),
    ],
)
def test_sizes_that_depend_on_the_key(fits: list[str], too_much: str, code: str) -> None:
    state = play(made(CARDS), *fits)
    with pytest.raises(FaultError) as caught:
        state.apply(too_much)
    assert caught.value.fault.code == code


WAY = """
game "Way"
players red, blue
use boards
domain Cell = hexes(20)
enum Tile: home, reef, isle
const centre: Cell = (0, 0)
record Walk(last: Cell, steps: 0..5)
state:
    place: map[Tile, Cell? = none] unique = {home: (0, 0)}
    at: Cell = (0, 0)
    steps: 0..5
## Straight on over the cards that lie there.
fun walk(c: Cell, d: 0..5) -> Walk:
    here: Cell = c
    n: 0..5 = 0
    repeat at most 4:
        t = place.find(here + hex_step(d))
        if t is none:
            return Walk(here, n)
        here = place[t]
        n += 1
fun ahead(w: Walk, d: 0..5) -> Tile?:
    return place.find(w.last + hex_step(d))
fun lonely(c: Cell):
    if any(place.find(c + hex_step(d)) is some for d in 0..5):
        return false
    return true
fun weight(t: Tile):
    if t == home:
        return 0
    return 2 if place[t] is some else 1
rules:
    for p in turns():
        choose:
            lay(t in Tile, d in 0..5) if place[t] is none and place.find(at + hex_step(d)) is none:
                place[t] = at + hex_step(d)
            go(d in 0..5):
                w = walk(at, d)
                require ahead(w, d) is none
                at = w.last
                steps = w.steps
            leap(c in {(20, 0), (0, -20)}):
                at = c
            stop if lonely(at):
                end rank(weigh)
fun weigh(p: Player): sum(weight(t) for t in Tile)
view map:
    cell t in Tile if place[t] is some at hex_middle(place[t]): "{weight(t)}{steps}"
"""


def test_record_result_and_option_result_of_a_function_with_statements() -> None:
    state = play(made(WAY), "lay(reef, 2)", "go(2)")
    assert (state["at"], state["steps"]) == ("(1, 0)", 1)
    state = play(made(WAY), "lay(reef, 2)", "go(2)", "lay(isle, 2)", "go(5)", "go(2)")
    assert (state["at"], state["steps"]) == ("(2, 0)", 2)


def test_functions_with_statements_that_do_not_say_what_they_give() -> None:
    game = made(WAY)
    assert "stop" in texts(game.initial())
    assert "stop" not in texts(play(game, "lay(reef, 2)"))
    end = play(game, "lay(reef, 2)", "lay(isle, 3)", "leap((20, 0))", "stop")
    assert end.is_end and end["result"] == {"red": 4, "blue": 4}


def test_point_beyond_the_map_is_a_fault_where_it_is_stored_and_no_key_where_it_is_looked_for() -> None:
    state = play(made(WAY), "leap((20, 0))")
    assert "lay(reef, 2)" in texts(state)
    with pytest.raises(FaultError) as caught:
        state.apply("lay(reef, 2)")
    assert caught.value.fault.code == "out_of_range"


def test_text_with_values_as_a_glyph() -> None:
    state = play(made(WAY), "lay(reef, 2)", "go(2)")
    marks = view(state)[0].marks
    assert [(m.x, m.y, m.glyph) for m in marks] == [(0, 0, "01"), (3, 2, "21")]
