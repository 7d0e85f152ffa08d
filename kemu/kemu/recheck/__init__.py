"""Checks a bundle of evidence without the prover: nothing here imports z3, or what proves things."""
