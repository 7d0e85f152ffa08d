"""Terms as clauses over numbered literals, as SAT solvers read them."""

from collections.abc import Callable, Iterable

from kemu_checker.sums import Sum, added
from kemu_checker.symbols import Symbol, Term, Truth
from kemu_checker.terms import Terms

_FEW = 4  # of so many it is looked at one by one whether they hold
_LONG = 12  # sums with more atoms than this are written by sums that are there already, where these are near


class Clauses:
    """Writes terms down; every term once. `emit` takes the clauses."""

    def __init__(self, terms: Terms, emit: Callable[[list[int]], None]) -> None:
        self.terms, self._emit = terms, emit
        self.count = 1
        emit([1])  # literal 1 is true
        self._literals: dict[Term, int] = {}
        self._values: dict[Symbol, list[int]] = {}
        self._digits: dict[Symbol, list[int]] = {}
        self._totals: list[tuple[Sum, list[int]]] = []
        self._known: dict[Sum, list[int]] = {}

    def new(self) -> int:
        """A literal that is used nowhere else."""
        self.count += 1
        return self.count

    def literal(self, truth: Truth) -> int:
        """The literal that is true exactly where the term is; raises TooLarge if that takes too long."""
        if type(truth) is int:
            return 1 if truth else -1
        stack = [truth]
        while stack:
            term = stack[-1]
            if self._find(term) is not None:
                stack.pop()
                continue
            missing = [each for each in self._parts(term) if self._find(each) is None]
            if missing:
                stack += missing
                continue
            if term.kind in ("le", "eq", "ne"):
                self.terms.on_time()
            self._literals[stack.pop()] = self._write(term)
        found = self._find(truth)
        assert found is not None
        return found

    def _find(self, term: Term) -> int | None:
        found = self._literals.get(term)
        if found is None and term.negation is not None:
            found = self._literals.get(term.negation)
            found = None if found is None else -found
        return found

    def _parts(self, term: Term) -> Iterable[Term]:
        if term.kind in ("and", "or"):
            return term.args
        if term.kind == "in":
            return ()
        return [each for each, _ in term.args[0].atoms if each is not None]

    def _write(self, term: Term) -> int:
        match term.kind:
            case "in":
                return self._member(*term.args)
            case "and":
                return -self._any([-self.literal(each) for each in term.args])
            case "or":
                return self._any([self.literal(each) for each in term.args])
            case "le":
                return self._at_most_zero(term.args[0])
            case kind:
                equal = self._is_zero(term.args[0])
                return equal if kind == "eq" else -equal

    def _any(self, literals: list[int]) -> int:
        gate = self.new()
        for each in literals:
            self._emit([-each, gate])
        self._emit([*literals, -gate])
        return gate

    def _member(self, symbol: Symbol, mask: int) -> int:
        values = self._values.get(symbol)
        if values is None:
            values = self._values[symbol] = self._one_of(symbol.high - symbol.low + 1)
        chosen = [values[i] for i in range(len(values)) if mask >> i & 1]
        if len(chosen) == 1:
            return chosen[0]
        if len(chosen) == len(values) - 1:
            (left,) = set(values) - set(chosen)
            return -left
        return self._any(chosen)

    def _one_of(self, size: int) -> list[int]:
        """Literals of which exactly one is true."""
        if size == 2:
            one = self.new()
            return [-one, one]
        values = [self.new() for _ in range(size)]
        self._emit(list(values))
        for i, one in enumerate(values):
            for other in values[:i]:
                self._emit([-one, -other])
        return values

    # Sums, in binary

    def _at_most_zero(self, total: Sum) -> int:
        low, parts = self.terms.weighed(total)
        if parts and len({weight for _, weight in parts}) == 1:
            more = self._at_least([self.literal(term) for term, _ in parts], -low // parts[0][1] + 1)
            if more is not None:
                return -more
        digits, shift = self._binary(total)
        return self._below(digits, -shift)

    def _is_zero(self, total: Sum) -> int:
        digits, shift = self._binary(total)
        goal = -shift
        if goal < 0 or goal >> len(digits):
            return -1
        return -self._any([-d if goal >> i & 1 else d for i, d in enumerate(digits)])

    def _at_least(self, literals: list[int], many: int) -> int | None:
        """Whether so many of them hold, counted one by one (Sinz 2005) if few have to, or few must not."""
        if many > len(literals) - many + 1:
            fewer = self._at_least([-each for each in literals], len(literals) - many + 1)
            return None if fewer is None else -fewer
        if many > _FEW:
            return None
        held = [1] + [-1] * many  # held[n]: n of those so far hold
        for each in literals:
            more = [self._either(held[n], self._gate(each, held[n - 1])) for n in range(1, many + 1)]
            held[1:] = more
        return held[many]

    def _either(self, one: int, other: int) -> int:
        if 1 in (one, other):
            return 1
        return other if one == -1 else one if other == -1 else self._any([one, other])

    def _below(self, digits: list[int], limit: int) -> int:
        """Whether the binary number is at most the limit."""
        if limit < 0:
            return -1
        if limit >> len(digits):
            return 1
        result = 1
        for i, digit in enumerate(digits):
            result = -self._any([digit, -result]) if not limit >> i & 1 else self._any([-digit, result])
        return result

    def _binary(self, total: Sum) -> tuple[list[int], int]:
        """Digits and a number: together they are the sum."""
        best: tuple[Sum, list[int], int] | None = None
        if len(total.atoms) > _LONG:
            for base, digits in self._totals:
                if 2 * _apart(total, base) >= len(total.atoms):
                    continue
                for factor in (1, -1):
                    rest = added(total, base, -factor)
                    if len(rest.atoms) * 2 < len(total.atoms) and (
                        best is None or len(rest.atoms) < len(best[0].atoms)
                    ):
                        best = rest, digits, factor
        if best is not None:
            rest, digits, factor = best
            return self._total(rest, [(digits, factor)])
        digits, shift = self._total(total, [])
        if len(total.atoms) > _LONG:
            self._totals.append((added(total, Sum(-shift, {})), digits))
        return digits, shift

    def _total(self, total: Sum, more: list[tuple[list[int], int]]) -> tuple[list[int], int]:
        shift = total.const
        columns: dict[int, list[int]] = {}

        def add(digits: list[int], factor: int) -> None:
            nonlocal shift
            if factor < 0:  # -d = (2^n - 1 - d) - (2^n - 1)
                shift += factor * ((1 << len(digits)) - 1)
                digits, factor = [-d for d in digits], -factor
            for place in range(factor.bit_length()):
                if factor >> place & 1:
                    for i, d in enumerate(digits):
                        if d != -1:
                            columns.setdefault(place + i, []).append(d)

        for digits, factor in more:
            add(digits, factor)
        for (term, symbol), factor in total.atoms.items():
            held = 1 if term is None else self.literal(term)
            if symbol is None:
                add([held], factor)
                continue
            add([self._gate(held, d) for d in self._symbol(symbol)], factor)
            add([held], factor * symbol.low)
        return self._added_up(columns), shift

    def _gate(self, one: int, other: int) -> int:
        if -1 in (one, other):
            return -1
        return other if one == 1 else one if other == 1 else -self._any([-one, -other])

    def _symbol(self, symbol: Symbol) -> list[int]:
        """The binary digits of a wide symbol, above its least value."""
        digits = self._digits.get(symbol)
        if digits is None:
            size = symbol.high - symbol.low
            digits = self._digits[symbol] = [self.new() for _ in range(size.bit_length())]
            self._emit([self._below(digits, size)])
        return digits

    def _added_up(self, columns: dict[int, list[int]]) -> list[int]:
        """One digit a column, by full adders."""
        result, place = [], 0
        while columns:
            column = columns.pop(place, [])
            while len(column) > 1:
                a, b = column.pop(0), column.pop(0)
                c = column.pop(0) if column else -1
                total, carry = self._adder(a, b, c)
                column.append(total)
                columns.setdefault(place + 1, []).append(carry)
            result.append(column[0] if column else -1)
            place += 1
        return result

    def _adder(self, a: int, b: int, c: int) -> tuple[int, int]:
        total, carry = self.new(), self.new()
        if c == -1:
            self._xor(total, a, b)
            for clause in ([-carry, a], [-carry, b], [carry, -a, -b]):
                self._emit(clause)
            return total, carry
        for x in (a, -a):
            for y in (b, -b):
                odd = ((x == a) + (y == b)) % 2 == 1
                self._emit([-x, -y, -c, -total if odd else total])
                self._emit([-x, -y, c, total if odd else -total])
        for p, q in ((a, b), (a, c), (b, c)):
            self._emit([-p, -q, carry])
            self._emit([p, q, -carry])
        return total, carry

    def _xor(self, total: int, a: int, b: int) -> None:
        for clause in ([-total, a, b], [-total, -a, -b], [total, -a, b], [total, a, -b]):
            self._emit(clause)


def _apart(one: Sum, other: Sum) -> int:
    """So many atoms at least are left where one is taken from the other: those that only one of them has."""
    fewest = abs(len(one.atoms) - len(other.atoms))
    if 2 * fewest >= len(one.atoms):
        return fewest
    return len(one.atoms.keys() ^ other.atoms.keys())
