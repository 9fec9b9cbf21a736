# SPDX-License-Identifier: GPL-2.0
"""A check of how a connection goes on when all its subflows failed: section 3.7."""

from __future__ import annotations

from .capture import RST, Segment
from .case import Case, Outcome, side
from .connection import Bad, Subflow
from .mapping import MASK32
from .options import FAIL


def declared(flow: Subflow, up: bool) -> tuple[Segment, int]:
    """The first MP_FAIL of a side: what it expects next."""
    for s in flow.segments:
        raw = s.option(FAIL)
        if s.up == up and raw and not s.flags & RST:
            return s, int.from_bytes(raw[4:12], "big")
    raise Bad(f"the {side(up)} sends no MP_FAIL on the last subflow")


def check_restart(case: Case) -> Outcome:
    """restart: both sides say by MP_FAIL what comes next, and send that by an infinite mapping"""
    out, last = Outcome(), case.client.subflows[-1]
    for flow in case.client.subflows[:-1]:
        out.want(any(s.flags & RST for s in flow.segments), "another subflow without RST")
    asked, wanted = declared(last, True)
    answered, of_client = declared(last, False)
    out.want(asked.index < answered.index, "the server asks before the client does")
    dss = asked.dss()
    acked = dss.ack if dss else None
    out.want(acked in (wanted, wanted & MASK32), f"MP_FAIL with {wanted:#x} and {dss}")
    for up, dsn in (True, of_client), (False, wanted):
        sent = [s for s in last.segments if s.up == up and s.payload]
        if not sent:
            continue
        first = sent[0].dss()
        good = first is not None and (first.dsn, first.ssn, first.length) == (dsn, 1, 0)
        out.want(good, f"{side(up)}: first {first}, MP_FAIL has {dsn:#x}")
        out.want(sent[0].index > answered.index, f"{side(up)}: data before the answer")
        plain = [s for s in sent if not s.options]
        out.want(len(plain) > len(sent) // 2, f"{side(up)}: {len(plain)} of {len(sent)} segments are plain")
        out.done += f"{side(up)} {len(sent)} segments "
    out.done = out.done.strip()
    return out
