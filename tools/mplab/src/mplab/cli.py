# SPDX-License-Identifier: MIT
"""Command line."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from . import paths, shell, units
from .experiment import TCP, Conditions, Result, available, measure
from .guest import BOOT, MPTCPCTL, TOP, GuestError, Guests

WIFI_3G = ["8mbit,20ms,80ms", "2mbit,150ms,2s"]


class UsageError(Exception):
    """Something the user can mend; the message says how."""


def _argument(parse: Callable[[str], object]) -> Callable[[str], object]:
    """For argparse, which shows the text of this exception only."""

    def wrapped(text: str) -> object:
        try:
            return parse(text)
        except units.UnitError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return wrapped


def _network_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--path",
        action="append",
        dest="paths",
        type=_argument(paths.parse),
        metavar="RATE,RTT,QUEUE[,LOSS]",
        help=f"a path, repeatable (default: WiFi {WIFI_3G[0]} and 3G {WIFI_3G[1]})",
    )
    parser.add_argument(
        "--buffer",
        type=_argument(lambda t: units.size(t, "--buffer")),
        metavar="SIZE",
        help="limit of send and receive buffers, e.g. 400k (default: autotuned)",
    )
    parser.add_argument("--kernel", type=Path, help="directory with 'linux' (default: build/uml)")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mplab", description="Network test bed for MPTCP schedulers, in virtual time."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="compare schedulers: table, JSON and figure")
    _network_options(run)
    run.add_argument(
        "--scheduler", default="default,minrtt,rr", help="names (default: %(default)s)"
    )
    run.add_argument("--congestion", default="cubic", help="congestion control (cubic)")
    for name, default in (("duration", "30s"), ("warmup", "5s")):
        run.add_argument(
            f"--{name}",
            type=_argument(lambda t, name=name: units.seconds(t, f"--{name}")),
            default=units.seconds(default),
            metavar="TIME",
            help=f"default: {default}",
        )
    run.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each (1)")
    run.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="guests at once")
    run.add_argument("--no-tcp", action="store_true", help="leave out plain TCP on path 1")
    run.add_argument("--out", type=Path, default=TOP / "build" / "mplab", help="results' directory")

    interactive = commands.add_parser("shell", help="a shell in the guest with the network up")
    _network_options(interactive)
    interactive.add_argument("--virtual-time", action="store_true", help="do not follow the clock")
    interactive.add_argument("argv", nargs="*", metavar="COMMAND", help="run this instead")

    cost = commands.add_parser("cost", help="CPU time per transfer against another kernel")
    cost.add_argument("--kernel", type=Path, default=TOP / "build" / "uml")
    cost.add_argument("--against", type=Path, default=TOP / "build" / "stock" / "uml")
    cost.add_argument("--megabytes", type=int, default=40, metavar="N", help="per transfer")
    cost.add_argument("--rounds", type=int, default=7, metavar="N", help="of both kernels")
    return parser


def _ready(guests: Guests) -> None:
    if not (guests.kernel / "linux").exists():
        raise UsageError(f"no kernel at {guests.kernel}: run 'make kernel' first")
    if not MPTCPCTL.exists():
        raise UsageError("mptcpctl is not built: run 'make mptcpctl' first")
    if not BOOT.exists():
        raise UsageError(f"{BOOT} is missing: is this a whole checkout?")


def _plan(args: argparse.Namespace, known: list[str]) -> list[Conditions]:
    schedulers = [name for name in args.scheduler.split(",") if name]
    for name in schedulers:
        if name not in known:
            raise UsageError(
                f"--scheduler {name}: this kernel has no such scheduler; it has {', '.join(known)}"
            )
    if not schedulers:
        raise UsageError("--scheduler names none")
    if args.repeat < 1 or (args.jobs or 0) < 1 or args.duration < 1:
        raise UsageError("--repeat and --jobs must be at least 1, --duration at least 1s")
    names = schedulers if args.no_tcp else [TCP, *schedulers]
    return [
        Conditions(
            paths=tuple(args.paths),
            scheduler=name,
            congestion=args.congestion,
            duration=args.duration,
            warmup=args.warmup,
            buffer=args.buffer,
            repeat=n,
        )
        for n in range(args.repeat)
        for name in names
    ]


def _measure_all(guests: Guests, plan: list[Conditions], jobs: int) -> list[Result]:
    from rich.console import Console
    from rich.progress import Progress

    results: dict[Conditions, Result] = {}
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("measuring", total=len(plan))
        pool = ThreadPoolExecutor(jobs)
        try:
            futures = {pool.submit(measure, guests, c): c for c in plan}
            for future in as_completed(futures):
                result = results[futures[future]] = future.result()
                progress.advance(task)
                if not console.is_terminal:
                    done = f"{len(results)} of {len(plan)}: {result.conditions.scheduler}"
                    print(f"mplab: {done} {result.goodput / 1e6:.2f} Mbit/s", file=sys.stderr)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [results[c] for c in plan]


def _writable(directory: Path) -> None:
    """Find out before the measurement, not after it."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {directory}: {error.strerror}") from None
    if not os.access(directory, os.W_OK):
        raise UsageError(f"--out {directory}: not writable")


def _run(args: argparse.Namespace) -> int:
    from . import plot, report

    _writable(args.out)
    with Guests(args.kernel) as guests:
        _ready(guests)
        plan = _plan(args, available(guests))
        results = _measure_all(guests, plan, args.jobs)
    report.show(results)
    written = report.write(results, args.out)
    figure = args.out / "goodput.png"
    plot.draw(results, figure)
    print("written:", ", ".join(os.path.relpath(p) for p in [*written, figure]))
    return 0


def _shell(args: argparse.Namespace) -> int:
    with Guests(args.kernel) as guests:
        _ready(guests)
        return shell.run(guests, args.paths, args.buffer, args.virtual_time, args.argv)


def _cost(args: argparse.Namespace) -> int:
    from . import cost

    for kernel in (args.kernel, args.against):
        with Guests(kernel) as guests:
            _ready(guests)
    cost.show((args.kernel, args.against), args.megabytes, args.rounds)
    return 0


def _terminated(*_: object) -> None:
    raise KeyboardInterrupt


def main(argv: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, _terminated)  # end the guests, as Ctrl-C does
    args = _parser().parse_args(argv)
    if args.command != "cost":
        args.paths = args.paths or [paths.parse(p) for p in WIFI_3G]
    try:
        return {"run": _run, "shell": _shell, "cost": _cost}[args.command](args)
    except (UsageError, units.UnitError) as error:
        print(f"mplab: {error}", file=sys.stderr)
        return 2
    except GuestError as error:
        print(f"mplab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("mplab: interrupted", file=sys.stderr)
        return 130
