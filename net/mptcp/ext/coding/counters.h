/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: coding */
MPTCP_COUNTER(CodingAgreed, CODINGAGREED)		/* Connections with it */
MPTCP_COUNTER(CodedTx, CODEDTX)				/* Redundant symbols sent, */
MPTCP_COUNTER(CodedRx, CODEDRX)				/* received while they were of use, */
MPTCP_COUNTER(CodedLate, CODEDLATE)			/* when their data was there, or again, */
MPTCP_COUNTER(CodedDrop, CODEDDROP)			/* or wrong, or without room for them */
MPTCP_COUNTER(CodedRepair, CODEDREPAIR)			/* Symbols of data that were computed */
