# SPDX-License-Identifier: MIT
"""mplab: a network test bed for MPTCP schedulers, in virtual time."""
