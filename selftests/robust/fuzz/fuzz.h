/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the fuzzer share; usage in main.c. */
#ifndef FUZZ_H
#define FUZZ_H

#define _GNU_SOURCE
#include "../../mptcp_uapi.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PEER		"10.0.1.2"	/* ports: 7000 MPTCP, 7001 TCP, 7002 MPTCP for anybody */
#define SELF		"10.0.1.1"
#define NOBODY		"10.0.1.9"
#define NAME_MAX_	16	/* of a congestion control, of a scheduler without extensions */
#define FULL_MAX	40	/* of a scheduler with all of them */

#define ZONE_SIZE	8192	/* of what a call may touch, before an unmapped page */
#define SLOTS		24	/* sockets that the threads of a storm share, */
#define SLOT_FD		100	/* at fixed descriptors */
#define SAFE_FD		200	/* those of the transfers: two pairs of sender and receiver */
#define SAFE		4
#define ERRNOS		140
#define MAX_THREADS	16

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A thread: what it draws from, what it may do, the memory that it gives to calls. */
struct fuzzer {
	uint64_t random;
	bool admin;
	uint8_t *zone, *before;
	long calls;
};

/* common.c */
void die(const char *what);
void pause_us(long us);
int result(ssize_t ret);
void net_admin(struct fuzzer *f, bool on);
void init_fuzzer(struct fuzzer *f, uint64_t seed);

/* names.c */
#define BASES_MAX 32
extern const char *bases[BASES_MAX];
extern unsigned int n_bases;
extern char allowed_sched[256], known_cong[256], allowed_cong[256];	/* with spaces between */

#define EXTENSIONS 8U
#define RP_KINDS 0xe1	/* of these extensions there is one at most: rp, r, rp0, rp1 */
extern const char * const extensions[EXTENSIONS];	/* in the order in which they are shown */
void read_names(void);

/* table.c */
struct option {
	const char *name;
	int level, optname, size;
	bool safe;	/* the stream is the same with any value */
	const int *set_errors, *get_errors;
};

#define OPTIONS 83U
enum { SCHED, WEIGHT, CONG, NAMED = 8 };	/* what the model knows; what reports name */
extern const struct option options[];

/* report.c */
enum wrong { ERROR, VALUE, ZONE, NEGATIVE, BYTES, STUCK, WRONGS };
enum call { SEND, RECV, POLL, IOCTL, SPLICE, SENDFILE, ACCEPT, CONNECT, BIND, LISTEN, SHUTDOWN,
	    NAMES, NETLINK, FAULT, SYSCTL, CALLS };

void __attribute__((format(printf, 2, 3))) wrong(enum wrong kind, const char *format, ...);
void count(struct fuzzer *f, int kind, int err, const int *allowed);
void count_call(struct fuzzer *f, enum call which, int err, const int *allowed);
void report_calls(void);
void report_wrongs(void);

/* random.c */
uint64_t draw(struct fuzzer *f);
unsigned int below(struct fuzzer *f, unsigned int n);
bool one_in(struct fuzzer *f, unsigned int n);
uint8_t *place(struct fuzzer *f, int size, int *room);
int some_length(struct fuzzer *f, int size);
void some_name(struct fuzzer *f, char *name, size_t len);
void some_cong(struct fuzzer *f, char *name, size_t len);

/* sockets.c */
enum state {
	NEW,
	BOUND,
	LISTENING,
	CONNECTING,
	CONNECTED,
	ACCEPTED,
	FALLBACK,
	PLAIN,
	SHUT_IN,
	SHUT_OUT,
	SHUT_BOTH,
	PEER_SHUT,
	PEER_CLOSED,
	PEER_RESET,
	DISCONNECTED,
	STATES
};

/* A socket, the one that it needs to be in its state, and what its options are. */
struct target {
	int fd, other;
	bool mptcp;
	char sched[FULL_MAX], cong[NAME_MAX_];
	int weight;
};

extern int listeners[3];	/* of the peer */
struct sockaddr_in address(const char *host, int port);
int new_socket(int protocol);
void open_listeners(const char *netns);
void new_pair(int protocol, int which, int *ours, int *theirs);
void swap(struct target *t);
void make(struct fuzzer *f, struct target *t, enum state state);
void close_target(struct target *t);

/* options.c */
void set_option(struct fuzzer *f, int i, struct target *t, bool model);
void get_option(struct fuzzer *f, int i, struct target *t, bool model);
void check_zone(struct fuzzer *f, const struct option *o, const uint8_t *at, int len);
void read_options(struct target *t);

/* predict.c */
int predict_sched(const uint8_t *at, int room, int len, bool admin, char *shown);
int predict_cong(const uint8_t *at, int room, int len, bool admin, char *shown);
int predict_weight(const uint8_t *at, int room, int len, int *weight);

/* model.c */
void run_model(struct fuzzer *f, long calls);

/* calls.c */
void fuzz_recv(struct fuzzer *f, int fd, bool peek);
void fuzz_poll(struct fuzzer *f, int fd);
void fuzz_slot(struct fuzzer *f);
void replace(struct fuzzer *f, int slot);

/* threads.c */
struct job {
	pthread_t thread;
	struct fuzzer f;
	long calls;
	int fd;
	uint64_t bytes;
};

long run_threads(void *(*run)(void *), uint64_t seed, long calls, int threads);

/* transfers.c */
void start_transfers(struct job *jobs);
long end_transfers(struct job *jobs);

/* storm.c, netlink.c, sysctl.c, faults.c */
void run_storm(struct fuzzer *f, uint64_t seed, long calls, int threads);
void run_netlink(struct fuzzer *f, long calls);
void *sysctl_thread(void *arg);
void run_faults(struct fuzzer *f);

#endif
