"""What ends a look that takes too long."""


class TooLarge(Exception):
    """More than the checker is willing to look at: what was asked stays open."""


class OutOfTime(TooLarge):
    """The time for the whole is over."""
