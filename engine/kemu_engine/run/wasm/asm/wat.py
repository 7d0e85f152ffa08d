"""Functions written by hand, in the folded form of WebAssembly's own text.

As in the specification's chapter 6, with a few things shortened: `$x` alone is `(local.get $x)`, a number
alone a constant of the type that is wanted, a name in capitals a number that the caller gives; locals are
declared in front, `(local $a $b i32)`; the address of a load or store is followed by `+offset` if it has one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from kemu_engine.run.wasm.asm.binary import CODES, F32, F64, I32, I64, Function, Label, ValueType

Form: TypeAlias = "str | list[Form]"
TOKENS = re.compile(r"[()]|[^\s()]+|;;[^\n]*")
CONVERSIONS: dict[str, ValueType] = {
    "i64.extend_i32_u": I32, "i64.extend_i32_s": I32, "i32.wrap_i64": I64,
    "f64.convert_i32_s": I32, "f64.convert_i32_u": I32, "f64.convert_i64_s": I64,
    "f64.promote_f32": F32, "f32.demote_f64": F64,
}  # fmt: skip
"""Operators whose argument is of another type than their name begins with."""


def parsed(text: str) -> Form:
    """The nested lists that a text stands for."""
    stack: list[list[Form]] = [[]]
    for token in TOKENS.findall(re.sub(r";;[^\n]*", "", text)):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    ((whole,),) = stack
    return whole


Functions = Mapping[str, tuple[int, Function]]


def function(text: str, numbers: Mapping[str, int], functions: Functions) -> Function:
    """The function that a text `(func name (param $a i32) (result i32) (local $b i64) ...)` stands for; the
    name, which may be missing, is that of its export. `functions`: what may be called, by name."""
    whole = parsed(text)
    assert isinstance(whole, list)
    params: list[tuple[str, ValueType]] = []
    locals: list[tuple[str, ValueType]] = []
    results: list[ValueType] = []
    export = ""
    body: list[Form] = []
    for form in whole[1:]:
        match form:
            case str() if not (params or locals or results or body or form[0] == "$"):
                export = form
            case ["param", *names, type_]:
                params += [(str(each), kind(type_)) for each in names]
            case ["local", *names, type_]:
                locals += [(str(each), kind(type_)) for each in names]
            case ["result", type_]:
                results.append(kind(type_))
            case _:
                body.append(form)
    f = Function(tuple(type_ for _, type_ in params), tuple(results), export)
    known = {each: number for number, (each, _) in enumerate(params)}
    for each, type_ in locals:
        known[each] = f.new(type_)
    Text(f, known, numbers, functions).all(body)
    return f


def kind(name: Form) -> ValueType:
    for each in (I32, I64, F32, F64):
        if name == each:
            return each
    raise AssertionError(name)


class Text:
    """Writes forms into a function."""

    def __init__(
        self,
        f: Function,
        locals: Mapping[str, int],
        numbers: Mapping[str, int],
        functions: Functions,
    ) -> None:
        self.f = f
        self.locals = locals
        self.numbers = numbers
        self.functions = functions
        self._labels: dict[str, Label] = {}

    def all(self, forms: list[Form]) -> None:
        for form in forms:
            self.value(form, I32)

    def value(self, form: Form, type_: ValueType) -> None:
        """An instruction, or a value of which the type is known."""
        f = self.f
        match form:
            case str() if form.startswith("$"):
                f.get(self.locals[form])
            case str() if type_ == I32:
                f.i32(self.number(form))
            case str() if type_ == I64:
                f.i64(self.number(form))
            case str():
                (f.f32 if type_ == F32 else f.f64)(self.real(form))
            case ["set" | "tee" as what, str(name), value]:
                self.value(value, f.type_of(self.locals[name]))
                (f.set if what == "set" else f.tee)(self.locals[name])
            case ["block", str(name), *rest]:
                with f.block() as self._labels[name]:
                    self.all(rest)
            case ["loop", str(name), *rest]:
                with f.loop() as self._labels[name]:
                    self.all(rest)
            case ["if", test, ["then", *then]]:
                self.value(test, I32)
                with f.when():
                    self.all(then)
            case ["if", test, ["then", *then], ["else", *other]]:
                self.value(test, I32)
                with f.when():
                    self.all(then)
                    f.otherwise()
                    self.all(other)
            case ["br", str(name)]:
                f.br(self._labels[name])
            case ["br_if", str(name), test]:
                self.value(test, I32)
                f.br_if(self._labels[name])
            case ["drop", dropped]:
                self.value(dropped, I32)
                f.op("drop")
            case ["return", *values]:
                for value, wanted in zip(values, f.results, strict=True):
                    self.value(value, wanted)
                f.op("return")
            case ["call", str(name), *args]:
                number, called = self.functions[name]
                for arg, wanted in zip(args, called.params, strict=True):
                    self.value(arg, wanted)
                f.call(number)
            case ["global.get", str(name)]:
                f.get_global(self.number(name))
            case ["global.set", str(name), value]:
                self.value(value, I32)
                f.set_global(self.number(name))
            case ["select", one, other, test]:
                self.value(one, type_)
                self.value(other, type_)
                self.value(test, I32)
                f.op("select")
            case ["memory.copy" | "memory.fill" as what, *args]:
                for arg in args:
                    self.value(arg, I32)
                (f.copy if what == "memory.copy" else f.fill)()
            case ["memory.size"]:
                f.pages()
            case ["memory.grow", more]:
                self.value(more, I32)
                f.grow()
            case [str(what), *rest]:
                self.operator(what, rest)
            case _:
                raise AssertionError(form)

    def operator(self, what: str, rest: list[Form]) -> None:
        of = kind(what[:3]) if what[:3] in CODES else I32
        if ".load" in what or ".store" in what:
            offset = 0
            if isinstance(rest[-1], str) and rest[-1].startswith("+"):
                offset = self.number(str(rest.pop())[1:])
            self.value(rest[0], I32)
            for value in rest[1:]:
                self.value(value, of)
            self.f.access(what, offset)
            return
        for value in rest:
            self.value(value, CONVERSIONS.get(what, of))
        self.f.op(what)

    def number(self, text: str) -> int:
        return self.numbers[text] if text in self.numbers else int(text, 0)

    def real(self, text: str) -> float:
        return self.numbers[text] if text in self.numbers else float(text)
