/* SPDX-License-Identifier: GPL-2.0 */
/* The control stream, see control.c */
#ifndef _MPTCP_CONTROL_H
#define _MPTCP_CONTROL_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/skbuff.h>
#include <linux/sockptr.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include "protocol.h"
#include "ext/sysctl.h"

#ifdef MPTCP_PRIVATE_CONTROL

/* MPTCP_CONTROL of a socket that has it set */
#define MPTCP_CONTROL_WANT_ON		1
#define MPTCP_CONTROL_WANT_OFF		2

/* Types of TLVs. Those of addresses are the kernel's own. */
#define MPTCP_CONTROL_ADD_ADDR		1
#define MPTCP_CONTROL_REMOVE_ADDR	2
#define MPTCP_CONTROL_PRIO		3
#define MPTCP_CONTROL_APPLICATION	0x8000

#define MPTCP_CONTROL_HEADER		4
/* What ends the value of one of the kernel's */
#define MPTCP_CONTROL_HMAC		8
/* The longest value that is sent, or kept when it is received */
#define MPTCP_CONTROL_MAX		1024
/* Those of the kernel, which are taken in any case, are not longer. */
#define MPTCP_CONTROL_SMALL		32
/* TLVs about addresses that wait to be sent, and those that wait for the application */
#define MPTCP_CONTROL_QUEUE		16
#define MPTCP_CONTROL_UNREAD		8

/* How the peer says that an address is removed */
enum mptcp_control_by {
	MPTCP_CONTROL_BY_OPTION,
	MPTCP_CONTROL_BY_TLV,
};

/* Ids that the one said is removed, while the other one has not */
struct mptcp_control_removed {
	DECLARE_BITMAP(ids, MPTCP_PM_MAX_ADDR_ID + 1);
	unsigned long when;	/* jiffies: the last of them */
};

/* What the next pure ACK of a subflow says of the control stream */
enum mptcp_control_say {
	MPTCP_CONTROL_SAY_NOTHING,
	MPTCP_CONTROL_SAY_ASK,
	MPTCP_CONTROL_SAY_ACK,
};

/* A TLV that waits: without its HMAC, which says where in the stream it is */
struct mptcp_control_msg {
	struct list_head list;
	u16 type;
	u16 len;
	u8 value[];
};

/* Of a value that came */
struct mptcp_control_cb {
	u64 seq;	/* where the TLV begins in the stream */
	u16 type;
};

#define MPTCP_CONTROL_CB(skb)	((struct mptcp_control_cb *)&(skb)->cb[0])

struct mptcp_control {
	spinlock_t lock;		/* what softirqs write, see control.c */
	struct sock *sk;
	void (*destruct)(struct sock *sk);	/* of the socket, before ours */
	u8 state;		/* MPTCP_CONTROL_OFF, ... */

	/* The peer's TLV that comes */
	bool rcv_done;		/* it is whole, and waits for the worker */
	bool answer;		/* an acknowledgment is due */
	u8 rcv_header[MPTCP_CONTROL_HEADER];
	struct sk_buff *rcv_value;	/* as far as it came; NULL: too long to be kept */
	int rcv_size;		/* memory of that, and of those that wait to be read: data lock */
	u32 rcv_got;		/* bytes of both */
	u32 rcv_on;		/* subflow_id of the subflow that it came by last */
	u64 rcv_una;		/* where it begins: all in front is acknowledged */
	DECLARE_BITMAP(announced, MPTCP_PM_MAX_ADDR_ID + 1);	/* by TLV: they need no echo */
	struct mptcp_control_removed removed[2];	/* said by enum mptcp_control_by */

	/* Ours that wait, and the one that is on its way: its bytes are in the page */
	struct list_head queue;
	struct mptcp_control_msg *sending;
	u8 queue_nr;
	bool own_waits;		/* one of the application's is there, or on its way */
	u64 snd_una;
	u64 snd_nxt;
	struct page *page;	/* the rest: msk lock */
	struct sk_buff_head unread;	/* values for the application, charged as data is */
	struct sk_buff_head deferred;	/* the kernel's, which wait for the application's key */
	u32 snd_on;		/* subflow_id of where it was sent last */
	u8 tries;
	bool early;		/* what it waits for is the peer's answer to the third ACK */
	bool expired;		/* set by the timer, and when that answer came */
	struct timer_list timer;

	struct mptcp_control_info info;
};

static inline struct mptcp_control *mptcp_control(const struct mptcp_sock *msk)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_CONTROL) ? READ_ONCE(msk->control) : NULL;
}

/* Both ends know that the other one has it: what has S is not data, whoever gave up sending. */
static inline bool mptcp_control_agreed(const struct mptcp_control *control)
{
	u8 state = control ? READ_ONCE(control->state) : MPTCP_CONTROL_OFF;

	return state == MPTCP_CONTROL_AGREED || state == MPTCP_CONTROL_OPEN ||
	       state == MPTCP_CONTROL_GIVEN_UP;
}

/* What values take of the receive buffer: it is no data. */
static inline int mptcp_control_kept(const struct mptcp_sock *msk)
{
	const struct mptcp_control *control = mptcp_control(msk);

	return control ? READ_ONCE(control->rcv_size) : 0;
}

/* TLVs can be sent, or will be. */
static inline bool mptcp_control_sends(const struct mptcp_control *control)
{
	return mptcp_control_agreed(control) &&
	       READ_ONCE(control->state) != MPTCP_CONTROL_GIVEN_UP;
}

