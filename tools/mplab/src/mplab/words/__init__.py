# SPDX-License-Identifier: MIT
"""What people write: quantities, things with settings, options, places for results."""
