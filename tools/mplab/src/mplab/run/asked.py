# SPDX-License-Identifier: MIT
"""What a call asks for: kernels, schedulers, congestion controls and programs that must be there."""

from __future__ import annotations

import argparse
import contextlib
import shutil
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from ..lab.guest import BOOT, BOOT_QEMU, BUILD, MPTCPCTL, PATH, TIME_LIMIT, Guests
from ..lab.parts import TOP
from ..words.units import UsageError
from .schedulers import Schedulers

KERNELS = {"patched": BUILD / "uml", "stock": BUILD / "stock" / "uml"}
HOW_TO_BUILD = {"patched": "make kernel", "stock": "make kernel-stock"}
PACKAGES = {
    "nginx": "nginx-light",
    "ab": "apache2-utils",
    "nft": "nftables",
    "tc": "iproute2",
    "ip": "iproute2",
}  # others have the program's name


def versions() -> list[str]:
    """Those of another Linux that has a series of patches: they are built with KSRC=, in BUILD/VERSION."""
    return sorted(file.parent.name for file in (TOP / "patches").glob("*/series"))


def _version(name: str) -> str | None:
    """Of which of these a name is: "6.18" or "6.18/stock"."""
    version, _, variant = name.partition("/")
    return version if version in versions() and variant in ("", "stock") else None


def kernel_directory(name: str) -> Path:
    """Of one of ours, or what the user wrote."""
    return BUILD / name / "uml" if _version(name) else KERNELS.get(name, Path(name))


def is_stock(name: str) -> bool:
    """Linux as it came: it has one scheduler, and the others are what we compare it with."""
    return kernel_directory(name).parent.name == "stock"


def _how_to_get(name: str) -> str:
    if version := _version(name):
        return f"make kernel{'-stock' if is_stock(name) else ''} KSRC=SOURCE, of Linux {version}"
    there_are = ", ".join(["patched", "stock", *(f"{v}, {v}/stock" for v in versions())])
    return HOW_TO_BUILD.get(name, f"give {there_are}, or a directory that holds 'linux'")


def kernel(name: str) -> Path:
    """The directory of a kernel that is built."""
    directory = kernel_directory(name)
    if not (directory / "linux").exists():
        raise UsageError(f"no kernel at {directory}: {_how_to_get(name)}")
    if not MPTCPCTL.exists():
        raise UsageError("mptcpctl is not built: run 'make mptcpctl' first")
    if not BOOT.exists():
        raise UsageError(f"{BOOT} is missing: is this a whole checkout?")
    return directory


@contextlib.contextmanager
def guests(labels: Sequence[str], args: argparse.Namespace) -> Iterator[dict[str, Guests]]:
    """Guests on each of the kernels, by name; ended when the block is left."""
    with contextlib.ExitStack() as stack:
        limit = getattr(args, "time_limit", TIME_LIMIT)
        real_time = getattr(args, "real_time", False)
        found = {name: Guests(kernel(name), real_time, limit) for name in labels}
        for each in found.values():
            stack.enter_context(each)
        yield found


def machine() -> Guests:
    """The kernel for real machines in QEMU, with two CPUs."""
    directory = BUILD / "x86"
    if not (directory / "arch/x86/boot/bzImage").exists():
        raise UsageError(f"no kernel in {directory}: make vm")
    return Guests(directory, boot=BOOT_QEMU)


def names(text: str, option: str) -> list[str]:
    """The names between the commas of an option."""
    found = list(dict.fromkeys(name for name in text.split(",") if name))
    if not found:
        raise UsageError(f"{option} names none")
    return found


def programs(*names: str) -> None:
    """What the guest takes from the host must be there."""
    for name in names:
        if shutil.which(name, path=PATH) is None:
            raise UsageError(f"'{name}' is missing: install {PACKAGES.get(name, name)}")


def known(option: str, name: str, there_are: Container[str], shown: str) -> None:
    if name not in there_are:
        raise UsageError(f"{option} {name}: this kernel has none of that name; it has {shown}")


def controls(text: str, there_are: Sequence[str]) -> list[str]:
    """Congestion controls that the user names, and the kernel has."""
    found = names(text, "--congestion")
    for name in found:
        known("--congestion", name, there_are, ", ".join(there_are))
    return found


def scheduler_names(text: str, there_are: Schedulers) -> list[str]:
    """The names between the commas; instead of "all", those that the kernel has."""
    found = names(text, "--scheduler")
    every = [each for name in found for each in (there_are.all() if name == "all" else [name])]
    return list(dict.fromkeys(every))


def schedulers(text: str, there_are: Schedulers) -> list[str]:
    """Schedulers that the user names, and the kernel has."""
    found = scheduler_names(text, there_are)
    for name in found:
        known("--scheduler", name, there_are, str(there_are))
    return found
