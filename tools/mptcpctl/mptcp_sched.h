/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Packet schedulers of Multipath TCP, for programs in C (from C99) and C++ (from C++11).
 * Self-contained: nothing is to be linked, and the system's headers may be older than the kernel.
 *
 *	int fd = mptcp_socket(AF_INET, "inorder");
 *
 * Documentation/interfaces.md has all of it, with units and errors.
 */
#ifndef MPTCP_SCHED_H
#define MPTCP_SCHED_H

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* It may have some of what is below, and comes first then. Where the kernel's headers are not
 * installed, nothing of it is needed.
 */
#ifdef __has_include
#if __has_include("linux/mptcp.h")
#include <linux/mptcp.h>
#endif
#endif

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif

/* Options of level SOL_MPTCP. They fail with ENOPROTOOPT or EOPNOTSUPP on an unpatched kernel and
 * on a socket of plain TCP.
 *
 * MPTCP_SCHEDULER, set and get: the scheduler's name, at most 15 characters, and its extensions:
 * "inorder", "minrtt+rp". 40 bytes hold every value. Before connect() or listen() it is for the
 * connections to come, later for the next bytes. ENOENT: there is none of this name. EPERM: it is
 * not in net.mptcp.allowed_schedulers, and the caller has no CAP_NET_ADMIN, or its module is not
 * loaded and not the caller's to load. EINVAL: no name, a longer one, or an unknown or repeated
 * extension. The socket keeps what it has.
 */
#ifndef MPTCP_SCHEDULER
#define MPTCP_SCHEDULER 43
#endif

/* MPTCP_SCHED_INFO, get only: what the scheduler did on this connection, as far as the buffer
 * takes it. Later kernels may have more members behind these.
 */
#ifndef MPTCP_SCHED_INFO
#define MPTCP_SCHED_INFO 44
struct mptcp_sched_info {
	uint64_t wnd_blocked;	/* times that data waited for the peer's window */
	uint64_t ahead_bytes;	/* sent ahead of their turn */
	uint64_t again_bytes;	/* sent again on another subflow, what the peer waited for */
	uint64_t copy_bytes;	/* sent once more on another subflow, in any case */
	uint64_t penalized;	/* times that a subflow was penalized */
	uint64_t capped_bytes;	/* congestion window left unused, once per round trip */
};
#endif

/* MPTCP_LIMITS, get only: for how long the connection waited for what while it did not send, as far
 * as the buffer takes it. Later kernels may have more members behind these.
 */
#ifndef MPTCP_LIMITS
#define MPTCP_LIMITS 55

/* state of struct mptcp_limits, and which of us */
#define MPTCP_LIMIT_IDLE 0	/* the application: all is sent */
#define MPTCP_LIMIT_SNDBUF 1	/* room in the send buffer */
#define MPTCP_LIMIT_RWND 2	/* the peer's window */
#define MPTCP_LIMIT_SCHED 3	/* the scheduler: a subflow has room */
#define MPTCP_LIMIT_CWND 4	/* congestion windows */
#define MPTCP_LIMIT_LOSS 5	/* the same, of subflows that recover */
#define MPTCP_LIMIT_DARK 6	/* a usable subflow */

struct mptcp_limits {
	uint64_t us[7];		/* microseconds in each state */
	uint32_t state;		/* now */
	uint32_t reserved;
};
#endif

/* MPTCP_CONG_WEIGHT, set and get, an int: with congestion control "ewlia", grow as one of so many
 * senders, 1 to 65535; 0: as net.mptcp.ewlia_weight says.
 */
#ifndef MPTCP_CONG_WEIGHT
#define MPTCP_CONG_WEIGHT 45
#endif

/* MPTCP_PATH_PRICE and MPTCP_PATH_WEIGHT, set and get: for this connection, what network
 * interfaces cost, 0 to 255, for schedulers with the extension "+price", and what part of the
 * data they shall carry, 1 to 255, for the scheduler "weighted": "lte0=10 sat0=50", at most 511
 * characters; or what peers do: "192.0.2.0/24=10". What is not named: as net.mptcp.path_price
 * and path_weight say. EINVAL: no such list. The socket keeps what it has.
 */
#ifndef MPTCP_PATH_PRICE
#define MPTCP_PATH_PRICE 46
#define MPTCP_PATH_WEIGHT 47
#endif

