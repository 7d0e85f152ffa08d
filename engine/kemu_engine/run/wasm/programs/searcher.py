"""Monte-Carlo tree search by WebAssembly."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.rng import Stream
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.kernel.stop import Stop
from kemu_engine.kernel.values import Cells
from kemu_engine.opt.sets.mask_arrays import values
from kemu_engine.run.wasm.asm.runtime import Running, TooLong, needed
from kemu_engine.run.wasm.emit.histories import odd
from kemu_engine.run.wasm.emit.layout import BITS, WORD, Log, Slot, packed, pieces, words
from kemu_engine.run.wasm.programs import mcts
from kemu_engine.run.wasm.programs.mcts import Treeing, treeing
from kemu_engine.run.wasm.programs.player import signed

MEMORY = 1 << 30
"""Bytes of memory that a tree may take, if nothing else is said."""

SURELY = 1e30
"""What a way is worth that the next game is to go."""

Told = tuple[int, float, float, float]
"""Of a way to go on: in how many games it was chosen, what they brought the player who chooses on the
average, from 0 to 1, and bounds of that which are proved."""


class Searcher:
    """A search at work. `scale`: the least and the greatest payoff, for a game that pays. Raises NotCovered,
    NotInstalled."""

    def __init__(self, program: k.Program, scale: tuple[float, float] = (0, 1), memory: int = MEMORY) -> None:
        needed()
        self.program = program
        self._made = made = treeing(program, memory)
        self._running = Running(made.binary)
        self._write(made.scale, struct.pack("<dd", scale[0], 1 / (scale[1] - scale[0])))
        self.explore(0.7)
        self._write(made.patience, struct.pack("<ii", 1, int(made.zero_sum)))
        self._player = -1

    def explore(self, wide: float) -> None:
        """How much is explored: the factor of what is uncertain of a move (UCT)."""
        self._write(self._made.wide, struct.pack("<d", wide))

    def begin(self, stop: Stop, seed: int, number: int = 0, tree: int = 0) -> bool:
        """A new tree, from a stop that is no end; `number`: which of the searches of a seed; `tree`: which of
        those that grow side by side. False if the rules break down there, or go on too long. Raises
        TooLong."""
        made = self._made
        self._put(stop)
        self._streams(seed, number, tree)
        self._player = stop.actor
        return bool(self._running.call("begin", made.steps.stops.index(stop.block)) >= 0)

    def search(self, games: int, longest: int) -> int:
        """Plays so many games, each cut off after so many decisions; how many it has played: fewer if all is
        proved. Raises TooLong."""
        return int(self._running.call("search", signed(games), longest))

    def played(self, stop: Stop, longest: int) -> list[float]:
        """What a random game from a stop that is no end brings each player, from 0 to 1. Raises TooLong."""
        made = self._made
        self._put(stop)
        self._running.call("played", made.steps.stops.index(stop.block), longest)
        players = len(self.program.players)
        return [*struct.unpack(f"<{players}d", self._running.read(made.gain, 8 * players))]

    def seed(self, seed: int, number: int) -> None:
        """From which random numbers these games are drawn; `number`: which of the searches of a seed."""
        self._streams(seed, number, 0)

    def _streams(self, seed: int, number: int, tree: int) -> None:
        streams = [Stream(seed, number, 3 * tree + stream) for stream in range(3)]
        self._write(self._made.streams, b"".join(each.key.to_bytes(8, "little") for each in streams))

    @property
    def full(self) -> bool:
        """Whether memory does not suffice for the tree."""
        return self._running.read(self._made.full, 4) != bytes(4)

    def branches(self) -> list[Told]:
        """The ways to go on from the root, in the order of the choices at the stop."""
        return [self._told(each) for each in self._children(self._made.root)]

    def untried(self, number: int) -> list[int]:
        """The ways to go on after one from the root, if it leads to another player's choice, that no game has
        gone; none where nothing can be proved of them."""
        node = self._child(self._made.root, number)
        (actor,) = struct.unpack("<i", self._running.read(node + mcts.ACTOR, 4))
        if not self._made.zero_sum or actor in (-1, self._player):
            return []
        visits = (struct.unpack_from("<i", each, mcts.VISITS)[0] for each in self._children(node))
        return [way for way, often in enumerate(visits) if not often]

    def through(self, number: int, way: int, longest: int) -> int:
        """One game that goes on from the root like that, if it is not proved what the first of these steps is
        worth; how many were played. Raises TooLong."""
        node = self._child(self._made.root, number)
        low, high = struct.unpack("<dd", self._running.read(node + mcts.LOW, 16))
        if low == high:  # what is said of it stays
            return 0
        for parent, child in ((self._made.root, number), (node, way)):
            self._write(self._kids(parent)[0] + mcts.HOT * child, struct.pack("<f", SURELY))
        return self.search(1, longest)

    def _child(self, node: int, number: int) -> int:
        at, count = self._kids(node)
        return at + mcts.HOT * count + number * self._made.cold

    def _kids(self, node: int) -> tuple[int, int]:
        """Where what is known of a node's children begins, and how many there are; none before it was
        expanded."""
        at, count = struct.unpack("<ii", self._running.read(node, 8))
        return at, count if at else 0

    def _children(self, node: int) -> list[bytes]:
        """What is known of each."""
        at, count = self._kids(node)
        data = self._running.read(at + mcts.HOT * count, self._made.cold * count)
        return [data[start : start + self._made.cold] for start in range(0, len(data), self._made.cold)]

    def _told(self, node: bytes) -> Told:
        visits, total, low, high = struct.unpack_from("<i12xddd", node, mcts.VISITS)
        if self._player == 1:
            low, high = 1 - high, 1 - low
        return visits, low if low == high else total / visits if visits else 0.5, low, high

    def _put(self, stop: Stop) -> None:
        """Has play stand there."""
        self._write(self._made.position.at, position(self.program, self._made, stop))
        for at, log in self._made.logs.items():
            history = stop.vars[at]
            assert isinstance(history, Snapshots)
            hashes, rows = noted(self._made, self.program.vars[at], log, history)
            self._write(log.hashes.at, hashes)
            self._write(log.snapshots, rows)

    def _write(self, at: int, data: bytes) -> None:
        self._running.view(at, len(data))[:] = data


def position(program: k.Program, made: Treeing, stop: Stop) -> bytes:
    """A stop as it lies in the module's memory."""
    out = bytearray(made.position.size)

    def put(at: int, data: bytes) -> None:
        out[at - made.position.at : at - made.position.at + len(data)] = data

    for number, (slot, cells) in enumerate(zip(made.slots, stop.vars, strict=True)):
        if isinstance(cells, Snapshots):
            hashes = made.logs[number].hashes
            put(slot.at, struct.pack("<II", hashes.at, hashes.at + WORD.size * len(cells)))
        else:
            _variable(slot, cells, put)
    at = made.held
    for local, value in zip(program.blocks[stop.block].live, stop.locals, strict=True):
        count = words(program.locals[local].type)
        rest = pieces(int(value), count) if count > 1 else [int(value) & (1 << BITS) - 1]
        put(at, b"".join(each.to_bytes(8, "little") for each in rest))
        at += 8 * count
    number = made.steps.stops.index(stop.block)
    put(made.position.at + made.position.size - 16, struct.pack("<ii", number, stop.actor))
    return bytes(out)


