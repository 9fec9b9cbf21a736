# SPDX-License-Identifier: MIT
"""Traffic of others beside the main flows: KIND[,KEY=VALUE]..., for example

    tcp,count=2,congestion=cubic,path=1        long TCP flows, on one path or on each
    tcp,from=20s,until=40s                     for a while; otherwise as long as the main flows
    web,load=2mbit                             short flows of a heavy-tailed size, at random times
    udp,rate=1mbit,size=1200,direction=against datagrams at a constant rate, against the main data

Others are hosts of their own. Their figures are of the time in which the main flows count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import ClassVar

from ..lab import network
from ..lab.network import BOTH, DOWN, UP
from ..lab.paths import Path
from ..lab.topology import CLIENT, SERVER
from ..words import settings
from ..words.settings import choice, number, octets, span, speed, word
from ..words.units import UsageError
from .base import Ends, Json, delays, rates, sent_bytes
from .bulk import one_way

# Seconds that the main flows are ahead. A connection whose first data is lost is none of MPTCP any
# more, and would be an error in place of a result.
LEAD = 0.5
ALONG, AGAINST = "along", "against"
FOREVER = 1e6  # seconds: the end of the main flows comes first
MOST = 50  # flows of one kind on a path
ROUTES = 150  # that a network has numbers for
UNDER_WAY = 3.0  # seconds after which a datagram that has not arrived is lost, whatever follows


@dataclass(frozen=True, kw_only=True)
class Beside(ABC):
    """path: counted from 1, 0: each. since, until: in s after the main flows begin, until 0: as
    long as they last. direction: along the main flows' data, against it, up or down.

    judged: figures that tell what they get, and whether less is better.
    """

    name: ClassVar[str]
    protocol: ClassVar[str] = network.TCP
    judged: ClassVar[Mapping[str, bool]] = {"goodput_bps": False}
    count = 1  # flows on a path; without a type, for it is no setting of all kinds
    congestion = None
    path: int = number(0, least=0)
    since: float = span(0.0, key="from")
    until: float = span(0.0)
    direction: str = choice(ALONG, AGAINST, UP, DOWN)

    def __str__(self) -> str:
        return settings.text(self)

    def wrong(self) -> str:
        if self.until and self.until <= self.begins:
            return "it ends before it begins"
        return f"at most {MOST} of them" if self.count > MOST else ""

    def places(self, paths: int) -> range:
        """The paths that have it."""
        return range(self.path, self.path + 1) if self.path else range(1, paths + 1)

    @property
    def begins(self) -> float:
        return max(self.since, LEAD)

    @property
    def lasts(self) -> float:
        return self.until - self.begins if self.until else FOREVER

    def against(self, main: str) -> bool:
        """Whether its data meets the main flows' data."""
        return self.direction == AGAINST or self.direction == {UP: DOWN, DOWN: UP}.get(main, DOWN)

    def way(self, ends: Ends) -> str:
        """Up or down."""
        main = ends.network.direction
        return {UP: DOWN, DOWN: UP}[main] if self.against(main) else main

    def listens(self, ends: Ends) -> str:
        """The host that waits: the sender of what others ask for."""
        return CLIENT if self.way(ends) == UP else SERVER

    def window(self, ends: Ends, start: float) -> tuple[float, float]:
        """From when to when it counts."""
        begin, end = ends.window
        return max(begin, start), min(end, start + self.lasts)

    @abstractmethod
    def listening(self, ends: Ends) -> str: ...

    @abstractmethod
    def connecting(self, ends: Ends) -> str: ...

    @abstractmethod
    def evaluate(self, ends: Ends) -> Json: ...


@dataclass(frozen=True, kw_only=True)
class Tcp(Beside):
    """Long flows: as much as goes."""

    name: ClassVar[str] = "tcp"
    count: int = number(1)
    congestion: str = word("cubic")

    def _program(self, ends: Ends, listen: bool) -> str:
        times = {"seconds": self.lasts, "delay": self.begins}
        return one_way(ends, listen, self.way(ends), times, times)

    def listening(self, ends: Ends) -> str:
        return self._program(ends, True)

    def connecting(self, ends: Ends) -> str:
        return self._program(ends, False)

    def evaluate(self, ends: Ends) -> Json:
        way = self.way(ends)
        sent, got = ends.result(f"send-{way}"), ends.result(f"receive-{way}")
        if not sent or not got["samples"]:
            return {"goodput_bps": 0.0, "start_s": None}
        begin, end = self.window(ends, got["start"])
        kept = [(t, n) for t, n, *_ in got["samples"] if begin - 0.05 <= t <= end + 0.05]
        seconds = kept[-1][0] - kept[0][0] if kept else 0.0
        return {
            "goodput_bps": (kept[-1][1] - kept[0][1]) * 8 / seconds if seconds else 0.0,
            "start_s": sent["start"],
            "over_time_s_bps": rates([(t - got["start"], n) for t, n, *_ in got["samples"]]),
            **sent_bytes(sent),
        }


