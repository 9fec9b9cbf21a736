# SPDX-License-Identifier: MIT
"""Experiments of other shapes: designs over many networks, kernels compared, packets below TCP, CPU time."""
