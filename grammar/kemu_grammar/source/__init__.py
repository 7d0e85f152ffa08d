"""The text and what is said about it: places, keywords, kinds, diagnostics."""
