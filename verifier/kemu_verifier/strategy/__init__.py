"""Which method is tried when, and for how long."""
