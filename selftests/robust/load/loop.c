// SPDX-License-Identifier: GPL-2.0
/* Waits for what happens to any connection, and for time to pass. */
#include "load.h"

#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int signal_fd;
static bool stopping;

/* Those that rest, those that are aborted, those that are stuck. */
static void on_time(void)
{
	uint64_t now = now_ms();

	for (int i = n_conns - 1; i >= 0; i--) {
		struct conn *conn = conns[i];

		if (conn->wake && conn->wake <= now) {
			conn->wake = 0;
			if (!conn->server && conn->plan.kind == 'a') {
				break_conn(conn, 0);
				continue;
			}
			conn->resting = false;
			watch(conn);
		}
		if (now - conn->progress > args.patience * 1000ULL)
			stuck_conn(conn, "stuck");
	}
}

static int time_to_wait(void)
{
	uint64_t now = now_ms(), wait = args.server && args.accept_ms ? args.accept_ms : 1000;

	for (int i = 0; i < n_conns; i++) {
		uint64_t wake = conns[i]->wake;

		if (wake && wake < now + wait)
			wait = wake > now ? wake - now : 0;
	}
	return wait;
}

static void wait_for_events(int listener)
{
	struct signalfd_siginfo info;
	struct epoll_event events[64];
	int n = epoll_wait(epoll_fd, events, 64, time_to_wait());

	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr == &signal_fd)
			stopping = read(signal_fd, &info, sizeof(info)) > 0;
		else if (events[i].data.ptr)
			on_event(events[i].data.ptr, events[i].events);
		else
			accept_conns(listener);
	}
	if (listener >= 0 && args.accept_ms)
		accept_conns(listener);
	on_time();
}

/* SIGTERM is an event like the others. */
static void await_end(void)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &signal_fd };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal_fd = signalfd(-1, &set, 0);
	if (signal_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, signal_fd, &event))
		die("signalfd");
}

void serve(void)
{
	int listener;

	await_end();
	listener = listen_on();
	/* once more after the signal: there may be some to accept */
	while (!stopping)
		wait_for_events(listener);
	do
		wait_for_events(listener);
	while (n_conns);
}

void run(void)
{
	uint64_t next = 0;

	while (next < args.connections || n_conns) {
		while (next < args.connections && n_conns < (int)args.at_once && open_conn(next))
			next++;
		if (n_conns || next < args.connections)
			wait_for_events(-1);
	}
}
