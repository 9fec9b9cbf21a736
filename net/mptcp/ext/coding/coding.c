// SPDX-License-Identifier: GPL-2.0
/* Systematic coding: symbols from which the receiver computes what was lost, instead of waiting
 * for it
 *
 * From M. Li, "Improving the Efficiency of Multipath Transport Protocols", Aalto 2014: SC-MPTCP.
 * Where one path loses, what came by the others waits for a retransmission at the earliest. With
 * coding the sender cuts the data into generations of at most 32 segments' length, and sends up to
 * three redundant symbols with each, as much as the loss that it measures asks for. As many lost
 * segments are computed at once from what else arrived.
 *
 *	subflow 1   [data 1..16]
 *	subflow 2   [data 17..32][C: row 0 of data 1..32][C: row 1 of data 1..32]
 *
 * Off, unless net.mptcp.coding says otherwise. How it works, in short:
 *
 *  - The option beside MP_CAPABLE that asks for a control stream and grants it
 *    (ext/control/control.c) has another bit for this.
 *  - A symbol is payload of a subflow: TCP's sequence numbers have no holes, congestion control,
 *    retransmission, checksums and middleboxes treat it as they treat data. Its mapping has a bit
 *    C in the DSS option, and instead of a data sequence number these 64 bits:
 *
 *	+-------------------------------+---------------+-----+---------+
 *	| generation's data seq. number |  its length   | row |  check  |
 *	|         (lower 32)            |      (16)     | (2) |  (14)   |
 *	+-------------------------------+---------------+-----+---------+
 *
 *    The mapping's length is the symbol's size. There is no header in the payload, so that a
 *    symbol is as long as a segment of data may be: a segment that is lost is one symbol
 *    of a generation, not parts of two.
 *  - Symbols are never data: they have no data sequence numbers, are not in the retransmission
 *    queue of the connection, and nobody acknowledges them above TCP.
 *  - They are sent only while there are two subflows or more. With the second one both ends
 *    have given up falling back to TCP, where C would mean nothing and a symbol would be taken for
 *    data. As one has it anyway, nothing has to be opened.
 *
 * The thesis keeps one buffered symbol and subtracts from it each packet that arrives: each byte
 * of the connection is computed with twice, lost or not. Here the receiver looks only when
 * something is missing, and then subtracts what is still in the queues. What the application has
 * read of the generation, which is not more than one is long, it keeps until then (recv.c).
 * So it does not matter whether symbols come before the data or after it, and where nothing is
 * lost receiving costs next to nothing. He sends coefficients, random ones; here they are fixed
 * (codec.c).
 *
 * Middleboxes that change the payload are why there is a check: 14 bits of the CRC-32 of the
 * generation's data. Without MPTCP's checksums a changed segment is delivered as with TCP; but
 * what is computed from it would be rubbish in another segment's place.
 *
 * What can be said about trust: who can write into a subflow can put anything into the data
 * already, and a symbol changes only what has not arrived. A symbol that is wrong makes wrong data
 * of the peer's own connection, as a segment that is wrong does. Symbols that wait to be sent or
 * used and data that is kept are charged to the connection, and bounded; work is bounded for each
 * segment that arrives.
 *
 * Where what is: codec.c computes, rate.c decides how much, send.c and
 * recv.c are the two ends.
 *
 * Locking: symbols that arrive are under the data lock. What the sender has, and what of the
 * receiver's data is kept, is of whoever owns the connection's socket, or, while nobody does, of
 * who has the data lock. The struct is freed by RCU, since a subflow may outlive the connection;
 * under the data lock it is there or gone.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include "protocol.h"
#include "ext/coding/coding.h"
#include "mib.h"

struct mptcp_coding *mptcp_coding_alloc(gfp_t gfp)
{
	struct mptcp_coding *coding = kzalloc(sizeof(*coding), gfp);

	if (!coding)
		return NULL;

	__skb_queue_head_init(&coding->read);
	coding->loss = USEC_PER_SEC / 100;
	coding->agreed = true;
	return coding;
}

/* connect(): without memory it is as if nobody wanted it. */
void mptcp_coding_ask(struct mptcp_sock *msk)
{
	struct mptcp_coding *coding;

	if (!mptcp_coding_wanted(sock_net((struct sock *)msk)) || msk->fastopening ||
	    mptcp_coding_has(msk))
		return;

	coding = mptcp_coding_alloc(GFP_KERNEL_ACCOUNT);
	if (!coding)
		return;
	coding->agreed = false;
	coding->asked = true;
	rcu_assign_pointer(msk->coding, coding);
}

bool mptcp_coding_asks(const struct mptcp_sock *msk)
{
	const struct mptcp_coding *coding;
	bool asks;

	rcu_read_lock();
	coding = rcu_dereference(msk->coding);
	asks = coding && READ_ONCE(coding->asked);
	rcu_read_unlock();
	return asks;
}

bool mptcp_coding_agreed(const struct mptcp_sock *msk)
{
	const struct mptcp_coding *coding;
	bool agreed;

	rcu_read_lock();
	coding = rcu_dereference(msk->coding);
	agreed = coding && READ_ONCE(coding->agreed);
	rcu_read_unlock();
	return agreed;
}

/* The peer's key is known. @granted: by the SYN/ACK. Under the data lock. */
void mptcp_coding_start(struct mptcp_sock *msk, bool granted)
{
	struct mptcp_coding *coding;

	rcu_read_lock();
	coding = rcu_dereference(msk->coding);
	if (coding) {
		if (coding->asked)
			WRITE_ONCE(coding->agreed, granted);
		WRITE_ONCE(coding->asked, false);
		if (coding->agreed)
			MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_CODINGAGREED);
	}
	rcu_read_unlock();
}

/* The connection ends. Symbols that come yet are dropped. */
void mptcp_coding_stop(struct mptcp_sock *msk)
{
	struct mptcp_coding *coding;
	struct sock *sk = (struct sock *)msk;

	mptcp_data_lock(sk);
	coding = rcu_replace_pointer(msk->coding, NULL, lockdep_is_held(&sk->sk_lock.slock));
	if (coding) {
		WRITE_ONCE(coding->agreed, false);
		mptcp_coding_unsend(msk, coding);
		mptcp_coding_purge(coding);
	}
	mptcp_data_unlock(sk);
	if (coding)
		kfree_rcu(coding, rcu);
}
