// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the MPTCP packet schedulers' logic, without a network. */

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/prandom.h>
#include "path/path.h"

static void room_counts_segments(struct kunit *test)
{
	const u32 no_cap = MPTCP_SCHED_UNCAPPED;

	/* nothing out: the window, and what may queue beyond it */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(10, no_cap, 0, 0, 1400, 1),
			10 + MPTCP_SCHED_QUEUED_SEGS);
	/* a byte in the queue takes a segment */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(10, no_cap, 10, 1, 1400, 1),
			MPTCP_SCHED_QUEUED_SEGS - 1);
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(10, no_cap, 4, 2800, 1400, 1),
			4 + MPTCP_SCHED_QUEUED_SEGS);
	/* full, and more than full after a loss shrank the window */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(10, no_cap, 10, 2800, 1400, 1), 0U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(2, no_cap, 50, 0, 1400, 1), 0U);
	/* an extension lets a part of the window be used, and nothing queue */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(10, 6, 4, 0, 1400, 1), 2U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(10, 6, 4, 4000, 1400, 1), 0U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(10, 40, 4, 0, 1400, 1),
			6 + MPTCP_SCHED_QUEUED_SEGS);
	/* a run or nothing, and it may queue beyond the window */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(40, no_cap, 40, 0, 1400, 4), 4U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(40, no_cap, 41, 0, 1400, 4), 0U);
	/* which is no longer than a quarter of the window */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(8, no_cap, 8, 0, 1400, 44), 2U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(8, no_cap, 9, 0, 1400, 44), 0U);
	/* a limit is used to the last segment */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(40, 30, 29, 0, 1400, 44), 1U);
	/* extremes do not wrap */
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(1, no_cap, U32_MAX, U32_MAX, 1, 1), 0U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_free_segs(U32_MAX - 2, no_cap, 0, 0, 1, 1), U32_MAX);
}

static void ring_order(struct kunit *test)
{
	/* 1, 2, 3 after 1 had its turn: 2, 3, 1 */
	KUNIT_EXPECT_TRUE(test, mptcp_sched_ring_before(1, 2, 3));
	KUNIT_EXPECT_TRUE(test, mptcp_sched_ring_before(1, 3, 1));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_ring_before(1, 1, 2));
	/* at the start, and after one that is gone */
	KUNIT_EXPECT_TRUE(test, mptcp_sched_ring_before(0, 1, 2));
	KUNIT_EXPECT_TRUE(test, mptcp_sched_ring_before(5, 7, 2));
	/* ids wrap */
	KUNIT_EXPECT_TRUE(test, mptcp_sched_ring_before(U32_MAX, 1, U32_MAX));
	KUNIT_EXPECT_TRUE(test, mptcp_sched_ring_before(U32_MAX - 1, U32_MAX, 1));
}

static void list_words(struct kunit *test)
{
	static const char list[] = "default minrtt rr";

	KUNIT_EXPECT_TRUE(test, mptcp_sched_list_has(list, "default"));
	KUNIT_EXPECT_TRUE(test, mptcp_sched_list_has(list, "minrtt"));
	KUNIT_EXPECT_TRUE(test, mptcp_sched_list_has(list, "rr"));
	/* parts of words are no words */
	KUNIT_EXPECT_FALSE(test, mptcp_sched_list_has(list, "r"));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_list_has(list, "min"));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_list_has(list, "rtt"));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_list_has(list, "rrr"));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_list_has(list, ""));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_list_has("", "rr"));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_list_has("", ""));
}

static void budget_ends_inside_fragment(struct kunit *test)
{
	struct mptcp_subflow_context *subflow;
	struct mptcp_data_frag dfrag = { .data_len = 5000, .already_sent = 1000 };
	struct mptcp_sock *msk;

	subflow = kunit_kzalloc(test, sizeof(*subflow), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, subflow);
	msk = kunit_kzalloc(test, sizeof(*msk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, msk);

	subflow->sched_budget = 1428;
	KUNIT_EXPECT_EQ(test, mptcp_sched_limit(msk, subflow, &dfrag), 2428);
	mptcp_sched_spend(subflow, 1000, 1428);
	KUNIT_EXPECT_EQ(test, subflow->sched_budget, 428U);
	KUNIT_EXPECT_EQ(test, subflow->sched_mss, 1428U);
	mptcp_sched_spend(subflow, 1000, 1428);
	KUNIT_EXPECT_EQ(test, subflow->sched_budget, 0U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_limit(msk, subflow, &dfrag), 1000);

	/* a budget that is larger than the fragment, and one without an end */
	subflow->sched_budget = 100000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_limit(msk, subflow, &dfrag), 5000);
	subflow->sched_budget = MPTCP_SCHED_UNLIMITED;
	KUNIT_EXPECT_EQ(test, mptcp_sched_limit(msk, subflow, &dfrag), 5000);
	mptcp_sched_spend(subflow, 5000, 1428);
	KUNIT_EXPECT_EQ(test, subflow->sched_budget, MPTCP_SCHED_UNLIMITED);
}

/* A connection with subflows that exist only as far as decisions look. */
struct fake_conn {
	struct mptcp_sock *msk;
	struct mptcp_subflow_context *subflow[3];
	struct tcp_sock *tp[3];
};

static struct tcp_congestion_ops fake_control;

static void fake_subflow(struct kunit *test, struct fake_conn *conn, int i)
{
	struct mptcp_subflow_context *subflow;
	struct tcp_sock *tp;

	subflow = kunit_kzalloc(test, sizeof(*subflow), GFP_KERNEL);
	tp = kunit_kzalloc(test, sizeof(*tp), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, subflow);
	KUNIT_ASSERT_NOT_NULL(test, tp);

	((struct sock *)tp)->sk_state = TCP_ESTABLISHED;
	((struct sock *)tp)->sk_sndbuf = 100000;
	((struct sock *)tp)->sk_protocol = IPPROTO_TCP;
	((struct sock *)tp)->sk_prot = &tcp_prot;
	tp->inet_conn.icsk_ca_ops = &fake_control;
	tp->snd_cwnd = 10;
	tp->mss_cache = 1448;
	tp->notsent_lowat = UINT_MAX;
	tp->srtt_us = 1000 * (i + 1);
	tp->snd_wnd = 65535;
	subflow->tcp_sock = (struct sock *)tp;
	subflow->subflow_id = i + 1;
	subflow->conn = (struct sock *)conn->msk;
	rcu_assign_pointer(tp->inet_conn.icsk_ulp_data, subflow);
	list_add_tail(&subflow->node, &conn->msk->conn_list);
	conn->subflow[i] = subflow;
	conn->tp[i] = tp;
}

static void fake_write_space(struct sock *sk)
{
}

static struct fake_conn *fake_conn(struct kunit *test)
{
	struct fake_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, conn);
	conn->msk = kunit_kzalloc(test, sizeof(*conn->msk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, conn->msk);
	INIT_LIST_HEAD(&conn->msk->conn_list);
	INIT_LIST_HEAD(&conn->msk->rtx_queue);
	((struct sock *)conn->msk)->sk_protocol = IPPROTO_MPTCP;
	((struct sock *)conn->msk)->sk_prot = &tcp_prot;
	((struct sock *)conn->msk)->sk_write_space = fake_write_space;
	sock_net_set((struct sock *)conn->msk, &init_net);
	for (i = 0; i < ARRAY_SIZE(conn->subflow); i++)
		fake_subflow(test, conn, i);
	return conn;
}

/* What TCP would send at once after a pause is what there is room for. */
static void window_after_a_pause(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *subflow = conn->subflow[0];
	struct tcp_sock *tp = conn->tp[0];
	const u32 now = tcp_jiffies32;

	sock_net_set((struct sock *)tp, &init_net);
	tp->inet_conn.icsk_rto = HZ;
	tp->snd_cwnd = 100;
	tp->lsndtime = now - 5 * HZ / 2;
	KUNIT_EXPECT_EQ(test, mptcp_sched_cwnd(subflow), 100U);

	/* halved for each timeout that passed, to the window of a beginning */
	subflow->model.restarts = true;
	KUNIT_EXPECT_EQ(test, mptcp_sched_cwnd(subflow), 25U);
	tp->lsndtime = now - 100 * HZ;
	KUNIT_EXPECT_EQ(test, mptcp_sched_cwnd(subflow), (u32)TCP_INIT_CWND);
	tp->snd_cwnd = 4;
	KUNIT_EXPECT_EQ(test, mptcp_sched_cwnd(subflow), 4U);

	/* not after less, nor while something is in flight */
	tp->snd_cwnd = 100;
	tp->lsndtime = now - HZ / 2;
	KUNIT_EXPECT_EQ(test, mptcp_sched_cwnd(subflow), 100U);
	tp->lsndtime = now - 100 * HZ;
	tp->packets_out = 1;
	KUNIT_EXPECT_EQ(test, mptcp_sched_cwnd(subflow), 100U);
}

/* A subflow that is short of memory asks for more, unless its window is the limit. */
static void memory_is_asked_for(struct kunit *test)
{
	struct socket *sock = kunit_kzalloc(test, sizeof(*sock), GFP_KERNEL);
	struct fake_conn *conn = fake_conn(test);
	struct sock *ssk = (struct sock *)conn->tp[0];

	KUNIT_ASSERT_NOT_NULL(test, sock);
	ssk->sk_wmem_queued = ssk->sk_sndbuf + 1;
	/* nobody writes to a connection that was closed */
	mptcp_sched_want_memory(conn->subflow[0]);

	((struct sock *)conn->msk)->sk_socket = sock;
	conn->tp[0]->packets_out = conn->tp[0]->snd_cwnd + 100;
	mptcp_sched_want_memory(conn->subflow[0]);
	KUNIT_EXPECT_FALSE(test, test_bit(SOCK_NOSPACE, &sock->flags));
	conn->tp[0]->packets_out = 0;
	mptcp_sched_want_memory(conn->subflow[0]);
	KUNIT_EXPECT_TRUE(test, test_bit(SOCK_NOSPACE, &sock->flags));
}

static void lowest_key_with_room(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sched_choice best = mptcp_sched_lowest_rtt(conn->msk);

	KUNIT_EXPECT_PTR_EQ(test, best.subflow, conn->subflow[0]);
	KUNIT_EXPECT_EQ(test, best.room, (10 + MPTCP_SCHED_QUEUED_SEGS) * (1448 - 28));

	/* the segment size that was seen counts, once there is one */
	conn->subflow[0]->sched_mss = 1000;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_EQ(test, best.room, (10 + MPTCP_SCHED_QUEUED_SEGS) * 1000);

	/* window full: the next one */
	conn->tp[0]->packets_out = 12;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_PTR_EQ(test, best.subflow, conn->subflow[1]);

	/* send buffer full */
	((struct sock *)conn->tp[1])->sk_wmem_queued = 100000;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_PTR_EQ(test, best.subflow, conn->subflow[2]);

	/* nobody is left */
	((struct sock *)conn->tp[2])->sk_state = TCP_CLOSE;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_NULL(test, best.subflow);
}

