"""A small checker of bundles: what was found is shown again, by other code (docs/evidence.md)."""
