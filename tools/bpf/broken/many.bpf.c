// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: 70 schedulers in one file, more than the kernel takes. */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/many_get_send")
int BPF_PROG(many_get_send, struct mptcp_sock *msk)
{
	return -EAGAIN;
}

#define ONE(n)						\
	SEC(".struct_ops")				\
	struct mptcp_sched_ops many_##n = {		\
		.get_send	= (void *)many_get_send,\
		.name		= "bpf_many_" #n,	\
	}

ONE(00); ONE(01); ONE(02); ONE(03); ONE(04); ONE(05); ONE(06); ONE(07); ONE(08); ONE(09);
ONE(10); ONE(11); ONE(12); ONE(13); ONE(14); ONE(15); ONE(16); ONE(17); ONE(18); ONE(19);
ONE(20); ONE(21); ONE(22); ONE(23); ONE(24); ONE(25); ONE(26); ONE(27); ONE(28); ONE(29);
ONE(30); ONE(31); ONE(32); ONE(33); ONE(34); ONE(35); ONE(36); ONE(37); ONE(38); ONE(39);
ONE(40); ONE(41); ONE(42); ONE(43); ONE(44); ONE(45); ONE(46); ONE(47); ONE(48); ONE(49);
ONE(50); ONE(51); ONE(52); ONE(53); ONE(54); ONE(55); ONE(56); ONE(57); ONE(58); ONE(59);
ONE(60); ONE(61); ONE(62); ONE(63); ONE(64); ONE(65); ONE(66); ONE(67); ONE(68); ONE(69);
