# SPDX-License-Identifier: MIT
"""Paths as text, and the network they make."""

from __future__ import annotations

import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import network, paths, strict, topology
from mplab.words import units

WIFI = paths.parse("8mbit,20ms,80ms")
MOBILE = paths.parse("2mbit,150ms,2s,1%")


class Paths(unittest.TestCase):
    def test_queue_is_in_bytes_of_time_or_in_packets(self) -> None:
        self.assertEqual(WIFI.queue_bytes, 80_000)
        self.assertEqual(paths.parse("1mbit,1ms,0ms").queue_bytes, 2 * 1514)
        self.assertEqual(paths.parse("1mbit,1ms,50p").queue_bytes, 50 * 1514)

    def test_capacity_is_payload(self) -> None:
        self.assertAlmostEqual(WIFI.capacity / 1e6, 7.651, places=3)
        self.assertLess(paths.parse("8mbit,20ms,80ms,family=6").capacity, WIFI.capacity)

    def test_settings_and_events(self) -> None:
        path = paths.parse("8mbit,20ms,80ms,2%,burst=4,jitter=5ms,aqm=fq_codel,mtu=1400,up@3s,down@2s")
        self.assertEqual((path.loss, path.burst, path.jitter), (2, 4, 0.005))
        self.assertEqual((path.aqm, path.mtu), ("fq_codel", 1400))
        self.assertEqual([e.what for e in path.events], ["down", "up"])

    def test_each_kind_of_event(self) -> None:
        path = paths.parse(
            "8mbit,20ms,50p,rate=1mbit@1s,rtt=30ms@2s,jitter=1ms@3s,loss=2%@4s,queue=9p@5s,closed@6s,added@7s"
        )
        self.assertEqual([e.value for e in path.events], [1e6, 0.03, 0.001, 2, 9, 0, 0])
        self.assertIn("rtt=30 ms at 2 s, jitter=1 ms at 3 s, loss=2 % at 4 s", str(path))

    def test_an_event_may_come_again(self) -> None:
        path = paths.parse("8mbit,20ms,80ms,2%,loss=3%@1s,loss=1%@2s")
        self.assertEqual([path.loss, *(e.value for e in path.events)], [2, 3, 1])

    def test_what_is_wrong_is_named(self) -> None:
        for text, message in (
            ("8mbit,20", "2 fields; write RATE,RTT,QUEUE"),
            ("8mbit,20,80ms", "RTT '20' has no unit; write 20ms"),
            ("8parsec,20ms,80ms", "rate '8parsec' has unknown unit 'parsec'"),
            ("fast,20ms,80ms", "rate 'fast' is not a number"),
            ("8mbit,20ms,80ms,100%", "less than 100%"),
            ("1kbit,20ms,80ms", "too slow"),
            ("8mbit,20ms,80ms,mtu=100", "mtu '100': write a number from 576 to 9000"),
            ("8mbit,20ms,80ms,color=red", "unknown 'color': there are loss"),
            ("8mbit,20ms,80ms,away@3s", "event 'away': write rate or rtt"),
            ("8mbit,20ms,80ms,rate=fast@3s", "rate 'fast' is not a number"),
            ("8mbit,20ms,80ms,down=5@3s", "event 'down' takes no value"),
            ("8mbit,20ms,80ms,burst=4", "burst without loss"),
            ("8mbit,20ms,80ms,jitter=15ms", "jitter is larger than the way back"),
            ("8mbit,20ms,80ms,jitter=5ms,rtt=8ms@3s", "jitter is larger than the way back"),
            ("8mbit,20ms,80ms,jitter=15ms@3s", "jitter is larger than the way back"),
            ("8mbit,20ms,80ms,queue=50p@3s", "event 'queue=50p': write it as the path's own"),
            ("8mbit,20ms,80ms,police=100k", "a policer has no queue; write 0ms"),
            ("8mbit,20ms,0ms,police=2k", "write at least two frames, 3028 bytes"),
            ("8mbit,20ms,80ms,family=6,mtu=1000", "mtu=1000: IPv6 has at least 1280"),
            ("8mbit,20ms,80ms,initcwnd=0", "initcwnd '0': write a number from 1 to 1000"),
            ("8mbit,20ms,80ms,step=10ms", "step without a trace"),
            ("8mbit,20ms,80ms,mtu=1400,mtu=1300", "mtu is given 2 times: keep one of them"),
            ("8mbit,20ms,80ms,1%,loss=2%", "loss is given 2 times"),
            ("8mbit,20ms,80ms,1%,loss-trace=wifi:2", "loss is given 2 times"),
            ("trace=lte:1,20ms,80ms,step=10ms,step=1s", "step is given 2 times"),
            ("trace=03-starlink,20ms,80ms,rate=1mbit@3s", "event 'rate': the trace '03-starlink' says"),
            ("trace=nowhere,20ms,80ms", "neither a file, nor one of the project's (0"),
            ("trace=lte:x,20ms,80ms", "write a number for the seed, for example lte:1"),
            ("trace=lte:1,rtt-trace=lte:1,80ms", "the model 'lte' has rate only"),
        ):
            with self.subTest(text), self.assertRaises(units.UnitError) as caught:
                paths.parse(text)
            self.assertIn(text, str(caught.exception))
            self.assertIn(message, str(caught.exception))


