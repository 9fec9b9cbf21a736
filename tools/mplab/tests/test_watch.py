# SPDX-License-Identifier: MIT
"""Runs that are looked at: what is made of the kernel's answers in the guest, and what is drawn of it."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import signal
import struct
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from rich.console import Console

from mplab import cli
from mplab.lab import paths
from mplab.lab.guest import GuestError, Guests
from mplab.run import asked, plans, programs
from mplab.run.experiment import TCP, Conditions, Result, script
from mplab.run.runner import Runner, Store
from mplab.run.schedulers import Schedulers
from mplab.traffic import Bulk, beside
from mplab.watch import charts, live, measure, sampler, samples
from mplab.watch.canvas import Canvas
from mplab.watch.samples import Sample

RECORDED = Path(__file__).with_name("samples.jsonl")  # of the conditions below
WIFI, MOBILE = "8mbit,20ms,80ms", "2mbit,150ms,500ms,1%"
SEQUENCES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NOTHING = "\u2800"
ENVIRONMENT = {"TERM": "xterm"}  # whatever ours says of colours


def conditions(scheduler: str = "inorder", *texts: str, **other: object) -> Conditions:
    found = tuple(map(paths.parse, texts or (WIFI, MOBILE)))
    return Conditions(found, scheduler, **{"workload": Bulk(3, 1), **other})


def recorded() -> list[Sample]:
    return [Sample.parse(line) for line in RECORDED.read_text().splitlines()]


def result(c: Conditions) -> Result:
    return Result(c, ({"goodput_bps": 9e6},), (3, 1), {}, {"release": "6.12", "build": "b"})


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def tcp(
    route: int, received: int, waiting: int = 0, unread: int = 0, disordered: int = 0, token: int = 7
) -> bytes:
    """The kernel's answer about a subflow at the server, or about plain TCP (no token)."""
    info = bytearray(232)
    struct.pack_into("=Q", info, 128, received)
    struct.pack_into("=I", info, 224, disordered)
    ends = bytes([10, route, 2, 2]).ljust(16, b"\0") + bytes([10, route, 1, 1]).ljust(16, b"\0")
    head = bytes([2, 1, 0, 0]) + bytes(4) + ends + bytes(4) + struct.pack("=Q", route)
    head += struct.pack("=IIIII", 0, unread, 0, 0, 0)
    ulp = attribute(3 | 1 << 15, attribute(2, struct.pack("=I", token))) if token else b""
    return (
        head + attribute(2, info) + attribute(7, struct.pack("=9I", waiting, *[0] * 8)) + attribute(19, ulp)
    )


def mptcp(received: int, waiting: int, token: int = 7) -> bytes:
    info = bytearray(96)
    struct.pack_into("=I", info, 12, token)
    struct.pack_into("=Q", info, 64, received)
    return bytes(72) + attribute(2, info) + attribute(7, struct.pack("=9I", waiting, *[0] * 8))


