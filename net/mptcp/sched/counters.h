/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: what schedulers do */
MPTCP_COUNTER(SchedPick, SCHEDPICK)			/* A subflow was chosen */
MPTCP_COUNTER(SchedBackup, SCHEDBACKUP)			/* The same, a backup */
MPTCP_COUNTER(SchedNoRoom, SCHEDNOROOM)			/* Data waited, no subflow had room */
MPTCP_COUNTER(SchedUndecided, SCHEDUNDECIDED)		/* It decided, but chose no subflow */
MPTCP_COUNTER(SchedWndBlocked, SCHEDWNDBLOCKED)		/* The peer's window was used up */
MPTCP_COUNTER(SchedRetrans, SCHEDRETRANS)		/* Decisions for data that timed out */
MPTCP_COUNTER(SchedSwitch, SCHEDSWITCH)			/* Changed by the socket option */
MPTCP_COUNTER(SchedAhead, SCHEDAHEAD)			/* Decisions for data ahead of its turn */
MPTCP_COUNTER(SchedAheadBytes, SCHEDAHEADBYTES)		/* Bytes sent so */
MPTCP_COUNTER(SchedAgain, SCHEDAGAIN)			/* Decisions to send again */
MPTCP_COUNTER(SchedAgainBytes, SCHEDAGAINBYTES)		/* Bytes sent so */
MPTCP_COUNTER(SchedCopy, SCHEDCOPY)			/* Decisions to send copies */
MPTCP_COUNTER(SchedCopyBytes, SCHEDCOPYBYTES)		/* Bytes sent so */
MPTCP_COUNTER(SchedPenalized, SCHEDPENALIZED)		/* Subflows penalized: mods/rp.c */
MPTCP_COUNTER(SchedWarned, SCHEDWARNED)			/* Sent again early: mods/warn.c */
MPTCP_COUNTER(SchedSilent, SCHEDSILENT)			/* Became silent: mods/rescue.c */
MPTCP_COUNTER(SchedTimer, SCHEDTIMER)			/* Times that its timer fired */
MPTCP_COUNTER(SchedBpfFailed, SCHEDBPFFAILED)		/* Replaced: bpf_watch.c */
MPTCP_COUNTER(SchedCappedBytes, SCHEDCAPPEDBYTES)	/* Window left unused: mods/bm.c */
