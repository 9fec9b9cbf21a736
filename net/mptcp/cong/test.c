// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of MPTCP's congestion controls, without a network: fixed point
 * against double precision, what subflows see of each other, how windows grow.
 */

#include <kunit/test.h>
#include <linux/prandom.h>
#include "protocol.h"
#include "cong/cong.h"

#define FUZZ_ROUNDS	20000

/* What tools/cong-model computes: an increase in 2^-40 segments, other numbers of
 * segments in 1/1024.
 */
struct cong_vector {
	unsigned int paths;
	struct {
		u32 cwnd, rtt_us, mss, interval;
	} path[8];
	s64 lia, olia, balia;
	s64 balia_cut, wvegas_target, wvegas_queued;
};

#include "cong/vectors.h"

static void fill_path(struct mptcp_cong_path *path, u32 cwnd, u32 rtt_us, u32 mss, u32 interval)
{
	mptcp_cong_set_path(path, cwnd, mss, rtt_us);
	path->interval = interval;
}

static void fill_view(struct mptcp_cong_view *view, const struct cong_vector *vector)
{
	unsigned int i;

	memset(view, 0, sizeof(*view));
	view->paths = vector->paths;
	for (i = 0; i < view->paths; i++) {
		fill_path(&view->path[i], vector->path[i].cwnd, vector->path[i].rtt_us,
			  vector->path[i].mss, vector->path[i].interval);
		view->rate += view->path[i].rate;
	}
}

/* Within 1 %, or @least */
static void expect_near(struct kunit *test, const char *what, unsigned int state,
			s64 got, s64 want, s64 least)
{
	s64 error = abs(got - want), allowed = max_t(s64, abs(want) / 100, least);

	KUNIT_EXPECT_LE_MSG(test, error, allowed, "%s of state %u: %lld, not %lld",
			    what, state, got, want);
}

static void as_in_double_precision(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cong_vectors); i++) {
		const struct cong_vector *want = &cong_vectors[i];
		u32 cwnd = want->path[0].cwnd, rtt = want->path[0].rtt_us;
		struct mptcp_cong_view view;
		s64 reno;

		fill_view(&view, want);
		reno = mptcp_cong_reno(&view.path[0]);
		expect_near(test, "lia", i, mptcp_cong_lia(&view), want->lia, 2);
		expect_near(test, "olia", i, min(mptcp_cong_olia(&view), reno), want->olia, 2);
		expect_near(test, "balia", i, min(mptcp_cong_balia(&view), reno), want->balia, 2);
		expect_near(test, "ewlia, n = 3", i, mptcp_cong_ewlia(&view, 3, 1),
			    div_s64(want->lia, 3), 2);
		expect_near(test, "ewlia, n = 3, squared", i, mptcp_cong_ewlia(&view, 3, 2),
			    div_s64(want->lia, 9), 2);
		expect_near(test, "balia's cut", i, mptcp_cong_balia_cut(&view, cwnd) * 1024LL,
			    want->balia_cut, 1024);
		expect_near(test, "wvegas' target", i, mptcp_cong_wvegas_target(&view),
			    want->wvegas_target, 2);
		expect_near(test, "wvegas' queue", i,
			    mptcp_cong_wvegas_queued(cwnd, max(rtt / 2, 1U), rtt),
			    want->wvegas_queued, 2);
	}
}

/* Anything a torn read could make of a sibling, or of the subflow itself. */
static void random_path(struct rnd_state *rnd, struct mptcp_cong_path *path)
{
	fill_path(path, prandom_u32_state(rnd) >> (prandom_u32_state(rnd) % 32),
		  prandom_u32_state(rnd) >> (prandom_u32_state(rnd) % 32),
		  prandom_u32_state(rnd) >> (prandom_u32_state(rnd) % 32),
		  prandom_u32_state(rnd) >> (prandom_u32_state(rnd) % 32));
	if (prandom_u32_state(rnd) % 4)
		return;
	/* the rate of another window */
	path->wnd = clamp_t(u32, prandom_u32_state(rnd), 1, MPTCP_CONG_WND_MAX);
}

