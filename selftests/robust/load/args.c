// SPDX-License-Identifier: GPL-2.0
/* What was asked for. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args args = { .kinds = "t", .min = 1, .max = 1 << 20, .at_once = 1, .backlog = 1024,
		     .patience = 150 };

static void parse_names(struct names *names, char *list)
{
	for (char *name = strtok(list, ","); name && names->count < MAX_NAMES;
	     name = strtok(NULL, ","))
		names->name[names->count++] = name;
}

static void parse_sizes(const char *sizes)
{
	char *rest;

	args.min = strtoull(sizes, &rest, 0);
	args.max = *rest == ':' ? strtoull(rest + 1, NULL, 0) : args.min;
	if (!args.min || args.max < args.min) {
		fprintf(stderr, "faults_load: -b MIN:MAX\n");
		exit(2);
	}
}

bool parse(int argc, char **argv)
{
	unsigned int *numbers[128] = {
		['p'] = &args.port, ['n'] = &args.connections, ['j'] = &args.at_once,
		['l'] = &args.backlog, ['i'] = &args.accept_ms, ['B'] = &args.sndbuf,
		['T'] = &args.patience,
	};
	int opt;

	while ((opt = getopt(argc, argv, "p:n:j:l:i:B:T:a:k:b:S:w:G:e2")) != -1) {
		if (numbers[opt])
			*numbers[opt] = strtoul(optarg, NULL, 0);
		else if (opt == 'a')
			args.addr = optarg;
		else if (opt == 'k')
			args.kinds = optarg;
		else if (opt == 'b')
			parse_sizes(optarg);
		else if (opt == 'S')
			args.seed = strtoull(optarg, NULL, 0);
		else if (opt == 'w')
			parse_names(&args.scheds, optarg);
		else if (opt == 'G')
			parse_names(&args.congs, optarg);
		else if (opt == 'e')
			args.may_break = true;
		else if (opt == '2')
			args.two_way = true;
		else
			return false;
	}
	return args.port && args.at_once <= MAX_CONNS;
}