class Sampler(unittest.TestCase):
    """Of the guest, with answers of a kernel that are made up."""

    def setUp(self) -> None:
        for name in ("enter", "Netlink"):
            patch = mock.patch.object(sampler, name)
            self.addCleanup(patch.stop)
            patch.start()

    def host(self, sink: str = "server") -> sampler.Host:
        config = {"routes": {"1": 1, "2": 2, "300": 3}, "sink": sink, "families": [4]}
        return sampler.Host("server", {"lo": 1}, config)

    def waits(self, host: sampler.Host, subflows: list[bytes], connections: list[bytes]) -> tuple:
        host._netlink.dump = mock.Mock(side_effect=[subflows, connections])
        return host.waits()

    def test_queue_and_bytes_of_a_bottleneck(self) -> None:
        def answer(index: int, handle: int, parent: int, sent: int, backlog: int) -> bytes:
            basic = attribute(1, struct.pack("=QII", sent, 1, 0))
            stats = basic + attribute(3, struct.pack("=5I", 9, backlog, 0, 0, 0))
            return struct.pack("=BxxxiIII", 0, index, handle, parent, 0) + attribute(7, stats)

        with mock.patch.object(sampler.socket, "if_nametoindex", return_value=5):
            router = sampler.Router("router1")
        root = sampler.TC_H_ROOT
        router._netlink.dump.return_value = [
            answer(5, 0x10000, root, 5000, 99_000),  # who waits for the delay is in no queue
            answer(5, 0x20000, 0x10001, 4900, 1514),
            answer(5, 0x80010000, 0x20001, 4900, 1500),  # of it, an AQM's
            answer(4, 0x10000, root, 111, 222),  # the way back
            answer(4, 0x20000, 0x10001, 111, 222),
        ]
        self.assertEqual(router.look(), (5000, 1514))

    def test_what_waits_for_another_path(self) -> None:
        host = self.host()
        found = self.waits(host, [tcp(1, 5000), tcp(2, 3000)], [mptcp(6000, 2600)])
        self.assertEqual(found, (2000, {1: 0, 2: 0}))
        self.assertEqual(self.waits(host, [tcp(1, 5000), tcp(2, 3000)], [mptcp(8000, 0)])[0], 0)

    def test_what_came_twice_does_not_wait(self) -> None:
        host = self.host()
        self.assertEqual(self.waits(host, [tcp(1, 5000), tcp(2, 3000)], [mptcp(6000, 0)])[0], 0)
        self.assertEqual(self.waits(host, [tcp(1, 6000), tcp(2, 3000)], [mptcp(6000, 1500)])[0], 1000)
        # more than its memory holds: the rest came twice, too, and stays so
        self.assertEqual(self.waits(host, [tcp(1, 6000), tcp(2, 9000)], [mptcp(6000, 1500)])[0], 1500)
        self.assertEqual(self.waits(host, [tcp(1, 6000), tcp(2, 9000)], [mptcp(6500, 1500)])[0], 1000)

    def test_a_subflow_that_is_gone(self) -> None:
        host = self.host()
        self.waits(host, [tcp(1, 5000), tcp(2, 3000)], [mptcp(6000, 2600)])
        self.assertEqual(self.waits(host, [tcp(1, 5500)], [mptcp(6000, 4000)])[0], 2500)

    def test_behind_a_loss_on_the_path(self) -> None:
        host = self.host()
        self.assertEqual(self.waits(host, [tcp(1, 10, 900)], [])[1], {1: 0})  # not read yet, in order
        self.assertEqual(self.waits(host, [tcp(1, 10, 900, disordered=1)], [])[1], {1: 900})
        self.assertEqual(self.waits(host, [tcp(1, 10, 900, 600, 1)], [])[1], {1: 300})
        self.waits(host, [tcp(1, 10, 0, 0, 1)], [])  # mended
        self.assertEqual(self.waits(host, [tcp(1, 10, 900, 0, 1, token=0)], [])[1], {1: 900})

    def test_paths_by_the_clients_address(self) -> None:
        six = bytes.fromhex("fd00 012c 0001".replace(" ", "")).ljust(15, b"\0") + b"\1"
        for family, raw, path in (
            (2, bytes([10, 2, 1, 1]).ljust(16, b"\0"), 2),
            (2, bytes([10, 44, 3, 1]).ljust(16, b"\0"), 3),  # 256 + 44
            (10, six, 3),
            (10, sampler.MAPPED + bytes([10, 1, 1, 1]), 1),
            (2, bytes([127, 0, 0, 1]).ljust(16, b"\0"), None),
        ):
            for sink in ("server", "client"):
                ends = {"source": bytes(16), "destination": bytes(16)}
                ends["destination" if sink == "server" else "source"] = raw
                self.assertEqual(self.host(sink)._path(mock.Mock(family=family, **ends)), path)

    def test_bytes_of_devices(self) -> None:
        (path, count), *more = self.host().received().items()
        self.assertEqual((path, more), (1, []))
        self.assertGreaterEqual(count, 0)


class Asked(unittest.TestCase):
    def dump(self, *messages: tuple[int, bytes]) -> list[bytes]:
        """What is made of messages of these kinds, which come in one piece."""
        raw = b"".join(struct.pack("=IHHII", 16 + len(body), kind, 2, 1, 0) + body for kind, body in messages)
        with mock.patch.object(sampler.socket, "socket") as made:
            made.return_value.recv.return_value = raw
            return list(sampler.Netlink(0).dump(20, b""))

    def test_answers_until_the_end(self) -> None:
        self.assertEqual(
            self.dump((20, b"one1"), (20, b"two2"), (3, bytes(4)), (20, b"rest")), [b"one1", b"two2"]
        )

    def test_a_refusal_is_no_empty_answer(self) -> None:
        for kind in (2, 3):
            with self.assertRaisesRegex(OSError, "does not tell of sockets or queues: No such file"):
                self.dump((kind, struct.pack("=i", -2)))


