# SPDX-License-Identifier: GPL-2.0
"""What does the server answer to segments that are wrong, old, or of a rare kind?

usage: python3 -m conformance.raw SERVER SOURCE
usual|first|off|offcookies|fast|lengths|early|low|cookies|nonsense [break]

SOURCE: an address that the server reaches here, but that this host does not have. Prints "ok WHAT"
or "not ok WHAT" as the other checks do. With "break" each question is another one, to which the
same answer would be wrong: all must fail.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

from . import early, lengths, low, off
from .byhand import (
    ISN,
    Answer,
    Connection,
    Got,
    capable_syn,
    established,
    is_reset,
    is_reset_for,
    join_syn,
    key_before_wrap,
)
from .capture import ACK, FIN, RST, SYN
from .connection import Bad
from .crypto import idsn_of
from .options import (
    ADD_ADDR,
    CAPABLE,
    CAPABLE_CHECKSUM,
    CAPABLE_SHA256,
    DSS,
    FAIL,
    JOIN,
    REASON_MPTCP,
    decode_dss,
    echo_of,
)
from .wire import Wire, options


def is_fourth(got: Got) -> bool:
    return got is not None and got.flags == ACK and got.ack == ISN + 1


def syn(wire: Wire, option: bytes, port: int = 0) -> Got:
    port = port or wire.new_port()
    wire.send(port, SYN, ISN, 0, option)
    return wire.answer(port)


def trial_token(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with a token of nobody: RST, and MP_TCPRST with reason 1"""
    token = Connection(wire).token()
    got = syn(wire, join_syn(token if broken else bytes([token[0] ^ 1]) + token[1:]))
    return is_reset_for(got, REASON_MPTCP), got


