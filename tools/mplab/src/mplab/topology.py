# SPDX-License-Identifier: MIT
"""The network inside the guest, as a shell script.

    client -- c1 ---- in [router1] out ---- s1 -- server
           \\- c2 ---- in [router2] out ---- s2 -/

Path i has the networks 10.i.1.0/24 (client side) and 10.i.2.0/24 (server side). The rate and
its queue are on the router's way out to the server, never on the sender's own interface: TCP
small queues would hide them. The whole RTT is on the router's way back to the client, so the
queue holds nothing but what waits. Segmentation offload is off, or rate and loss would act on
64 KB packets.

The server announces its further addresses; the client connects to each of them over the path
that leads there.
"""

from __future__ import annotations

from .paths import FRAME, Path

CLIENT, SERVER = "client", "server"
SERVER_ADDRESS = "10.1.2.2"
DELAY_LIMIT = 200_000  # packets that a delay may hold: never the one that drops


def router(i: int) -> str:
    return f"router{i}"


def _bottleneck(path: Path, dev: str) -> list[str]:
    """tc batch lines: the rate with a queue in bytes, and random loss before it."""
    rate, limit = f"{path.rate:.0f}bit", path.queue_bytes
    burst = max(2 * FRAME, int(path.rate / 8 / 1000))
    if not path.loss:
        return [f"qdisc add dev {dev} root tbf rate {rate} burst {burst} limit {limit}"]
    packets = max(limit // FRAME, 2)
    return [
        f"qdisc add dev {dev} root handle 1: tbf rate {rate} burst {burst} limit {limit}",
        f"qdisc add dev {dev} parent 1:1 netem loss {path.loss:g}% limit {packets}",
    ]


def _links(i: int) -> list[str]:
    """ip batch lines, run outside any namespace."""
    return [
        f"link add c{i} netns {CLIENT} type veth peer name in netns {router(i)}",
        f"link add out netns {router(i)} type veth peer name s{i} netns {SERVER}",
    ]


def _client(count: int) -> list[str]:
    lines = ["link set lo up"]
    for i in range(1, count + 1):
        lines += [
            f"addr add 10.{i}.1.1/24 dev c{i}",
            f"link set c{i} up",
            f"route add 10.{i}.2.0/24 via 10.{i}.1.2",
            f"rule add from 10.{i}.1.1 table {100 + i}",
            f"route add default via 10.{i}.1.2 table {100 + i}",
        ]
    return [*lines, "mptcp limits set subflow 8 add_addr_accepted 8"]


def _server(count: int) -> list[str]:
    lines = ["link set lo up"]
    for i in range(1, count + 1):
        lines += [
            f"addr add 10.{i}.2.2/24 dev s{i}",
            f"link set s{i} up",
            f"route add 10.{i}.1.0/24 via 10.{i}.2.1",
        ]
    lines.append("mptcp limits set subflow 8 add_addr_accepted 8")
    lines += [f"mptcp endpoint add 10.{i}.2.2 dev s{i} signal" for i in range(2, count + 1)]
    return lines


def _router(i: int) -> list[str]:
    return [
        f"addr add 10.{i}.1.2/24 dev in",
        f"addr add 10.{i}.2.1/24 dev out",
        "link set in up",
        "link set out up",
    ]


def _batch(tool: str, namespace: str, lines: list[str]) -> str:
    where = f"-n {namespace} " if namespace else ""
    return "\n".join([f"{tool} {where}-batch - <<END", *lines, "END"])


def _offloads(namespace: str, devices: list[str]) -> list[str]:
    return [
        f"ip netns exec {namespace} ethtool -K {dev} tso off gso off gro off" for dev in devices
    ]


def _sysctls(buffer: int | None) -> list[str]:
    """For client and server: no metrics kept between connections, buffers of a given size."""
    values = ["net.ipv4.tcp_no_metrics_save=1", "net.ipv6.conf.all.disable_ipv6=1"]
    if buffer:
        for name, default in (("tcp_rmem", 131072), ("tcp_wmem", 16384)):
            values.append(f'"net.ipv4.{name}=4096 {min(default, buffer)} {buffer}"')
    return [f"ip netns exec {ns} sysctl -q -w {' '.join(values)}" for ns in (CLIENT, SERVER)]


def script(paths: list[Path], buffer: int | None = None) -> str:
    """Shell commands that build the network; they stop at the first error."""
    count = len(paths)
    numbers = range(1, count + 1)
    names = [CLIENT, SERVER, *(router(i) for i in numbers)]
    parts = ["set -e", _batch("ip", "", [f"netns add {name}" for name in names])]
    parts += _sysctls(buffer)
    parts.append(_batch("ip", "", [line for i in numbers for line in _links(i)]))
    parts += _offloads(CLIENT, [f"c{i}" for i in numbers])
    parts += _offloads(SERVER, [f"s{i}" for i in numbers])
    for i, path in zip(numbers, paths, strict=True):
        parts += [
            *_offloads(router(i), ["in", "out"]),
            f"ip netns exec {router(i)} sysctl -q -w net.ipv4.ip_forward=1",
            _batch("ip", router(i), _router(i)),
            _batch(
                "tc",
                router(i),
                [
                    *_bottleneck(path, "out"),
                    f"qdisc add dev in root netem delay {path.rtt * 1e6:.0f}us limit {DELAY_LIMIT}",
                ],
            ),
        ]
    parts += [_batch("ip", CLIENT, _client(count)), _batch("ip", SERVER, _server(count))]
    return "\n".join(parts) + "\n"


def picture(paths: list[Path]) -> str:
    """The network for a human."""
    lines = ["    client                         router                          server"]
    for i, path in enumerate(paths, 1):
        lines.append(
            f"    10.{i}.1.1 c{i} ---- in [ {router(i)} ] out ---- s{i} 10.{i}.2.2    {path}"
        )
    return "\n".join(lines)
