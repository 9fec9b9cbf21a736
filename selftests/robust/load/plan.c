// SPDX-License-Identifier: GPL-2.0
/* What a connection does: the client draws it, the server is told; how far each may go. */
#include "load.h"

#include <string.h>

#define MAGIC 0x4d50544350706c61ULL

static uint64_t plan_sum(const struct plan *plan)
{
	const uint64_t *words = (const uint64_t *)plan;
	uint64_t sum = 0;

	for (size_t i = 0; i < offsetof(struct plan, sum) / sizeof(*words); i++)
		sum = mix(sum + words[i] + 1);
	return sum;
}

bool is_plan(const struct plan *plan)
{
	return plan->magic == MAGIC && plan->sum == plan_sum(plan);
}

/* As many small ones as large ones: uniform in the logarithm, about. */
static uint64_t draw_size(uint64_t *rng)
{
	uint64_t top = args.max, steps = 0;

	while (args.min << (steps + 1) <= args.max)
		steps++;
	top >>= draw(rng) % (steps + 1);
	top -= draw(rng) % (top / 2 + 1);
	return top < args.min ? args.min : top;
}

struct plan draw_plan(uint64_t id)
{
	static const uint32_t chunks[] = { 3000, 20000, 65536, CHUNK };
	uint64_t rng = mix(args.seed) + id * 0x632be59bd9b4e019ULL;
	struct plan plan = { .magic = MAGIC, .id = id, .seed = args.seed };
	uint64_t one_way = args.two_way ? 2 : draw(&rng) % 8;

	plan.kind = args.kinds[draw(&rng) % strlen(args.kinds)];
	plan.up = sizeof(plan) + (one_way == 0 ? 0 : draw_size(&rng));
	plan.down = one_way == 1 ? 0 : draw_size(&rng);
	plan.chunk = chunks[draw(&rng) % 4];
	if (plan.up > 1 << 20 || plan.down > 1 << 20)
		plan.chunk = CHUNK;
	if (!(draw(&rng) % 8))
		plan.pause = 20000 + draw(&rng) % 200000;
	if (plan.kind == 'u')
		plan.cut = draw(&rng) % (plan.down + 1);
	else if (plan.kind == 'a')
		plan.cut = draw(&rng) % 24;
	else
		plan.cut = sizeof(plan) + draw(&rng) % (plan.up - sizeof(plan) + 1);
	plan.sum = plan_sum(&plan);
	return plan;
}

bool has_plan(const struct conn *conn)
{
	return !conn->server || conn->received >= sizeof(conn->plan);
}

uint64_t to_receive(const struct conn *conn)
{
	return conn->server ? conn->plan.up : conn->plan.down;
}

/* How far it may send now. */
uint64_t may_send(const struct conn *conn)
{
	if (conn->server)
		return has_plan(conn) ? conn->plan.down : 0;
	if (conn->plan.kind == 'c' && !conn->ended)
		return sizeof(conn->plan);
	return conn->plan.up;
}
