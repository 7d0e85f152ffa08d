"""Oracle: Mahé (Alex Randolph), modelled from its rule texts (Dutch and French) alone.

Numbers R1-R12 are this file's own; H6 ... V1 are the open questions of the rule texts, settled by options.
R1  Of 24 egg cards (how many of each kind: H20) twenty are played; the first one is open. All turtles are
    on the raft. A turtle for each player; two for each when two or three play. Red begins.
R2  In his turn a player lets his turtle swim; of two, one after the other, in the order he likes (H18: a bust
    of the first ends the turn).
R3  The first die is thrown. Before the second and the third die the pilot says whether to go on: the owner of
    the turtle on top of all that the swimmer carries.
R4  More than seven in total: the swimmer and all it carries go back to the raft, where nobody carries.
R5  Else it swims the total times the number of dice, from the raft to field 1 first, after field 21 to 1.
R6  It takes along those above it, leaves those below, and lands on top of those who are there.
R7  A swimmer that reaches or passes field 21 (starting there is neither) earns the open card for the owner of
    the turtle on top of the load; the next card is opened.
R8  After the twentieth card the nest of seven eggs remains, for the next that reaches or passes field 21, of
    a load for the top one (H6: for the swimmer; H7: it must be another than the one that took the twentieth
    card); the game ends.
R9  Most eggs win; then most cards (V1: the nest counts as one); then a shared place.
R10 Variant: instead of the second or third die the pilot may play a card of his own: one in a turn (H9: for
    each turtle, or for each player), counting as a die; never past seven (H10: it may, and sends them back;
    the French text does not forbid it).
    It leaves the game.
R11 H11: when the pilot is not the swimmer's owner and asks for a throw, the owner may play a card instead.
R12 A third die may be thrown even at seven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

Turtle = tuple[str, int]  # owner, number

COLOURS = ("red", "yellow", "blue", "green", "white", "black", "violet")
# How many cards show so many eggs. The scoring example has 2, 2, 5, 5, 3 and 3 of the twenty (H20).
MIXES = {
    "middling": {1: 3, 2: 3, 3: 5, 4: 5, 5: 5, 6: 3},
    "even": {1: 3, 2: 3, 3: 5, 4: 5, 5: 4, 6: 4},
}
UNUSED = 4
NEST = 7
BEACH = 21
MOST = 7  # the dice may not show more
# The answers to each option; the last one is the default.
OPTIONS: dict[str, tuple[str | bool, ...]] = {
    "edition": ("french", "dutch"),
    "card_variant": (True, False),
    "H6": ("swimmer", "top"),
    "H7": ("another_turtle", "any_turtle"),
    "H9": ("turtle", "player", "turn"),
    "H10": ("allowed", "forbidden"),
    "H11": ("yes", "no"),
    "H18": ("waits", "goes"),
    "H20": ("even", "middling"),
    "V1": ("no", "yes"),
}
Next = Callable[[], "Model"]


@dataclass(frozen=True)
class Model:
    """One moment of a game.

    `stage`: "open" (a card is opened), "choose" (a turtle), "die", "pilot", "instead" (R11) or "over".
    `fields`: the turtles on each field from the lowest to the top one; the others are on the raft.
    `unseen`: eggs to number of cards never opened; `hands`: the eggs on each player's cards.
    """

    options: Mapping[str, str | bool]
    players: tuple[str, ...]
    mover: str
    stage: str
    turtles: tuple[Turtle, ...]
    fields: Mapping[int, tuple[Turtle, ...]]
    unseen: Mapping[int, int]
    open_card: int | None
    hands: Mapping[str, tuple[int, ...]]
    nest: str | None = None
    last_layer: Turtle | None = None  # the turtle that earned the twentieth card
    swimmer: Turtle | None = None
    still_to_swim: tuple[Turtle, ...] = ()
    dice: tuple[int, ...] = ()  # of this swim, cards included
    card_players: tuple[str, ...] = ()  # who played a card in this turn, or by H9 in this swim

    @property
    def kind(self) -> str:
        """What comes next: "decision", "chance" or "end"."""
        return {"open": "chance", "die": "chance", "over": "end"}.get(self.stage, "decision")

    @property
    def actor(self) -> str | None:
        """Who decides."""
        if self.kind != "decision":
            return None
        return self._pilot() if self.stage == "pilot" else self.mover

    def actions(self) -> list[str]:
        """The legal actions of a decision."""
        return list(self._moves()) if self.kind == "decision" else []

    def outcomes(self) -> dict[str, int]:
        """The next card by its eggs, or a die."""
        match self.stage:
            case "open":
                return {str(eggs): number for eggs, number in self.unseen.items() if number}
            case "die":
                return {str(pips): 1 for pips in range(1, 7)}
            case _:
                return {}

    def apply(self, text: str) -> Model:
        """The position after an action or an outcome."""
        moves = self._moves()
        if text not in moves:
            raise ValueError(f"not legal here: {text!r}")
        return moves[text]()

    def places(self) -> dict[str, int]:
        """R9: the ranking."""
        best_first = {player: (-self.eggs(player), -self._cards(player)) for player in self.players}
        return {
            player: 1 + sum(other < own for other in best_first.values())
            for player, own in best_first.items()
        }

    def position(self) -> dict[str, object]:
        """Everything on the table."""
        return {
            "mover": self.mover,
            "stage": self.stage,
            "fields": {field: [str(turtle) for turtle in stack] for field, stack in self.fields.items()},
            "unseen": dict(self.unseen),
            "open_card": self.open_card,
            "hands": {player: list(cards) for player, cards in self.hands.items()},
            "nest": self.nest,
            "last_layer": self.last_layer,
            "swimmer": self.swimmer,
            "still_to_swim": list(self.still_to_swim),
            "dice": list(self.dice),
            "card_players": list(self.card_players),
        }

    # Counting

    def eggs(self, player: str) -> int:
        """R9: the eggs on the cards a player still has, and in the nest."""
        return sum(self.hands[player]) + (NEST if self.nest == player else 0)

    def _cards(self, player: str) -> int:
        nest_counts = self.nest == player and self.options["V1"] == "yes"
        return len(self.hands[player]) + nest_counts

    def where(self, turtle: Turtle) -> int:
        """The field of a turtle; 0 is the raft."""
        return next((field for field, stack in self.fields.items() if turtle in stack), 0)

    def _load(self) -> tuple[Turtle, ...]:
        """R6: the swimmer and all that it carries, from below."""
        assert self.swimmer is not None
        stack = self.fields.get(self.where(self.swimmer), (self.swimmer,))
        return stack[stack.index(self.swimmer) :]

    def _pilot(self) -> str:
        """R3."""
        return self._load()[-1][0]

    # The moves of each stage

    def _moves(self) -> dict[str, Next]:
        match self.stage:
            case "open":
                return {str(eggs): partial(self._opened, eggs) for eggs in self.unseen if self.unseen[eggs]}
            case "choose":
                first, second = self._own_turtles()
                return {
                    f"next_swimmer({_show(first)})": partial(self._swim, first, (second,)),
                    f"next_swimmer({_show(second)})": partial(self._swim, second, (first,)),
                }
            case "die":
                return {str(pips): partial(self._thrown, pips) for pips in range(1, 7)}
            case "pilot":
                return self._pilots_moves()
            case "instead":
                cards = {
                    f"instead({eggs})": partial(self._play_card, self.mover, eggs)
                    for eggs in self._fitting(self.mover)
                }
                return {"pass": partial(replace, self, stage="die"), **cards}
            case _:
                return {}

    def _opened(self, eggs: int) -> Model:
        """R1, R7."""
        left = {**self.unseen, eggs: self.unseen[eggs] - 1}
        model = replace(self, unseen=left, open_card=eggs)
        return model._begin_turn(self.mover) if self.swimmer is None else model._swim_done()

    def _begin_turn(self, player: str) -> Model:
        """R2."""
        model = replace(self, mover=player, card_players=())
        turtles = model._own_turtles()
        return model._swim(turtles[0], ()) if len(turtles) == 1 else replace(model, stage="choose")

    def _own_turtles(self) -> list[Turtle]:
        return [turtle for turtle in self.turtles if turtle[0] == self.mover]

    def _swim(self, turtle: Turtle, still_to_swim: tuple[Turtle, ...]) -> Model:
        """R3: the first die."""
        played = () if self.options["H9"] == "turtle" else self.card_players
        return replace(
            self, stage="die", swimmer=turtle, still_to_swim=still_to_swim, dice=(), card_players=played
        )

    def _pilots_moves(self) -> dict[str, Next]:
        """R3, R10."""
        pilot = self._pilot()
        moves: dict[str, Next] = {"stop": self._move, "throw": self._throw}
        for eggs in self._fitting(pilot):
            moves[f"play({eggs})"] = partial(self._play_card, pilot, eggs)
        return moves

    def _fitting(self, player: str) -> list[int]:
        """R10: the cards that a player may use as a die now."""
        each_one = self.options["H9"] == "player"
        used_up = player in self.card_players if each_one else bool(self.card_players)
        if not self.options["card_variant"] or used_up:
            return []
        room = MOST - sum(self.dice) if self.options["H10"] == "forbidden" else MOST
        return sorted({eggs for eggs in self.hands[player] if eggs <= room})

    def _throw(self) -> Model:
        """R3, R11."""
        may_object = self.options["H11"] == "yes" and self._pilot() != self.mover
        return replace(self, stage="instead" if may_object and self._fitting(self.mover) else "die")

    def _play_card(self, player: str, eggs: int) -> Model:
        """R10: the card counts as a die and leaves the game."""
        rest = list(self.hands[player])
        rest.remove(eggs)
        hands = {**self.hands, player: tuple(rest)}
        return replace(self, hands=hands, card_players=(*self.card_players, player))._thrown(eggs)

    def _thrown(self, pips: int) -> Model:
        """R3, R4."""
        model = replace(self, dice=(*self.dice, pips))
        if sum(model.dice) > MOST:
            return model._without_load()._bust()
        return model._move() if len(model.dice) == 3 else replace(model, stage="pilot")

    def _bust(self) -> Model:
        """R2."""
        ends_turn = self.options["H18"] == "waits"
        return replace(self, still_to_swim=() if ends_turn else self.still_to_swim)._swim_done()

    def _without_load(self) -> Model:
        """The load taken off the track (to the raft)."""
        load = self._load()
        left = {
            field: tuple(turtle for turtle in stack if turtle not in load)
            for field, stack in self.fields.items()
        }
        return replace(self, fields={field: stack for field, stack in left.items() if stack})

    def _move(self) -> Model:
        """R5, R6, R7: the way is counted from field 21 or the raft as nought."""
        assert self.swimmer is not None
        load = self._load()
        way = self.where(self.swimmer) % BEACH + sum(self.dice) * len(self.dice)
        target = (way - 1) % BEACH + 1
        lifted = self._without_load()
        moved = replace(lifted, fields={**lifted.fields, target: lifted.fields.get(target, ()) + load})
        return moved._lay_eggs(load) if way >= BEACH else moved._swim_done()

    def _lay_eggs(self, load: tuple[Turtle, ...]) -> Model:
        """R7, R8."""
        turtle = load[-1]
        owner = turtle[0]
        if self.open_card is None:
            taker = load[0] if self.options["H6"] == "swimmer" else turtle
            if self.options["H7"] == "another_turtle" and taker == self.last_layer:
                return self._swim_done()
            return replace(self, nest=taker[0], stage="over")
        hands = {**self.hands, owner: (*self.hands[owner], self.open_card)}
        model = replace(self, hands=hands, open_card=None)
        if sum(self.unseen.values()) > UNUSED:
            return replace(model, stage="open")
        return replace(model, last_layer=turtle)._swim_done()

    def _swim_done(self) -> Model:
        """R2."""
        if self.still_to_swim:
            return self._swim(self.still_to_swim[0], ())
        following = self.players[(self.players.index(self.mover) + 1) % len(self.players)]
        return self._begin_turn(following)


def _show(turtle: Turtle) -> str:
    return f"({turtle[0]}, {turtle[1]})"


def initial(players: int, **options: str | bool) -> Model:
    """All turtles on the raft, the first card about to be opened (R1)."""
    usual = {name: answers[-1] for name, answers in OPTIONS.items()}
    if options.get("edition") == "french":
        usual["H10"] = "allowed"
    chosen = usual | options
    for name, answer in chosen.items():
        if name not in OPTIONS or answer not in OPTIONS[name]:
            raise ValueError(f"no such option: {name} = {answer!r}")
    if not 2 <= players <= 7:
        raise ValueError(f"not a number of players: {players}")
    colours = COLOURS[:players]
    numbers = (1, 2) if players <= 3 else (1,)
    return Model(
        options=chosen,
        players=colours,
        mover=colours[0],
        stage="open",
        turtles=tuple((colour, number) for colour in colours for number in numbers),
        fields={},
        unseen=dict(MIXES[str(chosen["H20"])]),
        open_card=None,
        hands=dict.fromkeys(colours, ()),
    )
