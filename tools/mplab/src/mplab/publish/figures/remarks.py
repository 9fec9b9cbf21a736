# SPDX-License-Identifier: MIT
"""Why a figure is not what the thesis has, as far as it is known."""

REMARKS = {
    "fig3.8": "Both ran the lowest-RTT scheduler. With `default` the increase is several times as large: it"
    " uses all paths at any rate, so that delays differ as the paths do.",
    "fig4.13": "The lowest low-BDP point has a path of 14 Mbit/s whose queue holds less than a packet: plain"
    " TCP cannot use it either, and `inorder` gets 1.01 of plain TCP. At high BDP, 13 s are hardly more than"
    " slow start, and 6 MB of receive buffer, Linux's default limit, do not hold what both paths carry.",
}
