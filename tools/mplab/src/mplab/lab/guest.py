# SPDX-License-Identifier: MIT
"""Guests: a shell script inside the User-Mode kernel, and what it leaves in a directory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from . import parts
from .parts import TOP

BUILD = Path(os.environ.get("BUILD") or TOP / "build")  # where kernels are
BOOT = TOP / "tools" / "kernel" / "boot-uml"
CRASH = re.compile(r"\bRIP: |Kernel panic|\bBUG: |WARNING: ")  # in a kernel's log: where it was
BOOT_QEMU = BOOT.with_name("boot-qemu")
MPTCPCTL = TOP / "tools" / "mptcpctl" / "mptcpctl"
INSIDE = Path(__file__).parents[1] / "inside"  # our programs that run there
# How a guest knows its directory and our programs, wherever the host has them: see same_names()
SHARED, TOOLS = "/run/mplab", "/run/tools"
PATIENCE = 5.0  # seconds that a guest has to end when asked to
TIME_LIMIT = 600.0  # seconds of the host's time: the longest of our figures take a tenth of it
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # as boot-uml gives it


class GuestError(RuntimeError):
    """A guest that did not do what it was asked; the message holds its last words."""


class OutOfTime(GuestError):
    """A guest that did not come to an end. Not worth another try."""


class KernelChanged(RuntimeError):
    """The kernel was built anew between two measurements; the message says so."""


class Ended(RuntimeError):
    """The block that the guests belong to was left while one ran."""


class Guests:
    """Starts guests and ends those that still run when the block is left."""

    def __init__(
        self,
        kernel: Path | None = None,
        real_time: bool = False,
        limit: float = TIME_LIMIT,
        boot: Path = BOOT,
    ) -> None:
        """limit: seconds of the host's time that a guest may take. boot: what starts one."""
        self.kernel, self.limit, self._boot = kernel or BUILD / "uml", limit, boot
        self._clock = ["--real-time"] if real_time else []
        self._identities: dict[frozenset[str], str] = {}  # a plan may ask 100,000 times
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False
        self._starting = threading.Lock()

    def __enter__(self) -> Guests:
        return self

    def __exit__(self, *_: object) -> None:
        with self._starting:  # none starts from here on
            self._ended = True
        for process in list(self._running):
            _end(process)

    @cached_property
    def build_id(self) -> str:
        """Of the kernel and its modules, by content."""
        return self._of_all(self._contents)

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """Of the sources that the kernel was built from, with their digests; none if it does not say."""
        return parts.read(self.kernel)

    def identity(self, needed: Iterable[str]) -> str:
        """Of the kernel for a run that needs these parts of it, by content: of our modules those only."""
        chosen = frozenset(needed)
        if chosen not in self._identities:
            contents = self._contents.items()
            known = {file: digest for file, digest in contents if parts.is_for(file.stem, chosen)}
            self._identities[chosen] = self._of_all(known)
        return self._identities[chosen]

    def _files(self) -> list[Path]:
        return [self.kernel / "linux", *sorted((self.kernel / "modules").rglob("*.ko"))]

    def _times(self) -> list[int]:
        return [file.stat().st_mtime_ns for file in self._files()]

    @cached_property
    def _contents(self) -> Mapping[Path, str]:
        """From here on the kernel may not change."""
        self._written = self._times()
        return self._read()

    def _read(self) -> dict[Path, str]:
        return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in self._files()}

    def _of_all(self, contents: Mapping[Path, str]) -> str:
        words = [*self._clock, *(f"{file.name} {digest}" for file, digest in contents.items())]
        return hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]

    def _check_kernel(self) -> None:
        """No result may be taken for that of a kernel which was there before."""
        if "_contents" not in self.__dict__:
            return
        try:
            same = self._times() == self._written or self._read() == self._contents
        except OSError:
            same = False
        if not same:
            raise KernelChanged(f"the kernel in {self.kernel} was built anew meanwhile: start again")

    def _command(self, share: list[str], options: list[str], command: list[str]) -> list[str]:
        return [str(self._boot), "--kernel", str(self.kernel), *share, *options, "--", *command]

    def run(self, script: str, directory: Path, *options: str) -> str:
        """Run a shell script in a guest of its own; return what it printed."""
        (directory / "guest.sh").write_text(same_names(script, directory))
        share = ["--rw-at", str(directory), SHARED, "--bind", str(TOP / "tools"), TOOLS]
        # a session of its own, so that Ctrl-C reaches us first and we end it in order
        with self._starting:
            if self._ended:
                raise Ended
            process = subprocess.Popen(
                self._command(share, [*self._clock, *options], ["sh", f"{SHARED}/guest.sh"]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            output, _ = process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            _end(process)
            process.communicate()
            raise OutOfTime(f"no end after {self.limit:g} s of the host's time (--time-limit)") from None
        finally:
            self._running.discard(process)
        if self._ended:
            raise Ended
        self._check_kernel()
        if process.returncode:
            lines = output.splitlines()
            where = [line for line in lines[:-15] if CRASH.search(line)]
            tail = "\n".join([*where, *lines[-15:]])
            raise GuestError(f"the guest ended with status {process.returncode}:\n{tail}")
        return output

    def interactive(self, script: str, directory: Path, *options: str) -> int:
        """Run a shell script in a guest that has the terminal; return its exit status."""
        path = directory / "guest.sh"
        path.write_text(script)
        command = self._command(["--rw", str(directory)], list(options), ["bash", str(path)])
        with subprocess.Popen(command) as process:
            try:
                return process.wait()
            except BaseException:
                process.terminate()  # killed, it would leave the guest behind
                raise


def _end(process: subprocess.Popen[str]) -> None:
    """Ask a guest to end; one whose kernel does not listen any more is killed."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=PATIENCE)
            return


def same_names(script: str, directory: Path) -> str:
    """The script with names that do not depend on the host: their lengths are enough for another
    result, by as little as a page of arguments more in the guest."""
    return script.replace(str(directory), SHARED).replace(str(TOP / "tools"), TOOLS)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A directory that guest and host share, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mplab.") as name:
        yield Path(name)
