# SPDX-License-Identifier: MIT
"""Each package takes from those below it only: one can be read, and taken out, without what is above."""

from __future__ import annotations

import ast
import unittest
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src" / "mplab"
LAYERS = (
    *("words", "lab", "inside", "traffic", "run", "watch", "research", "publish", "bench", "evidence"),
    *("commands", "cli"),
)


def taken(file: Path) -> Iterator[str]:
    """The packages that a module takes something from."""
    own = file.relative_to(SOURCES).parts[:-1]
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.ImportFrom):
            continue
        module = node.module.split(".") if node.module else []
        if node.level:
            module = [*own[: len(own) - node.level + 1], *module]
        elif module[0] == "mplab":
            module = module[1:]
        else:
            continue
        yield from [module[0]] if module else [alias.name for alias in node.names]


class Layers(unittest.TestCase):
    def test_none_takes_from_above(self) -> None:
        for file in SOURCES.rglob("*.py"):
            place = file.relative_to(SOURCES)
            if place.name == "__init__.py" and len(place.parts) == 1:
                continue
            own = LAYERS.index(place.parts[0].removesuffix(".py"))
            above = [name for name in taken(file) if LAYERS.index(name) > own]
            self.assertEqual(above, [], place)


if __name__ == "__main__":
    unittest.main()
