/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef MPTCPCTL_H
#define MPTCPCTL_H

#include <linux/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include "mptcp_uapi.h"

#define VERSION "1.0"
#define EXIT_USAGE 2
#define SYSCTLS "/proc/sys/net/mptcp/"
#define TUNABLES_MAX 1024

/* main.c */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool parse_number(const char *text, const char *what, int min, int *value);

/* What commands that show something are asked for */
struct query {
	bool rates, json;
	pid_t pid;		/* 0: of all processes */
};

bool read_query(int argc, char **argv, struct query *query);
int cmd_version(int argc, char **argv);

/* array.c */
bool make_room(void **array, size_t count, size_t *room, size_t more, size_t size);
void *append(void **array, size_t *count, size_t size);

/* usage.c: what commands take */
void print_commands(FILE *to);
int run_command(int argc, char **argv);
int usage_error(const char *name);
int finish_output(int status);
int next_choice(int argc, char **argv);

/* json.c */
void json_string(const char *text);
void json_tunables(const char *tunables);
const char *json_bool(bool value);

/* sysctl.c: the network namespace's settings */
bool kernel_has_mptcp(void);
bool kernel_is_patched(void);
int set_default(const char *name);
int set_scheduler(int fd, const char *name);
const char *scheduler_error(int error, const char *name);
bool read_file(const char *path, char *buf, size_t len);
int write_file(const char *path, const char *value);
bool read_sysctl(const char *name, char *buf, size_t len);
int write_sysctl(const char *name, const char *value);
bool read_tunables(const char *dir, const char *prefix, char *buf);
FILE *open_modules_file(const char *name);
bool has_word(const char *list, const char *word);
int cmd_list(int argc, char **argv);
int cmd_get(int argc, char **argv);

/* extension.c: what follows a scheduler's name, "minrtt+rp" */
bool is_extension(const char *name);
void list_extensions(bool json);
bool explain_extensions(const char *name, char *text, size_t len);

/* congestion.c */
bool is_coupled(const char *name);
bool kernel_has_coupled(void);
void list_congestions(bool json);
int set_congestion(int fd, const char *name);
int try_congestion(const char *name);
const char *congestion_error(int error, const char *name);
bool parse_weight(const char *text, int *weight);
int set_weight(int fd, int weight);
const char *weight_error(int error);

/* param.c: tunables */
int set_param(const char *name, const char *assignment);

/* run.c: programs over MPTCP */
int open_mptcp(void);
int cmd_run(int argc, char **argv);

/* address.c */
#define ADDRESS_MAX 64

bool format_host(const struct sockaddr_storage *ss, char *buf, size_t len);
bool same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
void copy_host(struct sockaddr_storage *ss, const struct sockaddr *from);
size_t host_bytes(const struct sockaddr_storage *ss, void *bytes);
void set_host(struct sockaddr_storage *ss, int family, const void *bytes, size_t len);
void plain_address(const struct sockaddr_storage *from, struct sockaddr_storage *to);
bool format_address(const struct sockaddr_storage *ss, char *buf, size_t len);
bool parse_address(const char *text, char *buf, size_t len);
bool local_address(int fd, struct sockaddr_storage *ss);
bool peer_address(int fd, struct sockaddr_storage *ss);

/* interface.c: network interfaces, by their index */
unsigned int interface_of(const struct sockaddr_storage *address);
unsigned int interface_flags(unsigned int index);
bool is_global(const struct sockaddr *address);
bool interface_address(unsigned int index, int family, struct sockaddr_storage *address);

/* counter.c */
unsigned long long read_counter(const char *name);
bool has_counter(const char *name);

/* sockets.c: the MPTCP sockets of running programs */
struct mptcp_socket {
	int fd;			/* our copy */
	pid_t pid;
	int their_fd;
	char comm[32];
	char name[32];		/* the same, for a terminal */
};

typedef bool (*visit_fn)(const struct mptcp_socket *sk, void *arg);

/* false: they could not be looked for, and the user was told why */
bool walk_sockets(pid_t pid, visit_fn visit, void *arg);
bool look_at_sockets(pid_t pid, visit_fn visit, void *arg, int *unreadable);
void tell_unreadable(int unreadable);
void printable(char *text);

/* set.c */
int cmd_set(int argc, char **argv);

