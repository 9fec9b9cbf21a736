# SPDX-License-Identifier: MIT
"""In which order the client hands packets on: as they come, or from a buffer in front of TCP.

    Plain     as they come
    InOrder   an endless buffer that knows no losses (Chebrolu's WRR-BUFF)
    Bmp       Chebrolu's Buffer Management Policy

BMP trusts each path to keep its packets in order: when every path has delivered something later than
the packet that is waited for, that one is lost. A timer of 0.5 s decides where a path has nothing to
deliver. What is known to be lost is passed over, one packet at a time: what waits behind another gap goes on
waiting for that. (The paper hands on the whole buffer; then what still fills the second gap comes late.)
"""

from __future__ import annotations

from typing import Generic, TypeVar

Packet = TypeVar("Packet")


class Plain(Generic[Packet]):
    """As they come."""

    lost = late = timeouts = 0

    def arrived(self, number: int, path: int, packet: Packet, now: float) -> list[Packet]:
        return [packet]

    @property
    def deadline(self) -> float | None:
        """When to call expired()."""
        return None

    def expired(self, now: float) -> list[Packet]:
        return []


class InOrder(Plain[Packet]):
    """Numbers count from 0."""

    def __init__(self) -> None:
        self.next, self.most = 0, 0  # the number waited for; the most packets that waited
        self._held: dict[int, Packet] = {}

    def _flush(self) -> list[Packet]:
        found = []
        while self.next in self._held:
            found.append(self._held.pop(self.next))
            self.next += 1
        return found

    def arrived(self, number: int, path: int, packet: Packet, now: float) -> list[Packet]:
        if number < self.next:
            self.late += 1
            return [packet]
        self._held[number] = packet
        found = self._flush()
        self.most = max(self.most, len(self._held))
        return found


class Bmp(InOrder[Packet]):
    """Comparison of paths, and a timer."""

    def __init__(self, paths: int, timeout: float = 0.5) -> None:
        super().__init__()
        self._newest, self._timeout = [-1] * paths, timeout
        self._since: tuple[int, float] | None = None  # the number that the timer runs for, its start

    def arrived(self, number: int, path: int, packet: Packet, now: float) -> list[Packet]:
        self._newest[path] = max(self._newest[path], number)
        found = super().arrived(number, path, packet, now)
        while self._held and min(self._newest) > self.next:
            found += self._pass_over()
        self._watch(now)
        return found

    def _pass_over(self) -> list[Packet]:
        self.next += 1
        self.lost += 1
        return self._flush()

    def _watch(self, now: float) -> None:
        """Each number that is waited for has a timer of its own."""
        if not self._held:
            self._since = None
        elif self._since is None or self._since[0] != self.next:
            self._since = self.next, now

    @property
    def deadline(self) -> float | None:
        return self._since[1] + self._timeout if self._since else None

    def expired(self, now: float) -> list[Packet]:
        """All up to the first that is there are lost."""
        found: list[Packet] = []
        if self._held:
            self.timeouts += 1
            while not found:
                found += self._pass_over()
        self._watch(now)
        return found
