"""Connections of a server for all the world: how many, from where, and how long they may be silent."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Any

from kemu.web.limits import Limits

HEAD = 32_768  # bytes that may come before a request is known


def home(host: str) -> str:
    """Whom an address belongs to: of IPv6 it is the network, all of which its owner has."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    return str(address.ipv4_mapped or int(address) >> 64)


def near(host: str) -> bool:
    """Whether it is on this machine: a proxy there speaks for many."""
    try:
        address = ip_address(host)
    except ValueError:
        return not host
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


class Gate:
    """All connections. `clock` in seconds."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits, self.clock = limits, clock
        self.here: Counter[str] = Counter()
        self.waited_for: dict[Any, float] = {}  # who has still to ask for something, since when
        self.slow: dict[Any, float] = {}  # who has not yet taken what he was sent, since when

    def enters(self, host: str) -> bool:
        """Whether there is room for one more."""
        if self.here.total() >= self.limits.connections:
            return False
        if not near(host) and self.here[home(host)] >= self.limits.connections_of_address:
            return False
        self.here[home(host)] += 1
        return True

    def leaves(self, host: str) -> None:
        self.here[home(host)] -= 1
        if not self.here[home(host)]:
            del self.here[home(host)]

    def sweep(self) -> None:
        """Ends connections that were silent for too long, or did not take what they were sent."""
        now = self.clock()
        for those, most in ((self.waited_for, self.limits.silent), (self.slow, self.limits.taken)):
            for each in [each for each, since in those.items() if since < now - most]:
                each.transport.abort()

    async def sweeping(self) -> None:
        while True:
            await asyncio.sleep(self.limits.silent / 10)
            self.sweep()


def guarded(protocol: type[Any], gate: Gate) -> type[Any]:
    """A protocol of HTTP (of uvicorn's, with h11 or httptools), for those who come through the gate."""

    class Guarded(protocol):  # type: ignore[misc]
        host: str | None = None  # once it has come in
        come = 0  # bytes of what is no request yet

        def connection_made(self, transport: Any) -> None:
            host = str((transport.get_extra_info("peername") or ("",))[0])
            if not gate.enters(host):
                transport.abort()
                return
            self.host = host
            gate.waited_for[self] = gate.clock()
            transport.set_write_buffer_limits(high=0)  # nothing more is made for who has not taken the last
            super().connection_made(transport)

        def pause_writing(self) -> None:
            gate.slow[self] = gate.clock()
            super().pause_writing()

        def resume_writing(self) -> None:
            gate.slow.pop(self, None)
            super().resume_writing()

        def data_received(self, data: bytes) -> None:
            if self.host is None:
                return
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                gate.waited_for.pop(self, None)
                self.come = 0
                return
            gate.waited_for.setdefault(self, gate.clock())
            self.come += len(data)
            if self.come > HEAD:
                self.transport.abort()

        def eof_received(self) -> None:
            if self.host is not None:
                super().eof_received()

        def connection_lost(self, error: Exception | None) -> None:
            if self.host is not None:
                gate.waited_for.pop(self, None)
                gate.slow.pop(self, None)
                gate.leaves(self.host)
                super().connection_lost(error)

    return Guarded
