// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A terminal as a screen that is written anew: by the sequences that all of today's have, so that
 * no library is needed. What was there before comes back at the end.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "top.h"

#define ENTER "\033[?1049h\033[?25l"	/* another screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define LINES 24	/* of a terminal that does not say */
#define COLUMNS 80

static struct termios before;
static bool has_keys;
static sig_atomic_t ended;

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

/* They interrupt the wait for keys, and the terminal is set back on the way out. */
static void take_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	struct sigaction action = { .sa_handler = on_signal };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

/* Is standard output a terminal that takes these sequences? */
bool is_screen(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && terminal && *terminal && strcmp(terminal, "dumb");
}

/* False: errno says why not. Standard input that is no terminal has no keys. */
bool open_screen(void)
{
	struct termios raw;

	has_keys = isatty(STDIN_FILENO);
	if (has_keys) {
		if (tcgetattr(STDIN_FILENO, &before))
			return false;
		raw = before;
		raw.c_lflag &= ~(ICANON | ECHO);
		/* a stop would leave the shell with this screen */
		raw.c_cc[VSUSP] = _POSIX_VDISABLE;
		take_signals();
		if (tcsetattr(STDIN_FILENO, TCSANOW, &raw))
			return false;
	} else {
		take_signals();
	}
	printf(ENTER);
	fflush(stdout);
	return true;
}

void close_screen(void)
{
	printf(LEAVE);
	fflush(stdout);
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

void screen_size(unsigned int *lines, unsigned int *columns)
{
	struct winsize size = {};

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*lines = size.ws_row ? size.ws_row : LINES;
	*columns = size.ws_col ? size.ws_col : COLUMNS;
}

/* False: the terminal is gone, or the user wants to quit. */
static bool read_key(void)
{
	char key = 0;
	ssize_t got = read(STDIN_FILENO, &key, 1);

	if (got < 0)
		return errno == EINTR;
	return got && key != 'q' && key != 'Q';
}

/* False: quit. */
bool wait_on_screen(double until)
{
	struct pollfd keys = { .fd = has_keys ? STDIN_FILENO : -1, .events = POLLIN };
	double left;

	fflush(stdout);
	while (!ended && (left = until - seconds_now()) > 0) {
		if (poll(&keys, 1, left * 1000 + 1) > 0 && !read_key())
			return false;
	}
	return !ended;
}
