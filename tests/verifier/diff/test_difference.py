"""Two games side by side: what must be called equivalent, what different, and what neither."""

from pathlib import Path

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.replay import ReplayError
from kemu_grammar.game.game import read_text
from kemu_verifier.diff.bisimulation import Pair, constants
from kemu_verifier.diff.compare import SAME_PROGRAM, Comparing, compare, confirmed
from kemu_verifier.diff.games import Games, shortened
from kemu_verifier.diff.matching import Apart
from kemu_verifier.diff.observe import Difference, Sight, opening
from kemu_verifier.diff.readings import others
from kemu_verifier.diff.search import Search, same_graph
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline

pytestmark = pytest.mark.slow

LIBRARY = Path(__file__).resolve().parents[3] / "spec"

HEAP = """\
game "Heap"
players anna, ben
domain Take = 1..2
enum Card: ace, king
state:
    heap: 0..90000 = 6
    last: 0..2 = 0
    deck: bag[Card] = {ace: 2, king: 1}
fun enough(n: Take): n <= heap
rules:
    for p in turns(from=anna):
        choose take(n in Take) if enough(n)
        heap -= n
        last = n
        if heap == 3:
            seen = draw from deck
            if seen == king:
                heap = 2
        if heap == 0:
            end win(p)
"""


def made(text: str, players: int | None = None, **settings: str) -> Game:
    return Game(instantiate(read_text(text, "test.kemu", LIBRARY), settings, players))


