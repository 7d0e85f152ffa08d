"""What a stranger needs to check verdicts without us."""
