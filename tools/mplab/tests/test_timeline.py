# SPDX-License-Identifier: MIT
"""What happens to paths as time goes by, and what the player makes of a recording."""

from __future__ import annotations

import itertools
import pickle
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import network, paths, player, timeline
from mplab.lab.timeline import Change


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def links(self, *texts: str, **settings: object) -> list[timeline.Link]:
        """What the guest gets."""
        net = network.disjoint([paths.parse(text) for text in texts], **settings)
        timeline.start(net, self.dir)
        return pickle.loads((self.dir / "score").read_bytes())

    def changes(self, *texts: str, count: int = 10, **settings: object) -> list[Change]:
        return list(itertools.islice(timeline.changes(self.links(*texts, **settings)), count))


class Events(Scratch):
    def test_nothing_happens_without_any(self) -> None:
        net = network.disjoint([paths.parse("8mbit,20ms,80ms")])
        self.assertEqual(timeline.start(net, self.dir), "")

    def test_each_changes_its_own(self) -> None:
        text = "8mbit,20ms,80ms,down@2s,up@5s,rate=1mbit@6s,queue=40ms@7s,jitter=2ms@8s,loss=3%@9s"
        changes = self.changes(text)
        self.assertEqual([c.at for c in changes], [2, 5, 6, 7, 8, 9])
        lines = ["; ".join(c.lines) for c in changes]
        self.assertEqual(lines[0].count("loss 100%"), 2)
        self.assertNotIn("loss", lines[1])
        self.assertIn("tbf rate 1000000bit burst 3028 limit 10000", lines[2])
        self.assertIn("limit 5000", lines[3])
        self.assertIn("dev out root handle 1: netem delay 12000us 2000us rate 100gbit", lines[4])
        self.assertIn("dev in root handle 1: netem delay 8000us limit", lines[4])
        self.assertNotIn("tbf", lines[4])
        self.assertIn("loss 3%", lines[5])

    def test_paths_take_turns(self) -> None:
        changes = self.changes("8mbit,20ms,80ms,down@3s", "8mbit,20ms,80ms,down@2s,up@4s")
        self.assertEqual(
            [(c.at, c.namespace) for c in changes], [(2, "router2"), (3, "router1"), (4, "router2")]
        )

    def test_queue_of_a_recorded_link_and_of_a_policer(self) -> None:
        change = self.changes("trace=03-starlink,20ms,80ms,queue=40ms@3s")[0]
        self.assertRegex(change.lines[-1], "qdisc change dev out parent 2:1 bfifo limit 616")
        change = self.changes("8mbit,20ms,0ms,police=100k,rate=1mbit@3s")[0]
        self.assertIn("actions change action police rate 1000000bit burst 100000", change.lines[-1])


class Addresses(Scratch):
    def test_client_of_the_path_and_no_other(self) -> None:
        others = [network.Flow(network.TCP, ((path,),)) for path in (0, 1)]
        changes = self.changes(
            "8mbit,20ms,80ms", "8mbit,20ms,80ms,closed@1s,removed@2s,added@3s", others=others
        )
        self.assertEqual(
            [(c.at, c.namespace) for c in changes], [(1, "client"), (2, "client"), (3, "client")]
        )
        closed, removed, added = ("\n".join(c.lines) for c in changes)
        self.assertIn("ss -K -t src 10.2.1.1", closed)
        self.assertIn("ip addr delete 10.2.1.1/32 dev c2", removed)
        self.assertIn("ip mptcp endpoint add 10.2.1.1 dev c2 subflow", added)
        self.assertIn("ip route replace 0.0.0.0/0 dev c2 table 102", added)

    def test_first_address_is_in_use_before_it_goes(self) -> None:
        (change,) = self.changes("8mbit,20ms,80ms,removed@1s", "8mbit,20ms,80ms")
        script = change.lines[0]
        self.assertLess(script.index("endpoint add 10.1.1.1"), script.index("addr delete 10.1.1.1"))

    def test_tcp_keeps_its_address(self) -> None:
        self.assertEqual(self.changes("8mbit,20ms,80ms,removed@1s", protocol=network.TCP), [])


class Series(Scratch):
    def file(self, content: str) -> Path:
        path = self.dir / f"series{len(content)}"
        path.write_text(content)
        return path

    def test_delays_repeat_and_stay_in_order(self) -> None:
        rtts = self.file("20\n40\n40\n")
        changes = self.changes(f"8mbit,rtt-trace={rtts},80ms,step=100ms", count=4)
        self.assertEqual([round(c.at, 3) for c in changes], [0.1, 0.3, 0.4, 0.6])
        self.assertIn("netem delay 20000us rate 100gbit", changes[0].lines[0])
        self.assertIn("netem delay 10000us rate 100gbit", changes[1].lines[1])

    def test_at_the_same_time_one_change(self) -> None:
        rtts, losses = self.file("20\n40\n"), self.file("0\n5")
        changes = self.changes(f"8mbit,rtt-trace={rtts},80ms,loss-trace={losses},down@3s", count=4)
        self.assertEqual([c.at for c in changes], [1, 2, 3, 4])
        self.assertIn("delay 20000us rate 100gbit limit 200000 loss 5%", changes[0].lines[0])
        self.assertIn("loss 100%", changes[2].lines[0])

    def test_traces_keep_their_values_when_an_outage_ends(self) -> None:
        losses = self.file("2\n3\n")
        changes = self.changes(f"8mbit,20ms,80ms,loss-trace={losses},down@1.5s,up@2.5s", count=4)
        self.assertIn("loss 2%", changes[3].lines[0])


class Recording(Scratch):
    def test_fed_ahead_and_again_from_its_beginning(self) -> None:
        (self.dir / "t").write_text("8\n16\n")
        (link,) = self.links(f"trace={self.dir / 't'},20ms,80ms")
        batches = list(itertools.islice(player._batches(link.recording), 20))
        fed, steps = 0.0, []
        for at, batch in batches:
            self.assertLessEqual(at, max(fed - player.AHEAD, 0))
            self.assertLess(len(batch), 1 << 16)
            steps += timeline.STEP.iter_unpack(batch)
            fed = sum(d for d, _ in steps) / 1e9
        self.assertEqual(fed, 40)
        self.assertEqual([b for _, b in steps[:20]], [100_000] * 10 + [200_000] * 10)
        self.assertEqual(steps[20:40], steps[:20])


if __name__ == "__main__":
    unittest.main()
