# SPDX-License-Identifier: GPL-2.0
"""Checks of the data and its mappings: section 3.3, and the syntax of all options."""

from __future__ import annotations

from .capture import Segment
from .case import Case, Outcome, pattern, side
from .connection import Connection
from .mapping import MASK64, Mapped, Mapping, Ranges, acked, fin_at, offset
from .options import CAPABLE, CAPABLE_NO_JOIN, DSS, LENGTHS, Dss, decode_dss, subtype_of


def check_options(case: Case) -> Outcome:
    """every option has a length and reserved bits that RFC 8684 knows"""
    out, done = Outcome(), 0
    for s in case.client.segments + case.server.segments:
        for raw in s.options:
            subtype = subtype_of(raw)
            done += 1
            if subtype == DSS:
                decode_dss(raw)
                out.want(not raw[3] & 0xE0 and not raw[2] & 0xF, f"reserved bits of {raw.hex()}")
                continue
            out.want(len(raw) in LENGTHS.get(subtype, ()), f"length of {raw.hex()}")
            if subtype == CAPABLE:
                out.want(not raw[3] & 0x5E & ~CAPABLE_NO_JOIN, f"flags of {raw.hex()}")
    out.done = f"{done} options of {len(case.client.segments) + len(case.server.segments)} segments"
    return out


def check_mappings(case: Case) -> Outcome:
    """DSS: each byte of a subflow has one mapping, the same when it is sent again"""
    out, mappings, segments, repeated = Outcome(), 0, 0, 0
    for up in (True, False):
        for flow in case.directions(up):
            out.problems += flow.problems
            mappings += len(flow.mappings)
            repeated += flow.stream()[1]
            for s in flow.segments:
                if s.payload:
                    segments += 1
                    unmapped = [len(part) for at, part in flow.pieces(s) if at is None]
                    out.want(not unmapped, f"{side(up)}: {unmapped} bytes at {flow.ssn(s)} without")
    out.done = f"{mappings} mappings, {segments} segments with data, {repeated} of them again"
    if repeated < case.args.repeated:
        out.problems.append(f"{repeated} segments again, not {case.args.repeated}: too few to tell")
    return out


def check_large(case: Case) -> Outcome:
    """segments are larger than the MTU in a capture, as they are before they are cut"""
    sizes = [len(s.payload) for s in case.client.segments + case.server.segments]
    out = Outcome(done=f"the largest has {max(sizes)} bytes")
    out.want(max(sizes) > case.args.mtu, f"none has more than {max(sizes)} bytes")
    return out


def check_small(case: Case) -> Outcome:
    """no segment is larger than the MTU, and full ones fill it"""
    sizes = [len(s.payload) for s in case.client.segments + case.server.segments]
    out = Outcome(done=f"the largest has {max(sizes)} bytes")
    out.want(case.args.mtu - 120 <= max(sizes) <= case.args.mtu - 40, f"the largest has {max(sizes)} bytes")
    return out


def check_bytes(case: Case) -> Outcome:
    """DSS: the data, put together by its DSNs, is what was sent"""
    out, copies = Outcome(), 0
    for up in (True, False):
        want, there = pattern(case.sent(up)), Ranges()
        for flow in case.directions(up):
            for s in flow.segments:
                for at, part in flow.pieces(s):
                    if at is None:
                        continue
                    copies += len(part)
                    there.add(at, at + len(part))
                    out.want(want[at : at + len(part)] == part, f"{side(up)}: {len(part)} bytes at {at}")
        whole = [[0, len(want)]] if want else []
        out.want(there.ranges == whole, f"{side(up)}: {there.ranges[:4]}, not {whole}")
    out.done = f"{case.sent(True)} + {case.sent(False)} bytes, {copies} in copies"
    return out


def check_wrap(case: Case) -> Outcome:
    """DSS: the low 32 bits of the client's DSNs begin again in the middle of the data"""
    start = (case.client.idsn(True) + 1) & 0xFFFFFFFF
    until = (1 << 32) - start
    out = Outcome(done=f"after {until} bytes")
    out.want(until < case.sent(True), f"{case.sent(True)} bytes from {start:#x} on")
    return out


def check_checksum(case: Case) -> Outcome:
    """DSS: each mapping has the right checksum"""
    out, fins = Outcome(), 0
    for up in (True, False):
        for flow in case.directions(up):
            data, _ = flow.stream()
            for m in flow.mappings:
                part = flow.of(m, data)
                good = m.checksum is not None and len(part) == m.length and m.sums_up(part)
                out.want(good, f"{side(up)}: {m}")
        for s, dss in lone_fins(case.host(up), up):
            fins += 1
            fin = Mapping(0, 0, 0, expand(case, up, dss), dss.length, dss.checksum)
            out.want(dss.checksum is not None and fin.sums_up(b""), f"DATA_FIN: {s.options[0].hex()}")
    out.done = f"{out.seen} mappings, {fins} of them a DATA_FIN alone"
    return out


def expand(case: Case, up: bool, dss: Dss) -> int:
    """A data sequence number in 64 bits."""
    idsn = case.client.idsn(up)
    assert dss.dsn is not None
    return (idsn + 1 + offset(dss.dsn, dss.dsn_wide, idsn)) & MASK64


def lone_fins(connection: Connection, up: bool) -> list[tuple[Segment, Dss]]:
    found = ((s, s.dss()) for s in connection.segments if s.up == up)
    return [(s, d) for s, d in found if d and d.fin and d.dsn is not None and d.ssn == 0]


def check_no_checksum(case: Case) -> Outcome:
    """DSS: no mapping has a checksum"""
    out = Outcome()
    for s in case.client.segments + case.server.segments:
        dss, capable = s.dss(), s.option(CAPABLE)
        if dss and dss.dsn is not None:
            out.want(dss.checksum is None, f"{s.options}")
        if capable and len(capable) > 20:
            out.want(len(capable) == 22, capable.hex())
    out.done = f"{out.seen} mappings"
    return out


def check_ack(case: Case) -> Outcome:
    """DSS: no DATA_ACK above what had arrived without holes"""
    out = Outcome()
    for up in (True, False):
        connection, there = case.host(not up), Ranges()
        idsn, flows = connection.idsn(up), {}
        for flow in connection.subflows:
            flows.update({s.index: m for m in [Mapped(flow, up, idsn)] for s in m.segments})
        for s in connection.segments:
            if s.up == up and s.index in flows:
                for at, part in flows[s.index].pieces(s):
                    there.add(at or 0, (at or 0) + len(part))
                if (fin := fin_at(s, idsn)) is not None:
                    there.add(fin, fin + 1)
            elif s.up != up and (ack := acked(s, idsn)) is not None:
                out.want(0 <= ack <= there.complete_to(), f"{ack}, but {there.complete_to()} arrived")
    out.done = f"{out.seen} DATA_ACKs"
    return out


def check_widths(case: Case) -> Outcome:
    """DSS: data that was mapped with 64 bits is acknowledged with 64 bits"""
    out = Outcome()
    for up in (True, False):
        idsn = case.client.idsn(up)
        wide = [
            offset(d.dsn, True, idsn)
            for s in case.client.segments
            if s.up == up and (d := s.dss()) and d.dsn is not None and d.dsn_wide and d.length > d.fin
        ]
        for s in case.client.segments:
            dss, ack = s.dss(), acked(s, idsn)
            if wide and s.up != up and dss and ack is not None and ack > min(wide):
                out.want(dss.ack_wide, f"{ack} in 32 bits, from {min(wide)} on in 64 bits")
    out.done = f"{out.seen} DATA_ACKs"
    return out
