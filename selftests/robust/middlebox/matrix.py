#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Transfers through middleboxes: MPTCP has to bring the bytes wherever TCP does.

usage: middlebox/matrix.py CLIENT SERVER ROUTER [quick | BOX [POSITION [SCHEDULER [CHECKSUM]]]]

The network namespaces are those that middlebox.sh has made. A word chooses cells of the matrix,
"all" stands for each. Prints "ok" and "not ok" lines, what happened and a table behind "#".
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kinds import KINDS, MARK, POSITIONS, SIZE, Kind
from traffic import IPPROTO_MPTCP, Arrived, Transfer, compare, stream

from net import Hosts, Network, counters, set_sysctl

IPPROTO_TCP = 6
PATIENCE = 90.0  # in seconds, with a transfer; MPTCP gives up 60 s after it lost its last subflow
OPT_INS = ("check_lengths", "retry_refused")
# All of this kernel's, and one with extensions.
SCHEDULERS = (*Path("/proc/sys/net/mptcp/available_schedulers").read_text().split(), "minrtt+rp+bm")
WORDS = {
    "tcp": "as TCP",
    "half": "as TCP on one host",
    "1": "1 subflow",
    "2": "2 subflows",
    "2-1": "one of 2 subflows closed",
    "lost": "to an end with an error",
    "refused": "no way: connect() was refused",
    "wrong": "with wrong bytes",
}
# In the table; what a user would not want stands out.
SHORT = {
    "tcp": "TCP",
    "2-1": "one closed",
    "lost": "**lost**",
    "refused": "**refused**",
    "wrong": "**wrong bytes**",
}
PLACES = {
    "alone": "the only path",
    "first": "the first subflow's path",
    "later": "the second subflow's path",
    "both": "both paths",
}
# Counters that tell why.
TELLING = ("Fallback", "FallbackFailed", "Drop", "Blackhole", "Infinite", "Fail", "Csum", "Rst", "DSS")


@dataclass
class Cell:
    box: str
    position: str
    scheduler: str
    checksum: int
    protocol: int = IPPROTO_MPTCP

    @property
    def kind(self) -> Kind:
        return KINDS[self.box]


@dataclass
class Outcome:
    took: float
    acted: int
    way: str
    up: Arrived
    down: Arrived
    errors: list[Fault]
    grown: dict[str, int] = field(default_factory=dict)

    def marks(self) -> str:
        replaced = self.up.replaced + self.down.replaced
        return f"{replaced} replaced, {self.up.original + self.down.original} not"

    def bad_end(self) -> str:
        """What the errors come to; nothing without any."""
        if not self.errors:
            return ""
        if any(e.brief == "wrong bytes" for e in self.errors):
            return "wrong"
        return "refused" if self.errors[0].brief == "ECONNREFUSED" else "lost"

    def why(self) -> str:
        return ", ".join(f"{k} {v}" for k, v in self.grown.items() if any(w in k for w in TELLING))


def way(moving: Transfer, grown: dict[str, int]) -> str:
    """How the bytes went; see KINDS."""
    fell_back = [end.fell_back() for _, end in moving.ends()]
    if any(fell_back):
        return "tcp" if all(fell_back) else "half"
    if not grown.get("server MPJoinAckRx"):
        return "1"
    resets = ("client MPRstTx", "server MPRstTx", "client MPFailTx", "server MPFailTx")
    return "2-1" if any(grown.get(name) for name in resets) else "2"


@dataclass
class Fault:
    """brief: for the table."""

    brief: str
    text: str


def errors(moving: Transfer, ended: bool, up: Arrived, down: Arrived) -> list[Fault]:
    """The worst one first."""
    found = []
    for side, arrived in ("server", up), ("client", down):
        if arrived.wrong is not None and arrived.wrong < arrived.size:
            text = f"the {side}'s byte {arrived.wrong} of {arrived.size} is wrong"
            found.append(Fault("wrong bytes", text))
    for side, end in moving.ends():
        if end.error:
            found.append(Fault(end.error, f"the {side} gets {end.error}"))
    if not ended:
        found.append(Fault("no end", f"no end after {PATIENCE:.0f} s"))
    for side, arrived in ("server", up), ("client", down):
        if arrived.wrong == arrived.size:
            found.append(Fault("cut short", f"the {side} has only {arrived.size} bytes"))
    return found


