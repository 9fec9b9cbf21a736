# SPDX-License-Identifier: MIT
"""What a guest's kernel has: schedulers with their extensions, congestion controls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..lab.guest import Guests
from ..words.units import UnitError
from .experiment import scratch

SYSCTL = "/proc/sys/net/mptcp"
MODULE = re.compile(r"(?:tcp|mptcp_cong)_(\w+)\.ko")  # of a congestion control, but for OTHERS
OTHERS = {"diag", "test"}
LED = {"replay"}  # schedulers that do nothing of their own


class UnknownName(UnitError):
    """A scheduler or congestion control that the kernel does not have; the message says what it has."""


@dataclass(frozen=True)
class Schedulers:
    """Names such as "minrtt" and, with extensions, "minrtt+rp"."""

    bases: tuple[str, ...] = ("default",)
    extensions: tuple[str, ...] = ()

    def __contains__(self, name: object) -> bool:
        base, *extensions = str(name).split("+")
        # as the kernel has it: each once, and of these one
        alike = ["rp" if e in ("r", "rp0", "rp1") else e for e in extensions]
        twice = len(set(alike)) < len(alike)
        return base in self.bases and not twice and set(extensions) <= set(self.extensions)

    def __str__(self) -> str:
        """For a user who named something else."""
        text = ", ".join(self.bases)
        if self.extensions:
            text += f", and with any of them {', '.join('+' + e for e in self.extensions)}"
        return text

    def all(self) -> list[str]:
        return [name for name in self.bases if name not in LED]

    def having(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self]


def available(guests: Guests) -> tuple[Schedulers, list[str]]:
    """The schedulers and the congestion controls of the guest's kernel."""
    command = (
        f"cat {SYSCTL}/available_schedulers 2>/dev/null || echo default; echo ';'; "
        f"cat {SYSCTL}/available_sched_extensions 2>/dev/null; echo ';'; "
        "cat /proc/sys/net/ipv4/tcp_available_congestion_control; echo ';'; "
        "find /lib/modules/*/kernel/net -name '*tcp_*.ko' -printf '%f '"
    )
    with scratch() as directory:
        bases, extensions, loaded, files = (
            part.split() for part in guests.run(command, directory).split(";")
        )
    modules = {match[1] for file in files if (match := MODULE.fullmatch(file))}
    return Schedulers(tuple(bases), tuple(extensions)), sorted({*loaded, *(modules - OTHERS)})
