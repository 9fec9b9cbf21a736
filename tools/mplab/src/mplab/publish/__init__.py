# SPDX-License-Identifier: MIT
"""Results as drawings and pages, the figures of the theses among them."""
