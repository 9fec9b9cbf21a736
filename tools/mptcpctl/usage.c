// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The commands and their options: one table, of which getopt takes what there is, and --help what
 * is said of it. test.sh compares mptcpctl.8 with it.
 */

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

#define WIDTH 79		/* of what is printed */
#define DOES_COLUMN 31		/* where the list of commands says what they do */
#define BLANKS "\n "		/* between words, see the table */
#define FORMS_MAX 3
#define OPTIONS_MAX 8		/* with --help and the one that ends them */

struct choice {
	char letter;
	const char *name;
	const char *takes;	/* NULL: nothing */
	const char *text;
};

#define CONGESTION { 'c', "congestion", "NAME", "congestion control of all their subflows" }
#define WEIGHT { 'w', "weight", "N", \
		 "for congestion control ewlia: grow as one of N senders, 1 to 65535\n" \
		 "(0: net.mptcp.ewlia_weight, the default)" }
#define PID { 'p', "pid", "PID", "of this process only" }
#define JSON(text) { 'j', "json", NULL, text }

/* Lines of texts end where it suits this file, and are filled anew when they are printed. */
static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	struct {
		const char *takes, *does;
	} forms[FORMS_MAX];
	const char *text;
	struct choice choices[OPTIONS_MAX];
	const char *example;	/* a line below them, or NULL */
	const char *more;	/* the end, or NULL */
	bool runs_program;	/* whose options are its own */
} commands[] = {
	{
		.name = "list", .run = cmd_list,
		.forms = {
			{ " [--json]",
			  "schedulers and congestion controls, who may use them,\n"
			  "extensions, tunables" },
		},
		.text =
			"Shows the schedulers of this kernel: which is the default of this network\n"
			"namespace, who may choose it (all, or admin: with CAP_NET_ADMIN), the tunables\n"
			"of loaded ones; the extensions that can follow a scheduler's name, as in\n"
			"minrtt+rp+bm; and the congestion controls: the same, and which are coupled,\n"
			"that is made for MPTCP.",
		.choices = { JSON("for programs: an object with an array of each") },
	}, {
		.name = "get", .run = cmd_get,
		.forms = { { " [--json]", "the default scheduler of this network namespace" } },
		.text = "Shows the scheduler that new sockets of this network namespace get.",
		.choices = { JSON("as an object with the member \"scheduler\"") },
	}, {
		.name = "set", .run = cmd_set,
		.forms = {
			{ " NAME [--param KEY=VALUE]...",
			  "change it, or tunables of a scheduler, extension or congestion\n"
			  "control" },
			{ " [NAME] [--congestion NAME] [--weight N] --pid PID [--fd N]",
			  "change connections of a running program" },
			{ " [NAME] [--congestion NAME] [--weight N]\n"
			  "[--local ADDR:PORT] [--peer ADDR:PORT]", "the same, by address" },
		},
		.text =
			"Without a connection: scheduler NAME is the default of new sockets in this\n"
			"network namespace, or with --param a tunable of NAME changes. Else: connections\n"
			"of running programs, from their next bytes on. IPv6 addresses are written\n"
			"[ADDR]:PORT. Schedulers are written with their extensions, if any:\n"
			"minrtt+rp+bm.",
		.choices = {
			{ 'k', "param", "KEY=VALUE", "change a tunable (see: mptcpctl list)" },
			CONGESTION, WEIGHT,
			{ 'p', "pid", "PID", "MPTCP sockets of this process" },
			{ 'f', "fd", "N", "only this descriptor of it" },
			{ 'l', "local", "ADDR:PORT", "sockets with this address on our side" },
			{ 'r', "peer", "ADDR:PORT", "sockets with this address on the other side" },
		},
	}, {
		.name = "run", .run = cmd_run,
		.forms = {
			{ " [--scheduler NAME] [--congestion NAME] [--weight N]\n"
			  "[--tell|--quiet] -- PROGRAM [ARG]...", "run a program over MPTCP" },
		},
		.text = "Runs PROGRAM, unmodified: its TCP sockets become MPTCP sockets.",
		.choices = {
			{ 's', "scheduler", "NAME",
			  "packet scheduler of its connections, with its extensions, if any:\n"
			  "minrtt+rp (see: mptcpctl list)" },
			CONGESTION, WEIGHT,
			{ 't', "tell", NULL,
			  "say on standard error which of its connections were plain TCP after all;\n"
			  "the default if that is a terminal" },
			{ 'q', "quiet", NULL, "do not" },
		},
		.more =
			"Statically linked and set-user-ID programs stay with TCP. The exit status is\n"
			"the program's; 127 if it was not found, 126 if it cannot be run, 2 if it was\n"
			"not tried.",
		.runs_program = true,
	}, {
		.name = "show", .run = cmd_show,
		.forms = {
			{ " [--pid PID] [--rates] [--json]",
			  "MPTCP connections and their subflows" },
		},
		.text =
			"Shows the MPTCP connections of running programs, their subflows, and what their\n"
			"schedulers and coupled congestion controls did, see mptcpctl(8).",
		.choices = {
			PID,
			{ 'r', "rates", NULL, "watch for a second first: what each carries now" },
			JSON("for programs: an array with an object per socket"),
		},
	}, {
		.name = "advise", .run = cmd_advise,
		.forms = {
			{ " [--pid PID] [--json]",
			  "which receive buffer connections need, and which they have" },
		},
		.text =
			"Watches the MPTCP connections of running programs for a second, and says for\n"
			"each that carries something which receive buffer it needs, which it has, and\n"
			"the sysctl to set.",
		.choices = { PID, JSON("for programs: an array with an object per connection") },
	}, {
		.name = "why", .run = cmd_why,
		.forms = {
			{ " [--pid PID] [--json]", "what limits connections, and what to do" },
		},
		.text =
			"Watches the MPTCP connections of running programs for a second, and says for\n"
			"each what it waited for, in percent, and what to do about the longest: the\n"
			"application (idle), the send buffer (sndbuf), the peer's window, the scheduler\n"
			"(sched), full paths (cwnd), paths that lose packets (loss) or do not answer\n"
			"(dark). Then, which endpoints have no subflow, and why.",
		.choices = { PID, JSON("for programs: an array with an object per connection") },
	}, {
		.name = "top", .run = cmd_top,
		.forms = {
			{ " [--pid PID] [--once|--times N] [--json]",
			  "a live view: rates per subflow, queues, what limits" },
		},
		.text =
			"Shows once a second what the MPTCP connections of running programs carry, those\n"
			"that carry most first, over which subflows, and what they wait for (see:\n"
			"mptcpctl why --help). On a terminal it is a screen, which q ends; else lines,\n"
			"once.",
		.choices = {
			PID,
			{ 'o', "once", NULL, "lines, after a second" },
			{ 'n', "times", "N", "lines, N times, a second apart" },
			JSON("for programs: each time an array with an object per connection"),
		},
	}, {
		.name = "doctor", .run = cmd_doctor,
		.forms = {
			{ " [HOST[:PORT]] [--json]",
			  "what keeps this machine from using several uplinks" },
		},
		.text =
			"Checks a machine that should use several uplinks: settings, endpoints, routes,\n"
			"budgets, and with HOST, which should speak MPTCP, test connections from each\n"
			"endpoint to PORT, 80 if none is named. It says what is wrong and the commands\n"
			"that mend it, and changes nothing.",
		.choices = { JSON("for programs: an array with an object per finding") },
		.more =
			"The exit status is 0 if all is well, 1 if something is to be changed, 2 if\n"
			"that could not be found out.",
	}, {
		.name = "path", .run = cmd_path,
		.forms = {
			{ " [--json]", "what network interfaces cost and may carry" },
			{ " IFNAME [--price N] [--weight N] [--budget BYTES/PERIOD]\n"
			  "[--used BYTES[@SECOND]]", "change it" },
			{ " ADDRESS/BITS [--price N] [--weight N]",
			  "the same for peers, without budgets" },
		},
		.text =
			"Shows what the network interfaces cost and may carry, or changes it, in this\n"
			"network namespace; with ADDRESS/BITS, price and weight of peers with such\n"
			"addresses.",
		.choices = {
			{ 'p', "price", "N",
			  "schedulers with the extension +price use the cheapest paths, dearer ones\n"
			  "when those are full; 0 to 255, 0 at first" },
			{ 'w', "weight", "N",
			  "scheduler weighted: its part of the data, 1 to 255, 1 at first" },
			{ 'b', "budget", "BYTES/PERIOD",
			  "so much it carries in a period, as in 5G/30d; then it is a backup until\n"
			  "the period ends. none: no limit" },
			{ 'u', "used", "BYTES[@SECOND]",
			  "so much of that is used, in the period that began at SECOND\n"
			  "of UNIX time" },
			JSON("for programs: an array with an object for each interface"),
		},
	}, {
		.name = "metrics", .run = cmd_metrics,
		.forms = {
			{ " [--history FILE]",
			  "connections in sum, per scheduler and local address,\n"
			  "for Prometheus" },
		},
		.text =
			"Prints how many MPTCP connections there are, by state and scheduler, for each\n"
			"local address its subflows and what these carried, and what connections wait\n"
			"for now, as Prometheus reads it.",
		.choices = {
			{ 'H', "history", "FILE",
			  "also for how long they waited for what, as counters that only rise: FILE\n"
			  "keeps them, and what each connection has counted, from run to run" },
		},
		.example = "mptcpctl metrics >DIR/mptcp.prom.new && mv DIR/mptcp.prom.new DIR/mptcp.prom",
		.more =
			"A timer runs that; DIR is what node_exporter has as\n"
			"--collector.textfile.directory.",
	}, {
		.name = "load", .run = cmd_load,
		.forms = { { " FILE", "a scheduler in BPF, from an object file" } },
		.text =
			"Loads the schedulers in FILE, an object file of BPF programs with a struct\n"
			"mptcp_sched_ops, as \"make -C tools/bpf\" compiles them. They stay until\n"
			"\"mptcpctl unload NAME\", or until the machine goes down.",
	}, {
		.name = "unload", .run = cmd_unload,
		.forms = { { " NAME", "take it away again" } },
		.text =
			"Takes away a scheduler that \"mptcpctl load\" has loaded. Connections that use\n"
			"it keep it.",
	}, {
		.name = "--version", .run = cmd_version,
		.forms = { { "", "of this program, and whether the kernel has the patches" } },
		.text = "Says which version this is, and whether the kernel has the scheduler patches.",
	},
};

