# SPDX-License-Identifier: MIT
"""Published numbers: each stands once, in a file with its command and kernel; texts take it from there.

Documentation/evidence/plan.toml names the measurements and the tables made of them, NAME.json
beside it holds what a measurement found. Between <!-- evidence: TABLE --> and <!-- /evidence --> a
document has the table, <!-- evidence: NAME --> and the same are all that NAME.json has, and
<!-- evidence: NAME SUBJECT FIGURE -->0.88<!-- /evidence --> is one number.
"""