class Matrix:
    """talks: also about what is right."""

    def __init__(self, network: Network, talks: bool) -> None:
        self.network, self.talks = network, talks
        self.port, self.cells, self.moved = 5000, 0, 0
        self.tcp_took = 0.0

    def transfer(self, cell: Cell) -> Outcome:
        hosts = (self.network.hosts.client, self.network.hosts.server)
        for host in hosts:
            set_sysctl(host, "mptcp/checksum_enabled", cell.checksum)
            set_sysctl(host, "mptcp/scheduler", cell.scheduler)
            # a value that is written makes it forget about black holes
            set_sysctl(host, "mptcp/blackhole_timeout", 3600)
            for name in OPT_INS:
                set_sysctl(host, f"mptcp/{name}", int(cell.kind.opt_in == name))
        self.network.fresh()
        self.port += 1
        old = [counters(host) for host in hosts]
        start = time.monotonic()
        streams = stream(SIZE, 1, MARK), stream(cell.kind.down, 2, MARK)
        pauses = len(streams[0][0]) + len(MARK) if cell.kind.pauses else None
        output = (MARK.join(s) for s in streams)
        moving = Transfer(self.network, cell.protocol, self.port, *output, pauses)
        ended = moving.run(PATIENCE)
        took = time.monotonic() - start
        acted = self.network.acted()
        new = [counters(host) for host in hosts]
        grown = {
            f"{side} {name}": after[name] - before[name]
            for side, before, after in zip(("client", "server"), old, new, strict=True)
            for name in after
            if after[name] != before[name]
        }
        server = bytes(moving.server.input) if moving.server else b""
        up = compare(streams[0], MARK, cell.kind.new, server)
        down = compare(streams[1], MARK, cell.kind.new, bytes(moving.client.input))
        self.cells += 1
        self.moved += up.size + down.size
        found = errors(moving, ended, up, down)
        outcome = Outcome(took, acted, way(moving, grown), up, down, found, grown)
        moving.close()
        return outcome

    def control(self, box: str) -> None:
        """TCP, through the box on the only path."""
        outcome = self.transfer(Cell(box, "alone", "default", 0, IPPROTO_TCP))
        self.tcp_took = outcome.took
        print(f"{'not ' if outcome.errors else ''}ok {box}: TCP brings the bytes")
        for error in outcome.errors:
            print(f"# TCP: {error.text}")

    def faults(self, cell: Cell, outcome: Outcome) -> list[Fault]:
        allowed = cell.kind.ways(cell.position, cell.checksum)
        if outcome.errors:
            return [] if outcome.bad_end() in allowed else outcome.errors
        if cell.box != "none" and not outcome.acted:
            return [Fault("untouched", "the box did nothing")]
        if outcome.way not in allowed:
            expected = " or ".join(WORDS[w] for w in allowed)
            return [Fault("other way", f"it went {WORDS[outcome.way]}, not {expected}")]
        if outcome.took > 4 * self.tcp_took + cell.kind.slack:
            return [Fault("slow", f"it took {outcome.took:.1f} s, TCP {self.tcp_took:.1f} s")]
        return []

    def group(self, cells: list[Cell]) -> str:
        """The cells that differ by the scheduler: one result, and what the table has."""
        ways: Counter[str] = Counter()
        bad: Counter[str] = Counter()
        lines = []
        for cell in cells:
            outcome = self.transfer(cell)
            found = self.faults(cell, outcome)
            if found:
                bad[found[0].brief] += 1
                lines.append(f"{said(cell, outcome)}: {'; '.join(f.text for f in found)}")
            else:
                went = outcome.bad_end() or outcome.way
                ways[SHORT.get(went, went)] += 1
                if self.talks:
                    print(f"# {said(cell, outcome)}")
        on = "on" if cells[0].checksum else "off"
        where = f"{cells[0].box} on {PLACES[cells[0].position]}"
        print(f"{'not ' if lines else ''}ok {where}, checksums {on}: as expected")
        for line in lines:
            print(f"# {line}")
        sys.stdout.flush()
        good = ", ".join(ways)
        if not bad:
            return good
        failed = f"**{bad.total()} of {len(cells)}: {', '.join(bad)}**"
        return f"{failed}; {good}" if good else failed


def said(cell: Cell, outcome: Outcome) -> str:
    """What happened in a cell; its first words choose it."""
    text = f"{cell.box} {cell.position} {cell.scheduler} {cell.checksum}: {outcome.took:.2f} s, "
    text += f"{outcome.acted} changed, {WORDS[outcome.way]}"
    if cell.kind.new != MARK:
        text += f", marks: {outcome.marks()}"
    why = outcome.why()
    return f"{text} ({why})" if why else text


@dataclass
class Choice:
    """Which cells; a word that is missing or "all" stands for each."""

    words: list[str]

    def __post_init__(self) -> None:
        if self.words == ["quick"]:
            self.words = ["all", "all", "default"]

    def among(self, index: int, names: Iterable[str]) -> list[str]:
        word = self.words[index] if index < len(self.words) else "all"
        found = [n for n in names if word in ("all", n)]
        if not found:
            sys.exit(f"no cell has the word {word}")
        return found

    def one_box(self) -> bool:
        return bool(self.words) and self.words[0] != "all"

    def boxes(self) -> list[str]:
        return [b for b in self.among(0, KINDS) if self.one_box() or not KINDS[b].named]


def box_rows(matrix: Matrix, network: Network, choice: Choice, box: str) -> dict[tuple[str, int], str]:
    """All cells of a box: what the table has."""
    kind, row = KINDS[box], {}
    network.plug(kind, "alone")
    matrix.control(box)
    for position in choice.among(1, kind.expect):
        network.plug(kind, position)
        for checksum in map(int, choice.among(3, ("0", "1"))):
            cells = [Cell(box, position, s, checksum) for s in choice.among(2, SCHEDULERS)]
            row[position, checksum] = matrix.group(cells)
    return row


def show_table(table: dict[str, dict[tuple[str, int], str]]) -> None:
    def say(*fields: str) -> None:
        print(f"# | {' | '.join(fields)} |")

    say("middlebox", "only path", "first", "later", "both")
    say("---", *("---" for _ in POSITIONS))
    for box, row in table.items():
        fields = []
        for position in POSITIONS:
            plain, checked = row.get((position, 0), "–"), row.get((position, 1), "–")
            fields.append(plain if plain == checked else f"{plain}; with checksums {checked}")
        say(f"{KINDS[box].what} (`{box}`)", *fields)


def main() -> int:
    client, server, router, *words = sys.argv[1:]
    choice = Choice(words)
    network = Network(Hosts(client, server, router))
    matrix = Matrix(network, choice.one_box())
    show_table({box: box_rows(matrix, network, choice, box) for box in choice.boxes()})
    print(f"# {matrix.cells} cells, {matrix.moved} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
