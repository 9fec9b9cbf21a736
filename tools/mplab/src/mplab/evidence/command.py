# SPDX-License-Identifier: MIT
"""mplab evidence: measure what the plan names, write it into the documents, check that all fits."""

from __future__ import annotations

import argparse
import os
import shlex

from .. import asked, cli
from ..places import writable
from ..runner import Store
from ..units import UsageError
from . import check, measure, plan, texts


def _measure(args: argparse.Namespace, planned: plan.Plan) -> None:
    """Each file as soon as it is known; runs that are in the store are not repeated."""
    for name in args.only:
        if name not in planned.commands:
            raise plan.EvidenceError(f"plan.toml measures no '{name}'; it has {', '.join(planned.commands)}")
    store = Store(writable(args.out))
    with asked.guests([args.kernel], args) as kernels:
        for name in args.only or planned.usual():
            command = planned.commands[name]
            parsed = cli.parse(shlex.split(command))
            plan.save(name, measure.measure(command, parsed, kernels[args.kernel], store, args.jobs))


def _write(planned: plan.Plan) -> None:
    for document in texts.documents():
        text = document.read_text()
        renewed = texts.renewed(text, planned, plan.load)
        if renewed != text:
            document.write_text(renewed)
            print("written:", os.path.relpath(document))


def run(args: argparse.Namespace) -> int:
    try:
        planned = plan.read()
        if args.what == "measure":
            _measure(args, planned)
        if args.what != "check":
            _write(planned)
            return 0
        found = check.problems(planned)
    except plan.EvidenceError as error:
        raise UsageError(str(error)) from None
    for problem in found:
        print(problem)
    return 1 if found else 0
