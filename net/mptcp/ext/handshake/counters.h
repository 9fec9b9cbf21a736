/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: connections and joins without keys in clear */
MPTCP_COUNTER(LOWOVERHEADSYNACKRX, "LowOverheadSYNACKRX")		/* Connected so */
MPTCP_COUNTER(LOWOVERHEADACKRX, "LowOverheadACKRX")			/* Accepted so */
MPTCP_COUNTER(LOWOVERHEADJOINMISMATCH, "LowOverheadJoinMismatch")	/* Wrong kind of join */
