/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: coding */
MPTCP_COUNTER(CODINGAGREED, "CodingAgreed")	/* Connections with it */
MPTCP_COUNTER(CODEDTX, "CodedTx")		/* Redundant symbols sent, */
MPTCP_COUNTER(CODEDRX, "CodedRx")		/* received while they were of use, */
MPTCP_COUNTER(CODEDLATE, "CodedLate")		/* when their data was there, or again, */
MPTCP_COUNTER(CODEDDROP, "CodedDrop")		/* or wrong, or without room for them */
MPTCP_COUNTER(CODEDREPAIR, "CodedRepair")	/* Symbols of data that were computed */
