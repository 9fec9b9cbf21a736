# SPDX-License-Identifier: MIT
"""Results as CSV: a row per run, a column per number; tools/mplab/README.md says what each is."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ..lab.paths import Path as NetworkPath
from ..traffic import metrics
from . import baseline
from .experiment import Result
from .runner import Failure

# fields of a path and of a workload whose name does not say the unit
PATH_UNITS = {
    "rate": "rate_bps",
    "rtt": "rtt_s",
    "queue": "queue_s",
    "loss": "loss_percent",
    "burst": "loss_burst_packets",
    "jitter": "jitter_s",
    "mtu": "mtu_bytes",
    "family": "ip_version",
    "there": "there_percent",
}
WORK_UNITS = {
    "duration": "duration_s",
    "warmup": "warmup_s",
    "delay": "delay_s",
    "pause": "pause_s",
    "rest": "rest_s",
    "every": "every_s",
    "piece": "piece_bytes",
    "patience": "patience_s",
    "rate": "rate_bps",
    "size": "size_bytes",
    "notsent": "notsent_bytes",
    "request": "request_bytes",
    "answer": "answer_bytes",
    "segment": "segment_s",
    "start": "start_s",
    "buffer": "buffer_s",
    "subsegment": "subsegment_bytes",
}
BY_KIND = {"ranges": {"segment": "segment_bytes"}}  # of a workload in which it means something else


def _path(number: int, path: NetworkPath) -> dict[str, object]:
    """In words, and each number of it."""
    values = {
        f"path{number}_{PATH_UNITS.get(name, name)}": value
        for name, value in asdict(path).items()
        if isinstance(value, int | float | str)
    }
    return {f"path{number}": str(path), **values, f"path{number}_events": len(path.events)}


def _work(prefix: str, fields: dict[str, object], kind: str = "") -> dict[str, object]:
    """Of several values, such as a ladder of rates, what they are with slashes between them."""
    texts = {k: "/".join(map(str, v)) if isinstance(v, tuple) else v for k, v in fields.items()}
    units = WORK_UNITS | BY_KIND.get(kind, {})
    return {f"{prefix}_{units.get(name, name)}": value for name, value in texts.items()}


def row(result: Result, known: baseline.Known | None = None) -> dict[str, object]:
    """A result as a row of a table: conditions, and every figure that is one number. known: results
    that the benefit may need."""
    c = result.conditions
    workload = {"name": c.workload.name, **asdict(c.workload)}
    figures = {k: v for k, v in result.main.items() if isinstance(v, int | float) or v is None}
    return {
        "kernel": c.kernel,
        "release": result.kernel["release"],
        "build": result.kernel["build"],
        "seed": c.seed,
        "topology": c.topology,
        **{name: value for i, p in enumerate(c.paths, 1) for name, value in _path(i, p).items()},
        "scheduler": c.scheduler,
        "congestion": c.congestion,
        "subflows": c.subflows,
        "connections": c.connections,
        "tcp_path": c.tcp_path if c.plain_tcp else None,
        **{f"beside{i}": str(each) for i, each in enumerate(c.others, 1)},
        **{f"beside{i}_{k}": v for i, got in enumerate(baseline.got(result), 1) for k, v in got.items()},
        "competing": c.competing,
        "competing_congestion": c.competing_congestion if c.competing else None,
        "competing_path": c.competing_path or None,
        **_work("competing", asdict(c.competitor) if c.competitor else {}),
        "buffer_bytes": c.buffer or "autotuned",
        "sysctls": " ".join(c.sysctl_texts),
        "offload": c.offload,
        "workload": workload.pop("name"),
        **_work("workload", workload, c.workload.name),
        "all_goodput_bps": result.goodput,
        "benefit": baseline.benefit(result, known or {}),
        "jain": metrics.jain([f["goodput_bps"] for f in result.flows]),
        **{f"path{i}_bytes": n for i, n in enumerate(result.path_bytes, 1)},
        **figures,
    }


def write_csv(path: Path, results: Iterable[Result], failures: Iterable[Failure]) -> None:
    """A row per run; a failed run has a row with what went wrong."""
    results = list(results)
    known = baseline.by_conditions(results)
    rows = [row(r, known) for r in results]
    for failure in failures:
        bare = Result(failure.conditions, ({"goodput_bps": 0.0},), (), {}, {"release": "", "build": ""})
        rows.append(
            {**row(bare, known), "all_goodput_bps": None, "goodput_bps": None, "benefit": None, "jain": None}
        )
        rows[-1]["error"] = failure.reason
    names = list(dict.fromkeys(name for r in rows for name in r))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
