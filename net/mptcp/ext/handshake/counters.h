/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: connections and joins without keys in clear */
MPTCP_COUNTER(LowOverheadSYNACKRX, LOWOVERHEADSYNACKRX)	/* Connected so */
MPTCP_COUNTER(LowOverheadACKRX, LOWOVERHEADACKRX)	/* Accepted so */
MPTCP_COUNTER(LowOverheadJoinMismatch, LOWOVERHEADJOINMISMATCH) /* Joins of the other kind */