def changed(*pairs: tuple[str, str], text: str = HEAP) -> Game:
    """The heap with one piece of text in place of another."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return made(text)


# ---------------------------------------------------------------------------------------------- equivalent


def test_the_same_text() -> None:
    assert compare(made(HEAP), made(HEAP), 5).by == SAME_PROGRAM


def test_other_names() -> None:
    """Names that play does not show: of the game, functions, variables, locals, domains."""
    pairs = [("Heap", "Pile"), ("enough", "may"), ("heap", "stack"), ("last", "before"), ("Take", "Some")]
    found = compare(made(HEAP), changed(*pairs, ("deck", "cards")), 5)
    assert (found.kind, found.by) == ("equivalent", SAME_PROGRAM)


def test_an_action_is_no_name_to_choose_freely() -> None:
    found = compare(made(HEAP), changed(("choose take", "choose grab")), 5)
    assert found.difference == Difference("actions", ("take(1)", "take(2)"), ("grab(1)", "grab(2)"))


@pytest.mark.parametrize(
    "pair",
    [
        ("n <= heap", "not heap < n"),
        ("last = n", "pass"),  # remembered, but to no effect
        ("{ace: 2, king: 1}", "{ace: 2, king: 1, ace: 2}"),
    ],
)
def test_otherwise_written(pair: tuple[str, str]) -> None:
    if "ace: 2, king: 1, ace" in pair[1]:
        pair = ("heap == 3:", "heap == 3 and (last == 1 or last == 2):")
    found = compare(made(HEAP), changed(pair), 5)
    assert found.kind == "equivalent" and found.by.startswith("exhaustive search"), found


def test_weights_count_as_probabilities() -> None:
    """2 : 1 and 4 : 2 are one chance, as long as nothing is drawn twice; 1 : 1 is another."""
    once = (
        "            seen = draw from deck\n",
        "            seen = draw from deck\n            deck = {}\n",
    )
    left = changed(once)
    double = changed(once, ("{ace: 2, king: 1}", "{ace: 4, king: 2}"))
    even = changed(once, ("{ace: 2, king: 1}", "{ace: 1, king: 1}"))
    assert compare(left, double, 5).kind == "equivalent"
    found = compare(left, even, 5)
    assert found.difference == Difference(
        "chance", ("ace with 2/3", "king with 1/3"), ("ace with 1/2", "king with 1/2")
    )


# ---------------------------------------------------------------------------------------------- different


def test_one_changed_number() -> None:
    found = compare(made(HEAP), changed(("heap == 3", "heap == 2")), 5)
    assert (found.kind, found.shortest, len(found.steps)) == ("different", True, 2)
    assert found.difference is not None and found.difference.kind == "actor"
    assert found.depth == 1


@pytest.mark.parametrize(
    ("pairs", "steps", "difference"),
    [
        ([("1..2", "1..3"), ("0..2", "0..3")], 0, Difference("actions", (), ("take(3)",))),
        ([("from=anna", "from=ben")], 0, Difference("actor", ("anna",), ("ben",))),
        ([("win(p)", "win(other(p))")], 3, Difference("result", ("won by anna",), ("won by ben",))),
        ([("if heap == 0", "if heap <= 1")], 3, Difference("over", (), ("won by anna",))),
        ([("ace: 2", "ace: 1")], 2, Difference("chance", ("ace with 2/3", "king with 1/3"),
                                               ("ace with 1/2", "king with 1/2"))),
        ([("players anna, ben", "players anna, bob")], 0, Difference("players", ("anna", "ben"),
                                                                     ("anna", "bob"))),
    ],
)  # fmt: skip
def test_kinds_of_difference(pairs: list[tuple[str, str]], steps: int, difference: Difference) -> None:
    found = compare(made(HEAP), changed(*pairs), 5)
    assert (found.kind, found.shortest, found.difference) == ("different", True, difference)
    assert len(found.steps) == steps


def test_a_fault_on_one_side_only() -> None:
    found = compare(made(HEAP), changed(("last: 0..2", "last: 0..1")), 5)
    assert found.steps == ("take(2)",)
    assert found.difference is not None and found.difference.kind == "fault"
    assert found.difference.left == () and found.difference.right[0].startswith("out_of_range")


def test_scores_count_if_places_are_the_same() -> None:
    plain, pays = "end win(p)", "end pays({q: %d if q == p else -1 for q in Player})"
    found = compare(changed((plain, pays % 1)), changed((plain, pays % 2)), 5)
    assert found.difference is not None and found.difference.kind == "result"


def test_what_both_break_down_by_is_no_difference() -> None:
    left = changed(("last: 0..2", "last: 0..1"))
    right = changed(
        ("last: 0..2", "last: 0..1"), ("heap -= n\n        last = n", "last = n\n        heap -= n")
    )
    assert compare(left, right, 5).kind == "equivalent"


def test_what_breaks_down_at_once_on_both_sides_only() -> None:
    left, right = (changed(("rules:\n", f"rules:\n    last = heap + {n}\n")) for n in (1, 2))
    assert compare(left, right, 5).by == "both break down in the opening"
    assert compare(left, made(HEAP), 5).kind == "different"


def test_random_games_find_and_shorten_what_search_proves() -> None:
    left, right = changed(("= 6", "= 30")), changed(("= 6", "= 30"), ("heap == 3", "heap == 4"))
    start = opening(left, right)
    assert isinstance(start, tuple)
    sight = Sight(left.program, right.program)
    long = Games(sight, start).run(Deadline(5))
    assert long is not None
    short = shortened(sight, start, long, Deadline(5))
    best = Search(sight, start).run(Deadline(5))
    assert best is not None and len(best[0]) == len(short[0]) <= len(long[0])
    assert confirmed(left, right, short[0]) == short[1]


LOCK = """\
game "Lock"
players anna, ben
domain Digit = 0..3
state:
    right: 0..12 = 0
rules:
    for p in turns(from=anna):
        choose turn(n in Digit)
        right = right + 1 if n == 2 else 0
        if right == 12: end win(p)
