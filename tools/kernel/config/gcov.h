/* SPDX-License-Identifier: GPL-2.0 */
/* Read before kernel/gcov/gcc_base.c. In a User-Mode kernel the C library calls its __gcov_init() before there
 * is a kernel, and what it prints the first time has no current task to ask.
 */
#include <linux/printk.h>
#undef pr_info
#define pr_info(fmt, ...) no_printk(fmt, ##__VA_ARGS__)
