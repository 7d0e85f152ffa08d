"""Small integers as another one and a little more: sums of them stay short where a step adds one to some."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kemu_checker.sums import Sum, added
from kemu_checker.symbols import Truth
from kemu_checker.terms import Terms

_MORE = 8  # terms of what is more
_PICKS = 64  # integers among which one is picked


@dataclass(frozen=True, slots=True)
class Form:
    """The integer whose condition holds (exactly one does), and `more`."""

    picks: tuple[tuple[Truth, Any], ...]
    more: Sum


def formed(value: Any, form: Callable[[], Form | None]) -> Any:
    """The value with its form, if it is an integer with few values."""
    if hasattr(value, "form"):
        value.form = form()
    return value


def form_of(value: Any) -> Form | None:
    """The form of an integer; none of a number."""
    if not hasattr(value, "form"):
        return None
    return value.form or Form(((1, value),), Sum(0, {}))


def moved(one: Any, other: Any, factor: int) -> Form | None:
    """That of one and a multiple of a number."""
    if type(one) is int and factor == 1:
        one, other = other, one
    form = form_of(one)
    if form is None or type(other) is not int:
        return None
    return Form(form.picks, added(form.more, Sum(other, {}), factor))


def picked(found: list[tuple[Truth, Any]]) -> Form | None:
    """That of the integer whose condition holds: of those that are themselves."""
    if len(found) > _PICKS or not all(hasattr(each, "form") and each.form is None for _, each in found):
        return None
    return Form(tuple(found), Sum(0, {}))


def either(terms: Terms, test: Truth, then: Any, other: Any) -> Form | None:
    """That of `then` if the test holds, else of `other`: if both are the same and more."""
    first, second = _under(form_of(then), test), _under(form_of(other), terms.negate(test))
    if first is None or second is None or first.picks[0][1] is not second.picks[0][1]:
        return None
    more = added(second.more, terms.gated(test, added(first.more, second.more, -1)))
    return Form(first.picks, more) if len(more.atoms) <= _MORE else None


def _under(form: Form | None, test: Truth) -> Form | None:
    """The form where the test holds: of one integer alone."""
    if form is None or len(form.picks) == 1:
        return form
    found = [each for cond, each in form.picks if _follows(test, cond)]
    return Form(((1, found[0]),), form.more) if found else None


def _follows(test: Truth, cond: Truth) -> bool:
    """Whether one is seen at once to hold where the other does."""
    given, wanted = _parts(test), _parts(cond)
    return all(any(_implies(one, each) for one in given) for each in wanted)


def _parts(term: Truth) -> tuple[Any, ...]:
    if type(term) is int:
        return () if term else (term,)
    return term.args if term.kind == "and" else (term,)


def _implies(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is int or type(other) is int or one.kind != "in" or other.kind != "in":
        return False
    return one.args[0] is other.args[0] and one.args[1] & ~other.args[1] == 0