static const struct choice help_choice = { 'h', "help", NULL, "say this" };

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Up to the next space or line; what is in brackets stays together, if it fits a line. */
static size_t word_length(const char *text)
{
	size_t brackets = strcspn(text, "]") + 1;

	if (*text == '[' && text[brackets - 1] && brackets < WIDTH / 2)
		return brackets + strcspn(text + brackets, BLANKS);
	return strcspn(text, BLANKS);
}

/* Print @text from column @column on, in lines of whole words, the further ones from @indent on. */
static void wrap(FILE *to, const char *text, int column, int indent)
{
	while (*text) {
		bool gap = strspn(text, BLANKS);
		int len;

		text += strspn(text, BLANKS);
		len = word_length(text);
		if (gap && column + 1 + len > WIDTH) {
			fprintf(to, "\n%*s", indent, "");
			column = indent;
			gap = false;
		}
		column += fprintf(to, "%s%.*s", gap ? " " : "", len, text);
		text += len;
	}
	fputc('\n', to);
}

/* The left column of options: "-p, --pid PID". Its width */
static int left_text(const struct choice *choice, char *text, size_t len)
{
	return snprintf(text, len, "  -%c, --%s%s%s  ", choice->letter, choice->name,
			choice->takes ? " " : "", choice->takes ? choice->takes : "");
}

