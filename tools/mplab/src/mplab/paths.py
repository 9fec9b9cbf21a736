# SPDX-License-Identifier: MIT
"""A network path between client and server, as data.

As text: RATE,RTT,QUEUE[,LOSS][,KEY=VALUE]...[,EVENT@TIME]..., for example

    8mbit,20ms,80ms                        the bottleneck drains its full queue in 80 ms
    2mbit,150ms,100p,1%                    a queue of 100 packets, 1 % random loss
    8mbit,20ms,80ms,jitter=5ms,aqm=fq_codel,mtu=1400,burst=4,family=6,there=0%
    8mbit,20ms,80ms,rate=1mbit@10s,down@20s,up@25s
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from . import units

AQMS = ("fifo", "fq_codel")
ETHERNET = 14  # bytes of a frame's header, which the bottleneck counts too
HEADERS = {4: 20 + 32, 6: 40 + 32}  # IP, and TCP with timestamps
EVENTS = ("rate", "rtt", "loss", "down", "up")
WHAT = "write RATE,RTT,QUEUE[,LOSS][,KEY=VALUE][,EVENT@TIME], for example 8mbit,20ms,80ms"


@dataclass(frozen=True)
class Event:
    """A change during the run, `at` seconds after the traffic began. Value as in Path."""

    at: float
    what: str
    value: float = 0.0

    def __str__(self) -> str:
        text = {"rate": f"={self.value / 1e6:g} Mbit/s", "rtt": f"={self.value * 1e3:g} ms"}
        text["loss"] = f"={self.value:g} %"
        return f"{self.what}{text.get(self.what, '')} at {self.at:g} s"


@dataclass(frozen=True)
class Path:
    """rate in bit/s, rtt, jitter and queue in s (queue: time to drain it when full), loss in %.

    queue_packets, if not 0, counts the queue in packets instead. burst: mean length of a run of
    lost packets (1: independent losses). jitter varies the delay of data, in order, as a wireless
    link does. there: what part of the RTT, in %, is on the way of the data.
    """

    rate: float
    rtt: float
    queue: float
    loss: float = 0.0
    queue_packets: int = 0
    burst: float = 1.0
    jitter: float = 0.0
    aqm: str = "fifo"
    mtu: int = 1500
    family: int = 4
    there: float = 50.0
    events: tuple[Event, ...] = ()

    @property
    def frame(self) -> int:
        """Bytes of a full frame, as the bottleneck counts it."""
        return self.mtu + ETHERNET

    @property
    def queue_bytes(self) -> int:
        """The bottleneck's queue limit: at least two frames, or nothing gets through."""
        if self.queue_packets:
            return self.queue_packets * self.frame
        return max(int(self.rate * self.queue / 8), 2 * self.frame)

    @property
    def capacity(self) -> float:
        """TCP payload that the link carries when it is never idle, in bit/s."""
        return self.rate * (self.mtu - HEADERS[self.family]) / self.frame

    def __str__(self) -> str:
        queue = f"{self.queue_packets} packets" if self.queue_packets else f"{self.queue * 1e3:g} ms"
        parts = [f"{self.rate / 1e6:g} Mbit/s", f"RTT {self.rtt * 1e3:g} ms", f"queue {queue}"]
        if self.loss:
            runs = f" in runs of {self.burst:g}" if self.burst > 1 else ""
            parts.append(f"loss {self.loss:g} %{runs}")
        parts += [f"jitter {self.jitter * 1e3:g} ms"] if self.jitter else []
        parts += [self.aqm] if self.aqm != "fifo" else []
        parts += [f"MTU {self.mtu}"] if self.mtu != 1500 else []
        parts += ["IPv6"] if self.family == 6 else []
        parts += [f"{self.there:g} % of the RTT on the way there"] if self.there != 50 else []
        return ", ".join(parts + [str(event) for event in self.events])


def _queue(text: str) -> dict[str, float | int]:
    if text.endswith("p") and text[:-1].isdigit() and int(text[:-1]) > 1:
        return {"queue": 0.0, "queue_packets": int(text[:-1])}
    return {"queue": units.seconds(text, "queue")}


def _choice(text: str, what: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise units.UnitError(f"{what} '{text}': write {' or '.join(allowed)}")
    return text


def _number(text: str, what: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise units.UnitError(f"{what} '{text}': write a number from {low:g} to {high:g}")
    return value


def _setting(path: Path, key: str, value: str) -> Path:
    match key:
        case "loss":
            return replace(path, loss=units.percent(value, "loss"))
        case "burst":
            return replace(path, burst=_number(value, "burst", 1, 1000))
        case "there":
            return replace(path, there=units.percent(value, "there"))
        case "jitter":
            return replace(path, jitter=units.seconds(value, "jitter"))
        case "aqm":
            return replace(path, aqm=_choice(value, "aqm", AQMS))
        case "mtu":
            return replace(path, mtu=int(_number(value, "mtu", 1280, 9000)))
        case "family":
            return replace(path, family=int(_choice(value, "family", ("4", "6"))))
    raise units.UnitError(
        f"unknown '{key}': there are loss, burst, jitter, aqm, mtu, family, there, and events with @TIME"
    )


def _event(text: str) -> Event:
    change, _, at = text.partition("@")
    what, _, value = change.partition("=")
    _choice(what, "event", EVENTS)
    parse = {"rate": units.rate, "rtt": units.seconds, "loss": units.percent}.get(what)
    if value and not parse:
        raise units.UnitError(f"event '{what}' takes no value")
    return Event(units.seconds(at, f"time of '{what}'"), what, parse(value, what) if parse else 0.0)


def _extend(path: Path, field: str) -> Path:
    if "@" in field:
        events = sorted([*path.events, _event(field)], key=lambda e: e.at)
        return replace(path, events=tuple(events))
    if "=" in field:
        return _setting(path, *field.split("=", 1))
    return replace(path, loss=units.percent(field, "loss"))


def _check(path: Path) -> None:
    """What fits together."""
    if path.burst > 1 and not path.loss:
        raise units.UnitError("burst without loss")
    if path.jitter > path.rtt * (1 - path.there / 100):
        raise units.UnitError("jitter is larger than the way back, which makes up for it")
    if path.queue_bytes >= 1 << 32:
        raise units.UnitError("the queue is larger than 4 GB")


def parse(text: str) -> Path:
    """A path from its text; UnitError says what is wrong with it."""
    fields = text.split(",")
    try:
        if len(fields) < 3:
            raise units.UnitError(f"{len(fields)} fields; {WHAT}")
        rate, rtt = units.rate(fields[0], "rate"), units.seconds(fields[1], "RTT")
        path = Path(rate, rtt, **_queue(fields[2]))
        for field in fields[3:]:
            path = _extend(path, field)
        _check(path)
    except units.UnitError as error:
        raise units.UnitError(f"--path {text}: {error}") from None
    return path
