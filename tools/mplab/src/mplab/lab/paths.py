# SPDX-License-Identifier: MIT
"""A network path between client and server, as data.

As text: RATE,RTT,QUEUE[,LOSS][,KEY=VALUE]...[,EVENT@TIME]..., for example

    8mbit,20ms,80ms            a bottleneck that drains its full queue in 80 ms
    2mbit,150ms,100p,1%        a queue of 100 packets, 1 % random loss
    8mbit,20ms,80ms,jitter=5ms,mtu=1400,burst=4,family=6,there=0%
    8mbit,20ms,80ms,aqm=fq_codel,back=1mbit  (or aqm=cake)
    8mbit,20ms,80ms,initcwnd=2 of both hosts' routes, in segments
    8mbit,20ms,0ms,police=100k 100 KB at once, what exceeds the rate is lost
    trace=FILE,40ms,200ms      a recorded rate; queue: drained at the mean
    trace=FILE,rtt-trace=FILE,200ms,loss-trace=FILE,step=100ms

    8mbit,20ms,80ms,rate=1mbit@10s,down@20s,up@25s
    8mbit,20ms,80ms,closed@5s,removed@10s,added@15s

Events: rate, rtt, jitter, loss, queue (each =VALUE@TIME); down, up; closed: the
subflow gets a reset; removed, added: the client's address. Of traces, also
invented ones, such as trace=lte:7: Documentation/testbed.md, "Links by trace".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..words import units
from . import traces
from .traces import LOSS, RATE, RTT, Series

AQMS = ("fifo", "fq_codel", "cake")
ETHERNET = 14  # bytes of a frame's header, which the bottleneck counts too
HEADERS = {4: 20 + 32, 6: 40 + 32}  # IP, and TCP with timestamps
VALUED = ("rate", "rtt", "jitter", "loss", "queue")
ADDRESS = ("closed", "removed", "added")
EVENTS = (*VALUED, "down", "up", *ADDRESS)
WHAT = "write RATE,RTT,QUEUE[,LOSS][,KEY=VALUE][,EVENT@TIME], for example 8mbit,20ms,80ms"
QUEUE_LIMIT = 1 << 32  # bytes


@dataclass(frozen=True)
class Event:
    """A change during the run, `at` seconds after the traffic began. Value as in Path.

    Of "queue", if that of the path is in packets, packets.
    """

    at: float
    what: str
    value: float = 0.0

    def __str__(self) -> str:
        scale, unit = {
            "rate": (1e-6, " Mbit/s"),
            "loss": (1.0, " %"),
        }.get(self.what, (1e3, " ms"))
        value = f"={self.value * scale:g}{unit}" if self.what in VALUED else ""
        return f"{self.what}{value} at {self.at:g} s"


@dataclass(frozen=True)
class Path:
    """rate in bit/s, rtt, jitter and queue in s (queue: time to drain it when full), loss in %.

    queue_packets, if not 0, counts the queue in packets instead. burst: mean length of a run of
    lost packets (1: independent losses). jitter varies the delay of data, in order, as a wireless
    link does. there: what part of the RTT, in %, is on the way of the data. back: rate of the way
    back (0: not limited). police: bytes that a policer lets through at once (0: there is none).
    initcwnd: initial window in segments, of the hosts' routes (0: the kernel's, which is 10).
    Of a trace, rate, rtt and loss are the mean.
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
    back: float = 0.0
    police: int = 0
    initcwnd: int = 0
    trace: Series | None = None
    rtt_trace: Series | None = None
    loss_trace: Series | None = None
    events: tuple[Event, ...] = ()

    @property
    def frame(self) -> int:
        """Bytes of a full frame, as the bottleneck counts it."""
        return self.mtu + ETHERNET

    def drains(self, rate: float) -> int:
        """The limit of a queue before that rate, in bytes: two frames, or nothing gets through."""
        if self.queue_packets:
            return self.queue_packets * self.frame
        return max(int(rate * self.queue / 8), 2 * self.frame)

    @property
    def queue_bytes(self) -> int:
        """The bottleneck's queue limit."""
        return self.drains(self.rate)

    @property
    def moves(self) -> bool:
        """Does anything of it change as time goes by?"""
        return bool(self.events or self.trace or self.rtt_trace or self.loss_trace)

    @property
    def capacity(self) -> float:
        """TCP payload that the link carries when it is never idle, in bit/s."""
        return self.rate * (self.mtu - HEADERS[self.family]) / self.frame

    def __str__(self) -> str:
        mean = " on average" if self.trace else ""
        rate = f"{self.trace}, {self.rate / 1e6:.4g}" if self.trace else f"{self.rate / 1e6:g}"
        queue = f"{self.queue_packets} packets" if self.queue_packets else f"{self.queue * 1e3:g} ms"
        rtt = f"of {self.rtt_trace}" if self.rtt_trace else f"{self.rtt * 1e3:g} ms"
        parts = [f"{rate} Mbit/s{mean}", f"RTT {rtt}"]
        parts.append(f"policer of {self.police} bytes" if self.police else f"queue {queue}")
        if self.loss:
            runs = f" in runs of {self.burst:g}" if self.burst > 1 else ""
            parts.append(f"loss of {self.loss_trace}" if self.loss_trace else f"loss {self.loss:g} %{runs}")
        parts += [f"jitter {self.jitter * 1e3:g} ms"] if self.jitter else []
        parts += [self.aqm] if self.aqm != "fifo" else []
        parts += [f"back {self.back / 1e6:g} Mbit/s"] if self.back else []
        parts += [f"MTU {self.mtu}"] if self.mtu != 1500 else []
        parts += [f"initial window {self.initcwnd}"] if self.initcwnd else []
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