/* Nothing overflows, nothing divides by zero, nobody exceeds Reno. */
static void any_state_gives_an_increase(struct kunit *test)
{
	struct mptcp_cong_view *view = kunit_kzalloc(test, sizeof(*view), GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int n, i;

	KUNIT_ASSERT_NOT_NULL(test, view);
	prandom_seed_state(&rnd, 1);
	for (n = 0; n < FUZZ_ROUNDS; n++) {
		s64 reno, lia, olia, balia;

		view->paths = 1 + prandom_u32_state(&rnd) % MPTCP_CONG_PATHS;
		view->rate = 0;
		for (i = 0; i < view->paths; i++) {
			random_path(&rnd, &view->path[i]);
			view->rate += view->path[i].rate;
		}
		reno = mptcp_cong_reno(&view->path[0]);
		lia = mptcp_cong_lia(view);
		olia = mptcp_cong_olia(view);
		balia = mptcp_cong_balia(view);

		KUNIT_ASSERT_GT(test, reno, 0LL);
		KUNIT_ASSERT_LE(test, reno, (s64)MPTCP_CONG_ONE);
		KUNIT_ASSERT_GE(test, lia, 0LL);
		KUNIT_ASSERT_LE(test, lia, reno);
		KUNIT_ASSERT_GE(test, olia, -reno);
		KUNIT_ASSERT_GE(test, balia, 0LL);
		KUNIT_ASSERT_LE(test, mptcp_cong_wvegas_target(view), 10U << 10);
		KUNIT_ASSERT_GE(test, mptcp_cong_wvegas_target(view), 2U << 10);
		KUNIT_ASSERT_LE(test, mptcp_cong_balia_cut(view, BIT(20)), BIT(20));
	}
}

static void one_path_is_reno(struct kunit *test)
{
	struct mptcp_cong_view view = { .paths = 1 };
	u32 cwnd;

	for (cwnd = 1; cwnd <= 100000; cwnd = cwnd * 3 + 1) {
		s64 reno;

		fill_path(&view.path[0], cwnd, 30000, 1428, 1);
		view.rate = view.path[0].rate;
		reno = mptcp_cong_reno(&view.path[0]);
		expect_near(test, "reno", cwnd, reno, div_u64(MPTCP_CONG_ONE, cwnd), 1);
		expect_near(test, "lia", cwnd, mptcp_cong_lia(&view), reno, 1);
		expect_near(test, "olia", cwnd, mptcp_cong_olia(&view), reno, 1);
		expect_near(test, "balia", cwnd, mptcp_cong_balia(&view), reno, 1);
	}
}

static void window_that_is_not_used_is_not_lacking(struct kunit *test)
{
	struct mptcp_cong_view view = { .paths = 2 };
	s64 linked;

	fill_path(&view.path[0], 100, 20000, 1000, 1000);
	fill_path(&view.path[1], 50, 20000, 1000, 100000);
	view.rate = view.path[0].rate + view.path[1].rate;
	linked = mptcp_cong_linked(&view, 0);

	/* the other one is better and has less: give way, unless it is idle */
	KUNIT_EXPECT_LT(test, mptcp_cong_olia(&view), linked);
	view.path[1].limited = false;
	KUNIT_EXPECT_EQ(test, mptcp_cong_olia(&view), linked);
}

static void window_that_is_not_used_is_not_best(struct kunit *test)
{
	struct mptcp_cong_view view = { .paths = 2 };
	s64 linked;

	fill_path(&view.path[0], 50, 20000, 1000, 1000);
	fill_path(&view.path[1], 100, 20000, 1000, 100000);
	view.rate = view.path[0].rate + view.path[1].rate;
	linked = mptcp_cong_linked(&view, 0);

	/* the other one is better and has more: so be it, unless it is idle */
	KUNIT_EXPECT_EQ(test, mptcp_cong_olia(&view), linked);
	view.path[1].limited = false;
	KUNIT_EXPECT_GT(test, mptcp_cong_olia(&view), linked);
}

static void exact_comparison(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, mptcp_cong_less(U64_MAX, U32_MAX - 1, U64_MAX, U32_MAX));
	KUNIT_EXPECT_FALSE(test, mptcp_cong_less(U64_MAX, U32_MAX, U64_MAX, U32_MAX));
	KUNIT_EXPECT_TRUE(test, mptcp_cong_less(U64_MAX - 1, U32_MAX, U64_MAX, U32_MAX));
	KUNIT_EXPECT_FALSE(test, mptcp_cong_less(U64_MAX, U32_MAX, U64_MAX - 1, U32_MAX));
	/* they differ in the lowest bit only */
	KUNIT_EXPECT_TRUE(test, mptcp_cong_less(BIT_ULL(33), 3, 3 * BIT_ULL(33) + 1, 1));
	KUNIT_EXPECT_FALSE(test, mptcp_cong_less(3 * BIT_ULL(33) + 1, 1, BIT_ULL(33), 3));
	KUNIT_EXPECT_FALSE(test, mptcp_cong_less(0, 0, 0, 1));
}

