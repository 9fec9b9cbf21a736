# SPDX-License-Identifier: MIT
"""Command line: what the user may write, and which command does it."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from . import commands, traffic
from .lab import strict
from .lab.guest import TIME_LIMIT, TOP, GuestError, KernelChanged
from .run.cluster import shard
from .words import options, units
from .words.units import UsageError

WATCH = """\
Runs experiments one after another and draws each in the terminal while it
runs. Takes the options of 'mplab run'; plain TCP runs only with --tcp-on.
Ctrl-C ends the guest and tells what was seen so far. At the end there are the
table and the files of 'mplab run'; results.html has what was drawn."""
WATCH_SHOWS = """\
What it shows, ten times in a second of the guest's time:
  received      of each path, by the receivers of the main flows, headers
                included; beside other traffic also what the bottleneck sent
                of it ("path 1, others")
  queue         bytes that wait for the bottleneck's rate, on the data's way
  out of order  at the receiver. path N: memory of packets that wait behind a
                loss on that path; connection: bytes that came over one path
                and wait for bytes of another

Where the output is no terminal it prints a line per second of the guest's
time. Watching uses random numbers of the guest. So a result may differ from
that of 'mplab run' as one with another seed does, and is never taken for it."""
WIFI_3G = ["8mbit,20ms,80ms", "2mbit,150ms,2s"]


def _argument(parse: Callable[[str], object]) -> Callable[[str], object]:
    """For argparse, which shows the text of this exception only."""

    def wrapped(text: str) -> object:
        try:
            return parse(text)
        except units.UnitError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return wrapped


def _time(name: str) -> Callable[[str], object]:
    return _argument(lambda text: units.seconds(text, name))


def _count(text: str) -> int:
    if not units.is_whole(text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': write a number from 1")
    return int(text)


def _from_zero(text: str) -> int:
    if not units.is_whole(text):
        raise argparse.ArgumentTypeError(f"'{text}': write a number from 0")
    return int(text)


def _path_number(text: str) -> int | str:
    return text if text in ("each", "all") else _count(text)


def _duration(text: str) -> float:
    """Of a transfer, in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 1 <= value < 10**6:
        raise argparse.ArgumentTypeError(f"'{text}': write a number of seconds from 1")
    return value


def _speed(text: str) -> float:
    """Seconds of the guest's time in one of the user's."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0.01 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}': write a number from 0.01 to 1000, e.g. 5")
    return value


def _paths_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--path",
        action="append",
        dest="paths",
        type=_argument(strict.parse),
        metavar="RATE,RTT,QUEUE[,...]",
        help=f"a path, repeatable (default: WiFi {WIFI_3G[0]} and 3G {WIFI_3G[1]}); "
        "'mplab run --help-path' explains all of it",
    )


def _buffer_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--buffer",
        type=_argument(options.buffer),
        metavar="SIZE",
        help="limit of send and receive buffers, e.g. 400k (default: autotuned)",
    )


def _kernel_option(parser: argparse.ArgumentParser, several: bool = False) -> None:
    names = "patched, stock, those of another Linux (6.18, 6.18/stock), or directories with 'linux'"
    parser.add_argument(
        "--kernel",
        default="patched",
        help=f"{names}{', with commas between; pairs them' if several else ''} (default: patched)",
    )


def _measuring_options(
    parser: argparse.ArgumentParser, out: str, own: bool = False, several: bool = True
) -> None:
    """Of all commands that measure. own: each call has a directory of its own in `out`. several: guests
    at once."""
    if several:
        parser.add_argument(
            "--jobs", type=_count, default=len(os.sched_getaffinity(0)), metavar="N", help="guests at once"
        )
    parser.add_argument(
        "--time-limit",
        type=_time("--time-limit"),
        default=TIME_LIMIT,
        metavar="TIME",
        help=f"of the host's time that a guest may take ({TIME_LIMIT:g}s)",
    )
    place, where = TOP / "build" / out, f"build/{out}{'/TIME' if own else ''}"
    parser.add_argument(
        "--out", type=Path, default=None if own else place, help=f"results' directory ({where})"
    )
    parser.set_defaults(place=place)


def _cluster_options(parser: argparse.ArgumentParser) -> None:
    """Of commands whose runs can be spread over many machines."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--shard", type=_argument(shard.parse), metavar="I/N", help="only the I-th of N shares of the runs"
    )
    where.add_argument(
        "--slurm", type=Path, metavar="FILE", help="write a job array for sbatch instead of measuring"
    )
    where.add_argument(
        "--cluster", metavar="ADDRESS", help="measure on Dask's workers: local, or tcp://HOST:PORT"
    )
    parser.add_argument("--tasks", type=_count, default=16, metavar="N", help="of the job array (16)")


