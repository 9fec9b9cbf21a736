# SPDX-License-Identifier: GPL-2.0
"""Checks of the end of a connection: sections 3.3.3, 3.5 and 3.7."""

from __future__ import annotations

from .capture import ACK, FIN, RST, Segment
from .case import Case, Outcome, side
from .connection import Bad, Subflow
from .mapping import MASK32, Mapped, Mapping, acked, fin_at, offset
from .options import FAIL, FASTCLOSE, REASON_MIDDLEBOX, TCPRST, Dss


def first_fin(case: Case, up: bool) -> Segment | None:
    idsn = case.client.idsn(up)
    return next((s for s in case.host(up).segments if s.up == up and fin_at(s, idsn) is not None), None)


def check_fin(case: Case) -> Outcome:
    """DATA_FIN: in both directions, behind the last byte, and acknowledged"""
    out = Outcome(done="2 directions")
    for up in (True, False):
        idsn, end = case.client.idsn(up), case.sent(up)
        places = {p for s in case.client.segments if s.up == up and (p := fin_at(s, idsn)) is not None}
        acks = [a for s in case.client.segments if s.up != up and (a := acked(s, idsn)) is not None]
        out.want(places == {end}, f"{side(up)}: at {places}, not {end}")
        out.want(max(acks, default=0) == end + 1, f"{side(up)}: acknowledged to {max(acks, default=0)}")
    return out


def check_order(case: Case) -> Outcome:
    """DATA_FIN: in the order in which the programs closed"""
    out, knew = Outcome(done=case.args.order), {}
    for up in (True, False):
        fin = first_fin(case, up)
        if fin is None:
            raise Bad(f"no DATA_FIN of the {side(up)}")
        knew[up] = (acked(fin, case.client.idsn(not up)) or 0) > case.sent(not up)
    want = {"client": (False, True), "server": (True, False), "both": (False, False)}[case.args.order]
    got = (knew[True], knew[False])
    out.want(got == want, f"(client, server) knew the peer's DATA_FIN: {got}, not {want}")
    return out


def check_tcp_fin(case: Case) -> Outcome:
    """all subflows end with FIN, after the DATA_FIN was acknowledged"""
    out = Outcome()
    for up in (True, False):
        connection, idsn = case.host(up), case.client.idsn(up)
        end = case.sent(up) + 1
        known = [s.index for s in connection.segments if s.up != up and acked(s, idsn) == end]
        for flow in connection.subflows:
            fin = flow.first(up, FIN, FIN)
            reset = flow.first(up, RST, RST)
            out.want(fin is not None, f"{side(up)}: a subflow without FIN")
            out.want(reset is None or fin is not None and fin.index < reset.index, f"{side(up)}: RST")
            if fin and case.args.exact in (side(up), "both"):
                good = bool(known) and known[0] < fin.index
                out.want(good, f"{side(up)}: FIN {fin.index} before the DATA_ACK {known[:1]}")
    out.done = f"{len(case.client.subflows)} subflows"
    return out


def carried_fins(case: Case) -> list[bool]:
    """Of each segment with a DATA_FIN, whether it has data."""
    idsn = case.client.idsn(True)
    return [bool(s.payload) for s in case.client.segments if s.up and fin_at(s, idsn) is not None]


def check_fin_with_data(case: Case) -> Outcome:
    """DATA_FIN: the client has one in the mapping of the last bytes"""
    found = carried_fins(case)
    out = Outcome(done=f"{sum(found)} of {len(found)} segments")
    out.want(any(found), f"with data: {found}")
    return out


def check_fin_alone(case: Case) -> Outcome:
    """DATA_FIN: the client's are all without data, with subflow sequence number 0"""
    found = carried_fins(case)
    out = Outcome(done=f"{len(found)} segments")
    out.want(bool(found) and not any(found), f"with data: {found}")
    for s in case.client.segments:
        if (dss := s.dss()) and dss.fin and s.up and not s.payload:
            out.want(dss.ssn == 0 and dss.length == 1, f"{dss}")
    return out