"""
TURNED = ("turn(2)",) * 12


@pytest.mark.parametrize(
    ("plays", "steps"),
    [
        ([], None),
        ([TURNED[:10]], TURNED),
        ([TURNED], TURNED),
        ([TURNED[:10], TURNED], TURNED),
        ([("turn(2)", "turn(7)")], None),  # not possible
    ],
)
def test_random_games_go_on_where_given_plays_end(
    plays: list[tuple[str, ...]], steps: tuple[str, ...] | None
) -> None:
    left, right = made(LOCK), changed(("end win(p)", "end tie"), text=LOCK)
    start = opening(left, right)
    assert isinstance(start, tuple)
    found = Games(Sight(left.program, right.program), start, plays).run(Deadline(20), 100)
    assert (found and found[0]) == steps


def test_no_difference_is_shown_that_the_interpreter_does_not_see() -> None:
    with pytest.raises(ReplayError, match="no difference"):
        confirmed(made(HEAP), made(HEAP), ["take(1)"])
    with pytest.raises(ReplayError, match="not possible"):
        confirmed(made(HEAP), made(HEAP), ["take(7)"])


# ---------------------------------------------------------------------------------------------- many states

LARGE = ("= 6", "= 90000")


@pytest.mark.parametrize(
    "pairs",
    [
        [("last = n", "last = 3 - n")],  # what nothing depends on
        [("    last: 0..2 = 0\n", ""), ("        last = n\n", "")],  # nor is it there
        [("n <= heap", "not heap < n")],
        [("heap == 3", "heap == 3 and first == anna"), ("    last:", "    first: Player = anna\n    last:")],
    ],
)
def test_step_by_step(pairs: list[tuple[str, str]]) -> None:
    left, right = changed(LARGE), changed(LARGE, *pairs)
    assert stepwise(left, right) or stepwise(right, left)


def stepwise(left: Game, right: Game) -> bool:
    """Whether there is a proof step by step."""
    pair = Pair(ProofContext(left, 1, lambda _: None), right.program)
    return pair.same(Deadline(2)) or (constants(pair, Deadline(2)) and pair.same(Deadline(2)))


@pytest.mark.parametrize(
    "pairs",
    [
        [("last = n", "last = 3 - n"), ("n <= heap", "n <= heap and n != last")],
        [("heap == 3", "heap == 3 and first == ben"), ("    last:", "    first: Player = anna\n    last:")],
        [("win(p)", "win(other(p))")],
    ],
)
def test_step_by_step_says_no(pairs: list[tuple[str, str]]) -> None:
    """The same heaps, but small: they differ, so there must be no proof."""
    left, right = made(HEAP), changed(*pairs)
    assert same_graph(left, right, Deadline(5)) is None
    assert not stepwise(left, right) and not stepwise(right, left)


@pytest.mark.parametrize(("step", "proved"), [(2, True), (1, False)])
def test_step_by_step_under_what_holds_of_the_left_one(step: int, proved: bool) -> None:
    pairs = [
        LARGE,
        ("    last:", "    x: 0..9 = 0\n    last:"),
        ("        heap -= n\n", f"        x = (x + {step}) % 10\n        heap -= n\n"),
    ]
    text = HEAP + "property even: everywhere x % 2 == 0\n"
    left = changed(*pairs, text=text)
    right = changed(*pairs, ("n <= heap", "n <= heap and (n == 1 or x % 2 == 0)"), text=text)
    context = ProofContext(left, 1, lambda _: None)
    context.plays = []  # random games would show that it is not so
    assert bool(Comparing(left, right, 10)._proof_under(context)) == proved


def test_other_players_cannot_be_read_together() -> None:
    with pytest.raises(Apart):
        Pair(ProofContext(made(HEAP), 2, lambda _: None), changed(("anna, ben", "anna, bob")).program)


def test_many_states_compared() -> None:
    found = compare(changed(LARGE), changed(LARGE, ("last = n", "last = 3 - n")), 1.5)
    assert (found.kind, found.by) == ("equivalent", "one-step bisimulation")


def test_neither() -> None:
    """The winner is another, after 45,000 moves at least: nothing is found, and nothing is claimed."""
    found = compare(changed(LARGE), changed(LARGE, ("win(p)", "win(other(p))")), 1)
    assert (found.kind, found.difference) == ("unknown", None)
    assert found.depth > 3 and found.games > 0


def test_what_is_known_when_it_is_stopped() -> None:
    under_way = Comparing(made(HEAP), made(HEAP), 5)
    assert (under_way.so_far().kind, under_way.so_far().depth) == ("unknown", -1)


# ---------------------------------------------------------------------------------------- who knows what

CARD = """\
game "Card"
players anna, ben
state:
    card: 1..3 secret to anna
    peek: 0..3 secret to ben
    round: 0..90000 = 0
rules:
    card = roll 1..3
    peek = card
    choose together for p in Player:
        say(n in 1..2):
            pass
    for p in turns():
        round += 1
        sealed choose wink(n in 1..2) by p
        if round == 2:
            choose guess(n in 1..3) by ben
            end win(ben if n == card else anna)
