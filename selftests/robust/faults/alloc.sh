# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Allocations that fail: the kernel's fault injection, for what MPTCP's code allocates.

# text_of_mptcp: where its code begins and ends. All of it lies together, apart from what is
# rarely executed or executed at boot only: farther away than half a megabyte.
text_of_mptcp() {
	local address middle low high at
	middle=$((16#$(awk '$3 == "mptcp_sendmsg" { print $1 }' /proc/kallsyms)))
	low=$middle high=$middle
	while read -r address _ _; do
		at=$((16#$address))
		[ $((at > middle ? at - middle : middle - at)) -lt 500000 ] || continue
		[ $at -ge $low ] || low=$at
		[ $at -le $high ] || high=$at
	done < <(grep -E '^[0-9a-f]+ [tT] _*mptcp_[a-z_]+$' /proc/kallsyms)
	echo $low $high
}

# text_of FUNCTION: where it begins, and where the next one does: they stand in this order.
text_of() {
	awk -v name="$1" '$3 == name { begin = $1 }
		begin && $1 != begin { print "0x" begin, "0x" $1; exit }' /proc/kallsyms
}

# fail_allocations PERCENT: false when the kernel cannot. Not that of a FIN: TCP does not try it
# again, and the peer waits for the end as long as it likes, also of a plain TCP connection.
fail_allocations() {
	local fail range fin
	read -ra range < <(text_of_mptcp)
	read -ra fin < <(text_of tcp_send_fin)
	for fail in /sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc; do
		[ -w $fail/require-start ] || continue
		echo 0 >$fail/probability
		echo 0 >$fail/verbose
		echo 1000000 >$fail/times
		echo 32 >$fail/stacktrace-depth
		printf '%#x\n' "${range[0]}" >$fail/require-start
		printf '%#x\n' "${range[1]}" >$fail/require-end
		echo "${fin[0]}" >$fail/reject-start
		echo "${fin[1]}" >$fail/reject-end
		echo N >$fail/ignore-gfp-wait
		echo "$1" >$fail/probability
	done
	[ -w /sys/kernel/debug/failslab/require-start ]
}

# failed_allocations: how many, since they began to.
failed_allocations() {
	local fail left failed=0
	for fail in /sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc; do
		[ -w $fail/require-start ] || continue
		read -r left <$fail/times
		failed=$((failed + 1000000 - left))
	done
	echo $failed
}
