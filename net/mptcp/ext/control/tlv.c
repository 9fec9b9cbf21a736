// SPDX-License-Identifier: GPL-2.0
/* The control stream: TLVs of the kernel, about addresses and priorities
 *
 * A TLV has a type and the length of its value, 16 bits each. The values, all in network order:
 *
 *	1  address added	id (8 bits), address (32 or 128), port (16), HMAC (64)
 *	2  address removed	1 to 8 ids, HMAC (64)
 *	3  priority		flags (bit 0: B), ids of the sender's address and the receiver's,
 *				HMAC (64)
 *
 * They enter where the options do that say the same (RFC 8684, sections 3.4.1, 3.4.2 and 3.3.8),
 * and go beside them: an option goes at once, and may be lost; the TLV comes for sure, and may
 * wait behind bulk data. As long as one is on its way, what follows about the same address or
 * subflow has no option, which would overtake it. Of REMOVE_ADDR the TLV counts only if the
 * option did not come just before: the address may be in use again.
 *
 * The HMAC has the key of ADD_ADDR's, and is of where the TLV stands in the stream and of all that
 * is before it. So an attacker who writes into one subflow gains nothing by the stream, nor by
 * saying once more what he has seen. An echo is not needed, as the TLV is acknowledged: once the
 * path manager has it, or it waits here for the application's key. MP_PRIO speaks of the subflow
 * that it comes on. Its TLV names both addresses by their ids instead, and may come on any: that of
 * a path that is dark has to. It tries its own subflow first: there it comes neither before the
 * subflow has joined nor before an older option. Where two subflows between the same addresses have
 * not the same priority the option says it alone.
 *
 * The thesis names these uses and no formats. Unknown types below 0x8000 are skipped and counted.
 *
 * Locking: those that queue may be called in softirqs, with pm->lock or a subflow's lock;
 * the others are the worker's.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <kunit/visibility.h>
#include <net/mptcp.h>
#include "protocol.h"
#include "ext/join/key.h"
#include "ext/control/control.h"
#include "mib.h"

/* Lengths of what is signed */
#define CONTROL_ADD4	(1 + 4 + 2)
#define CONTROL_ADD6	(1 + 16 + 2)
#define CONTROL_PRIO	3
/* What the HMAC is of: place, type, length and value, which is filled up with zeroes. No other
 * message that these keys sign has that length.
 */
#define CONTROL_SIGNED	(8 + MPTCP_CONTROL_HEADER + CONTROL_ADD6)

/* For how long the other way to say that an address is removed is waited for: the option; and the
 * TLV, which the peer gives up later than that, and says so by an option.
 */
#define CONTROL_PAIR	(5 * HZ)
#define CONTROL_LATE	(60 * HZ)

/* What became of a TLV */
enum mptcp_control_read {
	MPTCP_CONTROL_READ_RIGHT,
	MPTCP_CONTROL_READ_WRONG,
	MPTCP_CONTROL_READ_AGAIN,	/* there is no room for it now */
};

#if IS_ENABLED(CONFIG_MPTCP_IPV6)
static void *control_ip6(struct mptcp_addr_info *addr)
{
	return &addr->addr6;
}
#else
static void *control_ip6(struct mptcp_addr_info *addr)
{
	return NULL;
}
#endif

/* Falling back is still possible, and no data has shown yet that there is no need to. */
static bool control_unproven(const struct mptcp_sock *msk)
{
	return READ_ONCE(msk->allow_infinite_fallback) && !READ_ONCE(msk->bytes_received) &&
	       !READ_ONCE(msk->bytes_acked);
}

static bool control_usable(const struct mptcp_sock *msk)
{
	/* the HMAC may have to wait for the application's key */
	return mptcp_control_sends(mptcp_control(msk)) && !__mptcp_check_fallback(msk) &&
	       READ_ONCE(msk->fully_established) && !control_unproven(msk) &&
	       mptcp_join_ready(msk);
}

/* How many ids a TLV about addresses begins with */
static u16 control_ids(const struct mptcp_control_msg *msg)
{
	switch (msg->type) {
	case MPTCP_CONTROL_ADD_ADDR:
		return 1;
	case MPTCP_CONTROL_REMOVE_ADDR:
		return msg->len;
	}
	return 0;
}

