#include "apps/gpuintra/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Planes start where any copy engine likes it. */
enum { ALIGN_BYTES = 4096 };

static size_t picture_bytes(const input *in)
{
	size_t bytes = (size_t)in->width * in->height * 3 / 2;

	return (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

/* No gaps between rows or planes: a picture is one copy to the device. */
static void lay_out(input *in, picture *p, uint8_t *at)
{
	size_t luma = (size_t)in->width * in->height;

	p->owner = in;
	p->plane[0] = at;
	p->plane[1] = at + luma;
	p->plane[2] = at + luma + luma / 4;
	p->pitch_bytes[0] = in->width;
	p->pitch_bytes[1] = p->pitch_bytes[2] = in->width / 2;
}

static int fail(input *in, h264i_io_status status, const char *text)
{
	in->status = status;
	snprintf(in->error, sizeof(in->error), "%s", text);
	return -1;
}

static int reopen(input *in)
{
	h264i_source_options o = in->options;
	h264i_io_status s;

	h264i_source_close(&in->source);
	o.log = NULL; /* it said everything in the first round */
	s = h264i_source_open(&in->source, &o, in->error, sizeof(in->error));
	in->status = s;
	return s == H264I_IO_OK ? 0 : -1;
}

/* Reads one picture; 0, or -1 at the end of everything with in->status. Starts new rounds. */
static int read_picture(input *in, picture *p)
{
	h264i_source_frame f;

	if (in->frames_left == 0)
		return fail(in, H264I_IO_END, "");
	for (;;) {
		h264i_io_status s = h264i_source_read(in->source, p->plane, p->pitch_bytes, &f);

		if (s == H264I_IO_OK)
			break;
		if (s != H264I_IO_END || --in->rounds_left == 0)
			return fail(in, s, h264i_source_last_error(in->source));
		in->offset = in->round_end;
		if (reopen(in))
			return -1;
	}
	p->pts = f.pts + in->offset;
	p->duration = f.duration;
	in->round_end = p->pts + p->duration;
	in->frames_left--;
	return 0;
}

static void *read_ahead(void *opaque)
{
	input *in = opaque;
	picture *p;

	while ((p = chan_pop(&in->empty, -1)) != NULL)
		if (read_picture(in, p) || chan_push(&in->full, p))
			break;
	chan_close(&in->full);
	return NULL;
}

static void free_cache(input *in)
{
	for (uint32_t i = 0; in->cache && i < in->picture_count; i++)
		h264i_host_free(in->cache[i]);
	free(in->cache);
	in->cache = NULL;
}

/* 1: the clip is in memory; 0: it is too large; -1: error. */
static int fill_cache(input *in, uint64_t memory)
{
	size_t bytes = picture_bytes(in);
	uint64_t limit = memory / bytes;

	for (;;) {
		uint32_t n = in->picture_count;

		if (n >= limit || n == UINT32_MAX / 2)
			return 0;
		if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, ...: room for twice as many */
			uint32_t room = n ? 2 * n : 1;
			picture *pictures = realloc(in->pictures, room * sizeof(*pictures));
			uint8_t **cache = NULL;

			if (pictures)
				in->pictures = pictures;
			if (pictures)
				cache = realloc(in->cache, room * sizeof(*cache));
			if (!cache)
				return fail(in, H264I_IO_ERR_NOMEM, "out of memory");
			in->cache = cache;
		}
		if (h264i_host_alloc(in->enc, (void **)&in->cache[n], bytes) != H264I_OK)
			return 0;
		in->picture_count++;
		lay_out(in, &in->pictures[n], in->cache[n]);
		if (read_picture(in, &in->pictures[n])) {
			/* The buffer for the picture that did not come. */
			h264i_host_free(in->cache[n]);
			in->picture_count--;
			return in->status == H264I_IO_END && in->picture_count > 0 ? 1 : -1;
		}
	}
}

static int start_cached(input *in, const input_params *p)
{
	uint64_t frames = in->frames_left;
	uint32_t rounds = in->rounds_left;
	int r;

	in->rounds_left = 1;
	r = fill_cache(in, p->loop_memory);
	in->frames_left = frames;
	in->rounds_left = rounds;
	if (r == 1) {
		in->cached = 1;
		in->status = H264I_IO_OK;
		in->round_length = in->round_end - in->pictures[0].pts;
		h264i_source_close(&in->source);
		return 0;
	}
	free_cache(in);
	free(in->pictures);
	in->pictures = NULL;
	in->picture_count = 0;
	if (r < 0)
		return -1;
	in->offset = in->round_end = 0;
	return reopen(in);
}

static int start_pool(input *in, const input_params *p)
{
	size_t bytes = picture_bytes(in);
	h264i_status s;

	in->pictures = calloc(p->pool, sizeof(*in->pictures));
	if (!in->pictures || chan_init(&in->empty, p->pool) || chan_init(&in->full, p->pool))
		return fail(in, H264I_IO_ERR_NOMEM, "out of memory");
	s = h264i_host_alloc(in->enc, (void **)&in->slab, bytes * p->pool);
	if (s != H264I_OK)
		return fail(in, H264I_IO_ERR_NOMEM, h264i_strstatus(s));
	in->picture_count = p->pool;
	for (uint32_t i = 0; i < p->pool; i++) {
		lay_out(in, &in->pictures[i], in->slab + i * bytes);
		chan_push(&in->empty, &in->pictures[i]);
	}
	in->thread_runs = pthread_create(&in->thread, NULL, read_ahead, in) == 0;
	return in->thread_runs ? 0 : fail(in, H264I_IO_ERR_NOMEM, "no thread for the reader");
}

/* 0: it is known beforehand that the clip is too large to be kept. */
static int may_fit(const input *in, const h264i_source_info *info, uint64_t memory)
{
	uint64_t frames = info->frames < 0 ? 0 : (uint64_t)info->frames;

	if (frames > in->frames_left)
		frames = in->frames_left;
	return frames <= memory / picture_bytes(in);
}

int input_start(input *in, const input_params *p)
{
	const h264i_source_info *info = h264i_source_get_info(p->source);

	memset(in, 0, sizeof(*in));
	in->options = p->options;
	in->source = p->source;
	in->enc = p->enc;
	in->width = info->width;
	in->height = info->height;
	in->frames_left = p->frames ? p->frames : UINT64_MAX;
	in->rounds_left = p->loops;
	in->looped = p->loops > 1;
	if (p->loops > 1 && may_fit(in, info, p->loop_memory) && start_cached(in, p))
		return -1;
	return in->cached ? 0 : start_pool(in, p);
}

static picture *next_cached(input *in)
{
	if (in->next == in->picture_count) {
		/* The next round: later by the length of one. */
		in->next = 0;
		in->rounds_left--;
		for (uint32_t i = 0; i < in->picture_count; i++)
			in->pictures[i].pts += in->round_length;
	}
	if (in->rounds_left == 0 || in->frames_left == 0) {
		in->rounds_left = 0;
		in->status = H264I_IO_END;
		return NULL;
	}
	in->frames_left--;
	/* The encoder only reads: the same picture may be in it more than once. */
	return &in->pictures[in->next++];
}

picture *input_next(input *in, int wait_ms)
{
	return in->cached ? next_cached(in) : chan_pop(&in->full, wait_ms);
}

int input_ended(input *in)
{
	return in->cached ? in->rounds_left == 0 : chan_is_closed_and_empty(&in->full);
}

void input_release(void *opaque_picture)
{
	picture *p = opaque_picture;

	if (!p->owner->cached)
		chan_push(&p->owner->empty, p);
}

void input_stop(input *in, int in_use)
{
	if (in->thread_runs) {
		chan_close(&in->empty);
		chan_close(&in->full);
		/* With --loop the thread may just be opening it again; but files do not stall. */
		if (!in->looped)
			h264i_source_interrupt(in->source);
		pthread_join(in->thread, NULL);
		in->thread_runs = 0;
	}
	h264i_source_close(&in->source);
	if (in_use)
		return;
	if (in->slab)
		h264i_host_free(in->slab);
	in->slab = NULL;
	free_cache(in);
}

void input_free(input *in)
{
	free(in->cache);
	free(in->pictures);
	in->cache = NULL;
	in->pictures = NULL;
	chan_free(&in->empty);
	chan_free(&in->full);
}
