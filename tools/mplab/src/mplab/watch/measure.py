# SPDX-License-Identifier: MIT
"""A run with samples. It is a run of its own: who looks on draws random numbers of the guest, too, so that
what is left to chance (loss, for one) happens as with another seed. No result of it is taken for one of
`mplab run`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..lab.guest import GuestError, Guests, scratch
from ..run.experiment import Conditions, Result, evaluate, script
from ..run.report import who
from ..run.runner import Failure, Runner, Store, twice
from . import samples

LATEST = 0.5  # seconds before the end of the traffic, for the last sample


def sampled(guests: Guests, c: Conditions, directory: Path, cpu: int | None = None) -> Result:
    """directory: has the samples while it runs."""
    options = ["--seed", str(c.seed)] + (["--cpu", str(cpu)] if cpu is not None else [])
    try:
        said = guests.run(samples.start(c, directory) + script(c, directory), directory, *options)
        found = evaluate(c, directory, guests.identity(c.parts))
        seen = samples.Reader(directory).new()
        _check(seen, directory, said)
    except GuestError as error:
        raise type(error)(f"{who(c)}, {c.congestion}, seed {c.seed}: {error}") from None
    return replace(found, flows=samples.with_courses(found.flows, c, seen))


def _check(seen: Sequence[samples.Sample], directory: Path, said: str) -> None:
    """Half a course would look like a whole one."""
    begin, end = (float(line.split()[0]) for line in (directory / "times").read_text().splitlines())
    if not seen or seen[-1].at < end - begin - LATEST:
        words = "".join(f"\n  {line}" for line in said.splitlines()[-5:])
        raise GuestError(f"samples end {seen[-1].at if seen else 0:.1f} s after the beginning{words}")


def _sampled(guests: Guests, c: Conditions, cpu: int | None = None) -> Result:
    with scratch() as directory:
        return sampled(guests, c, directory, cpu)


class SampledRunner(Runner):
    """Measures plans with samples. They have a store of their own, for this version of the sampler."""

    def __init__(self, kernels: Mapping[str, Guests], out: Path, jobs: int) -> None:
        version = hashlib.sha256(samples.SAMPLER.read_bytes()).hexdigest()[:12]
        super().__init__(kernels, Store(out / "sampled" / version), jobs)

    def outcome(self, c: Conditions, cpu: int) -> Result | Failure:
        return twice(self.kernels[c.kernel], c, cpu, _sampled)