static void backups_stand_in_for_failures(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sched_choice best;

	/* by MP_PRIO of the peer, by our own request: both count */
	conn->subflow[0]->backup = 1;
	conn->subflow[1]->request_bkup = 1;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_PTR_EQ(test, best.subflow, conn->subflow[2]);

	/* the regular one is busy: wait for it */
	conn->tp[2]->packets_out = 12;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_NULL(test, best.subflow);

	/* it is stale: the backups take over */
	conn->subflow[2]->stale = 1;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_PTR_EQ(test, best.subflow, conn->subflow[0]);

	/* a joined subflow counts after the fourth ACK */
	conn->subflow[0]->request_join = 1;
	best = mptcp_sched_lowest_rtt(conn->msk);
	KUNIT_EXPECT_PTR_EQ(test, best.subflow, conn->subflow[1]);
}

static int asked, told;

static int counting_get_send(struct mptcp_sock *msk)
{
	asked++;
	if (!msk->snd_una)
		return -EAGAIN;
	mptcp_sched_commit(msk, mptcp_sched_lowest_rtt(msk).subflow, 1,
			   MPTCP_SCHED_BEST);
	return 0;
}

static int undecided_get_send(struct mptcp_sock *msk)
{
	asked++;
	return 0;
}

/* The transmit path goes on with what this says. */
static void no_choice_is_no_decision(struct kunit *test)
{
	struct mptcp_sched_ops ops = {
		.get_send	= undecided_get_send,
		.name		= "undecided",
	};
	struct fake_conn *conn = fake_conn(test);

	asked = 0;
	conn->msk->sched = &ops;
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(conn->msk), -EAGAIN);
	KUNIT_EXPECT_EQ(test, asked, 1);

	/* whoever chose it */
	mptcp_subflow_set_scheduled(conn->subflow[1], true);
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(conn->msk), 0);
}

static void counting_wnd_blocked(struct mptcp_sock *msk)
{
	told++;
}

static void used_up_window_is_told(struct kunit *test)
{
	struct mptcp_sched_ops ops = {
		.get_send	= counting_get_send,
		.wnd_blocked	= counting_wnd_blocked,
		.name		= "counting",
	};
	struct mptcp_data_frag dfrag = { .data_seq = 1000, .data_len = 500 };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;

	asked = 0;
	told = 0;
	msk->sched = &ops;
	msk->snd_nxt = 1000;
	msk->wnd_end = 1001;

	/* nothing to send: nothing to tell */
	KUNIT_EXPECT_FALSE(test, mptcp_sched_wants_blocked(msk));
	msk->first_pending = &dfrag;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_wants_blocked(msk));

	/* one byte of window; the scheduler's answer is passed on */
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(msk), -EAGAIN);
	KUNIT_EXPECT_EQ(test, asked, 1);
	KUNIT_EXPECT_EQ(test, told, 0);

	/* none: told first, then asked */
	msk->snd_una = 1;
	msk->wnd_end = 1000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(msk), 0);
	KUNIT_EXPECT_EQ(test, asked, 2);
	KUNIT_EXPECT_EQ(test, told, 1);

	/* data that is sent once more lies inside the window */
	msk->snd_nxt = 1500;
	msk->wnd_end = 1500;
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(msk), 0);
	KUNIT_EXPECT_EQ(test, told, 1);

	/* a scheduler that does not want to know */
	ops.wnd_blocked = NULL;
	msk->wnd_end = 1000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(msk), 0);
	KUNIT_EXPECT_EQ(test, told, 1);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_wants_blocked(msk));
}

/* The ACK that opens a window may be lost: then only a probe finds out. */
static void used_up_window_is_probed(struct kunit *test)
{
	struct mptcp_data_frag dfrag = { .data_seq = 1000, .data_len = 500 };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct mptcp_sched_choice best;
	int i;

	msk->first_pending = &dfrag;
	msk->snd_una = 1000;
	msk->snd_nxt = 1000;
	msk->wnd_end = 1000;
	best = mptcp_sched_best_copy(msk, mptcp_sched_usable);
	KUNIT_ASSERT_PTR_EQ(test, best.subflow, conn->subflow[0]);
	mptcp_sched_commit_next(msk, &best);
	KUNIT_EXPECT_TRUE(test, best.subflow->scheduled);
	KUNIT_EXPECT_EQ(test, best.subflow->sched_what, MPTCP_SCHED_SEND_HEAD);

	/* what is in flight everywhere is acknowledged, and that tells */
	msk->snd_una = 900;
	for (i = 0; i < ARRAY_SIZE(conn->subflow); i++)
		mptcp_sched_carries(conn->subflow[i], 900, 100);
	best = mptcp_sched_best_copy(msk, mptcp_sched_usable);
	KUNIT_EXPECT_NULL(test, best.subflow);

	/* nothing to probe it with */
	msk->snd_una = 1000;
	msk->first_pending = NULL;
	best = mptcp_sched_best_copy(msk, mptcp_sched_usable);
	KUNIT_EXPECT_NULL(test, best.subflow);
}

/* As large as it gets */
static struct mptcp_ranges *fake_ranges(struct kunit *test)
{
	struct mptcp_ranges *ranges;

	ranges = kunit_kzalloc(test, struct_size(ranges, range, MPTCP_RANGES_MOST),
			       GFP_KERNEL);
	if (ranges)
		ranges->size = MPTCP_RANGES_MOST;
	return ranges;
}

/* A range that goes on where one of the same subflow ends makes that longer. */
static void ahead_ranges(struct kunit *test)
{
	struct mptcp_ranges *ranges = fake_ranges(test);

	KUNIT_ASSERT_NOT_NULL(test, ranges);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_free_from(ranges, 5), 5ULL);
	KUNIT_EXPECT_PTR_EQ(test, mptcp_ranges_find(ranges, 5), NULL);

	KUNIT_EXPECT_TRUE(test, mptcp_ranges_add(ranges, 300, 100, 1));
	KUNIT_EXPECT_TRUE(test, mptcp_ranges_add(ranges, 100, 50, 1));
	KUNIT_EXPECT_TRUE(test, mptcp_ranges_add(ranges, 150, 50, 1));
	KUNIT_EXPECT_EQ(test, ranges->count, 2U);
	KUNIT_EXPECT_TRUE(test, mptcp_ranges_add(ranges, 400, 100, 2));
	KUNIT_EXPECT_EQ(test, ranges->count, 3U);

	KUNIT_EXPECT_EQ(test, mptcp_ranges_free_from(ranges, 99), 99ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_free_from(ranges, 100), 200ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_free_from(ranges, 300), 500ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_next(ranges, 50), 100ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_next(ranges, 100), 300ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_next(ranges, 450), 450ULL + S64_MAX);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(ranges, 400)->subflow_id, 2U);
	KUNIT_EXPECT_PTR_EQ(test, mptcp_ranges_find(ranges, 500), NULL);

	mptcp_ranges_forget(ranges, 350);
	KUNIT_EXPECT_EQ(test, ranges->count, 2U);
	mptcp_ranges_forget(ranges, 500);
	KUNIT_EXPECT_EQ(test, ranges->count, 0U);
}

/* A lead is what is left to send on the way, not a distance. */
static void lead_leaves_out_ranges(struct kunit *test)
{
	struct mptcp_ranges *ranges = fake_ranges(test);

	KUNIT_ASSERT_NOT_NULL(test, ranges);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_reach(ranges, 1000, 500), 1500ULL);

	mptcp_ranges_add(ranges, 900, 150, 1);
	mptcp_ranges_add(ranges, 1200, 100, 1);
	mptcp_ranges_add(ranges, 1300, 50, 2);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_reach(ranges, 1000, 0), 1050ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_reach(ranges, 1000, 149), 1199ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_reach(ranges, 1000, 150), 1350ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_reach(ranges, 1000, 500), 1700ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_reach(ranges, 1350, 10), 1360ULL);
}

/* What went ahead is no backlog, neither before the head has come there nor after. */
static void ahead_is_sent(struct kunit *test)
{
	struct mptcp_data_frag dfrag = { .data_seq = 1000, .data_len = 500 };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;

	list_add(&dfrag.list, &msk->rtx_queue);
	msk->first_pending = &dfrag;
	msk->snd_una = 1000;
	msk->snd_nxt = 1000;
	msk->write_seq = 1500;
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 500ULL);

	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	mptcp_ranges_add(msk->ranges, 1000, 100, 1);
	mptcp_ranges_add(msk->ranges, 1300, 50, 1);
	mptcp_sched_recount_ahead(msk);
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 350ULL);
	mptcp_sched_skip_sent(msk);
	KUNIT_EXPECT_EQ(test, msk->snd_nxt, 1100ULL);
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 350ULL);

	/* a retransmission went on with new data, into what had gone ahead */
	msk->snd_nxt = 1320;
	mptcp_sched_recount_ahead(msk);
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 150ULL);

	/* it is known no more what had gone ahead */
	msk->ranges->count = 0;
	mptcp_sched_recount_ahead(msk);
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 180ULL);

	/* counters of different moments */
	msk->sent_ahead = 500;
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 0ULL);
}

/* With TCP_NOTSENT_LOWAT, what a scheduler wants may be written besides; not for long. */
static void wanted_is_no_backlog(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct sock *sk = (struct sock *)msk;

	msk->snd_una = 0;
	msk->snd_nxt = 0;
	msk->write_seq = 500;
	mptcp_sched_want_unsent(msk, 300, 300);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 500ULL);

	msk->notsent_lowat = 400;
	KUNIT_EXPECT_FALSE(test, mptcp_stream_memory_free(sk, 0));
	mptcp_sched_want_unsent(msk, 300, 300);
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 500ULL);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 200ULL);
	KUNIT_EXPECT_TRUE(test, mptcp_stream_memory_free(sk, 0));
	KUNIT_EXPECT_FALSE(test, mptcp_stream_memory_free(sk, 1));

	/* another subflow wants less, a third one more */
	mptcp_sched_want_unsent(msk, 100, 100);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 200ULL);
	mptcp_sched_want_unsent(msk, 600, 600);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 0ULL);

	msk->sched_unsent_at -= HZ;
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 500ULL);

	/* so much never fits the buffer, which the application has set */
	sk->sk_userlocks |= SOCK_SNDBUF_LOCK;
	WRITE_ONCE(sk->sk_sndbuf, 800);
	mptcp_sched_want_unsent(msk, 600, 600);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 500ULL);
	mptcp_sched_want_unsent(msk, 500, 300);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 200ULL);
	/* which is no reason to forget what does */
	mptcp_sched_want_unsent(msk, 600, 600);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 200ULL);
	sk->sk_userlocks &= ~SOCK_SNDBUF_LOCK;

	/* one that is alone is ahead of none */
	((struct sock *)conn->tp[0])->sk_state = TCP_CLOSE;
	((struct sock *)conn->tp[1])->sk_state = TCP_CLOSE;
	msk->sched_unsent_at -= HZ;
	mptcp_sched_want_unsent(msk, 300, 300);
	KUNIT_EXPECT_EQ(test, mptcp_backlog(msk), 500ULL);
}

static void fake_worker(struct work_struct *work)
{
}

/* Nobody sends what follows, as all was sent ahead: but for the DATA_FIN. */
static void fin_follows_what_is_sent(struct kunit *test)
{
	struct mptcp_data_frag dfrag = { .data_seq = 1000, .data_len = 500 };
	struct fake_conn *conn = fake_conn(test);
	struct sock *sk = (struct sock *)conn->msk;
	struct mptcp_sock *msk = conn->msk;

	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	mptcp_ranges_add(msk->ranges, 1000, 500, 1);
	list_add(&dfrag.list, &msk->rtx_queue);
	msk->first_pending = &dfrag;
	msk->snd_una = 1000;
	msk->snd_nxt = 1000;
	msk->write_seq = 1501;
	msk->snd_data_fin_enable = true;
	INIT_WORK(&msk->work, fake_worker);
	refcount_set(&sk->sk_refcnt, 1);
	mptcp_sched_skip_sent(msk);
	KUNIT_EXPECT_NULL(test, msk->first_pending);
	KUNIT_EXPECT_EQ(test, msk->snd_nxt, 1500ULL);
	/* the worker has one, which this one does not give back */
	flush_work(&msk->work);
	KUNIT_EXPECT_EQ(test, refcount_read(&sk->sk_refcnt), 2U);
}

