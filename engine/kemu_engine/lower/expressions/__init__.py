"""Lowering of expressions, of functions among them."""
