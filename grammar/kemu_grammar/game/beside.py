"""What may lie beside a rules file."""

PROOFS = "proofs.kemu"
"""The claims about the game; the file says `proves "rules-file.kemu"`."""
