/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of MPTCP, see counters.h: what schedulers do */
MPTCP_COUNTER(SCHEDPICK, "SchedPick")			/* A subflow was chosen */
MPTCP_COUNTER(SCHEDBACKUP, "SchedBackup")		/* The same, a backup */
MPTCP_COUNTER(SCHEDNOROOM, "SchedNoRoom")		/* Data waited, no subflow had room */
MPTCP_COUNTER(SCHEDUNDECIDED, "SchedUndecided")		/* It decided, but chose no subflow */
MPTCP_COUNTER(SCHEDWNDBLOCKED, "SchedWndBlocked")	/* The peer's window was used up */
MPTCP_COUNTER(SCHEDRETRANS, "SchedRetrans")		/* Decisions for data that timed out */
MPTCP_COUNTER(SCHEDSWITCH, "SchedSwitch")		/* Changed by the socket option */
MPTCP_COUNTER(SCHEDAHEAD, "SchedAhead")			/* Decisions for data ahead of its turn */
MPTCP_COUNTER(SCHEDAHEADBYTES, "SchedAheadBytes")	/* Bytes sent so */
MPTCP_COUNTER(SCHEDAGAIN, "SchedAgain")			/* Decisions to send again */
MPTCP_COUNTER(SCHEDAGAINBYTES, "SchedAgainBytes")	/* Bytes sent so */
MPTCP_COUNTER(SCHEDCOPY, "SchedCopy")			/* Decisions to send copies */
MPTCP_COUNTER(SCHEDCOPYBYTES, "SchedCopyBytes")		/* Bytes sent so */
MPTCP_COUNTER(SCHEDPENALIZED, "SchedPenalized")		/* Subflows penalized: mods/rp.c */
MPTCP_COUNTER(SCHEDWARNED, "SchedWarned")		/* Sent again early: mods/warn.c */
MPTCP_COUNTER(SCHEDSILENT, "SchedSilent")		/* Became silent: mods/rescue.c */
MPTCP_COUNTER(SCHEDTIMER, "SchedTimer")			/* Times that its timer fired */
MPTCP_COUNTER(SCHEDBPFFAILED, "SchedBpfFailed")		/* Replaced: bpf_watch.c */
MPTCP_COUNTER(SCHEDCAPPEDBYTES, "SchedCappedBytes")	/* Window left unused: mods/bm.c */
