# SPDX-License-Identifier: MIT
"""What the hosts do with the network: shell commands for the guest, and what came of them."""

from __future__ import annotations

from ..words import settings
from ..words.settings import UsageError
from .answers import Incast, Request, Transfer
from .base import PYTHON, Ends, Workload
from .blocks import Blocks, Writes
from .bulk import Bulk
from .bursts import Bursts
from .calls import Rpc
from .davvi import Davvi
from .iperf import Iperf
from .order import Order
from .ranges import Ranges
from .tls import Tls
from .video import Video
from .web import Http, Page

KINDS: dict[str, type[Workload]] = {
    kind.name: kind
    for kind in (
        *(Bulk, Blocks, Writes, Order, Transfer, Bursts, Rpc, Page, Video, Tls, Request, Http, Iperf),
        *(Ranges, Davvi),
    )
}
__all__ = [
    "KINDS", "PYTHON", "Blocks", "Bulk", "Bursts", "Davvi", "Ends", "Http", "Incast", "Iperf", "Order",
    "Page", "Ranges", "Request", "Rpc", "Tls", "Transfer", "Video", "Workload", "Writes", "parse",
]  # fmt: skip


def parse(text: str, duration: float | None = None, warmup: float | None = None) -> Workload:
    """NAME[,KEY=VALUE]... as written on the command line; duration and warmup win."""
    name = text.split(",")[0]
    given = {key: v for key, v in (("duration", duration), ("warmup", warmup)) if v is not None}
    for key, value in given.items():
        if name in KINDS and key not in settings.keys(KINDS[name]):
            raise UsageError(f"--{key}: a workload '{name}' has none")
        if key == "duration" and value < 1:
            raise UsageError("--duration must be at least 1s")
    return settings.parse(KINDS, text, "--workload", **given)