static struct tcp_sock *fake_tcp(struct kunit *test, u32 cwnd)
{
	struct tcp_sock *tp = kunit_kzalloc(test, sizeof(*tp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tp);
	((struct sock *)tp)->sk_protocol = IPPROTO_TCP;
	tp->snd_cwnd = cwnd;
	tp->snd_cwnd_clamp = ~0;
	tp->snd_ssthresh = 5;
	tp->is_cwnd_limited = 1;
	tp->mss_cache = 1000;
	tp->srtt_us = 20000 << 3;
	return tp;
}

/* A connection with subflows that exist as far as congestion control looks. */
struct fake_conn {
	struct mptcp_sock *msk;
	struct tcp_sock *tp[3];
};

static struct sock *fake_subflow(struct kunit *test, struct fake_conn *conn, int i)
{
	struct tcp_sock *tp = fake_tcp(test, 10 * (i + 1));
	struct mptcp_subflow_context *subflow;

	subflow = kunit_kzalloc(test, sizeof(*subflow), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, subflow);

	subflow->conn = (struct sock *)conn->msk;
	rcu_assign_pointer(inet_csk((struct sock *)tp)->icsk_ulp_data, subflow);
	tp->is_mptcp = 1;
	conn->tp[i] = tp;
	return (struct sock *)tp;
}

static struct fake_conn *fake_conn(struct kunit *test)
{
	struct fake_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, conn);
	conn->msk = kunit_kzalloc(test, sizeof(*conn->msk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, conn->msk);
	((struct sock *)conn->msk)->sk_protocol = IPPROTO_MPTCP;
	refcount_set(&((struct sock *)conn->msk)->sk_refcnt, 1);
	INIT_LIST_HEAD(&conn->msk->cong_list);
	spin_lock_init(&conn->msk->cong_lock);

	for (i = 0; i < ARRAY_SIZE(conn->tp); i++)
		mptcp_cong_init(fake_subflow(test, conn, i));
	return conn;
}

static void subflows_see_each_other(struct kunit *test)
{
	struct fake_conn *conn = fake_conn(test);
	struct sock *first = (struct sock *)conn->tp[0];
	struct mptcp_cong_view view;

	/* nobody has said anything yet */
	mptcp_cong_look(first, &view);
	KUNIT_EXPECT_EQ(test, view.paths, 1U);
	KUNIT_EXPECT_EQ(test, view.path[0].wnd, 10000U);

	/* the first one has, and sees what the second one says, but not itself twice */
	mptcp_cong_look((struct sock *)conn->tp[1], &view);
	KUNIT_EXPECT_EQ(test, view.paths, 2U);
	KUNIT_EXPECT_EQ(test, view.path[0].wnd, 20000U);
	KUNIT_EXPECT_EQ(test, view.path[1].wnd, 10000U);
	KUNIT_EXPECT_EQ(test, view.rate, view.path[0].rate + view.path[1].rate);

	/* what is not used does not count */
	conn->tp[1]->is_cwnd_limited = 0;
	conn->tp[1]->max_packets_out = 3;
	mptcp_cong_look((struct sock *)conn->tp[1], &view);
	KUNIT_EXPECT_EQ(test, view.path[0].wnd, 3000U);

	/* a loss: what counts is where the window will end */
	conn->tp[1]->snd_ssthresh = 7;
	mptcp_cong_set_state((struct sock *)conn->tp[1], TCP_CA_Recovery);
	mptcp_cong_look(first, &view);
	KUNIT_EXPECT_EQ(test, view.paths, 2U);
	KUNIT_EXPECT_EQ(test, view.path[1].wnd, 7000U);

	/* without a sample of the RTT nothing is known */
	conn->tp[2]->srtt_us = 0;
	mptcp_cong_look((struct sock *)conn->tp[2], &view);
	KUNIT_EXPECT_EQ(test, view.rate, 0ULL);
	mptcp_cong_look(first, &view);
	KUNIT_EXPECT_EQ(test, view.paths, 2U);

	/* one leaves; each had a reference on the connection */
	KUNIT_EXPECT_EQ(test, refcount_read(&((struct sock *)conn->msk)->sk_refcnt), 4);
	mptcp_cong_release((struct sock *)conn->tp[1]);
	mptcp_cong_release((struct sock *)conn->tp[1]);
	mptcp_cong_look(first, &view);
	KUNIT_EXPECT_EQ(test, view.paths, 1U);
	mptcp_cong_release((struct sock *)conn->tp[2]);
	mptcp_cong_release(first);
	KUNIT_EXPECT_EQ(test, refcount_read(&((struct sock *)conn->msk)->sk_refcnt), 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->msk->cong_list));
}