/* MPTCP_FIRST_PATH, set before connect(), and get, an int: over which path the connection begins.
 * What net.mptcp.first_path says; the route's; the next one if a SYN is not answered in time; or
 * one after the other, connection by connection.
 */
#ifndef MPTCP_FIRST_PATH
#define MPTCP_FIRST_PATH 54
#define MPTCP_FIRST_DEFAULT 0
#define MPTCP_FIRST_ROUTE 1
#define MPTCP_FIRST_FAILOVER 2
#define MPTCP_FIRST_TURNS 3
#endif

/* Joins with a key from the application instead of those that went over the first subflow in
 * clear. MPTCP_ENABLE_APP_KEY, set and get, an int, before connect() or listen(): 1: if the
 * peer does so, too; 2: and if it does not, there is one subflow and no more; 0: no.
 * MPTCP_KEY, set once when both ends have a secret in common, 16 to 64 bytes; get, an int: 0: the
 * peer did not agree, 1: the key is waited for, 2: it is set. tools/tls-key shows it with TLS.
 */
#ifndef MPTCP_ENABLE_APP_KEY
#define MPTCP_ENABLE_APP_KEY 49
#define MPTCP_KEY 50
#endif

/* MPTCP_LOW_OVERHEAD, set and get, an int, before connect() and listen(): 1 offers and accepts the
 * handshake without keys, which nothing protects against attackers; 0 does not. Get of a
 * connection: whether it was established so. EBUSY: it is too late.
 */
#ifndef MPTCP_LOW_OVERHEAD
#define MPTCP_LOW_OVERHEAD 48
#endif

/* The control stream, messages beside the data. MPTCP_CONTROL, set: int, 0 or 1, whether to ask
 * for it and grant it, before connect() or listen(); get: struct mptcp_control_info, as far as the
 * buffer takes it. MPTCP_CONTROL_SEND, set, and MPTCP_CONTROL_RECV, get: struct mptcp_control_tlv
 * with up to 1024 bytes behind it, of type MPTCP_CONTROL_TYPE_KEY or 0x8000 to 0xffff; EAGAIN: the
 * last one has not arrived, or there is none (poll() tells by POLLPRI); EOPNOTSUPP: no stream.
 */
#ifndef MPTCP_CONTROL
#define MPTCP_CONTROL 51
#define MPTCP_CONTROL_SEND 52
#define MPTCP_CONTROL_RECV 53

/* state of struct mptcp_control_info */
#define MPTCP_CONTROL_OFF 0		/* not asked for, or TCP */
#define MPTCP_CONTROL_ASKED 1
#define MPTCP_CONTROL_REFUSED 2
#define MPTCP_CONTROL_AGREED 3		/* negotiated, and not used yet */
#define MPTCP_CONTROL_OPEN 4
#define MPTCP_CONTROL_GIVEN_UP 5	/* the peer did not answer */

struct mptcp_control_info {
	uint8_t state;
	uint8_t wanted;		/* by the socket option or the sysctl */
	uint8_t waits;		/* 1: MPTCP_CONTROL_SEND has to wait */
	uint8_t unread;		/* TLVs for MPTCP_CONTROL_RECV */
	uint32_t reserved;
	uint64_t sent;		/* TLVs, without those sent again */
	uint64_t again;		/* times that one was sent again */
	uint64_t acked;		/* TLVs that the peer has */
	uint64_t received;
	uint64_t dropped;	/* too long, or not read in time */
	uint64_t unknown;	/* of unknown type, or wrong */
};

#define MPTCP_CONTROL_TYPE_KEY 4

struct mptcp_control_tlv {
	uint16_t type;
	uint16_t length;	/* of the value */
	uint8_t value[];
};
#endif

/* A stream socket of MPTCP; of plain TCP where the kernel has no MPTCP. Its scheduler is
 * @scheduler, or the default if that is NULL or refused: setsockopt() says why. -1: errno says why
 * there is no socket.
 */
static inline int mptcp_socket(int domain, const char *scheduler)
{
	int fd = socket(domain, SOCK_STREAM, IPPROTO_MPTCP);

	if (fd < 0)
		return socket(domain, SOCK_STREAM, IPPROTO_TCP);
	if (scheduler)
		(void)!setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, scheduler,
				  (socklen_t)strlen(scheduler));
	return fd;
}

#endif