static void ahead_ranges_are_limited(struct kunit *test)
{
	struct mptcp_ranges *ranges = fake_ranges(test);
	u64 seq = -1000ULL;	/* across the end of the sequence space */
	int i, full = 0;

	KUNIT_ASSERT_NOT_NULL(test, ranges);
	for (i = 0; i < MPTCP_RANGES_MOST; i++)
		full += mptcp_ranges_add(ranges, seq + 20 * i, 10, 1);
	KUNIT_EXPECT_EQ(test, full, MPTCP_RANGES_MOST);
	KUNIT_EXPECT_FALSE(test, mptcp_ranges_add(ranges, seq + 13, 2, 1));
	/* to make one longer takes no place */
	KUNIT_EXPECT_TRUE(test, mptcp_ranges_add(ranges, seq + 10, 5, 1));
	KUNIT_EXPECT_EQ(test, mptcp_ranges_free_from(ranges, seq), seq + 15);

	/* what is acknowledged makes room, at the front of the array */
	mptcp_ranges_forget(ranges, 0);
	KUNIT_EXPECT_EQ(test, ranges->count, MPTCP_RANGES_MOST - 50U);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_next(ranges, seq), 0ULL);
	KUNIT_EXPECT_TRUE(test, mptcp_ranges_add(ranges, 13, 2, 1));
	KUNIT_EXPECT_EQ(test, ranges->first, 0U);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_next(ranges, 0), 13ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_next(ranges, 13), 20ULL);
}

/* Fragments of a byte each, from @seq on, none of them sent. */
static struct mptcp_data_frag *fake_bytes(struct kunit *test, struct mptcp_sock *msk,
					  u64 seq, u32 count)
{
	struct mptcp_data_frag *dfrag;
	u32 i;

	dfrag = kunit_kcalloc(test, count, sizeof(*dfrag), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dfrag);
	for (i = 0; i < count; i++) {
		dfrag[i].data_seq = seq + i;
		dfrag[i].data_len = 1;
		list_add_tail(&dfrag[i].list, &msk->rtx_queue);
	}
	msk->snd_una = seq;
	msk->first_pending = dfrag;
	return dfrag;
}

/* However long the send buffer: a decision does not look at all of it. */
static void search_is_bounded(struct kunit *test)
{
	const u64 first = -1000ULL;	/* across the end of the sequence space */
	const u32 count = 20 * MPTCP_SCHED_STEPS;
	const u64 last = first + count - 1;
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *subflow = conn->subflow[1];
	struct mptcp_data_frag *dfrag = fake_bytes(test, conn->msk, first, count);
	u32 asked = 0, steps;

	do {
		asked++;
		steps = MPTCP_SCHED_STEPS;
	} while (!mptcp_sched_dfrag(conn->msk, subflow, last, &steps) && asked < 100);
	KUNIT_EXPECT_GE(test, asked, 20U);
	KUNIT_EXPECT_LE(test, asked, 21U);

	/* found once, it is found again; and what comes before it */
	steps = 1;
	KUNIT_EXPECT_PTR_EQ(test, mptcp_sched_dfrag(conn->msk, subflow, last, &steps),
			    &dfrag[count - 1]);
	steps = 3;
	KUNIT_EXPECT_PTR_EQ(test, mptcp_sched_dfrag(conn->msk, subflow, first + 2, &steps),
			    &dfrag[2]);
	KUNIT_EXPECT_EQ(test, steps, 0U);

	/* what is to be sent next is near; what is behind the end is not there */
	conn->msk->first_pending = &dfrag[500];
	steps = 1;
	KUNIT_EXPECT_PTR_EQ(test, mptcp_sched_dfrag(conn->msk, subflow, first + 500, &steps),
			    &dfrag[500]);
	conn->msk->first_pending = &dfrag[count - 2];
	steps = MPTCP_SCHED_STEPS;
	KUNIT_EXPECT_NULL(test, mptcp_sched_dfrag(conn->msk, subflow, last + 1, &steps));
}

/* Where the last search ended may be gone, and used for something else, whatever a reader of
 * snd_una sees of it that needs two loads.
 */
static void search_forgets(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct mptcp_data_frag *dfrag = fake_bytes(test, msk, 1000, 10);
	u32 steps = 10, i;

	KUNIT_EXPECT_PTR_EQ(test, mptcp_sched_dfrag(msk, conn->subflow[0], 1005, &steps),
			    &dfrag[5]);
	msk->snd_una = 1008 - (1ULL << 32);
	msk->first_pending = &dfrag[8];
	for (i = 0; i < 8; i++) {
		list_del(&dfrag[i].list);
		memset(&dfrag[i], 0xff, sizeof(dfrag[i]));
		dfrag[i].data_seq = 1009;
	}
	KUNIT_EXPECT_PTR_EQ(test, mptcp_sched_dfrag(msk, conn->subflow[0], 1009, &steps),
			    &dfrag[9]);

	INIT_LIST_HEAD(&msk->rtx_queue);
	msk->first_pending = NULL;
	KUNIT_EXPECT_NULL(test, mptcp_sched_dfrag(msk, conn->subflow[0], 1009, &steps));
}

/* Whoever comes late to carry out a decision finds none. */
static void revoked_decision_is_void(struct kunit *test)
{
	struct mptcp_sched_ops ops = { .get_send = counting_get_send, .name = "counting" };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *subflow = conn->subflow[0];
	struct mptcp_sock *msk = conn->msk;

	msk->sched = &ops;
	mptcp_sched_commit_at(msk, subflow, MPTCP_SCHED_SEND_AGAIN, 1000, 1428);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_claim(msk, subflow));
	KUNIT_EXPECT_EQ(test, subflow->sched_what, MPTCP_SCHED_SEND_AGAIN);
	KUNIT_EXPECT_EQ(test, subflow->sched_budget, 1428U);

	/* "default", which sends in turn, as upstream does, also when it is late */
	mptcp_sched_commit_at(msk, subflow, MPTCP_SCHED_SEND_AHEAD, 1000, 1428);
	mptcp_subflow_set_scheduled(subflow, false);
	msk->sched = NULL;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_claim(msk, subflow));
	KUNIT_EXPECT_EQ(test, subflow->sched_what, MPTCP_SCHED_SEND_HEAD);
	KUNIT_EXPECT_EQ(test, subflow->sched_budget, MPTCP_SCHED_UNLIMITED);

	msk->sched = &ops;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_claim(msk, subflow));
}

/* What is sent out of turn is no stream that TCP could go on with. */
static void out_of_turn_ends_fallback(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct sock *sk = (struct sock *)conn->msk, *ssk = (struct sock *)conn->tp[0];
	struct mptcp_sendmsg_info info = {};
	struct mptcp_sock *msk = conn->msk;

	rcu_assign_pointer(conn->tp[0]->inet_conn.icsk_ulp_data, conn->subflow[0]);
	spin_lock_init(&msk->fallback_lock);
	msk->allow_infinite_fallback = true;
	msk->one_stream = true;
	msk->allow_subflows = true;
	mptcp_sched_commit_at(msk, conn->subflow[0], MPTCP_SCHED_SEND_AHEAD, 1000, 1428);
	KUNIT_EXPECT_EQ(test, mptcp_sched_push_other(sk, ssk, &info), 0);
	KUNIT_EXPECT_FALSE(test, msk->allow_infinite_fallback);
	KUNIT_EXPECT_FALSE(test, msk->one_stream);

	/* the peers agree on TCP: it is too late to send anything else */
	msk->allow_infinite_fallback = true;
	msk->allow_subflows = false;
	mptcp_sched_commit_at(msk, conn->subflow[0], MPTCP_SCHED_SEND_COPY, 1000, 1428);
	KUNIT_EXPECT_EQ(test, mptcp_sched_push_other(sk, ssk, &info), 0);
	KUNIT_EXPECT_TRUE(test, msk->allow_infinite_fallback);
	KUNIT_EXPECT_EQ(test, conn->subflow[0]->sched_what, MPTCP_SCHED_SEND_HEAD);
}

static void wanted_buffer_shrinks(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;

	msk->sched_sndbuf = 1000000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_sndbuf(msk), 1000000);
	tcp_memory_pressure = 1;
	KUNIT_EXPECT_EQ(test, mptcp_sched_sndbuf(msk), 0);
	tcp_memory_pressure = 0;
	KUNIT_EXPECT_EQ(test, mptcp_sched_sndbuf(msk), 0);

	/* the others closed: there is nobody to be ahead of */
	msk->sched_sndbuf = 1000000;
	((struct sock *)conn->tp[0])->sk_state = TCP_CLOSE;
	KUNIT_EXPECT_EQ(test, mptcp_sched_sndbuf(msk), 1000000);
	((struct sock *)conn->tp[1])->sk_state = TCP_CLOSE;
	KUNIT_EXPECT_EQ(test, mptcp_sched_sndbuf(msk), 0);
}

/* Memory for what subflows have is charged, and given back when it is of no use. */
static void memory_of_ranges(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct sock *sk = (struct sock *)conn->msk;
	struct mptcp_sock *msk = conn->msk;
	u32 i;

	/* none when it is short, and not asked for each time */
	tcp_memory_pressure = 1;
	KUNIT_EXPECT_NULL(test, mptcp_sched_ranges(msk));
	tcp_memory_pressure = 0;
	KUNIT_EXPECT_NULL(test, mptcp_sched_ranges(msk));
	msk->ranges_failed -= 2 * HZ;
	KUNIT_ASSERT_NOT_NULL(test, mptcp_sched_ranges(msk));
	KUNIT_EXPECT_GT(test, sk->sk_forward_alloc, 0);

	/* with others it stays, though it is empty; alone it is of no use */
	mptcp_sched_skip_sent(msk);
	KUNIT_EXPECT_NOT_NULL(test, msk->ranges);
	((struct sock *)conn->tp[0])->sk_state = TCP_CLOSE;
	((struct sock *)conn->tp[1])->sk_state = TCP_CLOSE;
	mptcp_ranges_add(msk->ranges, 1000, 500, 3);
	msk->snd_nxt = 1500;
	msk->snd_una = 1200;
	mptcp_sched_skip_sent(msk);
	KUNIT_EXPECT_NOT_NULL(test, msk->ranges);
	msk->snd_una = 1500;
	mptcp_sched_skip_sent(msk);
	KUNIT_EXPECT_NULL(test, msk->ranges);
	KUNIT_EXPECT_EQ(test, sk->sk_forward_alloc, 0);

	/* it grows when it is full, and all of it is given back */
	for (i = 0; i <= MPTCP_RANGES_FIRST; i++) {
		KUNIT_ASSERT_NOT_NULL(test, mptcp_sched_ranges(msk));
		KUNIT_EXPECT_TRUE(test, mptcp_ranges_add(msk->ranges, 2000 + 20 * i, 10, 1));
	}
	KUNIT_EXPECT_EQ(test, msk->ranges->size, 2 * MPTCP_RANGES_FIRST);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_free_from(msk->ranges, 2000), 2010ULL);
	mptcp_sched_free_ranges(msk);
	KUNIT_EXPECT_EQ(test, sk->sk_forward_alloc, 0);
}

