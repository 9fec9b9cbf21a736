/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of the MPTCP packet schedulers: decisions and penalizations. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mptcp_sched

#if !defined(_MPTCP_SCHED_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _MPTCP_SCHED_TRACE_H

#include <linux/tracepoint.h>
#include "sched/sched.h"

#define show_mptcp_sched_reason(reason)				\
	__print_symbolic(reason,				\
		{ MPTCP_SCHED_DEFAULT,	"default" },		\
		{ MPTCP_SCHED_BEST,	"best" },		\
		{ MPTCP_SCHED_TURN,	"turn" },		\
		{ MPTCP_SCHED_RETRANS,	"retrans" },		\
		{ MPTCP_SCHED_AHEAD,	"ahead" },		\
		{ MPTCP_SCHED_AGAIN,	"again" },		\
		{ MPTCP_SCHED_COPY,	"copy" },		\
		{ MPTCP_SCHED_NONE,	"none" })

TRACE_EVENT(mptcp_sched_decision,

	TP_PROTO(const struct mptcp_sock *msk,
		 const struct mptcp_subflow_context *subflow, u32 bytes,
		 enum mptcp_sched_reason reason),

	TP_ARGS(msk, subflow, bytes, reason),

	TP_STRUCT__entry(
		__array(char, sched, MPTCP_SCHED_FULL_MAX)
		__field(u32, token)
		__field(u32, subflow_id)
		__field(u32, bytes)
		__field(u32, reason)
		__field(bool, backup)
	),

	TP_fast_assign(
		mptcp_sched_print(__entry->sched,
				  msk->sched ? msk->sched->name : "default",
				  msk->sched_ext);
		__entry->token = msk->token;
		__entry->subflow_id = subflow ? subflow->subflow_id : 0;
		__entry->bytes = bytes;
		__entry->reason = reason;
		__entry->backup = subflow && mptcp_sched_is_backup(subflow);
	),

	TP_printk("sched=%s token=%#x subflow=%u bytes=%d reason=%s backup=%d",
		  __entry->sched, __entry->token, __entry->subflow_id,
		  (int)__entry->bytes,
		  show_mptcp_sched_reason(__entry->reason), __entry->backup)
);

TRACE_EVENT(mptcp_sched_penalize,

	TP_PROTO(const struct mptcp_sock *msk,
		 const struct mptcp_subflow_context *subflow, u32 used),

	TP_ARGS(msk, subflow, used),

	TP_STRUCT__entry(
		__field(u32, token)
		__field(u32, subflow_id)
		__field(u32, used)
		__field(u32, cap)
	),

	TP_fast_assign(
		__entry->token = msk->token;
		__entry->subflow_id = subflow->subflow_id;
		__entry->used = used;
		__entry->cap = subflow->sched_cap;
	),

	TP_printk("token=%#x subflow=%u segments=%u->%u",
		  __entry->token, __entry->subflow_id, __entry->used,
		  __entry->cap)
);

#endif /* _MPTCP_SCHED_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH sched
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
