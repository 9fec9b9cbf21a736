/* SPDX-License-Identifier: GPL-2.0 */
/* Socket options of level SOL_MPTCP: how values come from the user, and go there */
#ifndef _MPTCP_OPTION_H
#define _MPTCP_OPTION_H

#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sockptr.h>
#include <linux/uaccess.h>

/* Take an int from @least to @most. EINVAL: there is none; EFAULT. */
static inline int mptcp_option_int(sockptr_t optval, unsigned int optlen, int least, int most,
				   int *value)
{
	if (optlen < sizeof(*value))
		return -EINVAL;
	if (copy_from_sockptr(value, optval, sizeof(*value)))
		return -EFAULT;

	return *value < least || *value > most ? -EINVAL : 0;
}

/* Give the user as much of the @size bytes at @from as the buffer takes. */
static inline int mptcp_option_answer(const void *from, unsigned int size,
				      char __user *optval, int __user *optlen)
{
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;

	len = min_t(unsigned int, len, size);
	if (put_user(len, optlen) || copy_to_user(optval, from, len))
		return -EFAULT;

	return 0;
}

#endif /* _MPTCP_OPTION_H */
