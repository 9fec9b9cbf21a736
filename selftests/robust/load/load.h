/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of faults_load share; usage in main.c. */
#ifndef LOAD_H
#define LOAD_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHUNK		(256 * 1024)	/* the most that is sent or received in one call */
#define MAX_CONNS	4096
#define MAX_NAMES	16
#define MAX_ERRNO	160
/* The end of the stream came too early: an errno of our own */
#define SHORT_END	(MAX_ERRNO - 1)

/* The first bytes of what the client sends */
struct plan {
	uint64_t magic, id, seed;
	uint64_t up, down;	/* bytes of the client, with this plan; of the server */
	uint64_t cut;		/* bytes until it breaks off, or for "a" the ms */
	uint32_t kind, chunk;
	uint64_t pause;		/* bytes after which a slow reader rests, or 0 */
	uint64_t sum;
};

struct conn {
	struct plan plan;
	uint64_t sent, received, switched, rng;
	uint64_t progress, wake;	/* when, in ms */
	uint64_t rest_at;		/* bytes received when the reader rests next */
	unsigned int spins;
	uint32_t events;
	int fd, index;
	bool server, connected, shut, ended, resting;
};

/* args.c */
struct names {
	const char *name[MAX_NAMES];
	int count;
};

struct args {
	const char *addr, *kinds;
	struct names scheds, congs;
	uint64_t min, max, seed;
	unsigned int port, connections, at_once, backlog, accept_ms;
	unsigned int sndbuf, patience;
	bool server, may_break, two_way;
};

extern struct args args;
bool parse(int argc, char **argv);

/* common.c */
void die(const char *what);
uint64_t now_ms(void);
uint64_t mix(uint64_t x);
uint64_t draw(uint64_t *rng);
bool short_of_memory(void);

/* report.c */
struct stats {
	uint64_t started, complete, broken, failed, stuck, headless, sent, received, wrong;
	uint64_t switches, refused;
	uint64_t failed_by[MAX_ERRNO], broken_by[MAX_ERRNO], refused_by[MAX_ERRNO];
};

extern struct stats stats;
const char *reason(int error);
void tell(const struct conn *conn, const char *what);
void report_all(void);

/* plan.c */
struct plan draw_plan(uint64_t id);
bool is_plan(const struct plan *plan);
bool has_plan(const struct conn *conn);
uint64_t to_receive(const struct conn *conn);
uint64_t may_send(const struct conn *conn);

/* stream.c */
const uint8_t *stream(const struct conn *conn, bool up, uint64_t offset, size_t len);
void verify(const struct conn *conn, const uint8_t *buf, size_t len);

/* conns.c */
extern int epoll_fd;
extern struct conn *conns[MAX_CONNS];
extern int n_conns;
void watch(struct conn *conn);
void add_conn(struct conn *conn);
void end_conn(struct conn *conn);

/* ends.c */
void break_conn(struct conn *conn, int error);
void stuck_conn(struct conn *conn, const char *what);
bool go_on(struct conn *conn, bool readable);
void finish(struct conn *conn);

/* transfer.c */
void on_event(struct conn *conn, uint32_t events);

/* sockets.c */
bool open_conn(uint64_t id);
void accept_conns(int listener);
int listen_on(void);

/* loop.c */
void serve(void);
void run(void);

#endif