class Written(unittest.TestCase):
    """What only those that users write are asked."""

    def test_numbers_that_are_none(self) -> None:
        for text, message in (
            ("8mbit,20ms,80ms,mtu=1500.7", "mtu '1500.7': write a whole number"),
            ("8mbit,20ms,80ms,initcwnd=1.9", "initcwnd '1.9': write a whole number"),
            ("8mbit,20ms,80ms,mtu=100", "mtu '100': write a number from 576 to 9000"),
            ("8mbit,20ms,1p", "queue '1p': write at least 2p, or a time, for example 80ms"),
            ("8mbit,20ms,p", "queue 'p': write at least 2p"),
            ("8mbit,20ms,5²p", "queue '5²p': write at least 2p"),
            ("8mbit,20ms,50p,queue=²p@3s", "queue '²p': write at least 2p"),
            (f"8mbit,20ms,{'9' * 5000}p", "write at least 2p"),
            ("trace=lte:²,20ms,80ms", "trace 'lte:²': write a number for the seed, for example lte:1"),
            (f"8mbit,20ms,{'9' * 400}s", "has more than 18 digits; write 20ms"),
            (f"8mbit,20ms,{'9' * 18}s", "the queue is larger than 4 GB"),
            (f"8mbit,20ms,0ms,police={'9' * 400}", "has more than 18 digits; write 400k"),
        ):
            with self.subTest(text), self.assertRaises(units.UnitError) as caught:
                strict.parse(text)
            self.assertIn(text, str(caught.exception))
            self.assertIn(message, str(caught.exception))
        self.assertEqual(strict.parse("8mbit,20ms,2p,mtu=1400,queue=9p@1s").queue_packets, 2)

    def test_a_step_that_does_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            mahimahi = Path(directory) / "mahimahi"
            mahimahi.write_text("5\n500\n1000\n")
            for trace in ("trace=lte:7,40ms", f"trace={mahimahi},40ms", "trace=wifi:1,rtt-trace=wifi:1"):
                text = f"{trace},200ms,step=500ms"
                with self.subTest(text), self.assertRaises(units.UnitError) as caught:
                    strict.parse(text)
                self.assertIn(f"--path {text}: step is the time between", str(caught.exception))
                strict.parse(f"{trace},200ms")
        self.assertEqual(strict.parse("trace=03-att,40ms,200ms,loss-trace=wifi:1,step=500ms").trace.step, 0.5)


