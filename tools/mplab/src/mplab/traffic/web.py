# SPDX-License-Identifier: MIT
"""The web: nginx, with ab for many clients, and with curl for a page of many objects."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar

from ..inside import web
from ..lab.guest import GuestError
from ..lab.network import DOWN
from ..lab.topology import CLIENT
from ..words.settings import number, octets, span
from . import metrics
from .answers import figures
from .base import Ends, Json, Workload
from .nginx import nginx


@dataclass(frozen=True)
class Http(Workload):
    """nginx, and ab with several clients: requests per second, a connection for each."""

    name: ClassVar[str] = "http"
    direction: ClassVar[str] = DOWN
    needs: ClassVar[tuple[str, ...]] = ("nginx", "ab")
    size: int = octets(65536)
    requests: int = number(100)
    clients: int = number(10)

    @property
    def fills(self) -> bool:
        return True

    def wrong(self) -> str:
        if self.clients > self.requests:
            return f"{self.clients} clients need as many requests, not {self.requests}"
        return ""

    def listening(self, ends: Ends) -> str:
        return nginx(ends, self.size)

    def connecting(self, ends: Ends) -> str:
        load = ["-q", "-n", f"{self.requests}", "-c", f"{self.clients}", "-s", "600"]
        command = ends.over("ab", *load, f"http://{ends.url_host}/file")
        return ends.background(f"{command} >{ends.file('ab')} 2>&1", CLIENT)

    def evaluate(self, ends: Ends) -> Json:
        said = ends.file("ab").read_text()

        def figure(pattern: str) -> float:
            found = re.search(pattern, said)
            if not found:
                raise GuestError(f"ab did not finish: {said.strip()[-300:]}")
            return float(found.group(1))

        failed = figure(r"Failed requests:\s+(\d+)")
        if failed or "Non-2xx" in said:
            why = [line for line in said.splitlines() if line.startswith(("Failed", "Non-2xx", "   (Con"))]
            raise GuestError(f"requests failed: {'; '.join(why)}")
        per_second = figure(r"Requests per second:\s+([0-9.]+)")
        enough = self.requests >= metrics.PERCENTILES_FROM
        return {
            "goodput_bps": per_second * self.size * 8,
            "requests_per_second": per_second,
            "answer_median_s": figure(r"\n\s+50%\s+(\d+)") / 1e3,
            "answer_p99_s": figure(r"\n\s+99%\s+(\d+)") / 1e3 if enough else None,
        }


@dataclass(frozen=True)
class Page(Workload):
    """A web page from nginx, fetched by curl `count` times: so many objects of a mean size over up
    to `parallel` connections, which the next page does not reuse."""

    name: ClassVar[str] = "page"
    direction: ClassVar[str] = DOWN
    needs: ClassVar[tuple[str, ...]] = ("nginx", "curl")
    judged: ClassVar[tuple[str, bool]] = ("load_median_s", True)
    objects: int = number(50)
    size: int = octets(30_000, least=1000)
    parallel: int = number(6)
    count: int = number(5)
    pause: float = span(1.0)

    @property
    def sizes(self) -> list[int]:
        """Of the objects: a heavy tail, always the same, in an order of no meaning."""
        draws = [(n + 0.5) / self.objects for n in range(self.objects)]
        least = web.least_size(self.size)
        found = [web.size(draw, least) for draw in draws]
        random.Random(self.objects).shuffle(found)
        return [round(f * self.size * self.objects / sum(found)) for f in found]

    def listening(self, ends: Ends) -> str:
        return nginx(ends, web.MOST)

    def connecting(self, ends: Ends) -> str:
        where = ends.directory
        wanted = "next\n".join(
            f'url = "http://{ends.url_host}/file"\nrange = "0-{size - 1}"\noutput = "/dev/null"\n'
            'fail\nwrite-out = "%{size_download}\\n"\n'
            for size in self.sizes
        )
        fetch = f"curl --no-progress-meter --parallel --parallel-immediate --parallel-max {self.parallel}"
        loop = (
            f"for n in $(seq {self.count}); do date +'began %s.%N'; {fetch} --config {where}/page;"
            f" date +'ended %s.%N'; sleep {self.pause:g}; done"
        )
        command = ends.over("sh", "-c", loop)
        return f"cat >{where}/page <<'END'\n{wanted}END\n" + ends.background(
            f"{command} >{ends.file('curl')} 2>&1", CLIENT
        )

    def evaluate(self, ends: Ends) -> Json:
        took, got = [], 0
        for line in ends.file("curl").read_text().splitlines():
            match line.split():
                case ["began", time]:
                    began, got = float(time), 0
                case ["ended", time] if got == sum(self.sizes):
                    took.append(float(time) - began)
                case ["ended", _]:
                    raise GuestError(f"{got} of a page's {sum(self.sizes)} bytes arrived")
                case [count] if count.isdigit():
                    got += int(count)
                case _:
                    raise GuestError(f"curl: {line}")
        if len(took) < self.count:
            raise GuestError(f"{len(took)} of {self.count} pages arrived")
        whole: dict[str, Any] = {"goodput_bps": sum(self.sizes) * 8 / median(took)}
        return whole | figures(took, "load")
