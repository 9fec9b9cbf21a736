// SPDX-License-Identifier: GPL-2.0
/* The socket options, with the errors that they have. */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#ifndef IP_LOCAL_PORT_RANGE
#define IP_LOCAL_PORT_RANGE 51
#endif

static const int sched_set_errors[] = { EINVAL, ENOENT, EPERM, EFAULT, ENOPROTOOPT, 0 };
static const int cong_set_errors[] = { EINVAL, ENOENT, EPERM, EFAULT, 0 };
static const int answer_errors[] = { EINVAL, EFAULT, EOPNOTSUPP, ENOPROTOOPT, 0 };
static const int weight_set_errors[] = { EINVAL, EFAULT, ENOPROTOOPT, 0 };
static const int enable_set_errors[] = { EINVAL, EISCONN, EFAULT, ENOPROTOOPT, 0 };
static const int key_set_errors[] = { EINVAL, ENOTCONN, EOPNOTSUPP, EALREADY, EFAULT, ENOPROTOOPT,
				      0 };
static const int low_set_errors[] = { EINVAL, EFAULT, EBUSY, ENOPROTOOPT, 0 };
static const int first_set_errors[] = { EINVAL, EFAULT, EISCONN, ENOPROTOOPT, 0 };
static const int option_errors[] = { EINVAL, EFAULT, EOPNOTSUPP, ENOPROTOOPT, EPERM, EBUSY, ENOENT,
				     ENODEV, EDOM, EISCONN, ENOTCONN, EADDRINUSE, ENOBUFS, ERANGE,
				     EACCES, EIO, 0 };

static const int control_errors[] = { EINVAL, EFAULT, EOPNOTSUPP, ENOPROTOOPT, EISCONN, ENOTCONN,
				      EAGAIN, EMSGSIZE, 0 };