static const struct choice *choice_at(const struct command *command, size_t i)
{
	return command->choices[i].name ? &command->choices[i] : &help_choice;
}

static void print_choices(FILE *to, const struct command *command)
{
	char text[64];
	int width = 0;
	size_t i;

	for (i = 0; command->choices[i].name; i++) {
		int len = left_text(&command->choices[i], text, sizeof(text));

		if (len > width)
			width = len;
	}
	for (i = 0; command->choices[i].name; i++) {
		left_text(&command->choices[i], text, sizeof(text));
		fprintf(to, "%-*s", width, text);
		wrap(to, command->choices[i].text, width, width);
	}
}

static void print_usage(FILE *to, const struct command *command)
{
	static const char lead[] = "usage: mptcpctl ";
	size_t i;

	for (i = 0; i < FORMS_MAX && command->forms[i].does; i++) {
		int column = fprintf(to, "%s%s", i ? "       mptcpctl " : lead, command->name);

		wrap(to, command->forms[i].takes, column, sizeof(lead) + strlen(command->name));
	}
	wrap(to, command->text, 0, 0);
	print_choices(to, command);
	if (command->example)
		fprintf(to, "  %s\n", command->example);
	if (command->more)
		wrap(to, command->more, 0, 0);
}

/* All commands, a line for each form if that fits. */
void print_commands(FILE *to)
{
	size_t i, k;

	fputs("usage: mptcpctl COMMAND ...\n\n", to);
	for (i = 0; i < COMMANDS; i++) {
		for (k = 0; k < FORMS_MAX && commands[i].forms[k].does; k++) {
			const char *takes = commands[i].forms[k].takes;
			int column = fprintf(to, "  %s", commands[i].name);

			if (column + strlen(takes) < DOES_COLUMN) {
				fprintf(to, "%-*s", DOES_COLUMN - column, takes);
			} else {
				wrap(to, takes, column, column + 1);
				fprintf(to, "%*s", DOES_COLUMN, "");
			}
			wrap(to, commands[i].forms[k].does, DOES_COLUMN, DOES_COLUMN);
		}
	}
	fputs("\n\"mptcpctl COMMAND --help\" and the manual page mptcpctl(8) say more.\n", to);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

int run_command(int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);

	if (command)
		return command->run(argc, argv);
	complain("unknown command '%s'", argv[0]);
	print_commands(stderr);
	return EXIT_USAGE;
}