SETTINGS: dict[str, Callable[[str], float | int | str]] = {
    "loss": lambda text: units.percent(text, "loss"),
    "burst": lambda text: _number(text, "burst", 1, 1000),
    "jitter": lambda text: units.seconds(text, "jitter"),
    "aqm": lambda text: _choice(text, "aqm", AQMS),
    "mtu": lambda text: int(_number(text, "mtu", 576, 9000)),
    "family": lambda text: int(_choice(text, "family", ("4", "6"))),
    "there": lambda text: units.percent(text, "there"),
    "back": lambda text: units.rate(text, "back"),
    "police": lambda text: units.size(text, "police"),
    "initcwnd": lambda text: int(_number(text, "initcwnd", 1, 1000)),
}


def _event(text: str, path: Path) -> Event:
    change, _, time = text.partition("@")
    what, _, value = change.partition("=")
    _choice(what, "event", EVENTS)
    if value and what not in VALUED:
        raise units.UnitError(f"event '{what}' takes no value")
    at = units.seconds(time, f"time of '{what}'")
    if what not in VALUED:
        return Event(at, what)
    if what != "queue":
        return Event(at, what, {**SETTINGS, "rate": units.rate, "rtt": units.seconds}[what](value))
    queue = _queue(value)
    if ("queue_packets" in queue) != bool(path.queue_packets):
        raise units.UnitError(f"event 'queue={value}': write it as the path's own, in ms or in packets (p)")
    return Event(at, what, queue.get("queue_packets") or queue["queue"])


def _extend(path: Path, field: str, step: float) -> Path:
    key, equals, value = field.partition("=")
    if key == "loss-trace":
        series = traces.load(value, LOSS, step)
        return replace(path, loss_trace=series, loss=series.mean)
    if "@" in field:
        events = sorted([*path.events, _event(field, path)], key=lambda e: e.at)
        return replace(path, events=tuple(events))
    if not equals:
        return replace(path, loss=units.percent(field, "loss"))
    if key not in SETTINGS:
        raise units.UnitError(
            f"unknown '{key}': there are {', '.join(SETTINGS)}, loss-trace, step, and events with @TIME"
        )
    return replace(path, **{key: SETTINGS[key](value)})


