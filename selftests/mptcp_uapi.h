/* SPDX-License-Identifier: GPL-2.0 */
/* The MPTCP socket interface, for C libraries whose headers are older than it. */
#ifndef SELFTESTS_MPTCP_UAPI_H
#define SELFTESTS_MPTCP_UAPI_H

#include <netinet/in.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif

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
#ifndef MPTCP_SCHEDULER
#define MPTCP_SCHEDULER 43
#endif
#ifndef MPTCP_SCHED_INFO
#define MPTCP_SCHED_INFO 44
#endif
#ifndef MPTCP_CONG_WEIGHT
#define MPTCP_CONG_WEIGHT 45
#endif
#ifndef MPTCP_PATH_PRICE
#define MPTCP_PATH_PRICE 46
#define MPTCP_PATH_WEIGHT 47
#endif
#ifndef MPTCP_ENABLE_APP_KEY
#define MPTCP_ENABLE_APP_KEY 49
#define MPTCP_KEY 50
#endif
#ifndef MPTCP_LOW_OVERHEAD
#define MPTCP_LOW_OVERHEAD 48
#endif
#ifndef MPTCP_CONTROL
#define MPTCP_CONTROL 51
#define MPTCP_CONTROL_SEND 52
#define MPTCP_CONTROL_RECV 53
#endif
#ifndef MPTCP_FIRST_PATH
#define MPTCP_FIRST_PATH 54
#endif
#ifndef MPTCP_LIMITS
#define MPTCP_LIMITS 55
#endif

/* netinet/tcp.h may not have them; of TCP sockets, Linux 6.15 and later */
#define TCP_RTO_MIN_US 45
#define TCP_DELACK_MAX_US 46

#endif
