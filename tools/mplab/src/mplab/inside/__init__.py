# SPDX-License-Identifier: MIT
"""Programs that run inside the guest, alone: the standard library only, and little of it."""
