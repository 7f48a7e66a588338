/* octree: particles into cells. */
#include "workloads/common/memory.h"
#include "workloads/octree/host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member) WL_FIELD(octree_options, member)

static const wl_param params[] = {
	{ .name = "number",
		.letter = 'n',
		.kind = WL_COUNT,
		.field = FIELD(n),
		.max = 100000000,
		.preset = "1M",
		.metavar = "N",
		.help = "set the number of particles (0 to 100M)" },
	{ .name = "law",
		.kind = WL_CHOICE,
		.field = FIELD(law),
		.preset = "uniform",
		.choices = "uniform|plummer|clumps",
		.help = "select the distribution of particles; plummer: a sphere with a dense "
			"centre; clumps: half of them at one point, the others in pairs" },
	{ .name = "bound",
		.kind = WL_UINT,
		.field = FIELD(bound),
		.min = 1,
		.max = 1000000,
		.preset = "64",
		.metavar = "N",
		.help = "set the most particles of a leaf (1 to 1000000)" },
	WL_PARAM_SEED(octree_options, seed, NULL, "particles"),
	{ 0 },
};

static int prepare(wl_work *w, wl_device *d, char *why, size_t n)
{
	const oct_host *h = w->host_data;
	const uint32_t cells = h->o.n > 0;

	return wl_write(d, h->ctx.cells, &cells, sizeof(cells), why, n);
}

/* Returns memory for so many cells. */
static int make_room(wl_device *d, oct_ctx *c, uint64_t cells, char *msg, size_t n)
{
	wl_free(d, c->cell);
	c->cell = NULL;
	c->room = 0;
	if (cells > OCT_NONE - 1)
		return wl_fail(msg, n,
			"%" PRIu64 " cells are more than %" PRIu32 "; set a larger --bound", cells,
			OCT_NONE - 1);
	c->cell = wl_alloc(d, cells * sizeof(*c->cell), msg, n);
	c->room = c->cell ? (uint32_t)cells : 0;
	return c->cell ? 0 : -1;
}

static int again(wl_work *w, wl_device *d, char *why, size_t n)
{
	oct_host *h = w->host_data;
	uint32_t cells;

	if (wl_read(d, &cells, h->ctx.cells, sizeof(cells), why, n))
		return -1;
	if (cells <= h->ctx.room)
		return 0;
	return make_room(d, &h->ctx, (uint64_t)cells + cells / 8, why, n) ? -1 : 1;
}

static int check(wl_work *w, wl_device *d, char *why, size_t n)
{
	oct_host *h = w->host_data;
	const oct_ctx *c = &h->ctx;
	oct_cell *cell;
	uint64_t *code;
	uint32_t *name, cells;
	int bad = -1;

	if (wl_read(d, &cells, c->cells, sizeof(cells), why, n))
		return -1;
	cell = wl_host_copy(d, c->cell, (size_t)cells * sizeof(*cell), why, n);
	code = wl_host_copy(d, c->code[OCT_OUTPUT], h->o.n * sizeof(*code), why, n);
	name = wl_host_copy(d, c->name[OCT_OUTPUT], h->o.n * sizeof(*name), why, n);
	if (cell && code && name)
		bad = oct_check_cells(h, cell, cells, why, n) ||
				      oct_check_particles(h, cell, cells, code, name, why, n)
			      ? -1
			      : 0;
	free(cell);
	free(code);
	free(name);
	w->operations = h->o.n;
	w->value = h->truth.sum;
	wl_add_fact(w, "inner cells", (double)h->truth.inner);
	wl_add_fact(w, "leaves", (double)h->truth.leaves);
	wl_add_fact(w, "depth", h->truth.depth);
	wl_add_fact(w, "inner cells a particle is in",
		h->o.n ? (double)h->truth.moves / (double)h->o.n : 0);
	return bad;
}

/* Makes the particles and the tree that must come out. */
static int make_truth(wl_device *d, oct_host *h, char *msg, size_t n)
{
	const size_t bytes = h->o.n * sizeof(uint64_t);
	uint64_t *second;

	h->code = wl_own(d, bytes, msg, n);
	h->sorted = h->code ? wl_own(d, bytes, msg, n) : NULL;
	second = h->sorted ? wl_host_alloc(bytes, msg, n) : NULL;
	if (!second || oct_generate(&h->o, h->code, msg, n)) {
		free(second);
		return -1;
	}
	memcpy(h->sorted, h->code, bytes);
	oct_radix_sort(h->sorted, second, NULL, NULL, h->o.n);
	free(second);
	oct_walk(h->sorted, (uint32_t)h->o.n, h->o.bound, &h->truth, NULL, 0);
	return 0;
}

static int make_memory(wl_device *d, oct_host *h, char *msg, size_t n)
{
	oct_ctx *c = &h->ctx;

	for (int k = 0; k < OCT_ARRAYS; k++) {
		c->code[k] = wl_alloc(d, h->o.n * sizeof(uint64_t), msg, n);
		if (!c->code[k])
			return -1;
		if (k == OCT_INPUT)
			continue;
		c->name[k] = wl_alloc(d, h->o.n * sizeof(uint32_t), msg, n);
		if (!c->name[k])
			return -1;
	}
	c->open = wl_alloc(d, (h->o.n / OCT_ROOM + 1) * sizeof(*c->open), msg, n);
	c->cells = c->open ? wl_alloc(d, sizeof(*c->cells), msg, n) : NULL;
	if (!c->cells || make_room(d, c, 3 * h->o.n / h->o.bound + 1024, msg, n))
		return -1;
	return wl_write(d, c->code[OCT_INPUT], h->code, h->o.n * sizeof(uint64_t), msg, n);
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	oct_host *h = wl_own(d, sizeof(*h), msg, n);

	w->host_data = h;
	if (!h)
		return -1;
	h->o = *(const octree_options *)options;
	h->ctx.n = (uint32_t)h->o.n;
	h->ctx.bound = h->o.bound;
	if (make_truth(d, h, msg, n) || make_memory(d, h, msg, n))
		return -1;
	WL_SET_PROGRAM(w, octree);
	w->ctx = &h->ctx;
	w->tasks = 1;
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	w->capacity = (1u << 16) + h->ctx.n / 64;
	w->max_joins = h->ctx.n / OCT_ROOM + 64 * d->max_workers;
	w->prepare = prepare;
	w->again = again;
	w->check = check;
	w->plain = wl_is_cuda(d) ? WL_CUDA(oct_plain_cuda) : oct_plain_cpu;
	return 0;
}

static const char *const cases[] = { "-n 0", "-n 1", "-n 2 --bound 1", "-n 4096", "-n 4097",
	"-n 50001", "-n 50000 --law plummer --bound 7", "-n 30000 --law clumps --bound 1",
	"-n 20000 --law clumps --bound 5000", "-n 40000 --law clumps --bound 9000",
	"-n 100000 --law plummer --bound 3", NULL };

const wl_type wl_octree_type = {
	.name = "octree",
	.summary =
		"Builds an octree of particles.\n"
		"The octree partitioning of Cederman and Tsigas, \"Dynamic load balancing using\n"
		"work-stealing\" (GPU Computing Gems, 2011), section 35.4.2.",
	.example = "-n 15M --law plummer --queue abp,relaunch",
	.unit = "particles",
	.queues = "ring",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(octree_options),
	.create = create,
};
