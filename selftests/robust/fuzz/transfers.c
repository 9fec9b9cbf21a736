// SPDX-License-Identifier: GPL-2.0
/* Transfers beside a storm: what is sent arrives, byte by byte. */
#include "fuzz.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_bool storm_over;

static uint8_t pattern(uint64_t offset)
{
	return (offset * 0x9e3779b97f4a7c15ULL) >> 56;
}

/* Sends until the storm is over. */
static void *sender(void *arg)
{
	struct job *job = arg;
	uint8_t data[4000];
	ssize_t n, i;

	while (!storm_over) {
		for (i = 0; i < (ssize_t)sizeof(data); i++)
			data[i] = pattern(job->bytes + i);
		n = send(job->fd, data, sizeof(data), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			break;
		if (n > 0)
			job->bytes += n;
		/* not so much that the queues fill, and all others wait */
		pause_us(10000);
	}
	if (!storm_over)
		wrong(BYTES, "send: %s", strerrorname_np(errno));
	shutdown(job->fd, SHUT_WR);
	return NULL;
}

/* Until the end, or nothing has come for long after the storm. */
static void *receiver(void *arg)
{
	struct job *job = arg;
	uint8_t data[4000];
	ssize_t n, i;
	int idle = 0;

	while (idle < 30000) {
		n = recv(job->fd, data, sizeof(data), MSG_DONTWAIT);
		if (!n)
			break;
		if (n < 0 && errno != EAGAIN)
			break;
		idle = n > 0 || !storm_over ? 0 : idle + 1;
		if (n < 0)
			pause_us(10000);
		for (i = 0; i < n; i++) {
			if (data[i] != pattern(job->bytes++))
				wrong(BYTES, "byte %llu", (unsigned long long)job->bytes - 1);
		}
	}
	if (n < 0)
		wrong(BYTES, "recv: %s", strerrorname_np(errno));
	return NULL;
}

/* The safe pairs, MPTCP and fallen back to TCP, with their transfers. */
void start_transfers(struct job *jobs)
{
	int i, ours, theirs;

	for (i = 0; i < SAFE; i += 2) {
		new_pair(IPPROTO_MPTCP, i / 2, &ours, &theirs);
		dup2(ours, SAFE_FD + i);
		dup2(theirs, SAFE_FD + i + 1);
		close(ours);
		close(theirs);
		/* drop the greeting, so that the pattern starts at 0 */
		pause_us(200000);
		if (recv(SAFE_FD + i, jobs, 5, 0) != 5 || recv(SAFE_FD + i + 1, jobs, 5, 0) != 5)
			die("recv");
	}
	memset(jobs, 0, SAFE * sizeof(*jobs));
	for (i = 0; i < SAFE; i++) {
		jobs[i].fd = SAFE_FD + i;
		pthread_create(&jobs[i].thread, NULL, i & 1 ? receiver : sender, &jobs[i]);
	}
}

long end_transfers(struct job *jobs)
{
	int i;

	storm_over = true;
	for (i = 0; i < SAFE; i++)
		pthread_join(jobs[i].thread, NULL);
	for (i = 0; i < SAFE; i += 2) {
		if (jobs[i].bytes != jobs[i + 1].bytes)
			wrong(BYTES, "%llu sent, %llu received", (unsigned long long)jobs[i].bytes,
			      (unsigned long long)jobs[i + 1].bytes);
	}
	return jobs[1].bytes + jobs[3].bytes;
}
