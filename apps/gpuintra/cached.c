/* A looped clip that is decoded once and kept in memory. */
#include "apps/gpuintra/input_parts.h"

#include <stdlib.h>
#include <string.h>

int cached_may_fit(const input *in, int64_t expected, uint64_t memory)
{
	uint64_t frames = expected < 0 ? 0 : (uint64_t)expected;

	if (frames > in->frames)
		frames = in->frames;
	return frames <= memory / input_picture_bytes(in);
}

/* Appends a picture in memory of its own. Returns 1, 0 without page-locked memory, -1 without
 * memory. */
static int add_cached(input *in)
{
	uint32_t n = in->picture_count;
	void *slab;

	if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, ...: room for twice as many */
		uint32_t room = n ? 2 * n : 1;
		picture *pictures = realloc(in->pictures, room * sizeof(*pictures));
		uint8_t **slabs = NULL;

		if (pictures)
			in->pictures = pictures;
		if (pictures)
			slabs = realloc(in->slabs, room * sizeof(*slabs));
		if (!slabs)
			return input_fail(in, H264I_IO_ERR_NOMEM, "out of memory");
		in->slabs = slabs;
	}
	if (h264i_host_alloc(in->enc, &slab, input_picture_bytes(in)) != H264I_OK)
		return 0;
	in->slabs[in->slab_count++] = slab;
	input_lay_out(in, &in->pictures[in->picture_count++], slab);
	return 1;
}

/* Returns 1 with the clip in memory, 0 if it is too large, -1 after an error. */
static int fill_cache(input *in, uint64_t memory)
{
	uint64_t limit = memory / input_picture_bytes(in);
	round_frame f;
	picture *p;

	memset(&f, 0, sizeof(f));
	for (;;) {
		int r = in->picture_count >= limit || in->picture_count == UINT32_MAX / 2
				? 0
				: add_cached(in);

		if (r <= 0)
			return r;
		p = &in->pictures[in->picture_count - 1];
		rounds_next(&in->rounds, &f);
		if (f.status == H264I_IO_OK)
			rounds_fill(&in->rounds, &f, p->plane, p->pitch_bytes);
		if (f.status != H264I_IO_OK)
			break;
		p->pts = f.pts;
		p->duration = f.duration;
	}
	/* The last picture has no frame. */
	h264i_host_free(in->slabs[--in->slab_count]);
	in->picture_count--;
	input_fail(in, f.status, f.text);
	return in->picture_count > 0 && f.status != H264I_IO_INTERRUPTED &&
			       f.status != H264I_IO_ERR_NOMEM
		       ? 1
		       : -1;
}

static void free_pictures(input *in)
{
	while (in->slab_count > 0)
		h264i_host_free(in->slabs[--in->slab_count]);
	free(in->slabs);
	free(in->pictures);
	in->slabs = NULL;
	in->pictures = NULL;
	in->picture_count = 0;
}

int cached_start(input *in, uint64_t memory)
{
	int r = fill_cache(in, memory);

	if (r == 1) {
		in->cached = 1;
		in->cached_end = in->status;
		in->status = H264I_IO_OK;
		in->frames_left = in->frames;
		/* Input that cannot be read again ends after the first round. */
		in->rounds_left = in->cached_end == H264I_IO_ERR_READ ? 1 : in->loops;
		in->round_length = in->rounds.round_end - in->pictures[0].pts;
		h264i_source_close(&in->rounds.source);
		return 0;
	}
	free_pictures(in);
	if (r < 0)
		return -1;
	in->status = rounds_rewind(&in->rounds, in->frames, in->loops, in->error);
	return in->status == H264I_IO_OK ? 0 : -1;
}

picture *cached_next(input *in)
{
	if (in->next_cached == in->picture_count) {
		/* The timestamps of the next round continue those of this one. */
		in->next_cached = 0;
		in->rounds_left--;
		for (uint32_t i = 0; i < in->picture_count; i++)
			in->pictures[i].pts += in->round_length;
	}
	if (in->rounds_left == 0 || in->frames_left == 0) {
		/* With --frames, damage after the last frame is not reported. */
		in->status = in->rounds_left == 0 ? in->cached_end : H264I_IO_END;
		in->ended = 1;
		return NULL;
	}
	in->frames_left--;
	/* The encoder only reads, so it may hold a picture more than once. */
	return &in->pictures[in->next_cached++];
}
