# SPDX-License-Identifier: MIT
"""A network path between client and server, as data."""

from __future__ import annotations

from dataclasses import dataclass

from . import units

FRAME = 1514  # bytes of a full Ethernet frame, as the bottleneck counts it
TCP_PAYLOAD = 1448  # of these, what one TCP segment with timestamps carries


@dataclass(frozen=True)
class Path:
    """rate in bit/s, rtt and queue in s (queue: time to drain it when full), loss in %."""

    rate: float
    rtt: float
    queue: float
    loss: float = 0.0

    @property
    def queue_bytes(self) -> int:
        """The bottleneck's queue limit: at least two frames, or nothing gets through."""
        return max(int(self.rate * self.queue / 8), 2 * FRAME)

    @property
    def capacity(self) -> float:
        """TCP payload that the link carries when it is never idle, in bit/s."""
        return self.rate * TCP_PAYLOAD / FRAME

    def __str__(self) -> str:
        text = (
            f"{self.rate / 1e6:g} Mbit/s, RTT {self.rtt * 1e3:g} ms, queue {self.queue * 1e3:g} ms"
        )
        return text + (f", loss {self.loss:g} %" if self.loss else "")


def parse(text: str) -> Path:
    """RATE,RTT,QUEUE[,LOSS], for example 8mbit,20ms,80ms or 2mbit,150ms,2s,1%."""
    fields = text.split(",")
    if len(fields) not in (3, 4):
        raise units.UnitError(
            f"--path {text}: {len(fields)} fields; write RATE,RTT,QUEUE[,LOSS], "
            "for example 8mbit,20ms,80ms"
        )
    try:
        return Path(
            units.rate(fields[0], "rate"),
            units.seconds(fields[1], "RTT"),
            units.seconds(fields[2], "queue"),
            units.percent(fields[3], "loss") if len(fields) == 4 else 0.0,
        )
    except units.UnitError as error:
        raise units.UnitError(f"--path {text}: {error}") from None
