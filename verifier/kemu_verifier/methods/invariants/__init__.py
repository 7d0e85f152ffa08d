"""Methods that prove invariants: induction, templates, property-directed reachability."""
