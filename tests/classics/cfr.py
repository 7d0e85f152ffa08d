"""Counterfactual regret minimisation (CFR+: Tammelin 2014), over the information states of the engine.

Zinkevich, Johanson, Bowling, Piccione 2007, "Regret Minimization in Games with Incomplete Information".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kemu_engine.play.state import State


@dataclass(slots=True)
class Known:
    """What a player does where he knows this: regrets of his actions, and the sum of his strategies."""

    regrets: list[float]
    strategies: list[float]
    gained: list[float] = field(default_factory=list)
    strategy: list[float] = field(default_factory=list)

    def decide(self) -> None:
        """Plays by the regrets, until it is called again."""
        total = sum(self.regrets)
        even = [1 / len(self.regrets)] * len(self.regrets)
        self.strategy = [r / total for r in self.regrets] if total else even

    def average(self) -> list[float]:
        total = sum(self.strategies)
        return [s / total for s in self.strategies] if total else self.strategy


@dataclass(slots=True)
class Node:
    """A history: who is to act (-1: chance, or nobody at an end), what follows, what he knows."""

    player: int
    children: list[Node]
    weights: list[float]
    known: Known | None
    payoff: float = 0


class Tree:
    """All histories of a game of two, for sums that are zero."""

    def __init__(self, start: State) -> None:
        self.known: list[dict[str, Known]] = [{}, {}]
        self.root = self._node(start)

    def _node(self, state: State) -> Node:
        if state.result:
            return Node(-1, [], [], None, state.result.payoffs[state.program.players[0]])
        children = [self._node(state.follow(at)) for at in range(len(state.choices))]
        if state.actor is None:
            total = sum(choice.weight for choice in state.choices)
            return Node(-1, children, [choice.weight / total for choice in state.choices], None)
        number = len(children)
        told = str(state.information_state(state.actor))
        known = self.known[state.player].setdefault(told, Known([0.0] * number, [0.0] * number))
        return Node(state.player, children, [], known)

    def value(self, rounds: int) -> float:
        """What the first player wins by the average strategies after so many rounds."""
        for turn in range(rounds):
            for player in (0, 1):
                for known in (*self.known[0].values(), *self.known[1].values()):
                    known.decide()
                self._learn(self.root, player, 1.0, 1.0, turn + 1)
                for known in self.known[player].values():
                    if known.gained:
                        known.regrets = [
                            max(0.0, r + g) for r, g in zip(known.regrets, known.gained, strict=True)
                        ]
                        known.gained = []
        return self._expected(self.root)

    def _learn(self, node: Node, player: int, own: float, others: float, weight: int) -> float:
        """What the player wins from here on; his regrets grow by what he could have won more."""
        if not node.children:
            return node.payoff if player == 0 else -node.payoff
        if node.known is None:
            pairs = zip(node.children, node.weights, strict=True)
            return sum(w * self._learn(child, player, own, others * w, weight) for child, w in pairs)
        strategy, known = node.known.strategy, node.known
        if node.player != player:
            pairs = zip(node.children, strategy, strict=True)
            return sum(s * self._learn(child, player, own, others * s, weight) for child, s in pairs if s)
        values = [
            self._learn(child, player, own * s, others, weight)
            for child, s in zip(node.children, strategy, strict=True)
        ]
        value = sum(s * v for s, v in zip(strategy, values, strict=True))
        before = known.gained or [0.0] * len(values)
        known.gained = [g + others * (v - value) for g, v in zip(before, values, strict=True)]
        known.strategies = [t + weight * own * s for t, s in zip(known.strategies, strategy, strict=True)]
        return value

    def _expected(self, node: Node) -> float:
        if not node.children:
            return node.payoff
        shares = node.weights if node.known is None else node.known.average()
        return sum(share * self._expected(child) for child, share in zip(node.children, shares, strict=True))
