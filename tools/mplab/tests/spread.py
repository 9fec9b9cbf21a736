# SPDX-License-Identifier: MIT
"""A plan on several machines gives the files that one machine gives: real guests. Prints TAP.

usage: spread.py [KERNEL]                  shares, and their merge (default: build/uml)
       spread.py KERNEL dask               a cluster of Dask's on this machine; one worker is killed
       spread.py KERNEL slurm DIRECTORY    sbatch, which must be there; nodes see DIRECTORY
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
MPLAB = str(TOP / "tools" / "mplab" / "mplab")
RUNS = 6  # TCP and two schedulers, two seeds


class Plan:
    """A small design, measured whole and in other ways, below one directory."""

    def __init__(self, directory: Path, kernel: str, seconds: int = 1) -> None:
        self.directory = directory
        points = directory / "points.txt"
        points.write_text("8mbit,20ms,80ms,1% 2mbit,150ms,500ms\n")
        self.command = [
            *(MPLAB, "design", str(points), "--kernel", kernel, "--scheduler", "default,inorder"),
            *("--repeat", "2", "--duration", f"{seconds}s", "--warmup", "0s"),
        ]

    def call(self, out: str, *options: str) -> str:
        command = [*self.command, "--out", str(self.directory / out), *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def files(self, out: str) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in (self.directory / out / "runs").glob("*.gz")}

    def same(self, one: str, other: str) -> bool:
        files = self.files(one)
        return len(files) == RUNS and files == self.files(other)


def shares(plan: Plan) -> list[tuple[str, bool]]:
    """Two shares of which one is sent twice, and their merge."""
    plan.call("whole")
    counts = []
    for share in ("1/2", "2/2", "2/2"):
        plan.call(share[0], "--shard", share)
        counts.append(len(plan.files(share[0])))
    one, two, merged = (str(plan.directory / name) for name in ("1", "2", "merged"))
    subprocess.run([MPLAB, "merge", merged, one, two], check=True, capture_output=True)
    shown = plan.call("merged")
    return [
        ("each share has its part", counts == [RUNS // 2] * 3),
        ("merged shares are what one machine measures", plan.same("whole", "merged")),
        ("what is merged is shown", "Aggregation benefit" in shown),
    ]


def _workers() -> list[int]:
    """Processes that Dask's nannies started, which are ours."""
    found = subprocess.run(["pgrep", "-f", "multiprocessing.spawn import"], capture_output=True, text=True)
    return [int(pid) for pid in found.stdout.split() if _ours(int(pid))]


def _ours(pid: int) -> bool:
    while pid > 1 and pid != os.getpid():
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return pid == os.getpid()


def _kill_one(plan: Plan) -> bool:
    """A worker, as soon as the first result is there."""
    before = time.monotonic() + 300
    while time.monotonic() < before:
        if (plan.directory / "dask" / "runs").is_dir() and plan.files("dask"):
            victims = _workers()
            if victims:
                os.kill(victims[0], signal.SIGKILL)
                return True
        time.sleep(0.05)
    return False


def dask(plan: Plan) -> list[tuple[str, bool]]:
    """A cluster of two workers, of which one is killed with a run in hand."""
    plan.call("whole")
    killed: list[bool] = []
    killer = threading.Thread(target=lambda: killed.append(_kill_one(plan)))
    killer.start()
    plan.call("dask", "--cluster", "local", "--jobs", "2")
    killer.join()
    return [
        ("a worker was killed", killed == [True]),
        ("the cluster's results are what one machine measures", plan.same("whole", "dask")),
    ]


def slurm(plan: Plan) -> list[tuple[str, bool]]:
    """A job array of three tasks; --wait ends when all have ended, with their status."""
    file = str(plan.directory / "array.sh")
    plan.call("whole")
    plan.call("slurm", "--slurm", file, "--tasks", "3")
    done = subprocess.run(["sbatch", "--wait", file], capture_output=True, text=True)
    print(f"# sbatch: {done.stdout.strip()} {done.stderr.strip()}")
    logs = sorted((plan.directory / "slurm").glob("slurm-*.log"))
    for log in logs:
        print("".join(f"# {line}\n" for line in log.read_text().splitlines()[-2:]), end="")
    return [
        ("each task of the array ended well", done.returncode == 0 and len(logs) == 3),
        ("the array's results are what one machine measures", plan.same("whole", "slurm")),
    ]


def main() -> int:
    kernel = sys.argv[1] if len(sys.argv) > 1 else "patched"
    how: dict[str, Callable[[Plan], list[tuple[str, bool]]]] = {"dask": dask, "slurm": slurm}
    kind = sys.argv[2] if len(sys.argv) > 2 else ""
    where = sys.argv[3] if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory(prefix="mplab-spread.", dir=where) as name:
        checks = how.get(kind, shares)(Plan(Path(name), kernel))
    for number, (title, good) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {number} {title}")
    print(f"1..{len(checks)}")
    return 0 if all(good for _, good in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
