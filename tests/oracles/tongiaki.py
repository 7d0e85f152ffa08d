"""Oracle: Tongiaki (Thomas Rauscher), modelled from its rule text alone.

Numbers R1-R14 are this file's own; T1 ... T31 are the open questions of the rule text, settled by options.
R1  Tonga lies in the middle. Blue begins; twice round each player puts one boat on Tonga, and one place of
    every beach stays free.
R2  A turn: enlarge a fleet, or found a royal island, or start anew; without a boat at sea, come back.
R3  Enlarging: an island with own boats gets as many new ones as lie there, but at most one a beach (T12) and
    no more than are at hand. With none at hand, one boat may be fetched from another island.
R4  Without a boat on the field a player must come back: two boats to Tonga (T9), or one to any other island
    that is not royal; R6 is for him only if he can do neither (T7). A king is a boat, too (T8). Voyages may
    follow.
R5  Founding: an island (not Tonga) with boats of one player only; one becomes king, the others go home; the
    turn is over. Two kings a player.
R6  Starting anew: all own boats but the kings go home, ocean cards are turned until an island comes, one
    boat goes to a beach of it; the turn is over.
R7  Voyages: the boats of a full beach leave by one of its jetties; they must while any can (T21).
R8  Where no card lies, one is drawn and laid with its crest to the group. On water the group follows the
    route; a number asks for that many colours at least, else the boats go home.
R9  At an island the mover lands the group boat by boat: first one for each beach that has room (T14; T31 if
    there are fewer boats), then as he likes while there is room; what is left goes home. A royal island
    sends the group back to the island it left.
R10 Turned cards (R6, R12) are laid by the mover anywhere beside a card on the table, crest towards it. He
    turns them until an island comes, after the last water card as well (T30).
R11 The game ends after the turn in which the last island or the last water card has come. A group that
    passes the last water card stays on it; a last island is landed on. T1 says what may still sail.
R12 Endless chains (T18): an island all of whose jetties lead straight back to it is struck with its boats
    when the mover tries to emigrate from it. If he has then no boat left on the field (T8), or there is no
    island, cards are turned until an island comes, and the turn is over. A jetty whose boats have to stay,
    since they would need a card after the last one, is no way out. Islands whose jetties lead only to each
    other are struck together after VOYAGES of them in one turn, by `no_way_out` at once; by `forced` an
    island that leads only to itself is struck at once only if the boats can never come to rest.
R13 A voyage back must wait for others from that island that do not lead back: straight to the island, or
    (`no_way_out`, `forced`) to islands that lead only to each other.
R14 Points for every island with an own boat or king; then more islands (T4); then fewer boats (T3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from .tongiaki_rest import can_rest
from .tongiaki_sea import (
    BEACHES,
    ISLES,
    JETTIES,
    PLACES,
    POINTS,
    ROUTES,
    TONGA,
    WATERS,
    Beach,
    Laid,
    Landfall,
    OpenSea,
    Port,
    Table,
    Way,
    Wreck,
    follow,
    lay,
    neighbour,
)

COLOURS = ("blue", "yellow", "green", "orange", "red", "purple")
FLEET = 15
VOYAGES = 100
# What is in the box beside Tonga.
BOXES: dict[str, tuple[str, ...]] = {
    "full": (*ISLES[1:], *WATERS),
    "tiny": ("nauru", "tubuai", "w01", "w13"),
    "pond": ("tubuai", "w01", "w13", "w15", "w16"),
    "strait": ("nauru", "tubuai", "w14"),
}
# The answers to each open question; the last one is the default.
OPTIONS: dict[str, tuple[str, ...]] = {
    "cards": ("tiny", "pond", "strait", "full"),
    "T1": ("nowhere", "on", "over_open_cards"),
    "T3": ("no", "yes"),
    "T4": ("no", "yes"),
    "T7": ("at_will", "at_need"),
    "T8": ("no", "yes"),
    "T9": ("no", "yes"),
    "T12": ("up_to", "full"),
    "T14": ("empty", "some_place"),
    "T18": ("no_matter", "forced", "no_way_out", "straight_back"),
    "T21": ("may", "must"),
    "T30": ("no", "yes"),
    "T31": ("anyhow", "one_each"),
}


@dataclass(frozen=True)
class Setup:  # R1
    done: int  # boats put on Tonga


@dataclass(frozen=True)
class TurnStart:  # R2
    pass


@dataclass(frozen=True)
class Fetch:  # R3: nothing is at hand
    isle: str


@dataclass(frozen=True)
class Add:  # R3
    isle: str
    due: int


@dataclass(frozen=True)
class ComeBack:  # R4
    left: int  # boats still to put on Tonga
    first: Beach | None = None  # the beach that had the first


@dataclass(frozen=True)
class Depart:  # R7
    pass


@dataclass(frozen=True)
class Explore:  # R8: a group waits for the card beyond a port
    group: tuple[str, ...]
    origin: str
    port: Port


@dataclass(frozen=True)
class Land:  # R9
    group: tuple[str, ...]  # still afloat
    isle: str
    waiting: tuple[Beach, ...]  # the beaches that must get a boat first


@dataclass(frozen=True)
class TurnCards:  # R10
    anew: bool  # whether a boat will be put on the island that comes (R6) or not (R12)


@dataclass(frozen=True)
class LayCard:  # R10
    card: str
    anew: bool


@dataclass(frozen=True)
class NewShore:  # R6
    isle: str


@dataclass(frozen=True)
class Over:  # R11
    pass


Choosing = Setup | TurnStart | Fetch | Add | ComeBack | Depart | Land | LayCard | NewShore
Stage = Choosing | Explore | TurnCards | Over
Next = Callable[[], "Model"]


def _show(pair: tuple[str, int]) -> str:
    return f"({pair[0]}, {pair[1]})"


@dataclass(frozen=True)
class Model:
    """One moment of a game. `boats`: beach to colours in the order of COLOURS, bare beaches left out;
    `kings`: royal island to owner; `adrift`: the boats left on the last water card; `fleet`: the boats that
    each player has; `voyages`: how many there have been in this turn."""

    options: Mapping[str, str]
    players: tuple[str, ...]
    mover: str
    stage: Stage
    pile: tuple[str, ...]
    table: Table
    boats: Mapping[Beach, tuple[str, ...]]
    kings: Mapping[str, str]
    adrift: tuple[str, ...]
    fleet: int = FLEET
    voyages: int = 0

    @property
    def kind(self) -> str:
        """What comes next: "decision", "chance" or "end"."""
        if isinstance(self.stage, Over):
            return "end"
        return "chance" if isinstance(self.stage, Explore | TurnCards) else "decision"

    @property
    def actor(self) -> str | None:
        """Who decides."""
        return self.mover if self.kind == "decision" else None

    def actions(self) -> list[str]:
        """The legal actions of a decision."""
        return list(self._moves()) if self.kind == "decision" else []

    def outcomes(self) -> dict[str, int]:
        """Every card in the pile is as likely as any other."""
        return dict.fromkeys(self.pile, 1) if self.kind == "chance" else {}

    def apply(self, text: str) -> Model:
        """The position after an action or an outcome."""
        moves = self._moves()
        if text not in moves:
            raise ValueError(f"not legal here: {text!r}")
        return moves[text]()

    def places(self) -> dict[str, int]:
        """R14: the ranking."""
        best_first = {player: (-self.points(player), *self._tie_break(player)) for player in self.players}
        return {
            player: 1 + sum(other < own for other in best_first.values())
            for player, own in best_first.items()
        }

    def position(self) -> dict[str, object]:
        """Everything on the table."""
        return {
            "mover": self.mover,
            "stage": repr(self.stage),
            "pile": list(self.pile),
            "table": {tile: {"cell": laid.cell, "facing": laid.facing} for tile, laid in self.table.items()},
            "beaches": {_show(beach): list(boats) for beach, boats in self.boats.items()},
            "kings": dict(self.kings),
            "adrift": list(self.adrift),
            "stock": {player: self.stock(player) for player in self.players},
        }

    # Counting

    def points(self, player: str) -> int:
        """R14: the worth of the islands where the player has a boat or a king."""
        return sum(POINTS[isle] for isle in self._present(player))

    def stock(self, player: str) -> int:
        """The boats at hand: all that are neither on the field nor under way."""
        under_way = self.stage.group if isinstance(self.stage, Explore | Land) else ()
        afloat = (*self.adrift, *under_way).count(player)
        return self.fleet - self._on_beaches(player) - self._kings(player) - afloat

    def _present(self, player: str) -> set[str]:
        with_boats = {isle for (isle, _), boats in self.boats.items() if player in boats}
        return with_boats | {isle for isle, owner in self.kings.items() if owner == player}

    def _tie_break(self, player: str) -> tuple[int, int]:
        isles = self._present(player) - (set() if self.options["T4"] == "yes" else {TONGA})
        adrift = self.adrift.count(player) if self.options["T3"] == "yes" else 0
        return -len(isles), self._on_beaches(player) + self._kings(player) + adrift

    def _on_beaches(self, player: str) -> int:
        return sum(boats.count(player) for boats in self.boats.values())

    def _on_the_field(self, player: str) -> int:
        """T8: the boats, kings among them or not."""
        return self._on_beaches(player) + (self._kings(player) if self.options["T8"] == "yes" else 0)

    def _kings(self, player: str) -> int:
        return list(self.kings.values()).count(player)

    def _own(self, player: str, isle: str) -> int:
        return sum(self._at(beach).count(player) for beach in BEACHES[isle])

    def _at(self, beach: Beach) -> tuple[str, ...]:
        return self.boats.get(beach, ())

    def _room(self, beach: Beach) -> int:
        return PLACES[beach] - len(self._at(beach))

    def _islands(self) -> list[str]:
        return [isle for isle in ISLES if isle in self.table]

    def _last_card_has_come(self) -> bool:
        """R11: no island or no water card is left in the pile."""
        kinds = {card in POINTS for card in self.pile}
        return len(kinds) < 2

    # Moving boats

    def _put(self, colour: str, beach: Beach) -> Model:
        boats = sorted((*self._at(beach), colour), key=COLOURS.index)
        return replace(self, boats={**self.boats, beach: tuple(boats)})

    def _take(self, colour: str, beach: Beach) -> Model:
        boats = list(self._at(beach))
        boats.remove(colour)
        rest = {**self.boats, beach: tuple(boats)}
        return replace(self, boats={place: there for place, there in rest.items() if there})

    def _without(self, beaches: list[Beach]) -> Model:
        return replace(
            self, boats={place: there for place, there in self.boats.items() if place not in beaches}
        )

    # The moves of each stage

    def _moves(self) -> dict[str, Next]:
        match self.stage:
            case Setup():
                return self._setup()
            case TurnStart():
                return self._turn_start()
            case Fetch(isle):
                return self._fetch(isle)
            case Add(isle, due):
                return self._add(isle, due)
            case ComeBack(left, first):
                return self._come_back(left, first)
            case Depart():
                return self._depart()
            case Explore() as voyage:
                return {card: partial(self._explored, voyage, card) for card in self.pile}
            case Land() as landing:
                return self._land(landing)
            case TurnCards(anew):
                return {card: partial(self._turned, card, anew) for card in self.pile}
            case LayCard(card, anew):
                return self._lay_card(card, anew)
            case NewShore(isle):
                return {
                    f"settle({_show(beach)})": partial(self._put(self.mover, beach)._end_turn)
                    for beach in BEACHES[isle]
                }
            case Over():
                return {}

    def _setup(self) -> dict[str, Next]:
        """R1."""
        free = [beach for beach in BEACHES[TONGA] if self._room(beach) >= 2]
        return {f"settle({_show(beach)})": partial(self._settled_at_first, beach) for beach in free}

    def _settled_at_first(self, beach: Beach) -> Model:
        assert isinstance(self.stage, Setup)
        done = self.stage.done + 1
        following: Stage = Setup(done) if done < 2 * len(self.players) else TurnStart()
        return replace(self._put(self.mover, beach), mover=self._next_player(), stage=following)

    def _turn_start(self) -> dict[str, Next]:
        """R2."""
        me = self.mover
        moves: dict[str, Next] = {}
        for isle in self._islands():
            owners = {colour for beach in BEACHES[isle] for colour in self._at(beach)}
            if me in owners:
                moves[f"expand({isle})"] = partial(self._expand, isle)
            if owners == {me} and isle != TONGA and self._kings(me) < 2:
                moves[f"found({isle})"] = partial(self._found, isle)
        back = self._ways_back()
        if not back or self.options["T7"] == "at_will":
            moves["restart"] = self._start_anew
        return moves | back

    def _ways_back(self) -> dict[str, Next]:
        """R4: for a player without a boat on the field."""
        me = self.mover
        moves: dict[str, Next] = {}
        if not self._on_the_field(me):
            if TONGA in self.table and self._room_for_two() and self.stock(me) >= 2:
                moves["two_on_tonga"] = partial(replace, self, stage=ComeBack(2))
            for beach in PLACES:
                isle = beach[0]
                if isle != TONGA and isle in self.table and isle not in self.kings and self._room(beach):
                    moves[f"one_on({_show(beach)})"] = partial(self._put(me, beach)._voyages)
        return moves

    def _expand(self, isle: str) -> Model:
        """R3: where no place is free nothing is added."""
        if not any(self._room(beach) for beach in BEACHES[isle]):
            return self._voyages()
        at_hand = self.stock(self.mover)
        if at_hand == 0:
            return replace(self, stage=Fetch(isle))
        due = min(self._own(self.mover, isle), len(BEACHES[isle]), at_hand)
        return replace(self, stage=Add(isle, due))

    def _fetch(self, isle: str) -> dict[str, Next]:
        """R3: one boat from another island, or none."""
        elsewhere = [b for b, boats in self.boats.items() if self.mover in boats and b[0] != isle]
        moves: dict[str, Next] = {"pass": self._voyages}
        for beach in elsewhere:
            fetched = self._take(self.mover, beach)
            moves[f"fetch({_show(beach)})"] = partial(replace, fetched, stage=Add(isle, 1))
        return moves

    def _add(self, isle: str, due: int) -> dict[str, Next]:
        """R3: the new boats go to different beaches that have room."""
        free = [beach for beach in BEACHES[isle] if self._room(beach)]
        most = min(due, len(free))
        least = most if self.options["T12"] == "full" else 1
        chosen = [some for number in range(least, most + 1) for some in combinations(free, number)]
        return {
            f"add({{{', '.join(_show(beach) for beach in some)}}})": partial(self._added, some)
            for some in chosen
        }

    def _added(self, beaches: tuple[Beach, ...]) -> Model:
        model = self
        for beach in beaches:
            model = model._put(self.mover, beach)
        return model._voyages()

    def _room_for_two(self) -> bool:
        rooms = [self._room(beach) for beach in BEACHES[TONGA]]
        return sum(rooms if self.options["T9"] == "yes" else map(bool, rooms)) >= 2

    def _come_back(self, left: int, first: Beach | None) -> dict[str, Next]:
        """R4: two boats to Tonga."""
        barred = first if self.options["T9"] == "no" else None
        free = [beach for beach in BEACHES[TONGA] if self._room(beach) and beach != barred]
        moves: dict[str, Next] = {}
        for beach in free:
            put = self._put(self.mover, beach)
            one_more = partial(replace, put, stage=ComeBack(1, beach))
            moves[f"settle({_show(beach)})"] = one_more if left == 2 else put._voyages
        return moves

    def _found(self, isle: str) -> Model:
        """R5."""
        bare = self._without(BEACHES[isle])
        return replace(bare, kings={**self.kings, isle: self.mover})._end_turn()

    def _start_anew(self) -> Model:
        """R6."""
        own = [(beach, boats.count(self.mover)) for beach, boats in self.boats.items()]
        model = self
        for beach, number in own:
            for _ in range(number):
                model = model._take(self.mover, beach)
        return model._turn_cards(anew=True)

    # Voyages

    def _voyages(self) -> Model:
        """R7: sail on, or end the turn."""
        return replace(self, stage=Depart()) if self._departures() else self._end_turn()

    def _way(self, jetty: Port) -> Way:
        """Where a jetty leads; the numbers stop only the boats that lie ready on a full beach."""
        beach = JETTIES[jetty]
        colours = len(COLOURS) if self._room(beach) else len(set(self._at(beach)))
        return follow(self.table, jetty, colours)

    def _leads_to(self, jetty: Port) -> str | None:
        """R12, R13: the island at which the boats of a jetty would land, if the table shows it."""
        way = self._way(jetty)
        if not isinstance(way, Landfall):
            return None
        return jetty[0] if way.isle in self.kings else way.isle

    def _waits(self, jetty: Port) -> bool:
        """R12: whether the boats of a jetty lie ready and have to stay."""
        return not self._room(JETTIES[jetty]) and not self._may_sail(jetty)

    def _circle(self, isle: str) -> set[str]:
        """R12: the islands within which all ways from this one stay; none if a way leads out."""
        found, todo = {isle}, [isle]
        while todo:
            here = todo.pop()
            for jetty in JETTIES:
                if jetty[0] != here or self._waits(jetty):
                    continue
                ends = self._leads_to(jetty)
                if ends is None:
                    return set()
                if ends not in found:
                    found.add(ends)
                    todo.append(ends)
        return found

    def _endless(self, isle: str) -> set[str]:
        """R12: the islands to be struck when the mover tries to leave this one, if any."""
        reading, circle = self.options["T18"], self._circle(isle)
        if reading == "no_matter":
            return set()
        if reading == "no_way_out" or self.voyages >= VOYAGES:
            return circle
        alone = circle == {isle} and (reading == "straight_back" or self._hopeless(isle))
        return circle if alone else set()

    def _leads_back(self, jetty: Port) -> bool:
        """R13."""
        ends = self._leads_to(jetty)
        if ends is None or ends == jetty[0]:
            return ends is not None
        return self.options["T18"] in ("no_way_out", "forced") and bool(self._circle(ends))

    def _hopeless(self, isle: str) -> bool:
        """R12: the boats of an island that leads only to itself can never rest, wherever they land."""
        boats = tuple(len(self._at(beach)) for beach in BEACHES[isle])
        return not self._last_card_has_come() and not can_rest(
            isle, boats, self.options["T14"] == "empty", self.options["T31"] == "anyhow"
        )

    def _departures(self) -> list[Port]:
        """R7, R11 and T1, R13: the jetties from which a group may leave."""
        ready = [
            jetty
            for jetty, beach in JETTIES.items()
            if jetty[0] in self.table and not self._room(beach) and self._may_sail(jetty)
        ]
        back = {jetty for jetty in ready if self._leads_back(jetty)}
        onward = {isle for isle, edge in ready if (isle, edge) not in back}
        return [jetty for jetty in ready if jetty not in back or jetty[0] not in onward]

    def _may_sail(self, jetty: Port) -> bool:
        """R11: after the last card of a kind T1 decides."""
        if not self._last_card_has_come():
            return True
        if self.options["T1"] == "nowhere":
            return False
        needs_a_card = isinstance(self._way(jetty), OpenSea)
        return not needs_a_card or (self.options["T1"] == "on" and bool(self.pile))

    def _depart(self) -> dict[str, Next]:
        """R7."""
        moves: dict[str, Next] = {
            f"emigrate({_show(jetty)})": partial(self._departed, jetty) for jetty in self._departures()
        }
        if self.options["T21"] == "may":
            moves["pass"] = self._end_turn
        return moves

    def _departed(self, jetty: Port) -> Model:
        endless = self._endless(jetty[0])
        if endless:
            return self._struck(endless)
        beach = JETTIES[jetty]
        model = replace(self._without([beach]), voyages=self.voyages + 1)
        return model._sail(self._at(beach), jetty[0], jetty)

    def _struck(self, isles: set[str]) -> Model:
        """R12."""
        bare = self._without([beach for isle in isles for beach in BEACHES[isle]])
        model = replace(bare, table={tile: laid for tile, laid in self.table.items() if tile not in isles})
        if model._on_the_field(self.mover) == 0 or not model._islands():
            return model._turn_cards(anew=False)
        return model._voyages()

    def _sail(self, group: tuple[str, ...], origin: str, port: Port) -> Model:
        """R8: over the cards that lie; a group that founders goes home."""
        match follow(self.table, port, len(set(group))):
            case OpenSea(end):
                return replace(self, stage=Explore(group, origin, end))
            case Landfall(isle):
                return self._arrive(group, origin if isle in self.kings else isle)
            case Wreck():
                return replace(self, stage=Depart())._voyages()

    def _explored(self, voyage: Explore, card: str) -> Model:
        """R8: the card drawn; R11: the last water card keeps a group that passes it."""
        pile = tuple(left for left in self.pile if left != card)
        model = replace(self, pile=pile, table=lay(self.table, card, voyage.port), stage=Depart())
        last_water = card in WATERS and not any(left in WATERS for left in pile)
        if last_water and ROUTES[card, 0][1] <= len(set(voyage.group)):
            return replace(model, adrift=voyage.group)._voyages()
        return model._sail(voyage.group, voyage.origin, voyage.port)

    def _arrive(self, group: tuple[str, ...], isle: str) -> Model:
        """R9, T14 and T31: the beaches that must get a boat first."""
        some_place = self.options["T14"] == "some_place"
        waiting = [b for b in BEACHES[isle] if (self._room(b) if some_place else not self._at(b))]
        if len(group) < len(waiting) and self.options["T31"] == "anyhow":
            waiting = []
        return self._landing(Land(group, isle, tuple(waiting)))

    def _landing(self, landing: Land) -> Model:
        """R9: on while boats and places are left."""
        if landing.group and any(self._room(beach) for beach in BEACHES[landing.isle]):
            return replace(self, stage=landing)
        return replace(self, stage=Depart())._voyages()

    def _land(self, landing: Land) -> dict[str, Next]:
        """R9: one boat."""
        free = landing.waiting or [beach for beach in BEACHES[landing.isle] if self._room(beach)]
        moves: dict[str, Next] = {}
        for colour in Counter(landing.group):
            for beach in free:
                rest = list(landing.group)
                rest.remove(colour)
                waiting = tuple(other for other in landing.waiting if other != beach)
                after = Land(tuple(rest), landing.isle, waiting)
                moves[f"land({colour}, {_show(beach)})"] = partial(self._put(colour, beach)._landing, after)
        return moves

    # Turning cards, and the end of a turn

    def _turn_cards(self, anew: bool) -> Model:
        """R10: none is turned after the last island, nor after the last water by T30 `no`."""
        islands = any(card in POINTS for card in self.pile)
        more = islands and (self.options["T30"] == "yes" or not self._last_card_has_come())
        return replace(self, stage=TurnCards(anew)) if more else self._end_turn()

    def _turned(self, card: str, anew: bool) -> Model:
        model = replace(self, pile=tuple(left for left in self.pile if left != card))
        if self.table:
            return replace(model, stage=LayCard(card, anew))
        return replace(model, table={card: Laid((0, 0), 0)})._card_lies(card, anew)

    def _lay_card(self, card: str, anew: bool) -> dict[str, Next]:
        """R10: beside any card on the table."""
        sides = [(tile, edge) for tile in self.table for edge in range(6)]
        return {
            f"lay_at({_show(side)})": partial(
                replace(self, table=lay(self.table, card, side))._card_lies, card, anew
            )
            for side in sides
            if neighbour(self.table, side) is None
        }

    def _card_lies(self, card: str, anew: bool) -> Model:
        if card in WATERS:
            return self._turn_cards(anew)
        return replace(self, stage=NewShore(card)) if anew else self._end_turn()

    def _next_player(self) -> str:
        return self.players[(self.players.index(self.mover) + 1) % len(self.players)]

    def _end_turn(self) -> Model:
        """R11."""
        if self._last_card_has_come():
            return replace(self, stage=Over())
        return replace(self, mover=self._next_player(), stage=TurnStart(), voyages=0)


def initial(players: int, **options: str | int) -> Model:
    """Tonga on the table, blue about to put his first boat (R1). `boats_each` is a number."""
    fleet = int(options.pop("boats_each", FLEET))
    chosen = {name: answers[-1] for name, answers in OPTIONS.items()}
    chosen |= {name: str(answer) for name, answer in options.items()}
    for name, answer in chosen.items():
        if name not in OPTIONS or answer not in OPTIONS[name]:
            raise ValueError(f"no such option: {name} = {answer!r}")
    if not 2 <= players <= 6:
        raise ValueError(f"not a number of players: {players}")
    colours = COLOURS[:players]
    pile = BOXES[chosen["cards"]]
    return Model(chosen, colours, colours[0], Setup(0), pile, {TONGA: Laid((0, 0), 0)}, {}, {}, (), fleet)
