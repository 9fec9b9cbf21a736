# SPDX-License-Identifier: MIT
"""Both ends of a tunnel that stripes packets over several paths. Each is one process that waits in
select(), on a TUN device, a UDP socket per path, and what is due.

    proxy    numbers what the device has for the client, chooses a path for each packet, holds it for
             the equalizer's time, and sends it
    client   hands packets on in the order that its buffer gives them, and signals back; what it
             has to send itself goes over one path

As in Chebrolu's proxy the client has one address that stays (the device's) and a care-of address per
path. What is measured is in JSON when the main flows are done.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import heapq
import os
import select
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

from ..connections import Config, Enough
from . import frames, vectors
from .equalizer import Equalizer
from .frames import frame
from .monitor import Monitor
from .receivers import Bmp, InOrder, Plain
from .senders import Edpf, Pet, Turns

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
PR_SET_TIMERSLACK = 29
PORT = 4000
BUFFER, SO_RCVBUFFORCE = 1 << 22, 33
EACH = 0.2  # seconds between a path's probes, and between what the client tells of its rates
LEAST = 2e-6  # seconds to wait
PAIRS = 1.0  # seconds between pairs on a path that the send vector leaves out


class End:
    """Device, sockets and timers of one end."""

    def __init__(self, c: Config) -> None:
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
        self.c, self._timers, self._count = c, [], 0
        self.device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.device, TUNSETIFF, struct.pack("16sH14x", b"tun0", IFF_TUN | IFF_NO_PI))
        self.paths = [self._socket(*pair) for pair in c["paths"]]

    @staticmethod
    def _socket(own: str, other: str) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        made.bind((own, PORT))
        made.connect((other, PORT))
        made.setblocking(False)
        return made

    def at(self, when: float, what: Callable[[], None]) -> None:
        """Do it then; what is due at the same time in the order of asking."""
        self._count += 1
        heapq.heappush(self._timers, (when, self._count, what))

    def every(self, seconds: float, what: Callable[[], None]) -> None:
        def again() -> None:
            what()
            self.at(time.monotonic() + seconds, again)

        self.at(time.monotonic() + seconds, again)

    def send(self, path: int, raw: bytes) -> None:
        with contextlib.suppress(OSError):  # a full queue of its own, or nobody there yet: lost
            self.paths[path].send(raw)

    def hand_on(self, packet: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self.device, packet)

    def run(self) -> None:
        """Until the main flows are done."""
        numbers = {each.fileno(): number for number, each in enumerate(self.paths)}
        waiting = [self.device, *numbers]
        with contextlib.suppress(Enough):
            while True:
                while self._timers and self._timers[0][0] <= time.monotonic():
                    heapq.heappop(self._timers)[2]()
                for ready in select.select(waiting, [], [], self._left())[0]:
                    if ready == self.device:
                        self._read_device()
                    else:
                        self._read_path(numbers[ready])

    def _left(self) -> float | None:
        """Until the first timer. select() takes microseconds: less than one would not wait at all, and a
        clock that stands still while programs run would never get there."""
        return max(LEAST, self._timers[0][0] - time.monotonic()) if self._timers else None

    def _read_device(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                self.outgoing(os.read(self.device, frames.ROOM))

    def _read_path(self, number: int) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionError):
            while True:
                self.incoming(number, self.paths[number].recv(frames.ROOM))

    def outgoing(self, packet: bytes) -> None:
        """The device has it for the other end."""
        raise NotImplementedError

    def incoming(self, path: int, raw: bytes) -> None:
        """The other end sent it."""
        raise NotImplementedError


class Proxy(End):
    """Chooses paths for what goes to the client."""

    def __init__(self, c: Config) -> None:
        super().__init__(c)
        count = len(self.paths)
        how = c["sender"]
        self._turns: Turns | None = None
        if how == "edpf":
            self._sender: Turns | Edpf = Edpf(c["delays"], c["rates"])
        elif how == "pet":
            self._sender = Pet(c["delays"])
        else:
            self._sender = self._turns = Turns(c["vector"])
        self._fresh = frames.Fresh()
        self._number, self._drops = 0, set(c["drops"])
        self._equalizer = Equalizer(count) if c["equalize"] else None
        if self._equalizer and c["delays"]:
            self._equalizer.set_delays(c["delays"])
        self._monitor = Monitor(count)
        self.sent = [0] * count
        if c["monitor"]:
            self.every(EACH, self._probe)
            self.every(PAIRS, self._pairs)

    def outgoing(self, packet: bytes) -> None:
        now, size, fresh = time.monotonic(), len(packet), self._fresh(packet)
        number, self._number = self._number, self._number + 1
        path = self._sender.choose(number, now, size, fresh)
        self.sent[path] += 1
        if number in self._drops:
            return
        raw = frame(frames.DATA, path, frames.NUMBER.pack(number) + packet)
        release = self._equalizer.release(path, now) if self._equalizer else now
        if release <= now:
            self.send(path, raw)
        else:
            self.at(release, lambda: self.send(path, raw))

    def incoming(self, path: int, raw: bytes) -> None:
        kind, about, body = frames.parse(raw)
        if kind == frames.BACK:
            self.hand_on(body)
        elif kind == frames.SIGNALLED:
            number, arrived = frames.SIGNAL.unpack(body)
            self._sender.report(number, about, arrived / 1e9)
        elif kind == frames.ECHO:
            trip = time.monotonic() - frames.STAMP.unpack(body)[0] / 1e9
            self._monitor.trip(about, trip)
            if self._equalizer and self._monitor.delays:
                self._equalizer.set_delays(self._monitor.delays)
        elif kind == frames.RATED:
            self._rated(about, frames.RATE.unpack(body)[0])

    def _probe(self) -> None:
        stamp = frames.STAMP.pack(time.monotonic_ns())
        for path in range(len(self.paths)):
            self.send(path, frame(frames.PROBE, path, stamp))

    def _rated(self, path: int, rate: float) -> None:
        """A path that the vector leaves out has pairs' rates only."""
        self._monitor.rate(path, rate)
        if self._turns and (rates := self._monitor.rates):
            self._turns.set(vectors.of(self.c["length"], rates, self.c["nearest"]))

    def _pairs(self) -> None:
        """The vector is locked: look what a path that it leaves out has."""
        used = set(self._turns.vector) if self._turns else set()
        for path in set(range(len(self.paths))) - used:
            for _ in range(2):
                self.send(path, frame(frames.PAIR, path, bytes(frames.PAIR_SIZE)))

    def result(self) -> Config:
        return {"sent": self.sent, "again": self._fresh.again, "packets": self._number}


