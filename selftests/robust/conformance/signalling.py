# SPDX-License-Identifier: GPL-2.0
"""Checks of ADD_ADDR, REMOVE_ADDR and MP_PRIO: sections 3.3.8 and 3.4."""

from __future__ import annotations

from .case import Case, Outcome, side
from .connection import Bad
from .crypto import mac
from .handshake import announced
from .options import ADD_ADDR, PRIO, REMOVE_ADDR, announced_address, echo_of


def add_addr_mac(case: Case, raw: bytes, up: bool) -> bytes:
    """The rightmost 64 bits; over the port, too, which is 0 if there is none (section 3.4.1)."""
    message = raw[3:-8]
    if not announced_address(raw).port:
        message += bytes(2)
    return mac(case.client.keys()[up], case.client.keys()[not up], message)[-8:]


def check_add_addr(case: Case) -> Outcome:
    """ADD_ADDR: the HMAC is right, the echo has the same identifier and no HMAC"""
    out, sent, echoed, macs = Outcome(), {}, set(), 0
    for s in case.client.segments:
        raw = s.option(ADD_ADDR)
        if raw and echo_of(raw):
            out.want(len(raw) in (8, 10, 20, 22), f"an echo of {len(raw)} bytes")
            echoed.add((s.up, raw[3:]))
        elif raw:
            out.want(len(raw) in (16, 18, 28, 30), f"{len(raw)} bytes")
            out.want(raw[-8:] == add_addr_mac(case, raw, s.up), f"HMAC in {raw.hex()}")
            sent[not s.up, raw[3:-8]] = raw
            macs += 1
    for key, raw in sent.items():
        out.want(key in echoed, f"no echo of {raw.hex()}")
    out.want(echoed <= set(sent), "an echo of what was not announced")
    out.done = f"{macs} HMACs, {len(echoed)} echos"
    if not sent:
        raise Bad("no ADD_ADDR")
    return out


def check_add_port(case: Case) -> Outcome:
    """ADD_ADDR with a port: the peer joins at that address and port"""
    out = Outcome(done=f"{len(case.client.joined)} joins")
    for flow in case.client.joined:
        places = {(a.ip, a.port) for a in announced(case, not flow.active) if a.port}
        out.want(flow.target in places, f"{side(flow.active)}: {flow.target}, announced: {places}")
    return out


def check_remove_addr(case: Case) -> Outcome:
    """REMOVE_ADDR: with the identifier of an address that was announced"""
    out, ids = Outcome(), set(announced(case, False).values())
    for s in case.client.segments:
        if raw := s.option(REMOVE_ADDR):
            out.want(not s.up and set(raw[3:]) <= ids and not raw[2] & 0xF, f"{raw.hex()} of {ids}")
    out.done = f"{out.seen} options"
    return out


def check_prio(case: Case) -> Outcome:
    """MP_PRIO: on the subflow it is about, backup and then regular"""
    out, bits = Outcome(), []
    for flow in case.client.subflows:
        for s in flow.segments:
            if raw := s.option(PRIO):
                bits.append(raw[2] & 0xF)
                out.want(flow in case.client.joined and s.up == case.args.prio_up, f"{raw.hex()}")
    steps = [b for i, b in enumerate(bits) if not i or bits[i - 1] != b]
    out.want(steps == [1, 0], f"B is {bits}")
    out.done = f"{len(bits)} options"
    return out
