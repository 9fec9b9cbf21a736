# SPDX-License-Identifier: GPL-2.0
"""Connections between two network namespaces, with each pair of features at work, over two bad paths.

usage: pairs.py CLIENT SERVER SEED BYTES PATIENCE [FEATURE...]
       pairs.py features

Data goes both ways at once, as much as BYTES each way, in writes and reads of any length, and each byte is
compared. Each pair of the features is tried (without an argument: of all), then drawn handfuls, then all
at once, then connections that are reset in the midst of that. PATIENCE: so many seconds may one take.
With one feature only that is tried; "A,B" tries just these together. Prints "ok" and "not ok" lines.
"features": prints those that this kernel has.
"""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import itertools
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import control

SCHEDULER = 43
ALL_SYSCTLS = {  # their values are off and on
    "control": ("control_stream", 0, 1),
    "coding": ("coding", 0, 10),
    "early": ("early_delivery", 0, 1),
    "checksums": ("checksum_enabled", 0, 1),
    "low_overhead": ("low_overhead", 0, 1),
    "stateless": ("stateless_join", 0, 1),
    "timers": ("blocked_rto_min_us", 0, 20000),
}
# a feature may have been left out of the kernel
SYSCTLS = {name: row for name, row in ALL_SYSCTLS.items() if Path("/proc/sys/net/mptcp", row[0]).exists()}
SCHEDULERS = ("redundant", "inorder")
EXTENSIONS = {"rescue": "rs", "penalize": "rp"}
ACTS = ("switch", "subflows", "slow")
FEATURES = (*SYSCTLS, *SCHEDULERS, *EXTENSIONS, *ACTS)
# what schedulers are switched to
TARGETS = ("default", "redundant", "inorder", "minrtt", "rr", "default+rs", "inorder+rs", "redundant+rp")
SIZES = (1, 100, 1460, 5000, 16384, 65536, 200000)
ABORTS = 10


class Ends:
    """The two namespaces."""

    def __init__(self, client: str, server: str) -> None:
        self.client, self.server = client, server

    def __iter__(self) -> Iterator[str]:
        return iter((self.client, self.server))

    def set(self, name: str, value: object, at: str | None = None) -> None:
        for namespace in [at] if at else self:
            subprocess.run(
                ["ip", "netns", "exec", namespace, "sysctl", "-qw", f"net.mptcp.{name}={value}"], check=True
            )

    def netem(self, path: int, *how: str) -> None:
        """What both ends send over it."""
        for namespace, device in ((self.client, f"c{path}"), (self.server, f"s{path}")):
            words = ["tc", "-n", namespace, "qdisc", "change", "dev", device, "root", "netem", *how]
            subprocess.run(words, check=True)

    def rough(self) -> None:
        self.netem(1, "rate", "20mbit", "delay", "5ms", "limit", "1000", "loss", "1%")
        self.netem(
            2, "rate", "10mbit", "delay", "20ms", "4ms", "limit", "1000", "loss", "2%", "duplicate", "1%"
        )

    def subflow(self, there: bool) -> None:
        """The second one, which the server announces."""
        run("ip", "-n", self.server, "mptcp", "endpoint", "flush")
        if there:
            run(*f"ip -n {self.server} mptcp endpoint add 10.0.2.2 dev s2 signal".split())


def run(*words: str) -> None:
    """What may be there, or gone, already."""
    subprocess.run(words, stderr=subprocess.DEVNULL, check=False)