class Script(unittest.TestCase):
    def test_bottleneck_is_in_the_router(self) -> None:
        text = topology.script(network.disjoint([WIFI, MOBILE]))
        self.assertIn("dev out parent 1:1 handle 2: tbf rate 8000000bit burst 3028 limit 80000", text)
        self.assertIn("dev out root handle 1: netem delay 10000us", text)
        self.assertIn("dev in root handle 1: netem delay 10000us", text)
        self.assertIn("delay 75000us limit 200000 loss 1%", text)
        self.assertNotIn("qdisc add dev c", text)

    def test_server_announces_all_but_the_first(self) -> None:
        text = topology.script(network.disjoint([WIFI, MOBILE, WIFI]))
        self.assertNotIn("endpoint add 10.1.2.2", text)
        self.assertIn("endpoint add 10.2.2.2 signal", text)
        self.assertIn("endpoint add 10.3.2.2 signal", text)

    def test_plain_tcp_has_one_path(self) -> None:
        text = topology.script(network.disjoint([WIFI, MOBILE], network.TCP))
        self.assertNotIn("10.2.2.2", text)

    def test_data_down_swaps_the_ends(self) -> None:
        plan = topology.Plan(network.disjoint([WIFI], direction=network.DOWN))
        self.assertEqual(plan.chains[0][1], ["server", "router1", "client"])

    def test_mean_length_of_losses(self) -> None:
        """Gilbert: leave the bad state with 1/burst; the share of time in it is the loss."""
        text = topology.script(network.disjoint([paths.parse("8mbit,20ms,80ms,2%,burst=4")]))
        enter, leave = (float(x.strip("%")) for x in text.split("gemodel ")[1].split()[:2])
        self.assertAlmostEqual(leave, 25)
        self.assertAlmostEqual(enter / (enter + leave), 0.02)

    def test_buffer_limits_default_and_maximum(self) -> None:
        text = topology.script(network.disjoint([WIFI]), buffer=100_000)
        self.assertIn("echo '4096 100000 100000' >/proc/sys/net/ipv4/tcp_rmem", text)
        self.assertIn("echo '4096 16384 100000' >/proc/sys/net/ipv4/tcp_wmem", text)
        self.assertNotIn("tcp_rmem", topology.script(network.disjoint([WIFI])))

    def test_offloads_of_hosts_and_routers(self) -> None:
        net = network.disjoint([WIFI])
        text = topology.script(net)
        self.assertIn("host:client:c1 router:router1:in,out host:server:s1", text)
        self.assertNotIn("gso_max_segs", text)
        text = topology.script(net, offload=False)
        self.assertEqual(text.count("gso_max_segs 1"), 4)
        self.assertIn("host:client: host:server:", text)

    def test_queues(self) -> None:
        for text, wanted in (
            ("8mbit,20ms,80ms,aqm=fq_codel", "dev out parent 2:1 fq_codel limit 52"),
            ("8mbit,20ms,80ms,aqm=cake", "dev out parent 2:1 cake unlimited memlimit 80000"),
            ("8mbit,20ms,50p", "dev out parent 2:1 pfifo limit 50"),
            (
                "8mbit,20ms,80ms,back=1mbit",
                "dev in parent 1:1 handle 2: tbf rate 1000000bit burst 3028 limit 10000",
            ),
            ("8mbit,20ms,50p,back=1mbit", "dev in parent 2:1 pfifo limit 50"),
            (
                "8mbit,20ms,0ms,police=100k",
                "matchall action police rate 8000000bit burst 100000 conform-exceed drop",
            ),
            ("trace=03-starlink,20ms,80ms", "dev out parent 1:1 handle 2: replay"),
            ("trace=03-starlink,20ms,50p", "dev out parent 2:1 pfifo limit 50"),
        ):
            with self.subTest(text):
                self.assertIn(f"{wanted}", topology.script(network.disjoint([paths.parse(text)])))

    def test_policer_has_no_queue(self) -> None:
        text = topology.script(network.disjoint([paths.parse("8mbit,20ms,0ms,police=100k")]))
        self.assertNotIn("tbf", text)

    def test_rate_of_the_way_back_is_one_for_all(self) -> None:
        """Senders with hosts of their own meet before the router, or each had a rate to itself."""
        path = paths.parse("8mbit,20ms,80ms,back=1mbit")
        net = network.disjoint([path], others=[network.Flow(network.TCP, ((0,),))])
        plan = topology.Plan(net)
        self.assertEqual(plan.ins(0), ["in"])
        self.assertEqual(plan.chains[0][1], ["client", "entry1", "router1", "exit1", "server"])
        self.assertEqual(plan.chains[1][1][:2], ["client2", "entry1"])
        text = topology.script(net)
        self.assertEqual(text.count("tbf rate 1000000bit"), 1)
        self.assertEqual(
            topology.Plan(network.disjoint([path])).chains[0][1], ["client", "router1", "server"]
        )


