#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Install the packages on two bare Debian machines and follow the operator's page word by word.

The page is Documentation/two-uplinks.md. A comment before a block of commands says who types it:
<!-- home -->, <!-- server --> or <!-- both -->. The network between the machines, the server's
file and the key that lets home in are what the page takes for granted; they are made here.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from machine import Boot, Machine, MachineError, Result
from results import Results

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "Documentation/two-uplinks.md"
LINKS = {"dsl": (1, "rate 8mbit delay 15ms limit 200"), "lte": (2, "rate 6mbit delay 40ms limit 400")}
BEST_LINK = 8e6 / 8  # bytes/s
FILE_SIZE = 16 << 20

# What home's provider and the Internet do, on the server: addresses, DHCP, delay and rate.
NETWORK = """
systemctl disable -q --now mptcp
for link in dsl:1 lte:2; do
    cat >/etc/systemd/network/20-${link%:*}.network <<EOF
[Match]
Name=${link%:*}
[Network]
Address=10.${link#*:}.0.1/24
DHCPServer=yes
EOF
done
cat >/etc/systemd/network/20-lo.network <<EOF
[Match]
Name=lo
[Network]
Address=203.0.113.1/32
EOF
systemctl enable -q systemd-networkd
head -c FILE_SIZE /dev/urandom >/var/www/html/file
mkdir -p ~/.ssh
""".replace("FILE_SIZE", str(FILE_SIZE))

KEY = """
mkdir -p ~/.ssh
ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519
echo 'StrictHostKeyChecking accept-new' >~/.ssh/config
cat ~/.ssh/id_ed25519.pub
"""

DOWNLOAD = "mptcpctl run curl -sS -m 120 -o /dev/null -w '%{speed_download}' http://203.0.113.1/file"
STATE = """
uname -r
sysctl -n net.mptcp.scheduler
systemctl --failed --plain --no-legend
dmesg | grep -E 'WARNING:|BUG:|Oops|Call Trace' || true
"""
UNPACK = "mount -o ro /dev/vdb /mnt && cp -r /mnt/. ~/mptcp && umount /mnt"


# What users of the page have: the others run in "make check-vm". In real time, all take more than an hour.
TESTS = (
    "sysctl.sh sockopt.sh options.sh refused.sh modules.sh first_path.sh why.sh rr.sh minrtt.sh inorder.sh"
    " redundant.sh extensions.sh rp.sh price.sh backup.sh observe.sh cong.sh"
)


@dataclass(frozen=True)
class Block:
    """Commands of the page, and on whom they are to be run."""

    who: str
    line: int
    script: str


def blocks(page: str) -> Iterator[Block]:
    """The commands of a page in their order; unmarked blocks are not commands of the test."""
    pattern = re.compile(r"^<!-- (home|server|both)(?:: [^>]*)? -->\n\n((?:(?:    .*)?\n)+)", re.M)
    for found in pattern.finditer(page):
        # the first paragraph only: what follows is what the commands print
        text = found[2].partition("\n\n")[0] if "\n\n    " in found[2] else found[2]
        line = page[: found.start()].count("\n") + 3
        yield Block(found[1], line, re.sub(r"^    ", "", text, flags=re.M).strip() + "\n")


