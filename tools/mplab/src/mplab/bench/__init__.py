# SPDX-License-Identifier: MIT
"""One benchmark: a suite of networks and applications, and a scoreboard of what was measured in them."""
