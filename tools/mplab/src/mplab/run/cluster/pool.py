# SPDX-License-Identifier: MIT
"""Runs on the workers of Dask (https://distributed.dask.org), which is not needed otherwise."""

from __future__ import annotations

import atexit
import contextlib
import socket
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ...lab.guest import Guests
from ...words.units import UsageError
from .. import asked
from ..experiment import Conditions, Result, key
from ..runner import Failure, Runner, Store, twice

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
CONNECT_WITHIN = 30  # seconds


@cache
def _guests(label: str, limit: float) -> Guests:
    """A worker's own, ended with it."""
    guests = Guests(asked.kernel_directory(label), limit=limit)
    guests.__enter__()
    atexit.register(guests.__exit__)
    return guests


def measured(c: Conditions, name: str, limit: float) -> Result | Failure:
    """On a worker. name: of the result, as the one who asks would call it; limit: seconds that a guest may
    take."""
    guests = _guests(c.kernel, limit)
    if key(c, guests.identity(c.parts)) != name:
        raise UsageError(
            f"the worker on {socket.gethostname()} has another kernel or another version of mplab:"
            " give it the same files, and start it anew"
        )
    return twice(guests, c)


@contextlib.contextmanager
def connected(address: str, jobs: int) -> Iterator[Client]:
    """To a cluster that is there, or to one on this machine, with a worker per job."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError(
            "--cluster needs Dask: apt install python3-distributed, or call mplab with a Python that has it"
        ) from None
    with contextlib.ExitStack() as stack:
        at: Any = address
        if address == LOCAL:
            at = stack.enter_context(
                LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
            )
        try:
            yield stack.enter_context(Client(at, timeout=CONNECT_WITHIN))
        except OSError as error:
            raise UsageError(f"--cluster {address}: no scheduler answers there ({error})") from None


class DaskRunner(Runner):
    """Measures on workers; keeps the results here. A worker that is lost costs only its run."""

    timed = False

    def __init__(
        self, kernels: Mapping[str, Guests], store: Store, client: Client, jobs: int, lean: bool
    ) -> None:
        super().__init__(kernels, store, jobs, lean)
        self.client = client

    def _outcomes(self, missing: Sequence[Conditions]) -> Iterator[Result | Failure]:
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        names = [key(c, self.kernels[c.kernel].identity(c.parts)) for c in missing]
        limits = [self.kernels[c.kernel].limit for c in missing]
        futures = self.client.map(measured, missing, names, limits, pure=False)
        asked = dict(zip((f.key for f in futures), missing, strict=True))
        try:
            for future in as_completed(futures):
                try:
                    outcome = future.result()
                except KilledWorker as error:
                    outcome = Failure(asked[future.key], str(error))
                if isinstance(outcome, Result):
                    self.store.save(outcome)
                future.release()
                yield outcome
        finally:
            self.client.cancel(futures)
