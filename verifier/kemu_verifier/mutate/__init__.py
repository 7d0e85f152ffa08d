"""Mutants: games with one small change in their rules, and which claim or example notices it."""
