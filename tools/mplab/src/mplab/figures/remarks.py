# SPDX-License-Identifier: MIT
"""Why a figure is not what the thesis has, as far as it is known."""

REMARKS = {
    "fig3.8": "Both ran the lowest-RTT scheduler. With `default` the increase is several times as large: it"
    " uses all paths at any rate, so that delays differ as the paths do. What remains with `minrtt` was not"
    " looked into.",
    "fig4.13": "Of six high-BDP points that were looked into, two come up with `--buffer 32m` (0.22 to"
    " 0.94, 0.71 to 0.90): 6 MB of receive buffer, Linux' default limit, do not hold what both paths carry."
    " In the others one path adds little, or its queue is of a few ms and TCP itself does not fill it. 25 s"
    " instead of 10 s change little; the table in Documentation/schedulers.md has other points, and more of"
    " them.",
}
