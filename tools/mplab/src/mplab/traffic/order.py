# SPDX-License-Identifier: MIT
"""In which order the data arrives, whatever the connection makes of it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import ClassVar

from ..lab import topology
from ..lab.guest import GuestError
from ..lab.network import MPTCP
from ..words.settings import octets, speed, yes_no
from . import capture
from .base import Ends, Json
from .blocks import STAMP, Writes


@dataclass(frozen=True)
class Order(Writes):
    """Blocks, and the order of their packets at the receiver, from the connection's first one on.

    rate in bit/s, 0: as fast as it goes. Of a size below a segment's, and without Nagle's algorithm, each
    is a packet of its own.
    """

    name: ClassVar[str] = "order"
    needs: ClassVar[tuple[str, ...]] = ("tcpdump",)
    judged: ClassVar[tuple[str, bool]] = ("hold_p99_packets", True)
    rate: float = speed(0.0, zero=True)
    size: int = octets(8000, least=STAMP)
    nodelay: bool = yes_no(True)

    def listening(self, ends: Ends) -> str:
        """The captures are at the receiver, one of each link."""
        plan = topology.Plan(ends.network)
        name = topology.host(plan.sink, ends.flow)
        captures = [
            f"ip netns exec {name} tcpdump -i {device} -s 160 -U -w"
            f" {shlex.quote(str(ends.directory))}/order-{ends.flow}-{device} tcp 2>/dev/null &\n"
            for device in plan.devices(name)
        ]
        return "".join(captures) + super().listening(ends)

    def evaluate(self, ends: Ends) -> Json:
        found = super().evaluate(ends)
        if ends.protocol != MPTCP:  # one path: TCP's own order
            return found
        try:
            order = capture.reordering(ends.directory, f"order-{ends.flow}-*")
        except ImportError:
            raise GuestError("Python's dpkt is missing: install python3-dpkt") from None
        except ValueError as error:
            raise GuestError(str(error)) from None
        return {
            **found,
            "late_ratio": order.ratio,
            "late_by_packets": order.lateness,
            "reorder_entropy": order.entropy,
            "displacement_mean_packets": order.mean_displacement,
            "hold_p95_packets": order.buffer_p95,
            "hold_p99_packets": order.buffer_p99,
            "displacements": sorted(order.density.items()),
        }
