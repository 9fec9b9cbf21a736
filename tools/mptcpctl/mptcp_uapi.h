/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The MPTCP socket interface, for C libraries whose headers are older than it. */
#ifndef MPTCP_UAPI_H
#define MPTCP_UAPI_H

#include <stdint.h>
#include "mptcp_sched.h"

#ifndef MPTCP_INFO
#define MPTCP_INFO 1
#endif
#ifndef MPTCP_TCPINFO
#define MPTCP_TCPINFO 2
#endif
#ifndef MPTCP_SUBFLOW_ADDRS
#define MPTCP_SUBFLOW_ADDRS 3
#endif
#ifndef MPTCP_FULL_INFO
#define MPTCP_FULL_INFO 4
#endif

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif
#ifndef SOCK_RCVBUF_LOCK
#define SOCK_SNDBUF_LOCK 1
#define SOCK_RCVBUF_LOCK 2
#endif

#define MPTCP_SCHED_NAME_MAX 16		/* with the final NUL */
#define MPTCP_SCHED_FULL_MAX 40		/* and with extensions */
#define CONGESTION_NAME_MAX 16		/* so has this */
#define WEIGHT_MAX 65535
#define MPTCP_FLAG_FALLBACK 1		/* in flags below */

/* The members of struct mptcp_sched_info, all of 64 bits */
enum {
	SCHED_WND_BLOCKED, SCHED_AHEAD_BYTES, SCHED_AGAIN_BYTES, SCHED_COPY_BYTES,
	SCHED_PENALIZED, SCHED_CAPPED_BYTES, SCHED_COUNTERS,
};

#define LIMITS (MPTCP_LIMIT_DARK + 1)	/* of struct mptcp_limits */

#ifndef INET_DIAG_MPTCPCCINFO
#define INET_DIAG_MPTCPCCINFO 10262
#endif

/* struct tcp_mptcpcc_info */
struct mptcpctl_coupling {
	uint32_t subflows;
	int32_t growth;		/* 1000: as Reno */
	uint32_t base_rtt_us;	/* this and the following: wvegas */
	uint32_t queued;	/* 1/1000 segments */
	uint32_t target;
};

/* struct mptcp_info, what show needs of it */
struct mptcpctl_info {
	uint8_t subflows;
	uint8_t announced;
	uint8_t accepted;	/* of the peer's addresses */
	uint8_t subflows_max;	/* beside the first one */
	uint8_t unused[4];
	uint32_t flags;
	uint32_t token;
	uint64_t sequence[3];
	uint8_t locals_used;	/* of our endpoints, for subflows beside the first one */
	uint8_t more[3];
	uint32_t retransmits;
	uint64_t bytes_retrans;
	uint64_t bytes_sent;
	uint64_t bytes_received;
	uint64_t bytes_acked;
	uint8_t rest[16];
};

/* struct mptcp_subflow_addrs */
struct mptcpctl_addrs {
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
};

/* struct mptcp_subflow_info */
struct mptcpctl_subflow {
	uint32_t id;
	struct mptcpctl_addrs addrs;
};

/* struct mptcp_full_info */
struct mptcpctl_full_info {
	uint32_t size_tcpinfo_kernel;
	uint32_t size_tcpinfo_user;
	uint32_t size_sfinfo_kernel;
	uint32_t size_sfinfo_user;
	uint32_t num_subflows;
	uint32_t size_arrays_user;
	uint64_t subflow_info;
	uint64_t tcp_info;
	struct mptcpctl_info info;
};

/* struct mptcp_subflow_data, before the array of MPTCP_TCPINFO and MPTCP_SUBFLOW_ADDRS */
struct mptcpctl_subflow_data {
	uint32_t size_subflow_data;
	uint32_t num_subflows;
	uint32_t size_kernel;
	uint32_t size_user;
};

#endif