/* Are both about the same address, or the same subflow? */
static bool control_is_about(const struct mptcp_control_msg *a, const struct mptcp_control_msg *b)
{
	u16 i;

	if (a->type == MPTCP_CONTROL_PRIO && b->type == MPTCP_CONTROL_PRIO)
		return !memcmp(&a->value[1], &b->value[1], CONTROL_PRIO - 1);
	for (i = 0; i < control_ids(a); i++)
		if (memchr(b->value, a->value[i], control_ids(b)))
			return true;
	return false;
}

static bool control_is_same(const struct mptcp_control_msg *a, const struct mptcp_control_msg *b)
{
	return a->type == b->type && a->len == b->len && !memcmp(a->value, b->value, a->len);
}

/* Say it by TLV. True: and by that alone, since the option would overtake an earlier one. */
static bool control_tell(struct mptcp_sock *msk, u16 type, const u8 *value, u16 len)
{
	struct mptcp_control_msg *msg = kmalloc(struct_size(msg, value, len), GFP_ATOMIC);
	struct mptcp_control *control = mptcp_control(msk);
	bool behind;

	if (!msg)
		return false;
	msg->type = type;
	msg->len = len;
	memcpy(msg->value, value, len);

	/* an announcement is repeated until it is echoed */
	behind = mptcp_control_any(control, msg, control_is_about);
	if ((type == MPTCP_CONTROL_ADD_ADDR && behind &&
	     mptcp_control_any(control, msg, control_is_same)) ||
	    !mptcp_control_queue(msk, msg)) {
		kfree(msg);
		return false;
	}
	return behind;
}

/* With pm->lock. An echo of what came by TLV is said already. */
bool mptcp_control_announce(struct mptcp_sock *msk, const struct mptcp_addr_info *addr, bool echo)
{
	struct mptcp_control *control = mptcp_control(msk);
	u8 value[CONTROL_ADD6], *at = value;
	struct mptcp_addr_info copy = *addr;
	bool v4 = addr->family == AF_INET;
	u32 size = v4 ? 4 : 16;
	void *ip = v4 ? &copy.addr : control_ip6(&copy);

	if (echo)
		return control && test_and_clear_bit(addr->id, control->announced);
	if (!control_usable(msk) || !ip)
		return false;

	*at++ = addr->id;
	memcpy(at, ip, size);
	at += size;
	put_unaligned(addr->port, (__be16 *)at);
	at += sizeof(addr->port);
	if (!control_tell(msk, MPTCP_CONTROL_ADD_ADDR, value, at - value))
		return false;
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_ADDADDRTX);
	return true;
}

bool mptcp_control_remove(struct mptcp_sock *msk, const struct mptcp_rm_list *list)
{
	if (!control_usable(msk) || !list->nr ||
	    !control_tell(msk, MPTCP_CONTROL_REMOVE_ADDR, list->ids, list->nr))
		return false;
	MPTCP_ADD_STATS(sock_net((struct sock *)msk), MPTCP_MIB_RMADDRTX, list->nr);
	return true;
}

/* Is @subflow between the addresses with these ids, ours and the peer's? */
static bool control_is_between(const struct mptcp_subflow_context *subflow, u8 local, u8 remote)
{
	return READ_ONCE(subflow->local_id) == local && READ_ONCE(subflow->remote_id) == remote;
}

/* Others between the same addresses have another priority. */
static bool control_is_mixed(const struct mptcp_sock *msk,
			     const struct mptcp_subflow_context *subflow, bool spare)
{
	struct mptcp_subflow_context *other;

	mptcp_for_each_subflow(msk, other)
		if (other != subflow &&
		    control_is_between(other, READ_ONCE(subflow->local_id),
				       READ_ONCE(subflow->remote_id)) &&
		    /* without its lock: it has its own TLV when its priority changes */
		    data_race(other->request_bkup || other->sched_spent) != spare)
			return true;
	return false;
}

/* The peer shall use the subflow as a backup, or not. Its local id is the sender's here. By who
 * owns the socket.
 */
bool mptcp_control_prio(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow,
			bool backup)
{
	/* as the option says it, see mptcp_established_options() */
	bool spare = backup || READ_ONCE(subflow->sched_spent);
	u8 value[CONTROL_PRIO] = { spare ? MPTCP_PRIO_BKUP : 0, READ_ONCE(subflow->local_id),
				   READ_ONCE(subflow->remote_id) };

	if (!control_usable(msk) || control_is_mixed(msk, subflow, spare) ||
	    !control_tell(msk, MPTCP_CONTROL_PRIO, value, sizeof(value)))
		return false;
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_MPPRIOTX);
	return true;
}

