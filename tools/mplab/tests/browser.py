# SPDX-License-Identifier: MIT
"""A real browser for tests of pages: Chromium without a window, told what to do over a pipe.

It clicks as a mouse does, where the page has put what is clicked.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120.0  # seconds, on a busy machine
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1400,900")


def installed() -> str:
    """The program; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise unittest.SkipTest(f"needs one of {', '.join(NAMES)}")
    return found


def _high(number: int) -> int:
    """The same file, out of the way of 3 and 4, which the browser wants."""
    moved = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(number)
    return moved


class Browser:
    """With one page. asked: addresses that it asked for; errors: what went wrong in its programs."""

    def __init__(self) -> None:
        self._program, self._count, self._rest = installed(), 0, b""
        self.asked: list[str] = []
        self.errors: list[str] = []

    def __enter__(self) -> Self:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs_in, self._out), (self._in, theirs_out) = (tuple(map(_high, os.pipe())) for _ in "12")
        command = [
            self._program,
            *OPTIONS,
            "--remote-debugging-pipe",
            f"--user-data-dir={self._profile.name}",
        ]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}', *command, "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin(self) -> None:
        self._session: str | None = None
        target = self._tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self._tell(f"{domain}.enable")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def _message(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError(f"the browser says nothing for {PATIENCE:g} s")
            some = os.read(self._in, 1 << 16)
            if not some:
                raise RuntimeError("the browser ended")
            self._rest += some
        raw, _, self._rest = self._rest.partition(b"\0")
        found = json.loads(raw)
        if found.get("method") == "Network.requestWillBeSent":
            self.asked.append(found["params"]["request"]["url"])
        if found.get("method") == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(found["params"]["exceptionDetails"]))
        return found

    def _tell(self, method: str, **params: object) -> dict[str, Any]:
        self._count += 1
        order = {"id": self._count, "method": method, "params": params}
        order |= {"sessionId": self._session} if self._session else {}
        os.write(self._out, json.dumps(order).encode() + b"\0")
        while (answer := self._message()).get("id") != self._count:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, file: Path, fragment: str = "") -> None:
        """Until it is loaded, its programs included."""
        self._tell("Page.navigate", url="about:blank")  # another fragment alone would not load it anew
        self._tell("Page.navigate", url=f"{file.absolute().as_uri()}{fragment}")
        end = time.monotonic() + PATIENCE
        while not self.value("location.protocol === 'file:' && document.readyState === 'complete'"):
            if time.monotonic() > end:
                raise TimeoutError(f"{file} is not loaded")
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """Of JavaScript in the page."""
        found = self._tell("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def count(self, selector: str) -> int:
        return self.value(f"document.querySelectorAll({json.dumps(selector)}).length")

    def text(self, selector: str) -> str:
        return self.value(f"document.querySelector({json.dumps(selector)}).innerText")

    def click(self, selector: str, number: int = 0) -> None:
        """The middle of what is seen of the so many-th."""
        node = f"document.querySelectorAll({json.dumps(selector)})[{number}]"
        self.value(f"{node}.scrollIntoView({{block: 'center'}})")
        x, y = self.value(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({node}.getBoundingClientRect())")
        for what in ("mousePressed", "mouseReleased"):
            self._tell("Input.dispatchMouseEvent", type=what, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        for what in ("keyDown", "keyUp"):
            self._tell("Input.dispatchKeyEvent", type=what, key=key, code=key, windowsVirtualKeyCode=13)
