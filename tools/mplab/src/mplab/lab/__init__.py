# SPDX-License-Identifier: MIT
"""The network inside a guest: its paths, what becomes of them, the guest itself."""