def noted(made: Treeing, var: k.Var, log: Log, history: Snapshots) -> tuple[bytes, bytes]:
    """A history as it lies in the module's memory: the hashes of its snapshots, and those (histories.py).
    Raises TooLong if there are too many."""
    if WORD.size * len(history) > log.hashes.size:
        raise TooLong
    assert isinstance(var.type, k.History)
    slots = [made.slots[at] for at in var.type.vars]
    hashes, rows, image = bytearray(), bytearray(), bytearray(made.position.size + WORD.size)

    def put(at: int, data: bytes) -> None:
        image[at - made.position.at : at - made.position.at + len(data)] = data

    for snapshot, times in history.items():
        for slot, cells in zip(slots, snapshot, strict=True):
            _variable(slot, cells, put)
        words_ = [
            int.from_bytes(image[at - made.position.at :][: WORD.size], "little") & bits
            for at, bits in log.pieces
        ]
        sum_ = sum(word * odd(number) for number, word in enumerate(words_)) & (1 << BITS) - 1
        hashes += times * sum_.to_bytes(WORD.size, "little")
        rows += times * b"".join(word.to_bytes(WORD.size, "little") for word in words_)
    return bytes(hashes), bytes(rows)


def _variable(slot: Slot, cells: Cells, put: object) -> None:
    items: Sequence[int] = cells if isinstance(cells, tuple) else (cells,)  # type: ignore[assignment]
    put(slot.at, packed(slot.var.type, tuple(items)))  # type: ignore[operator]
    if slot.masks >= 0:
        for number, value in enumerate(values(slot.var.type)):
            mask = sum(1 << at for at, item in enumerate(items) if item == value)
            put(slot.masks + number * slot.row, mask.to_bytes(slot.row, "little"))  # type: ignore[operator]
