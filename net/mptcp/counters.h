/* SPDX-License-Identifier: GPL-2.0 */
/* The counters that features add to those of MPTCP, a list in each one's folder.
 *
 * A row is MPTCP_COUNTER(symbol, name): the code counts MPTCP_MIB_ and the symbol, nstat
 * shows "MPTcpExt" and the name. mib.h makes an enumerator of each row, mib.c the text.
 */
#include "sched/counters.h"
#include "ext/handshake/counters.h"
#include "ext/join/counters.h"
#include "ext/control/counters.h"
#include "ext/timers/counters.h"
#include "ext/early/counters.h"
#include "ext/coding/counters.h"
#include "ext/first/counters.h"
#include "ext/rejoin/counters.h"
