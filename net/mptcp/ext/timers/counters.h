/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: timeouts of subflows */
MPTCP_COUNTER(RtoMinLow, RTOMINLOW)			/* Times that the least one was lowered */
MPTCP_COUNTER(RtoSecond, RTOSECOND)			/* Timeouts with a second segment */
