/* The memory and executions of `trace`. */
#include "workloads/common/memory.h"
#include "workloads/trace/host.h"
#include "workloads/trace/patch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t pixels_of(const trc_ctx *c)
{
	return c->width * c->height;
}

static size_t sum_bytes(const trc_ctx *c)
{
	return (size_t)pixels_of(c) * 4 * sizeof(*c->sum);
}

static uint32_t patches_of(const trc_ctx *c)
{
	return trc_patches_across(c) * ((c->height + TRC_SIDE - 1) / TRC_SIDE);
}

static uint64_t takes_of(const trc_ctx *c)
{
	return (uint64_t)pixels_of(c) * ((c->samples + TRC_TAKE - 1) / TRC_TAKE);
}

static int clear(const trc_host *h, wl_device *d, char *why, size_t n)
{
	const trc_ctx *c = &h->ctx;
	const size_t patches = c->visits ? patches_of(c) : 0;

	if (wl_zero(d, c->taken, sizeof(*c->taken), why, n) ||
		wl_zero(d, c->sum, sum_bytes(c), why, n) ||
		wl_zero(d, c->path, h->slots * sizeof(*c->path), why, n))
		return -1;
	if (patches == 0)
		return 0;
	return wl_zero(d, c->visits, patches * sizeof(*c->visits), why, n) ||
			       wl_zero(d, c->calm, patches * sizeof(*c->calm), why, n)
		       ? -1
		       : 0;
}

static int prepare(wl_work *w, wl_device *d, char *why, size_t n)
{
	return clear(w->host_data, d, why, n);
}

/* Sets the paths of each pixel; by what tasks have done if `tasks`. */
static int count_paths(
	const trc_ctx *c, wl_device *d, int tasks, uint32_t *paths, char *why, size_t n)
{
	const uint32_t patches = patches_of(c);
	uint32_t *visits = NULL;

	for (size_t i = 0; i < pixels_of(c); i++)
		paths[i] = c->samples;
	if (!tasks)
		return 0;
	visits = wl_host_copy(d, c->visits, patches * sizeof(*visits), why, n);
	for (uint32_t i = 0; visits && i < patches * TRC_PIXELS; i++) {
		const uint32_t pixel = trc_patch_pixel(c, i / TRC_PIXELS, i % TRC_PIXELS);

		if (pixel != LSCHED_NONE)
			paths[pixel] = visits[i / TRC_PIXELS] * c->visit;
		if (visits[i / TRC_PIXELS] == 0) {
			free(visits);
			return wl_fail(why, n, "patch %" PRIu32 " was not visited", i / TRC_PIXELS);
		}
	}
	free(visits);
	return visits ? 0 : -1;
}

static double squared_error(const trc_host *h, const trc_picture *p)
{
	const size_t values = (size_t)p->width * p->height * 3;
	double sum = 0;

	for (size_t i = 0; i < values; i++) {
		const double right =
			(double)h->reference[i / 3 * 4 + i % 3] / (double)TRC_ONE / h->o.reference;
		const double error = trc_light(p, i / 3, i % 3) - right;

		sum += error * error;
	}
	return sum / (double)values;
}

static void add_facts(wl_work *w, const trc_host *h, const trc_picture *p)
{
	const trc_lengths *l = &h->lengths;
	uint32_t least = UINT32_MAX, most = 0;
	uint64_t paths = 0;

	for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
		paths += p->paths[i];
		least = p->paths[i] < least ? p->paths[i] : least;
		most = p->paths[i] > most ? p->paths[i] : most;
	}
	w->operations = paths;
	w->value = h->hash;
	wl_add_fact(w, "bounces a path", (double)l->bounces / (double)l->paths);
	wl_add_fact(w, "lanes that wait, with a path each",
		1 - (double)l->bounces / (32 * (double)l->longest));
	if (least != most) {
		wl_add_fact(w, "fewest paths of a pixel", least);
		wl_add_fact(w, "most paths of a pixel", most);
	}
	if (h->reference)
		wl_add_fact(w, "mean squared error", squared_error(h, p));
}

static int check_picture(wl_work *w, wl_device *d, const trc_picture *p, char *why, size_t n)
{
	trc_host *h = w->host_data;
	const int bad = trc_check(h, d, p, why, n);

	if (!bad)
		add_facts(w, h, p);
	return bad;
}

static int write_picture(wl_work *w, wl_device *d, const trc_picture *p, char *why, size_t n)
{
	const trc_host *h = w->host_data;

	if (h->o.image && trc_write_image(p, h->o.image, d->overwrite, why, n))
		return -1;
	return h->o.density ? trc_write_density(p, h->o.density, d->overwrite, why, n) : 0;
}

/* Reads the picture of an execution, and checks or writes it. */
static int with_picture(wl_work *w, wl_device *d, char *why, size_t n,
	int (*use)(wl_work *, wl_device *, const trc_picture *, char *, size_t))
{
	const trc_host *h = w->host_data;
	const trc_ctx *c = &h->ctx;
	const int tasks = w->stats && h->o.order != TRC_ORDER_PATHS;
	uint64_t *sum = wl_host_copy(d, c->sum, sum_bytes(c), why, n);
	uint32_t *paths = sum ? wl_host_alloc(pixels_of(c) * sizeof(*paths), why, n) : NULL;
	const trc_picture p = { c->width, c->height, sum, paths };
	int bad = paths ? count_paths(c, d, tasks, paths, why, n) : -1;

	if (!bad)
		bad = use(w, d, &p, why, n);
	free(sum);
	free(paths);
	return bad;
}

