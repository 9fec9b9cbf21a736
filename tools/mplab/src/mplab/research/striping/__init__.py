# SPDX-License-Identifier: MIT
"""One TCP connection's packets over several paths, below TCP, beside MPTCP: mplab striping."""
