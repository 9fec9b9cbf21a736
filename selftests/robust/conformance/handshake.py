# SPDX-License-Identifier: GPL-2.0
"""Checks of MP_CAPABLE and MP_JOIN: sections 3.1 and 3.2."""

from __future__ import annotations

from .capture import ACK, SYN
from .case import Case, Outcome, side
from .connection import Connection, Subflow, need
from .crypto import mac, token_of
from .mapping import offset
from .options import (
    ADD_ADDR,
    CAPABLE,
    CAPABLE_CHECKSUM,
    CAPABLE_NO_JOIN,
    CAPABLE_SHA256,
    JOIN,
    Address,
    announced_address,
    echo_of,
)


def capable_flags(case: Case, from_client: bool) -> int:
    no_join = case.args.no_join == side(from_client)
    checksum = CAPABLE_CHECKSUM if case.args.checksum else 0
    return CAPABLE_SHA256 | checksum | (CAPABLE_NO_JOIN if no_join else 0)


def check_capable(case: Case) -> Outcome:
    """MP_CAPABLE: version 1, the keys where they belong, the flags"""
    out, first = Outcome(), case.client.initial
    syn = need(first.syn, CAPABLE, 4, "MP_CAPABLE in the SYN")
    synack = need(first.synack, CAPABLE, 12, "MP_CAPABLE in the SYN/ACK")
    keys = case.client.keys()
    out.want(synack[4:12] == keys[False], "the server's key is not the same in SYN/ACK and third ACK")
    out.want(len({*keys.values(), bytes(8)}) == 3, "keys that are no keys")
    out.want(syn[2] & 0xF == 1, "the SYN's version")
    options = [(s.up, o) for s in case.client.segments if (o := s.option(CAPABLE))]
    for up, raw in options:
        out.want(raw[2] & 0xF == 1, f"version in {raw.hex()}")
        out.want(raw[3] == capable_flags(case, up), f"flags {raw[3]:#x}, not {capable_flags(case, up):#x}")
        if len(raw) >= 20:
            out.want(up and raw[4:20] == keys[True] + keys[False], f"other keys in {raw.hex()}")
    seen_there = [o for s in case.server.segments if (o := s.option(CAPABLE))]
    out.want({o for _, o in options} == set(seen_there), "the two hosts saw different options")
    out.done = f"{len(options)} options"
    return out


def check_first(case: Case) -> Outcome:
    """the first DSN of each direction follows the least significant 64 bits of SHA-256(key)"""
    out = Outcome(done="2 directions")
    for up in (True, False):
        idsn, starts, implied = case.client.idsn(up), [], 0
        for s in case.client.segments:
            capable, dss = s.option(CAPABLE), s.dss()
            if s.up == up and capable and len(capable) >= 22:
                implied = int.from_bytes(capable[20:22], "big")  # the first mapping has no DSN
            elif s.up == up and dss and dss.dsn is not None:
                starts.append(offset(dss.dsn, dss.dsn_wide, idsn))
        good = bool(starts) and min(starts) in (0, implied)
        out.want(good, f"{side(up)}: {min(starts, default=None)} beside it")
    return out


def check_token(case: Case) -> Outcome:
    """MP_JOIN: the token is the most significant 32 bits of SHA-256(the server's key)"""
    return token_of_receiver(case, True)


def check_token_of_client(case: Case) -> Outcome:
    """MP_JOIN by the server: the token is that of the client's key"""
    return token_of_receiver(case, False)


def token_of_receiver(case: Case, active: bool) -> Outcome:
    out = Outcome()
    want = token_of(case.client.keys()[not active])
    for flow in case.client.joined:
        token = need(flow.syn, JOIN, 12, "MP_JOIN in the SYN")[4:8]
        out.want(flow.active == active, f"a join by the {side(flow.active)}")
        out.want(token == want, f"{token.hex()}, not {want.hex()}")
    out.done = f"{len(case.client.joined)} joins"
    return out


def check_hmac(case: Case) -> Outcome:
    """MP_JOIN: both HMACs are those of the keys and nonces"""
    out = Outcome(done=f"{2 * len(case.client.joined)} HMACs")
    for flow in case.client.joined:
        a, b = case.client.keys()[flow.active], case.client.keys()[not flow.active]
        nonce_a = need(flow.syn, JOIN, 12, "MP_JOIN in the SYN")[8:12]
        synack = need(flow.synack, JOIN, 16, "MP_JOIN in the SYN/ACK")
        third = need(flow.third, JOIN, 24, "MP_JOIN in the third ACK")
        nonce_b = synack[12:16]
        out.want(synack[4:12] == mac(b, a, nonce_b + nonce_a)[:8], f"SYN/ACK: {synack.hex()}")
        out.want(third[4:24] == mac(a, b, nonce_a + nonce_b)[:20], f"third ACK: {third.hex()}")
    return out


def announced(case: Case, up: bool) -> dict[Address, int]:
    """Addresses and their identifiers, of the ADD_ADDRs of one host."""
    found = {}
    for s in case.client.segments:
        if (raw := s.option(ADD_ADDR)) and s.up == up and not echo_of(raw):
            found[announced_address(raw)] = raw[3]
    return found


