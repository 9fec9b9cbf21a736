#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Install the packages on a bare Debian for arm64, boot it, and run the kselftests that are quick.

The machine has no firmware: QEMU is given the kernel and the initrd that the package left in /boot.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from check import STATE, UNPACK, data_disk
from machine import Boot, Machine
from results import Results

INSTALL = """
cd ~/mptcp/packages
DEBIAN_FRONTEND=noninteractive apt-get install -y ./linux-image-*.deb ./mptcpctl_*.deb
echo net.mptcp.scheduler=inorder >/etc/sysctl.d/60-mptcp.conf
sync
"""
TESTS = "sysctl.sh sockopt.sh refused.sh modules.sh minrtt.sh rr.sh extensions.sh"


def install(machine: Machine, results: Results) -> Boot:
    """How the machine boots from now on."""
    machine.run(f"mkdir -p ~/mptcp && {UNPACK}")
    got = machine.run(INSTALL, 3600)
    results.that("the packages install", got.status == 0, got.output)
    files = machine.run("echo /boot/vmlinuz-*-mptcp /boot/initrd.img-*-mptcp").output.split()
    machine.stop()
    kernel, initrd = machine.take(files)
    return Boot("arm64", kernel=kernel, initrd=initrd)


def examine(machine: Machine, results: Results) -> None:
    """The kernel that runs now."""
    release, scheduler, complaints = machine.run(STATE).output.split("\n", 2)
    arch = machine.run("uname -m").output.strip()
    results.that(f"{release} runs on {arch}", release.endswith("-mptcp") and arch == "aarch64", release)
    results.that("with the scheduler of sysctl.d", scheduler == "inorder", scheduler)
    results.that("no unit failed, no complaint", not complaints.strip(), complaints)
    results.selftests(machine, 150, f"TEST_PROGS='{TESTS}'")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", type=Path, help="directory of the packages")
    parser.add_argument("image", type=Path, help="disk image of a bare Debian")
    args = parser.parse_args()
    image, results = args.image.resolve(), Results()
    boot = Boot("arm64", kernel=image.with_suffix(".vmlinuz"), initrd=image.with_suffix(".initrd"))
    with tempfile.TemporaryDirectory(prefix="arm64.") as temporary:
        directory = Path(temporary)
        data = data_disk(args.packages, directory)
        with Machine("arm64", 1, directory, image, boot, data, (), "") as machine:
            results.say("a bare machine is up")
            machine.boot = install(machine, results)
            machine.start()
            results.say("it is up again")
            examine(machine, results)
    return results.end()


if __name__ == "__main__":
    raise SystemExit(main())
