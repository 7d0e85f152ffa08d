"""The Tongiaki oracle against hand-made positions; TE numbers are the worked examples of the rule facts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from . import tongiaki as oracle
from .tongiaki import COLOURS, Depart, Model, Over, Stage, TurnStart
from .tongiaki_rest import can_rest
from .tongiaki_sea import ISLES, PLACES, POINTS, ROUTES, TONGA, WATERS, Beach, Laid, Port, Table, lay

B, Y, G, O, R, P = COLOURS  # noqa: E741
FIRST: Table = {TONGA: Laid((0, 0), 0)}


def at(
    players: int = 4,
    *,
    laid: Sequence[tuple[str, Port]] = (),
    boats: Mapping[Beach, str] | None = None,
    kings: Mapping[str, str] | None = None,
    pile: Sequence[str] | None = None,
    first: Table = FIRST,
    stage: Stage | None = None,
    **options: str,
) -> Model:
    """A position with blue to move; boats are named by their first letters."""
    letters = {colour[0]: colour for colour in COLOURS}
    table: Table = first
    for card, port in laid:
        table = lay(table, card, port)
    start = oracle.initial(players, **options)
    return Model(
        options=start.options,
        players=start.players,
        mover=B,
        stage=stage or TurnStart(),
        pile=tuple(pile) if pile is not None else tuple(card for card in start.pile if card not in table),
        table=table,
        boats={beach: tuple(letters[sign] for sign in fleet) for beach, fleet in (boats or {}).items()},
        kings=kings or {},
        adrift=(),
    )


def play(model: Model, *texts: str) -> Model:
    for text in texts:
        assert text in (model.actions() or model.outcomes()), (text, model.actions(), model.outcomes())
        model = model.apply(text)
    return model


def starting(model: Model, name: str) -> set[str]:
    return {text for text in model.actions() if text.startswith(f"{name}(")}


def test_the_cards() -> None:
    assert len(ISLES) == 16 and len(WATERS) == 16 and len(PLACES) == 47
    assert sum(POINTS.values()) == 53
    assert [number for _, number in ROUTES.values()].count(0) == 24
    crest = [ROUTES[water, 0][1] for water in WATERS]
    assert [crest.count(number) for number in (0, 2, 3, 4)] == [5, 3, 5, 3]
    assert set(oracle.initial(2).pile) == {*ISLES, *WATERS} - {TONGA}
    assert oracle.initial(2, cards="pond").pile == ("tubuai", "w01", "w13", "w15", "w16")


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_setup(players: int) -> None:  # TE5
    model = oracle.initial(players)
    order: list[str | None] = []
    while len(order) < 2 * players:
        order.append(model.actor)
        model = model.apply(model.actions()[0])
    assert order == list(COLOURS[:players]) * 2
    assert model.stage == TurnStart() and model.actor == B
    assert sum(map(len, model.boats.values())) == 2 * players
    assert all(len(fleet) <= 2 for fleet in model.boats.values())
    assert model.points(B) == 0 and model.stock(B) == 13


def test_enlarging_a_fleet() -> None:
    four = at(boats={("tokelau", 0): "bb", ("tokelau", 1): "bb"}, laid=[("tokelau", (TONGA, 0))])
    assert play(four, "expand(tokelau)").actions() == [
        "add({(tokelau, 0), (tokelau, 1), (tokelau, 2)})"
    ]  # TE6
    two = play(at(boats={(TONGA, 0): "b", (TONGA, 3): "by"}), "expand(tonga)")
    assert len(two.actions()) == 15 and "add({(tonga, 0), (tonga, 3)})" in two.actions()  # TE7
    some = play(at(boats={(TONGA, 0): "b", (TONGA, 3): "by"}, T12="up_to"), "expand(tonga)")
    assert len(some.actions()) == 6 + 15 and "add({(tonga, 4)})" in some.actions()
    # TE8: three are due, one is at hand.
    many: dict[Beach, str] = {("tokelau", 0): "bbb", ("fidschi", 0): "bbbb", ("fidschi", 1): "bbb"}
    many |= {("fidschi", 2): "bbb", ("tokelau", 2): "b"}
    cards = [("tokelau", (TONGA, 0)), ("fidschi", (TONGA, 3))]
    scarce = play(at(boats=many, laid=cards), "expand(tokelau)")
    assert starting(scarce, "add") == {f"add({{(tokelau, {nr})}})" for nr in range(3)}
    # Nothing at hand: one boat may come from another island.
    none = play(at(boats=many | {(TONGA, 2): "b"}, laid=cards), "expand(tokelau)")
    assert set(none.actions()) == {
        "pass",
        "fetch((tonga, 2))",
        "fetch((fidschi, 0))",
        "fetch((fidschi, 1))",
        "fetch((fidschi, 2))",
    }
    assert none.apply("pass").actor == Y
    fetched = play(none, "fetch((tonga, 2))", "add({(tokelau, 1)})")
    assert (TONGA, 2) not in fetched.boats and fetched.boats["tokelau", 1] == (B,) and fetched.stock(B) == 0


def test_a_number_asks_for_colours() -> None:
    def voyage(fleet: str, water: str) -> Model:
        model = at(6, boats={("tokelau", 0): fleet}, laid=[("tokelau", (TONGA, 0))], stage=Depart())
        return play(model, "emigrate((tokelau, 1))", water)

    lost = voyage("yyog", "w05")  # TE1
    assert lost.actor == Y and lost.boats == {} and "w05" in lost.table and lost.stock(Y) == 15
    passed = voyage("ypog", "w05")  # TE2
    assert passed.kind == "chance" and passed.stock(P) == 14
    assert voyage("bbbb", "w13").kind == "chance"  # TE3
    assert voyage("bbbb", "w14").actor == Y  # TE4
    assert voyage("bbby", "w14").kind == "chance"


def test_the_next_card_lies_at_the_end_of_the_route() -> None:
    model = at(boats={(TONGA, 0): "bbb"}, stage=Depart())
    assert model.actions() == ["emigrate((tonga, 0))"]
    further = play(model, "emigrate((tonga, 0))", "w13", "tubuai")
    # w13 lies north of Tonga, crest south; its route 0-5 leaves to the south-east: east of Tonga's edge 1.
    assert further.table["w13"] == Laid((0, -1), 3) and further.table["tubuai"].cell == (1, -1)
    assert further.table["tubuai"].beyond(0)[0] == (0, -1)
    # Tonga's jetty 1 now leads to Tubuai without a card.
    again = at(laid=[("tubuai", (TONGA, 1))], boats={(TONGA, 1): "byg"}, stage=Depart())
    assert play(again, "emigrate((tonga, 1))").actor == B


def test_landing() -> None:
    # TE12: four boats, three empty beaches: each of them gets one first.
    cards = [("tokelau", (TONGA, 0)), ("nauru", ("tokelau", 1))]
    model = play(at(boats={("tokelau", 0): "bbyg"}, laid=cards, stage=Depart()), "emigrate((tokelau, 1))")
    assert len(model.actions()) == 9
    model = play(model, "land(yellow, (nauru, 1))")
    assert set(model.actions()) == {f"land({c}, (nauru, {nr}))" for c in (B, G) for nr in (0, 2)}
    model = play(model, "land(green, (nauru, 0))", "land(blue, (nauru, 2))")
    assert set(model.actions()) == {f"land(blue, (nauru, {nr}))" for nr in range(3)}
    done = play(model, "land(blue, (nauru, 1))")
    assert done.actor == Y and done.boats["nauru", 1] == (B, Y)
    # A beach that gets full sails on.
    assert starting(play(model, "land(blue, (nauru, 0))"), "emigrate") == {
        "emigrate((nauru, 1))",
        "emigrate((nauru, 2))",
    }


def test_fewer_boats_than_free_beaches() -> None:  # T31
    def landed(**options: str) -> Model:
        cards = [("nauru", (TONGA, 3)), ("w01", ("nauru", 1))]
        model = at(boats={("nauru", 0): "by"}, laid=cards, stage=Depart(), **options)
        return play(model, "emigrate((nauru, 1))", "land(blue, (tonga, 4))")

    assert "land(yellow, (tonga, 4))" not in landed().actions() and len(landed().actions()) == 5
    assert len(landed(T31="anyhow").actions()) == 6


def test_the_surplus_goes_home() -> None:  # TE11
    boats = {("fidschi", 0): "bbyyg", ("nauru", 0): "r", ("nauru", 1): "r", ("nauru", 2): "rr"}
    cards = [("fidschi", (TONGA, 0)), ("nauru", ("fidschi", 1))]
    model = at(5, boats=boats, laid=cards, stage=Depart())
    # The full third beach of Nauru may also sail; the mover sends the five first.
    model = play(model, "emigrate((fidschi, 1))", "land(yellow, (nauru, 0))", "land(blue, (nauru, 1))")
    assert set(model.actions()) == {f"land({colour}, (nauru, 1))" for colour in (B, Y, G)}
    model = play(model, "land(green, (nauru, 1))")
    assert model.stock(B) == 14 and model.stock(Y) == 14
    empty_first = at(5, boats=boats, laid=cards, stage=Depart(), T14="empty")
    empty_first = play(empty_first, "emigrate((fidschi, 1))")
    assert "land(blue, (nauru, 1))" in empty_first.actions() and len(empty_first.actions()) == 6


def test_a_royal_island() -> None:
    boats = {("nauru", 0): "bb", ("nauru", 2): "b", (TONGA, 0): "b", (TONGA, 1): "b"}
    model = at(3, boats=boats, laid=[("nauru", (TONGA, 0))])
    assert starting(model, "found") == {"found(nauru)"}  # never Tonga
    royal = play(model, "found(nauru)")
    assert royal.kings == {"nauru": B} and royal.stock(B) == 12 and royal.actor == Y
    assert royal.points(B) == 2
    shared = at(boats=boats | {("nauru", 1): "y"}, laid=[("nauru", (TONGA, 0))])
    assert not starting(shared, "found")
    third = at(boats=boats, laid=[("nauru", (TONGA, 0))], kings={"samoa": B, "oahu": B})
    assert not starting(third, "found")
    # TE13: over w12, which asks for three colours, and back.
    cards = [("w12", (TONGA, 0)), ("nauru", ("w12", 4))]
    turned = at(boats={(TONGA, 0): "byg"}, kings={"nauru": B}, laid=cards, stage=Depart())
    back = play(turned, "emigrate((tonga, 0))")
    assert len(back.actions()) == 3 * 6 and "land(blue, (tonga, 0))" in back.actions()
    # A king is a boat on the field, so nobody has to come back who has one (T8).
    only_king = at(kings={"nauru": B}, laid=[("nauru", (TONGA, 0)), ("tubuai", (TONGA, 3))], T8="no")
    assert set(only_king.actions()) == {"two_on_tonga", "one_on((tubuai, 0))", "one_on((tubuai, 1))"}
    barred = at(kings={"nauru": B}, laid=[("nauru", (TONGA, 0))])
    assert barred.actions() == ["restart"]


def test_coming_back() -> None:
    model = at(boats={(TONGA, 0): "yy"}, laid=[("tubuai", (TONGA, 3))])
    both = play(model, "two_on_tonga", "settle((tonga, 1))", "settle((tonga, 1))")
    assert both.boats[TONGA, 1] == (B, B) and both.actor == Y
    apart = play(at(T9="no"), "two_on_tonga", "settle((tonga, 1))")
    assert "settle((tonga, 1))" not in apart.actions() and len(apart.actions()) == 5
    sails = play(model, "two_on_tonga", "settle((tonga, 0))", "settle((tonga, 2))")
    assert sails.actions() == ["emigrate((tonga, 0))"]
    assert play(model, "one_on((tubuai, 1))").boats["tubuai", 1] == (B,)
    # Starting anew is for those who have a boat to take back, or can do nothing else (T7).
    assert "restart" not in model.actions() and "restart" in at(T7="at_will").actions()
    assert at(first={"samoa": Laid((0, 0), 0)}, kings={"samoa": Y}).actions() == ["restart"]
    # One beach of Tonga with two free places takes both boats, unless they have to be apart (T9).
    crowded = {(TONGA, nr): "yyy" for nr in range(5)}
    assert "two_on_tonga" in at(boats=crowded).actions()
    assert "two_on_tonga" not in at(boats=crowded, T9="no").actions()


def test_starting_anew() -> None:
    model = play(at(boats={(TONGA, 0): "by", (TONGA, 1): "b"}), "restart")
    assert model.kind == "chance" and len(model.outcomes()) == 31 and model.stock(B) == 15
    laid = play(model, "w01")
    assert laid.actor == B and len(laid.actions()) == 6
    second = play(laid, "lay_at((tonga, 2))", "samoa")
    assert len(second.actions()) == 5 + 5
    ashore = play(second, "lay_at((w01, 1))")
    assert set(ashore.actions()) == {f"settle((samoa, {nr}))" for nr in range(3)}
    after = play(ashore, "settle((samoa, 2))")
    assert after.boats == {(TONGA, 0): (Y,), ("samoa", 2): (B,)} and after.actor == Y
    # The last water card comes first: the mover turns on, or no boat is put and the game is over (T30).
    few = at(boats={(TONGA, 0): "by"}, pile=["samoa", "w01"])
    goes_on = play(few, "restart", "w01", "lay_at((tonga, 0))")
    assert goes_on.outcomes() == {"samoa": 1}
    assert play(goes_on, "samoa", "lay_at((w01, 1))", "settle((samoa, 0))").kind == "end"
    ended = at(boats={(TONGA, 0): "by"}, pile=["samoa", "w01"], T30="no")
    ended = play(ended, "restart", "w01", "lay_at((tonga, 0))")
    assert ended.kind == "end" and ended.stock(B) == 15
    # The last island counts.
    last = play(at(boats={(TONGA, 0): "by"}, pile=["samoa", "w01"]), "restart", "samoa", "lay_at((tonga, 0))")
    assert play(last, "settle((samoa, 0))").kind == "end"


def test_the_last_card() -> None:
    boats = {(TONGA, 0): "byg", (TONGA, 1): "byg", (TONGA, 3): "byg"}
    laid = [("w12", (TONGA, 1)), ("samoa", (TONGA, 3))]
    model = at(boats=boats, laid=laid, pile=["oahu", "w01", "tahiti"], stage=Depart())
    stays = play(model, "emigrate((tonga, 0))", "w01")  # TE9
    assert stays.adrift == (B, Y, G) and stays.stock(B) == 12
    # Only jetty 3 reaches an island now; jetty 1 would need a card.
    assert stays.actions() == ["emigrate((tonga, 3))"]
    over = play(
        stays, "emigrate((tonga, 3))", *(f"land({c}, (samoa, {nr}))" for nr, c in enumerate((B, Y, G)))
    )
    assert over.kind == "end" and over.actor is None and over.actions() == []
    assert over.places() == {B: 1, Y: 1, G: 1, O: 4}
    nowhere = at(boats=boats, laid=laid, pile=["oahu", "w01"], stage=Depart(), T1="nowhere")
    assert play(nowhere, "emigrate((tonga, 0))", "w01").kind == "end"
    on = at(boats=boats, laid=laid, pile=["oahu", "w01"], stage=Depart(), T1="on")
    on = play(on, "emigrate((tonga, 0))", "w01")
    assert len(on.actions()) == 2
    assert play(on, "emigrate((tonga, 1))").outcomes() == {"oahu": 1}
    island = at(boats={(TONGA, 0): "byg"}, pile=["oahu", "w01"], stage=Depart())
    landing = play(island, "emigrate((tonga, 0))", "oahu")  # TE10
    texts = [f"land({colour}, (oahu, {nr}))" for nr, colour in enumerate((B, Y, G))]
    assert play(landing, *texts).kind == "end"
    too_few = at(boats={(TONGA, 0): "bbb"}, pile=["oahu", "w02"], stage=Depart())
    assert play(too_few, "emigrate((tonga, 0))", "w02").adrift == ()


# Cards round Tubuai that lead each jetty back to it; two colours are needed between jetties 4 and 5.
RING: list[tuple[str, Port]] = [
    ("w13", ("tubuai", 1)),
    ("w01", ("tubuai", 2)),
    ("w15", ("tubuai", 4)),
    ("w02", ("tubuai", 5)),
]
ALONE: Table = {"tubuai": Laid((0, 0), 0)}


def fill(model: Model, beach: Beach) -> Model:
    """Blue adds a third boat to a beach."""
    return play(model, f"expand({beach[0]})", f"add({{({beach[0]}, {beach[1]})}})")


def test_an_endless_chain_is_struck() -> None:
    boats = {("tubuai", 0): "by", ("tubuai", 1): "y"}
    filled = fill(at(2, first=ALONE, laid=RING, boats=boats, kings={"samoa": B}), ("tubuai", 0))
    assert set(filled.actions()) == {"emigrate((tubuai, 1))", "emigrate((tubuai, 2))"}
    struck = play(filled, "emigrate((tubuai, 2))")
    assert "tubuai" not in struck.table and struck.boats == {} and struck.stock(B) == 14
    assert struck.kind == "chance"  # no island, so cards are turned, and no boat is put
    after = play(struck, "w03", "lay_at((w13, 3))", "samoa", "lay_at((w03, 1))")
    assert after.boats == {} and after.actor == Y
    # Not struck: an open side; a way that is too hard for the full beach; another option.
    open_side = fill(at(2, first=ALONE, laid=RING[:3], boats=boats), ("tubuai", 0))
    assert "tubuai" in play(open_side, "emigrate((tubuai, 1))").table
    hard = fill(
        at(2, first=ALONE, laid=RING, boats={("tubuai", 1): "bb", ("tubuai", 0): "y"}, T12="up_to"),
        ("tubuai", 1),
    )
    assert play(hard, "emigrate((tubuai, 4))").boats == {("tubuai", 0): (Y,)}
    # Whoever has a boat left goes on: here nothing more can sail. A king is one (T8).
    kings: Table = {**ALONE, "samoa": Laid((5, 5), 0)}
    royal = fill(at(2, first=kings, laid=RING, boats=boats, kings={"samoa": B}), ("tubuai", 0))
    assert play(royal, "emigrate((tubuai, 1))").actor == Y
    poor = fill(at(2, first=kings, laid=RING, boats=boats, kings={"samoa": B}, T8="no"), ("tubuai", 0))
    assert play(poor, "emigrate((tubuai, 1))").kind == "chance"
    left = fill(at(2, first=ALONE, laid=RING, boats=boats, T18="no_matter"), ("tubuai", 0))
    assert "tubuai" in play(left, "emigrate((tubuai, 1))").table


def test_a_chain_that_can_come_to_rest_is_struck_late_if_forced() -> None:
    four, five = {("tubuai", 0): "by"}, {("tubuai", 0): "by", ("tubuai", 1): "yy"}

    def sails(boats: dict[Beach, str]) -> Model:
        model = fill(at(2, first=ALONE, laid=RING, boats=boats, T18="forced"), ("tubuai", 0))
        return play(model, "emigrate((tubuai, 1))")

    assert "tubuai" in sails(four).table and "tubuai" not in sails(five).table
    assert can_rest("tubuai", (3, 1), False) and not can_rest("tubuai", (3, 2), False)
    assert can_rest("tubuai", (3, 0), True) and not can_rest("tubuai", (3, 3), True)


def test_after_the_last_card_the_open_sea_is_no_way_out() -> None:
    boats = {("tubuai", 0): "bby", ("tubuai", 1): "bby"}
    model = at(2, first=ALONE, laid=RING[:3], boats=boats, pile=["samoa"], stage=Depart())
    assert set(model.actions()) == {"emigrate((tubuai, 1))", "emigrate((tubuai, 2))"}
    struck = play(model, "emigrate((tubuai, 1))")
    assert "tubuai" not in struck.table and struck.outcomes() == {"samoa": 1}


def test_a_mover_with_boats_elsewhere_sails_on() -> None:
    first: Table = {TONGA: Laid((5, 5), 0), "tubuai": Laid((0, 0), 0)}
    boats = {("tubuai", 0): "by", (TONGA, 0): "b", (TONGA, 2): "yyy"}
    model = fill(at(2, first=first, laid=RING, boats=boats), ("tubuai", 0))
    struck = play(model, "emigrate((tubuai, 1))")
    assert "tubuai" not in struck.table and struck.actions() == ["emigrate((tonga, 2))"]
    # He may as well sail from Tonga before.
    before = play(model, "emigrate((tonga, 2))", "w14")
    assert "tubuai" in before.table and before.stock(Y) == 14


def test_several_islands_are_struck_together_only_by_option() -> None:
    cards: list[tuple[str, Port]] = [
        ("w13", ("tubuai", 1)),
        ("w01", ("tubuai", 2)),
        ("muroroa", ("tubuai", 4)),
        ("w02", ("tubuai", 5)),
        ("w15", ("muroroa", 1)),
        ("w03", ("muroroa", 2)),
        ("w16", ("muroroa", 3)),
        ("w04", ("muroroa", 4)),
    ]
    boats = {("tubuai", 0): "by", ("muroroa", 0): "y"}
    lands = fill(at(2, first=ALONE, laid=cards, boats=boats), ("tubuai", 0))
    lands = play(lands, "emigrate((tubuai, 1))")
    assert lands.kind == "decision" and "tubuai" in lands.table and "muroroa" in lands.table
    struck = fill(at(2, first=ALONE, laid=cards, boats=boats, T18="no_way_out"), ("tubuai", 0))
    struck = play(struck, "emigrate((tubuai, 1))")
    assert "tubuai" not in struck.table and "muroroa" not in struck.table and struck.boats == {}
    assert "w16" in struck.table and struck.kind == "chance"
    royal = fill(
        at(2, first=ALONE, laid=cards, boats={("tubuai", 0): "by"}, kings={"muroroa": Y}), ("tubuai", 0)
    )
    royal = play(royal, "emigrate((tubuai, 1))")
    assert "muroroa" in royal.table and "tubuai" not in royal.table


def test_a_voyage_straight_back_waits_for_others() -> None:
    boats = {("tubuai", 0): "byy", ("tubuai", 1): "byy"}
    model = at(2, first=ALONE, laid=RING[:2], boats=boats, stage=Depart())
    assert set(model.actions()) == {"emigrate((tubuai, 4))", "emigrate((tubuai, 5))"}


def test_the_player_may_stop_only_by_option() -> None:
    boats = {(TONGA, 0): "byg"}
    assert "pass" not in at(boats=boats, stage=Depart()).actions()
    stopped = play(at(boats=boats, stage=Depart(), T21="may"), "pass")
    assert stopped.actor == Y and stopped.boats[TONGA, 0] == (B, Y, G)
    # A full beach takes no new boat.
    expand = play(at(boats=boats | {(TONGA, 1): "b"}, T21="may"), "expand(tonga)")
    assert all("(tonga, 0)" not in text for text in expand.actions())
    # Where no place is free nothing is added, and the boats may sail.
    everywhere: dict[Beach, str] = {(TONGA, nr): "byg" for nr in range(6)}
    assert len(play(at(boats=everywhere, T21="may"), "expand(tonga)").actions()) == 6 + 1


def test_ties() -> None:  # TE14
    boats = {("oahu", 0): "b", ("nauru", 0): "y", ("tubuai", 0): "yy"}

    def ended(more: dict[Beach, str], T4: str = "yes") -> Model:
        return at(2, boats=boats | more, stage=Over(), T4=T4)

    assert ended({}).points(B) == 4 == ended({}).points(Y)
    assert ended({}).places() == {B: 2, Y: 1}  # more islands
    assert ended({(TONGA, 0): "b"}).places() == {B: 1, Y: 2}  # two islands each, fewer boats
    assert ended({(TONGA, 0): "b"}, T4="no").places() == {B: 2, Y: 1}
    assert ended({(TONGA, 0): "bb"}).places() == {B: 1, Y: 1}


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("cards", ["full", "pond"])
def test_random_games(players: int, cards: str) -> None:
    chance = random.Random(players)
    model = oracle.initial(players, cards=cards)
    for _ in range(3000):
        if model.kind == "end":
            break
        texts = list(model.outcomes()) if model.kind == "chance" else model.actions()
        assert texts and len(set(texts)) == len(texts)
        daring = [text for text in texts if text != "restart" and not text.startswith("found")]
        model = model.apply(chance.choice(daring or texts))
        for beach, fleet in model.boats.items():  # TE15 and TE17: no beach overflows, no boat is lost
            assert 0 < len(fleet) <= PLACES[beach]
        assert all(0 <= model.stock(player) <= 15 for player in model.players)
    if model.kind == "end":
        assert min(model.places().values()) == 1
    with pytest.raises(ValueError):
        model.apply("fly(away)")
