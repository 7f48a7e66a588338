/* Buckets: rectangles of the picture that pass through all stages one after the other. Pixels are
 * the same whatever the division, because it decides only which items are dropped as invisible. So
 * a picture of any size is rendered in the memory that there is: a bucket that does not fit is
 * divided in two. */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "reyes/render/engine_state.h"

/* A bucket to be rendered. load: its expected need of memory, 1 for the limit; 0: not known. */
typedef struct waiting {
	reyes_i_area area;
	double load;
} waiting;

/* Halves of halves of two sides of 2^31 pixels at most. */
enum { WAITING_MAX = 64 };

typedef struct buckets {
	waiting stack[WAITING_MAX];
	uint32_t count;
	double done, all; /* pixels */
} buckets;

static uint64_t pixels_of(const reyes_i_area *a)
{
	return (uint64_t)(a->x1 - a->x0) * (a->y1 - a->y0);
}

/* Divides a bucket across its longer side, between two tiles if it has several. */
static void divide(buckets *p, const waiting *w)
{
	const reyes_i_area *a = &w->area;
	const uint32_t wide = a->x1 - a->x0, high = a->y1 - a->y0;
	const uint32_t longer = wide > high ? wide : high, tile = REYES_I_TILE;
	const uint32_t half =
		longer >= 2 * tile ? (longer / 2 + tile - 1) / tile * tile : longer / 2;
	waiting first = *w, second = *w;

	if (wide > high)
		first.area.x1 = second.area.x0 = a->x0 + half;
	else
		first.area.y1 = second.area.y0 = a->y0 + half;
	/* a little more than half each: what is on the border is in both */
	first.load = second.load = w->load * 0.55;
	p->stack[p->count++] = second;
	p->stack[p->count++] = first;
}

/* Bytes of a single pixel's bucket, by the counters of the last one. */
static uint64_t pixel_need(const reyes_i_engine *e, const reyes_i_job *job)
{
	static const reyes_i_area pixel = { 0, 1, 0, 1 };
	reyes_i_capacity c;

	memset(&c, 0xff, sizeof(c));
	reyes_i_capacity_least(job, &c);
	return reyes_i_bucket_bytes(e, job, &pixel, &c);
}

enum { SIZE_TEXT_BYTES = 32 };

/* Writes a number of bytes in the unit in which it is at least 1. */
static const char *size_text(char text[SIZE_TEXT_BYTES], uint64_t bytes)
{
	if (bytes < 1024)
		snprintf(text, SIZE_TEXT_BYTES, "%u bytes", (unsigned)bytes);
	else if (bytes < 1048576)
		snprintf(text, SIZE_TEXT_BYTES, "%.1f KB", (double)bytes / 1024);
	else
		snprintf(text, SIZE_TEXT_BYTES, "%.1f MB", (double)bytes / 1048576);
	return text;
}

/* need: bytes of a single pixel's bucket; 0: the scene and the picture are too large already. */
static reyes_status too_small(reyes_i_engine *e, const reyes_i_job *job, uint64_t need)
{
	char fixed[SIZE_TEXT_BYTES], stages[SIZE_TEXT_BYTES], limit[SIZE_TEXT_BYTES];

	if (!e->message || !e->message_bytes)
		return REYES_ERR_NOMEM;
	if (need && job->listed >= REYES_I_GRIDS_MAX)
		snprintf(e->message, e->message_bytes,
			"a single pixel has %u grids, and at most %u are possible; make the shapes "
			"there fewer or larger",
			job->listed, REYES_I_GRIDS_MAX - 1);
	else if (!job->limit)
		snprintf(e->message, e->message_bytes,
			"the device has no memory for the stages of a single pixel (%s) "
			"beside the scene and the picture (%s)",
			size_text(stages, need), size_text(fixed, job->fixed));
	else
		snprintf(e->message, e->message_bytes,
			"the scene and the picture need %s%s%s%s, and the limit of memory is %s; "
			"raise the limit, or make the picture or PixelSamples smaller",
			size_text(fixed, job->fixed), need ? ", the stages of a single pixel " : "",
			need ? size_text(stages, need) : "", need ? " more" : "",
			size_text(limit, job->limit));
	return REYES_ERR_NOMEM;
}

/* A need of memory as a multiple of the limit. */
static double load_of(const reyes_i_job *job, uint64_t need)
{
	return (double)(need - job->fixed) / (double)(job->limit - job->fixed);
}

/* Enlarges the arrays that were full. Returns 0 if they exceed the limit then; *load becomes the
 * bucket's need of memory, 1 for the limit. */
static int grow(reyes_i_engine *e, const reyes_i_job *job, const reyes_i_area *area, double *load)
{
	reyes_i_capacity more = e->capacity;
	const int possible = reyes_i_capacity_needed(job, &more);
	const uint64_t need = job->fixed + reyes_i_bucket_bytes(e, job, area, &more);

	if (!possible) {
		const double grids = (double)job->listed / (REYES_I_GRIDS_MAX - 1);

		*load = grids > 1.5 ? grids : 1.5;
		return 0;
	}
	if (job->limit && need > job->limit) {
		/* other arrays may be large because of an earlier bucket */
		reyes_i_capacity_least(job, &more);
		if (job->fixed + reyes_i_bucket_bytes(e, job, area, &more) > job->limit) {
			*load = load_of(job, need) * 1.05;
			return 0;
		}
	}
	e->capacity = more;
	return 1;
}

