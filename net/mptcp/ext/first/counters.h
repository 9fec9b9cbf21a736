/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: the path over which a connection begins */
MPTCP_COUNTER(FIRSTPATHMOVE, "FirstPathMove")	/* First subflows moved */
