# SPDX-License-Identifier: MIT
"""A machine in QEMU that boots a Debian disk as a real one does, and runs what it is told.

It is told through QEMU's guest agent, a package of Debian's: no network, no keys, no console
to be read. Its disk is a copy-on-write layer over the image, so machines can share one.
"""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BOOT_LIMIT = 600.0  # s; emulated, a Debian is up in one to two minutes


class MachineError(Exception):
    """A machine did not do what it was told."""


@dataclass(frozen=True)
class Result:
    """What a command on a machine came to."""

    status: int
    output: str


@dataclass(frozen=True)
class Boot:
    """How a machine of an architecture begins: from a CD with GRUB, or with kernel and initrd at once."""

    arch: str
    cd: Path | None = None
    kernel: Path | None = None
    initrd: Path | None = None

    def options(self, accel: str) -> list[str]:
        """What QEMU is called with."""
        if self.arch == "amd64":
            model = "max" if accel == "tcg" else "host"
            return [
                *("qemu-system-x86_64", "-machine", "q35", "-cpu", model),
                *("-boot", "d", "-cdrom", str(self.cd)),
            ]
        return [
            *("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a72"),
            *("-kernel", str(self.kernel), "-initrd", str(self.initrd)),
            *("-append", "root=/dev/vda console=ttyAMA0 quiet"),
        ]


@dataclass
class Machine:
    """One machine; use it in a with statement, which ends it."""

    name: str
    number: int
    directory: Path
    disk: Path
    boot: Boot
    data: Path
    links: tuple[str, ...]
    peer: str
    accel: str = "tcg"
    cpus: int = 1
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _agent: socket.socket | None = field(default=None, init=False)

    def __enter__(self) -> Machine:
        self._make_disk()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def console(self) -> Path:
        """All that the machine wrote to its serial line."""
        return self.directory / f"{self.name}.console"

    def _path(self, what: str) -> Path:
        return self.directory / f"{self.name}.{what}"

    def _make_disk(self) -> None:
        create = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b"]
        subprocess.run([*create, str(self.disk), str(self._path("qcow2"))], check=True)

    def _network(self) -> Iterator[str]:
        for n, link in enumerate(self.links, 1):
            mac = f"52:54:00:00:00:{n}{self.number}"
            here, there = self._path(link), self.directory / f"{self.peer}.{link}"
            yield "-netdev"
            yield (f"dgram,id={link},local.type=unix,local.path={here},remote.type=unix,remote.path={there}")
            yield "-device"
            yield f"virtio-net-pci,netdev={link},mac={mac}"

    def start(self) -> None:
        """Switch it on; returns when its agent answers."""
        for what in ("agent", *self.links):
            self._path(what).unlink(missing_ok=True)
        drive = "if=virtio,format={},file={}"
        command = [
            *self.boot.options(self.accel),
            *("-accel", self.accel, "-smp", str(self.cpus), "-m", "1G", "-nodefaults"),
            *("-display", "none", "-serial", f"file:{self.console}"),
            *("-drive", drive.format("qcow2", self._path("qcow2"))),
            *("-drive", drive.format("raw", self.data) + ",readonly=on"),
            *("-device", "virtio-rng-pci"),
            *("-chardev", f"socket,id=agent,path={self._path('agent')},server=on,wait=off"),
            *("-device", "virtio-serial", "-device"),
            "virtserialport,chardev=agent,name=org.qemu.guest_agent.0",
            *self._network(),
        ]
        self._process = subprocess.Popen(command)
        self._wait_for_agent()

    def stop(self) -> None:
        """Pull the plug."""
        self._hang_up()
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def take(self, files: Sequence[str]) -> list[Path]:
        """Files of its disk, while it is off."""
        raw = self._path("raw")
        subprocess.run(["qemu-img", "convert", "-O", "raw", str(self._path("qcow2")), str(raw)], check=True)
        taken = []
        for file in files:
            taken.append(self._path(Path(file).name))
            subprocess.run(
                ["debugfs", "-R", f"dump {file} {taken[-1]}", str(raw)], check=True, capture_output=True
            )
        raw.unlink()
        return taken

    def reboot(self) -> None:
        """As its operator does, and wait until it is back."""
        before = self.run("cat /proc/sys/kernel/random/boot_id").output
        self._ask("guest-exec", path="/bin/systemctl", arg=["reboot"])
        self._hang_up()
        time.sleep(5)
        self._wait_for_agent()
        if self.run("cat /proc/sys/kernel/random/boot_id").output == before:
            raise MachineError(f"{self.name} did not reboot")

    def _hang_up(self) -> None:
        if self._agent:
            self._agent.close()
            self._agent = None

    def _wait_for_agent(self) -> None:
        end = time.monotonic() + BOOT_LIMIT
        while time.monotonic() < end:
            if self._process and self._process.poll() is not None:
                raise MachineError(f"{self.name}: QEMU ended with status {self._process.returncode}")
            try:
                self._connect()
            except OSError:
                self._hang_up()
                time.sleep(1)
                continue
            return
        raise MachineError(f"{self.name} did not boot in {BOOT_LIMIT:.0f} s: see {self.console}")

    def _connect(self) -> None:
        self._agent = socket.socket(socket.AF_UNIX)
        self._agent.settimeout(5)
        self._agent.connect(str(self._path("agent")))
        self._ask("guest-sync-delimited", id=int(time.monotonic() * 1000))
        self._agent.settimeout(60)

    def _ask(self, command: str, **arguments: Any) -> Any:
        """One order to the agent; the answers to older ones are skipped."""
        if not self._agent:
            raise MachineError(f"{self.name}: nobody there")
        order = json.dumps({"execute": command, "arguments": arguments}).encode()
        # 0xff makes the agent forget what a boot before has left half read
        prefix = b"\xff" if command.startswith("guest-sync") else b""
        self._agent.sendall(prefix + order + b"\n")
        while True:
            answer = json.loads(self._line() or b"{}")
            if "error" in answer and not prefix:
                raise MachineError(f"{self.name}: {command}: {answer['error'].get('desc')}")
            got = answer.get("return")
            if got is not None and (not prefix or got == arguments["id"]):
                return got

    def _line(self) -> bytes:
        assert self._agent
        line = b""
        while not line.endswith(b"\n"):
            piece = self._agent.recv(65536)
            if not piece:
                raise ConnectionError("the agent went away")
            line += piece
        return line.rpartition(b"\xff")[2].strip()

    def begin(self, script: str) -> int:
        """Start a shell script as root; returns its process id."""
        got = self._ask(
            "guest-exec",
            path="/bin/sh",
            arg=["-ec", script],
            **{"capture-output": True},
            env=[
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME=/root",
                "LANG=C.UTF-8",
            ],
        )
        return int(got["pid"])

    def wait(self, pid: int, limit: float) -> Result:
        """The end of what begin() started, at most limit seconds later."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            got = self._ask("guest-exec-status", pid=pid)
            if got["exited"]:
                text = [
                    base64.b64decode(got.get(k, "")).decode(errors="replace")
                    for k in ("out-data", "err-data")
                ]
                return Result(got.get("exitcode", 128 + got.get("signal", 0)), "".join(text))
            time.sleep(0.3)
        raise MachineError(f"{self.name}: still running after {limit:.0f} s")

    def run(self, script: str, limit: float = 600) -> Result:
        """A shell script as root, from start to end."""
        return self.wait(self.begin(script), limit)
