#include "apps/gpuintra/input_parts.h"
#include "libsched/core/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libsched/sched.h>

/* ALIGN_BYTES: alignment of pictures. A slab holds pictures of SLAB_BYTES together, or a larger
 * one. */
enum { ALIGN_BYTES = 4096, SLAB_BYTES = 16 * 1024 * 1024, BLOCKS_EXTRA = 64 };

size_t input_picture_bytes(const input *in)
{
	size_t bytes = (size_t)in->width * in->height * 3 / 2;

	return (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

void input_lay_out(input *in, picture *p, uint8_t *at)
{
	size_t luma = (size_t)in->width * in->height;

	p->owner = in;
	p->memory = at;
	p->claim = NULL;
	p->on_device = 0;
	p->plane[0] = at;
	p->plane[1] = at + luma;
	p->plane[2] = at + luma + luma / 4;
	p->pitch_bytes[0] = in->width;
	p->pitch_bytes[1] = p->pitch_bytes[2] = in->width / 2;
}

int input_fail(input *in, h264i_io_status status, const char *text)
{
	in->status = status;
	snprintf(in->error, sizeof(in->error), "%s", text);
	return -1;
}

/* Number of reader threads: one core copies more slowly than a GPU encodes. */
static uint32_t choose_readers(const h264i_source_info *info)
{
	const uint32_t processors = lsched_processor_count();

	if (!info->parallel || processors < 2)
		return 1;
	return processors / 2 + 1 < INPUT_READERS_MAX ? processors / 2 + 1 : INPUT_READERS_MAX;
}

/* Allocates more pictures. Returns 0 at the limit or without memory. */
static int grow(input *in)
{
	size_t bytes = input_picture_bytes(in);
	uint32_t n = bytes < SLAB_BYTES ? (uint32_t)(SLAB_BYTES / bytes) : 1;
	void *slab;

	if (n > in->picture_limit - in->picture_count)
		n = in->picture_limit - in->picture_count;
	if (n == 0 || in->memory_ends)
		return 0;
	if (h264i_host_alloc(in->enc, &slab, n * bytes) != H264I_OK) {
		in->memory_ends = 1;
		return 0;
	}
	in->slabs[in->slab_count++] = slab;
	pthread_mutex_lock(&in->lock);
	for (uint32_t i = 0; i < n; i++) {
		picture *p = &in->pictures[in->picture_count++];

		input_lay_out(in, p, (uint8_t *)slab + i * bytes);
		p->next_free = in->free_list;
		in->free_list = p;
	}
	pthread_cond_broadcast(&in->freed);
	pthread_mutex_unlock(&in->lock);
	return 1;
}

/* Waits for a free picture. Returns NULL if the input is stopping. */
static picture *wait_free(input *in)
{
	picture *p;

	pthread_mutex_lock(&in->lock);
	in->waiting++;
	while (!in->free_list && !in->stopping)
		pthread_cond_wait(&in->freed, &in->lock);
	in->waiting--;
	p = in->stopping ? NULL : in->free_list;
	if (p)
		in->free_list = p->next_free;
	pthread_mutex_unlock(&in->lock);
	return p;
}

static void put_ready(input *in, picture *p, const round_frame *f)
{
	p->pts = f->pts;
	p->duration = f->duration;
	p->status = f->status;
	pthread_mutex_lock(&in->lock);
	/* The failure of the earliest frame ends the input. */
	if (p->status != H264I_IO_OK && f->sequence < in->error_sequence) {
		in->error_sequence = f->sequence;
		snprintf(in->error, sizeof(in->error), "%s", f->text);
	}
	/* Each frame from `next` to this one has a picture, so the slot is free. */
	in->queue[f->sequence % in->picture_limit] = p;
	pthread_cond_signal(&in->ready);
	pthread_mutex_unlock(&in->lock);
}

static void *read_ahead(void *opaque)
{
	input *in = opaque;
	round_frame f;
	picture *p;

	memset(&f, 0, sizeof(f));
	while ((p = wait_free(in)) != NULL) {
		if (!rounds_next(&in->rounds, &f)) {
			input_release(p);
			break;
		}
		if (f.status == H264I_IO_OK)
			p->claim = rounds_fill_or_view(
				&in->rounds, &f, p->plane, p->pitch_bytes, &p->on_device);
		put_ready(in, p, &f);
		if (f.status != H264I_IO_OK)
			break;
	}
	return NULL;
}

static int start_readers(input *in, const input_params *p, uint32_t readers)
{
	/* Each reader may hold a picture that waits for an earlier frame. */
	in->picture_limit = p->pool + readers;
	in->pictures = calloc(in->picture_limit, sizeof(*in->pictures));
	in->slabs = calloc(in->picture_limit, sizeof(*in->slabs));
	in->queue = calloc(in->picture_limit, sizeof(*in->queue));
	if (!in->pictures || !in->slabs || !in->queue)
		return input_fail(in, H264I_IO_ERR_NOMEM, "out of memory");
	while (in->picture_count < readers + 1 && in->picture_count < in->picture_limit)
		if (!grow(in))
			return input_fail(in, H264I_IO_ERR_NOMEM, h264i_last_error(in->enc));
	in->rounds.memory = blocks_memory(&in->blocks);
	in->rounds.on_device = p->on_device;
	rounds_prepare_source(&in->rounds);
	while (in->readers < readers &&
		pthread_create(&in->reader[in->readers], NULL, read_ahead, in) == 0)
		in->readers++;
	return in->readers ? 0
			   : input_fail(in, H264I_IO_ERR_NOMEM, "cannot create the reader thread");
}

int input_start(input *in, const input_params *p)
{
	const h264i_source_info *info = h264i_source_get_info(p->source);
	const uint32_t readers = choose_readers(info);
	int cache;

	memset(in, 0, sizeof(*in));
	pthread_mutex_init(&in->lock, NULL);
	lsched_i_cond_init(&in->ready);
	pthread_cond_init(&in->freed, NULL);
	in->error_sequence = UINT64_MAX;
	/* For the frames of the encoder, of the readers and of the decoder. */
	blocks_init(&in->blocks, p->pool + BLOCKS_EXTRA);
	in->enc = p->enc;
	in->width = info->width;
	in->height = info->height;
	in->frames = p->frames ? p->frames : UINT64_MAX;
	in->loops = p->loops;
	cache = p->loops > 1 && cached_may_fit(in, info->frames, p->loop_memory);
	rounds_init(&in->rounds, p->source, &p->options, in->frames, cache ? 1 : p->loops);
	if (cache && cached_start(in, p->loop_memory))
		return -1;
	return in->cached ? 0 : start_readers(in, p, readers);
}

/* Dequeues the next picture in order, or NULL. The caller holds the lock. */
static picture *pop_ready(input *in)
{
	picture **place = &in->queue[in->next % in->picture_limit], *p = *place;

	*place = NULL;
	in->next += p != NULL;
	return p;
}

/* Waits for the next picture, at most until the deadline (NULL: none). */
static picture *wait_ready(input *in, const struct timespec *until)
{
	picture *p;

	pthread_mutex_lock(&in->lock);
	while (!(p = pop_ready(in))) {
		if (!until)
			pthread_cond_wait(&in->ready, &in->lock);
		else if (pthread_cond_timedwait(&in->ready, &in->lock, until) != 0) {
			p = pop_ready(in);
			break;
		}
	}
	pthread_mutex_unlock(&in->lock);
	return p;
}

picture *input_next(input *in, int wait_ms)
{
	struct timespec until;
	picture *p;
	int too_few;

	if (in->ended)
		return NULL;
	if (in->cached)
		return cached_next(in);
	pthread_mutex_lock(&in->lock);
	p = pop_ready(in);
	/* A reader waits for memory. */
	too_few = !p && !in->free_list && in->waiting > 0;
	pthread_mutex_unlock(&in->lock);
	if (too_few)
		grow(in);
	blocks_grow(&in->blocks, in->enc);
	if (!p && wait_ms != 0) {
		until = lsched_i_deadline_ms(wait_ms < 0 ? 0 : wait_ms);
		p = wait_ready(in, wait_ms < 0 ? NULL : &until);
	}
	if (!p || p->status == H264I_IO_OK)
		return p;
	in->status = p->status;
	in->ended = 1;
	return NULL;
}

int input_ended(const input *in)
{
	return in->ended;
}

void input_release(void *opaque_picture)
{
	picture *p = opaque_picture;
	input *in = p->owner;

	if (in->cached)
		return;
	if (p->claim && !in->stopped) {
		h264i_source_drop(p->claim);
		input_lay_out(in, p, p->memory);
	}
	pthread_mutex_lock(&in->lock);
	p->next_free = in->free_list;
	in->free_list = p;
	pthread_cond_signal(&in->freed);
	pthread_mutex_unlock(&in->lock);
}

void input_stop(input *in, int in_use)
{
	pthread_mutex_lock(&in->lock);
	in->stopping = 1;
	pthread_cond_broadcast(&in->freed);
	pthread_mutex_unlock(&in->lock);
	/* Not with --loop: a thread may be opening the source again, and files do not stall. */
	if (in->readers && in->loops <= 1)
		h264i_source_interrupt(in->rounds.source);
	while (in->readers > 0)
		pthread_join(in->reader[--in->readers], NULL);
	for (uint32_t i = 0; in->queue && i < in->picture_limit; i++)
		if (in->queue[i])
			h264i_source_drop(in->queue[i]->claim);
	in->stopped = 1;
	h264i_source_close(&in->rounds.source);
	while (!in_use && in->slab_count > 0)
		h264i_host_free(in->slabs[--in->slab_count]);
}

void input_free(input *in)
{
	free(in->pictures);
	free(in->slabs);
	free(in->queue);
	rounds_close(&in->rounds);
	blocks_free(&in->blocks);
	pthread_cond_destroy(&in->freed);
	pthread_cond_destroy(&in->ready);
	pthread_mutex_destroy(&in->lock);
	memset(in, 0, sizeof(*in));
}