static void plain_tcp_is_alone(struct kunit *test)
{
	struct sock *sk = (struct sock *)fake_tcp(test, 10);
	struct mptcp_cong_view view;

	mptcp_cong_init(sk);
	mptcp_cong_look(sk, &view);
	KUNIT_EXPECT_EQ(test, view.paths, 1U);
	KUNIT_EXPECT_EQ(test, view.rate, view.path[0].rate);
	mptcp_cong_set_state(sk, TCP_CA_Recovery);
	mptcp_cong_release(sk);
}

static void windows_grow_by_parts(struct kunit *test)
{
	struct tcp_sock *tp = fake_tcp(test, 100);
	struct sock *sk = (struct sock *)tp;
	int i;

	tp->snd_cwnd_clamp = 200;
	tp->snd_ssthresh = 50;

	/* a thousand times a hundredth, nothing is lost */
	for (i = 0; i < 1000; i++)
		mptcp_cong_grow(sk, MPTCP_CONG_ONE / 100 + 1, 1);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, 110U);
	mptcp_cong_grow(sk, MPTCP_CONG_ONE / 4, 10);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, 112U);
	mptcp_cong_grow(sk, MPTCP_CONG_ONE / 4, 2);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, 113U);
	KUNIT_EXPECT_EQ(test, tp->snd_ssthresh, 50U);

	/* a loss makes what was not added yet void */
	mptcp_cong_grow(sk, MPTCP_CONG_ONE / 2, 1);
	mptcp_cong_set_state(sk, TCP_CA_Recovery);
	mptcp_cong_grow(sk, MPTCP_CONG_ONE / 2, 1);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, 113U);
	mptcp_cong_set_state(sk, TCP_CA_Recovery);

	/* down, and not back by slow start */
	mptcp_cong_grow(sk, -(s64)MPTCP_CONG_ONE, 100);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, 13U);
	KUNIT_EXPECT_EQ(test, tp->snd_ssthresh, 13U);

	/* limits */
	mptcp_cong_grow(sk, -(s64)MPTCP_CONG_ONE, 100);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, 1U);
	mptcp_cong_grow(sk, MPTCP_CONG_ONE, U32_MAX);
	KUNIT_EXPECT_EQ(test, tp->snd_cwnd, 200U);
}

static int restarts;

static void count_restarts(struct sock *sk, enum tcp_ca_event event)
{
	restarts += event == CA_EVENT_CWND_RESTART;
}

