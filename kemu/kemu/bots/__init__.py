"""Players that are programs: what a bot is, and those that come with Kemu (docs/bots.md)."""

from kemu.bots.bot import Bot, Random
from kemu.bots.match import Played, match
from kemu.bots.mcts import MCTS, Line, Thought
from kemu.bots.named import bot

__all__ = ["MCTS", "Bot", "Line", "Played", "Random", "Thought", "bot", "match"]
