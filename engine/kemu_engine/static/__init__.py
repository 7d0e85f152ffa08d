"""What is known before play: types, values, tables, and the evaluator of rules that play cannot change."""
