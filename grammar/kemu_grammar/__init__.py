"""Reading: source text -> syntax tree -> checked game, with diagnostics. Knows no other room."""
