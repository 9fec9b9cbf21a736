# SPDX-License-Identifier: MIT
"""The figure of a comparison: goodput over time, and who carried how much."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .experiment import TCP, Result
from .report import goodput, grouped, label, title


def draw(results: Sequence[Result], path: Path) -> None:
    """Write a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    groups = grouped(results)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10, 4.2), width_ratios=(3, 2), layout="constrained"
    )
    for scheduler, group in groups.items():
        time, rate = zip(*group[0].over_time, strict=True)
        style = "--" if scheduler == TCP else "-"
        left.plot(time, [r / 1e6 for r in rate], style, label=label(scheduler), linewidth=1.3)
    left.set(xlabel="time after warm-up [s]", ylabel="goodput [Mbit/s]")
    left.set_ylim(bottom=0, top=1.25 * left.get_ylim()[1])
    left.legend(fontsize="small", loc="upper center", ncols=len(groups))
    left.grid(alpha=0.3)

    names = [label(s) for s in groups]
    base = [0.0] * len(names)
    for i in range(len(results[0].conditions.paths)):
        part = [goodput(g) / 1e6 * g[0].shares[i] for g in groups.values()]
        right.bar(names, part, bottom=base, label=f"path {i + 1}", width=0.6)
        base = [b + p for b, p in zip(base, part, strict=True)]
    for name, top in zip(names, base, strict=True):
        right.annotate(f"{top:.2f}", (name, top), ha="center", va="bottom", fontsize="small")
    right.set(ylabel="goodput by path [Mbit/s]")
    right.margins(y=0.25)
    right.legend(fontsize="small", loc="upper center", ncols=len(results[0].path_bytes))
    figure.suptitle(title(results), fontsize="small", x=0.01, ha="left")
    figure.savefig(path, dpi=110)
    plt.close(figure)
