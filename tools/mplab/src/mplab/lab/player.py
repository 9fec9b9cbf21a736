# SPDX-License-Identifier: MIT
"""Changes the paths as time goes by. Runs inside the guest, once for all of them.

usage: player.py FILE    what timeline.start() left; ends when it is told to (SIGTERM)

tc reads its lines from a pipe, so that a step starts no process. What it has no words for, the steps of
recorded links, goes to the kernel by netlink from here, some seconds ahead of time.
"""

from __future__ import annotations

import heapq
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mplab.lab import hosts, links, timeline

AHEAD = 4.0  # seconds of a recording that the kernel has at least
MOST_STEPS = 8000  # of a message, whose attributes are at most 64 KB

RTM_NEWQDISC, NLM_F_REQUEST, NLM_F_ACK, NLMSG_ERROR = 36, 1, 4, 2
TCA_KIND, TCA_OPTIONS, NLA_F_NESTED, TCA_REPLAY_STEPS = 1, 2, 1 << 15, 1
NLMSGHDR, TCMSG, NLATTR = struct.Struct("=IHHII"), struct.Struct("=BxxxiIII"), struct.Struct("=HH")


Act = tuple[float, Callable[[], None]]  # what to do, and when


def _attribute(kind: int, value: bytes) -> bytes:
    return NLATTR.pack(NLATTR.size + len(value), kind) + value + bytes(-len(value) % 4)


class Recorded:
    """A recorded link, which takes steps."""

    def __init__(self, router: str) -> None:
        hosts.enter(router)  # and stay in it: nothing else here depends on where we are
        self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        index = socket.if_nametoindex(links.OUT)
        self._head = TCMSG.pack(0, index, links.REPLAY_HANDLE, links.REPLAY_PARENT, 0)
        self._head += _attribute(TCA_KIND, b"replay\0")

    def append(self, steps: bytes) -> None:
        options = _attribute(TCA_OPTIONS | NLA_F_NESTED, _attribute(TCA_REPLAY_STEPS, steps))
        size = NLMSGHDR.size + len(self._head) + len(options)
        flags = NLM_F_REQUEST | NLM_F_ACK
        self._netlink.send(NLMSGHDR.pack(size, RTM_NEWQDISC, flags, 0, 0) + self._head + options)
        answer = self._netlink.recv(65536)
        error = -struct.unpack_from("=i", answer, NLMSGHDR.size)[0]
        if error:
            raise OSError(error, f"the kernel takes no steps: {os.strerror(error)}")


class Tcs:
    """A tc per router, which does each line as soon as it is written."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[str]] = {}

    def write(self, router: str, lines: tuple[str, ...]) -> None:
        if router not in self._running:
            command = ["tc", "-n", router, "-batch", "-"]
            self._running[router] = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        pipe = self._running[router].stdin
        assert pipe
        pipe.write("".join(f"{line}\n" for line in lines))
        pipe.flush()

    def end(self) -> int:
        for process in self._running.values():
            process.communicate()
        return max((process.returncode for process in self._running.values()), default=0)


def _batches(recording: Path) -> Iterator[tuple[float, bytes]]:
    """(time to append them, steps): the recording, from its beginning again when it ends."""
    fed = 0.0
    while True:
        with recording.open("rb") as file:
            while some := file.read(MOST_STEPS * timeline.STEP.size):
                for batch, seconds in _split(some):
                    yield max(fed - AHEAD, 0), batch
                    fed += seconds


def _split(steps: bytes) -> Iterator[tuple[bytes, float]]:
    """No more at a time than it takes to be ahead."""
    start, taken = 0, 0
    for i, (duration, _) in enumerate(timeline.STEP.iter_unpack(steps), 1):
        taken += duration
        if taken >= AHEAD * 1e9 or i * timeline.STEP.size == len(steps):
            yield steps[start : i * timeline.STEP.size], taken / 1e9
            start, taken = i * timeline.STEP.size, 0


def _recordings(link: timeline.Link) -> Iterator[Act]:
    if link.recording:
        recorded = Recorded(link.router)
        for at, steps in _batches(link.recording):
            yield at, partial(recorded.append, steps)


def _changes(found: list[timeline.Link], tcs: Tcs) -> Iterator[Act]:
    for change in timeline.changes(found):
        yield change.at, partial(_do, change, tcs)


def _play(found: list[timeline.Link], tcs: Tcs) -> None:
    parts = [*(_recordings(link) for link in found), _changes(found, tcs)]
    start = time.monotonic()
    for at, act in heapq.merge(*parts, key=lambda part: part[0]):
        time.sleep(max(start + at - time.monotonic(), 0))
        act()


def _do(change: timeline.Change, tcs: Tcs) -> None:
    if change.tool == timeline.TC:
        tcs.write(change.namespace, change.lines)
    else:
        script = "\n".join(("set -e", *change.lines))
        subprocess.run(["ip", "netns", "exec", change.namespace, "sh", "-c", script], check=True)


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> int:
    signal.signal(signal.SIGTERM, _stop)
    tcs = Tcs()
    try:
        _play(pickle.loads(Path(sys.argv[1]).read_bytes()), tcs)
        signal.pause()
    except KeyboardInterrupt:
        pass
    return tcs.end()


if __name__ == "__main__":
    sys.exit(main())
