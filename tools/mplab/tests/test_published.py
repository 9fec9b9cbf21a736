# SPDX-License-Identifier: MIT
"""What is published of `inorder`, the scheduler to take: a number that no text shows is looked at here.

A file may be measured anew a hundred times, and nobody notices that it became worse. So each has a
bound: of unpatched Linux's scheduler, and in the bench of TCP.
"""

from __future__ import annotations

import json
import unittest
from collections.abc import Iterator
from pathlib import Path

EVIDENCE = Path(__file__).resolve().parents[3] / "Documentation/evidence"
LEAST = 0.95
# Rows of the bench that are below: what they are at least. Whoever makes one better takes it out.
OF_TCP = {
    "fade": 0.77,
    "loss-both-lia, lia": 0.82,
    "lossy-stream": 0.88,
    "shared-2-others, balia": 0.91,
    "notsent-delay": 0.94,
}
OF_DEFAULT = {
    "cubic-beside": 0.89,
    "shared-2-others, lia": 0.89,
    "deep-queues": 0.93,
    "page": 0.94,
    "shared-2-others, balia": 0.94,
}


def pairs() -> Iterator[tuple[str, dict, dict]]:
    """The file and row, what it has of inorder, and of default."""
    for file in sorted(EVIDENCE.glob("*.json")):
        values = json.loads(file.read_text())["values"]
        for label in values:
            arm = label.split(", ")
            other = ", ".join("default" if part == "inorder" else part for part in arm)
            if "inorder" in arm and other in values:
                yield f"{file.stem}: {label}", values[label], values[other]


class Published(unittest.TestCase):
    def test_goodput_and_delay(self) -> None:
        seen = 0
        for where, ours, theirs in pairs():
            with self.subTest(where):
                if "goodput" in ours:
                    self.assertGreaterEqual(ours["goodput"], LEAST * theirs["goodput"])
                    seen += 1
                if "delay_p99_ms" in ours:
                    self.assertLessEqual(ours["delay_p99_ms"], 1.1 * theirs["delay_p99_ms"] + 5)
        self.assertGreater(seen, 20)

    def test_bench(self) -> None:
        rows = json.loads((EVIDENCE / "bench.json").read_text())["values"]
        for to, floors in ("TCP", OF_TCP), ("default", OF_DEFAULT):
            key = f"inorder to {to}"
            ratios = {row: values[key] for row, values in rows.items() if key in values}
            self.assertGreater(len(ratios), 80)
            for row, ratio in ratios.items():
                with self.subTest(row, to=to):
                    self.assertGreaterEqual(ratio, floors.get(row, LEAST))


if __name__ == "__main__":
    unittest.main()