class Started(Scratch):
    def config(self, c: Conditions) -> dict:
        return json.loads(shlex.split(samples.start(c, self.dir))[-2])

    def test_receivers_and_their_devices(self) -> None:
        config = self.config(conditions())
        self.assertEqual(config["routers"], ["router1", "router2"])
        self.assertEqual(config["hosts"], {"server": {"s1": 1, "s2": 2}})
        config = self.config(conditions(workload=Bulk(3, 1, direction="down")))
        self.assertEqual((config["hosts"], config["sink"]), ({"client": {"c1": 1, "c2": 2}}, "client"))

    def test_plain_tcp_uses_one_path(self) -> None:
        c = conditions(TCP, tcp_path=2)
        self.assertEqual(self.config(c)["routers"], ["", "router2"])
        self.assertEqual(samples.used(c), [1])

    def test_subflows_that_share_a_bottleneck(self) -> None:
        config = self.config(conditions("default", WIFI, topology="shared", subflows=3, connections=2))
        self.assertEqual(config["routers"], ["router1"])
        self.assertEqual(set(config["routes"].values()), {1})
        self.assertEqual(sorted(config["hosts"]), ["server", "server2"])

    def test_runs_do_not_know_of_it(self) -> None:
        """Published numbers stay what they are when the sampler changes."""
        c = conditions()
        plain = script(c, self.dir)
        self.assertNotIn("sampler", plain)
        self.assertEqual(programs.named(samples.start(c, self.dir) + plain), programs.named(plain))


class Read(Scratch):
    def test_half_a_line_is_left_for_the_next_time(self) -> None:
        reader, file = samples.Reader(self.dir), self.dir / samples.FILE
        self.assertEqual(reader.new(), [])
        first, second, *_ = RECORDED.read_text().splitlines(keepends=True)
        file.write_text(first + second[:9])
        self.assertEqual(reader.new(), [Sample.parse(first)])
        self.assertEqual(reader.new(), [])
        file.write_text(first + second)
        self.assertEqual(reader.new(), [Sample.parse(second)])

    def test_courses(self) -> None:
        seen = [
            Sample(0.0, (0, 0), (0, 0), (0, 0), 0, (0, 0)),
            Sample(0.5, (1000, 500), (3000, 500), (7, 8), 9, (0, 4)),
        ]
        found = samples.courses(conditions(beside=(beside.parse("tcp"),)), seen)
        self.assertEqual(
            found[samples.RECEIVED],
            {"1": [(0.5, 16e3)], "2": [(0.5, 8e3)], "1, others": [(0.5, 32e3)], "2, others": [(0.5, 0)]},
        )
        self.assertEqual(found[samples.QUEUES]["2"], [(0.0, 0), (0.5, 8)])
        self.assertEqual(found[samples.OUT_OF_ORDER]["connection"], [(0.0, 0), (0.5, 9)])
        self.assertEqual(found[samples.OUT_OF_ORDER]["2"][-1], (0.5, 4))
        self.assertNotIn("connection", samples.courses(conditions(TCP), seen)[samples.OUT_OF_ORDER])


