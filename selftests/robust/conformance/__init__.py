# SPDX-License-Identifier: GPL-2.0
"""Multipath TCP as RFC 8684 has it, independent of the kernel's implementation."""