/* Is a TLV that ended at @end among what TCP has from @una to @write_seq? In front of that it may
 * be further back than half of the sequence numbers.
 */
static inline bool mptcp_control_has(u32 una, u32 write_seq, u32 end)
{
	return end - una - 1 < write_seq - una;
}

static inline bool mptcp_control_is_option(int optname)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_CONTROL) &&
	       optname >= MPTCP_CONTROL && optname <= MPTCP_CONTROL_RECV;
}

static inline bool mptcp_control_is_own(u16 type)
{
	return type == MPTCP_CONTROL_TYPE_KEY || type >= MPTCP_CONTROL_APPLICATION;
}

static inline bool mptcp_control_is_signed(u16 type)
{
	return type >= MPTCP_CONTROL_ADD_ADDR && type <= MPTCP_CONTROL_PRIO;
}

#if IS_ENABLED(CONFIG_MPTCP_EXT_CONTROL)
/* control.c: who has it, and since when */
bool mptcp_control_wanted(const struct mptcp_sock *msk);
void mptcp_control_ask(struct mptcp_sock *msk);
bool mptcp_control_asks(const struct mptcp_sock *msk);
struct mptcp_control *mptcp_control_alloc(gfp_t gfp);
void mptcp_control_clone(struct sock *nsk, const struct sock *sk,
			 struct mptcp_control *control);
void mptcp_control_start(struct mptcp_sock *msk, u64 idsn, u64 iasn, bool granted);
void mptcp_control_stop(struct mptcp_sock *msk);
void mptcp_control_work(struct mptcp_sock *msk);

/* send.c */
bool mptcp_control_queue(struct mptcp_sock *msk, struct mptcp_control_msg *msg);
bool mptcp_control_any(struct mptcp_control *control, const struct mptcp_control_msg *msg,
		       bool (*is)(const struct mptcp_control_msg *,
				  const struct mptcp_control_msg *));
bool mptcp_control_options(struct mptcp_subflow_context *subflow, unsigned int *size,
			   struct mptcp_out_options *opts);
struct mptcp_ext *mptcp_control_map(struct mptcp_sock *msk, struct sock *ssk, struct page *page,
				    u32 offset, u32 len, u64 seq, bool data_lock_held);
struct mptcp_subflow_context *mptcp_control_subflow(struct mptcp_sock *msk, u32 id);
void mptcp_control_send(struct mptcp_sock *msk, struct mptcp_control *control);
void mptcp_control_answer(struct mptcp_sock *msk, struct mptcp_control *control);
void mptcp_control_forget(struct mptcp_control *control);

/* recv.c */
bool mptcp_control_incoming(struct mptcp_sock *msk, struct sock *ssk, const struct sk_buff *skb,
			    struct mptcp_options_received *mp_opt);
u64 mptcp_control_expected(const struct mptcp_sock *msk);
void mptcp_control_take(struct mptcp_sock *msk, struct sock *ssk, struct sk_buff *skb,
			bool data_lock_held);
bool mptcp_control_heard(const struct mptcp_sock *msk,
			 const struct mptcp_options_received *mp_opt);
void mptcp_control_receive(struct mptcp_sock *msk, struct mptcp_control *control);
bool mptcp_control_may_wait(const struct mptcp_control *control, const struct sk_buff_head *queue,
			    const struct sk_buff *skb);
void mptcp_control_wake(const struct mptcp_control *control, __poll_t events);
void mptcp_control_free(struct mptcp_control *control, struct sk_buff *skb);
__poll_t mptcp_control_poll(const struct mptcp_sock *msk);

/* tlv.c: addresses and priorities; true: there must be no option beside the TLV. Values are
 * without the HMAC.
 */
bool mptcp_control_announce(struct mptcp_sock *msk, const struct mptcp_addr_info *addr,
			    bool echo);
bool mptcp_control_remove(struct mptcp_sock *msk, const struct mptcp_rm_list *list);
bool mptcp_control_prio(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow,
			bool backup);
u64 mptcp_control_hmac(const struct mptcp_sock *msk, bool local, u64 seq, u16 type,
		       const u8 *value, u16 len);
bool mptcp_control_read(struct mptcp_sock *msk, struct sk_buff *skb);
void mptcp_control_deferred(struct mptcp_sock *msk, struct mptcp_control *control);
bool mptcp_control_may_remove(struct mptcp_sock *msk, u16 ids);
bool mptcp_control_pair(struct mptcp_control *control, enum mptcp_control_by by, u8 id);
struct mptcp_subflow_context *mptcp_control_place(struct mptcp_sock *msk,
						  const struct mptcp_control_msg *msg);
void mptcp_control_arrived(struct mptcp_sock *msk, u16 type, const u8 *value, u16 len);
void mptcp_control_as_option(struct mptcp_sock *msk, u16 type, const u8 *value, u16 len);

/* sockopt.c */
int mptcp_control_setsockopt(struct mptcp_sock *msk, int optname, sockptr_t optval,
			     unsigned int optlen);
int mptcp_control_getsockopt(struct mptcp_sock *msk, int optname, char __user *optval,
			     int __user *optlen);
#else
#include "ext/control/none.h"
#endif

#else

/* a kernel version whose hooks are not there */
static inline bool mptcp_control_prio(struct mptcp_sock *msk,
				      const struct mptcp_subflow_context *subflow, bool backup)
{
	return false;
}

#endif /* MPTCP_PRIVATE_CONTROL */

#endif /* _MPTCP_CONTROL_H */
