# SPDX-License-Identifier: MIT
"""Guests: a shell script inside the User-Mode kernel, and what it leaves in a directory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

TOP = Path(__file__).resolve().parents[4]
BOOT = TOP / "tools" / "kernel" / "boot-uml"
MPTCPCTL = TOP / "tools" / "mptcpctl" / "mptcpctl"


class GuestError(RuntimeError):
    """A guest that did not do what it was asked; the message holds its last words."""


class Guests:
    """Starts guests and ends those that still run when the block is left."""

    def __init__(self, kernel: Path | None = None, real_time: bool = False) -> None:
        self.kernel = kernel or TOP / "build" / "uml"
        self._clock = ["--real-time"] if real_time else []
        self._running: set[subprocess.Popen[str]] = set()

    def __enter__(self) -> Guests:
        return self

    def __exit__(self, *_: object) -> None:
        for process in list(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()

    @cached_property
    def build_id(self) -> str:
        """Of the kernel and its modules, by content."""
        files = [self.kernel / "linux", *sorted((self.kernel / "modules").rglob("*.ko"))]
        digest = hashlib.sha256("".join(self._clock).encode())
        for file in files:
            digest.update(file.read_bytes())
        return digest.hexdigest()[:12]

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
        if process.returncode:
            tail = "\n".join(output.splitlines()[-15:])
            raise GuestError(f"the guest ended with status {process.returncode}:\n{tail}")
        return output

    def interactive(self, script: str, directory: Path, *options: str) -> int:
        """Run a shell script in a guest that has the terminal; return its exit status."""
        path = directory / "guest.sh"
        path.write_text(script)
        command = self._command(directory, list(options), ["bash", str(path)])
        return subprocess.run(command, check=False).returncode


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A directory that guest and host share, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mplab.") as name:
        yield Path(name)
