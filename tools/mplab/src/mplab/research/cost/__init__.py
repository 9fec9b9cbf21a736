# SPDX-License-Identifier: MIT
"""What MPTCP costs in CPU time and memory, on two kernels or among schedulers."""

from __future__ import annotations

import argparse

from ...lab.guest import Guests
from ...run import asked
from ...run.report import console
from ...run.schedulers import available
from ...words.units import UsageError
from . import crowd, requests, syns, transfer


def run(args: argparse.Namespace) -> int:
    """mplab cost."""
    one_kernel = args.congestion is not None or args.scheduler is not None
    if (args.connections or args.http or args.syns) and one_kernel:
        raise UsageError("--connections, --http, --syns say by themselves what is compared: name each alone")
    kernel, how = asked.kernel(args.kernel), {"seconds": args.seconds, "rounds": args.rounds}
    how |= {"rate": args.rate} if args.rate else {}
    if args.http:
        with Guests(kernel) as guests:
            console().print(requests.compare(guests, args.rounds))
        return 0
    if not one_kernel:
        kernels = (kernel, asked.kernel(args.against or "stock"))
        if args.connections or args.syns:
            view = (crowd if args.connections else syns).compare(kernels, args.rounds)
        else:
            view = transfer.compare(kernels, **how)
        console().print(view)
        return 0
    with Guests(kernel) as guests:
        schedulers, controls = available(guests)
        if args.congestion:
            view = transfer.compare_controls(guests, asked.controls(args.congestion, controls), **how)
        else:
            view = transfer.compare_schedulers(guests, asked.schedulers(args.scheduler, schedulers), **how)
    console().print(view)
    return 0
