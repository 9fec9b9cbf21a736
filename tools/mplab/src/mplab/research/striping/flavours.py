# SPDX-License-Identifier: MIT
"""TCP as the sources had it, and as Linux has it today."""

from __future__ import annotations

from dataclasses import replace

from .case import Flavour

PLAIN = (("tcp_sack", "0"), ("tcp_dsack", "0"), ("tcp_timestamps", "0"), ("tcp_frto", "0"))
# ns-2's New Reno: three duplicates are a loss, whatever was learned before; windows of 50 packets, no
# delayed ACKs
CHEBROLU = Flavour("New Reno", "reno", (*PLAIN, ("tcp_max_reordering", "3")), 50 * 1460 + 128, True)
# What a Linux host does today, with the same limit
TODAY = Flavour("today's TCP", window=CHEBROLU.window)
DEFAULT = Flavour("Linux: CUBIC, SACK, RACK")

# Kaspar's flavours (tables 5.4 and 5.6) as far as there are such
KASPAR = (
    Flavour("New Reno, no SACK", "reno", PLAIN),
    Flavour("Reno, SACK", "reno", (("tcp_dsack", "0"), ("tcp_timestamps", "0"), ("tcp_frto", "0"))),
    Flavour("Reno, SACK, timestamps", "reno", (("tcp_dsack", "0"), ("tcp_frto", "0"))),
    DEFAULT,
    Flavour("BIC, SACK, RACK", "bic"),
    Flavour("the same, tcp_reordering=50", "bic", (("tcp_reordering", "50"),)),
)
LEARNS = replace(CHEBROLU, name="New Reno that learns", sysctls=PLAIN)
