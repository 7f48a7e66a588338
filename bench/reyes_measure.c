#include "bench/reyes_measure.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "reyes/alone/scenes.h"

reyes_bench bench = { .repeat = 7, .commit = "unknown" };

/* Time after which no further repetition begins. */
#define ENOUGH_NS UINT64_C(20000000000)

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void fail(const char *what, const char *name, const char *why)
{
	printf("%-10s %-14s FAILED: %s\n", what, name, why);
	fflush(stdout);
	bench.failed = 1;
}

static void begin_record(lsched_backend backend, const char *device, const bench_scene *s)
{
	lsched_i_json_line_object(&bench.writer, NULL);
	lsched_i_json_text(&bench.writer, "backend", lsched_backend_name(backend));
	lsched_i_json_text(&bench.writer, "device", device);
	lsched_i_json_text(&bench.writer, "scene", s->name);
}

static void end_record(void)
{
	lsched_i_json_close(&bench.writer);
	(void)lsched_i_json_flush(&bench.writer);
}

/* ---- frames ---- */

static void record_frames(lsched_backend backend, const bench_scene *s, const reyes_image *image,
	const reyes_stats *t)
{
	static const char *const names[] = { "upload_ms", "clear_ms", "split_ms", "dice_ms",
		"hide_ms", "resolve_ms", "filter_ms", "ms" };
	const uint64_t ns[] = { t->upload_ns, t->clear_ns, t->split_ns, t->dice_ns, t->hide_ns,
		t->resolve_ns, t->filter_ns, t->total_ns };

	begin_record(backend, t->device, s);
	lsched_i_json_uint(&bench.writer, "width", image->width_px);
	lsched_i_json_uint(&bench.writer, "height", image->height_px);
	lsched_i_json_uint(&bench.writer, "primitives", t->primitives);
	lsched_i_json_uint(&bench.writer, "grids", t->grids);
	lsched_i_json_uint(&bench.writer, "points", t->points);
	lsched_i_json_uint(&bench.writer, "micropolygons", t->micropolygons);
	lsched_i_json_uint(&bench.writer, "fragments", t->fragments);
	for (size_t k = 0; k < sizeof(ns) / sizeof(ns[0]); k++)
		lsched_i_json_fixed(&bench.writer, names[k], (double)ns[k] * 1e-6, 4);
	lsched_i_json_fixed(&bench.writer, "frames_per_s", 1e9 / (double)t->total_ns, 2);
	end_record();
}

static int by_total(const void *a, const void *b)
{
	const reyes_stats *x = a, *y = b;

	return (x->total_ns > y->total_ns) - (x->total_ns < y->total_ns);
}

/* Renders a frame repeatedly. Returns the statistics of the median, or NULL. *cpu_ms: the mean CPU
 * time of all threads. */
static const reyes_stats *render(reyes_renderer *r, reyes_image *image, double *cpu_ms)
{
	static reyes_stats t[BENCH_REPEATS_MAX];
	uint64_t spent = 0;
	uint32_t n = 0;
	clock_t begin;

	/* the first frames upload the scene and enlarge the memory */
	for (int k = 0; k < 2; k++)
		if (reyes_render(r, image) != REYES_OK)
			return NULL;
	begin = clock();
	while (n < bench.repeat && (n < 3 || spent < ENOUGH_NS)) {
		reyes_stats_init(t + n);
		if (reyes_render(r, image) != REYES_OK || reyes_get_stats(r, t + n) != REYES_OK)
			return NULL;
		spent += t[n++].total_ns;
	}
	*cpu_ms = (double)(clock() - begin) * 1e3 / CLOCKS_PER_SEC / n;
	qsort(t, n, sizeof(*t), by_total);
	return t + n / 2;
}

/* Opens a scene with the options and renders it. Returns figures of the median repetition, with the
 * renderer in *r to close; NULL after the report of a failure of `part`. */
static const reyes_stats *render_scene(const char *part, const bench_scene *s,
	const reyes_options *o, reyes_renderer **r, reyes_image *image, double *cpu_ms)
{
	const reyes_stats *t;
	char message[400] = "";

	if (!reyes_i_scene_read(r, o, s->text, s->path, message, sizeof(message))) {
		fail(part, s->name, message);
		return NULL;
	}
	reyes_image_init(image);
	t = render(*r, image, cpu_ms);
	if (!t) {
		fail(part, s->name, reyes_last_error(*r));
		reyes_close(r);
	}
	return t;
}

