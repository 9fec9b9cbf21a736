# SPDX-License-Identifier: MIT
"""mplab figure and mplab report."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill

from ...lab import parts
from ...run import asked
from ...run.cluster import spread
from ...run.experiment import Conditions
from ...run.runner import exit_status
from ...run.schedulers import available
from ...words.places import writable, written
from ...words.settings import WIDTH
from ...words.units import UsageError
from .. import page
from . import FIGURES, ONE_BY_ONE, Setting
from .base import Figure


def figure(args: argparse.Namespace) -> int:
    """Some of the figures."""

    known = FIGURES | ONE_BY_ONE
    if not args.names:
        for each in known.values():
            print(fill(each.title, WIDTH, initial_indent=f"{each.name:16} ", subsequent_indent=" " * 17))
        return 0
    for name in args.names:
        if name not in known:
            raise UsageError(f"no figure '{name}': 'mplab figure' lists them")
    return _figures(args, list(dict.fromkeys(args.names)), whole=False)


def report(args: argparse.Namespace) -> int:
    """All figures and a page."""

    return _figures(args, list(FIGURES), whole=True)


def _plan(figure: Figure, setting: Setting, kernel: str) -> list[Conditions]:
    """Its runs, on this kernel, as the tables name it."""
    return [replace(c, kernel=kernel) for c in figure.plan(setting)]


def _figures(args: argparse.Namespace, names: Sequence[str], whole: bool) -> int:
    """Draw them. The whole report has a page; of less the numbers are printed, and the page stays."""
    out, drawn, calls, known = writable(args.out), [], {}, FIGURES | ONE_BY_ONE
    with asked.guests([args.kernel], args) as kernels:
        guests = kernels[args.kernel]
        schedulers, congestions = available(guests)
        strict = args.kernel == "patched"  # of any other kernel what it has
        setting = Setting(args.full, schedulers, tuple(congestions), args.design_seed, strict)
        by_label = {args.kernel: guests}
        if whole:
            runs = [c for name in names for c in _plan(known[name], setting, args.kernel)]
            if (failures := spread.share(args, runs, by_label, out)) is not None:
                return exit_status(failures)
        with spread.runner(args, by_label, out) as runner:
            for name in names:
                plan = _plan(known[name], setting, args.kernel)
                asked.programs(*{need for c in plan for need in c.workload.needs})
                results = runner.run(plan, name)
                drawn.append(page.draw(known[name], setting, results, runner.failures, out))
                calls[name] = _command(args, name)
    files = [d.image for d in drawn]
    if whole:
        made = "mplab report --full" if args.full else "make figures"
        about = (
            f"Made by {made} at commit {parts.commit()}; schedulers {schedulers}; cubic, unless a figure"
            " names another congestion control. Below each: what the thesis reports, and the runs here."
            " All numbers: numbers.csv. " + parts.in_words(guests.parts, runner.parts & guests.parts.keys())
        )
        page.write(out / "index.html", drawn, calls, about)
        files = [*files[:3], out / "index.html"]
    else:
        print("\n".join(page.markdown(d) for d in drawn))
    written(*files)
    return exit_status(runner.failures)


def _command(args: argparse.Namespace, name: str) -> str:
    seed = ["--design-seed", str(args.design_seed)] if args.design_seed != 1 else []
    size = ["--full"] if args.full else []
    return shlex.join(["tools/mplab/mplab", "figure", name, *size, *seed])
