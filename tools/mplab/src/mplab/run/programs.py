# SPDX-License-Identifier: MIT
"""Our programs that a run has inside its guest, each with a digest of its code.

A published number knows them as it knows the parts of the kernel: an edit of one that it had makes it old.
What a module takes from others is part of it. The digests know nothing of comments and layout.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from ..lab.guest import BOOT, INSIDE, scratch
from ..lab.parts import TOP
from .experiment import Conditions, script

# How a script names them: by their files, or as what the one program of inside/ is to do
NAMED = re.compile(r"/mplab/(?:inside|lab)/(\w+)\.py|\"program\": \"(\w+)[.\"]")
SHELL = [BOOT.with_name(name) for name in ("boot-uml", "guest.sh", "guest-init")]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
REMARK = re.compile(r"^\s*#.*$", re.MULTILINE)
USAGE = re.compile(r"^usage\(\) \{$.*?^\}$", re.MULTILINE | re.DOTALL)


def named(script: str) -> set[str]:
    """By a guest's script."""
    return {"guest", *(file or module for file, module in NAMED.findall(script))}


def used(wanted: Iterable[Conditions]) -> set[str]:
    """By the scripts of runs, one of each kind."""
    kinds = {(c.workload.name, *(each.name for each in c.others), c.topology, _moves(c)): c for c in wanted}
    with scratch() as directory:
        return set().union(*(named(script(c, directory)) for c in kinds.values()))


def _moves(c: Conditions) -> bool:
    return any(path.moves for path in c.paths)


def _python(file: Path) -> str:
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


def _shell(file: Path) -> str:
    return REMARK.sub("", USAGE.sub("", file.read_text()))


def _takes_from(file: Path) -> Iterator[Path]:
    """The modules beside it, or in a package above, that a module takes something from."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.level or node.module == "mplab.lab"):
            room = file.parents[max(node.level, 1) - 1]
            names = [node.module] if node.module and node.level else [alias.name for alias in node.names]
            yield from (found for name in names if (found := room / f"{name}.py").exists())


def _files(name: str) -> list[Path]:
    """Of a program, what it takes from others among them; none if there is no such."""
    if name == "guest":
        return SHELL
    found, places = set[Path](), (INSIDE.with_name("lab") / f"{name}.py", INSIDE / f"{name}.py")
    left = [file for file in (*places, *(INSIDE / name).glob("*.py")) if file.exists()]
    while left:
        found.add(left[-1])
        left += set(_takes_from(left.pop())) - found
    return sorted(found)


@cache
def digest(name: str) -> str:
    """Empty if there is no such program."""
    files = _files(name)
    code = [_python(f) if f.suffix == ".py" else _shell(f) for f in files]
    words = [f"{file.relative_to(TOP)}\n{text}" for file, text in zip(files, code, strict=True)]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12] if files else ""
