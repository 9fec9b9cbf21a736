/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: lost subflows */
MPTCP_COUNTER(REJOIN, "Rejoin")	/* Tried again */