/* The arguments of command @name are wrong, which the user was told. */
int usage_error(const char *name)
{
	print_usage(stderr, find_command(name));
	return EXIT_USAGE;
}

/* The letter of the next option of command argv[0]; -1: there are no more. --help is done here, and
 * what is no option of it ends the program, too.
 */
int next_choice(int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);
	struct option options[OPTIONS_MAX + 1] = {};
	char letters[2 * OPTIONS_MAX + 2], *end = letters, *name = argv[0], whole[32];
	size_t i = 0;
	int opt;

	if (command->runs_program)
		*end++ = '+';
	do {
		const struct choice *choice = choice_at(command, i);

		options[i].name = choice->name;
		options[i].has_arg = choice->takes ? required_argument : no_argument;
		options[i].val = choice->letter;
		*end++ = choice->letter;
		if (choice->takes)
			*end++ = ':';
	} while (choice_at(command, i++) != &help_choice);
	*end = 0;
	/* what is wrong it says itself, behind this name */
	snprintf(whole, sizeof(whole), "mptcpctl: %s", command->name);
	argv[0] = whole;
	opt = getopt_long(argc, argv, letters, options, NULL);
	argv[0] = name;
	if (opt == 'h') {
		print_usage(stdout, command);
		exit(finish_output(0));
	}
	if (opt == '?')
		exit(usage_error(argv[0]));
	return opt;
}
