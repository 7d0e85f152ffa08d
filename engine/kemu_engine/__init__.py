"""Runs: a checked game and its options to a program, its states and its actions."""
