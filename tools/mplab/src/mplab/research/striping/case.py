# SPDX-License-Identifier: MIT
"""A measurement as data: paths, what spreads the packets, what the hosts do."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...lab import parts

PACKET = 1500  # bytes of an IP packet, which rates are about
TUNNEL, NUMGEN, MPTCP, EACH, ALONE = "tunnel", "numgen", "mptcp", "each", "alone"
KBIT, MBIT = 1e3, 1e6


@dataclass(frozen=True)
class Path:
    """rate: of IP packets, bit/s; delay: one way, each way; queue: packets; jitter: of the way there,
    with netem's distribution ("": uniform), and it may reorder; fair: a queue for each flow, one limit."""

    rate: float
    delay: float
    queue: int = 200
    loss: float = 0.0  # %
    jitter: float = 0.0
    distribution: str = ""
    fair: bool = False
    serial: bool = False  # a packet is there when its last bit is, not when its first one left
    steps: tuple[tuple[float, float], ...] = ()  # (seconds, rate) from then on


@dataclass(frozen=True)
class Striping:
    """What spreads packets. how: a tunnel of ours with its sender and receiver; nft's numgen in the stock
    kernel; MPTCP with its scheduler (sender); a TCP connection on each path; one on a path alone."""

    how: str
    sender: str = ""  # vector, edpf, pet; of MPTCP the scheduler
    receiver: str = "plain"  # plain, in-order, bmp
    weights: tuple[float, ...] = ()  # of the send vector; none: those of the rates
    length: int = 0  # of the send vector; 0: the shortest that has exact shares
    nearest: bool = False
    equalize: bool = False  # hold back what takes faster paths
    monitor: bool = False  # delays and rates as measured, not as they are
    pace: float = 0.0  # seconds between packets that the receiver hands on, at least
    back: int = 0  # the path of what the client sends
    path: int = 0  # of one connection alone


@dataclass(frozen=True)
class Flavour:
    """TCP: a congestion control and sysctls below net.ipv4; window: the receiver's, bytes (0: autotuned)."""

    name: str
    congestion: str = "cubic"
    sysctls: tuple[tuple[str, str], ...] = ()
    window: int = 0
    quickack: bool = False  # no delayed ACKs


@dataclass(frozen=True)
class Cross:
    """Traffic of others at the bottlenecks: at path k files[k] files, and web pages at web[k] bit/s."""

    files: tuple[int, ...]
    web: tuple[float, ...]
    seed: int = 0


@dataclass(frozen=True)
class Case:
    """One run. drops: numbers of packets that the tunnel loses. datagrams: bit/s of UDP instead of TCP."""

    paths: tuple[Path, ...]
    striping: Striping
    flavour: Flavour
    seconds: float = 60.0
    datagrams: float = 0.0
    wire: float = 0.0  # seconds between server and proxy, one way
    cross: Cross | None = None
    drops: tuple[int, ...] = field(default=())
    seed: int = 0

    @property
    def count(self) -> int:
        return len(self.paths)

    @property
    def parts(self) -> set[str]:
        """Of the kernel, that this run needs."""
        return {parts.CORE, *self.modules}

    @property
    def modules(self) -> set[str]:
        """Of the kernel, that this run may load."""
        scheduler = self.striping.sender if self.striping.how == MPTCP else ""
        return parts.modules(scheduler, [self.flavour.congestion])