class Client(End):
    """Puts packets into order."""

    def __init__(self, c: Config) -> None:
        super().__init__(c)
        count, kind = len(self.paths), c["receiver"]
        self._buffer: Plain[bytes] = Plain() if kind == "plain" else InOrder()
        if kind == "bmp":
            self._buffer = Bmp(count)
        self._due: float | None = None  # of the timer that runs
        self._paced = 0.0  # when the last packet was handed on
        self._bytes, self._pair = [0] * count, [0.0] * count
        self.arrived: list[int] = []
        if c["monitor"]:
            self.every(EACH, self._tell_rates)

    def outgoing(self, packet: bytes) -> None:
        path = self.c["back"]
        self.send(path, frame(frames.BACK, path, packet))

    def incoming(self, path: int, raw: bytes) -> None:
        kind, _, body = frames.parse(raw)
        if kind == frames.DATA:
            self._data(path, frames.NUMBER.unpack_from(body)[0], body[frames.NUMBER.size :])
        elif kind == frames.PROBE:
            self.send(path, frame(frames.ECHO, path, body))
        elif kind == frames.PAIR:
            self._pair_arrived(path, len(raw))

    def _data(self, path: int, number: int, packet: bytes) -> None:
        now = time.monotonic()
        self._bytes[path] += len(packet)
        self.arrived.append(number)
        if self.c["signals"]:
            body = frames.SIGNAL.pack(number, time.monotonic_ns())
            self.send(path, frame(frames.SIGNALLED, path, body))
        self._deliver(self._buffer.arrived(number, path, packet, now), now)
        self._watch()

    def _deliver(self, packets: list[bytes], now: float) -> None:
        """Not closer to each other than the pace allows."""
        for packet in packets:
            self._paced = max(now, self._paced + self.c["pace"])
            if self._paced <= now:
                self.hand_on(packet)
            else:
                self.at(self._paced, lambda packet=packet: self.hand_on(packet))

    def _watch(self) -> None:
        """One timer at a time; one that comes too early starts the next."""
        due = self._buffer.deadline
        if due is not None and self._due is None:
            self._due = due
            self.at(due, self._look)

    def _look(self) -> None:
        self._due, now = None, time.monotonic()
        due = self._buffer.deadline
        if due is not None and due <= now:
            self._deliver(self._buffer.expired(now), now)
        self._watch()

    def _tell_rates(self) -> None:
        for path, count in enumerate(self._bytes):
            if count:
                self.send(path, frame(frames.RATED, path, frames.RATE.pack(count / EACH)))
        self._bytes = [0] * len(self._bytes)

    def _pair_arrived(self, path: int, size: int) -> None:
        """The second of two that left at once tells the rate."""
        now, before = time.monotonic(), self._pair[path]
        self._pair[path] = 0.0 if before else now
        if before and before < now < before + PAIRS / 2:
            rate = size / (now - before)
            self.send(path, frame(frames.RATED, path, frames.RATE.pack(rate)))

    def result(self) -> Config:
        b = self._buffer
        held = getattr(b, "most", 0)
        return {"arrived": self.arrived, "lost": b.lost, "late": b.late, "timeouts": b.timeouts, "held": held}


def _run(end: Any) -> Config:
    end.run()
    return end.result()


def proxy(c: Config) -> Config:
    """Until the main flows are done: packets per path, and how many carried what went by before."""
    return _run(Proxy(c))


def client(c: Config) -> Config:
    """Until the main flows are done: the numbers in the order of arrival, and what its buffer saw."""
    return _run(Client(c))