static int set_weight(struct socket *sock, int weight)
{
	return sock->ops->setsockopt(sock, SOL_MPTCP, MPTCP_CONG_WEIGHT,
				     KERNEL_SOCKPTR(&weight), sizeof(weight));
}

static void weight_is_for_ewlia_only(struct kunit *test)
{
	struct tcp_congestion_ops ewlia = { .name = "ewlia", .cwnd_event = count_restarts };
	struct tcp_congestion_ops other = { .name = "other", .cwnd_event = count_restarts };
	struct sockaddr_in any = { .sin_family = AF_INET };
	const struct tcp_congestion_ops *before;
	struct inet_connection_sock *icsk;
	struct socket *sock;

	restarts = 0;
	/* as a user's: to lockdep, a kernel socket and its subflow have the same lock */
	KUNIT_ASSERT_EQ(test, 0, sock_create(AF_INET, SOCK_STREAM, IPPROTO_MPTCP, &sock));
	/* gives it a subflow */
	KUNIT_EXPECT_EQ(test, 0, kernel_bind(sock, (void *)&any, sizeof(any)));
	icsk = inet_csk(mptcp_sk(sock->sk)->first);
	before = icsk->icsk_ca_ops;

	/* as if it had begun there */
	icsk->icsk_ca_initialized = 1;
	icsk->icsk_ca_ops = &other;
	KUNIT_EXPECT_EQ(test, 0, set_weight(sock, 2));
	KUNIT_EXPECT_EQ(test, 0, restarts);
	icsk->icsk_ca_ops = &ewlia;
	KUNIT_EXPECT_EQ(test, 0, set_weight(sock, 3));
	KUNIT_EXPECT_EQ(test, 1, restarts);

	icsk->icsk_ca_initialized = 0;
	icsk->icsk_ca_ops = before;
	sock_release(sock);
}

/* TCP sets the window of a subflow that joins when its handshake ends. */
static void ewlia_begins_with_its_window(struct kunit *test)
{
	struct inet_connection_sock *icsk;
	char name[] = "ewlia";
	struct socket *sock;
	struct sock *sk;
	int err;

	KUNIT_ASSERT_EQ(test, 0, sock_create(AF_INET, SOCK_STREAM, IPPROTO_TCP, &sock));
	sk = sock->sk;
	icsk = inet_csk(sk);
	err = sock->ops->setsockopt(sock, SOL_TCP, TCP_CONGESTION, KERNEL_SOCKPTR(name),
				    sizeof(name));
	if (err) {
		sock_release(sock);
		kunit_skip(test, "there is no ewlia");
	}

	lock_sock(sk);
	tcp_snd_cwnd_set(tcp_sk(sk), 3);
	icsk->icsk_ca_ops->init(sk);
	icsk->icsk_ca_initialized = 1;
	tcp_snd_cwnd_set(tcp_sk(sk), TCP_INIT_CWND);
	tcp_ca_event(sk, CA_EVENT_TX_START);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), 3U);
	release_sock(sk);
	sock_release(sock);
}

static struct kunit_case mptcp_cong_cases[] = {
	KUNIT_CASE(as_in_double_precision),
	KUNIT_CASE(any_state_gives_an_increase),
	KUNIT_CASE(one_path_is_reno),
	KUNIT_CASE(window_that_is_not_used_is_not_lacking),
	KUNIT_CASE(window_that_is_not_used_is_not_best),
	KUNIT_CASE(exact_comparison),
	KUNIT_CASE(subflows_see_each_other),
	KUNIT_CASE(plain_tcp_is_alone),
	KUNIT_CASE(windows_grow_by_parts),
	KUNIT_CASE(weight_is_for_ewlia_only),
	KUNIT_CASE(ewlia_begins_with_its_window),
	{}
};

static struct kunit_suite mptcp_cong_suite = {
	.name = "mptcp-cong",
	.test_cases = mptcp_cong_cases,
};

kunit_test_suite(mptcp_cong_suite);

/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of MPTCP's congestion controls");
