/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: early delivery */
MPTCP_COUNTER(EARLYSEGS, "EarlySegs")		/* Segments delivered before their turn, */
MPTCP_COUNTER(EARLYBYTES, "EarlyBytes")		/* their bytes, */
MPTCP_COUNTER(EARLYDROPBYTES, "EarlyDropBytes")	/* and those whose turn came */
