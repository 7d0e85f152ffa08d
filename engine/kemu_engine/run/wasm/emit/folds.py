"""The kernel's folds: what is found while walking through a set."""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import I32, I64, Label
from kemu_engine.run.wasm.emit.layout import Area, words
from kemu_engine.run.wasm.emit.loops import Loops
from kemu_engine.run.wasm.emit.operations import Operations
from kemu_engine.run.wasm.emit.simd import VectorSearch
from kemu_engine.run.wasm.emit.values import Values


@dataclass(frozen=True, slots=True)
class Found:
    """Where what has been found so far is: in locals, or, of a set of several words, in memory."""

    locals: list[int]
    memory: int

    @property
    def local(self) -> int:
        return self.locals[0]


class Folds:
    """Writes folds."""

    def __init__(self, values: Values, operations: Operations, loops: Loops) -> None:
        self.unit, self.f = values.unit, values.f
        self.values, self.operations, self.loops = values, operations, loops
        self.simd = VectorSearch(values)

    def fold(self, fold: k.Fold) -> None:
        if self.simd.searched(fold):
            return
        self.values.local(fold.binder)
        found = self._begun(fold)
        self.loops.laps(fold.binder, fold.over, lambda out, following: self._lap(fold, found, out, following))
        if found.memory:
            self.f.i32(0)
            self.values.load(fold.type, found.memory, words(fold.type))
        else:
            self.values.push(found.locals)

    def _begun(self, fold: k.Fold) -> Found:
        """What has been found before the first lap."""
        f, count = self.f, words(fold.type)
        memory = self.unit.memory.take(8 * count) if fold.op == "set" and count > 1 else 0
        kind = I32 if fold.op in ("any", "all") else I64
        found = Found([f.new(kind) for _ in range(count if fold.op == "union" else 1)], memory)
        if memory:
            self.values.zero(Area(memory, 8 * count))
            return found
        for each in found.locals:
            if kind == I32:
                f.i32(int(fold.op == "all"))
            else:
                f.i64(_start(fold))
            f.set(each)
        return found

    def _lap(self, fold: k.Fold, found: Found, out: Label, following: Label) -> None:
        f = self.f
        if fold.where != build.truth(True):
            self.values.expr(build.no(fold.where))
            f.br_if(following)
        match fold.op:
            case "any" | "all":
                self.values.expr(fold.body if fold.op == "any" else build.no(fold.body))
                with f.when():
                    f.i32(int(fold.op == "any"))
                    f.set(found.local)
                    f.br(out)
            case "first":
                self.values.expr(fold.body)
                with f.when():
                    f.get(self.values.local(fold.binder)[0])
                    f.set(found.local)
                    f.br(out)
            case "count" | "sum":
                self.values.number(fold.body)
                f.get(found.local)
                f.op("i64.add")
                f.set(found.local)
            case "min" | "max":
                one = self.values.kept(fold.body)
                self.operations.lesser(one, found.local, fold.op)
                f.set(found.local)
            case "set" if found.memory:
                self.values.switch_on(found.memory, self.values.kept(fold.body))
            case "set" | "union":
                if fold.op == "set":
                    self.operations.point(fold.body, 1)
                else:
                    self.values.expr(fold.body)
                    self.values.fit(words(fold.body.type), len(found.locals))
                for each in reversed(found.locals):
                    f.get(each)
                    f.op("i64.or")
                    f.set(each)


def _start(fold: k.Fold) -> int:
    """What a number, or a word of a set, is before the first lap."""
    if fold.op == "first":
        return -1
    if fold.op in ("min", "max"):
        assert isinstance(fold.type, k.Int)
        return fold.type.high if fold.op == "min" else fold.type.low
    return 0