/* Sets the arrays back to their first sizes if a bucket does not fit because of them. Returns the
 * bucket's need of memory. */
static uint64_t bucket_need(reyes_i_engine *e, const reyes_i_job *job, const reyes_i_area *area)
{
	static const reyes_i_capacity none;
	const uint64_t samples = reyes_i_bucket_bytes(e, job, area, &none);
	const uint64_t need = job->fixed + reyes_i_bucket_bytes(e, job, area, &e->capacity);

	if (!job->limit || need <= job->limit || samples > (job->limit - job->fixed) / 2)
		return need;
	e->capacity = none;
	reyes_i_capacity_first(e, job);
	return job->fixed + reyes_i_bucket_bytes(e, job, area, &e->capacity);
}

enum bucket_result { BUCKET_DONE, BUCKET_DIVIDE, BUCKET_FAILED };

/* Renders a bucket if it fits into memory. w->load is set for BUCKET_DIVIDE, *status for
 * BUCKET_FAILED. */
static enum bucket_result try_bucket(
	reyes_i_engine *e, reyes_i_job *job, waiting *w, int last, reyes_status *status)
{
	for (int attempt = 0; attempt < 6; attempt++) {
		const uint64_t need = bucket_need(e, job, &w->area);
		lsched_status st;

		w->load = 1.5;
		if (job->limit && need > job->limit) {
			w->load = load_of(job, need);
			return BUCKET_DIVIDE;
		}
		st = reyes_i_reserve_bucket(e, job, &w->area);
		if (st == LSCHED_ERR_NOMEM)
			return BUCKET_DIVIDE;
		*status = reyes_i_engine_failed(e, st, lsched_last_error(e->ctx));
		if (*status == REYES_OK)
			*status = reyes_i_render_bucket(e, job, last);
		if (*status != REYES_OK)
			return BUCKET_FAILED;
		if (!job->counters[REYES_I_N_FULL])
			return BUCKET_DONE;
		if (!grow(e, job, &w->area, &w->load))
			return BUCKET_DIVIDE;
	}
	return BUCKET_DIVIDE;
}

/* Renders the buckets that wait, the latest first. */
static reyes_status render_waiting(reyes_i_engine *e, reyes_i_job *job, buckets *p, int last_begin)
{
	while (p->count) {
		waiting w = p->stack[--p->count];
		const double size = (double)pixels_of(&w.area);
		reyes_status r = REYES_OK;
		enum bucket_result result = BUCKET_DIVIDE;

		reyes_i_progress_bucket(e, p->done / p->all, size / p->all);
		if (w.load <= 1.05)
			result = try_bucket(e, job, &w, last_begin && !p->count, &r);
		if (result == BUCKET_FAILED)
			return r;
		if (result == BUCKET_DONE) {
			p->done += size;
			job->figures->buckets++;
			if (e->options.on_bucket)
				e->options.on_bucket(
					e->options.bucket_user, &job->picture, &w.area);
			continue;
		}
		if (pixels_of(&w.area) == 1 || p->count + 2 > WAITING_MAX)
			return too_small(e, job, pixel_need(e, job));
		divide(p, &w);
	}
	return REYES_OK;
}

/* The side of the buckets that a picture has from the beginning. CPU threads take so long for a
 * picture that small buckets are worth passing on; but each one begins with all primitives, so it
 * has more pixels than there are primitives. */
static uint32_t side_of(const reyes_i_engine *e, const reyes_i_job *job)
{
	uint64_t side = 128;

	if (e->options.bucket_px)
		return e->options.bucket_px;
	if (!e->options.on_bucket || e->cuda)
		return UINT32_MAX;
	while (side * side < job->frame->prims.count)
		side *= 2;
	return (uint32_t)side;
}

reyes_status reyes_i_render_buckets(reyes_i_engine *e, reyes_i_job *job)
{
	const reyes_i_camera *c = &job->frame->camera;
	const reyes_i_area whole = { c->crop_x0, c->crop_x1, c->crop_y0, c->crop_y1 };
	const uint32_t side = side_of(e, job);
	buckets p = { .all = (double)pixels_of(&whole) };

	reyes_i_capacity_first(e, job);
	if (job->limit && job->fixed >= job->limit)
		return too_small(e, job, 0);
	for (uint32_t y = whole.y0, y1; y < whole.y1; y = y1) {
		y1 = whole.y1 - y > side ? y + side : whole.y1;
		for (uint32_t x = whole.x0, x1; x < whole.x1; x = x1) {
			const int last = y1 == whole.y1 && whole.x1 - x <= side;
			reyes_status r;

			x1 = whole.x1 - x > side ? x + side : whole.x1;
			p.stack[0] = (waiting){ { x, x1, y, y1 }, 0 };
			p.count = 1;
			r = render_waiting(e, job, &p, last);
			if (r != REYES_OK)
				return r;
		}
	}
	return REYES_OK;
}
