# SPDX-License-Identifier: MIT
"""Bulk, by another program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..lab.guest import GuestError
from ..lab.topology import CLIENT, SERVER
from .base import Ends, Json, Timed


@dataclass(frozen=True)
class Iperf(Timed):
    """Bulk with iperf3 instead of our own program: the cross-check, at ten times the CPU time."""

    name: ClassVar[str] = "iperf3"
    needs: ClassVar[tuple[str, ...]] = ("iperf3",)

    @property
    def fills(self) -> bool:
        return True

    def listening(self, ends: Ends) -> str:
        command = ends.over("iperf3", "-s", "-1", "-J")
        return ends.background(f"{command} >/dev/null 2>&1", SERVER, server=True)

    def connecting(self, ends: Ends) -> str:
        options = ["-J", "--get-server-output", "-t", f"{self.seconds:g}"]
        command = ends.over("iperf3", "-c", ends.address(SERVER), *options)
        return ends.background(f"{command} >{ends.file('iperf')} 2>&1", CLIENT)

    def evaluate(self, ends: Ends) -> Json:
        raw = ends.result("iperf")
        if "error" in raw:
            raise GuestError(f"iperf3: {raw['error']}")
        # Not iperf3's own --omit: its first interval after the warm-up is short of bytes.
        rows = [i["sum"] for i in raw["server_output_json"]["intervals"]]
        kept = [r for r in rows if r["start"] > self.warmup - 0.5 and r["seconds"] > 0.5]
        took = sum(r["seconds"] for r in kept)
        if took < self.duration * 0.9:
            raise GuestError(f"iperf3 measured {took:.1f} s of {self.duration:g} s")
        return {
            "goodput_bps": sum(r["bytes"] for r in kept) * 8 / took,
            "over_time_s_bps": [(r["end"], r["bits_per_second"]) for r in rows],
        }