@dataclass(frozen=True, kw_only=True)
class Web(Beside):
    """Short flows: of a heavy-tailed size (bounded Pareto), at random times (Poisson); drawn from the
    run's seed, so that all that is compared meets the same ones. load: bit/s on the mean."""

    name: ClassVar[str] = "web"
    judged: ClassVar[Mapping[str, bool]] = {"completion_mean_s": True}
    load: float = speed(1e6)
    size: int = octets(30_000, least=1000)
    congestion: str = word("cubic")

    def listening(self, ends: Ends) -> str:
        return ends.command("web.serve", True, label="serve", at=self.listens(ends))

    def connecting(self, ends: Ends) -> str:
        at = SERVER if self.listens(ends) == CLIENT else CLIENT
        drawn = {"rate": self.load / 8, "size": self.size, "draw": f"{ends.seed}-{ends.flow}"}
        times = {"delay": self.begins, "seconds": self.lasts, "patience": FOREVER}
        return ends.command("web.browse", False, label="browse", at=at, **drawn, **times)

    def evaluate(self, ends: Ends) -> Json:
        """A flow counts if it began while the main ones counted; one that has not ended, with the
        time until then."""
        begin, end = ends.window
        kept = [flow for flow in ends.result("browse")["flows"] if begin <= flow[0] <= end]
        ended = [(size, took) for start, size, took in kept if took is not None and start + took <= end]
        waited = [min(took or end, end - start) for start, _, took in kept]
        return {
            "goodput_bps": sum(size for size, _ in ended) * 8 / (end - begin) if end > begin else 0.0,
            "flows_count": len(kept),
            "unfinished_count": len(kept) - len(ended),
            "completion_mean_s": mean(waited) if waited else None,
            **(delays([took for _, took in ended], "completion") if ended else {}),
        }


@dataclass(frozen=True, kw_only=True)
class Udp(Beside):
    """Datagrams of `size` bytes of payload at a constant rate (of payload, in bit/s)."""

    name: ClassVar[str] = "udp"
    protocol: ClassVar[str] = network.UDP
    judged: ClassVar[Mapping[str, bool]] = {"goodput_bps": False, "delay_p95_s": True}
    rate: float = speed(1e6)
    size: int = octets(1200, least=16)

    def wrong(self) -> str:
        return "a datagram has at most 1200 bytes" if self.size > 1200 else super().wrong()

    def _role(self, ends: Ends, listen: bool) -> str:
        """What is sent needs no answer: the receiver is the one that listens."""
        receiver = SERVER if self.way(ends) == UP else CLIENT
        at = receiver if listen else self.listens(ends)
        send = {"rate": self.rate / 8, "size": self.size, "seconds": self.lasts, "delay": self.begins}
        name = "receive" if listen else "send"
        return ends.command(f"datagrams.{name}", listen, label=name, at=at, **({} if listen else send))

    def listening(self, ends: Ends) -> str:
        return self._role(ends, True)

    def connecting(self, ends: Ends) -> str:
        return self._role(ends, False)

    def evaluate(self, ends: Ends) -> Json:
        """Of what was due while the main flows counted."""
        sent, got = ends.result("send"), ends.result("receive")
        begin, end = self.window(ends, sent["start"])
        interval = self.size * 8 / self.rate
        times = {n: sent["start"] + n * interval for n in range(sent["sent"])}
        last = max(got["numbers"], default=0)
        due = {n for n, t in times.items() if begin <= t < end and (n <= last or t < end - UNDER_WAY)}
        kept = [us / 1e6 for n, us in zip(got["numbers"], got["delays_us"], strict=True) if n in due]
        return {
            "goodput_bps": len(kept) * self.size * 8 / (len(due) * interval) if due else 0.0,
            "loss_percent": 100 * (1 - len(kept) / len(due)) if due else None,
            **({k: v for k, v in delays(kept).items() if k != "delays_s"} if kept else {}),
        }


KINDS: dict[str, type[Beside]] = {kind.name: kind for kind in (Tcp, Web, Udp)}


def parse(text: str) -> Beside:
    return settings.parse(KINDS, text, "--beside")


def check(others: tuple[Beside, ...], paths: Sequence[Path], main: str) -> None:
    """What a network of these paths has room for; main: direction of the main flows' data."""
    for each in others:
        if each.path > len(paths):
            raise UsageError(f"--beside {each}: there are {len(paths)} paths")
        if isinstance(each, Tcp) and each.against(main):
            _check_way_back(f"--beside {each}", [paths[n - 1] for n in each.places(len(paths))])
    if main == BOTH:
        _check_way_back("direction=both", paths)
    flows = sum(each.count * len(each.places(len(paths))) for each in others)
    if flows + len(paths) > ROUTES:
        raise UsageError(f"--beside: there is no room for {flows} flows beside the main ones")


def _check_way_back(what: str, paths: Sequence[Path]) -> None:
    """As much as goes would be without limit."""
    if not all(path.back for path in paths):
        raise UsageError(f"{what}: nothing limits its way; give the path one: back=RATE")
