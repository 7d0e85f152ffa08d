"""A small checker of bundles: what a proof says is shown again, by other code than found it (docs/evidence.md)."""