class Measured(Scratch):
    def sampled(self, lines: str, end: float = 5.1) -> Result:
        def run(text: str, directory: Path, *options: str) -> str:
            self.assertIn("sampler.py", text)
            self.assertEqual(options, ("--seed", "0"))
            (directory / samples.FILE).write_text(lines)
            (directory / "times").write_text(f"1.02 1\n{1.02 + end} 1\n")
            return "what the guest\nsaid last\n"

        guests = Guests(self.dir)
        with (
            mock.patch.object(guests, "run", run),
            mock.patch.object(guests, "identity", return_value="b"),
            mock.patch.object(measure, "evaluate", lambda c, *_: result(c)),
        ):
            return measure.sampled(guests, conditions(), self.dir)

    def test_the_result_has_courses_beside_its_own(self) -> None:
        found = self.sampled(RECORDED.read_text()).main
        self.assertEqual(found["goodput_bps"], 9e6)
        self.assertEqual(len(found[samples.QUEUES]["1"]), len(recorded()))

    def test_half_a_course_is_an_error(self) -> None:
        half = "".join(RECORDED.read_text().splitlines(keepends=True)[:20])
        with self.assertRaisesRegex(GuestError, "(?s)inorder, cubic.*samples end 1.9 s.*said last"):
            self.sampled(half)
        with self.assertRaisesRegex(GuestError, "samples end 0.0 s after the beginning"):
            self.sampled("")

    def test_no_result_is_taken_for_one_without_samples(self) -> None:
        guests, c = Guests(self.dir), conditions()
        kernels = {"patched": guests}
        with (
            mock.patch.object(guests, "identity", return_value="b"),
            mock.patch.object(measure, "sampled", side_effect=lambda g, c, *_: result(c)) as made,
            contextlib.redirect_stderr(io.StringIO()),
        ):
            for _ in range(2):  # the second call knows it
                self.assertEqual(list(measure.SampledRunner(kernels, self.dir, 1).run([c])), [c])
            self.assertEqual(made.call_count, 1)
            self.assertIsNone(Runner(kernels, Store(self.dir), 1)._known(c))


class Drawn(unittest.TestCase):
    def test_dots(self) -> None:
        canvas = Canvas(2, 1)
        canvas.draw([(0, 0), (3, 3)], 3, 3, 0)
        self.assertEqual([row.plain for row in canvas.rows()], ["\u2860\u280a"])
        self.assertEqual([span.style for span in canvas.rows()[0].spans], ["blue", "blue"])

    def test_digits_where_there_are_no_dots(self) -> None:
        canvas = Canvas(3, 2, plain=True)
        canvas.draw([(0, 0), (2, 0)], 2, 1, 0)
        canvas.draw([(1, 1)], 2, 1, 1)
        self.assertEqual([row.plain for row in canvas.rows()], [" 2 ", "111"])

    def test_scales(self) -> None:
        for value, top in ((0, 1), (0.013, 0.015), (1, 1), (7.9, 8), (8.04, 10), (99.9, 100), (303, 400)):
            self.assertAlmostEqual(charts.nice(value), top)

    def lines(self, seen: list[Sample], c: Conditions | None = None, **settings: object) -> list[str]:
        """In a terminal of 80 columns and 24 lines."""
        file = io.TextIOWrapper(io.BytesIO(), encoding=str(settings.pop("encoding", "utf-8")))
        colours = {"force_terminal": True, "color_system": "standard", **settings}
        console = Console(file=file, width=80, height=24, _environ=ENVIRONMENT, **colours)
        console.print(charts.Charts(c or conditions(), "inorder, cubic", seen), end="")
        file.flush()
        self.coloured = file.buffer.getvalue().decode()
        return SEQUENCES.sub("", self.coloured).splitlines()

    def test_in_80_columns(self) -> None:
        lines = self.lines(recorded())
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertEqual(len(lines), 23)
        self.assertEqual(lines[0].rstrip(), "inorder, cubic  5.2 s")
        self.assertIn("received, Mbit/s:  path 1 7.92  path 2 1.", lines[1])
        self.assertIn("queue, KB:  path 1", lines[8])
        self.assertRegex(lines[15], "out of order, KB:  path 1 .*  path 2 .*  connection")
        self.assertTrue(lines[22].startswith("         0") and lines[22].rstrip().endswith("5.2 s"))
        self.assertIn("\x1b[34m", self.coloured)
        self.assertIn("\x1b[33m", self.coloured)

    def test_the_curves(self) -> None:
        """8 and 2 Mbit/s in 6 lines of text, of which the uppermost begins at 10."""
        rows = [line[9:] for line in self.lines(recorded())[2:8]]
        drawn = [sum(cell != NOTHING for cell in row[20:70]) for row in rows]
        self.assertEqual([n > 45 for n in drawn], [False, True, False, False, True, False])
        self.assertEqual(self.lines(recorded())[2][:9], "   10.0 │")

    def test_a_path_has_one_colour(self) -> None:
        self.assertEqual(charts.places(["1", "2", "connection"]), [0, 1, 8])
        self.assertEqual(charts.places(["2", "2, others"]), [1, 8])
        self.lines(recorded(), conditions(TCP, tcp_path=2))
        self.assertNotIn("\x1b[34m", self.coloured)
        self.assertIn("\x1b[33m", self.coloured)

    def test_before_anything_was_seen(self) -> None:
        lines = self.lines([])
        self.assertIn("the guest starts", lines[0])
        self.assertIn("path 1 -  path 2 -", lines[1])

    def test_without_colours_or_without_dots_there_are_digits(self) -> None:
        for settings in ({"encoding": "ascii"}, {"no_color": True}):
            lines = self.lines(recorded(), **settings)
            self.assertIn("1=path 1 7.92  2=path 2", lines[1])
            self.assertIn("1111111111", lines[3])
            self.assertNotIn("\x1b[34m", self.coloured)
            self.assertTrue(all(line.isascii() for line in lines))

    def test_a_line_of_text(self) -> None:
        seen = recorded()
        text = charts.line(conditions(), seen[20], seen[30])
        self.assertEqual(
            text,
            "3.0 s: path 1 7.93 Mbit/s, queue 77.3 KB; path 2 1.98 Mbit/s, queue 69.7 KB;"
            " out of order 303 KB; behind losses 140 KB",
        )
        self.assertNotIn("path 2", charts.line(conditions(TCP), seen[20], seen[30]))
        others = charts.line(conditions(beside=(beside.parse("tcp"),)), seen[20], seen[30])
        self.assertIn("path 1 7.93 Mbit/s, others 0.07 Mbit/s, queue 77.3 KB", others)


