# SPDX-License-Identifier: MIT
"""A plan on many machines: a share for each, Dask's workers, Slurm's job arrays."""