/* diag.c: what the kernel tells about a subflow by netlink only */
enum backup { BACKUP_UNKNOWN, BACKUP_NO, BACKUP_YES };

struct subflow_diag {
	enum backup backup;
	char congestion[CONGESTION_NAME_MAX];	/* "": not known */
	bool coupled;
	struct mptcpctl_coupling coupling;
};

void read_subflow_diag(const struct mptcpctl_addrs *addrs, struct subflow_diag *diag);
bool is_listened_to(const struct sockaddr_storage *local);

/* connection.c: all that is known about one socket */
#define SUBFLOWS_MAX 256	/* the kernel counts them in 8 bits */

enum conn_state { CONN_UNCONNECTED, CONN_LISTENING, CONN_MPTCP, CONN_FALLBACK };

/* bit/s; of MPTCP's data the connection's, of all that TCP sends a subflow's */
struct rate {
	bool known;
	double sent, received;
	double acked;		/* goodput, of what was sent; a connection's */
	double again;		/* of what was sent; a subflow's */
	uint64_t blocked;	/* times that data waited for the peer's window; a connection's */
	uint64_t limits[LIMITS];	/* us in each state; a connection's */
};

struct connection {
	enum conn_state state;
	char scheduler[MPTCP_SCHED_FULL_MAX + 1];
	struct mptcpctl_addrs addrs;
	ino_t netns;		/* 0: ours, or not known */
	struct mptcpctl_info info;
	unsigned int counters_known;	/* the first ones of these: */
	uint64_t counters[SCHED_COUNTERS];
	bool limits_known;
	struct mptcp_limits limits;
	unsigned int subflows;
	struct mptcpctl_subflow subflow[SUBFLOWS_MAX];
	struct tcp_info tcp[SUBFLOWS_MAX];
	struct subflow_diag diag[SUBFLOWS_MAX];
	struct rate whole, rate[SUBFLOWS_MAX];
};

/* Does it carry data, or did it? Else it listens, or is not connected. */
static inline bool is_connection(const struct connection *c)
{
	return c->state == CONN_MPTCP || c->state == CONN_FALLBACK;
}

void read_connection(int fd, struct connection *c);
void read_diags(struct connection *c);

/* of TCP; its header has them, but not beside <linux/tcp.h> */
enum { STATE_ESTABLISHED = 1, STATE_SYN_SENT = 2, STATE_CLOSE = 7, STATE_LISTEN = 10 };

extern const char *const state_names[];
const char *tcp_state_name(unsigned int state);
bool tcp_is_established(const struct tcp_info *tcp);
bool has_ssthresh(const struct tcp_info *tcp);

/* rate.c: what connections carry in a second */
double seconds_now(void);
bool watch_rates(pid_t pid);
void keep_rates(const struct connection *c);
bool turn_rates(void);
void read_rates(struct connection *c);

/* limit.c: what they wait for */
struct limit_order {
	unsigned int of[LIMITS];
	uint64_t whole;		/* us */
};

extern const char *const limit_names[];
struct limit_order order_limits(const uint64_t *us);
double share_of_limit(const struct limit_order *order, const uint64_t *us, unsigned int limit);
double sent_again(const struct connection *c);
void blame_losses(struct connection *c);
const char *limits_unknown(void);

/* show.c */
int cmd_show(int argc, char **argv);

/* show_text.c, show_json.c */
void print_text(const struct mptcp_socket *sk, const struct connection *c);
void print_json(const struct mptcp_socket *sk, const struct connection *c);

/* advise.c: buffers */
bool has_fixed_buffer(int fd, int lock);
void print_window_advice(int fd, const struct connection *c);
void print_sndbuf_advice(int fd, const struct connection *c);
int cmd_advise(int argc, char **argv);

/* why.c: what limits connections */
int cmd_why(int argc, char **argv);

/* top.c: a live view of connections */
int cmd_top(int argc, char **argv);

/* doctor.c: what is wrong with a machine that has several uplinks */
int cmd_doctor(int argc, char **argv);

/* path.c: prices, weights and budgets of interfaces */
bool budget_is_used_up(const char *name, char *until, size_t len);
int cmd_path(int argc, char **argv);

/* metrics.c: sums for a monitoring system */
int cmd_metrics(int argc, char **argv);

/* load.c: schedulers in BPF */
int cmd_load(int argc, char **argv);
int cmd_unload(int argc, char **argv);

#endif
