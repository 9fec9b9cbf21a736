# SPDX-License-Identifier: MIT
"""One connection's packets over several paths, below TCP: both ends of a tunnel, and what they decide by."""

from .files import files
from .tunnel import client, proxy

__all__ = ["client", "files", "proxy"]
