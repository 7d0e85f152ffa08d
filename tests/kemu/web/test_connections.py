"""Whoever is silent, or comes too often, takes nobody's place."""

import asyncio
from typing import Any

import pytest
from kemu.web.connections import Gate, guarded, home, near
from kemu.web.limits import Limits


class Speaking(asyncio.Protocol):
    """A protocol for which a request is a line; `cycle` as uvicorn's have it."""

    cycle: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport, self.heard = transport, b""

    def data_received(self, data: bytes) -> None:
        self.heard += data
        if self.heard.endswith(b"\n"):
            self.cycle, self.heard = Cycle(), b""

    def pause_writing(self) -> None: ...

    def resume_writing(self) -> None: ...


class Cycle:
    response_complete = False


class Wire:
    def __init__(self, host: str) -> None:
        self.host, self.cut = host, False

    def get_extra_info(self, name: str) -> Any:
        return (self.host, 1234)

    def set_write_buffer_limits(self, high: int) -> None: ...

    def abort(self) -> None:
        self.cut = True


class Visitors:
    """Who comes through a gate, at a time that the test tells."""

    def __init__(self, **limits: Any) -> None:
        self.now = 0.0
        self.gate = Gate(Limits(**limits), lambda: self.now)
        self.protocol = guarded(Speaking, self.gate)

    def one(self, host: str = "192.0.2.1") -> Any:
        found = self.protocol()
        found.wire = Wire(host)
        found.connection_made(found.wire)
        return found

    def after(self, seconds: float) -> None:
        self.now += seconds
        self.gate.sweep()


def test_an_address_has_so_many_connections_and_this_machine_as_many_as_there_are() -> None:
    here = Visitors(connections=5, connections_of_address=2)
    first, second, third = (here.one() for _ in range(3))
    assert [each.wire.cut for each in (first, second, third)] == [False, False, True]
    third.connection_lost(None)
    first.connection_lost(None)
    assert not here.one().wire.cut and here.one().wire.cut
    assert not any(here.one(host).wire.cut for host in ("127.0.0.1", "::1", "127.0.0.1"))
    assert here.one("127.0.0.1").wire.cut and here.one("198.51.100.1").wire.cut


@pytest.mark.parametrize("said", [[], [b"G"], [b"G", b"E", b"T"]])
def test_who_does_not_come_to_an_end_is_sent_away(said: list[bytes]) -> None:
    here = Visitors(silent=10.0)
    one = here.one()
    for part in said:
        here.after(3)
        one.data_received(part)
    here.after(11 - 3 * len(said))
    assert one.wire.cut


def test_who_has_asked_may_listen_and_ask_again_but_not_begin_without_an_end() -> None:
    here = Visitors(silent=10.0)
    one = here.one()
    one.data_received(b"GET /\n")
    here.after(1000)
    assert not one.wire.cut
    one.cycle.response_complete = True
    here.after(1000)
    assert not one.wire.cut  # as long as uvicorn keeps what is quiet
    one.data_received(b"GET")
    here.after(11)
    assert one.wire.cut


def test_who_does_not_take_what_he_is_sent_is_sent_away() -> None:
    """Whoever is slow may be; what is sent to him is not kept for ever."""
    here = Visitors(taken=30.0)
    slow, stuck = here.one(), here.one()
    for one in (slow, stuck):
        one.data_received(b"GET /\n")
        one.pause_writing()
    here.after(20)
    slow.resume_writing()
    slow.pause_writing()
    here.after(20)
    assert [slow.wire.cut, stuck.wire.cut] == [False, True]


def test_a_head_without_end_is_not_kept() -> None:
    one = Visitors().one()
    for _ in range(40):
        one.data_received(b"x" * 1000)
    assert one.wire.cut


def test_networks_are_one_address() -> None:
    assert home("2001:db8::1") == home("2001:db8::2:3") != home("2001:db8:1::1")
    assert home("::ffff:192.0.2.1") == home("192.0.2.1")
    assert near("127.0.0.1") and near("::1") and near("::ffff:127.0.0.1")
    assert not near("192.0.2.1") and not near("::ffff:192.0.2.1")