@dataclass(kw_only=True)
class Check(Results):
    """The two machines, and what came of the test so far."""

    home: Machine
    server: Machine

    def on(self, who: str) -> list[Machine]:
        """The machines that a word of the page stands for."""
        return {"home": [self.home], "server": [self.server]}.get(who, [self.home, self.server])

    def both(self, what: Callable[[Machine], Result | None]) -> list[Result | None]:
        """The same on both at once."""
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(what, [self.home, self.server]))

    def follow(self, block: Block) -> None:
        """What stands in a block, word by word; its last word may be reboot."""
        script, reboot, _ = block.script.rpartition("reboot\n")
        if not reboot:
            script = block.script
        for result, machine in self._run("cd ~/mptcp/packages\n" + script, block.who):
            first = script.splitlines()[0] if script else "reboot"
            self.that(
                f"{PAGE.name}:{block.line} on {machine.name}: {first[:60]}", result.status == 0, result.output
            )
        if reboot:
            self.say("rebooting")
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(Machine.reboot, self.on(block.who)))

    def _run(self, script: str, who: str) -> list[tuple[Result, Machine]]:
        with ThreadPoolExecutor(2) as pool:
            machines = self.on(who)
            return list(zip(pool.map(lambda m: m.run(script), machines), machines, strict=True))

    def prepare(self) -> None:
        """Packages and network: what the page takes for granted."""
        self.both(lambda machine: machine.run(f"mkdir -p ~/mptcp && {UNPACK}"))
        self.server.run(NETWORK)
        key = self.home.run(KEY).output.strip()
        self.server.run(f"echo '{key}' >~/.ssh/authorized_keys")
        self.home.run("hostnamectl set-hostname home || true")

    def shape(self) -> None:
        """Rates and delays of the links; a boot forgets them."""
        for link, (_, netem) in LINKS.items():
            self.server.run(f"tc qdisc replace dev {link} root netem {netem}")
            self.home.run(f"tc qdisc replace dev {link} root netem {netem}")

    def kernel(self) -> None:
        """After the first reboot: our kernel, the setting, nothing that failed."""
        for machine in (self.home, self.server):
            got = machine.run(STATE).output.split("\n", 2)
            self.that(f"{machine.name} runs the patched kernel", got[0].endswith("-mptcp"), got[0])
            self.that(f"{machine.name} has the scheduler of sysctl.d", got[1] == "inorder", got[1])
            self.that(f"{machine.name}: no unit failed, no complaint", not got[2].strip(), got[2])

    def received(self) -> dict[str, int]:
        """Bytes that home got on each link so far."""
        files = " ".join(f"/sys/class/net/{link}/statistics/rx_bytes" for link in LINKS)
        return dict(zip(LINKS, map(int, self.home.run(f"cat {files}").output.split()), strict=True))

    def download(self) -> None:
        """Both links carry it, and it is faster than the best of them."""
        before = self.received()
        got = self.home.run(DOWNLOAD)
        carried = {link: total - before[link] for link, total in self.received().items()}
        speed = float(got.output.strip() or 0) if got.status == 0 else 0.0
        shares = ", ".join(f"{link} {100 * n / FILE_SIZE:.0f} %" for link, n in carried.items())
        self.that(
            f"a download uses both links: {speed / BEST_LINK:.2f} of the best alone; {shares}",
            speed > 1.2 * BEST_LINK and min(carried.values()) > FILE_SIZE / 5,
            got.output,
        )

    def unplug(self) -> None:
        """A download goes on when its first uplink dies."""
        pid = self.home.begin(DOWNLOAD)
        time.sleep(4)
        self.server.run("ip link set dsl down")
        try:
            got = self.home.wait(pid, 150)
        except MachineError as error:
            got = Result(1, str(error))
        self.server.run("ip link set dsl up; sleep 3; tc qdisc replace dev dsl root netem " + LINKS["dsl"][1])
        self.that("a download goes on without its first uplink", got.status == 0, got.output)

    def show(self) -> None:
        """What the page says that one sees."""
        pid = self.home.begin(DOWNLOAD)
        time.sleep(4)
        got = self.home.run("mptcpctl show").output
        self.home.wait(pid, 150)
        self.that("mptcpctl shows both subflows", "subflow 2" in got and "inorder" in got, got)


def data_disk(packages: Path, directory: Path) -> Path:
    """A disk with the packages, and the selftests of the tree."""
    root = directory / "data"
    (root / "packages").mkdir(parents=True)
    wanted = [p for p in packages.glob("*.deb") if re.match(r"linux-image-|mptcpctl_", p.name)]
    if len(wanted) != 2:
        sys.exit(f"check.py: {packages}: {len(wanted)} of our 2 packages; run 'make deb' first")
    subprocess.run(["cp", *map(str, wanted), str(root / "packages")], check=True)
    (root / "tools").mkdir()
    subprocess.run(["cp", "-r", str(TOP / "selftests"), str(root)], check=True)
    subprocess.run(["cp", "-r", str(TOP / "tools/mptcpctl"), str(root / "tools")], check=True)
    disk = directory / "data.img"
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(root), str(disk), "400M"], check=True)
    return disk


def scenario(check: Check, with_selftests: bool) -> None:
    """From two bare machines to two uplinks and back."""
    check.say("two bare machines are up")
    check.prepare()
    for n, block in enumerate(blocks(PAGE.read_text())):
        if "grub-reboot" in block.script:
            check.download()
            check.unplug()
            check.show()
            if with_selftests:
                check.selftests(check.home, 300, f"TEST_PROGS='{TESTS}'")
        check.follow(block)
        if n == 0:
            check.kernel()
            check.server.run("systemctl restart systemd-networkd")
            check.shape()
    old = check.home.run("uname -r").output.strip()
    check.that(f"home is back on Debian's kernel ({old})", not old.endswith("-mptcp"))


def main() -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", type=Path, help="directory of the packages")
    parser.add_argument("image", type=Path, help="disk image of a bare Debian")
    parser.add_argument("--accel", default="tcg", help="QEMU's accelerator: tcg (default) or kvm")
    parser.add_argument("--no-selftests", action="store_true", help="the page only")
    parser.add_argument("--logs", type=Path, help="directory for the machines' consoles")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="uplinks.") as temporary, ExitStack() as stack:
        directory = Path(temporary)
        data = data_disk(args.packages, directory)
        image = args.image.resolve()
        machines = []
        for number, (name, peer) in enumerate((("home", "server"), ("server", "home")), 1):
            boot = Boot("amd64", cd=image.with_name("boot.iso"))
            machines.append(
                Machine(name, number, directory, image, boot, data, tuple(LINKS), peer, args.accel)
            )
        try:
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(stack.enter_context, machines))
            check = Check(home=machines[0], server=machines[1])
            scenario(check, not args.no_selftests)
        finally:
            if args.logs:
                args.logs.mkdir(parents=True, exist_ok=True)
                for machine in machines:
                    if machine.console.exists():
                        (args.logs / machine.console.name).write_bytes(machine.console.read_bytes())
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
