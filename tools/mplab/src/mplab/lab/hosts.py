# SPDX-License-Identifier: MIT
"""Sets up namespaces, all in one process: each "ip netns exec" takes longer than all of this.

Runs inside the guest, and imports little, because each run waits for it.

usage: hosts.py (host|router):NAMESPACE:[DEVICE[,DEVICE]...]...

The devices lose TSO and the like: TCP makes large segments all the same, and the device cuts them on their
way out. Those of a host get GRO, which Linux does only where the other end of a veth pair has no TSO. On a
host, a connection knows nothing of those before it.
"""

from __future__ import annotations

import ctypes
import fcntl
import struct
import sys

CLONE_NEWNET = 0x40000000
AF_INET, SOCK_DGRAM = 2, 2
SIOCETHTOOL = 0x8946
ETHTOOL_GSTRINGS, ETHTOOL_GSSET_INFO, ETHTOOL_SFEATURES = 0x1B, 0x37, 0x3B
ETH_SS_FEATURES, NAME = 4, 32
LIBC = ctypes.CDLL(None, use_errno=True)


def enter(namespace: str) -> None:
    """Sockets, and what is below /proc/sys/net, are those of the namespace from here on."""
    with open(f"/run/netns/{namespace}") as file:  # noqa: PTH123 (no pathlib: slow)
        if LIBC.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter the network namespace {namespace}")


class Ethtool:
    """The features of the namespace's devices, each a bit, which has a name."""

    def __init__(self) -> None:
        self._control = LIBC.socket(AF_INET, SOCK_DGRAM, 0)  # the module takes long to import

    def _ask(self, device: str, request: bytes) -> bytes:
        buffer = ctypes.create_string_buffer(request, len(request))
        order = struct.pack("16sP", device.encode(), ctypes.addressof(buffer))
        fcntl.ioctl(self._control, SIOCETHTOOL, order)
        return buffer.raw

    def features(self, device: str) -> list[str]:
        """Their names, in the order of the bits."""
        info = self._ask(device, struct.pack("=IIQI", ETHTOOL_GSSET_INFO, 0, 1 << ETH_SS_FEATURES, 0))
        count = struct.unpack_from("=I", info, 16)[0]
        strings = struct.pack("=III", ETHTOOL_GSTRINGS, ETH_SS_FEATURES, count) + bytes(count * NAME)
        raw = self._ask(device, strings)[12:]
        return [raw[i : i + NAME].rstrip(b"\0").decode() for i in range(0, len(raw), NAME)]

    def set(self, device: str, count: int, wanted: dict[int, bool]) -> None:
        """Of so many features, turn some on or off, by the number of the bit."""
        words = -(-count // 32)
        bits = [0] * 2 * words  # per word: those to change, and what to
        for bit, on in wanted.items():
            bits[bit // 32 * 2] |= 1 << bit % 32
            bits[bit // 32 * 2 + 1] |= on << bit % 32
        self._ask(device, struct.pack(f"=II{len(bits)}I", ETHTOOL_SFEATURES, words, *bits))


def _offloads(names: list[str], gro: bool) -> dict[int, bool]:
    """Cut what is large before it leaves; merge what comes in, or not."""
    cut = [n for n, name in enumerate(names) if name.startswith("tx-") and name.endswith("-segmentation")]
    return {**dict.fromkeys(cut, False), names.index("rx-gro"): gro}


def main() -> None:
    names: list[str] = []
    for word in sys.argv[1:]:
        role, namespace, devices = word.split(":")
        enter(namespace)
        if role == "host":
            with open("/proc/sys/net/ipv4/tcp_no_metrics_save", "w") as file:  # noqa: PTH123
                file.write("1")
        ethtool = Ethtool()
        for device in filter(None, devices.split(",")):
            names = names or ethtool.features(device)
            ethtool.set(device, len(names), _offloads(names, role == "host"))


if __name__ == "__main__":
    main()
