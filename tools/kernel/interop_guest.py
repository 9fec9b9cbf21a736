#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One of the two guests of check-interop.sh.

usage: interop_guest.py server
       interop_guest.py client PATCHED SCHEDULER...

The devices vec0 and vec1 lead to the other guest. The client asks the server over TCP for one
connection after the other, and prints a line "ok WHAT" or "not ok WHAT" for each, and one for the
table. Most move bytes both ways; in one, the server makes its second address a backup, takes it
away, and aborts; in others each patched side has one of what goes beyond RFC 8684 switched on, which
comes about between two of them. PATCHED says who has a scheduler to choose: client, server or both.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

IPPROTO_MPTCP, SOL_MPTCP, MPTCP_INFO = 262, 284, 1
ORDERS, DATA = 4999, 5000
SIZE = 5_000_000
PATIENCE = 30
LISTEN, TIME_WAIT = "0A", "06"
# What a connection without accidents does not count, and one that the server aborts.
FALLBACKS = (
    *("MPCapableFallbackACK", "MPCapableFallbackSYNACK", "MPFallbackTokenInit"),
    *("InfiniteMapTx", "InfiniteMapRx", "MPFailTx", "MPFailRx", "DataCsumErr"),
    *("DSSNotMatching", "DSSNoMatchTCP", "DSSCorruptionFallback", "DSSCorruptionReset"),
    *("MPJoinNoTokenFound", "MPJoinAckHMacFailure", "MPJoinSynAckHMacFailure", "AddAddrDrop"),
)
RESETS = ("MPFastcloseTx", "MPFastcloseRx", "MPRstTx", "MPRstRx", "OutRsts", "EstabResets")
SIGNALS = {
    "client": ("MPPrioRx", "RmAddr", "MPFastcloseRx"),
    "server": ("MPPrioTx", "RmAddrTx", "MPFastcloseTx"),
}
# The sysctls of what goes beyond RFC 8684, and what counts there that it came about, if anything does.
EXTENSIONS = {
    "low_overhead": {"client": "LowOverheadSYNACKRX", "server": "LowOverheadACKRX"},
    "stateless_join": {"server": "MPJoinStatelessAckRx"},
    "control_stream": {"client": "ControlAgreed", "server": "ControlAgreed"},
    "coding": {"client": "CodingAgreed", "server": "CodingAgreed"},
}
# The joins that each side counts, and who owns the last octet of the addresses.
JOINS = {"client": "MPJoinSynAckRx", "server": "MPJoinAckRx"}
HOST = {"client": 1, "server": 2}


def run(command: str) -> None:
    subprocess.run(command.split(), check=True)


def address(family: int, path: int, role: str) -> str:
    return f"10.0.{path}.{HOST[role]}" if family == 4 else f"fd00:{path}::{HOST[role]}"


def configure(role: str) -> None:
    """Two paths, of 50 Mbit/s."""
    for path, delay in (1, "2ms"), (2, "5ms"):
        device = f"vec{path - 1}"
        run(f"ip addr add {address(4, path, role)}/24 dev {device}")
        run(f"ip addr add {address(6, path, role)}/64 dev {device} nodad")
        run(f"ip link set {device} up")
        run(f"tc qdisc add dev {device} root netem rate 50mbit delay {delay} limit 1000")
    run("ip mptcp limits set subflow 2 add_addr_accepted 2")


def set_sysctl(name: str, value: str | int) -> None:
    Path("/proc/sys/net/mptcp", name).write_text(str(value))


def counters() -> dict[str, int]:
    """TCP's and MPTCP's, and the bytes sent over the second path."""
    found = {"second": int(Path("/sys/class/net/vec1/statistics/tx_bytes").read_text())}
    text = Path("/proc/net/snmp").read_text() + Path("/proc/net/netstat").read_text()
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        if names.startswith(("Tcp:", "MPTcpExt:")):
            found.update(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))
    return found


def data(sender: str) -> bytes:
    return random.Random(sender).randbytes(SIZE)


