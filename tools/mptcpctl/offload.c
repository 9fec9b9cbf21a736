// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a network interface does for the stack, see ethtool(8). */

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "doctor.h"

bool has_lro(const char *device)
{
	struct ethtool_value value = { .cmd = ETHTOOL_GFLAGS };
	struct ifreq request = { .ifr_data = (void *)&value };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool known;

	if (fd < 0)
		return false;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	known = !ioctl(fd, SIOCETHTOOL, &request);
	close(fd);
	return known && value.data & ETH_FLAG_LRO;
}
