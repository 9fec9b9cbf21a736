// SPDX-License-Identifier: GPL-2.0 OR MIT
/* In place of load_object.c where libbpf's headers are missing. */

#include "mptcpctl.h"
#include "load.h"

int load_object(const char *file)
{
	return complain("%s: this mptcpctl was built without libbpf: install libbpf-dev, then run \"make -C tools/mptcpctl clean all\"",
			file);
}
