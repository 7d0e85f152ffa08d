"""The symbolic reading of a kernel program: terms, values, expressions, statements, steps."""