def _without(path: Path, what: str, why: str) -> None:
    """Refuse events that do not go with the rest."""
    if any(event.what == what for event in path.events):
        raise units.UnitError(f"event '{what}': {why}")


def _check(path: Path) -> None:
    """What fits together."""
    rtts = [e.value for e in path.events if e.what == "rtt"]
    rtts += [min(path.rtt_trace.values) / 1e3] if path.rtt_trace else [path.rtt]
    jitters = [path.jitter, *(e.value for e in path.events if e.what == "jitter")]
    if path.family == 6 and path.mtu < 1280:
        raise units.UnitError(f"mtu={path.mtu}: IPv6 has at least 1280")
    if path.burst > 1 and not path.loss:
        raise units.UnitError("burst without loss")
    if max(jitters) > min(rtts) * (1 - path.there / 100) + 1e-9:
        raise units.UnitError("jitter is larger than the way back, which makes up for it")
    if max(path.queue_bytes, path.drains(path.back)) >= QUEUE_LIMIT:
        raise units.UnitError("the queue is larger than 4 GB")
    if path.police:
        _check_policer(path)
    for series, what in ((path.trace, "rate"), (path.rtt_trace, "rtt"), (path.loss_trace, "loss")):
        if series:
            _without(path, what, f"the trace '{series.name}' says what it is")


def _check_policer(path: Path) -> None:
    if path.queue or path.queue_packets or path.aqm != "fifo":
        raise units.UnitError("police: a policer has no queue; write 0ms for it, and no aqm")
    if path.police < 2 * path.frame:
        raise units.UnitError(f"police={path.police}: write at least two frames, {2 * path.frame} bytes")
    if path.trace:
        raise units.UnitError("police: not with a trace")
    _without(path, "queue", "a policer has no queue")


def _base(fields: list[str], step: float) -> Path:
    """What each path has: rate, RTT, queue."""
    if len(fields) < 3:
        raise units.UnitError(f"{len(fields)} fields; {WHAT}")
    (rate_key, _, rate), (rtt_key, _, rtt) = (field.partition("=") for field in fields[:2])
    trace = traces.load(rate, RATE, step) if rate_key == "trace" else None
    rtt_trace = traces.load(rtt, RTT, step) if rtt_key == "rtt-trace" else None
    return Path(
        0.0 if trace else units.rate(fields[0], "rate"),
        rtt_trace.mean if rtt_trace else units.seconds(fields[1], "RTT"),
        trace=trace,
        rtt_trace=rtt_trace,
        **_queue(fields[2]),
    )


def _check_once(fields: list[str]) -> None:
    """Of two values one would be lost. A loss may be without its key, or a trace; events come again."""
    keys = [
        field.partition("=")[0].removesuffix("-trace") if "=" in field else "loss"
        for field in fields
        if "@" not in field
    ]
    for key in keys:
        if keys.count(key) > 1:
            raise units.UnitError(f"{key} is given {keys.count(key)} times: keep one of them")


def _step(fields: list[str]) -> tuple[float, list[str]]:
    """Seconds between the lines of the path's traces; the other fields."""
    found = [field for field in fields if field.startswith("step=")]
    _check_once(found)
    step = units.seconds(found[-1].removeprefix("step="), "step") if found else 1.0
    if not 0.001 <= step <= 60:
        raise units.UnitError(f"step={step:g}s: write a time from 1ms to 60s")
    if found and not any("trace=" in field for field in fields):
        raise units.UnitError("step without a trace, of whose lines it is the time")
    return step, [field for field in fields if field not in found]


def parse(text: str) -> Path:
    """A path from its text; UnitError says what is wrong with it."""
    try:
        step, fields = _step(text.split(","))
        path = _base(fields, step)
        for field in fields[3:]:
            path = _extend(path, field, step)
        _check_once(fields[3:])
        if path.trace:
            path = replace(path, rate=path.trace.rate(path.frame))
        _check(path)
    except units.UnitError as error:
        raise units.UnitError(f"--path {text}: {error}") from None
    return path