/* The HMAC of a value at @seq in the stream. @local: by this end */
u64 mptcp_control_hmac(const struct mptcp_sock *msk, bool local, u64 seq, u16 type,
		       const u8 *value, u16 len)
{
	u8 msg[CONTROL_SIGNED] = {};

	put_unaligned_be64(seq, msg);
	put_unaligned_be16(type, &msg[8]);
	put_unaligned_be16(len + MPTCP_CONTROL_HMAC, &msg[10]);
	memcpy(&msg[12], value, len);
	return mptcp_join_hmac64(msk, local, msg, sizeof(msg));
}

/* Is there such a value, without its HMAC? */
static bool control_has_length(u16 type, int len)
{
	switch (type) {
	case MPTCP_CONTROL_ADD_ADDR:
		return len == CONTROL_ADD4 ||
		       (len == CONTROL_ADD6 && IS_ENABLED(CONFIG_MPTCP_IPV6));
	case MPTCP_CONTROL_REMOVE_ADDR:
		return len > 0 && len <= MPTCP_RM_IDS_MAX;
	case MPTCP_CONTROL_PRIO:
		return len == CONTROL_PRIO;
	}
	return false;
}

/* The address of a TLV */
static void control_address(const u8 *value, u16 len, struct mptcp_addr_info *addr)
{
	u32 size = len == CONTROL_ADD4 ? 4 : 16;
	void *ip = len == CONTROL_ADD4 ? &addr->addr : control_ip6(addr);

	memset(addr, 0, sizeof(*addr));
	addr->id = *value++;
	addr->family = len == CONTROL_ADD4 ? AF_INET : AF_INET6;
	if (ip)
		memcpy(ip, value, size);
	addr->port = get_unaligned((__be16 *)(value + size));
}

/* REMOVE_ADDR is said by option and by TLV, in any order. True: the other one said already that @id
 * is gone. An option is lost if it does not come soon; a TLV may come late, behind much data, when
 * a subflow has joined with that id again.
 */
bool mptcp_control_pair(struct mptcp_control *control, enum mptcp_control_by by, u8 id)
{
	static const unsigned long lasts[] = {
		[MPTCP_CONTROL_BY_OPTION] = CONTROL_LATE,
		[MPTCP_CONTROL_BY_TLV] = CONTROL_PAIR,
	};
	struct mptcp_control_removed *mine = &control->removed[by], *other = &control->removed[!by];
	bool said;

	spin_lock_bh(&control->lock);
	if (time_after(jiffies, mine->when + lasts[by]))
		bitmap_zero(mine->ids, MPTCP_PM_MAX_ADDR_ID + 1);
	said = __test_and_clear_bit(id, other->ids) &&
	       time_before_eq(jiffies, other->when + lasts[!by]);
	if (!said) {
		__set_bit(id, mine->ids);
		mine->when = jiffies;
	}
	spin_unlock_bh(&control->lock);
	return said;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_control_pair);

/* The id is that of another address now. */
static void control_unmark(struct mptcp_control *control, u8 id)
{
	spin_lock_bh(&control->lock);
	__clear_bit(id, control->removed[MPTCP_CONTROL_BY_OPTION].ids);
	__clear_bit(id, control->removed[MPTCP_CONTROL_BY_TLV].ids);
	spin_unlock_bh(&control->lock);
}

static void control_count_wrong(struct mptcp_control *control)
{
	control->info.unknown++;
	MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLUNKNOWN);
}

/* Does the kernel's path manager have the address, to look at later? */
static bool control_is_kept(struct mptcp_sock *msk, const struct mptcp_addr_info *addr)
{
	struct mptcp_pm_data *pm = &msk->pm;
	bool kept = false;
	int i;

	spin_lock_bh(&pm->lock);
	for (i = 0; i < pm->received_nr; i++)
		kept |= pm->received[i].id == addr->id &&
			mptcp_addresses_equal(&pm->received[i], addr, true);
	spin_unlock_bh(&pm->lock);
	return kept;
}

/* Pass the address on to the path manager. One of user space was told, if there is one, and its
 * echo was due at once.
 */