TCP_BY_DEFAULT = (
    "on path 1; on each if the paths' rates do not tell what TCP gets: beside other traffic, with events,"
    " for a workload that does not fill the paths"
)


def _condition_options(parser: argparse.ArgumentParser, tcp_by_default: str = TCP_BY_DEFAULT) -> None:
    parser.add_argument(
        "--scheduler",
        default="default,minrtt,minrtt+rp+bm,inorder",
        help="names, or all (default: %(default)s)",
    )
    parser.add_argument("--congestion", default="cubic", help="names of congestion controls (cubic)")
    parser.add_argument(
        "--workload",
        default="bulk",
        metavar="NAME[,KEY=VALUE]...",
        help=f"{', '.join(traffic.KINDS)}; e.g. blocks,rate=4mbit,size=8000 (default: bulk);"
        " 'mplab run --help-workload' explains them",
    )
    parser.add_argument(
        "--duration", type=_time("--duration"), metavar="TIME", help="of a workload that has one"
    )
    parser.add_argument("--warmup", type=_time("--warmup"), metavar="TIME", help="before it counts")
    parser.add_argument("--repeat", type=_count, default=1, metavar="N", help="runs of each (1)")
    parser.add_argument(
        "--seed", type=_from_zero, default=0, metavar="N", help="first seed of the guest's random numbers (0)"
    )
    parser.add_argument(
        "--beside",
        action="append",
        default=[],
        metavar="KIND[,KEY=VALUE]...",
        help="traffic of others, repeatable: tcp, web or udp, e.g. tcp,count=2,path=1; web,load=2mbit;"
        " explained by 'mplab run --help-beside'",
    )
    parser.add_argument(
        "--competing", type=_from_zero, default=0, metavar="N", help="short for tcp,count=N,congestion=reno"
    )
    parser.add_argument(
        "--sysctl",
        action="append",
        default=[],
        dest="sysctls",
        type=_argument(options.sysctl),
        metavar="NAME=VALUE",
        help="of the network namespaces of client and server, repeatable, e.g. mptcp.ewlia_weight=8",
    )
    parser.add_argument(
        "--offload",
        choices=("on", "off"),
        default="on",
        help="TSO, GSO and GRO at the hosts; off: TCP sends one segment at a time (on)",
    )
    tcp = parser.add_mutually_exclusive_group()
    tcp.add_argument(
        "--tcp-on",
        type=_path_number,
        metavar="N|each|all",
        help="plain TCP on path N, on each, or on each and over all of them at once (ranges, davvi);"
        f" default: {tcp_by_default}",
    )
    tcp.add_argument("--no-tcp", action="store_true", help="leave out plain TCP")


def _bench_parser(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    bench = sub.add_parser(
        "bench", allow_abbrev=False, help="networks and applications as users have them: a scoreboard"
    )
    what = bench.add_mutually_exclusive_group()
    what.add_argument("--suite", type=Path, metavar="FILE", help="other scenarios than the project's")
    what.add_argument(
        "--mine", type=Path, metavar="FILE", help="networks of your own, a line each: its paths; or a suite"
    )
    bench.add_argument("--quick", action="store_true", help="few scenarios, one seed each")
    bench.add_argument("--only", default="", metavar="NAME,...", help="these scenarios, or groups of them")
    bench.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="a page for a browser, too: a click on a scenario or a cell of the scoreboard shows its time"
        " series (rates, queues, out-of-order bytes, what the workload measured); a run more of each cell",
    )
    bench.add_argument("--list", action="store_true", help="list the scenarios, and exit")
    bench.add_argument(
        "--scheduler", default="default,inorder", help="names beside default, or all (default: %(default)s)"
    )
    bench.add_argument("--congestion", default="cubic", help="names of congestion controls (cubic)")
    bench.add_argument("--seed", type=_from_zero, default=0, metavar="N", help="the first (0)")
    _kernel_option(bench, several=True)
    _measuring_options(bench, "bench", own=True)
    _cluster_options(bench)
    merge = sub.add_parser("merge", help="results of several machines in one directory")
    merge.add_argument("out", type=Path, metavar="OUT", help="where they go, and some may be")
    merge.add_argument("sources", type=Path, nargs="+", metavar="IN", help="--out of the shares")


