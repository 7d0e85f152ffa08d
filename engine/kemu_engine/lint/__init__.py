"""Lints: claims that can say nothing."""