def identifier(case: Case, flow: Subflow) -> int | None:
    """Of the address to which a subflow was opened, if it was announced."""
    ids, (ip, port) = announced(case, not flow.active), flow.target
    return ids.get(Address(ip, port), ids.get(Address(ip, 0)))


def check_join_id(case: Case) -> Outcome:
    """MP_JOIN: the SYN/ACK's address identifier is the one that was announced"""
    out = Outcome()
    for flow in case.client.joined:
        synack = need(flow.synack, JOIN, 16, "MP_JOIN in the SYN/ACK")
        want = identifier(case, flow)
        if want is not None:
            out.want(synack[3] == want, f"{synack[3]}, not {want}")
    out.done = f"{out.seen} joins"
    return out


def identifiers(flow: Subflow) -> list[tuple[bool, bytes, int]]:
    """Of a joined subflow: whose, which address, which identifier."""
    syn = need(flow.syn, JOIN, 12, "MP_JOIN in the SYN")
    synack = need(flow.synack, JOIN, 16, "MP_JOIN in the SYN/ACK")
    client, server = flow.segments[0].client[0], flow.segments[0].server[0]
    ends = [(True, client), (False, server)]
    return [(up, ip, (syn if up == flow.active else synack)[3]) for up, ip in ends]


def check_ids(case: Case) -> Outcome:
    """MP_JOIN: each address has one identifier of its own, the first subflow's have 0"""
    out, first = Outcome(), case.client.initial.segments[0]
    known = {(True, first.client[0]): 0, (False, first.server[0]): 0}
    for flow in case.client.joined:
        for up, ip, number in identifiers(flow):
            out.want(known.setdefault((up, ip), number) == number, f"{side(up)}: {ip.hex()} is {number}, too")
    for up in (True, False):
        numbers = [n for (whose, _), n in known.items() if whose == up]
        out.want(len(set(numbers)) == len(numbers), f"{side(up)}: {numbers}")
    out.done = f"{len(known)} addresses"
    return out if case.client.joined else Outcome(problems=["no joins"])


def check_source_id(case: Case) -> Outcome:
    """MP_JOIN: the SYN's address identifier is that of the endpoint"""
    out = Outcome(done=f"{len(case.client.joined)} joins")
    for flow in case.client.joined:
        number = need(flow.syn, JOIN, 12, "MP_JOIN in the SYN")[3]
        out.want(number == case.args.source_id, f"{number}, not {case.args.source_id}")
    return out


def check_backup(case: Case) -> Outcome:
    """MP_JOIN: B is set by the host whose endpoint is a backup"""
    out, who = Outcome(), case.args.backup
    for flow in case.client.joined:
        for segment in (flow.syn, flow.synack):
            raw = segment.option(JOIN) if segment else None
            if segment and raw:
                out.want(raw[2] & 0xF == (who == side(segment.up)), f"{side(segment.up)}: {raw.hex()}")
    out.done = f"{len(case.client.joined)} joins"
    return out


def fourth_problem(connection: Connection, up: bool) -> list[tuple[bool, str]]:
    """Of the host that is captured: does its data come after what it waits for?"""
    found = []
    for flow in connection.joined:
        data = next((s for s in flow.segments if s.up == up and s.payload), None)
        if data:
            what = "fourth" if up == flow.active else "third"
            start = flow.first(not flow.active, ACK) if up == flow.active else flow.third
            found.append((start is not None and start.index < data.index, f"data before the {what} ACK"))
    return found


def check_fourth(case: Case) -> Outcome:
    """MP_JOIN: no data on the subflow before the fourth ACK, nor from the server before the third"""
    out = Outcome()
    for good, problem in fourth_problem(case.client, True) + fourth_problem(case.server, False):
        out.want(good, problem)
    out.done = f"{out.seen} subflows with data"
    return out


def check_no_join(case: Case) -> Outcome:
    """C in the SYN/ACK: no MP_JOIN to the initial address"""
    return no_join(case, True)


def check_no_join_of_server(case: Case) -> Outcome:
    """C in the SYN: the server opens no subflow to the client's initial address"""
    return no_join(case, False)


def no_join(case: Case, active: bool) -> Outcome:
    """Attempts count, too: they are no subflows of the connection."""
    out, first = Outcome(), case.client.initial.segments[0]
    forbidden = first.server[0] if active else first.client[0]
    joins = [s for s in case.raw[0] if s.up == active and s.flags & (SYN | ACK) == SYN and s.option(JOIN)]
    for s in joins:
        out.want((s.server if active else s.client)[0] != forbidden, "a join to the initial address")
    out.done = f"{len(joins)} joins"
    return out


def check_fallback(case: Case) -> Outcome:
    """fallback: after a SYN/ACK without MP_CAPABLE no segment has an option of MPTCP"""
    out, first = Outcome(), case.client.initial
    need(first.syn, CAPABLE, 4, "MP_CAPABLE in the SYN")
    for s in case.client.segments + case.server.segments:
        if s.flags & (SYN | ACK) != SYN:
            out.want(not s.options, f"{s.options}")
    out.want(any(s.payload for s in case.client.segments), "no data")
    out.done = f"{out.seen - 1} segments"
    return out