/* References to this module, -1 if it cannot be removed anyway. */
#if IS_MODULE(CONFIG_MPTCP_KUNIT_TEST) && defined(CONFIG_MODULE_UNLOAD)
static int references(void) { return module_refcount(THIS_MODULE); }
#else
static int references(void) { return -1; }
#endif

static struct mptcp_sched_ops pinned_ops = {
	.get_send = counting_get_send, .name = "kunit", .owner = THIS_MODULE,
};

static struct mptcp_sched_ops namesake_ops = {
	.get_send = counting_get_send, .name = "kunit",
};

/* A module that is no default any more is let go, whoever has its name now. */
static void default_lets_go(struct kunit *test)
{
	char name[MPTCP_SCHED_FULL_MAX] = "default";
	int refs = references();

	if (refs < 0 || strcmp(mptcp_get_scheduler(&init_net), "default"))
		kunit_skip(test, "built-in, or the default is not \"default\"");

	KUNIT_ASSERT_EQ(test, mptcp_register_scheduler(&pinned_ops), 0);
	KUNIT_EXPECT_EQ(test, mptcp_sched_set_default(&init_net, name, "kunit"), 0);
	KUNIT_EXPECT_EQ(test, references(), refs + 1);
	mptcp_unregister_scheduler(&pinned_ops);

	KUNIT_ASSERT_EQ(test, mptcp_register_scheduler(&namesake_ops), 0);
	KUNIT_EXPECT_EQ(test, mptcp_sched_set_default(&init_net, name, "default"), 0);
	KUNIT_EXPECT_EQ(test, references(), refs);
	KUNIT_EXPECT_STREQ(test, name, "default");
	mptcp_unregister_scheduler(&namesake_ops);
}

/* Linux's scheduler: rates of more than 32 bit are large ones. */
static void fast_paths_compare(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct mptcp_subflow_context *subflow = conn->subflow[1];
	struct mptcp_sched_ops *sched;
	int i;

	sched = mptcp_sched_find_get("default");
	KUNIT_ASSERT_NOT_NULL(test, sched);
	for (i = 0; i < ARRAY_SIZE(conn->tp); i++) {
		((struct sock *)conn->tp[i])->sk_wmem_queued = 50000;
		((struct sock *)conn->tp[i])->sk_pacing_rate = 1000000;
	}
	((struct sock *)conn->tp[1])->sk_pacing_rate =
		IS_ENABLED(CONFIG_64BIT) ? (unsigned long)(BIT_ULL(32) + 1000) : 2000000;
	KUNIT_EXPECT_EQ(test, sched->get_send(msk), 0);
	KUNIT_EXPECT_TRUE(test, subflow->scheduled);

	/* what TCP has before it knows the RTT, times a burst */
	((struct sock *)conn->tp[1])->sk_pacing_rate = ULONG_MAX;
	subflow->avg_pacing_rate = 0;
	msk->wnd_end = 60000;
	KUNIT_EXPECT_EQ(test, sched->get_send(msk), 0);
	KUNIT_EXPECT_TRUE(test, subflow->scheduled);
	KUNIT_EXPECT_EQ(test, subflow->avg_pacing_rate, (unsigned long)U32_MAX);
}

static void expect_name(struct kunit *test, const char *name, const char *shown)
{
	char buf[MPTCP_SCHED_FULL_MAX];
	struct mptcp_sched_name parsed;

	KUNIT_EXPECT_EQ_MSG(test, mptcp_sched_parse(name, &parsed), 0, "%s", name);
	mptcp_sched_print(buf, parsed.base, parsed.ext);
	KUNIT_EXPECT_STREQ(test, buf, shown);
}

static void composed_names(struct kunit *test)
{
	static const char * const bad[] = {
		"", "+", "+rp", "minrtt+", "minrtt+xx", "minrtt+rp+rp", "minrtt+rpx",
		"minrtt+pric", "minrtt+rp+r", "minrtt+rp1+rp0", "minrtt++rp", "minrtt+rp+",
		"minrtt+ rp", "a_name_of_16_char",
	};
	struct mptcp_sched_name parsed;
	char all[MPTCP_SCHED_FULL_MAX];
	int i;

	expect_name(test, "rr", "rr");
	expect_name(test, "minrtt+rp", "minrtt+rp");
	expect_name(test, "minrtt+bm+rp", "minrtt+rp+bm");
	expect_name(test, "minrtt+rp1+bm", "minrtt+bm+rp1");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, mptcp_sched_parse(bad[i], &parsed),
				    -EINVAL, "%s", bad[i]);

	/* the longest name with all that may go together has room */
	mptcp_sched_print(all, "123456789012345",
			  ((BIT(MPTCP_SCHED_EXTENSIONS) - 1) ^ MPTCP_SCHED_RP_KINDS) |
			  BIT(MPTCP_SCHED_RP1));
	KUNIT_EXPECT_LT(test, strlen(all), sizeof(all) - 1);
	expect_name(test, all, all);
}

/* lambda * rate * min_rtt, from 2 segments on */
static void bufferbloat_limit(struct kunit *test)
{
	const u32 one = BIT(24) / 1000;	/* a segment per ms, less a little */

	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_segs(one, 20000, 300), 59U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_segs(one, 20000, 150), 29U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_segs(one / 4, 20000, 300), 14U);
	/* no rate, the lowest and the highest one */
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_segs(0, 20000, 300), 2U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_segs(1, 1, 100), 2U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_segs(U32_MAX, U32_MAX, 10000),
			MPTCP_SCHED_UNCAPPED);
}

static void penalty_recovers(struct kunit *test)
{
	/* it takes eight round trips from the half, with a large window */
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_segs(500, 1000, 0), 500U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_segs(500, 1000, 8), 996U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_segs(1, 3, 2), 3U);
	/* or one, where no queue was */
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_segs(10, 0, 0), 10U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_segs(10, 0, 1), MPTCP_SCHED_UNCAPPED);
	/* extremes */
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_segs(U32_MAX, 1, 99), U32_MAX);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_segs(1, U32_MAX, U32_MAX), U32_MAX);
}

/* A queue longer than the peer's window never overflows, and slow start does not end. */
static void penalty_lasts_in_slow_start(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *subflow = conn->subflow[0];
	struct tcp_sock *tp = conn->tp[0];

	tp->srtt_us = 100000 << 3;
	tp->snd_cwnd = 64;
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	subflow->sched_penalty = 32;
	subflow->sched_penalized_from = 64;
	subflow->sched_penalized_at = tcp_clock_us() - 150000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), 36U);
	/* as much again as it had, and there is a queue */
	tp->snd_cwnd = 128;
	subflow->model.rate.s[0].v = BIT(24) / 1000;
	subflow->model.rtt.s[0].v = 100000;
	tp->rack.rtt_us = 300000;
	subflow->sched_penalized_at = tcp_clock_us() - 850000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), 64U);
	/* there is none: it grows no faster than it may use its window, which would be for ever */
	tp->rack.rtt_us = 100000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), MPTCP_SCHED_UNCAPPED);

	/* it was new when it was penalized: for a round trip, not less */
	subflow->sched_penalty = 32;
	subflow->sched_penalized_from = 0;
	subflow->sched_penalized_at = tcp_clock_us();
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), 32U);
	subflow->sched_penalized_at = tcp_clock_us() - 150000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), MPTCP_SCHED_UNCAPPED);
}

/* On 32 bits half of a new snd_una may be read beside half of the old one. */
static void half_read_una_is_not_believed(struct kunit *test)
{
	struct mptcp_sock *msk = fake_conn(test)->msk;

	msk->snd_una = 0xfffff000;
	msk->snd_nxt = 0x100001000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_una(msk), 0xfffff000);
	msk->snd_una = 0x1fffff000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_una(msk), 0x100001000);
	msk->snd_una = 0x100000000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_una(msk), 0x100000000);
}

/* What nobody asked for by name goes out again if its path has become slower than it was. */
static void what_is_new_is_not_late(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *owner = conn->subflow[0];
	struct mptcp_sock *msk = conn->msk;
	u32 len = 4 * mptcp_sched_mss(owner);

	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	mptcp_ranges_add(msk->ranges, 1000, len, 1);
	msk->snd_una = 1000;
	msk->snd_nxt = 1000 + len;
	conn->tp[0]->packets_out = 4;
	conn->tp[0]->srtt_us = 100000 << 3;
	conn->tp[1]->srtt_us = 10000 << 3;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_rp_get_send(msk));
	KUNIT_EXPECT_EQ(test, owner->sched_penalty, 0U);

	/* a segment in a round trip */
	atomic64_set(&owner->model.sample, 1ULL << 32 | 100000);
	owner->sched_penalized_at = tcp_clock_us() - USEC_PER_SEC;
	msk->sched_rp.known = false;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_rp_get_send(msk));
	KUNIT_EXPECT_GT(test, owner->sched_penalty, 0U);
}

/* @cwnd and @ssthresh, halved as @ext has it, become @new_cwnd and @new_ssthresh. */
static void expect_halved(struct kunit *test, u16 ext, u32 cwnd, u32 ssthresh, u32 new_cwnd,
			  u32 new_ssthresh)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *owner = conn->subflow[0];
	struct mptcp_sock *msk = conn->msk;
	struct tcp_sock *tp = conn->tp[0];

	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	mptcp_ranges_add(msk->ranges, 1000, 1000, 1);
	msk->snd_una = 1000;
	msk->snd_nxt = 2000;
	msk->sched_ext = ext;
	owner->sched_penalized_at = tcp_clock_us() - USEC_PER_SEC;
	tp->srtt_us = 100000 << 3;
	conn->tp[1]->srtt_us = 10000 << 3;
	tp->snd_cwnd = cwnd;
	tp->snd_ssthresh = ssthresh;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_rp_get_send(msk));
	KUNIT_EXPECT_EQ(test, owner->sched_penalty, 0U);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, cwnd);

	mptcp_sched_publish(owner, tp);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, new_cwnd);
	KUNIT_EXPECT_EQ(test, tp->snd_ssthresh, new_ssthresh);
	/* once */
	mptcp_sched_publish(owner, tp);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, new_cwnd);
}

static void penalties_to_compare(struct kunit *test)
{
	expect_halved(test, BIT(MPTCP_SCHED_R), 40, 20, 40, 20);
	expect_halved(test, BIT(MPTCP_SCHED_RP0), 40, 100, 20, 20);
	expect_halved(test, BIT(MPTCP_SCHED_RP0), 40, 30, 20, 20);
	expect_halved(test, BIT(MPTCP_SCHED_RP1), 40, 100, 20, 100);
	expect_halved(test, BIT(MPTCP_SCHED_RP1), 40, 30, 20, 15);
	expect_halved(test, BIT(MPTCP_SCHED_RP1), 1, 1, 1, 2);
}

/* Times are compared as they are, not modulo 71 minutes. */
static void penalty_ends_while_idle(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *subflow = conn->subflow[0];

	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), MPTCP_SCHED_UNCAPPED);
	subflow->sched_penalty = 2;
	subflow->sched_penalized_from = 4;
	subflow->sched_penalized_at = tcp_clock_us();
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), 2U);
	subflow->sched_penalized_at -= BIT_ULL(32);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_cap(subflow), MPTCP_SCHED_UNCAPPED);
}

