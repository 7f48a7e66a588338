/* sort: keys of one list or of many, by quicksort. */
#include "workloads/common/memory.h"
#include "workloads/sort/host.h"

#include <inttypes.h>
#include <stdlib.h>

#define FIELD(member) WL_FIELD(sort_options, member)

/* Positions in arrays are 32-bit numbers. */
#define MAX_KEYS INT64_C(2000000000)

static const wl_param params[] = {
	{ .name = "number",
		.letter = 'n',
		.kind = WL_COUNT,
		.field = FIELD(n),
		.max = MAX_KEYS,
		.preset = "1M",
		.metavar = "N",
		.help = "set the number of keys (0 to 2G)" },
	{ .name = "keys",
		.letter = 'k',
		.kind = WL_CHOICE,
		.field = FIELD(keys),
		.preset = "u32",
		.choices = "u32|u64|pairs",
		.help = "select the type of keys; pairs: 32-bit keys with 32-bit values, in words "
			"of 64 bits" },
	{ .name = "law",
		.kind = WL_CHOICE,
		.field = FIELD(law),
		.preset = "uniform",
		.choices = "uniform|gauss|equal|few|sorted|reversed|staggered|zipf",
		.help = "select the distribution of keys; zipf: uniform keys in lists of --lengths "
			"zipf" },
	{ .name = "lists",
		.kind = WL_COUNT,
		.field = FIELD(lists),
		.min = 1,
		.max = LSCHED_MAX_TASKS,
		.preset = "1",
		.metavar = "N",
		.help = "set the number of lists that are sorted apart" },
	{ .name = "lengths",
		.kind = WL_CHOICE,
		.field = FIELD(lengths),
		.preset = "even",
		.choices = "even|zipf",
		.help = "select the lengths of lists; zipf: the k-th longest has a part of the "
			"keys proportional to 1/k" },
	WL_PARAM_SEED(sort_options, seed, NULL, "keys"),
	{ 0 },
};

static int check_options(const void *options, char *msg, size_t n)
{
	const sort_options *o = options;
	const char *zipf = o->lengths == SORT_ZIPF  ? "lengths"
			   : o->law == SORT_OF_ZIPF ? "law"
						    : NULL;

	if (o->lists > 1 || !zipf)
		return 0;
	return wl_fail(
		msg, n, "--%s zipf needs several lists; set --lists, or remove --%s", zipf, zipf);
}

static int prepare(wl_work *w, wl_device *d, char *why, size_t n)
{
	const sort_host *s = w->host_data;

	return wl_zero(d, s->ctx.key[SORT_OUTPUT], s->o.n * s->key_bytes, why, n);
}

static int check(wl_work *w, wl_device *d, char *why, size_t n)
{
	sort_host *s = w->host_data;
	void *key = wl_host_copy(d, s->ctx.key[SORT_OUTPUT], s->o.n * s->key_bytes, why, n);
	int bad = key ? sort_check_keys(s, key, why, n) : -1;

	free(key);
	w->operations = s->o.n;
	w->value = s->sum;
	if (s->o.lists > 1) {
		wl_add_fact(w, "lists", (double)s->o.lists);
		wl_add_fact(w, "keys of the longest list", s->largest);
	}
	return bad;
}

/* Copies lists and keys to the memory of the tasks. */
static int write_input(wl_device *d, sort_host *s, const void *key, char *msg, size_t n)
{
	sort_ctx *c = &s->ctx;
	const size_t list_bytes = (s->o.lists + 1) * sizeof(uint32_t);
	uint32_t *list = wl_alloc(d, list_bytes, msg, n);
	uint32_t *root;

	c->list = list;
	root = list ? wl_alloc(d, list_bytes, msg, n) : NULL;
	c->root = root;
	if (!root)
		return -1;
	for (int k = 0; k < SORT_ARRAYS; k++) {
		c->key[k] = wl_alloc(d, s->o.n * s->key_bytes, msg, n);
		if (!c->key[k])
			return -1;
	}
	c->open = wl_alloc(d, (s->o.n / SORT_ROOM_MIN + 1) * sizeof(*c->open), msg, n);
	if (!c->open || wl_write(d, list, s->list, list_bytes, msg, n) ||
		wl_write(d, root, s->root, list_bytes, msg, n))
		return -1;
	return wl_write(d, c->key[SORT_INPUT], key, s->o.n * s->key_bytes, msg, n);
}

