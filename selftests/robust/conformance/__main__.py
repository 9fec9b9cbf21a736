# SPDX-License-Identifier: GPL-2.0
"""Is what went over the wire Multipath TCP as RFC 8684 has it?

usage: python3 -m conformance [option]... CLIENT.pcap SERVER.pcap CHECK...

The captures of one connection at its two ends ("tcpdump -i any", whole packets). Prints "ok WHAT"
or "not ok WHAT" with the reasons behind "#", a line per check; fails if one of them does.
--flip SUBTYPE:LENGTH:BYTE inverts the lowest bit of a byte of all such options before, --flip
payload of the data, --flip infinite of the SSN of infinite mappings; --flip narrow takes the upper
half of DATA_ACKs, --flip early has data and FINs come before all that they have to wait for: the
checks must find that.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Callable
from pathlib import Path

from . import closing, data, handshake, signalling
from .capture import read
from .case import Case, Outcome
from .connection import Bad, Connection, busiest

CHECKS: dict[str, Callable[[Case], Outcome]] = {
    name.removeprefix("check_"): function
    for module in (data, handshake, closing, signalling)
    for name, function in vars(module).items()
    if name.startswith("check_")
}


def judge(case: Case, name: str) -> bool:
    """Run a check and print what came out."""
    check = CHECKS[name]
    try:
        out = check(case)
    except (Bad, ValueError, struct.error) as e:
        out = Outcome(problems=[str(e)])
    if not out.seen and not out.problems:
        out.problems.append("there was nothing to look at")
    print(f"{'not ok' if out.problems else 'ok'} {check.__doc__}" + (f" ({out.done})" if out.done else ""))
    for problem in out.problems[:5]:
        print(f"# {problem}")
    if len(out.problems) > 5:
        print(f"# and {len(out.problems) - 5} more")
    return not out.problems


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("client", type=Path)
    parser.add_argument("server", type=Path)
    parser.add_argument("check", nargs="+", choices=CHECKS)
    parser.add_argument("--checksum", action="store_true", help="checksums are on")
    parser.add_argument("--up", type=int, default=0, help="bytes that the client sent")
    parser.add_argument("--down", type=int, default=0, help="bytes that the server sent")
    parser.add_argument("--order", choices=("client", "server", "both"), default="client")
    parser.add_argument("--exact", choices=("client", "server", "both"), help="whose order is exact")
    parser.add_argument("--no-join", choices=("client", "server"), help="who sets C")
    parser.add_argument("--backup", choices=("client", "server"), help="whose endpoint is a backup")
    parser.add_argument("--source-id", type=int, help="of the endpoint from which is joined")
    parser.add_argument("--prio-up", action="store_true", help="the client sends MP_PRIO")
    parser.add_argument("--repeated", type=int, default=0, help="segments sent again, at least")
    parser.add_argument("--mtu", type=int, default=1500)
    parser.add_argument("--busiest", action="store_true", help="there are others beside the connection")
    parser.add_argument("--flip", default="", metavar="SUBTYPE:LENGTH:BYTE|payload|infinite|narrow|early")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    try:
        raw = read(args.client, True, args.flip), read(args.server, False, args.flip)
        if args.busiest:
            raw = busiest(raw[0]), busiest(raw[1])
        case = Case(Connection(raw[0]), Connection(raw[1]), raw, args)
    except (Bad, ValueError) as e:
        print(f"not ok the captures can be read\n# {e}")
        return 1
    results = [judge(case, name) for name in args.check]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