class Live(Scratch):
    def view(self, **settings: object) -> live.View:
        self.said = io.StringIO()
        return live.View(conditions(), "inorder", Console(file=self.said, _environ=ENVIRONMENT, **settings))

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + 20
        while text not in self.said.getvalue() and time.monotonic() < end:
            time.sleep(0.01)

    def test_without_a_terminal_a_line_per_second_while_it_runs(self) -> None:
        view, c, lines = self.view(), conditions(), RECORDED.read_text().splitlines(keepends=True)
        early: list[str] = []

        def guest() -> Result:
            file = self.dir / samples.FILE
            file.write_text("".join(lines[:25]))
            self.wait_for("2.0 s: ")
            early.append(self.said.getvalue())
            with file.open("a") as rest:
                rest.write("".join(lines[25:]))
            return result(c)

        self.assertEqual(live.follow(guest, samples.Reader(self.dir), view), result(c))
        self.assertIn("2.0 s: ", early[0])
        self.assertNotIn("3.0 s: ", early[0])
        said = self.said.getvalue()
        self.assertEqual(
            [line.split(":")[0] for line in said.splitlines()[1:]], [f"{n}.0 s" for n in range(1, 6)]
        )
        self.assertNotIn("\x1b", said)

    def test_in_a_terminal_the_charts(self) -> None:
        view = self.view(force_terminal=True, width=80, height=24, color_system="standard")
        (self.dir / samples.FILE).write_text(RECORDED.read_text())
        live.follow(lambda: result(conditions()), samples.Reader(self.dir), view)
        self.assertIn("received, Mbit/s:", SEQUENCES.sub("", self.said.getvalue()))
        self.assertNotIn("1.0 s: path 1", self.said.getvalue())

    def test_no_faster_than_asked(self) -> None:
        seen = recorded()
        with mock.patch.object(live.time, "monotonic", return_value=100.5):
            self.assertEqual(live._due(seen, 100.0, 2.0), 11)  # the first second
            self.assertEqual(live._due(seen, 100.0, None), len(seen))

    def test_one_that_fails_leaves_the_next_ones(self) -> None:
        wanted = [conditions("default"), conditions()]
        outcomes = [GuestError("broke"), result(wanted[1])]
        with mock.patch.object(live, "sampled", side_effect=outcomes):
            found = live.watch({"patched": Guests(self.dir)}, wanted, self.dir, self.view()._console)
        self.assertEqual([f.reason for f in found.failures], ["broke"])
        self.assertEqual(found.results, [result(wanted[1])])
        self.assertIn("run 2 of 2", self.said.getvalue())