def trial_closed(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the token of a connection that was closed: RST, and MP_TCPRST with reason 1"""
    connection = Connection(wire)
    connection.send(b"data")
    connection.arrived()
    connection.fastclose(int(broken))
    connection.wire.answer(connection.port)
    got = syn(wire, join_syn(connection.token()))
    return is_reset_for(got, REASON_MPTCP), got


def trial_join(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the right HMAC: a fourth ACK"""
    got = established(wire).join(int(broken)).got
    return is_fourth(got), got


def trial_hmac(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with a wrong HMAC: RST, and MP_TCPRST with reason 1"""
    got = established(wire).join(int(not broken)).got
    return is_reset_for(got, REASON_MPTCP), got


def trial_third_again(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN: its third ACK comes again: the fourth, too"""
    join = established(wire).join()
    if not is_fourth(join.got):
        return False, join.got
    if not broken:
        join.send_third()
    got = wire.answer(join.port)
    return is_fourth(got), got


def trial_backup(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with B: a SYN/ACK whose own B is not set"""
    token = established(wire).token()
    got = syn(wire, join_syn(token[::-1] if broken else token, backup=True))
    option = options(got).get(JOIN) if got else None
    return option is not None and not option[2] & 1, got


def trial_initial_id(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN to the initial address: the SYN/ACK's address identifier is 0"""
    token = established(wire).token()
    got = syn(wire, join_syn(token[::-1] if broken else token))
    option = options(got).get(JOIN) if got else None
    return option is not None and option[3] == 0, got


def trial_version_0(wire: Wire, broken: bool) -> Answer:
    """MP_CAPABLE of version 0: a SYN/ACK without"""
    got = syn(wire, capable_syn(version=int(broken)))
    return got is not None and got.flags == SYN | ACK and CAPABLE not in options(got), got


def trial_version_2(wire: Wire, broken: bool) -> Answer:
    """MP_CAPABLE of version 2: a SYN/ACK without, or with version 1"""
    port = wire.new_port()
    wire.send(port, ACK if broken else SYN, ISN, 0, capable_syn(version=2))
    got = wire.answer(port)
    option = options(got).get(CAPABLE) if got else None
    good = got is not None and got.flags == SYN | ACK and (option is None or option[2] & 0xF == 1)
    return good, got


def trial_syn_again(wire: Wire, broken: bool) -> Answer:
    """MP_CAPABLE: the SYN comes again: the SYN/ACK has the same key"""
    port = wire.new_port()
    first = syn(wire, capable_syn(), port)
    got = syn(wire, capable_syn(), 0 if broken else port)
    keys = [options(s).get(CAPABLE) if s else None for s in (first, got)]
    return keys[0] is not None and keys[0] == keys[1], got


def trial_fallback(wire: Wire, broken: bool) -> Answer:
    """data without mapping is fallback: MP_JOIN afterwards: RST"""
    connection = Connection(wire)
    if broken:
        connection.send(b"data")
    else:
        connection.send_unmapped(b"data")
    wire.answer(connection.port)
    got = connection.join().got
    return is_reset(got), got


def trial_fallback_options(wire: Wire, broken: bool) -> Answer:
    """data without mapping is fallback: it is acknowledged by TCP, without options of MPTCP"""
    connection = Connection(wire)
    if broken:
        connection.send(b"data")
    else:
        connection.send_unmapped(b"data")
    end = ISN + 1 + connection.sent
    got = wire.answer(connection.port, lambda tcp: tcp.ack == end)
    return got is not None and got.flags == ACK and not options(got), got


def trial_fastclose(wire: Wire, broken: bool) -> Answer:
    """MP_FASTCLOSE: RST"""
    connection = established(wire)
    connection.fastclose(int(broken))
    got = wire.answer(connection.port, is_reset)
    return is_reset(got), got


def trial_fastclose_key(wire: Wire, broken: bool) -> Answer:
    """MP_FASTCLOSE with a wrong key: ignored, data is still acknowledged"""
    connection = established(wire)
    connection.fastclose(int(not broken))
    wire.answer(connection.port)
    connection.send(b"more")
    got = connection.arrived()
    return got is not None, got


def across_wrap(wire: Wire, skip: int) -> Connection:
    """Data in DSNs of 32 bits, over their end; a hole of skip bytes in the middle."""
    connection = Connection(wire, key_before_wrap(2000))
    for _ in range(5):
        connection.send(bytes(1000), skip=skip if connection.sent > 2000 else 0)
    return connection


def trial_wrap(wire: Wire, broken: bool) -> Answer:
    """DSNs of 32 bits begin again in the middle of the data: it is acknowledged"""
    got = across_wrap(wire, int(broken)).arrived()
    return got is not None, got


def trial_wrap_wide(wire: Wire, broken: bool) -> Answer:
    """a DSN of 64 bits behind: the DATA_ACK has 64 bits, with the carry"""
    connection = across_wrap(wire, 0)
    first = connection.arrived()
    connection.send(b"more", wide=not broken)
    got = connection.arrived() if first is not None else None
    raw = options(got).get(DSS) if got else None
    ack = decode_dss(raw) if raw else None
    good = ack is not None and ack.ack_wide and (ack.ack or 0) >> 32 == (idsn_of(connection.key) >> 32) + 1
    return good, got


def trial_narrow(wire: Wire, broken: bool) -> Answer:
    """DATA_ACKs of DSNs of 32 bits have 32 bits"""
    connection = Connection(wire)
    connection.send(b"data", wide=broken)
    got = connection.arrived()
    raw = options(got).get(DSS) if got else None
    return raw is not None and not decode_dss(raw).ack_wide, got


def echo(wire: Wire, bits: int) -> Got:
    """Of the ADD_ADDR of an address that nobody has, whose HMAC has bits inverted."""
    connection = established(wire)
    connection.announce(9, wire.source_ip[:-1] + b"\x63", bits)
    return wire.answer(connection.port, lambda tcp: ADD_ADDR in options(tcp))


def trial_echo(wire: Wire, broken: bool) -> Answer:
    """ADD_ADDR with the right HMAC: an echo"""
    got = echo(wire, int(broken))
    option = options(got)[ADD_ADDR] if got else None
    return option is not None and echo_of(option) and option[3] == 9, got


def trial_no_echo(wire: Wire, broken: bool) -> Answer:
    """ADD_ADDR with a wrong HMAC: no echo"""
    got = echo(wire, int(not broken))
    return got is None, got


def trial_remove(wire: Wire, broken: bool) -> Answer:
    """REMOVE_ADDR: the subflow from that address is closed"""
    connection = established(wire)
    join = connection.join(number=5)
    connection.remove(6 if broken else 5)
    got = wire.answer(join.port, lambda tcp: bool(tcp.flags & (FIN | RST)))
    return is_fourth(join.got) and got is not None, got


def summed(wire: Wire, bits: int) -> Connection:
    """Only the client asks for checksums; the second one has bits inverted."""
    connection = Connection(wire, flags=CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    connection.send(b"good")
    if connection.arrived() is None:
        raise Bad("the data is not acknowledged")
    connection.send(b"bad?", bits=bits)
    return connection


def trial_checksum(wire: Wire, broken: bool) -> Answer:
    """only the client sets A: data with right checksums is acknowledged"""
    got = summed(wire, int(broken)).arrived()
    return got is not None, got


def trial_wrong_checksum(wire: Wire, broken: bool) -> Answer:
    """only the client sets A: a wrong checksum is answered by MP_FAIL with its DSN"""
    connection = summed(wire, int(not broken))
    got = wire.answer(connection.port, lambda tcp: FAIL in options(tcp))
    dsn = int.from_bytes(options(got)[FAIL][4:12], "big") if got else None
    return dsn == idsn_of(connection.key) + 1 + 4, got


def trials(names: dict[str, Any], prefix: str = "trial_") -> list[Callable[[Wire, bool], Answer]]:
    return [f for n, f in names.items() if n.startswith(prefix)]


# first, off, offcookies, fast: options of ours, to a server that has none of it, or never used it; lengths:
# for a server that looks at them; early: that delivers early; low: with the low-overhead handshake; cookies:
# and SYN cookies
TRIALS = {
    "usual": trials(globals()),
    "first": trials(vars(off), "first_"),
    "off": trials(vars(off)),
    "offcookies": trials(vars(off), "cookie_"),
    "fast": trials(vars(off), "fast_"),
    "lengths": trials(vars(lengths)),
    "low": trials(vars(low)),
    "cookies": trials(vars(low), "cookie_"),
    "nonsense": trials(vars(low), "mixed_"),
    "early": trials(vars(early)),
}


def describe(got: Got) -> str:
    if got is None:
        return "nothing"
    found = {k: v.hex() for k, v in options(got).items()}
    return f"flags {got.flags:#x}, options of MPTCP {found}"


def run(trial: Callable[[Wire, bool], Answer], wire: Wire, broken: bool) -> bool:
    try:
        good, got = trial(wire, broken)
    except Bad as e:
        print(f"not ok {trial.__doc__}\n# {e}", flush=True)
        return False
    print(f"{'ok' if good else 'not ok'} {trial.__doc__}")
    if not good:
        print(f"# the answer: {describe(got)}")
    sys.stdout.flush()
    return good


def main() -> int:
    server, source, which, *rest = sys.argv[1:]
    broken = rest == ["break"]
    # what the other runs left behind must not answer
    port = 6001 + 2000 * list(TRIALS).index(which) + 1000 * broken
    wire = Wire(server, source, itertools.count(port))
    results = [run(trial, wire, broken) for trial in TRIALS[which]]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
