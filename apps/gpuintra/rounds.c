#include "apps/gpuintra/rounds.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 600 };

void rounds_init(rounds *r, h264i_source *source, const h264i_source_options *options,
	uint64_t frames, uint32_t count)
{
	memset(r, 0, sizeof(*r));
	r->options = *options;
	r->source = source;
	r->frames_left = frames;
	r->rounds_left = count;
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->fill_lock, NULL);
	pthread_cond_init(&r->filled, NULL);
}

void rounds_prepare_source(rounds *r)
{
	if (r->memory.alloc)
		h264i_source_use_memory(r->source, &r->memory);
	if (r->on_device)
		h264i_source_keep_on_device(r->source);
}

/* The log of a source that begins again: what it reports on opening was logged before. */
static void log_reading(void *opaque, h264i_log_level level, const char *text)
{
	const rounds *r = opaque;

	if (!r->opening && r->options.log)
		r->options.log(r->options.log_opaque, level, text);
}

/* first: no round was read to its end, so that not everything was logged. */
static h264i_io_status reopen(rounds *r, int first, char *text)
{
	h264i_source_options o = r->options;
	h264i_io_status s;

	/* Other threads may still read frames of this source. */
	pthread_mutex_lock(&r->fill_lock);
	while (r->filling > 0)
		pthread_cond_wait(&r->filled, &r->fill_lock);
	pthread_mutex_unlock(&r->fill_lock);
	h264i_source_close(&r->source);
	o.log = first ? log_reading : NULL;
	o.log_opaque = r;
	r->opening = 1;
	s = h264i_source_open(&r->source, &o, text, TEXT_BYTES);
	r->opening = 0;
	if (s == H264I_IO_OK)
		rounds_prepare_source(r);
	return s;
}

static int is_damage(h264i_io_status s)
{
	return s == H264I_IO_ERR_DAMAGED || s == H264I_IO_ERR_SIZE;
}

static int end(rounds *r, round_frame *f, h264i_io_status s)
{
	r->ended = 1;
	f->status = s;
	f->sequence = r->assigned;
	return 1;
}

/* Ends a round. Returns 0 if the next round has begun, or 1 with the end of the input in `f`. */
static int end_round(rounds *r, round_frame *f, h264i_io_status s)
{
	const char *text = h264i_source_last_error(r->source);

	if (is_damage(s)) {
		if (r->damage == H264I_IO_OK)
			snprintf(r->damage_text, sizeof(r->damage_text), "%s", text);
		if (r->damage == H264I_IO_OK)
			r->damage = s;
	} else if (s != H264I_IO_END) {
		snprintf(f->text, sizeof(f->text), "%s", text);
		return end(r, f, s);
	}
	if (--r->rounds_left > 0) {
		r->offset = r->round_end - r->first_pts;
		s = reopen(r, 0, f->text);
		return s == H264I_IO_OK ? 0 : end(r, f, s);
	}
	if (r->damage == H264I_IO_OK)
		return end(r, f, H264I_IO_END);
	snprintf(f->text, sizeof(f->text), "%s", r->damage_text);
	return end(r, f, r->damage);
}

static int next_locked(rounds *r, round_frame *f)
{
	h264i_source_frame sf = h264i_source_frame_init();
	h264i_io_status s;

	if (r->ended)
		return 0;
	if (r->frames_left == 0 && !r->options.streams)
		return end(r, f, H264I_IO_END);
	if (r->frames_left == 0)
		h264i_source_read_streams(r->source, r->round_end - r->offset);
	while ((s = h264i_source_next(r->source, &f->claim, &sf)) != H264I_IO_OK)
		if (end_round(r, f, s))
			return 1;
	if (r->assigned == 0)
		r->first_pts = sf.pts;
	f->status = H264I_IO_OK;
	f->pts = sf.pts + r->offset;
	f->duration = sf.duration;
	f->sequence = r->assigned++;
	f->source = r->source;
	r->round_end = f->pts + f->duration;
	r->frames_left--;
	pthread_mutex_lock(&r->fill_lock);
	r->filling++;
	pthread_mutex_unlock(&r->fill_lock);
	return 1;
}

int rounds_next(rounds *r, round_frame *f)
{
	int got;

	pthread_mutex_lock(&r->lock);
	got = next_locked(r, f);
	pthread_mutex_unlock(&r->lock);
	return got;
}

static void count_filled(rounds *r, round_frame *f)
{
	f->claim = NULL;
	pthread_mutex_lock(&r->fill_lock);
	if (--r->filling == 0)
		pthread_cond_signal(&r->filled);
	pthread_mutex_unlock(&r->fill_lock);
}

void rounds_fill(rounds *r, round_frame *f, uint8_t *const plane[3], const size_t pitch_bytes[3])
{
	f->status = h264i_source_fill(
		f->source, f->claim, plane, pitch_bytes, f->text, sizeof(f->text));
	count_filled(r, f);
}

h264i_source_claim *rounds_fill_or_view(
	rounds *r, round_frame *f, uint8_t *plane[3], size_t pitch_bytes[3], int *on_device)
{
	h264i_source_claim *claim = f->claim;

	*on_device = h264i_source_view_on_device(claim, plane, pitch_bytes);
	if (!*on_device && !h264i_source_view(claim, plane, pitch_bytes)) {
		rounds_fill(r, f, plane, pitch_bytes);
		return NULL;
	}
	count_filled(r, f);
	return claim;
}

h264i_io_status rounds_rewind(rounds *r, uint64_t frames, uint32_t count, char *text)
{
	r->frames_left = frames;
	r->rounds_left = count;
	r->assigned = 0;
	r->offset = r->round_end = 0;
	r->ended = 0;
	r->damage = H264I_IO_OK;
	return reopen(r, 1, text);
}

void rounds_close(rounds *r)
{
	h264i_source_close(&r->source);
	pthread_cond_destroy(&r->filled);
	pthread_mutex_destroy(&r->fill_lock);
	pthread_mutex_destroy(&r->lock);
}
