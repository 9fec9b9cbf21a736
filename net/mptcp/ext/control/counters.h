/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: control streams */
MPTCP_COUNTER(CONTROLAGREED, "ControlAgreed")	/* Connections that have one */
MPTCP_COUNTER(CONTROLTX, "ControlTx")		/* TLVs sent, */
MPTCP_COUNTER(CONTROLAGAIN, "ControlAgain")	/* times that one was sent again */
MPTCP_COUNTER(CONTROLRX, "ControlRx")		/* TLVs received, */
MPTCP_COUNTER(CONTROLDUP, "ControlDup")		/* mappings of what had been */
MPTCP_COUNTER(CONTROLUNKNOWN, "ControlUnknown")	/* TLVs of unknown type, or wrong */
MPTCP_COUNTER(CONTROLDROP, "ControlDrop")	/* TLVs too long, or not read in time */
MPTCP_COUNTER(CONTROLGIVENUP, "ControlGivenUp")	/* Streams whose peer did not answer */
