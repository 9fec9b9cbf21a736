/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: early delivery */
MPTCP_COUNTER(EarlySegs, EARLYSEGS)			/* Segments delivered before their turn, */
MPTCP_COUNTER(EarlyBytes, EARLYBYTES)			/* their bytes, */
MPTCP_COUNTER(EarlyDropBytes, EARLYDROPBYTES)		/* and those whose turn came */