/* An ACK of one packet says little about the rate of a path. */
static void bufferbloat_remembers(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *subflow = conn->subflow[0];
	struct tcp_sock *tp = conn->tp[0];

	/* 40 ms without a queue, 80 with the one that there is; 50 segments are out */
	minmax_reset(&tp->rtt_min, 1, 40000);
	tp->rack.rtt_us = 80000;
	tp->srtt_us = 80000 << 3;
	tp->snd_cwnd = 500;
	tp->delivered = 50;
	tp->rate_delivered = 50;
	tp->rate_interval_us = 80000;
	mptcp_sched_publish(subflow, tp);
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_cap(conn->msk, subflow), 74U);

	tp->delivered = 51;
	tp->rate_delivered = 1;
	mptcp_sched_publish(subflow, tp);
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_cap(conn->msk, subflow), 74U);

	/* and where no queue is, none need be kept short */
	tp->rack.rtt_us = 41000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_bm_cap(conn->msk, subflow),
			MPTCP_SCHED_UNCAPPED);
}

/* ACKs that acknowledge nothing cost no search. */
static void search_is_remembered(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;

	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	mptcp_ranges_add(msk->ranges, 1000, 500, 1);
	mptcp_ranges_add(msk->ranges, 1500, 500, 2);
	mptcp_ranges_add(msk->ranges, 2000, 500, 1);
	msk->snd_una = 1000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 2, 0, 2500), 1000ULL);
	/* behind its back, which nothing but a search would see */
	mptcp_ranges_mark_again(msk->ranges, 1000, 500, 2);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 2, 0, 2500), 1000ULL);

	/* something is sent, or acknowledged; another one helps, or something comes soon */
	mptcp_sched_watch(msk, conn->subflow[1]);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 2, 0, 2500), 2000ULL);
	msk->snd_una = 2100;
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 2, 0, 2500), 2100ULL);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 2, 100, 2500), 2200ULL);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 1, 0, 2500), 2500ULL);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 1, 0, 2400), 2400ULL);
	/* a subflow failed, and nothing is known any more */
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 2, 0, 2500), 2100ULL);
	msk->ranges->count = 0;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(msk));
	KUNIT_EXPECT_EQ(test, mptcp_sched_rp_first(msk, 2, 0, 2500), 2500ULL);
}

/* mptcp_sched_rp_first(), byte by byte */
static u64 plain_first(const struct mptcp_sock *msk, u32 helper, u64 soon, u64 head)
{
	u64 seq;

	for (seq = msk->snd_una; before64(seq, head); seq++) {
		const struct mptcp_range *range = mptcp_ranges_find(msk->ranges, seq);

		if (!range)
			return head;
		if (range->subflow_id != helper && !range->again && !soon--)
			return seq;
	}

	return head;
}

/* Some ranges from @seq on, few with a gap before them. Returns where they end. */
static u64 random_ranges(struct mptcp_ranges *ranges, struct rnd_state *rnd, u64 seq)
{
	u32 i, n = prandom_u32_state(rnd) % 30;

	ranges->first = prandom_u32_state(rnd) % 10;
	ranges->count = 0;
	for (i = 0; i < n; i++) {
		u32 len = 1 + prandom_u32_state(rnd) % 20;

		seq += prandom_u32_state(rnd) % 20 ? 0 : 5;
		mptcp_ranges_add(ranges, seq, len, 1 + prandom_u32_state(rnd) % 3);
		if (prandom_u32_state(rnd) % 4 == 0)
			mptcp_ranges_mark_again(ranges, seq, len, 1 + prandom_u32_state(rnd) % 3);
		seq += len;
	}

	return seq;
}

static void search_finds_the_first(struct kunit *test)
{
	const u64 start = -200ULL;	/* across the end of the sequence space */
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct rnd_state rnd;
	u32 i;

	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 2000; i++) {
		u32 bytes = random_ranges(msk->ranges, &rnd, start) - start;
		u64 head = start + prandom_u32_state(&rnd) % (bytes + 10);
		u64 first, soon = prandom_u32_state(&rnd) % 60;
		u32 helper = 1 + prandom_u32_state(&rnd) % 3;

		msk->snd_una = start + prandom_u32_state(&rnd) % (bytes + 5);
		msk->sched_rp.known = false;
		first = mptcp_sched_rp_first(msk, helper, soon, head);
		KUNIT_EXPECT_EQ_MSG(test, before64(first, head) ? first : head,
				    plain_first(msk, helper, soon, head), "%u", i);
	}
}

static const struct mptcp_range *
others(const struct mptcp_ranges *ranges, u64 *seq, u64 head, u32 helper)
{
	return mptcp_ranges_others(ranges, seq, head, MPTCP_RANGES_ANYBODY, helper);
}

static void sent_again_once(struct kunit *test)
{
	struct mptcp_ranges *ranges = fake_ranges(test);
	u64 seq = 100;

	KUNIT_ASSERT_NOT_NULL(test, ranges);
	mptcp_ranges_add(ranges, 100, 100, 1);
	mptcp_ranges_add(ranges, 200, 100, 2);
	mptcp_ranges_add(ranges, 400, 100, 1);

	/* subflow 2 helps in the middle of what 1 has */
	KUNIT_EXPECT_EQ(test, others(ranges, &seq, 900, 2)->start, 100ULL);
	mptcp_ranges_mark_again(ranges, 120, 30, 2);
	KUNIT_EXPECT_EQ(test, ranges->count, 5U);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(ranges, 119)->subflow_id, 1U);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(ranges, 120)->subflow_id, 2U);
	KUNIT_EXPECT_EQ(test, mptcp_range_end(mptcp_ranges_find(ranges, 149)), 150ULL);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(ranges, 150)->subflow_id, 1U);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_free_from(ranges, 100), 300ULL);

	/* nobody sends that once more; what 2 has itself it passes over, and
	 * what nobody knows about
	 */
	seq = 120;
	KUNIT_EXPECT_EQ(test, others(ranges, &seq, 900, 3)->start, 150ULL);
	seq = 200;
	KUNIT_EXPECT_EQ(test, others(ranges, &seq, 900, 2)->start, 400ULL);
	KUNIT_EXPECT_EQ(test, seq, 400ULL);
	seq = 200;
	KUNIT_EXPECT_NULL(test, others(ranges, &seq, 400, 2));

	/* nor is there anything at the head, or behind it, in the middle of a range */
	seq = 450;
	KUNIT_EXPECT_NULL(test, others(ranges, &seq, 450, 2));
	KUNIT_EXPECT_NULL(test, others(ranges, &seq, 420, 2));
}

/* Where there is no place to cut a range, no subflow has all of it. */
static void sent_again_in_a_full_table(struct kunit *test)
{
	struct mptcp_ranges *ranges = fake_ranges(test);
	u64 seq = 1000;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ranges);
	for (i = 0; i < MPTCP_RANGES_MOST; i++)
		mptcp_ranges_add(ranges, 1000 + 20 * i, 10, 1);
	mptcp_ranges_mark_again(ranges, 1003, 4, 2);
	KUNIT_EXPECT_EQ(test, ranges->count, MPTCP_RANGES_MOST);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(ranges, 1000)->subflow_id, MPTCP_RANGES_ANYBODY);
	KUNIT_EXPECT_NULL(test, others(ranges, &seq, 1020, 3));
	/* one that need not be cut */
	mptcp_ranges_mark_again(ranges, 1020, 10, 2);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(ranges, 1020)->subflow_id, 2U);
}

/* Before something is sent again there is place to know who has which part of it. */
static void sent_again_makes_place(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_subflow_context *helper = conn->subflow[1];
	struct mptcp_sendmsg_info info = {};
	struct mptcp_sock *msk = conn->msk;
	u32 i;

	rcu_assign_pointer(conn->tp[1]->inet_conn.icsk_ulp_data, helper);
	spin_lock_init(&msk->fallback_lock);
	msk->allow_subflows = true;
	KUNIT_ASSERT_NOT_NULL(test, mptcp_sched_ranges(msk));
	for (i = 0; i < MPTCP_RANGES_FIRST - 1; i++)
		mptcp_ranges_add(msk->ranges, 1000 + 20 * i, 20, 1 + 2 * (i % 2));
	msk->snd_una = 1000;
	msk->snd_nxt = 1000 + 20 * i;
	mptcp_sched_commit_again(msk, helper, 1, 1000, 1428);
	KUNIT_ASSERT_TRUE(test, mptcp_sched_claim(msk, helper));
	KUNIT_EXPECT_EQ(test, mptcp_sched_push_other((struct sock *)msk,
						     (struct sock *)conn->tp[1], &info), 0);
	KUNIT_EXPECT_EQ(test, msk->ranges->size, 2 * MPTCP_RANGES_FIRST);

	/* what the silent one owes besides is still known */
	mptcp_ranges_mark_again(msk->ranges, 1005, 5, 2);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(msk->ranges, 1000)->subflow_id, 1U);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(msk->ranges, 1005)->subflow_id, 2U);
	KUNIT_EXPECT_EQ(test, mptcp_ranges_find(msk->ranges, 1010)->subflow_id, 1U);
	mptcp_sched_free_ranges(msk);
}

/* Bytes from @from to @to, in fragments of a byte, that the head has still to go over. */
static u32 head_goes_over(struct mptcp_sock *msk, u64 from, u64 to)
{
	struct mptcp_data_frag *dfrag;
	u32 count = 0;

	/* as __mptcp_retransmit_pending_data() */
	msk->first_pending = mptcp_rtx_head((struct sock *)msk);
	list_for_each_entry(dfrag, &msk->rtx_queue, list)
		dfrag->already_sent = 0;
	for (mptcp_sched_skip_sent(msk); msk->first_pending; mptcp_sched_skip_sent(msk)) {
		u64 seq = msk->first_pending->data_seq;

		count += !before64(seq, from) && before64(seq, to);
		msk->first_pending->already_sent = 1;
		if (before64(msk->snd_nxt, seq + 1))
			msk->snd_nxt = seq + 1;
		msk->first_pending = mptcp_send_next((struct sock *)msk);
	}

	return count;
}

/* 1000 bytes: the first 600 were sent in turn, 100 went ahead. */
static struct fake_conn *fake_flight(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct mptcp_data_frag *dfrag = fake_bytes(test, msk, 1000, 1000);
	int i;

	for (i = 0; i < 600; i++)
		dfrag[i].already_sent = 1;
	msk->first_pending = &dfrag[600];
	msk->snd_nxt = 1600;
	msk->write_seq = 2000;
	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	mptcp_ranges_add(msk->ranges, 1000, 200, 1);
	mptcp_ranges_add(msk->ranges, 1200, 300, 2);
	mptcp_ranges_add(msk->ranges, 1500, 100, 1);
	mptcp_ranges_add(msk->ranges, 1700, 100, 3);
	mptcp_sched_recount_ahead(msk);
	return conn;
}