def exchange(connection: socket.socket, role: str, peer: str) -> str:
    """Send and receive at a time until the peer's end; what went wrong, or nothing."""
    sender = threading.Thread(target=send, args=(connection, data(role)))
    sender.start()
    received = b"".join(iter(lambda: connection.recv(1 << 18), b""))
    sender.join()
    time.sleep(0.3)  # a copy that comes after close() would be answered with a reset
    if received == data(peer):
        return ""
    return f"{len(received)} bytes came, and not the right ones"


def send(connection: socket.socket, content: bytes) -> None:
    with contextlib.suppress(OSError):  # the peer will miss bytes
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)


def signal(connection: socket.socket, role: str, peer: str) -> str:
    """The client sends until the server aborts; what went wrong, or nothing."""
    if role == "client":
        send(connection, data(role) * 4)  # more than there is time for
        return ""
    received = receive_for(0.4, connection)
    run("ip mptcp endpoint change id 1 backup")
    received += receive_for(0.4, connection)
    run("ip mptcp endpoint delete id 1")
    last = receive_for(0.4, connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if last and (data(peer) * 4).startswith(received + last):
        return ""
    return f"{len(received)}, then {len(last)} bytes came, and not the right ones"


def receive_for(seconds: float, connection: socket.socket) -> bytes:
    received = bytearray()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        received += connection.recv(1 << 18)
    return bytes(received)


def uses_checksums(connection: socket.socket) -> bool:
    """The member mptcpi_csum_enabled of struct mptcp_info."""
    info: bytes = connection.getsockopt(SOL_MPTCP, MPTCP_INFO, 64)
    return bool(struct.unpack_from("B", info, 42)[0])


def open_sockets() -> list[str]:
    """The states of the sockets that the connection has left behind."""
    states = []
    for name in "tcp", "tcp6":
        for line in Path("/proc/net", name).read_text().splitlines()[1:]:
            local, remote, state = line.split()[1:4]
            if f":{DATA:04X}" in local + remote and state not in (LISTEN, TIME_WAIT):
                states.append(state)
    return states


def wait_for_end() -> str:
    """Until the connection's sockets are gone; what went wrong, or nothing."""
    deadline = time.monotonic() + 5
    while states := open_sockets():
        if time.monotonic() > deadline:
            return f"sockets stay in the states {states}"
        time.sleep(0.02)
    return ""


def judge(role: str, before: dict[str, int], order: dict) -> list[str]:
    """What the host counted that it should not have, or did not."""
    after = counters()
    grown = {name: after[name] - before[name] for name in before}
    once = (JOINS[role], *SIGNALS[role]) if order["signals"] else (JOINS[role],)
    never = FALLBACKS if order["signals"] else FALLBACKS + RESETS
    wrong = [f"{name} {grown[name]}" for name in never if grown.get(name)]
    wrong += [f"{name} {grown[name]}" for name in once if grown[name] != 1]
    if grown["second"] < SIZE // 20 and not order["signals"]:
        wrong.append(f"only {grown['second']} bytes went over the second path")
    return wrong


def beyond(role: str, before: dict[str, int]) -> list[str]:
    """The extensions that came about since, as far as this side counts them."""
    after = counters()
    named = {sysctl: counts[role] for sysctl, counts in EXTENSIONS.items() if role in counts}
    return [sysctl for sysctl, count in named.items() if after.get(count, 0) > before.get(count, 0)]


def offer(wanted: str) -> None:
    """One extension, or none, where the kernel knows them."""
    for sysctl in EXTENSIONS:
        if Path("/proc/sys/net/mptcp", sysctl).exists():
            set_sysctl(sysctl, int(sysctl == wanted))


def take_part(role: str, peer: str, connection: socket.socket, order: dict, before: dict[str, int]) -> str:
    """One side of a connection, to its end; what went wrong, or nothing."""
    connection.settimeout(PATIENCE)
    try:
        with connection:
            checksums = uses_checksums(connection)
            wrong = [(signal if order["signals"] else exchange)(connection, role, peer)]
    except OSError as error:
        return f"{role}: {error}"
    wrong += [wait_for_end(), *judge(role, before, order)]
    if checksums != order["checksums"]:
        wrong.append(f"checksums are {checksums}")
    expected = [order["offered"]] if order["both"] and role in EXTENSIONS[order["offered"]] else []
    if beyond(role, before) != expected:
        wrong.append(f"of the extensions there was {beyond(role, before)}")
    return "; ".join(f"{role}: {what}" for what in wrong if what)


def new_socket(family: int) -> socket.socket:
    domain = socket.AF_INET if family == 4 else socket.AF_INET6
    return socket.socket(domain, socket.SOCK_STREAM, IPPROTO_MPTCP)


def serve_one(order: dict, answer: TextIO) -> None:
    """With a listener of its own: connections inherit its scheduler, joins come to all addresses."""
    if order["scheduler"]:
        set_sysctl("scheduler", order["scheduler"])
    offer(order["offered"])
    run("ip mptcp endpoint flush")
    run(f"ip mptcp endpoint add {address(order['family'], 2, 'server')} dev vec1 id 1 signal")
    before = counters()
    with new_socket(order["family"]) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("" if order["family"] == 4 else "::", DATA))
        listener.listen()
        listener.settimeout(PATIENCE)
        print("listening", file=answer, flush=True)
        connection = listener.accept()[0]
        wrong = take_part("server", "client", connection, order, before)
    print(json.dumps(wrong), file=answer, flush=True)


