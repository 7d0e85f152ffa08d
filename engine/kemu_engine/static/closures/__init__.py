"""Expressions and statements as closures: each is looked at once, and run as often as it is asked for."""