/* What the one that failed had goes out once more, and nothing that others carry. */
static void lost_is_sent_again(struct kunit *test)
{
	struct fake_conn *conn = fake_flight(test);
	struct mptcp_sock *msk = conn->msk;

	conn->subflow[1]->closing = 1;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(msk));
	/* the peer may acknowledge what went ahead, too */
	KUNIT_EXPECT_EQ(test, msk->snd_nxt, 1800ULL);
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 200ULL);
	KUNIT_EXPECT_EQ(test, head_goes_over(msk, 1000, 1600), 300U);
	KUNIT_EXPECT_EQ(test, head_goes_over(msk, 1200, 1500), 300U);
	KUNIT_EXPECT_EQ(test, head_goes_over(msk, 1600, 2000), 300U);

	/* one that turns stale, or has closed without notice */
	conn = fake_flight(test);
	conn->subflow[0]->stale = 1;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(conn->msk));
	KUNIT_EXPECT_EQ(test, head_goes_over(conn->msk, 1000, 1600), 300U);
	conn = fake_flight(test);
	((struct sock *)conn->tp[0])->sk_state = TCP_CLOSE;
	list_del(&conn->subflow[1]->node);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(conn->msk));
	KUNIT_EXPECT_EQ(test, head_goes_over(conn->msk, 1000, 1600), 600U);
	KUNIT_EXPECT_EQ(test, conn->msk->ranges->count, 1U);
}

static void fake_work(struct work_struct *work) {}

/* In recovery the peer has all there is: who sends has nothing to send, and the worker is asked for
 * the DATA_FIN.
 */
static void fin_is_not_forgotten(struct kunit *test)
{
	struct mptcp_sock *msk = fake_flight(test)->msk;
	struct sock *sk = (struct sock *)msk;

	INIT_WORK(&msk->work, fake_work);
	refcount_set(&sk->sk_refcnt, 1);
	sk->sk_state = TCP_ESTABLISHED;
	msk->ranges->count = 0;
	msk->first_pending = NULL;
	msk->snd_nxt = 1999;
	mptcp_sched_una_moved(msk);
	msk->snd_data_fin_enable = true;
	mptcp_sched_una_moved(msk);
	KUNIT_EXPECT_EQ(test, refcount_read(&sk->sk_refcnt), 1U);
	msk->recovery = true;
	mptcp_sched_una_moved(msk);
	KUNIT_EXPECT_EQ(test, refcount_read(&sk->sk_refcnt), 2U);
	msk->snd_nxt = msk->write_seq;
	flush_work(&msk->work);
	mptcp_sched_una_moved(msk);
	KUNIT_EXPECT_EQ(test, refcount_read(&sk->sk_refcnt), 2U);
}

/* What the peer acknowledged meanwhile does not go out again, though its ranges are forgotten. */
static void acknowledged_is_not_sent_again(struct kunit *test)
{
	struct fake_conn *conn = fake_flight(test);
	struct mptcp_sock *msk = conn->msk;

	msk->recovery = true;
	msk->snd_una = 1350;
	KUNIT_EXPECT_EQ(test, head_goes_over(msk, 1000, 1600), 0U);
	KUNIT_EXPECT_EQ(test, msk->snd_nxt, 2000ULL);
}

/* An ACK overtakes the decision to send something again: only the rest of it is sent. */
static void again_is_no_more_than_decided(struct kunit *test)
{
	struct fake_conn *conn = fake_flight(test);
	struct mptcp_subflow_context *helper = conn->subflow[2];
	struct mptcp_sendmsg_info info = {};
	struct mptcp_sock *msk = conn->msk;

	rcu_assign_pointer(conn->tp[2]->inet_conn.icsk_ulp_data, helper);
	spin_lock_init(&msk->fallback_lock);
	msk->allow_subflows = true;
	mptcp_sched_commit_again(msk, helper, 1, 1000, 150);
	KUNIT_ASSERT_TRUE(test, mptcp_sched_claim(msk, helper));
	msk->snd_una = 1160;
	KUNIT_EXPECT_EQ(test, mptcp_sched_push_other((struct sock *)msk,
						     (struct sock *)conn->tp[2], &info), 0);
	KUNIT_EXPECT_EQ(test, helper->sched_budget, 0U);
	KUNIT_EXPECT_FALSE(test, mptcp_ranges_find(msk->ranges, 1160)->again);
}

/* What went ahead on it, though nothing before that is in flight. */
static void lost_ahead_is_sent_again(struct kunit *test)
{
	struct fake_conn *conn = fake_flight(test);
	struct mptcp_sock *msk = conn->msk;
	u32 steps = MPTCP_SCHED_STEPS;

	msk->snd_una = 1600;
	while (list_first_entry(&msk->rtx_queue, struct mptcp_data_frag, list) !=
	       msk->first_pending)
		list_del(msk->rtx_queue.next);
	KUNIT_EXPECT_NULL(test, mptcp_rtx_head((struct sock *)msk));
	/* it can be given to a subflow then */
	KUNIT_EXPECT_NOT_NULL(test, mptcp_sched_dfrag(msk, conn->subflow[2], 1700, &steps));

	list_del(&conn->subflow[2]->node);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(msk));
	KUNIT_EXPECT_NOT_NULL(test, mptcp_rtx_head((struct sock *)msk));
	KUNIT_EXPECT_EQ(test, head_goes_over(msk, 1700, 1800), 100U);
	KUNIT_EXPECT_EQ(test, msk->sent_ahead, 0ULL);
}

/* Nothing, if it had nothing; all that nobody is known to have. */
static void lost_is_what_nobody_has(struct kunit *test)
{
	struct fake_conn *conn = fake_flight(test);
	struct mptcp_sock *msk = conn->msk;

	msk->snd_una = 1550;
	conn->subflow[1]->closing = 1;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_lost(msk));
	KUNIT_EXPECT_EQ(test, msk->snd_nxt, 1600ULL);
	KUNIT_EXPECT_EQ(test, mptcp_notsent(msk), 300ULL);

	msk->ranges->count = 0;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(msk));
	mptcp_ranges_add(msk->ranges, 1560, 40, 1);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(msk));
	msk->snd_una = 1560;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_lost(msk));

	/* a DATA_FIN is on its way on all of them */
	msk->write_seq = 1601;
	msk->snd_data_fin_enable = 1;
	msk->snd_nxt = 1601;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_lost(msk));
	msk->first_pending = NULL;
	KUNIT_EXPECT_EQ(test, mptcp_sched_head(msk), 1600ULL);
}

static struct mptcp_sched_ops fake_copies = { .copies = true };

/* One that is left has carried it: the head goes back to where the furthest got to. */
static void copied_is_not_lost(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct mptcp_data_frag *dfrag = fake_bytes(test, msk, 1000, 1000);
	int i;

	msk->sched = &fake_copies;
	for (i = 0; i < 600; i++)
		dfrag[i].already_sent = 1;
	msk->first_pending = &dfrag[600];
	msk->snd_nxt = 1600;
	msk->write_seq = 2000;
	/* since the last DATA_ACK, in pieces; up to the head, but for the first 50 bytes */
	mptcp_sched_carries(conn->subflow[0], 900, 300);
	mptcp_sched_carries(conn->subflow[0], 1200, 200);
	/* again, as after it was stale for a while */
	mptcp_sched_carries(conn->subflow[0], 1100, 100);
	mptcp_sched_carries(conn->subflow[1], 1050, 550);
	mptcp_sched_carries(conn->subflow[2], 1000, 600);
	conn->subflow[1]->stale = 1;
	KUNIT_EXPECT_EQ(test, mptcp_sched_copied(msk), 1600ULL);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_lost(msk));

	conn->subflow[2]->closing = 1;
	KUNIT_EXPECT_EQ(test, mptcp_sched_copied(msk), 1400ULL);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(msk));
	msk->first_pending = mptcp_rtx_head((struct sock *)msk);
	for (i = 0; i < 1000; i++)
		dfrag[i].already_sent = 0;
	mptcp_sched_go_on(msk);
	KUNIT_EXPECT_EQ(test, mptcp_sched_head(msk), 1400ULL);
	KUNIT_EXPECT_EQ(test, msk->snd_nxt, 1600ULL);

	/* with another scheduler all of it goes out again */
	msk->sched = NULL;
	for (i = 0; i < 1000; i++)
		dfrag[i].already_sent = 0;
	msk->first_pending = mptcp_rtx_head((struct sock *)msk);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_lost(msk));
	mptcp_sched_go_on(msk);
	KUNIT_EXPECT_EQ(test, mptcp_sched_head(msk), 1000ULL);
}

static void patience_ends(struct kunit *test)
{
	/* twice the RTT; more where it varies, is tiny, or a receiver may delay its ACK */
	KUNIT_EXPECT_EQ(test, mptcp_sched_patience(20000 << 3, 5000 << 2, false), 40000U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_patience(20000 << 3, 15000 << 2, false), 80000U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_patience(100 << 3, 10 << 2, false), 10000U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_patience(20000 << 3, 5000 << 2, true), 80000U);
}

/* Five segments of @i are in flight; the last that it delivered was @us ago. */
static void flying_for(struct fake_conn *conn, int i, u32 us)
{
	conn->tp[i]->packets_out = 5;
	conn->tp[i]->snd_nxt = 7000;
	conn->tp[i]->write_seq = 7000;
	conn->tp[i]->delivered_mstamp = tcp_clock_us() - us;
}

static void silent_subflow_is_noticed(struct kunit *test)
{
	struct mptcp_sched_ops ops = { .ext = BIT(MPTCP_SCHED_RS), .name = "rescuing" };
	struct mptcp_data_frag dfrag = { .data_seq = 1000, .data_len = 500 };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	u64 next;

	msk->sched = &ops;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_rescue_look(msk, &next));
	KUNIT_EXPECT_EQ(test, next, 0ULL);
	conn->tp[1]->srtt_us = 50000 << 3;
	flying_for(conn, 0, USEC_PER_SEC);
	flying_for(conn, 1, 20000);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_rescue_look(msk, &next));
	KUNIT_EXPECT_LE(test, next, 80000ULL);
	KUNIT_EXPECT_GT(test, next, 40000ULL);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_silent(conn->subflow[0]));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_silent(conn->subflow[1]));
	KUNIT_EXPECT_PTR_EQ(test, mptcp_sched_lowest_rtt(msk).subflow,
			    conn->subflow[2]);

	/* it answers */
	conn->tp[0]->delivered_mstamp++;
	KUNIT_EXPECT_PTR_EQ(test, mptcp_sched_lowest_rtt(msk).subflow,
			    conn->subflow[0]);

	/* what waits may go to another one: once each time that one turns silent */
	msk->first_pending = &dfrag;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_rescue_look(msk, &next));
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_silent(conn->subflow[0]));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_rescue_look(msk, &next));
	msk->first_pending = NULL;

	/* where nobody could help, nobody is: all go on trying */
	flying_for(conn, 1, USEC_PER_SEC);
	((struct sock *)conn->tp[2])->sk_state = TCP_CLOSE;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_rescue_look(msk, &next));
	KUNIT_EXPECT_GT(test, next, 0ULL);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_silent(conn->subflow[0]));

	/* one that is not silent any more, for want of helpers, gets what waits */
	((struct sock *)conn->tp[2])->sk_state = TCP_ESTABLISHED;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_silent(conn->subflow[0]));
	((struct sock *)conn->tp[2])->sk_state = TCP_CLOSE;
	msk->first_pending = &dfrag;
	KUNIT_EXPECT_TRUE(test, mptcp_sched_rescue_look(msk, &next));
}

