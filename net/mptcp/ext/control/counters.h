/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: control streams */
MPTCP_COUNTER(ControlAgreed, CONTROLAGREED)		/* Connections that have one */
MPTCP_COUNTER(ControlTx, CONTROLTX)			/* TLVs sent, */
MPTCP_COUNTER(ControlAgain, CONTROLAGAIN)		/* times that one was sent again */
MPTCP_COUNTER(ControlRx, CONTROLRX)			/* TLVs received, */
MPTCP_COUNTER(ControlDup, CONTROLDUP)			/* mappings of what had been */
MPTCP_COUNTER(ControlUnknown, CONTROLUNKNOWN)		/* TLVs of unknown type, or wrong */
MPTCP_COUNTER(ControlDrop, CONTROLDROP)			/* TLVs too long, or not read in time */
MPTCP_COUNTER(ControlGivenUp, CONTROLGIVENUP)		/* Streams whose peer did not answer */
