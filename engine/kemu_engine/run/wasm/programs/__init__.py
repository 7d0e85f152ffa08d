"""Whole modules: random games, all states, many games side by side, ways to play."""