#define MPTCP_(n, size, set_errors) \
	{ #n, SOL_MPTCP, n, size, true, set_errors, answer_errors }
#define TCP_(n, size, safe) { #n, IPPROTO_TCP, n, size, safe, option_errors, option_errors }
#define SO_(n, size, safe) { #n, SOL_SOCKET, n, size, safe, option_errors, option_errors }
#define IP_(n, size, safe) { #n, IPPROTO_IP, n, size, safe, option_errors, option_errors }

const struct option options[] = {
	MPTCP_(MPTCP_SCHEDULER, FULL_MAX, sched_set_errors),
	MPTCP_(MPTCP_CONG_WEIGHT, 4, weight_set_errors),
	{ "TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, 16, true, cong_set_errors, answer_errors },
	MPTCP_(MPTCP_SCHED_INFO, 48, answer_errors),
	MPTCP_(MPTCP_ENABLE_APP_KEY, 4, enable_set_errors),
	MPTCP_(MPTCP_KEY, 32, key_set_errors),
	MPTCP_(MPTCP_LOW_OVERHEAD, 4, low_set_errors),
	MPTCP_(MPTCP_FIRST_PATH, 4, first_set_errors),
	MPTCP_(MPTCP_LIMITS, 64, answer_errors),
	MPTCP_(MPTCP_INFO, 96, answer_errors),
	MPTCP_(MPTCP_TCPINFO, 1000, answer_errors),
	MPTCP_(MPTCP_SUBFLOW_ADDRS, 1200, answer_errors),
	MPTCP_(MPTCP_FULL_INFO, 136, answer_errors),
	{ "MPTCP_CONTROL", SOL_MPTCP, MPTCP_CONTROL, 4, true, control_errors, control_errors },
	{ "MPTCP_CONTROL_SEND", SOL_MPTCP, MPTCP_CONTROL_SEND, 8, true, control_errors,
	  control_errors },
	{ "MPTCP_CONTROL_RECV", SOL_MPTCP, MPTCP_CONTROL_RECV, 1028, true, control_errors,
	  control_errors },
	TCP_(TCP_INFO, 250, true),
	TCP_(TCP_CC_INFO, 20, true),
	TCP_(TCP_ULP, 16, true),
	TCP_(TCP_NODELAY, 4, true),
	TCP_(TCP_CORK, 4, true),
	TCP_(TCP_FASTOPEN, 4, true),
	TCP_(TCP_FASTOPEN_CONNECT, 4, false),
	TCP_(TCP_FASTOPEN_KEY, 32, true),
	TCP_(TCP_KEEPIDLE, 4, false),
	TCP_(TCP_KEEPINTVL, 4, false),
	TCP_(TCP_KEEPCNT, 4, false),
	TCP_(TCP_NOTSENT_LOWAT, 4, true),
	TCP_(TCP_INQ, 4, true),
	TCP_(TCP_DEFER_ACCEPT, 4, true),
	TCP_(TCP_MAXSEG, 4, false),
	TCP_(TCP_USER_TIMEOUT, 4, false),
	TCP_(TCP_LINGER2, 4, false),
	TCP_(TCP_WINDOW_CLAMP, 4, false),
	TCP_(TCP_QUICKACK, 4, true),
	TCP_(TCP_SAVE_SYN, 4, true),
	TCP_(TCP_SAVED_SYN, 100, true),
	TCP_(TCP_ZEROCOPY_RECEIVE, 64, false),
	TCP_(TCP_REPAIR, 4, false),
	TCP_(TCP_TIMESTAMP, 4, true),
	TCP_(TCP_MD5SIG, 216, false),
	TCP_(TCP_SYNCNT, 4, true),
	TCP_(TCP_RTO_MIN_US, 4, false),
	TCP_(TCP_DELACK_MAX_US, 4, false),
	SO_(SO_SNDBUF, 4, true),
	SO_(SO_RCVBUF, 4, true),
	SO_(SO_LINGER, 8, false),
	SO_(SO_KEEPALIVE, 4, false),
	SO_(SO_PRIORITY, 4, true),
	SO_(SO_MARK, 4, true),
	SO_(SO_REUSEADDR, 4, true),
	SO_(SO_REUSEPORT, 4, true),
	SO_(SO_BINDTODEVICE, 16, false),
	SO_(SO_RCVLOWAT, 4, true),
	SO_(SO_RCVTIMEO, 16, true),
	SO_(SO_SNDTIMEO, 16, true),
	SO_(SO_TIMESTAMP, 4, true),
	SO_(SO_TIMESTAMPNS, 4, true),
	SO_(SO_TIMESTAMPING, 4, true),
	SO_(SO_INCOMING_CPU, 4, true),
	SO_(SO_ERROR, 4, false),
	SO_(SO_TYPE, 4, true),
	SO_(SO_ACCEPTCONN, 4, true),
	SO_(SO_PEERNAME, 16, true),
	SO_(SO_MEMINFO, 36, true),
	SO_(SO_COOKIE, 8, true),
	SO_(SO_BROADCAST, 4, true),
	SO_(SO_DEBUG, 4, true),
	SO_(SO_OOBINLINE, 4, true),
	SO_(SO_ZEROCOPY, 4, true),
	SO_(SO_ATTACH_FILTER, 16, false),
	SO_(SO_BUSY_POLL, 4, true),
	SO_(SO_MAX_PACING_RATE, 8, false),
	SO_(SO_PEEK_OFF, 4, false),
	IP_(IP_TOS, 4, true),
	IP_(IP_TTL, 4, true),
	IP_(IP_MTU_DISCOVER, 4, true),
	IP_(IP_FREEBIND, 4, true),
	IP_(IP_TRANSPARENT, 4, true),
	IP_(IP_RECVERR, 4, true),
	IP_(IP_OPTIONS, 40, false),
	IP_(IP_LOCAL_PORT_RANGE, 4, true),
	IP_(IP_MINTTL, 4, false),
};

static_assert(ARRAY_SIZE(options) == OPTIONS, "OPTIONS");
