# SPDX-License-Identifier: MIT
"""A shell, or one command, inside the guest with the network up."""

from __future__ import annotations

import shlex
from pathlib import Path as FilePath

from . import network, timeline, topology
from .guest import MPTCPCTL, Guests, scratch
from .paths import Path

BANNER = """\
You are root in the network namespace "client" of the patched kernel.

{picture}

  ip netns exec server CMD   run CMD on the server (or router1, router2, ...)
  mptcpctl list              schedulers; "mptcpctl set NAME": the default one
  mptcpctl run -- CMD        run any program over MPTCP: iperf3 -c {server}
                             (an iperf3 with MPTCP listens there)
  ss -Mi, ip mptcp, nstat -az 'MPTcpExt*', tcpdump, ethtool, mptcpd: as usual
  Rates are those towards the server; the way back has the delay only.
  Files you write are gone afterwards. Leave with "exit".
"""

RC = "rc"
RCFILE = "PS1='client:\\w# '\nPATH={path}:$PATH\ncd ~ 2>/dev/null || cd /\n"


def _listen() -> str:
    """Start iperf3 on the server. A command may be quicker than a daemon that leaves before it listens."""
    on = f"ip netns exec {topology.SERVER}"
    return f"""{on} {shlex.quote(str(MPTCPCTL))} run -q -- iperf3 -s -D && for n in $(seq 100); do
    [ -z "$({on} ss -Hltn 'sport = :5201')" ] || break
    sleep 0.01
done
"""


def _script(paths: list[Path], buffer: int | None, argv: list[str], directory: FilePath) -> str:
    enter = f"exec ip netns exec {topology.CLIENT}"
    tool = shlex.quote(str(MPTCPCTL.parent))
    net = network.disjoint(paths)
    setup = topology.script(net, buffer) + "set +e\n" + timeline.start(net, directory) + _listen()
    if argv:
        return setup + f"PATH={tool}:$PATH\n{enter} {shlex.join(argv)}\n"
    server = topology.address(topology.SERVER, 1, paths[0].family)
    banner = BANNER.format(picture=topology.picture(net), server=server)
    return (
        setup + f"cat <<'END'\n{banner}\nEND\n{enter} bash --rcfile {shlex.quote(str(directory / RC))} -i\n"
    )


def run(guests: Guests, paths: list[Path], buffer: int | None, options: list[str], argv: list[str]) -> int:
    """options: of what boots the guest."""
    with scratch() as directory:
        (directory / RC).write_text(RCFILE.format(path=shlex.quote(str(MPTCPCTL.parent))))
        script = _script(paths, buffer, argv, directory)
        terminal = [] if argv else ["--tty"]
        return guests.interactive(script, directory, *options, *terminal)
