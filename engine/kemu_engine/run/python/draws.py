"""Text that draws in random games: an action of those that are legal, an outcome of chance."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.draws import enough
from kemu_engine.kernel.rng import HALF
from kemu_engine.run.python.flow import Offer
from kemu_engine.run.python.text import TERNARY
from kemu_engine.run.python.values import Values


class Draws:
    """Writes draws, which give locals of the program their values."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.module, self.program = values.module, values.module.program
        self.scope, self.frame = values.scope, values.frame

    def below(self, name: str, limit: str, stream: str, most: int = 0) -> None:
        """Draws a number below a limit that is at least 1, and at most `most`; 0: that of actions, which are
        fewer than 2^32."""
        if most > 1 << 32:
            self.scope.line(f"{name} = draw_below({stream}, {limit})")
            return
        product = f"{name} = {stream}() * {limit}"
        self.scope.line(product)
        few = str((1 << 32) % int(limit)) if limit.isdecimal() else f"{1 << 32:#x} % {limit}"
        low = f"{name} & {HALF:#x}"
        if few != "0":
            there = "" if limit.isdecimal() else f"{low} < {limit} and "
            self.scope.block(f"while {there}{low} < {few}:", [product])
        self.scope.line(f"{name} >>= 32")

    # ------------------------------------------------------------------------------------------ actions

    def value(self, arm: k.Arm, offer: Offer, total: str, drawn: str, size: int) -> None:
        """Draws a value of the only parameter: one after the other, or by its rank."""
        name = self.frame.local(arm.params[0].local)
        with self.scope.branch() as lines:
            product = f"{name} = player() * {size}"
            few = (1 << 32) % size
            biased = f"{name} & {HALF:#x} < {few} or " if few else ""
            value = f"({name} >> 32)"
            missing = (
                f"not {offer.text} >> {value} & 1" if offer.form == "mask" else f"{value} not in {offer.text}"
            )
            self.scope.line(product)
            self.scope.block(f"while {biased}{missing}:", [product])
            self.scope.line(f"{name} >>= 32")
        self.scope.block(f"if {total} >= {enough(size)}:", lines)
        with self.scope.branch() as lines:
            self.below(drawn, total, "player")
            self.bound(arm, offer, drawn)
        self.scope.block("else:", lines)

    def bound(self, arm: k.Arm, offer: Offer, drawn: str) -> None:
        """Gives the parameters of an arm the values of the action of a number."""
        names = [self.frame.local(param.local) for param in arm.params]
        if offer.form == "mask":
            self._nth(names[0], offer.text, drawn, arm.params[0].over.type)
        elif names:
            self.scope.line(f"{', '.join(names)} = {offer.text}[{drawn}]")

    def _nth(self, name: str, mask: str, drawn: str, type_: k.Type) -> None:
        """Picks the element of a set that has so many below it; halves first if the set may be large."""
        assert isinstance(type_, k.Set)
        if type_.size <= 10:
            table = self.module.constant(f"element_table({type_.size})", "ELEMENTS")
            self.scope.line(f"{name} = {table}[{mask}][{drawn}]")
        elif type_.size > 256:
            self.scope.line(f"{name} = nth({mask}, {drawn})")
        else:
            self._halved(name, mask, drawn, type_.size, 0)

    def _halved(self, name: str, mask: str, drawn: str, size: int, base: int) -> None:
        half = (size + 1) // 2
        low = self.scope.names.give("low")
        below = self.scope.names.give("below")
        self.scope.line(f"{low} = {mask} & {(1 << half) - 1:#x}")
        self.scope.line(f"{below} = {low}.bit_count()")
        with self.scope.branch() as lines:
            if half <= 10:
                self._looked_up(name, low, drawn, base)
            else:
                self._halved(name, low, drawn, half, base)
        self.scope.block(f"if {drawn} < {below}:", lines)
        with self.scope.branch() as lines:
            if half <= 10:
                self._looked_up(name, f"{mask} >> {half}", f"{drawn} - {below}", base + half)
            else:
                self.scope.line(f"{drawn} -= {below}")
                high = self.scope.names.give("high")
                self.scope.line(f"{high} = {mask} >> {half}")
                self._halved(name, high, drawn, size - half, base + half)
        self.scope.block("else:", lines)

    def _looked_up(self, name: str, mask: str, drawn: str, base: int) -> None:
        table = self.module.constant("element_table(10)", "ELEMENTS")
        self.scope.line(f"{name} = {table}[{mask}][{drawn}]{f' + {base}' if base else ''}")

    # ------------------------------------------------------------------------------------------ chance

    def outcome(self, chance: k.Chance) -> None:
        """Draws an outcome by its weight."""
        size = len(self.program.domains[chance.domain].texts)
        name, weight = self.frame.local(chance.local), chance.weight
        if isinstance(weight, k.Const) and weight.value:
            drawn = self.scope.names.give("drawn")
            self.below(drawn, str(size * weight.value), "chance", size * weight.value)
            self.scope.line(f"{name} = {drawn}{f' // {weight.value}' if weight.value > 1 else ''}")
            return
        weights = self._weights(chance, size)
        drawn = self.scope.names.give("drawn")
        total = self.scope.names.give("total")
        self.scope.line(f"{total} = sum({weights})")
        self.scope.block(f"if not {total}:", [f"fault({chance.empty})"])
        assert isinstance(weight.type, k.Int)
        self.below(drawn, total, "chance", size * weight.type.high)
        self.scope.line(f"{name} = bisect_right(tuple(accumulate({weights})), {drawn})")

    def _weights(self, chance: k.Chance, size: int) -> str:
        """A list of the weights of all outcomes."""
        weight = chance.weight
        if isinstance(weight, k.At) and isinstance(weight.index, k.Local) and weight.index.id == chance.local:
            whole = self.program.vars[weight.var].length == size
            return self.frame.slot(weight.var) + ("" if whole else f"[:{size}]")
        weights = self.scope.names.give("weights")
        with self.frame.bound(chance.local) as outcome, self.scope.branch() as body:
            text = self.values.expr(weight)
        if body:
            self.scope.line(f"{weights} = []")
            self.scope.block(f"for {outcome} in range({size}):", [*body, f"{weights}.append({text.text})"])
        else:
            self.scope.line(f"{weights} = [{text.at(TERNARY)} for {outcome} in range({size})]")
        return weights
