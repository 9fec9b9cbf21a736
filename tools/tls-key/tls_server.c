// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A TLS server whose MPTCP subflows join with a key of the TLS session.
 *
 * usage: tls_server CERTIFICATE KEY ADDRESS PORT [MODE]
 *
 * Takes one connection, and says "ready": then it has given the key to the kernel, and subflows can
 * join. It answers with the number of bytes that came. MODE is that of MPTCP_ENABLE_APP_KEY, 1.
 */
#include "tls_key.h"

static SSL_CTX *context(const char *certificate, const char *key)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	if (!ctx || SSL_CTX_use_certificate_chain_file(ctx, certificate) != 1 ||
	    SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1)
		tls_die(certificate);
	SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
	return ctx;
}

int main(int argc, char **argv)
{
	char data[CHUNK], answer[32];
	unsigned long total = 0;
	int listener, fd, n;
	SSL_CTX *ctx;
	SSL *ssl;

	if (argc < 5)
		errx(2, "usage: tls_server CERTIFICATE KEY ADDRESS PORT [MODE]");
	ctx = context(argv[1], argv[2]);
	listener = lookup_and(bind, argc > 5 ? atoi(argv[5]) : 1, argv[3], argv[4]);
	if (listen(listener, 5))
		err(1, "listen");
	printf("listening=1\n");
	fflush(stdout);

	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		err(1, "accept");
	no_delay(fd);
	ssl = SSL_new(ctx);
	if (!ssl || SSL_set_fd(ssl, fd) != 1 || SSL_accept(ssl) != 1)
		tls_die("SSL_accept");
	give_key(fd, ssl);
	send_all(ssl, "ready", 5);

	while ((n = receive(ssl, data, sizeof(data))))
		total += n;
	n = snprintf(answer, sizeof(answer), "%lu", total);
	send_all(ssl, answer, n);
	SSL_shutdown(ssl);
	printf("received=%lu\nstate=%d\n", total, key_state(fd));

	SSL_free(ssl);
	close(fd);
	close(listener);
	SSL_CTX_free(ctx);
	return 0;
}