static enum mptcp_control_read control_take_address(struct mptcp_sock *msk, struct sock *ssk,
						    const struct mptcp_addr_info *addr)
{
	bool userspace = mptcp_pm_is_userspace(msk), kept;
	struct net *net = sock_net(ssk);

	control_unmark(msk->control, addr->id);
	set_bit(addr->id, msk->control->announced);
	mptcp_pm_add_addr_received(ssk, addr);
	kept = !userspace && control_is_kept(msk, addr);
	if (!kept)
		clear_bit(addr->id, msk->control->announced);
	if (!kept && !userspace)
		return MPTCP_CONTROL_READ_AGAIN;
	MPTCP_INC_STATS(net, MPTCP_MIB_ADDADDR);
	if (addr->port)
		MPTCP_INC_STATS(net, MPTCP_MIB_PORTADD);
	return MPTCP_CONTROL_READ_RIGHT;
}

static enum mptcp_control_read control_read_address(struct mptcp_sock *msk, const u8 *value,
						    u16 len)
{
	struct mptcp_subflow_context *subflow;
	struct mptcp_addr_info addr;

	/* nobody can join for want of the application's key */
	if (!mptcp_join_ready(msk))
		return MPTCP_CONTROL_READ_WRONG;

	control_address(value, len, &addr);
	subflow = list_first_entry_or_null(&msk->conn_list, struct mptcp_subflow_context, node);
	return subflow ? control_take_address(msk, mptcp_subflow_tcp_sock(subflow), &addr) :
			 MPTCP_CONTROL_READ_RIGHT;
}

/* Has the path manager room for so many addresses that are removed? */
bool mptcp_control_may_remove(struct mptcp_sock *msk, u16 ids)
{
	bool room;

	spin_lock_bh(&msk->pm.lock);
	room = msk->pm.rm_list_rx.nr + ids <= MPTCP_RM_IDS_MAX;
	spin_unlock_bh(&msk->pm.lock);

	return room;
}

static enum mptcp_control_read control_read_removed(struct mptcp_sock *msk, const u8 *value,
						    u16 len)
{
	struct mptcp_control *control = msk->control;
	struct mptcp_rm_list list = {};
	u16 i;

	if (!mptcp_control_may_remove(msk, len))
		return MPTCP_CONTROL_READ_AGAIN;
	for (i = 0; i < len; i++) {
		if (!mptcp_control_pair(control, MPTCP_CONTROL_BY_TLV, value[i]))
			list.ids[list.nr++] = value[i];
	}
	if (list.nr)
		mptcp_pm_rm_addr_received(msk, &list);
	return MPTCP_CONTROL_READ_RIGHT;
}

/* Of all subflows between two addresses: there may be several, as there may be none by now. */
static enum mptcp_control_read control_read_prio(struct mptcp_sock *msk, const u8 *value)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);

		if (!control_is_between(subflow, value[2], value[1]))
			continue;
		lock_sock(ssk);
		/* the option may have said it */
		if (subflow->backup != (value[0] & MPTCP_PRIO_BKUP)) {
			mptcp_pm_mp_prio_received(ssk, value[0] & MPTCP_PRIO_BKUP);
			MPTCP_INC_STATS(sock_net(ssk), MPTCP_MIB_MPPRIORX);
		}
		release_sock(ssk);
	}
	return MPTCP_CONTROL_READ_RIGHT;
}

/* Of the right length, and its HMAC can be computed. Wrong ones are counted with those that nobody
 * knows.
 */
static enum mptcp_control_read control_read(struct mptcp_sock *msk, const struct sk_buff *skb)
{
	const struct mptcp_control_cb *cb = MPTCP_CONTROL_CB(skb);
	enum mptcp_control_read how = MPTCP_CONTROL_READ_WRONG;
	u16 len = skb->len - MPTCP_CONTROL_HMAC;
	const u8 *value = skb->data;

	if (get_unaligned_be64(value + len) ==
	    mptcp_control_hmac(msk, false, cb->seq, cb->type, value, len)) {
		if (cb->type == MPTCP_CONTROL_ADD_ADDR)
			how = control_read_address(msk, value, len);
		else if (cb->type == MPTCP_CONTROL_REMOVE_ADDR)
			how = control_read_removed(msk, value, len);
		else
			how = control_read_prio(msk, value);
	}
	if (how == MPTCP_CONTROL_READ_WRONG)
		control_count_wrong(msk->control);
	return how;
}

