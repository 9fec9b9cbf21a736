/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of the path of a subflow: see sched/model.c */
#ifndef _MPTCP_MODEL_H
#define _MPTCP_MODEL_H

#include <linux/types.h>
#include <linux/win_minmax.h>

struct tcp_sock;

/* Part of each subflow. Written under the subflow's lock, on each ACK; read without. */
struct mptcp_model {
	atomic64_t sample;	/* TCP's last one of the rate: segments << 32 | us */
	struct minmax rate;	/* the highest of late; segments per us in parts of 2^24 */
	struct minmax rtt;	/* the lowest of late, us */
	u32 round_from;		/* tp->delivered when this round trip began */
	u32 round_end;		/* and when it is over */
	u32 round_rtt;		/* the lowest RTT in it so far, us; 0: none */
	bool full;		/* in the one before a queue of ours stood */
	bool app_limited;	/* sample: the application had no more to send */
	bool recovers;		/* what TCP took for lost goes out again */
	bool restarts;		/* TCP may cut its window after a pause */
};

#define MPTCP_MODEL_RATE_SHIFT	24

void mptcp_model_ack(struct mptcp_model *model, const struct tcp_sock *tp, u32 now);

#endif /* _MPTCP_MODEL_H */
