/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: joins without state, and with keys from the application */
MPTCP_COUNTER(JOINSTATELESSSYN, "MPJoinStatelessSynRx")		/* SYN + MP_JOIN answered so */
MPTCP_COUNTER(JOINSTATELESSACK, "MPJoinStatelessAckRx")		/* Its third ACK was right */
MPTCP_COUNTER(JOINSTATELESSCOOKIE, "MPJoinStatelessCookie")	/* A wrong or old cookie came */
MPTCP_COUNTER(JOINSTATELESSREPLAY, "MPJoinStatelessReplay")	/* An ACK that had joined before */
MPTCP_COUNTER(JOINSTATELESSBUSY, "MPJoinStatelessBusy")		/* Too many such joins */
MPTCP_COUNTER(JOINSYNQUEUE, "MPJoinSynQueue")			/* SYN + MP_JOIN dropped: queue */
MPTCP_COUNTER(JOINSYNNOKEY, "MPJoinSynNoKey")			/* SYN + MP_JOIN dropped: no key */
MPTCP_COUNTER(APPKEY, "MPCapableAppKey")			/* Agreed on such keys */
