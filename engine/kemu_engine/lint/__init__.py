"""Lints: claims that can say nothing, names that nothing uses."""