"""
LONG = ("round == 2", "round == 90000")


TWO_SAY = """\
    choose together for p in Player:
        say(n in 1..2):
            pass
"""
IN_TURN = """\
    for p in Player:
        choose say(n in 1..2) by p
"""
DOUBLE = [
    ("    round:", "    double: 0..6 secret to ben = 0\n    round:"),
    ("peek = card", "peek = card\n    double = 2 * peek"),
]


@pytest.mark.parametrize(
    ("pairs", "knows", "one", "other"),
    [
        ([("    peek = card\n", "")], "ben", "1", "2"),
        ([("peek = card", "peek = min(card, 2)")], "ben", "2", "3"),
        ([("card: 1..3 secret to anna", "card: 1..3 hidden")], "anna", "1", "2"),
    ],
)
def test_who_knows_less_though_the_play_is_the_same(
    pairs: list[tuple[str, str]], knows: str, one: str, other: str
) -> None:
    found = compare(made(CARD), changed(*pairs, text=CARD), 10)
    assert (found.kind, found.difference) == ("different", Difference("knowledge", (knows, one, other), ()))
    assert "exhaustive search" in found.plays and found.steps == (one,)
    assert same_graph(made(CARD), changed(*pairs, text=CARD), Deadline(5)) is None


@pytest.mark.parametrize(
    ("pair", "knows"),
    [
        ((TWO_SAY, IN_TURN), "ben"),
        (("sealed choose", "choose"), "anna"),
        (("0..3 secret to ben", "0..3"), "somebody without a seat"),  # anna knows the card anyway
    ],
)
def test_who_knows_more_though_the_play_is_the_same(pair: tuple[str, str], knows: str) -> None:
    found = compare(made(CARD), changed(pair, text=CARD), 10)
    assert found.difference is not None and (found.kind, found.difference.left) == ("different", ())
    assert found.difference.right[0] == knows


@pytest.mark.parametrize(
    "pairs",
    [
        [("peek", "glance")],
        [("peek = card", "peek = 3 - card")],  # as good as the card
        DOUBLE,
        [("    round:", "    last: 0..2 = 0\n    round:"), ("            pass", "            last = 1")],
    ],
)
def test_everybody_knows_the_same_by_other_means(pairs: list[tuple[str, str]]) -> None:
    found = compare(made(CARD), changed(*pairs, text=CARD), 10)
    assert found.kind == "equivalent"
    assert "all plays that look alike to somebody" in found.by or found.by == SAME_PROGRAM


def test_step_by_step_who_knows_what_counts_as_well() -> None:
    """Too many positions to walk through: nothing is claimed that was not compared."""
    long = changed(LONG, text=CARD)
    found = compare(long, changed(LONG, ("    peek = card\n", ""), text=CARD), 6)
    assert found.difference == Difference("knowledge", ("ben", "1", "2"), ())
    found = compare(long, changed(LONG, ("n == card", "n <= card and n >= card"), text=CARD), 6)
    assert (found.kind, found.by, found.plays) == ("equivalent", "one-step bisimulation", "")
    found = compare(long, changed(LONG, *DOUBLE, text=CARD), 6)
    assert (found.kind, found.plays) == ("unknown", "one-step bisimulation")


# ---------------------------------------------------------------------------------------------- readings

READ = HEAP.replace(
    "domain Take",
    """\
option size: 5 | 6 = 6
option idle: bool = false
reading R1 "the king" : small | none_at_all = small
needs size == 6 or R1 == small
domain Take""",
)


def test_every_other_value_of_every_option() -> None:
    rules = read_text(READ.replace("heap = 2", "heap = 2 if R1 == small else 3"), "test.kemu", LIBRARY)
    found = {(each.option.name, each.value): each.game for each in others(rules, {})}
    assert list(found) == [("size", 5), ("idle", True), ("R1", "none_at_all")]
    base = Game(instantiate(rules))
    kinds = [compare(base, game, 5).kind for game in found.values() if game is not None]
    assert kinds == ["equivalent", "equivalent", "different"]
    assert [each.game for each in others(rules, {"size": "5"}, None, ["R1"])] == [None]