void measure_frames(lsched_backend backend, const bench_scene *s)
{
	reyes_options o;
	reyes_renderer *r;
	reyes_image image;
	const reyes_stats *t;
	double cpu_ms;

	reyes_options_init(&o);
	o.backend = backend == LSCHED_BACKEND_CUDA ? REYES_BACKEND_CUDA : REYES_BACKEND_CPU;
	t = render_scene("frames", s, &o, &r, &image, &cpu_ms);
	if (!t)
		return;
	printf("%-10s %-14s %-5s %8" PRIu64 " %9" PRIu64 " %9.2f %9.3f %9.3f %9.3f %9.3f\n",
		"frames", s->name, lsched_backend_name(backend), t->primitives, t->micropolygons,
		1e9 / (double)t->total_ns, (double)t->split_ns * 1e-6, (double)t->dice_ns * 1e-6,
		(double)t->hide_ns * 1e-6, (double)(t->resolve_ns + t->filter_ns) * 1e-6);
	fflush(stdout);
	if (bench.json)
		record_frames(backend, s, &image, t);
	reyes_close(&r);
}

void measure_threads(uint32_t threads, const bench_scene *s)
{
	reyes_options o;
	reyes_renderer *r;
	reyes_image image;
	const reyes_stats *t;
	double cpu_ms, ms, k;

	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	o.threads = threads;
	t = render_scene("threads", s, &o, &r, &image, &cpu_ms);
	if (!t)
		return;
	ms = (double)t->total_ns * 1e-6;
	k = (double)t->micropolygons * 1e-3; /* k / ms: millions a second */
	printf("%-10s %-14s %8" PRIu32 " %9" PRIu64 " %9.1f %9.3f %9.1f %9.3f\n", "threads",
		s->name, threads, t->micropolygons, ms, k / ms / threads, cpu_ms, k / cpu_ms);
	fflush(stdout);
	if (bench.json) {
		begin_record(LSCHED_BACKEND_CPU, t->device, s);
		lsched_i_json_uint(&bench.writer, "threads", threads);
		lsched_i_json_uint(&bench.writer, "micropolygons", t->micropolygons);
		lsched_i_json_fixed(&bench.writer, "ms", ms, 4);
		lsched_i_json_fixed(&bench.writer, "cpu_ms", cpu_ms, 4);
		end_record();
	}
	reyes_close(&r);
}

/* ---- split and dice alone ---- */

/* A scene in the memory of a backend. */
typedef struct loaded {
	lsched_ctx *ctx;
	reyes_renderer *r;
	reyes_i_alone *a;
	uint64_t micropolygons, points; /* of the first form that has run */
} loaded;

static void unload(loaded *l)
{
	reyes_i_alone_close(&l->a);
	lsched_close(&l->ctx);
	reyes_close(&l->r);
}

/* Returns 0, or -1 after a message. */
static int load(
	loaded *l, lsched_backend backend, uint32_t threads, const bench_scene *s, const char *what)
{
	lsched_options lo;
	char message[400] = "";
	const reyes_i_frame *f;

	memset(l, 0, sizeof(*l));
	lsched_options_init(&lo);
	lo.backend = backend;
	if (backend == LSCHED_BACKEND_CPU)
		lo.workers = threads;
	f = reyes_i_scene_read(&l->r, NULL, s->text, s->path, message, sizeof(message));
	if (f && lsched_open(&l->ctx, &lo, message, sizeof(message)) == LSCHED_OK &&
		reyes_i_alone_open(&l->a, l->ctx, f, message, sizeof(message)) == LSCHED_OK)
		return 0;
	fail(what, s->name, message);
	unload(l);
	return -1;
}

static int by_time(const void *a, const void *b)
{
	const reyes_i_alone_figures *x = a, *y = b;

	return by_value(&x->total_ns, &y->total_ns);
}

/* Executes a form repeatedly and checks its counts. Returns the figures of the median, or NULL with
 * the reason in *why. */
static const reyes_i_alone_figures *execute(
	loaded *l, const reyes_i_alone_options *o, const char **why)
{
	static reyes_i_alone_figures t[BENCH_REPEATS_MAX];
	uint64_t spent = 0, micropolygons = 0, points = 0;
	uint32_t n = 0;
	lsched_status st = reyes_i_alone_prepare(l->a, o);

	*why = reyes_i_alone_error(l->a);
	for (int k = 0; k < 2 && st == LSCHED_OK; k++)
		st = reyes_i_alone_execute(l->a, t);
	if (st == LSCHED_OK)
		st = reyes_i_alone_count(l->a, &micropolygons, &points);
	while (st == LSCHED_OK && n < bench.repeat && (n < 3 || spent < ENOUGH_NS)) {
		st = reyes_i_alone_execute(l->a, t + n);
		spent += t[n++].total_ns;
	}
	if (st != LSCHED_OK)
		return NULL;
	if (!l->micropolygons) {
		l->micropolygons = micropolygons;
		l->points = points;
	}
	*why = "another number of micropolygons than before";
	if (micropolygons != l->micropolygons || points != l->points)
		return NULL;
	qsort(t, n, sizeof(*t), by_time);
	return t + n / 2;
}