class Topologies(unittest.TestCase):
    def test_triangle_has_a_long_way(self) -> None:
        net = network.triangle([WIFI] * 3)
        plan = topology.Plan(net)
        short, long = plan.chains[2][1], plan.chains[3][1]
        self.assertEqual(short, ["client2", "router2", "exit2", "server2"])
        self.assertEqual(long, ["client2", "router3", "exit3", "router1", "exit1", "server2"])

    def test_shared_flows_have_hosts_of_their_own(self) -> None:
        plan = topology.Plan(network.shared(WIFI, 2, others=[network.beside(network.TCP, 1)]))
        ends = [(chain[0], chain[-1]) for _, chain in plan.chains]
        self.assertEqual(ends, [("client", "server")] * 2 + [("client2", "server2")])
        self.assertEqual(plan.devices("router1"), ["in", "out", "in2"])

    def test_incast_meets_at_the_bottlenecks(self) -> None:
        """All data crosses the same two routers, on its way from a server to a client."""
        net = network.incast([WIFI, MOBILE], 3)
        plan = topology.Plan(net)
        ways = [chain for _, chain in plan.chains]
        self.assertEqual(ways[:2], [["server", f"router{i}", f"exit{i}", "client"] for i in (1, 2)])
        self.assertEqual(ways[5], ["server3", "router2", "exit2", "client3"])
        self.assertEqual(plan.devices("router1"), ["in", "out", "in2", "in3"])
        self.assertEqual(
            [len(f.routes) for f in network.incast([WIFI, MOBILE], 2, network.TCP).flows], [1, 1]
        )

    def test_servers_of_an_incast_have_links_of_their_own(self) -> None:
        """As fast as the bottleneck; nobody else's sender has one."""
        text = topology.script(network.incast([WIFI, MOBILE], 3))
        for device, rate in (("s1", 8_000_000), ("s2", 2_000_000)):
            self.assertEqual(text.count(f"qdisc add dev {device} root tbf rate {rate}bit burst 3028 "), 3)
        self.assertNotIn("qdisc add dev c", text)
        self.assertNotIn("qdisc add dev c", topology.script(network.shared(WIFI, 2)))
        self.assertNotIn("dev s1 root", topology.script(network.disjoint([WIFI], direction=network.DOWN)))

    def test_hundreds_of_servers(self) -> None:
        """No two routes share an address or a table, none has one of the kernel's own tables."""
        routes = range(1, 601)
        for role in (topology.CLIENT, topology.SERVER):
            addresses = {topology.address(role, n) for n in routes}
            self.assertEqual(len(addresses), 600)
            for each in addresses:
                self.assertTrue(all(0 <= int(octet) <= 255 for octet in each.split(".")), each)
        tables = {topology.table(n) for n in routes}
        self.assertEqual(len(tables), 600)
        self.assertFalse(tables & {253, 254, 255})
        many, few = (topology.script(network.incast([WIFI, MOBILE], n)) for n in (60, 4))
        self.assertIn("neigh/default/gc_thresh3", many)
        self.assertRegex(many, r"\nsleep \d+\n$")
        self.assertNotIn("gc_thresh3", few)
        self.assertNotIn("sleep", few)
        for batch in many.split("-batch - <<END\n")[1:]:
            self.assertLessEqual(len(batch.split("\nEND")[0].splitlines()), topology.BATCH)

    def test_initial_window_of_a_route(self) -> None:
        text = topology.script(network.disjoint([replace(WIFI, initcwnd=2), MOBILE]))
        self.assertIn("route add 10.1.1.1 dev s1 src 10.1.2.2 initcwnd 2\n", text)
        self.assertIn("route add 10.2.1.1 dev s2 src 10.2.2.2\n", text)


if __name__ == "__main__":
    unittest.main()