def check_fastclose(case: Case) -> Outcome:
    """MP_FASTCLOSE: with the receiver's key, and all subflows end with RST"""
    out, options = Outcome(), []
    for s in case.client.segments:
        if raw := s.option(FASTCLOSE):
            options.append(raw)
            out.want(raw[4:12] == case.client.keys()[not s.up], f"key in {raw.hex()}")
            out.want(bool(s.flags & (RST | ACK)), "neither on an ACK nor on an RST")
    for flow in case.client.subflows:
        out.want(any(s.flags & RST for s in flow.segments), "a subflow without RST")
    if not options:
        raise Bad("no MP_FASTCLOSE")
    out.done = f"{len(options)} options, {len(case.client.subflows)} subflows"
    return out


def spoiled(case: Case) -> tuple[Subflow, Mapped, Mapping]:
    """The client's mapping whose checksum is wrong."""
    idsn, found = case.client.idsn(True), []
    for subflow in case.client.subflows:
        flow = Mapped(subflow, True, idsn)
        data, _ = flow.stream()
        for m in flow.mappings:
            part = flow.of(m, data)
            if m.length and len(part) == m.length and not m.sums_up(part):
                found.append((subflow, flow, m))
    if len(found) != 1:
        raise Bad(f"{len(found)} mappings with a wrong checksum")
    return found[0]


def check_fail(case: Case) -> Outcome:
    """MP_FAIL: on the subflow and with the DSN of the mapping whose checksum is wrong"""
    out, (subflow, _, m) = Outcome(), spoiled(case)
    options = [(s, raw) for s in case.client.segments if not s.up and (raw := s.option(FAIL))]
    for s, raw in options:
        out.want(s in subflow.segments, "on another subflow")
        dsn = int.from_bytes(raw[4:12], "big")
        out.want(dsn == m.dsn, f"DSN {dsn:#x}, not {m.dsn:#x}")
    out.done = f"{len(options)} options"
    return out


def check_fail_reset(case: Case) -> Outcome:
    """MP_FAIL: the subflow is reset, because of a middlebox; the others are not"""
    out, (subflow, _, _) = Outcome(done="1 of 2 subflows"), spoiled(case)
    reset = next((s for s in subflow.segments if not s.up and s.flags & RST), None)
    out.want(reset is not None and reset.option(FAIL) is not None, "no RST with MP_FAIL")
    reason = reset.option(TCPRST) if reset else None
    out.want(reason is not None and reason[3] == REASON_MIDDLEBOX, f"MP_TCPRST: {reason and reason.hex()}")
    for other in case.client.subflows:
        out.want(other is subflow or not any(s.flags & RST for s in other.segments), "another is reset")
    out.want(len(case.client.subflows) == 2, f"{len(case.client.subflows)} subflows")
    return out


def check_fail_answer(case: Case) -> Outcome:
    """MP_FAIL: with one subflow it is answered by MP_FAIL"""
    asked = next((s for s in case.client.segments if not s.up and s.option(FAIL)), None)
    answers = [s for s in case.client.segments if s.up and s.option(FAIL)]
    out = Outcome(done=f"{len(answers)} options")
    good = asked is not None and bool(answers) and asked.index < answers[0].index
    out.want(good, f"{len(answers)} answers")
    return out


def infinite_of(s: Segment) -> Dss | None:
    dss = s.dss()
    return dss if s.up and dss and dss.dsn is not None and not dss.length else None


def check_infinite(case: Case) -> Outcome:
    """infinite mapping: it goes on where the mappings before end, nothing of MPTCP comes after"""
    out, idsn, (subflow, flow, _) = Outcome(), case.client.idsn(True), spoiled(case)
    found = [(s, dss) for s in subflow.segments if (dss := infinite_of(s))]
    if not found:
        raise Bad("no infinite mapping")
    before = max((m for m in flow.mappings if m.length > 0), key=lambda m: m.ssn)
    for s, dss in found:
        assert dss.dsn is not None
        shift = (offset(dss.dsn, dss.dsn_wide, idsn) - dss.ssn) & MASK32
        out.want(shift == (before.at - before.ssn) & MASK32, f"{dss} after {before}")
        out.want(dss.checksum in (None, bytes(2)), f"checksum {dss.checksum!r}")
        out.want(bool(s.payload), "without data")
    later = subflow.segments[subflow.segments.index(found[-1][0]) + 1 :]
    sent = [s for s in later if s.up]
    out.want(bool(sent) and not any(s.options for s in sent), "options behind it")
    out.done = f"{len(sent)} segments behind it"
    return out