def server() -> None:
    """Do what the client asks for, until it goes."""
    with socket.create_server(("", ORDERS)) as listener:
        listener.settimeout(3 * PATIENCE)
        connection = listener.accept()[0]
        connection.settimeout(3 * PATIENCE)
        orders = connection.makefile("rw")
        for line in orders:
            serve_one(json.loads(line), orders)


def ask(orders: TextIO, patched: str, scheduler: str, order: dict) -> str:
    """One connection, checksums asked for by the client; what went wrong, or nothing."""
    if patched != "server":
        set_sysctl("scheduler", scheduler)
    set_sysctl("checksum_enabled", int(order["checksums"]))
    offer(order["offered"])
    order["both"] = bool(order["offered"]) and patched == "both"
    order["scheduler"] = scheduler if patched != "client" else ""
    print(json.dumps(order), file=orders, flush=True)
    if orders.readline() != "listening\n":
        return "the server does not listen"
    before = counters()
    connection = new_socket(order["family"])
    connection.settimeout(PATIENCE)
    connection.connect((address(order["family"], 1, "server"), DATA))
    wrong = [take_part("client", "server", connection, order, before), json.loads(orders.readline())]
    return "; ".join(what for what in wrong if what)


def connect_orders() -> TextIO:
    """When the server has booted."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection((address(4, 1, "server"), ORDERS), 3 * PATIENCE).makefile("rw")
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def cases() -> dict[str, dict]:
    """The connections to ask for."""
    found = {
        f"IPv{family}, checksums {'on' if checksums else 'off'}": {
            "family": family,
            "checksums": checksums,
            "signals": False,
            "offered": "",
        }
        for family in (4, 6)
        for checksums in (False, True)
    }
    plain = found["IPv4, checksums off"]
    found["backup, removed address, abort"] = plain | {"signals": True}
    return found | {f"{sysctl} offered": plain | {"offered": sysctl} for sysctl in EXTENSIONS}


def client(patched: str, schedulers: list[str]) -> None:
    """All connections, one after the other; for each scheduler a row of the table."""
    orders = connect_orders()
    for scheduler in schedulers:
        row = [scheduler]
        for what, order in cases().items():
            start = time.monotonic()
            wrong = ask(orders, patched, scheduler, order)
            row.append("wrong" if wrong else f"{time.monotonic() - start:.1f} s")
            result = f"not ok {scheduler}, {what}\n# {wrong}" if wrong else f"ok {scheduler}, {what}"
            print(result, flush=True)
        print("row", *row, sep=" | ", flush=True)
    # its end has to leave this guest before the guest ends
    orders.close()
    time.sleep(1)


def main() -> None:
    role, *args = sys.argv[1:]
    configure(role)
    if role == "server":
        server()
    else:
        client(args[0], args[1:])


if __name__ == "__main__":
    main()