def _run_options(parser: argparse.ArgumentParser, tcp_by_default: str = TCP_BY_DEFAULT) -> None:
    """Of commands that measure on one set of paths."""
    _paths_option(parser)
    for what in commands.EXPLAINED:
        parser.add_argument(
            f"--help-{what}", dest="explain", action="store_const", const=what, help=f"explain --{what}"
        )
    _buffer_option(parser)
    _kernel_option(parser, several=True)
    _condition_options(parser, tcp_by_default)
    parser.add_argument("--real-time", action="store_true", help="let the clock run: a cross-check")


def _watch_parser(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    watch = sub.add_parser(
        "watch",
        help="draw a run while it runs: rates, queues, what is out of order",
        description=WATCH,
        epilog=WATCH_SHOWS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    watch.add_argument(
        "--speed",
        type=_speed,
        metavar="N",
        help="show at most N seconds of the guest's time in a second of yours (default: as fast as it runs)",
    )
    _run_options(watch, "nowhere")
    watch.set_defaults(scheduler="default")
    _measuring_options(watch, "mplab", own=True, several=False)


def _striping_parser(sub: argparse._SubParsersAction) -> None:
    striping = sub.add_parser(
        "striping", help="TCP's packets over several paths, beside MPTCP: the sources' tables"
    )
    striping.add_argument("names", nargs="*", metavar="NAME", help="tables, or all (none: list them)")
    striping.add_argument("--quick", action="store_true", help="one seed, fewer cases")
    _kernel_option(striping)
    _measuring_options(striping, "striping")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mplab", description="Network test bed for MPTCP, on the real kernel in virtual time."
    )
    sub = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = sub.add_parser("run", help="compare schedulers on some paths: table, JSON and figure")
    _run_options(run)
    run.add_argument("--pcap", action="store_true", help="keep packet captures, report reordering")
    _measuring_options(run, "mplab", own=True)
    _watch_parser(sub)

    design = sub.add_parser(
        "design", allow_abbrev=False, help="compare schedulers over many points of a parameter space"
    )
    design.add_argument(
        "space",
        help="low, high, low-lossy, high-lossy (space-filling), orthogonal:NAME, grid:NAME, or a file"
        " with a point per line: its paths, with spaces between",
    )
    design.add_argument("--points", type=_count, default=24, metavar="N", help="of the design (24)")
    design.add_argument(
        "--design-seed", type=_from_zero, default=1, metavar="N", help="another N, other points (1)"
    )
    _buffer_option(design)
    _kernel_option(design, several=True)
    _condition_options(design)
    _measuring_options(design, "design", own=True)
    _cluster_options(design)
    _bench_parser(sub)

    figure = sub.add_parser("figure", help="make figures of the thesis; without a name, list them")
    report = sub.add_parser("report", allow_abbrev=False, help="make all figures, and a page that shows them")
    figure.add_argument("names", nargs="*", metavar="NAME")
    for each in (figure, report):
        each.add_argument("--full", action="store_true", help="the thesis' size, not the small one")
        each.add_argument("--design-seed", type=_from_zero, default=1, metavar="N", help="other points")
        _kernel_option(each)
        _measuring_options(each, "figures")

    _cluster_options(report)
    figure.set_defaults(cluster=None)

    evidence = sub.add_parser(
        "evidence",
        allow_abbrev=False,
        help="the published numbers: measure, confirm on a later kernel, write into texts, check",
    )
    evidence.add_argument(
        "what",
        choices=("measure", "confirm", "write", "check"),
        help="measure: what changed since; confirm: run a share of it again, and keep the numbers if it comes"
        " out the same; write: the numbers into the texts; check: say what does not fit together",
    )
    evidence.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this one, repeatable (all that changed)"
    )
    evidence.add_argument(
        "--share",
        type=_argument(lambda text: units.percent(text, "share")),
        default="10%",
        metavar="PERCENT",
        help="of a number's runs, to confirm it (10%%)",
    )
    _kernel_option(evidence)
    _measuring_options(evidence, "evidence")
    _cluster_options(evidence)
    evidence.set_defaults(parse=parse)

    _striping_parser(sub)

    interactive = sub.add_parser(
        "shell",
        help="a shell in the guest with the network up",
        epilog="The server is 10.1.2.2 or fd00:1:2::2 (ip netns exec server CMD). An iperf3 listens there.",
    )
    _paths_option(interactive)
    _buffer_option(interactive)
    _kernel_option(interactive)
    where = interactive.add_mutually_exclusive_group()
    where.add_argument("--virtual-time", action="store_true", help="do not follow the clock")
    where.add_argument("--qemu", action="store_true", help="a machine with two CPUs, of make vm")
    interactive.add_argument(
        "argv", nargs="*", metavar="COMMAND", help="run this instead; write -- before it"
    )

    cost = sub.add_parser(
        "cost", help="CPU time per transfer or connection, by kernel, scheduler or congestion control"
    )
    _kernel_option(cost)
    of_what = cost.add_mutually_exclusive_group()
    of_what.add_argument(
        "--connections",
        action="store_true",
        help="on both kernels: made and closed, with up to 20,000 others present",
    )
    of_what.add_argument(
        "--http",
        action="store_true",
        help="requests of many clients: TCP on a link, bonding of two, MPTCP over both",
    )
    of_what.add_argument(
        "--syns",
        action="store_true",
        help="on both kernels: SYNs answered, of TCP and MPTCP, with up to 20,000 connections present",
    )
    what = cost.add_mutually_exclusive_group()
    what.add_argument("--against", metavar="KERNEL", help="(default: stock)")
    what.add_argument(
        "--congestion", metavar="NAMES", help="compare these on one kernel, with the first of them"
    )
    what.add_argument("--scheduler", metavar="NAMES", help="compare these on one kernel, with the first")
    cost.add_argument(
        "--rate",
        type=_argument(lambda text: units.rate(text, "--rate")),
        metavar="RATE",
        help="of each of two paths (200mbit; with --scheduler 400mbit)",
    )
    cost.add_argument("--seconds", type=_duration, default=10.0, metavar="N", help="per transfer (10)")
    cost.add_argument("--rounds", type=_count, default=7, metavar="N", help="of all that is compared (7)")
    return parser