class CommandLine(Scratch):
    def call(self, *argv: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        self.said = out
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.dict(os.environ, ENVIRONMENT),
        ):
            os.environ.pop("FORCE_COLOR", None)
            try:
                status = cli.main(["watch", *argv])
            except SystemExit as stop:
                status = int(stop.code or 0)
        return status, out.getvalue(), err.getvalue()

    @contextlib.contextmanager
    def guest(self, orders: str) -> Iterator[list[Guests]]:
        """Instead of the kernel a shell in the directory that it would share."""
        (self.dir / "linux").write_text("one")
        made: list[Guests] = []

        def command(guests: Guests, share: list[str], *_: object) -> list[str]:
            made.append(guests)
            return ["sh", "-c", f"cd {share[1]}; {orders}"]

        has = (Schedulers(("default", "inorder"), ()), ["cubic"])
        with (
            mock.patch.object(Guests, "_command", command),
            mock.patch.object(asked, "kernel", lambda name: self.dir),
            mock.patch.object(plans, "available", return_value=has),
        ):
            yield made

    def test_ctrl_c(self) -> None:
        """The guest is ended, and what was seen is said."""
        # a shell without job control starts what it puts into the background with SIGINT ignored
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        running = []

        def interrupt(made: list[Guests]) -> None:
            end = time.monotonic() + 20
            while "3.0 s: " not in self.said.getvalue() and time.monotonic() < end:
                time.sleep(0.01)
            running.extend(made[0]._running)
            os.kill(os.getpid(), signal.SIGINT)

        arguments = ("--scheduler", "inorder", "--path", WIFI, "--path", MOBILE, "--duration", "3s")
        ended = self.dir / "ended"  # and its directory was still there
        orders = (
            f"trap 'cp $PWD/samples {ended}; exit 1' TERM; cp {RECORDED} samples; while :; do sleep 0.1; done"
        )
        with self.guest(orders) as made:
            self.said = io.StringIO()
            threading.Thread(target=interrupt, args=(made,)).start()
            begin = time.monotonic()
            status, said, errors = self.call(*arguments, "--out", str(self.dir / "out"))
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(status, 130)
        self.assertIn(
            "interrupted: inorder, in 5.2 s: 9.61 Mbit/s with headers (path 1 7.89, path 2 1.72)", errors
        )
        self.assertNotIn("Traceback", errors)
        self.assertEqual([process.poll() is None for process in running], [False])
        self.assertTrue(ended.exists())
        self.assertNotIn("\x1b", said)

    def test_plain_tcp_only_if_it_is_asked_for(self) -> None:
        for more, kinds in (((), ["default"]), (("--tcp-on", "2"), [TCP, "default"])):
            with self.guest("exit 3"):
                status, said, errors = self.call(*more, "--out", str(self.dir / "out"))
            self.assertEqual(status, 1)
            self.assertEqual(errors.count("the guest ended with status 3"), len(kinds))

    def test_mistakes(self) -> None:
        for argv, message in (
            (("--speed", "0"), "argument --speed: '0': write a number from 0.01 to 1000, e.g. 5"),
            (("--speed", "fast"), "'fast': write a number"),
            (("--path", "8mbit,20,1s"), "RTT '20' has no unit"),
            (("--pcap",), "unrecognized arguments: --pcap"),
            (("--kernel", "/nonexistent"), "no kernel at /nonexistent"),
        ):
            status, said, errors = self.call(*argv, "--out", str(self.dir / "out"))
            self.assertEqual((status, said), (2, ""))
            self.assertIn(message, errors)

    def test_it_has_the_options_of_run(self) -> None:
        parsers = next(
            action.choices
            for action in cli._parser()._actions
            if isinstance(action, argparse._SubParsersAction)
        )
        run, watch = ({o for a in parsers[n]._actions for o in a.option_strings} for n in ("run", "watch"))
        self.assertEqual(run - watch, {"--pcap", "--jobs"})
        self.assertEqual(watch - run, {"--speed"})
        status, said, _ = self.call("--help")
        self.assertEqual(status, 0)
        for words in ("--speed N", "out of order", "Ctrl-C", "line per second"):
            self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