/* It has data, and no route that it could be sent by. */
static void stuck_subflow_is_silent(struct kunit *test)
{
	struct mptcp_sched_ops ops = { .ext = BIT(MPTCP_SCHED_RS), .name = "rescuing" };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	u64 next;

	msk->sched = &ops;
	conn->tp[0]->write_seq = 1000;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_silent(conn->subflow[0]));
	KUNIT_EXPECT_GT(test, next, 0ULL);
	conn->subflow[0]->sched_stuck_at -= USEC_PER_SEC;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_silent(conn->subflow[0]));

	/* other data than was there then, as something was delivered since */
	conn->tp[0]->delivered_mstamp = tcp_clock_us() - USEC_PER_MSEC;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_silent(conn->subflow[0]));

	/* it goes out */
	conn->tp[0]->snd_nxt = 1000;
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_silent(conn->subflow[0]));
}

/* What it has is held back with intent: by the application, the peer's window. */
static void held_subflow_is_not_silent(struct kunit *test)
{
	struct mptcp_sched_ops ops = { .ext = BIT(MPTCP_SCHED_RS), .name = "rescuing" };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	struct tcp_sock *tp = conn->tp[0];
	u64 next;

	msk->sched = &ops;
	tp->write_seq = 300;
	tp->nonagle = TCP_NAGLE_CORK;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_EQ(test, conn->subflow[0]->sched_stuck_at, 0ULL);
	/* it may go out unseen */
	KUNIT_EXPECT_GT(test, next, 0ULL);
	tp->nonagle = 0;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_NE(test, conn->subflow[0]->sched_stuck_at, 0ULL);
	tp->snd_wnd = 200;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_EQ(test, conn->subflow[0]->sched_stuck_at, 0ULL);
	/* a whole segment is not held back by the cork */
	tp->snd_wnd = 65535;
	tp->nonagle = TCP_NAGLE_CORK;
	tp->write_seq = 5000;
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_NE(test, conn->subflow[0]->sched_stuck_at, 0ULL);
}

static void look_at(struct fake_conn *conn)
{
	struct mptcp_sock *msk = conn->msk;
	struct sock *sk = (struct sock *)msk;

	spin_lock_init(&sk->sk_lock.slock);
	refcount_set(&sk->sk_refcnt, 10);
	sk->sk_state = TCP_ESTABLISHED;
	timer_setup(&msk->sched_timer, mptcp_sched_timer, 0);
}

/* Who has the socket is not asked again and again, but looks when it gives it back. */
static void owner_looks_itself(struct kunit *test)
{
	struct mptcp_sched_ops ops = { .ext = BIT(MPTCP_SCHED_RS), .name = "rescuing" };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;

	msk->sched = &ops;
	look_at(conn);
	flying_for(conn, 0, USEC_PER_SEC);
	((struct sock *)msk)->sk_lock.owned = 1;
	mptcp_sched_timer(&msk->sched_timer);
	KUNIT_EXPECT_FALSE(test, timer_pending(&msk->sched_timer));
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_silent(conn->subflow[0]));
	KUNIT_EXPECT_EQ(test, msk->cb_flags, BIT(MPTCP_SCHED_LOOK));
}

/* The timer is for those from whom something is due, and who have one that could help. */
static void timer_is_set_for_a_reason(struct kunit *test)
{
	struct mptcp_sched_ops ops = { .ext = BIT(MPTCP_SCHED_RS), .name = "rescuing" };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	u64 next;

	msk->sched = &ops;
	look_at(conn);
	flying_for(conn, 0, 0);
	mptcp_sched_look(msk);
	KUNIT_EXPECT_TRUE(test, timer_pending(&msk->sched_timer));

	/* it is silent, and another one idle: only an acknowledgment changes that */
	flying_for(conn, 0, USEC_PER_SEC);
	mptcp_sched_look(msk);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_silent(conn->subflow[0]));
	KUNIT_EXPECT_FALSE(test, timer_pending(&msk->sched_timer));

	/* nobody can help: after twice the time each, and with any acknowledgment */
	flying_for(conn, 1, 2 * USEC_PER_SEC);
	flying_for(conn, 2, 2 * USEC_PER_SEC);
	mptcp_sched_rescue_look(msk, &next);
	KUNIT_EXPECT_GT(test, next, 900 * (u64)USEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, msk->sched_helpless);

	/* with one subflow there is none */
	((struct sock *)conn->tp[1])->sk_state = TCP_CLOSE;
	((struct sock *)conn->tp[2])->sk_state = TCP_CLOSE;
	mptcp_sched_look(msk);
	KUNIT_EXPECT_FALSE(test, timer_pending(&msk->sched_timer));
	mptcp_sched_watch(msk, conn->subflow[0]);
	KUNIT_EXPECT_FALSE(test, timer_pending(&msk->sched_timer));
}

static void silent_subflow_is_helped(struct kunit *test)
{
	struct mptcp_sched_ops ops = {
		.get_send	= counting_get_send,
		.ext		= BIT(MPTCP_SCHED_RS),
		.name		= "rescuing",
	};
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sock *msk = conn->msk;
	u64 next;

	asked = 0;
	msk->sched = &ops;
	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	mptcp_ranges_add(msk->ranges, 1000, 500, 1);
	mptcp_ranges_add(msk->ranges, 1500, 500, 2);
	mptcp_ranges_add(msk->ranges, 2500, 500, 1);
	msk->snd_una = 1200;
	msk->snd_nxt = 2000;
	flying_for(conn, 0, USEC_PER_SEC);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_rescue_look(msk, &next));

	/* what it owes of what was sent in turn goes to the next best */
	KUNIT_EXPECT_TRUE(test, mptcp_sched_has_work(msk));
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(msk), 0);
	KUNIT_EXPECT_TRUE(test, conn->subflow[1]->scheduled);
	KUNIT_EXPECT_EQ(test, conn->subflow[1]->sched_what, MPTCP_SCHED_SEND_AGAIN);
	KUNIT_EXPECT_EQ(test, conn->subflow[1]->sched_seq, 1200ULL);
	KUNIT_EXPECT_EQ(test, conn->subflow[1]->sched_again_of, 1U);

	/* once, and then there is nothing to do */
	mptcp_ranges_mark_again(msk->ranges, 1200, 300, 2);
	KUNIT_EXPECT_EQ(test, mptcp_sched_ask(msk), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_has_work(msk));
	KUNIT_EXPECT_EQ(test, asked, 0);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_rescue_look(msk, &next));
}

/* Text that a parser may write to. */
static char *text_of(struct kunit *test, const char *text)
{
	char *copy = kunit_kzalloc(test, strlen(text) + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, text, strlen(text));
	return copy;
}

static void path_words(struct kunit *test)
{
	struct mptcp_path_list *list;
	char buf[64];

	list = mptcp_path_parse(text_of(test, " lte0=10\tsat0=255\n"), MPTCP_PATH_KIND_PRICE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, list);
	mptcp_path_print(list, MPTCP_PATH_KIND_PRICE, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf, "lte0=10 sat0=255");
	/* what does not fit is cut, and ends */
	mptcp_path_print(list, MPTCP_PATH_KIND_PRICE, buf, 10);
	KUNIT_EXPECT_STREQ(test, buf, "lte0=10 s");
	kfree(list);

	mptcp_path_print(NULL, MPTCP_PATH_KIND_PRICE, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf, "");
	KUNIT_EXPECT_NULL(test, mptcp_path_parse(text_of(test, " \t\n"), MPTCP_PATH_KIND_PRICE));
	list = mptcp_path_parse(text_of(test, "a=1 a=2"), MPTCP_PATH_KIND_PRICE);
	KUNIT_EXPECT_EQ(test, PTR_ERR(list), -EINVAL);
	list = mptcp_path_parse(text_of(test, "a=0"), MPTCP_PATH_KIND_WEIGHT);
	KUNIT_EXPECT_EQ(test, PTR_ERR(list), -EINVAL);
}

static void path_peers(struct kunit *test)
{
	static const char * const wrong[] = {
		"10.0.0.0/33=1", "10.0.0/8=1", "::/129=1", "x/8=1", "/8=1", "10.0.0.1/=1",
		"10.0.0.1/-1=1", "10.0.0.1/8/8=1", "10.0.0.1/8=1 10.1.0.1/8=2",
	};
	struct mptcp_path_list *list;
	char buf[128];
	int i;

	list = mptcp_path_parse(text_of(test, "10.64.7.7/10=1 0.0.0.0/0=2 2001:db8::7/32=3 ::/0=4"),
				MPTCP_PATH_KIND_PRICE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, list);
	mptcp_path_print(list, MPTCP_PATH_KIND_PRICE, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf, "10.64.0.0/10=1 0.0.0.0/0=2 2001:db8::/32=3 ::/0=4");
	kfree(list);

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		list = mptcp_path_parse(text_of(test, wrong[i]), MPTCP_PATH_KIND_PRICE);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(list), -EINVAL, "%s", wrong[i]);
	}
}

static void path_lists_merge(struct kunit *test)
{
	struct mptcp_path_list *prices, *weights, *both, *changed;
	char buf[64];

	prices = mptcp_path_parse(text_of(test, "a=1 b=2"), MPTCP_PATH_KIND_PRICE);
	weights = mptcp_path_parse(text_of(test, "a=3"), MPTCP_PATH_KIND_WEIGHT);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, prices);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, weights);
	both = mptcp_path_merge(prices, weights, MPTCP_PATH_KIND_WEIGHT);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, both);
	mptcp_path_print(both, MPTCP_PATH_KIND_PRICE, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf, "a=1 b=2");
	mptcp_path_print(both, MPTCP_PATH_KIND_WEIGHT, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf, "a=3");

	/* one kind goes, the other one stays; nothing is left */
	changed = mptcp_path_merge(both, NULL, MPTCP_PATH_KIND_PRICE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, changed);
	mptcp_path_print(changed, MPTCP_PATH_KIND_PRICE, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf, "");
	KUNIT_EXPECT_NULL(test, mptcp_path_merge(changed, NULL, MPTCP_PATH_KIND_WEIGHT));
	KUNIT_EXPECT_NULL(test, mptcp_path_merge(NULL, NULL, MPTCP_PATH_KIND_PRICE));

	kfree(prices);
	kfree(weights);
	kfree(both);
	kfree(changed);
}

static void budget_words(struct kunit *test)
{
	time64_t since = 7;
	u32 period;
	u64 bytes;

	KUNIT_EXPECT_EQ(test, mptcp_path_parse_budget(text_of(test, "5G/30d"), &bytes, &period), 0);
	KUNIT_EXPECT_EQ(test, bytes, 5000000000ULL);
	KUNIT_EXPECT_EQ(test, period, 2592000U);
	KUNIT_EXPECT_EQ(test, mptcp_path_parse_budget(text_of(test, "0/1s"), &bytes, &period), 0);
	KUNIT_EXPECT_EQ(test, period, 1U);
	/* a letter counts once, and in its place */
	KUNIT_EXPECT_EQ(test, mptcp_path_parse_budget(text_of(test, "5GG/1d"), &bytes, &period),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, mptcp_path_parse_budget(text_of(test, "5d/1d"), &bytes, &period),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, mptcp_path_parse_budget(text_of(test, "G/1d"), &bytes, &period),
			-EINVAL);

	KUNIT_EXPECT_EQ(test, mptcp_path_parse_used(text_of(test, "3k"), &bytes, &since), 0);
	KUNIT_EXPECT_EQ(test, bytes, 3000ULL);
	KUNIT_EXPECT_EQ(test, since, 7);
	KUNIT_EXPECT_EQ(test, mptcp_path_parse_used(text_of(test, "3@9"), &bytes, &since), 0);
	KUNIT_EXPECT_EQ(test, since, 9);
}

