# SPDX-License-Identifier: MIT
"""The scoreboard as files: JSON, and CSV with a row per scenario and contestant.

Documentation/bench.md describes the columns.
"""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

from .board import Board
from .score import Score, Summary


def row(score: Score) -> dict[str, object]:
    """Figures are in the unit that the end of `measure` says: bit/s, s, bytes."""
    entry, s = score.entry, score.entry.scenario
    low, high = score.spread or (None, None)
    return {
        "scenario": s.name,
        "group": s.group,
        "scheduler": entry.contestant.scheduler,
        "congestion": entry.congestion,
        "kernel": entry.contestant.kernel,
        "measure": s.measure,
        "higher_is_better": int(s.higher_is_better),
        "seeds": len(entry.runs),
        "failed_runs": score.ours.failed,
        "value": score.ours.middle,
        "value_min": min(score.ours.each, default=None),
        "value_max": max(score.ours.each, default=None),
        "tcp_path": score.tcp_path,
        "tcp_value": score.tcp,
        "default_value": score.default,
        "ratio_to_tcp": score.to_tcp,
        "ratio_to_tcp_min": low,
        "ratio_to_tcp_max": high,
        "ratio_to_default": score.to_default,
    }


def _summary(found: Summary | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {k: v for k, v in dataclasses.asdict(found).items() if k != "contestant"}


def write_csv(path: Path, board: Board) -> None:
    rows = [row(score) for score in board.scores]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), restval="")
        writer.writeheader()
        writer.writerows(rows)


def write_json(path: Path, board: Board, about: Mapping[str, object]) -> None:
    """about: how it was made."""
    whole = {
        **about,
        "contestants": [
            {
                "label": board.label(who),
                **dataclasses.asdict(who),
                "failed_runs": board.failed(who),
                "to_tcp": _summary(tcp),
                "to_default": _summary(default),
            }
            for who, tcp, default in board.summaries()
        ],
        "scores": [row(score) for score in board.scores],
    }
    path.write_text(json.dumps(whole, indent=1) + "\n")