class Trial:
    """A connection."""

    def __init__(self, ends: Ends, features: tuple[str, ...], seed: int, size: int) -> None:
        self.ends, self.features, self.seed, self.size = ends, features, seed, size
        self.over = threading.Event()  # all bytes are there, or it is given up
        self.wrong: list[str] = []
        self.got = {"up": 0, "down": 0}
        self.threads: list[threading.Thread] = []
        self.helpers: list[threading.Thread] = []

    def draw(self, what: str) -> random.Random:
        return random.Random(f"{self.seed} {what}")

    def prepare(self) -> None:
        for feature, (name, off, on) in SYSCTLS.items():
            self.ends.set(name, on if feature in self.features else off)
        chosen = [name for name in SCHEDULERS if name in self.features] or ["default"]
        tail = "".join(f"+{tail}" for name, tail in EXTENSIONS.items() if name in self.features)
        # two of them: one at each end
        for namespace, name in ((self.ends.client, chosen[0]), (self.ends.server, chosen[-1])):
            self.ends.set("scheduler", f"{name}{tail}", namespace)
        self.ends.rough()
        self.ends.subflow(True)

    def start(self, call: Callable[..., None], *arguments: object, helps: bool = False) -> None:
        thread = threading.Thread(target=self.guarded, args=(call, *arguments), daemon=True)
        (self.helpers if helps else self.threads).append(thread)
        thread.start()

    def guarded(self, call: Callable[..., None], *arguments: object) -> None:
        try:
            call(*arguments)
        except OSError as error:
            if not self.over.is_set():
                self.wrong.append(f"{call.__name__}: {error}")

    def write(self, end: socket.socket, way: str) -> None:
        draw, data, at = self.draw(f"write {way}"), memoryview(blob(way, self.size)), 0
        while at < len(data):
            at += end.send(data[at : at + draw.choice(SIZES)])
            if draw.random() < 0.05:
                time.sleep(draw.uniform(0, 0.05))
        # behind the end of the data no TLV is told
        while "control" in self.features and self.heard(way) == 0 and not self.over.wait(0.01):
            pass
        end.shutdown(socket.SHUT_WR)

    def heard(self, way: str) -> int:
        """TLVs, at the other end."""
        return self.told[1 if way == "up" else 3][0]

    def read(self, end: socket.socket, way: str) -> None:
        draw, data = self.draw(f"read {way}"), blob(way, self.size)
        while part := end.recv(draw.choice(SIZES)):
            at = self.got[way]
            if part != data[at : at + len(part)]:
                first = next(
                    (n for n, byte in enumerate(part) if data[at + n : at + n + 1] != bytes([byte])), 0
                )
                self.wrong.append(f"{way}: byte {at + first} of {len(data)} is wrong")
                return
            self.got[way] = at + len(part)
            if "slow" in self.features and draw.random() < 0.1:
                time.sleep(draw.uniform(0, 0.1))
        if self.got[way] != len(data):
            self.wrong.append(f"{way}: it ends after {self.got[way]} of {len(data)} bytes")

    def switch(self, end: socket.socket, way: str) -> None:
        draw = self.draw(f"switch {way}")
        while not self.over.wait(draw.uniform(0, 0.04)):
            end.setsockopt(control.SOL_MPTCP, SCHEDULER, draw.choice(TARGETS).encode())

    def subflows(self) -> None:
        """They come and go; one path at a time is dark, or down."""
        draw = self.draw("subflows")
        while not self.over.wait(draw.uniform(0.05, 0.25)):
            act, path = draw.choice(("gone", "gone", "dark", "down")), draw.choice((1, 2, 2))
            if act == "gone":
                self.ends.subflow(False)
                self.over.wait(draw.uniform(0, 0.15))
                self.ends.subflow(True)
            elif act == "dark":
                self.ends.netem(path, "loss", "100%")
                self.over.wait(draw.uniform(0.02, 0.3))
                self.ends.rough()
            else:
                run("ip", "-n", self.ends.client, "link", "set", "c2", "down")
                self.over.wait(draw.uniform(0, 0.1))
                run("ip", "-n", self.ends.client, "link", "set", "c2", "up")

    def tell(self, end: socket.socket, seed: int, told: list[int]) -> None:
        for kind, value in control.values(seed):
            while not self.over.is_set():
                try:
                    control.send(end, kind, value)
                    told[0] += 1
                    break
                except BlockingIOError:
                    time.sleep(0.005)
                except OSError as error:
                    if error.errno == errno.ENOTCONN:  # the data's end is out
                        return
                    raise
            else:
                return

    def hear(self, end: socket.socket, seed: int, heard: list[int]) -> None:
        for wanted in control.values(seed):
            while not self.over.is_set():
                with contextlib.suppress(BlockingIOError):
                    if control.receive(end) != wanted:
                        self.wrong.append(f"TLV {heard[0]} is wrong")
                        return
                    heard[0] += 1
                    break
                time.sleep(0.005)
            else:
                return

    def connect(self) -> tuple[socket.socket, socket.socket]:
        near, far = control.pair(self.ends.client, self.ends.server)
        self.told = [[0], [0], [0], [0]]
        for way, sender, receiver in (("up", near, far), ("down", far, near)):
            self.start(self.write, sender, way)
            self.start(self.read, receiver, way)
        if "switch" in self.features:
            self.start(self.switch, near, "up", helps=True)
            self.start(self.switch, far, "down", helps=True)
        if "subflows" in self.features:
            self.start(self.subflows, helps=True)
        if "control" in self.features:
            self.start(self.tell, near, 1, self.told[0], helps=True)
            self.start(self.hear, far, 1, self.told[1], helps=True)
            self.start(self.tell, far, 2, self.told[2], helps=True)
            self.start(self.hear, near, 2, self.told[3], helps=True)
        return near, far

    def stop(self, near: socket.socket, far: socket.socket) -> None:
        """Nobody is within a call when the sockets are closed."""
        self.over.set()
        for end in near, far:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self.helpers + self.threads:
            thread.join(20)
        near.close()
        far.close()

    def complete(self, patience: float) -> str:
        """What is wrong."""
        self.prepare()
        near, far = self.connect()
        until = time.monotonic() + patience
        for thread in self.threads:
            while thread.is_alive() and not self.wrong and time.monotonic() < until:
                thread.join(0.05)
        if not self.wrong and any(thread.is_alive() for thread in self.threads):
            self.wrong.append(f"it stalls: {self.got} of {self.size} bytes after {patience} s")
        told, heard = [self.told[0][0], self.told[2][0]], [self.told[1][0], self.told[3][0]]
        self.stop(near, far)
        if "control" in self.features and not self.wrong and (0 in told or 0 in heard):
            self.wrong.append(f"of the TLVs told {told}, heard were {heard}")
        return "; ".join(self.wrong)

    def reset(self) -> None:
        """In the midst of it, by either end or both."""
        self.prepare()
        near, far = self.connect()
        draw = self.draw("reset")
        time.sleep(draw.uniform(0.05, 0.8))
        self.over.set()
        for end in draw.choice(((near,), (far,), (near, far))):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # not close(), which waits for those within a call
            control.disconnect(end)
        self.stop(near, far)


