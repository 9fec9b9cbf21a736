#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links of the documentation that lead nowhere: to a file or a heading that is not there.

usage: links.py [TOP]    prints a line for each; exit status 1 if there is one
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```|^    .*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> frozenset[str]:
    """As GitHub makes them of headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text))
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain)


def broken(page: Path) -> Iterator[str]:
    for link in LINK.findall(CODE.sub("", page.read_text())):
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if re.match(r"\w+:", link):
            continue
        if not target.exists():
            yield f"{link}: there is no such file"
        elif anchor and anchor not in anchors(target):
            yield f"{link}: there is no such heading"


def main() -> int:
    top = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[3])
    listed = subprocess.run(
        ["git", "-C", top, "ls-files", "*.md"], check=True, capture_output=True, text=True
    ).stdout
    found = [f"{name}: {what}" for name in listed.split() for what in broken(top / name)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
