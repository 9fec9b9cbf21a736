# SPDX-License-Identifier: MIT
"""Runs that are looked at: samples of paths and receiver, taken in the guest while the traffic runs."""
