"""Values before play: their order, their texts, what is equal and what only looks so."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from kemu_engine.static.operators import binary, changed, compare, index, unary
from kemu_engine.static.problems import StaticFault
from kemu_engine.static.values import (
    Atom,
    Domain,
    FrozenBag,
    FrozenMap,
    RingInt,
    Row,
    Seq,
    exact,
    iterate,
    order_key,
    ordered,
    text_of,
)
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.source.span import Span

HERE = Span("test.kemu", 1, 1, 1, 1)
RED, BLUE = Atom("Hue", "red", (2, 0)), Atom("Hue", "blue", (2, 1))
CAT = Atom("Pet", "cat", (3, 0))


def point(x: int, y: int) -> Row:
    return Row((x, y), ("x", "y"))


IN_ORDER = [
    None,
    False,
    True,
    -3,
    RingInt(2, 0, 3),
    10,
    "ab",
    "b",
    RED,
    BLUE,
    CAT,
    point(3, 1),
    (1, RED),
    frozenset({1}),
    FrozenMap({1: 1}),
]
SEQUENCES = [
    [point(2, 1), point(1, 2), point(2, 2)],
    [Row((2, 1), ("q", "r")), Row((1, 2), ("q", "r"))],
    [(1,), (1, RED), (1, BLUE), (2, RED)],
    [frozenset(), frozenset({9}), frozenset({1, 2}), frozenset({1, 3})],
    [FrozenMap({RED: 1}), FrozenMap({RED: 2}), FrozenMap({BLUE: 0})],
]


@pytest.mark.parametrize("row", [IN_ORDER, *SEQUENCES])
def test_the_order_of_values(row: list[Any]) -> None:
    for seed in range(5):
        shuffled = Random(seed).sample(row, len(row))
        assert [exact(x) for x in sorted(shuffled, key=order_key)] == [exact(x) for x in row]


def test_sets_have_one_order_of_their_own_things() -> None:
    assert ordered(frozenset({BLUE, RED})) == (RED, BLUE) == iterate(frozenset({RED, BLUE}))
    ring, plain = frozenset({RingInt(1, 0, 3)}), frozenset({1})
    assert ring == plain and [type(ordered(s)[0]) for s in (ring, plain, ring)] == [RingInt, int, RingInt]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "none"),
        (True, "true"),
        (RingInt(3, 0, 3), "3"),
        ("word", "word"),
        (RED, "red"),
        (Seq((1, RED)), "[1, red]"),
        (point(1, 2), "(1, 2)"),
        ((1,), "(1)"),
        (frozenset({BLUE, RED}), "{red, blue}"),
        (FrozenMap({RED: 1, BLUE: None}), "{red: 1, blue: none}"),
        (Domain.of("Hue", (RED, BLUE)), "Hue"),
    ],
)
def test_texts(value: Any, told: str) -> None:
    assert text_of(value) == told


def test_collections_are_gone_through_in_their_order() -> None:
    assert iterate(Domain.of("D", (BLUE, RED, BLUE))) == (BLUE, RED)
    assert iterate(FrozenMap({BLUE: 1, RED: 2})) == (BLUE, RED) and iterate(Seq((3, 1))) == (3, 1)
    with pytest.raises(TypeError, match="3 is not a collection"):
        iterate(3)


def test_a_domain() -> None:
    domain = Domain.of("D", (BLUE, RED, BLUE))
    assert (len(domain), list(domain), RED in domain, CAT in domain) == (2, [BLUE, RED], True, False)
    assert domain.index == {BLUE: 0, RED: 1}


def test_a_ring_goes_round() -> None:
    ring = RingInt(4, 2, 5)
    assert [int(ring.shifted(n)) for n in (1, 2, 5, 6, 9, 10)] == [5, 2, 5, 2, 5, 2]
    assert (RingInt(6, 2, 5), ring.shifted(3).low, ring.shifted(3).high) == (2, 2, 5)


def test_members_are_equal_by_name_and_enum() -> None:
    assert Atom("Hue", "red", (9, 9)) == RED and Atom("Pet", "red", (2, 0)) != RED and RED != "red"
    assert len({Atom("Hue", "red", (9, 9)), RED, BLUE}) == 2


def test_maps_and_bags_do_not_change() -> None:
    bag = FrozenBag({RED: 2})
    assert (bag[RED], bag[BLUE]) == (2, 0) and BLUE not in bag
    with pytest.raises(TypeError):
        bag[RED] = 3
    with pytest.raises(KeyError):
        FrozenMap({RED: 2})[BLUE]
    assert hash(FrozenMap({1: 2, 3: 4})) == hash(FrozenMap({3: 4, 1: 2}))


def test_exact_keys_tell_apart_what_is_only_equal() -> None:
    alike = [1, True, RingInt(1, 0, 3), RingInt(1, 0, 5), RingInt(1, 1, 3)]
    for wrap in (
        lambda x: x,
        lambda x: (x,),
        lambda x: Seq((x,)),
        lambda x: frozenset({x}),
        lambda x: FrozenMap({0: x}),
    ):
        assert len({exact(wrap(x)) for x in alike}) == len(alike)
    assert len({exact(x) for x in ((1, 2), Seq((1, 2)), point(1, 2), Row((1, 2), ("q", "r")))}) == 4
    assert exact(FrozenMap({1: 2, 3: 4})) != exact(FrozenMap({3: 4, 1: 2}))
    assert exact(FrozenMap({1: 2})) != exact(FrozenBag({1: 2})) and exact(point(1, 2)) == exact(point(1, 2))


def test_what_operators_keep() -> None:
    ring = RingInt(3, 0, 3)
    assert exact(binary("+", ring, 1, HERE)) == exact(RingInt(0, 0, 3)) == exact(binary("+", 1, ring, HERE))
    assert exact(binary("-", ring, 4, HERE)) == exact(RingInt(3, 0, 3)) and exact(
        binary("-", 4, ring, HERE)
    ) == exact(1)
    assert exact(binary("*", ring, 2, HERE)) == exact(6) and exact(binary("//", ring, 2, HERE)) == exact(1)
    assert (
        exact(binary("+", point(1, 2), (1, 1), HERE))
        == exact(point(2, 3))
        == exact(binary("+", (1, 1), point(1, 2), HERE))
    )
    assert (
        exact(binary("*", 2, point(1, 2), HERE))
        == exact(point(2, 4))
        == exact(binary("*", point(1, 2), 2, HERE))
    )
    assert exact(unary("-", point(1, 2), HERE)) == exact(point(-1, -2)) and exact(
        unary("-", (1, 2), HERE)
    ) == exact((-1, -2))
    assert exact(changed(point(1, 2), 1, 5, HERE)) == exact(point(1, 5))
    assert exact(changed(Seq((1, 2)), -1, 5, HERE)) == exact(Seq((1, 5)))
    assert exact(changed(FrozenMap({RED: 1}), BLUE, 2, HERE)) == exact(FrozenMap({RED: 1, BLUE: 2}))
    bag = FrozenBag({RED: 2})
    bag.own = (RED, BLUE)
    assert exact(index(bag, BLUE, HERE)) == exact(0)


@pytest.mark.parametrize(
    ("op", "a", "b", "truth"),
    [
        ("==", True, 1, False),
        ("!=", True, 1, True),
        ("==", None, False, False),
        ("==", RingInt(1, 0, 3), 1, True),
        ("==", frozenset({1}), Seq((1, 1)), True),
        ("==", Seq((1,)), Seq((1, 1)), False),
        ("==", FrozenMap(), Seq(()), True),
        ("<", point(1, 2), (1, 3), True),
        (">=", (1, 2), (1, 2), True),
        ("<=", Domain.of("D", (1,)), frozenset({1, 2}), True),
        ("in", RED, FrozenMap({RED: 0}), True),
        ("not in", RED, Domain.of("D", (BLUE,)), True),
        ("<", RingInt(1, 0, 3), 2, True),
    ],
)
def test_comparisons(op: str, a: Any, b: Any, truth: bool) -> None:
    assert compare(op, a, b, HERE) is truth


@pytest.mark.parametrize(
    ("op", "a", "b"),
    [
        ("+", RED, 1),
        ("+", Seq((1,)), "a"),
        ("+", "a", 1),
        ("+", (1, 2), (1, 2, 3)),
        ("*", Seq((1,)), 2),
        ("*", 2, Seq((1,))),
        ("-", Seq((1,)), Seq((1,))),
        ("+", (1, 2), Seq((1, 2))),
        ("|", 1, 2),
        ("<", RED, BLUE),
        ("<", 1, RED),
        ("<", frozenset({1}), frozenset({1, 2})),
        ("<", Seq((1,)), (1, 2)),
        ("in", 1, 2),
        ("&", (1, 2), (1, 2)),
    ],
)
def test_operators_without_meaning(op: str, a: Any, b: Any) -> None:
    with pytest.raises(RulesError) as found:
        (compare if op in ("<", "in") else binary)(op, a, b, HERE)
    assert found.value.diagnostics[0].code == "E0719"


@pytest.mark.parametrize(("op", "a", "b"), [("+", None, 1), ("-", 1, None), ("<", None, 1), (">=", 1, None)])
def test_operators_on_none(op: str, a: Any, b: Any) -> None:
    with pytest.raises(StaticFault) as found:
        (compare if op in ("<", ">=") else binary)(op, a, b, HERE)
    assert found.value.code == "missing_value"
