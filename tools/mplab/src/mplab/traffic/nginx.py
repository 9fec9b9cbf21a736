# SPDX-License-Identifier: MIT
"""A real web server, which serves zeros."""

from __future__ import annotations

from ..lab.topology import SERVER
from .base import Ends

CONFIGURATION = """\
user root; worker_processes 1; daemon off; pid {dir}/nginx.pid; error_log {dir}/nginx.log;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; keepalive_requests 100000;
  client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/fcgi;
  uwsgi_temp_path {dir}/uwsgi; scgi_temp_path {dir}/scgi;
  server {{ listen {listen}; root {dir}; {more}}} }}
"""
# Ed25519: all signatures are equally long, so that handshakes are
CERTIFICATE = """\
openssl req -x509 -newkey ed25519 -nodes -days 3650 -set_serial 1 -subj /CN=server \
-keyout {dir}/key -out {dir}/certificate 2>/dev/null
"""


def nginx(ends: Ends, size: int, tls: bool = False) -> str:
    """Shell commands: a server for a file of so many bytes."""
    where, port, more, before = ends.directory, "80", "", ""
    if tls:
        port, before = "443 ssl", CERTIFICATE.format(dir=where)
        more = (
            f"ssl_protocols TLSv1.3; ssl_certificate {where}/certificate; ssl_certificate_key {where}/key; "
        )
    listen = f"[::]:{port} ipv6only=off" if ends.family == 6 else port
    configuration = CONFIGURATION.format(dir=where, listen=listen, more=more)
    command = ends.over("nginx", "-p", str(where), "-e", f"{where}/nginx.log", "-c", f"{where}/nginx.conf")
    return (
        f"cat >{where}/nginx.conf <<'END'\n{configuration}END\n{before}truncate -s {size} {where}/file\n"
        + ends.background(command, SERVER, server=True)
    )