static int check(wl_work *w, wl_device *d, char *why, size_t n)
{
	return with_picture(w, d, why, n, check_picture);
}

static int write_files(wl_work *w, wl_device *d, char *why, size_t n)
{
	return with_picture(w, d, why, n, write_picture);
}

/* With --never-keep a path is alone in its chunk at worst, and one CPU worker draws most slots. */
static void set_items(wl_work *w, const wl_device *d, const trc_host *h)
{
	const uint32_t most = wl_is_cuda(d) ? 4096 : 1 << 20;

	w->bin_size = h->slots + 256 < most ? h->slots + 256 : most;
	w->tasks = h->slots;
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	w->capacity = 65536 + 4 * w->tasks;
	if (h->ctx.triangles)
		WL_SET_PROGRAM(w, trace_mesh);
	else
		WL_SET_PROGRAM(w, trace);
}

/* Traces the reference by items. */
static int make_reference(trc_host *h, wl_device *d, char *msg, size_t n)
{
	trc_ctx *c = &h->ctx;
	const trc_ctx kept = *c;
	wl_work w;
	lsched_run_options o;
	int bad;

	c->samples = h->o.reference;
	c->takes = (uint32_t)takes_of(c);
	c->bounces = 10;
	c->refill = 1;
	c->seed = wl_hash64(c->seed);
	memset(&w, 0, sizeof(w));
	set_items(&w, d, h);
	lsched_run_options_init(&o);
	o.max_tasks = h->slots;
	bad = clear(h, d, msg, n) ||
	      wl_run_once(d, wl_is_cuda(d) ? w.cuda : w.cpu, &o, c, h->slots, msg, n);
	if (!bad)
		h->reference = wl_own(d, sum_bytes(c), msg, n);
	if (!bad && h->reference)
		bad = wl_read(d, h->reference, c->sum, sum_bytes(c), msg, n);
	*c = kept;
	return bad || !h->reference ? -1 : 0;
}

static int make_memory(trc_host *h, wl_device *d, char *msg, size_t n)
{
	trc_ctx *c = &h->ctx;
	const size_t patches = h->o.order == TRC_ORDER_PATHS ? 0 : patches_of(c);

	c->taken = wl_alloc(d, sizeof(*c->taken), msg, n);
	c->path = c->taken ? wl_alloc(d, h->slots * sizeof(*c->path), msg, n) : NULL;
	c->sum = c->path ? wl_alloc(d, sum_bytes(c), msg, n) : NULL;
	if (!c->sum || patches == 0)
		return c->sum ? 0 : -1;
	c->visits = wl_alloc(d, patches * sizeof(*c->visits), msg, n);
	c->calm = c->visits ? wl_alloc(d, patches * sizeof(*c->calm), msg, n) : NULL;
	return c->calm ? 0 : -1;
}

/* As many visits as take the paths of all samples, and at least one a patch. */
static void set_patches(wl_work *w, trc_host *h)
{
	trc_ctx *c = &h->ctx;
	const uint64_t visits =
		(uint64_t)pixels_of(c) * c->samples / ((uint64_t)TRC_PIXELS * c->visit);

	w->tasks = patches_of(c);
	w->expected = visits > w->tasks ? visits : w->tasks;
	c->takes = (uint32_t)(w->expected - w->tasks);
	WL_SET_PROGRAM(w, trace_patch);
}

static void set_context(trc_host *h, const wl_device *d)
{
	const trc_options *o = &h->o;
	const uint64_t slots = (uint64_t)d->max_workers * o->paths;
	trc_ctx *c = &h->ctx;

	c->width = o->size.width;
	c->height = o->size.height;
	c->samples = o->samples;
	c->roulette = o->end == TRC_END_ROULETTE;
	c->refill = o->regroup == TRC_REGROUP_LANES;
	c->bounces = o->turn ? o->turn : c->refill ? 16 : 2;
	if (o->regroup == TRC_REGROUP_NONE)
		c->bounces = UINT32_MAX;
	c->takes = (uint32_t)takes_of(c);
	c->visit = o->visit;
	c->even = o->order == TRC_ORDER_EVEN;
	c->seed = wl_hash64(o->seed);
	h->slots = slots < c->takes ? (uint32_t)slots : c->takes;
}

static void set_host(trc_host *h)
{
	const collide_node *node = h->host.node;
	const trc_triangle *triangle = h->host.triangle;

	h->host = h->ctx;
	h->host.node = node;
	h->host.triangle = triangle;
}

int trc_create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	trc_host *h = wl_own(d, sizeof(*h), msg, n);

	w->host_data = h;
	if (!h)
		return -1;
	h->o = *(const trc_options *)options;
	set_context(h, d);
	trc_make_scene(&h->ctx.scene, &h->o);
	if ((h->o.input && trc_load_mesh(h, d, msg, n)) || make_memory(h, d, msg, n))
		return -1;
	if (h->o.reference && make_reference(h, d, msg, n))
		return -1;
	if (h->o.order == TRC_ORDER_PATHS)
		set_items(w, d, h);
	else
		set_patches(w, h);
	set_host(h);
	w->ctx = &h->ctx;
	w->prepare = prepare;
	w->check = check;
	w->write = write_files;
	w->plain = wl_is_cuda(d) ? WL_CUDA(trc_plain_cuda) : trc_plain_cpu;
	return 0;
}
