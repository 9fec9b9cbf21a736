#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of which parts a kernel is made, each with a digest of the code that it is built from.

A run needs some of them: `core` always; a scheduler's or a congestion control's module if its
conditions name it; of an extension of Multipath TCP (a folder of net/mptcp/ext) what runs only for
connections that use it, if they set its sysctl. So a change of one scheduler leaves all runs without it
as they are. The digests know nothing of comments, tests, messages, compilers and Linux's point releases.

build.sh calls this for the test bed's kernel: usage: parts.py TREE (what is built). It prints JSON, or
nothing if the tree has edits that patches/ lacks: then nothing is published that comes from it.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parents[5]
CORE = "core"
FILE = "parts.json"  # beside a kernel
LOADED = "modules"  # what a guest leaves of those that it has

# in C a text may hold what looks like a comment
COMMENT = re.compile(r"(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
INSIDE = re.compile(r"\s*\*(\s|/|$)")  # how lines within one begin
C_FILE = re.compile(r"\.[chS]$")
REMARK = re.compile(r"#(?! CONFIG_\w+ is not set)|\t  \S")  # elsewhere, and Kconfig's help texts
UNSEEN = re.compile(r"\b(\w+_)?test\.c$|\bvectors\.h$|^Documentation/|^tools/testing/")  # by what is measured
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
ROOMS = ("net/mptcp", "net/sched")
CONFIGS = ("common.config", "uml.config")  # of the kernel with which is measured
MODULE = re.compile(r"^(mptcp_(?:sched|cong)_\w+)-y\s*:=(.*)$", re.MULTILINE)
OURS = re.compile(r"mptcp_(sched|cong)_")
BUILDS_ON = {"mptcp_cong_ewlia": "mptcp_cong_lia", "mptcp_cong_wvegas": "mptcp_cong_lia"}
# No function of these runs as long as nobody uses the extension: coverage.py looks.
IDLE = re.compile(
    r"ext/((coding/(codec|rate|recv|send)|control/(send|sockopt)|join/(cookie|key_sockopt|once)"
    r"|handshake/(cookie|sockopt|token)|rejoin/rejoin)\.c|rejoin/paths\.h)"
)
# Of those, what connections use with a sysctl. All others that there are have nothing idle.
USED_WITH = {
    "mptcp/coding": {"coding", "control"},
    "mptcp/control_stream": {"control"},
    "mptcp/low_overhead": {"handshake", "join"},
    "mptcp/stateless_join": {"join"},
    "mptcp/rejoin": {"rejoin"},
}


def _blank(found: re.Match[str]) -> str:
    """A comment's place, with as many lines."""
    return found[1] or " " + "\n" * found[0].count("\n")


def _begins_inside(lines: Sequence[str]) -> bool:
    """Is the first line of a hunk within a comment?"""
    mark = next((m[0] for line in lines for m in [re.search(r"/\*|\*/", line)] if m), None)
    return mark == "*/" or (mark is None and all(INSIDE.match(line) for line in lines if line.strip()))


def _code(name: str, lines: Sequence[str]) -> list[str]:
    """Each line without comments and layout."""
    if not C_FILE.search(name):
        return ["" if REMARK.match(line) else " ".join(line.split()) for line in lines]
    lead = "/*" if _begins_inside(lines) else ""
    return [" ".join(line.split()) for line in COMMENT.sub(_blank, lead + "\n".join(lines)).split("\n")]


def _hunks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Of a patch: the file, and the lines with the sign before each."""
    lines, name = iter(text.splitlines()), ""
    for line in lines:
        if line.startswith(("--- a/", "+++ b/")):
            name = line[6:].split("\t")[0]
        elif found := HUNK.match(line):
            left, hunk = {sign: int(n or 1) for sign, n in zip("-+", found.groups(), strict=True)}, []
            while max(left.values()) > 0:
                hunk.append(next(lines, None) or " ")
                for sign in left:
                    left[sign] -= hunk[-1][0] in (sign, " ")
            yield name, hunk


def _changes(text: str) -> str:
    """What a patch adds and removes, and where, but no comments, line numbers and lines around that."""
    kept, last = [], ""
    for name, hunk in _hunks(text):
        code: dict[int, str] = {}
        for sign in "-+" if not UNSEEN.search(name) else "":
            side = [i for i, line in enumerate(hunk) if line[0] in (sign, " ")]
            plain = _code(name, [hunk[i][1:] for i in side]) if side else []
            for i, line in zip(side, plain, strict=True):
                if hunk[i][0] == sign and line:
                    code[i] = sign + line
        if code and name != last:
            kept.append(name)
            last = name
        kept += [code[i] for i in sorted(code)]
    return "\n".join(kept)


def _files(top: Path) -> Iterator[tuple[str, Path]]:
    """Each with its name as Makefiles there say it."""
    for room in ROOMS:
        for pattern in ("*.[ch]", "Kconfig*", "Makefile*"):
            for file in sorted((top / room).rglob(pattern)):
                yield str(file.relative_to(top / room)), file
    for name in ["Kconfig", *(f"tools/kernel/config/{name}" for name in CONFIGS)]:
        yield name, top / name


def _modules(top: Path) -> dict[str, str]:
    """Of a file the module that it alone goes into."""
    found = {}
    for file in sorted((top / "net/mptcp").rglob("Makefile*")):
        for name, objects in MODULE.findall(file.read_text()):
            found |= {f"{one.removesuffix('.o')}.c": name for one in objects.split()}
    return found


def _pieces(top: Path) -> Iterator[tuple[str, str, str]]:
    """Part, name, code."""
    modules = _modules(top)
    for name, file in _files(top):
        if file.exists() and not UNSEEN.search(name):
            part = modules.get(name) or (Path(name).parent.name if IDLE.fullmatch(name) else CORE)
            yield part, name, " ".join(" ".join(_code(name, file.read_text().splitlines())).split())
    for line in (top / "patches/series").read_text().splitlines():
        name = line.split("#")[0].strip()
        if name:
            yield CORE, name.partition("/")[0], _changes((top / "patches" / name).read_text())


def _digest(pieces: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(pieces).encode()).hexdigest()[:12]


def of(top: Path = TOP) -> dict[str, str]:
    """Each part of these sources, and its digest."""
    pieces: dict[str, list[str]] = {}
    for part, *piece in _pieces(top):
        pieces.setdefault(part, []).extend(piece)
    return {part: _digest(piece) for part, piece in sorted(pieces.items())}


def _git(tree: Path, *words: str) -> str:
    command = ["git", "-C", str(tree), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commit(top: Path = TOP) -> str:
    """Of the project, "+" with edits of what is measured; "unknown" without git."""
    try:
        edited = _git(top, "status", "--porcelain", "--", "Kconfig", "net", "patches", "tools/kernel/config")
        return _git(top, "rev-parse", "--short=12", "HEAD").strip() + ("+" if edited else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def is_of_patches(tree: Path) -> bool:
    """Has a kernel's source nothing that patches/ lacks?"""
    return not _git(tree, "diff", (tree / ".git/patched-head").read_text().strip())


def read(kernel: Path) -> dict[str, str]:
    """Of a kernel, by its build directory; nothing if it does not say."""
    file = kernel / FILE
    return json.loads(file.read_text()) if file.exists() else {}


def is_for(module: str, needed: Iterable[str]) -> bool:
    """Can it make a run another one that needs these parts? Ours only if it is among them; others may."""
    return module in needed or not (OURS.match(module) or module.endswith("_test"))


def changed(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Which are not what they were. What names none is of no kernel that is known."""
    return [name for name, digest in then.items() if now.get(name) != digest] or ([] if then else [CORE])


def modules(scheduler: str, controls: Iterable[str | None]) -> set[str]:
    """Of these, by their names, and of what they build on: those that there are, and others."""
    found = {
        f"mptcp_sched_{scheduler.partition('+')[0]}",
        *(f"mptcp_cong_{name}" for name in controls if name),
    }
    return found | {BUILDS_ON[name] for name in found if name in BUILDS_ON}


def extensions(sysctls: Iterable[str]) -> set[str]:
    """What connections use with these."""
    return set().union(*(USED_WITH.get(name, set()) for name in sysctls))


def list_loaded(out: str) -> str:
    """For a guest's script, whose kernel may have no modules; out: a directory, as the shell reads it."""
    return f"{{ cut -d' ' -f1 /proc/modules 2>/dev/null || true; }} >{out}/{LOADED}\n"


def unexpected(directory: Path, named: set[str]) -> str:
    """Modules of ours that a guest had, as it lists them there, and a run does not name: what is wrong."""
    loaded = (directory / LOADED).read_text().split()
    names = sorted({name for name in loaded if OURS.match(name)} - named)
    return f"the run loaded {', '.join(names)}, which its conditions do not name" if names else ""


def in_words(of_kernel: Mapping[str, str], needed: Iterable[str]) -> str:
    """For a text."""
    return "Parts of the kernel: " + ", ".join(f"{part} {of_kernel[part]}" for part in sorted(needed)) + "."


def from_words(text: str) -> dict[str, str]:
    """Out of a text; nothing if it does not say."""
    found = re.search(r"Parts of the kernel: ([^.]+)\.", text)
    return dict(re.findall(r"(\w+) ([0-9a-f]{12})", found[1])) if found else {}


if __name__ == "__main__":
    if is_of_patches(Path(sys.argv[1])):
        print(json.dumps(of(), indent=1))