void measure_split_dice(lsched_backend backend, uint32_t threads, const bench_scene *s)
{
	const reyes_i_alone_options o = { .form = REYES_I_ALONE_LIST,
		.queue = LSCHED_QUEUE_DONATE,
		.overflow = LSCHED_OVERFLOW_INLINE };
	const reyes_i_alone_figures *g;
	const char *why;
	loaded l;

	if (load(&l, backend, threads, s, "split+dice"))
		return;
	g = execute(&l, &o, &why);
	if (!g) {
		fail("split+dice", s->name, why);
		unload(&l);
		return;
	}
	printf("%-10s %-14s %-5s %8" PRIu32 " %9" PRIu64 " %9.1f %9.3f %9.3f %9.3f\n", "split+dice",
		s->name, lsched_backend_name(backend), g->stats.workers, l.micropolygons,
		(double)l.micropolygons * 1e3 / (double)g->total_ns, (double)g->total_ns * 1e-6,
		(double)g->split_ns * 1e-6, (double)g->dice_ns * 1e-6);
	fflush(stdout);
	if (bench.json) {
		begin_record(backend, lsched_ctx_device_name(l.ctx), s);
		lsched_i_json_uint(&bench.writer, "workers", g->stats.workers);
		lsched_i_json_uint(&bench.writer, "grids", g->grids);
		lsched_i_json_uint(&bench.writer, "points", l.points);
		lsched_i_json_uint(&bench.writer, "micropolygons", l.micropolygons);
		lsched_i_json_fixed(&bench.writer, "ms", (double)g->total_ns * 1e-6, 4);
		lsched_i_json_fixed(&bench.writer, "split_ms", (double)g->split_ns * 1e-6, 4);
		lsched_i_json_fixed(&bench.writer, "dice_ms", (double)g->dice_ns * 1e-6, 4);
		lsched_i_json_fixed(&bench.writer, "m_micropolygons_per_s",
			(double)l.micropolygons * 1e3 / (double)g->total_ns, 1);
		end_record();
	}
	unload(&l);
}

static void record_queue(lsched_backend backend, const loaded *l, const bench_scene *s,
	const reyes_i_alone_options *o, const reyes_i_alone_figures *g)
{
	begin_record(backend, lsched_ctx_device_name(l->ctx), s);
	lsched_i_json_text(&bench.writer, "form", reyes_i_alone_form_name(o->form));
	lsched_i_json_text(&bench.writer, "queue", lsched_queue_name(o->queue));
	lsched_i_json_uint(&bench.writer, "workers", g->stats.workers);
	lsched_i_json_fixed(&bench.writer, "ms", (double)g->total_ns * 1e-6, 4);
	lsched_i_json_fixed(&bench.writer, "split_ms", (double)g->split_ns * 1e-6, 4);
	lsched_i_json_uint(&bench.writer, "tasks", g->stats.tasks);
	lsched_i_json_uint(&bench.writer, "steals", g->stats.steals);
	lsched_i_json_uint(&bench.writer, "donated", g->stats.donated);
	lsched_i_json_uint(&bench.writer, "inlined", g->stats.inlined);
	lsched_i_json_uint(&bench.writer, "rounds", g->stats.rounds);
	lsched_i_json_uint(&bench.writer, "peak_bytes", g->peak_bytes);
	lsched_i_json_uint(&bench.writer, "room_bytes", g->room_bytes);
	end_record();
}

void measure_queues(lsched_backend backend, const bench_scene *s)
{
	loaded l;

	if (load(&l, backend, 0, s, "queues"))
		return;
	for (int form = 0; form < REYES_I_ALONE_FORMS; form++)
		for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
			const reyes_i_alone_options o = { .form = (reyes_i_alone_form)form,
				.queue = (lsched_queue)q,
				.overflow = LSCHED_OVERFLOW_INLINE,
				.never_keep = 1 };
			const char *why;
			const reyes_i_alone_figures *g = execute(&l, &o, &why);

			if (!g) {
				fail("queues", s->name, why);
				continue;
			}
			printf("%-10s %-14s %-5s %-6s %-9s %9.3f %9" PRIu64 " %9" PRIu64
			       " %9" PRIu64 " %9.1f %9.1f\n",
				"queues", s->name, lsched_backend_name(backend),
				reyes_i_alone_form_name(o.form), lsched_queue_name(o.queue),
				(double)g->total_ns * 1e-6, g->stats.steals, g->stats.donated,
				g->stats.inlined, (double)g->peak_bytes / 1024,
				(double)g->room_bytes / 1024);
			fflush(stdout);
			if (bench.json)
				record_queue(backend, &l, s, &o, g);
		}
	unload(&l);
}
