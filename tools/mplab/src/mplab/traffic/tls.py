# SPDX-License-Identifier: MIT
"""Transfers through TLS: nginx and curl, with OpenSSL at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from ..lab.guest import GuestError
from ..lab.network import DOWN
from ..lab.topology import CLIENT
from ..words.settings import number, octets, span
from .answers import figures
from .base import Ends, Json, Workload
from .nginx import nginx


@dataclass(frozen=True)
class Tls(Workload):
    """`size` bytes from nginx to curl through TLS, `count` times, each over a connection of its own:
    the time from connect() to the last byte, and the part of it until the handshake is done."""

    name: ClassVar[str] = "tls"
    direction: ClassVar[str] = DOWN
    needs: ClassVar[tuple[str, ...]] = ("nginx", "curl", "openssl")
    judged: ClassVar[tuple[str, bool]] = ("completion_median_s", True)
    size: int = octets(4_000_000)
    count: int = number(5)
    pause: float = span(1.0)

    def listening(self, ends: Ends) -> str:
        return nginx(ends, self.size, tls=True)

    def connecting(self, ends: Ends) -> str:
        say = "%{size_download} %{time_appconnect} %{time_total}\\n"
        fetch = f"curl --no-progress-meter --fail --insecure --output /dev/null --write-out '{say}'"
        loop = f"for n in $(seq {self.count}); do {fetch} $0; sleep {self.pause:g}; done"
        command = ends.over("sh", "-c", loop, f"https://{ends.url_host}/file")
        return ends.background(f"{command} >{ends.file('curl')} 2>&1", CLIENT)

    def evaluate(self, ends: Ends) -> Json:
        took, handshakes = [], []
        for line in ends.file("curl").read_text().splitlines():
            size, *times = line.split()
            if size != str(self.size):
                raise GuestError(f"curl: {line}")
            handshakes.append(float(times[0]))
            took.append(float(times[1]))
        if len(took) < self.count:
            raise GuestError(f"{len(took)} of {self.count} transfers ended")
        return {
            "goodput_bps": self.size * 8 / median(took),
            **figures(took, "completion"),
            "handshake_median_s": median(handshakes),
        }
