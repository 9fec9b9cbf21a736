# SPDX-License-Identifier: GPL-2.0
"""What a server answers that does not know of joins without state and keys from the application, or has
them off, when a client asks for them.

usage: python3 unknown.py CLIENT SERVER [quick]

On an unpatched kernel this is what clients of ours find there. Prints "ok WHAT" or "not ok WHAT".
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from conformance.byhand import ISN, established, is_reset, option
from conformance.capture import ACK, SYN
from conformance.connection import Bad
from conformance.crypto import mac
from conformance.options import CAPABLE, CAPABLE_SHA256, JOIN
from conformance.wire import options
from stranger import Stranger, judged, listening

G, ASKS = 2, 2


def need(true: object, what: str) -> None:
    if not true:
        raise Bad(what)


def join(stranger: Stranger, long: bool) -> bool:
    """Is it taken? It asks to be joined without state, which must not be granted."""
    connection, port = established(stranger), stranger.new_port()
    stranger.send(port, SYN, ISN, 0, option(JOIN, ASKS, b"\5" + connection.token() + b"wxyz"))
    synack = stranger.answer(port)
    raw = options(synack).get(JOIN) if synack else None
    need(synack is not None and raw is not None, "the SYN is not answered with MP_JOIN")
    need(raw[2] & 15 == 0, f"the flags are {raw[2] & 15}")
    code = mac(connection.key, connection.peer_key, b"wxyz" + raw[12:16])
    body = b"\5" + code[:16] + b"wxyz" + connection.token() if long else b"\0" + code[:20]
    stranger.forget()
    stranger.send(port, ACK, ISN + 1, synack.seq + 1, option(JOIN, 0, body))
    got = stranger.answer(port)
    return got is not None and not is_reset(got)


def asks_to_join(stranger: Stranger) -> None:
    """a join that asks for no state is not granted that, and joins as RFC 8684 has it"""
    need(join(stranger, long=False), "it is refused")


def long_third(stranger: Stranger) -> None:
    """the long third ACK does not join"""
    need(not join(stranger, long=True), "it joins")


def asks_for_key(stranger: Stranger) -> None:
    """MP_CAPABLE with G and H is answered with H, as RFC 8684 has it"""
    port = stranger.new_port()
    stranger.send(port, SYN, ISN, 0, option(CAPABLE, 1, bytes([CAPABLE_SHA256 | G])))
    synack = stranger.answer(port)
    need(synack is not None and not is_reset(synack), "it is refused")
    raw = options(synack).get(CAPABLE)
    need(raw is not None, "the answer is TCP's")
    need(raw[3] == CAPABLE_SHA256, f"the flags are {raw[3]}")


CASES: list[Callable[[Stranger], None]] = [asks_to_join, long_third, asks_for_key]


def main() -> int:
    stranger = Stranger(sys.argv[2], "10.9.0.4")
    with listening(sys.argv[2]):
        for act in CASES:
            judged(f"unknown: {act.__doc__}", partial(act, stranger))
    print(f"# {len(CASES)} attacks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
