# SPDX-License-Identifier: MIT
"""One end of a connection: does what its argument says, and writes what came of it.

usage: inside JSON, with
    program    MODULE.FUNCTION of this package
    protocol   tcp or mptcp
    listen     true: wait for the peer; else connect to it
    address, port, family
    out        file for what came of it, as JSON
and what the program needs (seconds, bytes, bytes per second). Times are the guest's monotonic clock,
which both ends share. SIGTERM: the main flows are done, and those beside them have enough.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys

# Isolated, Python knows this directory only; the package is in the one above
sys.path[0] = sys.path[0].rpartition("/")[0]

from inside.connections import stop  # noqa: E402


def main() -> None:
    signal.signal(signal.SIGTERM, stop)
    config = json.loads(sys.argv[1])
    module, _, name = config["program"].partition(".")
    result = getattr(importlib.import_module(f"inside.{module}"), name)(config)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open(config["out"], "w", encoding="utf-8") as file:  # noqa: PTH123 (no pathlib: slow)
        json.dump(result, file)


main()
