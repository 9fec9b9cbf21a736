// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: extensions, and the names of compositions
 *
 * What limits or helps any scheduler alike is an extension. It is written
 * behind the scheduler's name, and several go together:
 *
 *	minrtt+rp+bm = minrtt with retransmission and penalization (sched_rp.c)
 *		       and bufferbloat mitigation (sched_bm.c)
 *	default+rs   = Linux' own with the rescue of what a silent path owes
 *		       (sched_rescue.c)
 *
 * An extension acts before the scheduler is asked. It may limit how much of its
 * congestion window a subflow uses (sched_cap), and it may decide itself.
 *
 * This file alone knows how a composed name is read and written. The order of
 * extensions means nothing: names are shown in the order of the table below.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "sched_core.h"

static const char * const mptcp_sched_ext_names[] = {
	[MPTCP_SCHED_RP] = "rp",
	[MPTCP_SCHED_BM] = "bm",
	[MPTCP_SCHED_RS] = "rs",
};

/* The bit of the extension whose name has @len characters at @word; 0: none. */
static u8 mptcp_sched_ext_bit(const char *word, size_t len)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(mptcp_sched_ext_names); i++) {
		if (strlen(mptcp_sched_ext_names[i]) == len &&
		    !strncmp(mptcp_sched_ext_names[i], word, len))
			return BIT(i);
	}

	return 0;
}

/**
 * mptcp_sched_parse - read the name of a scheduler with its extensions
 * @name: "base", "base+ext", "base+ext+ext", ...
 * @parsed: the parts
 *
 * Return: 0, or -EINVAL: the base is empty or too long, an extension is not
 * known or comes twice.
 */
int mptcp_sched_parse(const char *name, struct mptcp_sched_name *parsed)
{
	size_t len = strcspn(name, "+");

	if (!len || len >= sizeof(parsed->base))
		return -EINVAL;
	memcpy(parsed->base, name, len);
	parsed->base[len] = 0;
	parsed->ext = 0;

	for (name += len; *name; name += len) {
		u8 bit;

		name++;
		len = strcspn(name, "+");
		bit = mptcp_sched_ext_bit(name, len);
		if (!bit || parsed->ext & bit)
			return -EINVAL;
		parsed->ext |= bit;
	}

	return 0;
}
EXPORT_SYMBOL_GPL(mptcp_sched_parse);

/* Write @base with the extensions @ext to @buf of MPTCP_SCHED_NAME_MAX bytes.
 * False: it does not fit.
 */
bool mptcp_sched_print(char *buf, const char *base, u8 ext)
{
	size_t used = strscpy(buf, base, MPTCP_SCHED_NAME_MAX);
	int i;

	for (i = 0; i < ARRAY_SIZE(mptcp_sched_ext_names); i++) {
		if (!(ext & BIT(i)))
			continue;
		used += snprintf(buf + used, MPTCP_SCHED_NAME_MAX - used, "+%s",
				 mptcp_sched_ext_names[i]);
		if (used >= MPTCP_SCHED_NAME_MAX)
			return false;
	}

	return true;
}
EXPORT_SYMBOL_GPL(mptcp_sched_print);

/* For available_sched_extensions. */
void mptcp_sched_list_extensions(char *buf, size_t len)
{
	int i;

	buf[0] = 0;
	for (i = 0; i < ARRAY_SIZE(mptcp_sched_ext_names); i++)
		mptcp_sched_list_add(buf, len, mptcp_sched_ext_names[i]);
}

/* Set how much of its window each subflow of @msk may use now. */
static void mptcp_sched_cap_subflows(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u8 ext = mptcp_sched_extensions(msk);

	mptcp_for_each_subflow(msk, subflow) {
		u32 cap = MPTCP_SCHED_UNCAPPED;

		if (ext & BIT(MPTCP_SCHED_BM))
			cap = mptcp_sched_bm_cap(msk, subflow);
		if (ext & BIT(MPTCP_SCHED_RP))
			cap = min(cap, mptcp_sched_rp_cap(subflow));
		if (mptcp_sched_is_silent(subflow))
			cap = min(cap, 1U);
		subflow->sched_cap = cap == MPTCP_SCHED_UNCAPPED ? 0 : cap;
	}
}

/* A decision is asked for, and @msk has extensions. True: one has decided. */
bool mptcp_sched_ext_get_send(struct mptcp_sock *msk, bool wnd_used_up)
{
	mptcp_sched_cap_subflows(msk);
	if (msk->sched_silent && mptcp_sched_rescue_get_send(msk))
		return true;
	return wnd_used_up && mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RP) &&
	       mptcp_sched_rp_get_send(msk);
}
