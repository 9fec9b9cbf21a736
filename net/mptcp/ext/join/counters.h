/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: joins without state, and with keys from the application */
MPTCP_COUNTER(MPJoinStatelessSynRx, JOINSTATELESSSYN)	/* SYN + MP_JOIN answered so */
MPTCP_COUNTER(MPJoinStatelessAckRx, JOINSTATELESSACK)	/* Its third ACK came and was right */
MPTCP_COUNTER(MPJoinStatelessCookie, JOINSTATELESSCOOKIE) /* A wrong or old cookie came */
MPTCP_COUNTER(MPJoinStatelessReplay, JOINSTATELESSREPLAY) /* An ACK that had joined before */
MPTCP_COUNTER(MPJoinStatelessBusy, JOINSTATELESSBUSY)	/* Too many such joins in two minutes */
MPTCP_COUNTER(MPJoinSynQueue, JOINSYNQUEUE)		/* SYN + MP_JOIN dropped: queue */
MPTCP_COUNTER(MPJoinSynNoKey, JOINSYNNOKEY)		/* SYN + MP_JOIN dropped: no key */
MPTCP_COUNTER(MPCapableAppKey, APPKEY)			/* Connections that agreed on such keys */
