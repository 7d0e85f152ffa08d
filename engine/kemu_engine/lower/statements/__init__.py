"""Lowering of statements: straight-line code, and the control-flow graph between stops."""