def _terminated(*_: object) -> None:
    raise KeyboardInterrupt


def parse(argv: list[str] | None) -> argparse.Namespace:
    """A command line, or exit with a message."""
    argv = sys.argv[1:] if argv is None else argv
    args = _parser().parse_args(argv)
    args.argv = argv if args.command != "shell" else args.argv
    if "paths" in args:
        args.paths = args.paths or [strict.parse(p) for p in WIFI_3G]
    return args


def _told(argv: list[str] | None) -> int:
    """A command's exit status. What it wrote is out: at the exit nobody could say that it is not."""
    try:
        args = parse(argv)
        return commands.COMMANDS[args.command](args)
    finally:
        print(end="", flush=True)


def _no_more_output() -> None:
    """At the exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main(argv: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, _terminated)  # end the guests, as Ctrl-C does
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # not under nohup
        signal.signal(signal.SIGHUP, _terminated)
    try:
        return _told(argv)
    except (UsageError, units.UnitError) as error:
        print(f"mplab: {error}", file=sys.stderr)
        return 2
    except (GuestError, KernelChanged) as error:
        print(f"mplab: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # "| head" has seen enough
        _no_more_output()
        return 1
    except OSError as error:
        if error.filename is None:
            _no_more_output()
        print(f"mplab: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("mplab: interrupted; what was measured is kept", file=sys.stderr)
        return 130