int sort_alloc_ways(sort_host *s, wl_device *d, char *msg, size_t n)
{
	const uint64_t entries = s->o.n / SORT_ROOM_MIN + 1;
	sort_ctx *c = &s->ctx;

	c->pivot = wl_alloc(d, entries * SORT_WAYS_SLOT * s->key_bytes, msg, n);
	c->way = c->pivot ? wl_alloc(d, entries * SORT_WAYS_SLOT * sizeof(*c->way), msg, n) : NULL;
	c->tile =
		c->way ? wl_alloc(d, entries * SORT_TILES_SLOT * SORT_WAYS_MOST * sizeof(*c->tile),
				 msg, n)
		       : NULL;
	c->way_of = c->tile ? wl_alloc(d, s->o.n, msg, n) : NULL;
	return c->way_of ? 0 : -1;
}

/* The largest range that a CPU thread sorts: several ranges for each worker, but large ones, as
 * tiles cost more than the leaf's own partition. A single worker waits for no other. */
static uint32_t cpu_small(uint32_t n, uint32_t workers)
{
	const uint64_t part = workers > 1 ? n / (8 * (uint64_t)workers) : n / 4;

	if (part < SORT_CPU_LEAST)
		return SORT_CPU_LEAST;
	return part > SORT_CPU_MOST ? (uint32_t)SORT_CPU_MOST : (uint32_t)part;
}

/* Sets what the program may use of memory. */
static void set_limits(wl_work *w, const wl_device *d, sort_host *s)
{
	const uint32_t n = (uint32_t)s->o.n;
	uint32_t depth = 8;

	for (uint32_t m = n; m; m /= 2)
		depth += 2;
	s->ctx.depth_limit = depth;
	s->ctx.leaves = sort_leaves_best();
	s->ctx.most_ways = SORT_WAYS_MOST;
	/* where all workers have tiles for long, fewer items cost less */
	s->ctx.each = n >= 1u << 26 ? 4 : n >= 1u << 25 ? 2 : 1;
	if (wl_is_cuda(d))
		s->ctx.small = (uint32_t)(SORT_ROOM_BYTES / s->key_bytes);
	else
		s->ctx.small = cpu_small(n, d->max_workers);
	w->capacity = (1u << 16) + n / 128; /* a tile is a chunk of the queue, which has 32 items */
	/* one for each range that is being split; each is larger than `small` */
	w->max_joins = n / s->ctx.small + 64 * d->max_workers;
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	sort_host *s = wl_own(d, sizeof(*s), msg, n);
	void *key;
	int bad;

	w->host_data = s;
	if (!s)
		return -1;
	s->o = *(const sort_options *)options;
	if (s->o.law == SORT_OF_ZIPF)
		s->o.lengths = SORT_ZIPF;
	s->key_bytes = s->o.keys == SORT_U32 ? 4 : 8;
	if (sort_make_lists(d, s, msg, n))
		return -1;
	key = wl_host_alloc(s->o.n * s->key_bytes, msg, n);
	if (!key)
		return -1;
	sort_generate(&s->o, key);
	sort_sums(s, key, &s->sum, &s->exclusive_or);
	bad = write_input(d, s, key, msg, n);
	free(key);
	if (bad || (wl_is_cuda(d) && sort_alloc_ways(s, d, msg, n)))
		return -1;
	set_limits(w, d, s);
	if (s->key_bytes == 4)
		WL_SET_PROGRAM(w, sort4);
	else
		WL_SET_PROGRAM(w, sort8);
	w->ctx = &s->ctx;
	w->tasks = s->roots;
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	w->prepare = prepare;
	w->check = check;
	if (!wl_is_cuda(d))
		w->plain = sort_plain_cpu;
	else if (s->o.lists == 1)
		w->plain = WL_CUDA(sort_plain_cuda);
	return 0;
}

static const char *const cases[] = { "-n 0", "-n 1", "-n 2", "-n 65536", "-n 65537",
	"-n 131071 --keys u64", "-n 200001 --keys pairs --law few", "-n 300000 --law equal",
	"-n 300000 --law sorted", "-n 262145 --law reversed --keys u64",
	"-n 300000 --law staggered", "-n 200000 --law gauss", "-n 1000001", "-n 3 --lists 10",
	"-n 400000 --lists 5000 --lengths zipf", "-n 70000 --lists 300 --law zipf",
	"-n 100000 --lists 20000 --keys u64", NULL };

const wl_type wl_sort_type = {
	.name = "sort",
	.summary = "Sorts keys by quicksort, one list or many.\n"
		   "The quicksort of Lauterbach, Mo and Manocha, \"Work distribution methods on\n"
		   "GPUs\" (2009), section 4.2.",
	.example = "-n 10M --law gauss --queue all",
	.unit = "keys",
	.queues = "ring",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(sort_options),
	.check_options = check_options,
	.create = create,
};
