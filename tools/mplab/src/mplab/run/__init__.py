# SPDX-License-Identifier: MIT
"""Runs: their conditions and results, many of them side by side or on many machines."""
