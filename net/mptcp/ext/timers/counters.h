/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: timeouts of subflows */
MPTCP_COUNTER(RTOMINLOW, "RtoMinLow")	/* Times that the least one was lowered */
MPTCP_COUNTER(RTOSECOND, "RtoSecond")	/* Timeouts with a second segment */
