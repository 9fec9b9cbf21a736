// SPDX-License-Identifier: GPL-2.0
/* The control stream: what both ends tell each other reliably, beside the data
 *
 * From C. Paasch, "Improving Multipath TCP", PhD thesis, Louvain 2014, section 6.3. MPTCP tells
 * of addresses and priorities in TCP's options. They are lost with the segment, nobody sends a
 * REMOVE_ADDR again, and there are 40 bytes. The control stream is a second sequence of bytes
 * in the payload of the subflows, with its own mappings and acknowledgments: a bit S in the
 * DSS option tells it from the data. It holds TLVs; one at a time is on its way.
 *
 *	subflow 1   [data 1..3][S: TLV][data 4..5]
 *	subflow 2       [data 6..8]        [S: TLV again, if no answer came]
 *
 * Off, unless net.mptcp.control_stream or the socket option MPTCP_CONTROL says otherwise.
 * Documentation/control-stream.md draws the formats; in short:
 *
 *  - An option of 4 bytes beside MP_CAPABLE in SYN and SYN/ACK asks and grants. With SYN
 *    cookies it is not granted: nothing could remember it.
 *  - What is negotiated is not used yet. Bytes of control may never be taken for data, but an
 *    end that sees a segment without a mapping falls back to TCP and takes it for data.
 *    So who wants to send asks first (S in a DSS with neither map nor acknowledgment), and
 *    the peer gives up falling back for good, as it does when a second subflow joins, before
 *    it answers with the first S acknowledgment. Both are pure ACKs: nothing can come of
 *    them. Middleboxes that appear later cost the subflow, as with several.
 *  - What the kernel has to say of addresses goes over the stream only once the path has
 *    proven to pass data, or several subflows exist. Until then it goes in options, and
 *    falling back remains possible. An application's TLV is sent in any case.
 *
 * The thesis has no such handshake: it does not treat fallback. It has the same sequence
 * numbers, S and TLVs. "In flight: one TLV" makes a window of its own unnecessary; here
 * values are 1 KB at most, so that they fit a page.
 *
 * Where what is: send.c gets TLVs to the peer, recv.c takes the peer's,
 * tlv.c knows the kernel's own types, sockopt.c is what applications see.
 *
 * Locking: control->lock, innermost, for what softirqs write: all above "page" in struct
 * mptcp_control. A subflow's lock or the data lock may be held around it. The rest
 * is under the msk lock: sending, answering and reading TLVs is the worker's. The struct
 * lives as long as the socket, since a subflow may outlive the connection.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include "protocol.h"
#include "ext/control/control.h"
#include "mib.h"

/* Of the socket, or else of the network namespace */
bool mptcp_control_wanted(const struct mptcp_sock *msk)
{
	u8 want = READ_ONCE(msk->control_want);

	return want ? want == MPTCP_CONTROL_WANT_ON :
		      mptcp_control_stream(sock_net((const struct sock *)msk));
}

static void control_timer(struct timer_list *t)
{
	struct mptcp_control *control = from_timer(control, t, timer);
	struct sock *sk = control->sk;

	WRITE_ONCE(control->expired, true);
	mptcp_schedule_work(sk);
	sock_put(sk);
}

struct mptcp_control *mptcp_control_alloc(gfp_t gfp)
{
	struct mptcp_control *control = kzalloc(sizeof(*control), gfp);

	if (!control)
		return NULL;

	spin_lock_init(&control->lock);
	__skb_queue_head_init(&control->unread);
	__skb_queue_head_init(&control->deferred);
	INIT_LIST_HEAD(&control->queue);
	timer_setup(&control->timer, control_timer, 0);
	return control;
}

/* The last reference is gone, those of subflows, too. */
static void control_destruct(struct sock *sk)
{
	struct mptcp_control *control = mptcp_sk(sk)->control;
	void (*destruct)(struct sock *sk) = control->destruct;

	mptcp_control_forget(control);
	mptcp_sk(sk)->control = NULL;
	kfree(control);
	destruct(sk);
}

static void control_attach(struct sock *sk, struct mptcp_control *control)
{
	control->sk = sk;
	control->destruct = sk->sk_destruct;
	/* Pairs with mptcp_control() of those without a lock. A clone that is made meanwhile undoes
	 * the other one if it sees this.
	 */
	smp_store_release(&mptcp_sk(sk)->control, control);
	/* behind it, see above */
	smp_store_release(&sk->sk_destruct, control_destruct);
}

/* connect(): without memory it is as if nobody wanted it. In a SYN with data, options are
 * short of room.
 */
void mptcp_control_ask(struct mptcp_sock *msk)
{
	struct mptcp_control *control = msk->control;

	if (!mptcp_control_wanted(msk) || msk->fastopening)
		return;
	if (!control) {
		control = mptcp_control_alloc(GFP_KERNEL_ACCOUNT);
		if (!control)
			return;
		control_attach((struct sock *)msk, control);
	}
	WRITE_ONCE(control->state, MPTCP_CONTROL_ASKED);
}

bool mptcp_control_asks(const struct mptcp_sock *msk)
{
	const struct mptcp_control *control = mptcp_control(msk);

	return control && READ_ONCE(control->state) == MPTCP_CONTROL_ASKED;
}

/* A new passive connection is a copy of its listener, which may have been a connection. */
void mptcp_control_clone(struct sock *nsk, const struct sock *sk, struct mptcp_control *control)
{
	const struct mptcp_control *copied;

	/* sk_destruct was copied before: pairs with control_attach() */
	smp_rmb();
	copied = READ_ONCE(mptcp_sk(sk)->control);
	mptcp_sk(nsk)->control = NULL;
	if (copied)
		nsk->sk_destruct = copied->destruct;
	if (!control)
		return;
	control->state = MPTCP_CONTROL_AGREED;
	control_attach(nsk, control);
}

/* The peer's key is known, and so where both streams begin, as the data does. @granted: by the
 * SYN/ACK. Under the data lock.
 */
void mptcp_control_start(struct mptcp_sock *msk, u64 idsn, u64 iasn, bool granted)
{
	struct mptcp_control *control = msk->control;

	spin_lock_bh(&control->lock);
	control->snd_una = idsn + 1;
	control->snd_nxt = control->snd_una;
	control->rcv_una = iasn;
	control->rcv_got = 0;
	if (control->state == MPTCP_CONTROL_ASKED)
		WRITE_ONCE(control->state,
			   granted ? MPTCP_CONTROL_AGREED : MPTCP_CONTROL_REFUSED);
	if (control->state == MPTCP_CONTROL_AGREED)
		MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLAGREED);
	spin_unlock_bh(&control->lock);
}

/* The connection ends. A segment that comes yet, on a subflow that closes, changes nothing. */
void mptcp_control_stop(struct mptcp_sock *msk)
{
	struct mptcp_control *control = msk->control;

	if (!control)
		return;

	spin_lock_bh(&control->lock);
	WRITE_ONCE(control->state, MPTCP_CONTROL_OFF);
	spin_unlock_bh(&control->lock);
	sk_stop_timer(control->sk, &control->timer);
	mptcp_control_forget(control);
	memset(&control->info, 0, sizeof(control->info));
}

/* The worker's part */
void mptcp_control_work(struct mptcp_sock *msk)
{
	struct mptcp_control *control = msk->control;

	msk_owned_by_me(msk);
	if (!mptcp_control_agreed(control))
		return;

	mptcp_control_receive(msk, control);
	mptcp_control_answer(msk, control);
	if (mptcp_control_sends(control))
		mptcp_control_send(msk, control);
}
