# SPDX-License-Identifier: MIT
"""Guests: a shell script inside the User-Mode kernel, and what it leaves in a directory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

TOP = Path(__file__).resolve().parents[4]
BOOT = TOP / "tools" / "kernel" / "boot-uml"
MPTCPCTL = TOP / "tools" / "mptcpctl" / "mptcpctl"


class GuestError(RuntimeError):
    """A guest that did not do what it was asked; the message holds its last words."""


class KernelChanged(RuntimeError):
    """The kernel was built anew between two measurements; the message says so."""


class Ended(RuntimeError):
    """The block that the guests belong to was left while one ran."""


class Guests:
    """Starts guests and ends those that still run when the block is left."""

    def __init__(self, kernel: Path | None = None, real_time: bool = False) -> None:
        self.kernel = kernel or TOP / "build" / "uml"
        self._clock = ["--real-time"] if real_time else []
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False
        self._starting = threading.Lock()

    def __enter__(self) -> Guests:
        return self

    def __exit__(self, *_: object) -> None:
        with self._starting:  # none starts from here on
            self._ended = True
        for process in list(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()

    @cached_property
    def build_id(self) -> str:
        """Of the kernel and its modules, by content."""
        self._written = self._times()
        return self._digest()

    def _files(self) -> list[Path]:
        return [self.kernel / "linux", *sorted((self.kernel / "modules").rglob("*.ko"))]

    def _times(self) -> list[int]:
        return [file.stat().st_mtime_ns for file in self._files()]

    def _digest(self) -> str:
        digest = hashlib.sha256("".join(self._clock).encode())
        for file in self._files():
            digest.update(file.read_bytes())
        return digest.hexdigest()[:12]

    def _check_kernel(self) -> None:
        """No result may be taken for that of a kernel which was there before."""
        if "build_id" not in self.__dict__:
            return
        try:
            same = self._times() == self._written or self._digest() == self.build_id
        except OSError:
            same = False
        if not same:
            raise KernelChanged(f"the kernel in {self.kernel} was built anew meanwhile: start again")

    def _command(self, directory: Path, options: list[str], command: list[str]) -> list[str]:
        return [
            *(str(BOOT), "--kernel", str(self.kernel), "--rw", str(directory)),
            *options,
            "--",
            *command,
        ]

    def run(self, script: str, directory: Path, *options: str) -> str:
        """Run a shell script in a guest of its own; return what it printed."""
        path = directory / "guest.sh"
        path.write_text(script)
        # a session of its own, so that Ctrl-C reaches us first and we end it in order
        with self._starting:
            if self._ended:
                raise Ended
            process = subprocess.Popen(
                self._command(directory, [*self._clock, *options], ["sh", str(path)]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        output, _ = process.communicate()
        self._running.discard(process)
        if self._ended:
            raise Ended
        self._check_kernel()
        if process.returncode:
            tail = "\n".join(output.splitlines()[-15:])
            raise GuestError(f"the guest ended with status {process.returncode}:\n{tail}")
        return output

    def interactive(self, script: str, directory: Path, *options: str) -> int:
        """Run a shell script in a guest that has the terminal; return its exit status."""
        path = directory / "guest.sh"
        path.write_text(script)
        command = self._command(directory, list(options), ["bash", str(path)])
        with subprocess.Popen(command) as process:
            try:
                return process.wait()
            except BaseException:
                process.terminate()  # killed, it would leave the guest behind
                raise


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A directory that guest and host share, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mplab.") as name:
        yield Path(name)
