/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the client and the server of this example have in common */
#ifndef TLS_KEY_H
#define TLS_KEY_H

#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "../mptcpctl/mptcp_sched.h"

#define CHUNK 16384

static inline void tls_die(const char *what)
{
	ERR_print_errors_fp(stderr);
	errx(1, "%s failed", what);
}

/* Ask for joins with a key of ours; on a kernel that does not know it, go on without. */
static inline void ask_for_key(int fd, int mode)
{
	if (mode && setsockopt(fd, SOL_MPTCP, MPTCP_ENABLE_APP_KEY, &mode, sizeof(mode)))
		warn("MPTCP_ENABLE_APP_KEY: going on with keys in clear");
}

/* Both ends derive the same 32 bytes from the TLS session (RFC 8446, 7.5; RFC 5705), which
 * nobody else can. That the peer did not agree (EOPNOTSUPP), or that this is no socket of MPTCP
 * (ENOPROTOOPT), is no error here.
 */
static inline void give_key(int fd, SSL *ssl)
{
	static const char label[] = "EXPERIMENTAL MPTCP application key";
	unsigned char key[32];

	if (SSL_export_keying_material(ssl, key, sizeof(key), label, strlen(label),
				       NULL, 0, 0) != 1)
		tls_die("SSL_export_keying_material");
	if (setsockopt(fd, SOL_MPTCP, MPTCP_KEY, key, sizeof(key)) && errno != EOPNOTSUPP &&
	    errno != ENOPROTOOPT)
		err(1, "MPTCP_KEY");
	OPENSSL_cleanse(key, sizeof(key));
}

/* The messages of a handshake are short, and wait for nothing. */
static inline void no_delay(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

/* 0: keys in clear, 1: the key is waited for, 2: it is set; -1: not MPTCP */
static inline int key_state(int fd)
{
	socklen_t len = sizeof(int);
	int state;

	return getsockopt(fd, SOL_MPTCP, MPTCP_KEY, &state, &len) ? -1 : state;
}

/* The whole of it */
static inline void send_all(SSL *ssl, const char *data, int len)
{
	for (int n; len > 0; data += n, len -= n) {
		n = SSL_write(ssl, data, len);
		if (n <= 0)
			tls_die("SSL_write");
	}
}

/* At most @max bytes; 0: the peer has no more */
static inline int receive(SSL *ssl, char *data, int max)
{
	int n = SSL_read(ssl, data, max);

	if (n <= 0 && SSL_get_error(ssl, n) != SSL_ERROR_ZERO_RETURN)
		tls_die("SSL_read");
	return n > 0 ? n : 0;
}

static inline int lookup_and(int (*act)(int, const struct sockaddr *, socklen_t), int mode,
			     const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	char *end;
	unsigned long number = strtoul(port, &end, 10);
	int fd, one = 1, error;

	/* getaddrinfo() takes 99999 for 34463 */
	if (!*end && (number < 1 || number > 65535))
		errx(2, "%s: write a port from 1 to 65535", port);
	error = getaddrinfo(host, port, &hints, &found);
	if (error)
		errx(1, "%s: %s", host, gai_strerror(error));
	fd = mptcp_socket(found->ai_family, NULL);
	if (fd < 0)
		err(1, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	no_delay(fd);
	ask_for_key(fd, mode);
	if (act(fd, found->ai_addr, found->ai_addrlen))
		err(1, "%s", host);
	freeaddrinfo(found);
	return fd;
}

#endif
