// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A TLS client whose MPTCP subflows join with a key of the TLS session.
 *
 * usage: tls_client CERTIFICATE HOST PORT BYTES [MODE]
 *
 * Trusts that certificate only, waits for the server's "ready", and gives the key to the kernel:
 * then the server has it, too, and no SYN comes too early. Then sends so many bytes. MODE is that
 * of MPTCP_ENABLE_APP_KEY, 1.
 */
#include "tls_key.h"

static SSL_CTX *context(const char *certificate)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

	if (!ctx || SSL_CTX_load_verify_locations(ctx, certificate, NULL) != 1)
		tls_die(certificate);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
	return ctx;
}

/* How many subflows there are beside the first one: mptcpi_subflows */
static int subflows(int fd)
{
	unsigned char info[96] = { 0 };
	socklen_t len = sizeof(info);

	return getsockopt(fd, SOL_MPTCP, 1 /* MPTCP_INFO */, info, &len) ? -1 : info[0];
}

int main(int argc, char **argv)
{
	char data[CHUNK] = { 0 }, answer[32] = { 0 };
	unsigned long left, total;
	SSL_CTX *ctx;
	SSL *ssl;
	int fd, n;

	if (argc < 5)
		errx(2, "usage: tls_client CERTIFICATE HOST PORT BYTES [MODE]");
	total = strtoul(argv[4], NULL, 0);
	ctx = context(argv[1]);
	fd = lookup_and(connect, argc > 5 ? atoi(argv[5]) : 1, argv[2], argv[3]);
	ssl = SSL_new(ctx);
	if (!ssl || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1)
		tls_die("SSL_connect");

	for (n = 0; n < 5;) {
		int got = receive(ssl, answer, 5 - n);

		if (!got)
			errx(1, "the server went away");
		n += got;
	}
	give_key(fd, ssl);

	for (left = total; left > 0; left -= n) {
		n = left < CHUNK ? left : CHUNK;
		send_all(ssl, data, n);
	}
	printf("subflows=%d\nstate=%d\n", subflows(fd), key_state(fd));
	SSL_shutdown(ssl);
	memset(answer, 0, sizeof(answer));
	receive(ssl, answer, sizeof(answer) - 1);
	printf("complete=%d\n", strtoul(answer, NULL, 10) == total);

	SSL_free(ssl);
	close(fd);
	SSL_CTX_free(ctx);
	return 0;
}