static void budget_counts(struct kunit *test)
{
	struct mptcp_budget budget = { .bytes = 1000, .period = 100, .since = 1000 };

	/* at first sight nothing was used */
	mptcp_budget_count(&budget, 2, 5000);
	KUNIT_EXPECT_EQ(test, budget.used, 0ULL);
	mptcp_budget_count(&budget, 2, 5600);
	KUNIT_EXPECT_EQ(test, budget.used, 600ULL);
	/* the interface is another one, or counts anew */
	mptcp_budget_count(&budget, 3, 9000);
	KUNIT_EXPECT_EQ(test, budget.used, 600ULL);
	mptcp_budget_count(&budget, 3, 10);
	KUNIT_EXPECT_EQ(test, budget.used, 600ULL);
	mptcp_budget_count(&budget, 3, 20);
	KUNIT_EXPECT_EQ(test, budget.used, 610ULL);

	/* whatever somebody said was used before */
	budget.used = -5ULL;
	mptcp_budget_count(&budget, 3, 30);
	KUNIT_EXPECT_EQ(test, budget.used, U64_MAX);
	budget.used = 610;

	/* before the period, in it, at its end, and long after */
	mptcp_budget_renew(&budget, 5);
	mptcp_budget_renew(&budget, 1099);
	KUNIT_EXPECT_EQ(test, budget.used, 610ULL);
	mptcp_budget_renew(&budget, 1100);
	KUNIT_EXPECT_EQ(test, budget.used, 0ULL);
	KUNIT_EXPECT_EQ(test, budget.since, 1100);
	budget.used = 5;
	mptcp_budget_renew(&budget, 100000000250LL);
	KUNIT_EXPECT_EQ(test, budget.used, 0ULL);
	KUNIT_EXPECT_EQ(test, budget.since, 100000000200LL);
}

/* What is known of the paths holds on. */
static void fake_prices(struct fake_conn *conn, u8 first, u8 second, u8 third)
{
	const u8 prices[] = { first, second, third };
	int i;

	for (i = 0; i < ARRAY_SIZE(prices); i++) {
		conn->subflow[i]->sched_price = prices[i];
		conn->subflow[i]->sched_path_at = tcp_jiffies32 ?: 1;
	}
}

/* Who may be used, a bit each. */
static int affordable(struct fake_conn *conn, bool wnd_used_up)
{
	int i, who = 0;

	mptcp_sched_price_limit(conn->msk, wnd_used_up);
	for (i = 0; i < ARRAY_SIZE(conn->subflow); i++)
		who |= mptcp_sched_usable(conn->subflow[i], false) << i;
	return who;
}

static void full_since(struct mptcp_sock *msk, u32 ms)
{
	msk->sched_full_since = (u32)tcp_clock_ms() - ms;
}

static void dear_paths_wait(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_data_frag dfrag = { .data_len = 5000 };
	struct mptcp_sock *msk = conn->msk;

	msk->first_pending = &dfrag;
	fake_prices(conn, 10, 0, 20);
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 2);

	/* full, but not for long; nor if it is the window that all wait for */
	conn->tp[1]->packets_out = 12;
	full_since(msk, 50);
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 2);
	full_since(msk, 200);
	KUNIT_EXPECT_EQ(test, affordable(conn, true), 2);
	/* for long: one step, and both are used whatever room there is */
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 3);
	conn->tp[1]->packets_out = 0;
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 3);

	/* the next step */
	conn->tp[0]->packets_out = 12;
	conn->tp[1]->packets_out = 12;
	full_since(msk, 200);
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 7);
	/* what is written when nothing waits begins anew */
	mptcp_sched_begin(msk);
	conn->tp[1]->packets_out = 0;
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 2);
}

static void dear_paths_stand_in(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_data_frag dfrag = { .data_len = 5000 };

	conn->msk->first_pending = &dfrag;
	fake_prices(conn, 10, 0, 20);
	/* silent: with data in flight, and nothing delivered since */
	conn->tp[1]->packets_out = 5;
	conn->subflow[1]->sched_silent = true;
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 1);
	conn->subflow[1]->sched_silent = false;
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 2);
	/* closed */
	((struct sock *)conn->tp[1])->sk_state = TCP_CLOSE;
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 1);
	/* a backup, or one without a budget left, is none that is cheaper */
	((struct sock *)conn->tp[1])->sk_state = TCP_ESTABLISHED;
	conn->subflow[1]->sched_spent = true;
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 1);
	conn->subflow[0]->backup = 1;
	KUNIT_EXPECT_EQ(test, affordable(conn, false), 4);
}

static void clocks_of_weights(struct kunit *test)
{
	const u64 burst = mptcp_sched_weigh(MPTCP_SCHED_BURST, 1);

	KUNIT_EXPECT_EQ(test, mptcp_sched_weigh(3000, 3), 1000ULL << MPTCP_SCHED_CLOCK_SHIFT);
	/* the smallest segment shows on the clock of the heaviest */
	KUNIT_EXPECT_GT(test, mptcp_sched_weigh(1, 255), 0ULL);
	/* a subflow that has begun anew */
	KUNIT_EXPECT_EQ(test, mptcp_sched_weigh(1, 0), mptcp_sched_weigh(1, 1));
	/* one that goes with the others is left alone, one that stood still is not */
	KUNIT_EXPECT_EQ(test, mptcp_sched_put_forward(burst, burst + 1, 1), burst);
	KUNIT_EXPECT_EQ(test, mptcp_sched_put_forward(0, 2 * burst, 1), burst);
	KUNIT_EXPECT_EQ(test, mptcp_sched_put_forward(9 * burst, burst, 1), 9 * burst);
	/* also when clocks wrap */
	KUNIT_EXPECT_EQ(test, mptcp_sched_put_forward(5, -5ULL, 1), 5ULL);
}

/* With one path left there is no limit but TCP's, for what is sent again neither. */
static void last_path_sends(struct kunit *test)
{
	struct mptcp_data_frag dfrag = { .data_seq = 1500, .data_len = 500 };
	struct fake_conn *conn = fake_conn(test);
	struct mptcp_sched_ops *inorder;
	struct mptcp_sock *msk = conn->msk;

	request_module("mptcp_sched_inorder");
	inorder = mptcp_sched_find_get("inorder");
	if (!inorder)
		kunit_skip(test, "there is no \"inorder\"");

	/* more is in flight than "inorder" lets others have */
	conn->tp[0]->snd_cwnd = 1000;
	conn->tp[0]->packets_out = 100;
	((struct sock *)conn->tp[1])->sk_state = TCP_CLOSE;
	((struct sock *)conn->tp[2])->sk_state = TCP_CLOSE;
	msk->ranges = fake_ranges(test);
	KUNIT_ASSERT_NOT_NULL(test, msk->ranges);
	/* the peer waits for what nobody has any more */
	mptcp_ranges_add(msk->ranges, 1000, 500, 9);
	msk->first_pending = &dfrag;
	msk->snd_una = 1000;
	msk->snd_nxt = 1500;
	msk->write_seq = 2000;
	msk->wnd_end = 5000;
	/* where the clock is emulated, what was sent again at 0, that is never, was just now */
	msleep(20);
	KUNIT_EXPECT_EQ(test, inorder->get_send(msk), 0);
	KUNIT_EXPECT_TRUE(test, conn->subflow[0]->scheduled);
	KUNIT_EXPECT_EQ(test, conn->subflow[0]->sched_what, MPTCP_SCHED_SEND_HEAD);
	KUNIT_EXPECT_GT(test, conn->subflow[0]->sched_budget, 0U);
	module_put(inorder->owner);
}

static struct kunit_case mptcp_sched_cases[] = {
	KUNIT_CASE(room_counts_segments),
	KUNIT_CASE(ring_order),
	KUNIT_CASE(list_words),
	KUNIT_CASE(budget_ends_inside_fragment),
	KUNIT_CASE(window_after_a_pause),
	KUNIT_CASE(memory_is_asked_for),
	KUNIT_CASE(lowest_key_with_room),
	KUNIT_CASE(backups_stand_in_for_failures),
	KUNIT_CASE(used_up_window_is_told),
	KUNIT_CASE(used_up_window_is_probed),
	KUNIT_CASE(no_choice_is_no_decision),
	KUNIT_CASE(ahead_ranges),
	KUNIT_CASE(lead_leaves_out_ranges),
	KUNIT_CASE(ahead_is_sent),
	KUNIT_CASE(wanted_is_no_backlog),
	KUNIT_CASE(fin_follows_what_is_sent),
	KUNIT_CASE(ahead_ranges_are_limited),
	KUNIT_CASE(search_is_bounded),
	KUNIT_CASE(search_forgets),
	KUNIT_CASE(revoked_decision_is_void),
	KUNIT_CASE(out_of_turn_ends_fallback),
	KUNIT_CASE(wanted_buffer_shrinks),
	KUNIT_CASE(memory_of_ranges),
	KUNIT_CASE(default_lets_go),
	KUNIT_CASE(fast_paths_compare),
	KUNIT_CASE(composed_names),
	KUNIT_CASE(bufferbloat_limit),
	KUNIT_CASE(bufferbloat_remembers),
	KUNIT_CASE(search_is_remembered),
	KUNIT_CASE(search_finds_the_first),
	KUNIT_CASE(penalty_recovers),
	KUNIT_CASE(penalty_lasts_in_slow_start),
	KUNIT_CASE(half_read_una_is_not_believed),
	KUNIT_CASE(what_is_new_is_not_late),
	KUNIT_CASE(penalty_ends_while_idle),
	KUNIT_CASE(penalties_to_compare),
	KUNIT_CASE(sent_again_once),
	KUNIT_CASE(sent_again_in_a_full_table),
	KUNIT_CASE(sent_again_makes_place),
	KUNIT_CASE(lost_is_sent_again),
	KUNIT_CASE(fin_is_not_forgotten),
	KUNIT_CASE(acknowledged_is_not_sent_again),
	KUNIT_CASE(again_is_no_more_than_decided),
	KUNIT_CASE(lost_ahead_is_sent_again),
	KUNIT_CASE(lost_is_what_nobody_has),
	KUNIT_CASE(copied_is_not_lost),
	KUNIT_CASE(patience_ends),
	KUNIT_CASE(silent_subflow_is_noticed),
	KUNIT_CASE(stuck_subflow_is_silent),
	KUNIT_CASE(held_subflow_is_not_silent),
	KUNIT_CASE(owner_looks_itself),
	KUNIT_CASE(timer_is_set_for_a_reason),
	KUNIT_CASE(silent_subflow_is_helped),
	KUNIT_CASE(path_words),
	KUNIT_CASE(path_peers),
	KUNIT_CASE(path_lists_merge),
	KUNIT_CASE(budget_words),
	KUNIT_CASE(budget_counts),
	KUNIT_CASE(dear_paths_wait),
	KUNIT_CASE(dear_paths_stand_in),
	KUNIT_CASE(clocks_of_weights),
	KUNIT_CASE(last_path_sends),
	{}
};

static struct kunit_suite mptcp_sched_suite = {
	.name = "mptcp-sched",
	.test_cases = mptcp_sched_cases,
};

kunit_test_suite(mptcp_sched_suite);

/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of the MPTCP packet schedulers");
