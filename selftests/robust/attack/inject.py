# SPDX-License-Identifier: GPL-2.0
"""Somebody on one of two paths speaks in the name of an end: what comes of the connection?

usage: python3 inject.py CLIENT SERVER [quick | FORGERY [POSITION [VICTIM]]]

The network namespaces of lib.sh. Prints "ok WHAT" or "not ok WHAT" and a row of the table for each
forgery of forge.py. A word that is missing or "all" stands for each.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from boxes import Box
from eye import Eye
from forge import FORGERIES, NUMBER, Forgery, Scene
from kinds import MARK, SIZE, Kind
from traffic import IPPROTO_MPTCP, Transfer, compare, stream

from net import Hosts, Network, counters, inside, ip, set_sysctl

EYES = Kind("eyes", Box, {})
# The attacked path is that of the first subflow, of a joined one, or of one that is not used.
POSITIONS = {"first": 1, "joined": 2, "backup": 2}
UNUSED = (
    "fail",
    "fail_reset",
    "remove",
    "tlv_prio",
    "tlv_remove",
    "tlv_add",
    "data_fin_far",
    "map_far",
    "ack_beyond",
    "reset",
    "blind",
)
QUICK = ("none", "fail", "remove", "tlv_prio", "data_fin_far", "map_holes", "map_infinite", "reset", "blind")
BEGIN = 150_000  # bytes that both paths have carried, before the attack
PATIENCE = 200.0
SLOW = 3.0  # seconds more than without an attack
WORDS = {
    "path": "its subflow ends",
    "sibling": "the other subflow is closed",
    "demoted": "the other subflow becomes a backup",
    "idle": "the other subflow is not used any more",
    "tcp": "TCP on its path",
    "slow": "slow",
    "lost": "no end",
    "cut": "the stream ends early",
    "wrong": "wrong bytes",
    "error": "an error",
    "taken": "its address is taken",
}


class Lab(Network):
    """Both paths with an eye on each."""

    def __init__(self, hosts: Hosts) -> None:
        super().__init__(hosts)
        self.eyes: dict[int, Eye] = {}
        self.attack: Attack | None = None
        # which hosts can have a control stream: not those of unpatched Linux
        with inside(hosts.server):
            able = Path("/proc/sys/net/mptcp/control_stream").exists()
        self.streams = [hosts.client, hosts.server] if able else []

    def lay(self, backup: bool) -> None:
        self.plug(EYES, "both")
        flags = "signal backup" if backup else "signal"
        ip(self.hosts.server, ["mptcp endpoint flush", f"mptcp endpoint add 10.1.2.2 {flags}"])

    def begin(self, attack: Attack, port: int) -> None:
        for number in self.wires:
            self.wires[number].box = self.eyes[number] = Eye(port)
        self.attack = attack

    def tick(self) -> None:
        super().tick()
        if self.attack:
            self.attack.tick()


class Attack:
    """One forgery in one transfer."""

    def __init__(self, lab: Lab, port: int, position: str, victim: str, forgery: Forgery) -> None:
        self.lab, self.port, self.position, self.forgery = lab, port, position, forgery
        self.up = victim == "server"
        self.struck = self.heard = False
        self.before = 0  # what the victim had sent on the other path
        self.harms: set[str] = set()
        lab.begin(self, port)
        path = POSITIONS[position]
        self.wire = lab.wires[path]
        self.eye, self.other = lab.eyes[path], lab.eyes[3 - path]
        self.moving: Transfer | None = None

    def tick(self) -> None:
        if not self.moving or self.complete():
            return
        if not self.struck and self.due():
            self.struck = True
            self.before = self.other.toward[not self.up].payload
            self.wire.send(self.forgery.make(Scene(self.eye, self.other, self.up)))
        self.watch()

    def due(self) -> bool:
        carried = [sum(s.payload for s in e.toward.values()) for e in (self.eye, self.other)]
        used = carried[0] > 0 or self.position == "backup"
        # else a mapping would not even be looked at
        between = self.eye.toward[self.up].between
        return self.eye.ready() and self.other.ready() and used and between and sum(carried) >= BEGIN

    def complete(self) -> bool:
        ends = self.moving.ends() if self.moving else []
        return len(ends) == 2 and all(len(end.input) >= SIZE for _, end in ends)

    def watch(self) -> None:
        """Of the subflows, while there is something to carry."""
        for eye, ended in (self.eye, "path"), (self.other, "sibling"):
            for side in eye.toward.values():
                if side.ended:
                    self.harms.add(ended)
                if NUMBER in side.announced:
                    self.harms.add("taken")
        if any(side.demoted for side in self.other.toward.values()):
            self.harms.add("demoted")

    def idle(self) -> bool:
        """Has the victim sent nothing more on the other path?"""
        return self.struck and self.other.toward[not self.up].payload == self.before

    def run(self) -> float:
        """How long it took."""
        pieces = [stream(SIZE, salt, MARK) for salt in (1, 2)]
        output = [MARK.join(s) for s in pieces]
        victim = self.lab.hosts.server if self.up else self.lab.hosts.client
        for host in self.lab.streams:
            set_sysctl(host, "mptcp/control_stream", int(self.forgery.stream))
        old = counters(victim)
        start = time.monotonic()
        self.moving = Transfer(self.lab, IPPROTO_MPTCP, self.port, *output, None)
        ended = self.moving.run(PATIENCE)
        took = time.monotonic() - start
        if not ended:
            self.harms.add("lost")
        elif self.idle() and "sibling" not in self.harms:
            self.harms.add("idle")
        for _, end in self.moving.ends():
            if end.error:
                self.harms.add("error")
            if end.fell_back():
                self.harms.add("tcp")
        server = bytes(self.moving.server.input) if self.moving.server else b""
        for sent, data in zip(pieces, (server, bytes(self.moving.client.input)), strict=True):
            arrived = compare(sent, MARK, MARK, data)
            if arrived.wrong is not None and arrived.wrong < arrived.size:
                self.harms.add("wrong")
            elif arrived.wrong is not None and ended:
                self.harms.add("cut")
        self.moving.close()
        new, name = counters(victim), self.forgery.counter
        self.heard = self.struck and (not name or new[name] > old[name])
        if self.forgery.stream and new["MPPrioRx"] > old["MPPrioRx"]:
            self.harms.add("demoted")
        return took


@dataclass
class Choice:
    words: list[str]

    def takes(self, *names: str) -> bool:
        if self.words == ["quick"]:
            return names[0] in QUICK
        return all(word in ("all", name) for word, name in zip(self.words, names, strict=False))


class Judge:
    def __init__(self, lab: Lab, choice: Choice) -> None:
        self.lab, self.choice = lab, choice
        self.port, self.attacks = 5000, 0
        self.calm = 0.0
        self.rows: dict[str, dict[tuple[str, str], str]] = {}

    def attack(self, name: str, position: str, victim: str) -> None:
        forgery = FORGERIES[name]
        self.port += 1
        self.attacks += 1
        attack = Attack(self.lab, self.port, position, victim, forgery)
        took = attack.run()
        self.calm = self.calm or took
        harms = attack.harms
        if took > self.calm + SLOW:
            harms.add("slow")
        said = ", ".join(word for key, word in WORDS.items() if key in harms) or "nothing"
        self.rows.setdefault(name, {})[position, victim] = said
        does = set(forgery.does.split())
        good = attack.heard and does <= harms <= does | set(forgery.allows.split())
        ends = "it is believed" if does else "nothing else is harmed"
        what = f"{forgery.what}, {position} subflow, to the {victim}: {ends}"
        print(f"{'' if good else 'not '}ok {what}")
        print(f"# {name} {position} {victim}: {said}, {took:.2f} s{'' if attack.heard else ', not heard'}")
        sys.stdout.flush()

    def all(self) -> None:
        for position in POSITIONS:
            self.lab.lay(position == "backup")
            for name in FORGERIES:
                if position == "backup" and name not in UNUSED:
                    continue
                if FORGERIES[name].stream and not self.lab.streams:
                    continue
                for victim in "client", "server":
                    if self.choice.takes(name, position, victim):
                        self.attack(name, position, victim)

    def table(self) -> None:
        for name, row in self.rows.items():
            found: dict[str, list[str]] = {}
            for (position, victim), said in row.items():
                found.setdefault(said, []).append(f"{position} to {victim}")
            cells = "; ".join(f"{said} ({', '.join(where)})" for said, where in found.items())
            print(f"# | {FORGERIES[name].what} | {cells if len(found) > 1 else next(iter(found))} |")


def main() -> int:
    client, server, *words = sys.argv[1:]
    judge = Judge(Lab(Hosts(client, server, "")), Choice(words))
    judge.all()
    judge.table()
    print(f"# {judge.attacks} attacks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