/* Read what waited for the application's key, in turn. */
void mptcp_control_deferred(struct mptcp_sock *msk, struct mptcp_control *control)
{
	struct sk_buff *skb;

	if (!mptcp_join_ready(msk))
		return;
	while ((skb = skb_peek(&control->deferred))) {
		if (control_read(msk, skb) == MPTCP_CONTROL_READ_AGAIN)
			return;
		__skb_unlink(skb, &control->deferred);
		mptcp_control_free(control, skb);
	}
}

/* The peer's. Nobody can tell yet whether it is right if it needs the application's key, which may
 * be in a later one: then it waits, and what comes after it, too. False: it cannot be taken now,
 * and has to come again.
 */
bool mptcp_control_read(struct mptcp_sock *msk, struct sk_buff *skb)
{
	struct mptcp_control *control = msk->control;

	if (!control_has_length(MPTCP_CONTROL_CB(skb)->type,
				(int)skb->len - MPTCP_CONTROL_HMAC)) {
		control_count_wrong(control);
		return true;
	}
	if ((!mptcp_join_key_agreed(msk) || mptcp_join_ready(msk)) &&
	    skb_queue_empty(&control->deferred))
		return control_read(msk, skb) != MPTCP_CONTROL_READ_AGAIN;
	if (!mptcp_control_may_wait(control, &control->deferred, skb))
		return false;
	__skb_queue_tail(&control->deferred, skb_get(skb));
	return true;
}

/* Ours, the peer has it: that is what the echo of an ADD_ADDR says. */
void mptcp_control_arrived(struct mptcp_sock *msk, u16 type, const u8 *value, u16 len)
{
	struct mptcp_addr_info addr;

	if (type != MPTCP_CONTROL_ADD_ADDR)
		return;
	control_address(value, len, &addr);
	mptcp_pm_add_addr_echoed(msk, &addr);
	mptcp_pm_del_add_timer(msk, &addr, true);
}

/* Has a subflow joined from our address @id meanwhile? */
static bool control_id_is_used(const struct mptcp_sock *msk, u8 id)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow)
		if (!subflow->closing && READ_ONCE(subflow->local_id) == id)
			return true;
	return false;
}

/* The stream is given up: say it as without one, for which the path manager has one place
 * each. An ADD_ADDR that finds it taken comes again by its timer.
 */
static void control_options_of_pm(struct mptcp_sock *msk, u16 type, const u8 *value, u16 len)
{
	struct mptcp_rm_list list = {};
	struct mptcp_addr_info addr;
	u16 i;

	spin_lock_bh(&msk->pm.lock);
	if (type == MPTCP_CONTROL_ADD_ADDR) {
		control_address(value, len, &addr);
		if (!mptcp_pm_announce_addr(msk, &addr, false))
			mptcp_pm_nl_addr_send_ack(msk);
	} else {
		for (i = 0; i < len; i++)
			if (!control_id_is_used(msk, value[i]))
				list.ids[list.nr++] = value[i];
		if (list.nr)
			mptcp_pm_remove_addr(msk, &list);
	}
	spin_unlock_bh(&msk->pm.lock);
}

/* A TLV of ours: the subflow to try first, or NULL: any */
struct mptcp_subflow_context *mptcp_control_place(struct mptcp_sock *msk,
						  const struct mptcp_control_msg *msg)
{
	struct mptcp_subflow_context *subflow;

	if (msg->type != MPTCP_CONTROL_PRIO)
		return NULL;
	mptcp_for_each_subflow(msk, subflow)
		if (control_is_between(subflow, msg->value[1], msg->value[2]))
			return subflow;
	return NULL;
}

/* MP_PRIO on each subflow that the TLV is about */
static void control_options_of_subflows(struct mptcp_sock *msk, const u8 *value)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		bool slow;

		if (!control_is_between(subflow, value[1], value[2]))
			continue;
		slow = lock_sock_fast(ssk);
		subflow->send_mp_prio = 1;
		__mptcp_subflow_send_ack(ssk);
		unlock_sock_fast(ssk, slow);
	}
}

void mptcp_control_as_option(struct mptcp_sock *msk, u16 type, const u8 *value, u16 len)
{
	if (__mptcp_check_fallback(msk))
		return;
	if (type == MPTCP_CONTROL_PRIO)
		control_options_of_subflows(msk, value);
	else if (mptcp_control_is_signed(type))
		control_options_of_pm(msk, type, value, len);
}
