"""Proves: a program and a property to a verdict with its evidence."""
