/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers in BPF: the functions that programs call, see
 * sched_bpf_kfunc.c
 */
#ifndef _MPTCP_SCHED_BPF_KFUNC_H
#define _MPTCP_SCHED_BPF_KFUNC_H

struct btf;

int mptcp_bpf_kfunc_init(struct btf *btf);
int mptcp_bpf_register_kfuncs(void);

#endif /* _MPTCP_SCHED_BPF_KFUNC_H */
