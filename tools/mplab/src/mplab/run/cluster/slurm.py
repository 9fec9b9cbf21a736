# SPDX-License-Identifier: MIT
"""A job array for Slurm: each task measures its share, all write to one directory."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from ...lab.guest import TOP

LAUNCHER = TOP / "tools" / "mplab" / "mplab"
OWN = ("--slurm", "--tasks")  # options that are no business of a task, with a value each


def without_own(argv: Sequence[str]) -> list[str]:
    """The command line of one who is not asked to write a file for Slurm."""
    left, skip = [], False
    for word in argv:
        if not skip and not word.startswith(tuple(f"{name}=" for name in OWN)) and word not in OWN:
            left.append(word)
        skip = not skip and word in OWN
    return left


def script(argv: Sequence[str], tasks: int, out: Path, directory: Path) -> str:
    """What sbatch takes. directory: where the command was called, for the files that it names."""
    again = shlex.join([str(LAUNCHER), *without_own(argv)])
    return f"""\
#!/bin/bash
#SBATCH --job-name=mplab
#SBATCH --array=1-{tasks}
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=1500M
#SBATCH --chdir={shlex.quote(str(directory))}
#SBATCH --output={shlex.quote(str(out / "slurm-%A_%a.log"))}
# A share that is sent again measures what is missing. All nodes must see the same files.
exec {again} \\
	--shard "$SLURM_ARRAY_TASK_ID/{tasks}" --jobs "${{SLURM_CPUS_PER_TASK:-1}}" --out {shlex.quote(str(out))}
"""


def write(file: Path, argv: Sequence[str], tasks: int, out: Path, runs: int) -> None:
    """The file, and what to do with it."""
    out = out.resolve()
    file.write_text(script(argv, tasks, out, Path.cwd()))
    again = shlex.join(["mplab", *without_own(argv)])
    print(f"written: {file}, {runs} runs in {tasks} tasks. Submit it, then show what came of it:")
    print(f"  sbatch {shlex.quote(str(file))}\n  {again}" + ("" if "--out" in again else f" --out {out}"))
