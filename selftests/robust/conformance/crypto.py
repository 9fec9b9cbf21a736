# SPDX-License-Identifier: GPL-2.0
"""What is derived from the keys: sections 3.1, 3.2 and 3.4.1."""

from __future__ import annotations

import hashlib
import hmac


def token_of(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()[:4]


def idsn_of(key: bytes) -> int:
    return int.from_bytes(hashlib.sha256(key).digest()[-8:], "big")


def mac(first: bytes, second: bytes, message: bytes) -> bytes:
    return hmac.new(first + second, message, hashlib.sha256).digest()
