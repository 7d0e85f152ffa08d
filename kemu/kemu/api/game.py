"""Games and their states: who may do what, and what follows, by text or by number."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any
from weakref import WeakValueDictionary

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import Catalogue
from kemu_engine.kernel.stop import Stop
from kemu_engine.play import game as engine
from kemu_engine.play import state as positions
from kemu_engine.play.information import InformationState, way
from kemu_engine.play.state import IllegalAction, Result
from kemu_engine.support.stack import deep

from kemu.api.action import Action
from kemu.base.words import counted

TOLD = 3
"""How many settings of a game its `repr` shows."""


class Game:
    """An instance of a game: rules with all options fixed. `kemu.load` makes one.

    Games are equal if their rules mean the same under the same names. They can be pickled and copied.
    """

    def __init__(self, playable: engine.Game) -> None:
        self._playable = playable

    @property
    def title(self) -> str:
        """The game's name, as the rules file gives it."""
        return self._playable.title

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, in the order of their seats."""
        return self._playable.players

    @property
    def settings(self) -> dict[str, str]:
        """Options, edition and readings, in the order of their declaration."""
        return self._playable.settings

    @cached_property
    def hash(self) -> str:
        """The same for the same rules under the same names, on every machine."""
        return self._playable.hash

    def initial(self) -> State:
        """The state in which a game begins. Raises FaultError if the rules break down on the way to it."""
        return State(self, self._playable.initial())

    def state(self, json: object) -> State:
        """The state that `State.to_json` wrote. Raises StateError for anything else, states of other rules
        included."""
        return State(self, self._playable.state(json))

    @property
    def action_count(self) -> int:
        """How many actions the game knows; their numbers are 0 up to this, the same in every run."""
        return self._catalogue.size

    def action(self, number: int) -> Action:
        """The action of that number, whether it is legal anywhere or not. Raises IndexError."""
        if not 0 <= number < self.action_count:
            raise IndexError(f"there is no action number {number}: {self._numbering()}")
        return self._actions(number)

    @cached_property
    def _actions(self) -> Callable[[int], Action]:
        """The action of a number; the same one again if it was made not long ago."""
        catalogue, domains = self._catalogue, self._playable.program.domains

        @lru_cache(1 << 16)
        def made(number: int) -> Action:
            range_, values = catalogue.at(number)
            return Action(number, range_.name, tuple(domains[each].texts for each in range_.domains), values)

        return made

    def _numbering(self) -> str:
        return f"{self.title} has {self.action_count}, numbered from 0"

    @cached_property
    def _catalogue(self) -> Catalogue:
        return Catalogue(self._playable.program)

    def __repr__(self) -> str:
        told = [f"{name}={value}" for name, value in self.settings.items()]
        more = [f"{len(told) - TOLD} more settings"] if len(told) > TOLD + 1 else told[TOLD:]
        return (
            f"<Game {self.title}: {', '.join([counted(len(self.players), 'player'), *told[:TOLD], *more])}>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self is other or self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: object) -> Game:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        with deep():
            program = pickle.dumps(self._playable.program, pickle.HIGHEST_PROTOCOL)
        return _unpickled, (self.hash, program)


_at_hand: WeakValueDictionary[str, Game] = WeakValueDictionary()
"""Games that came out of a pickle, by hash: all states that come from another process share theirs."""


def _unpickled(hash: str, program: bytes) -> Game:
    game = _at_hand.get(hash)
    if game is None:
        with deep():
            game = _at_hand[hash] = Game(engine.Game(pickle.loads(program)))
    return game


class State:
    """A position: where play waits, and all that matters for the rest of the game. It never changes.

    States are equal if the rest of the game is; they can be keys of dictionaries, pickled and copied.
    `print(state)` writes the board, a notebook draws it. In the engine's words: a stop, its variables and
    live locals.
    """

    __slots__ = ("_game", "_legal", "_position")

    def __init__(self, game: Game, position: positions.State) -> None:
        self._game, self._position = game, position
        self._legal: tuple[int, ...] | None = None

    @property
    def game(self) -> Game:
        """The game that this is a state of."""
        return self._game

    # ---------------------------------------------------------------------------------------- where play is

    @property
    def is_decision(self) -> bool:
        """Whether a player is to act."""
        return self._position.is_decision

    @property
    def is_chance(self) -> bool:
        """Whether chance is to act."""
        return self._position.is_chance

    @property
    def is_end(self) -> bool:
        """Whether the game is over."""
        return self._position.is_end

    @property
    def actor(self) -> str | None:
        """The player who is to act; None where chance is, and at the end."""
        return self._position.actor

    @property
    def player(self) -> int:
        """The place of that player in `game.players`; -1 where chance is to act, and at the end."""
        return self._position.player

    @property
    def label(self) -> str:
        """What the rules call the place where play waits: `place`, `roll`; "end" at the end."""
        return self._position.label

    @property
    def result(self) -> Result | None:
        """How the game ended; None before the end."""
        return self._position.result

    # ---------------------------------------------------------------------------------------- by number

    def legal(self) -> list[int]:
        """The numbers of the legal actions, or of the outcomes that chance may bring; none at the end."""
        return list(self._numbers())

    def mask(self) -> bytes:
        """A byte for each action that the game knows, 1 if it is legal here, else 0; all 0 where no player is
        to act. NumPy reads it by `numpy.frombuffer(state.mask(), "bool")`.

        Raises OverflowError if the game knows too many, as one with long paths does: see `legal()`.
        """
        found = bytearray(self._game._catalogue.row())
        for number in self._numbers() if self.is_decision else ():
            found[number] = 1
        return bytes(found)

    def step(self, number: int) -> State:
        """The state after the action, or the outcome, of that number; this state stays as it is.

        Raises IllegalAction if it is not in `legal()`, FaultError if the rules break down.
        """
        try:
            at = self._numbers().index(number)
        except ValueError:
            if not hasattr(number, "__index__"):
                raise TypeError(f"`step` takes a number, `apply` an action or its text: {number!r}") from None
            raise IllegalAction(self._not_legal(number)) from None
        return self._after(at)

    def _numbers(self) -> tuple[int, ...]:
        if self._legal is None:
            at = self._position
            if at.is_chance:
                self._legal = tuple(choice.values[0] for choice in at.choices)
            else:
                self._legal = self._game._catalogue.numbers(at.block, at.choices)
        return self._legal

    def _not_legal(self, number: int) -> str:
        if self.is_end:
            return f"action {number} is not possible: the game is over"
        if self.is_chance:
            return f"chance cannot bring outcome {number} here; `legal()` lists what it can bring"
        if not 0 <= number < self._game.action_count:
            return f"there is no action {number}: {self._game._numbering()}"
        return f"action {number}, {self._game.action(number)}, is not legal here: `legal()` lists what is"

    # ---------------------------------------------------------------------------------------- by text

    def actions(self) -> tuple[Action, ...]:
        """The legal actions, in the order of `legal()`; none where no player is to act."""
        return self._moves() if self.is_decision else ()

    def outcomes(self) -> tuple[tuple[Action, int], ...]:
        """What chance may bring, in the order of `legal()`, each with its weight, a positive integer; nothing
        where chance is not to act."""
        if not self.is_chance:
            return ()
        return tuple(zip(self._moves(), (each.weight for each in self._position.choices), strict=True))

    def apply(self, action: Action | str) -> State:
        """The state after an action or outcome, given as itself or as its text; this state stays as it is.

        Raises IllegalAction if it is not possible here, FaultError if the rules break down.
        """
        if isinstance(action, Action) and action.number in self._numbers():
            at = self._numbers().index(action.number)
            if self._move(at) == action:
                return self._after(at)
        return self._after(self._position.index(str(action)))

    def _moves(self) -> tuple[Action, ...]:
        return tuple(self._move(at) for at in range(len(self._position.choices)))

    def _move(self, at: int) -> Action:
        stop, number = self._position.stop, self._numbers()[at]
        if isinstance(stop, k.Chance):
            return Action(number, self._position.program.domains[stop.domain].texts[number])
        return self._game._actions(number)

    def _after(self, at: int) -> State:
        return State(self._game, self._position.follow(at))

    # ---------------------------------------------------------------------------------------- what it holds

    def __getitem__(self, name: str) -> Any:
        """A state variable in readable form: text, integer, truth, list (a set), or {label: such} (an array).

        Raises KeyError for a name that no variable has.
        """
        return self._position.value(name)

    def observation(self, player: str) -> dict[str, Any]:
        """What a player sees now, as JSON: where play is, who decides among which actions, and the state
        variables of the rules file, "?" for what he does not see. Raises ValueError for a name that no player
        has.
        """
        return self._position.observation(player)

    def information_state(self, player: str) -> InformationState:
        """All that a player has seen and was told, in order, from where the past of this state begins: with
        the game, if it was played from there. `str(...)` is its text, `.to_json()` its data, and it can be
        the key of a dictionary. Raises ValueError for a name that no player has.
        """
        return self._position.information_state(player)

    def to_json(self) -> dict[str, Any]:
        """The whole state as plain data, for the json module to write and `Game.state` to read back."""
        return self._position.to_json()

    def __str__(self) -> str:
        from kemu.render.playthrough import drawing

        return "\n".join(drawing(self._position))

    def _repr_svg_(self) -> str:
        from kemu.render.scene.scene import scene
        from kemu.render.scene.svg import svg

        return svg(scene(self._position))

    def __repr__(self) -> str:
        if self.is_end:
            return f"<State of {self._game.title}: the end>"
        kind = "outcomes" if self.is_chance else "actions"
        who = self.actor or "chance"
        return f"<State of {self._game.title}: {who} at {self.label}, {len(self._numbers())} {kind}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._position == other._position

    def __hash__(self) -> int:
        return hash(self._position)

    def __copy__(self) -> State:
        return self

    def __deepcopy__(self, memo: object) -> State:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        at = self._position
        stops = () if at.past is None else tuple(map(_plain, at.past.stops()))
        return _stood, (self._game, stops, at.block, at.vars, at.locals, at.player, at.choices)


def _plain(stop: Stop) -> tuple[Any, ...]:
    return stop.block, stop.vars, stop.locals, stop.actor, stop.choices


def _stood(game: Game, stops: Sequence[Any], *stop: Any) -> State:
    past = way([Stop(*each) for each in stops])
    return State(game, positions.State.at(game._playable.machine, Stop(*stop), past))
