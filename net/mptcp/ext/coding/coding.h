/* SPDX-License-Identifier: GPL-2.0 */
/* Systematic coding, see coding.c */
#ifndef _MPTCP_CODING_H
#define _MPTCP_CODING_H

#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include "protocol.h"
#include "ext/sysctl.h"

/* Redundant symbols of a generation, at most, and symbols of data */
#define MPTCP_CODING_ROWS	3
#define MPTCP_CODING_COLUMNS	32
/* Bits of the check that is in each symbol's mapping */
#define MPTCP_CODING_CHECK	14
/* The longest symbol that is sent: all of a generation then has a length of 16 bits */
#define MPTCP_CODING_SYMBOL	2047

/* Memory for symbols that wait, and for data that the application has read already, at most:
 * of each no more than a quarter of the receive buffer
 */
#define MPTCP_CODING_WAIT		(512 * 1024)
#define MPTCP_CODING_READ		(160 * 1024)
/* Generations that are repaired at once, before others may use the CPU */
#define MPTCP_CODING_AT_ONCE		4
/* Segments that the data of a generation may be spread over */
#define MPTCP_CODING_PIECES		96
/* Generations whose check may fail, then symbols are of no use */
#define MPTCP_CODING_FAILURES		8
/* Longer than that no two segments are joined in the receive queue. */
#define MPTCP_CODING_JOIN		(16 * 1024)

/* A generation: the data from @start on, and its symbols that are there */
struct mptcp_generation {
	u64 start;
	u16 span;		/* bytes of data */
	u16 size;		/* of a symbol */
	u16 check;		/* of all data */
	struct sk_buff *rows[MPTCP_CODING_ROWS];
};

struct mptcp_coding {
	struct rcu_head rcu;
	bool asked;
	bool agreed;
	bool seen;		/* the peer sent a symbol */
	u8 failures;		/* repairs whose check was wrong */

	/* Sender */
	u64 snd_start;		/* of the generation that is being sent */
	u64 snd_end;
	u16 snd_size;		/* of its symbols, which wait for the end: */
	u16 snd_check;
	u8 snd_rows;
	struct page *pages[MPTCP_CODING_ROWS];
	u32 credit;		/* bytes of redundancy that may be sent */
	u32 loss;		/* parts in a million, see rate.c */
	u32 segments;		/* of all subflows, when it was looked at last: sent, */
	u32 again;		/* and sent again */

	/* Receiver: symbols that wait, by generation and row */
	struct rb_root symbols;
	u32 symbols_size;
	u64 failed;		/* the next byte at the last failure */
	/* what the application has read */
	struct sk_buff_head read;
	u32 read_size;
};

/* A symbol that waits, where MPTCP_SKB_CB() has what it is of data. All symbols of a generation
 * have the same start and kind.
 */
struct mptcp_coding_cb {
	u64 start;
	u64 kind;		/* the generation's length, a symbol's, and the check */
	u8 row;
};

#define MPTCP_CODING_CB(skb)	((struct mptcp_coding_cb *)&(skb)->cb[0])

static inline bool mptcp_coding_has(const struct mptcp_sock *msk)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_CODING) && unlikely(rcu_access_pointer(msk->coding));
}

#if IS_ENABLED(CONFIG_MPTCP_EXT_CODING)
void mptcp_coding_ask(struct mptcp_sock *msk);
bool mptcp_coding_asks(const struct mptcp_sock *msk);
struct mptcp_coding *mptcp_coding_alloc(gfp_t gfp);
void mptcp_coding_stop(struct mptcp_sock *msk);
bool mptcp_coding_released(struct mptcp_sock *msk);
bool mptcp_coding_take(struct mptcp_sock *msk, struct sock *ssk, struct sk_buff *skb,
		       bool data_lock_held);
void mptcp_coding_early(struct mptcp_sock *msk, struct sock *ssk, const struct sk_buff *skb,
			const struct mptcp_ext *ext);
#else
static inline void mptcp_coding_ask(struct mptcp_sock *msk) {}
static inline bool mptcp_coding_asks(const struct mptcp_sock *msk)
{
	return false;
}

static inline struct mptcp_coding *mptcp_coding_alloc(gfp_t gfp)
{
	return NULL;
}

static inline void mptcp_coding_stop(struct mptcp_sock *msk) {}

static inline bool mptcp_coding_released(struct mptcp_sock *msk)
{
	return false;
}

static inline void mptcp_coding_early(struct mptcp_sock *msk, struct sock *ssk,
				      const struct sk_buff *skb, const struct mptcp_ext *ext) {}
static inline bool mptcp_coding_take(struct mptcp_sock *msk, struct sock *ssk,
				     struct sk_buff *skb, bool data_lock_held)
{
	return false;
}
#endif

/* The rest is called only if mptcp_coding_has(). coding.c */
void mptcp_coding_start(struct mptcp_sock *msk, bool granted);
bool mptcp_coding_agreed(const struct mptcp_sock *msk);

/* send.c */
int mptcp_coding_limit(struct mptcp_sock *msk, struct sock *ssk, struct mptcp_data_frag *dfrag,
		       const struct mptcp_sendmsg_info *info);
void mptcp_coding_sent(struct mptcp_sock *msk, struct sock *ssk, u64 end, bool data_lock_held);
void mptcp_coding_unsend(struct mptcp_sock *msk, struct mptcp_coding *coding);

/* recv.c */
bool mptcp_coding_incoming(struct mptcp_sock *msk, struct mptcp_options_received *mp_opt);
bool mptcp_coding_decode(struct mptcp_sock *msk);
void mptcp_coding_ready(struct mptcp_sock *msk);
bool mptcp_coding_keep(struct mptcp_sock *msk, struct sk_buff *skb);
int mptcp_coding_kept(const struct mptcp_sock *msk);
void mptcp_coding_purge(struct mptcp_coding *coding);

/* rate.c */
void mptcp_coding_measure(struct mptcp_sock *msk, struct mptcp_coding *coding);
/* pure */
unsigned int mptcp_coding_rows(unsigned int n, u32 loss);

/* codec.c */
u8 mptcp_coding_mul(u8 a, u8 b);
u8 mptcp_coding_factor(unsigned int row, unsigned int i, unsigned int n);
void mptcp_coding_next(u8 *sum, unsigned int size, const u8 *symbol, unsigned int len,
		       unsigned int row);
void mptcp_coding_add(u8 *to, const u8 *from, unsigned int len, u8 factor);
void mptcp_coding_solve(u8 **sums, const u8 *rows, const u8 *missing, unsigned int m,
			unsigned int n, unsigned int size);

#endif /* _MPTCP_CODING_H */
