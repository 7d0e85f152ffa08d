"""Kernel statements as Python closures, made of the closures of their expressions and inner code."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from kemu_engine.interp.frame import Execute, Faulted, Frame, Given, Signal, Write
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.evaluate import Elements, Evaluate
from kemu_engine.kernel.snapshots import EMPTY, Snapshots
from kemu_engine.kernel.values import BrokenProgram, Cells


def sequence(statements: list[Execute]) -> Execute:
    """One after the other, until one says `break`, `continue` or `return`."""
    if len(statements) == 1:
        return statements[0]

    def run(frame: Frame) -> Signal | None:
        for statement in statements:
            signal = statement(frame)
            if signal is not None:
                return signal
        return None

    return run


def assign(local: int, value: Evaluate) -> Execute:
    def run(frame: Frame) -> None:
        new = frame.locals[local] = value(frame)
        if frame.log is not None:
            frame.log.append(Given(local, new))

    return run


def store(var: int, value: Evaluate, origin: int) -> Execute:
    def run(frame: Frame) -> None:
        new = value(frame)
        if frame.log is not None:
            frame.log.append(Write(var, None, frame.vars[var], new, origin))
        frame.vars[var] = new

    return run


def put(var: int, index: Evaluate, value: Evaluate, origin: int) -> Execute:
    def run(frame: Frame) -> None:
        at, new = index(frame), value(frame)
        cells = frame.vars[var]
        if type(cells) is tuple:
            cells = frame.vars[var] = list(cells)
        if frame.log is not None:
            frame.log.append(Write(var, at, cells[at], new, origin))
        cells[at] = new

    return run


def fill(var: int, length: int, binder: int, value: Evaluate, origin: int) -> Execute:
    def run(frame: Frame) -> None:
        new = []
        for element in range(length):
            frame.locals[binder] = element
            new.append(value(frame))
        if frame.log is not None:
            old = frame.vars[var]
            frame.log += [Write(var, at, old[at], new[at], origin) for at in range(length)]
        frame.vars[var] = new

    return run


def snapshot(frame: Frame, vars: tuple[int, ...]) -> tuple[Cells, ...]:
    """The present values of these variables."""
    kept = [frame.vars[var] for var in vars]
    return tuple([tuple(cells) if type(cells) is list else cells for cells in kept])


def times(var: int, vars: tuple[int, ...]) -> Evaluate:
    return lambda frame: frame.vars[var].times(snapshot(frame, vars))


def note(var: int, vars: tuple[int, ...], origin: int) -> Execute:
    return _rewrite(var, lambda frame: frame.vars[var].noted(snapshot(frame, vars)), origin)


def forget(var: int, origin: int) -> Execute:
    return _rewrite(var, lambda frame: EMPTY, origin)


def _rewrite(var: int, made: Callable[[Frame], Snapshots], origin: int) -> Execute:
    def run(frame: Frame) -> None:
        new = made(frame)
        if frame.log is not None:
            frame.log.append(Write(var, None, frame.vars[var], new, origin))
        frame.vars[var] = new

    return run


def when(test: Evaluate, then: Execute, other: Execute) -> Execute:
    return lambda frame: then(frame) if test(frame) else other(frame)


def for_each(local: int, over: Elements, body: Execute) -> Execute:
    def run(frame: Frame) -> Signal | None:
        for element in over(frame):
            frame.locals[local] = element
            if frame.log is not None:
                frame.log.append(Given(local, element))
            signal = body(frame)
            if signal == "break":
                break
            if signal == "return":
                return signal
        return None

    return run


def loop(bound: int, body: Execute, fault: k.Fault, index: int) -> Execute:
    def run(frame: Frame) -> Signal | None:
        for _ in range(bound):
            signal = body(frame)
            if signal == "break":
                return None
            if signal == "return":
                return signal
        raise Faulted(fault, index)

    return run


def give_back(value: Evaluate) -> Execute:
    def run(frame: Frame) -> Signal:
        frame.returned = value(frame)
        return "return"

    return run


def check(test: Evaluate, fail: Callable[[Frame], NoReturn]) -> Execute:
    def run(frame: Frame) -> None:
        if not test(frame):
            fail(frame)

    return run


def returning(body: Execute) -> Evaluate:
    """A function's body as an expression."""

    def run(frame: Frame) -> int:
        if body(frame) != "return":
            raise BrokenProgram("a function ends without a Return")
        return frame.returned

    return run