blobs: dict[tuple[str, int], bytes] = {}


def blob(way: str, size: int) -> bytes:
    if (way, size) not in blobs:
        blobs[way, size] = random.Random(way).randbytes(size)
    return blobs[way, size]


def combinations(wanted: list[str], seed: int) -> Iterator[tuple[str, ...]]:
    if len(wanted) == 1:
        yield tuple(wanted[0].split(","))
        return
    draw = random.Random(seed)
    yield from itertools.combinations(wanted, 2)
    for _ in range(len(wanted)):
        yield tuple(sorted(draw.sample(wanted, min(len(wanted), 5)), key=wanted.index))
    yield tuple(wanted)


def main() -> None:
    if sys.argv[1:] == ["features"]:
        print(*FEATURES, sep="\n")
        return
    ends = Ends(*sys.argv[1:3])
    seed, size, patience, wanted = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), sys.argv[6:]
    faulthandler.register(signal.SIGTERM, all_threads=True, chain=True)
    # a draw of its own for each, the same whichever are tried
    for features in combinations(wanted or list(FEATURES), seed):
        name = " x ".join(features)
        wrong = Trial(ends, features, seed, size).complete(patience)
        print(f"{'not ok' if wrong else 'ok'} {name}: the bytes are right", flush=True)
        if wrong:
            print(f"# {wrong}", flush=True)
    if len(wanted) != 1:
        for n in range(ABORTS):
            Trial(ends, tuple(wanted or FEATURES), seed + n, size).reset()
        print(f"ok {ABORTS} connections are reset in the midst of all of it", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
