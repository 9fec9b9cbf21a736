# SPDX-License-Identifier: MIT
"""Where the runs of a command are measured: here, on a cluster's workers, or a share of them here."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...lab.guest import Guests
from ..experiment import Conditions
from ..runner import Failure, Runner, Store
from . import slurm


@contextlib.contextmanager
def runner(
    args: argparse.Namespace, kernels: Mapping[str, Guests], out: Path, lean: bool = False
) -> Iterator[Runner]:
    """On this machine, or on the workers of a cluster."""
    if not args.cluster:
        yield Runner(kernels, Store(out), args.jobs, lean)
        return
    from . import pool

    with pool.connected(args.cluster, args.jobs) as client:
        yield pool.DaskRunner(kernels, Store(out), client, args.jobs, lean)


def share(
    args: argparse.Namespace, runs: Sequence[Conditions], kernels: Mapping[str, Guests], out: Path
) -> list[Failure] | None:
    """Write a file for Slurm, or measure a share: then there is nothing to show, only what failed."""
    if args.slurm:
        slurm.write(args.slurm, args.argv, args.tasks, out, len(set(runs)))
        return []
    if not args.shard:
        return None
    here = Runner(kernels, Store(out), args.jobs, lean=True)
    done = here.run(args.shard.of(runs, kernels), f"share {args.shard}")
    print(f"share {args.shard}: {len(done)} results in {os.path.relpath(out / 'runs')}")
    return here.failures
