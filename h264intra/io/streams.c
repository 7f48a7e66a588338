#include "h264intra/io/streams.h"

#include <errno.h>
#include <stdlib.h>

/* Packets beyond this are in a temporary file: a pipe may deliver all sound before the video. */
enum { MEMORY_BYTES = 16 * 1024 * 1024, NODE_BYTES = 256 };

h264i_io_status h264i_streams_open(h264i_streams **out)
{
	if (!out)
		return H264I_IO_ERR_ARG;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return H264I_IO_ERR_NOMEM;
	pthread_mutex_init(&(*out)->lock, NULL);
	return H264I_IO_OK;
}

uint32_t h264i_streams_count(const h264i_streams *s)
{
	return s->desc ? s->desc->nb_streams : 0;
}

/* Removes the first packet in memory. */
static void pop(h264i_streams *s, AVPacket *to)
{
	io_waiting *w = s->first;

	s->first = w->next;
	if (!s->first)
		s->last = NULL;
	s->bytes -= (size_t)w->packet->size + NODE_BYTES;
	if (to)
		av_packet_move_ref(to, w->packet);
	av_packet_free(&w->packet);
	free(w);
}

void h264i_streams_close(h264i_streams **ps)
{
	h264i_streams *s = ps ? *ps : NULL;

	if (!s)
		return;
	*ps = NULL;
	while (s->first)
		pop(s, NULL);
	h264i_i_spill_close(&s->spill);
	h264i_i_streams_forget(s);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int h264i_i_streams_wants(const h264i_streams *s, int input_stream)
{
	return s->desc && input_stream >= 0 && (unsigned)input_stream < s->inputs &&
	       s->to[input_stream] >= 0;
}

/* Appends to the packets in memory. Returns 0 or ENOMEM. */
static int append(h264i_streams *s, AVPacket *packet)
{
	io_waiting *w = calloc(1, sizeof(*w));

	if (!w || !(w->packet = av_packet_alloc()) || av_packet_make_refcounted(packet) < 0) {
		if (w)
			av_packet_free(&w->packet);
		free(w);
		return ENOMEM;
	}
	av_packet_move_ref(w->packet, packet);
	s->bytes += (size_t)w->packet->size + NODE_BYTES;
	if (s->last)
		s->last->next = w;
	else
		s->first = w;
	s->last = w;
	return 0;
}

/* A damaged file may state any time; sums and differences of those below do not overflow. */
static int64_t sane(int64_t t)
{
	return t > -IO_TIME_LIMIT && t < IO_TIME_LIMIT ? t : AV_NOPTS_VALUE;
}

void h264i_i_streams_put(h264i_streams *s, AVPacket *packet)
{
	int e = 0;

	if (h264i_i_streams_wants(s, packet->stream_index)) {
		packet->pts = sane(packet->pts);
		packet->dts = sane(packet->dts);
		packet->duration = packet->duration < IO_TIME_LIMIT ? packet->duration : 0;
		packet->stream_index = s->to[packet->stream_index];
		pthread_mutex_lock(&s->lock);
		if (!s->error && !s->dropped[packet->stream_index])
			e = s->spill.count > 0 || s->bytes > MEMORY_BYTES
				    ? h264i_i_spill_put(&s->spill, packet)
				    : append(s, packet);
		if (e)
			s->error = e;
		pthread_mutex_unlock(&s->lock);
	}
	av_packet_unref(packet);
}

void h264i_i_streams_drop(h264i_streams *s, unsigned stream)
{
	pthread_mutex_lock(&s->lock);
	s->dropped[stream] = 1;
	pthread_mutex_unlock(&s->lock);
}

/* Returns the time of a packet from the start of the file; INT64_MIN: unknown. */
static int64_t begins_us(const h264i_streams *s, const AVPacket *p)
{
	const int64_t t = p->dts != AV_NOPTS_VALUE ? p->dts : p->pts;
	int64_t us;

	if (t == AV_NOPTS_VALUE)
		return INT64_MIN;
	us = av_rescale_q(t, s->desc->streams[p->stream_index]->time_base, AV_TIME_BASE_Q);
	return us > -IO_TIME_LIMIT && us < IO_TIME_LIMIT ? us - s->start_us : INT64_MIN;
}

/* Moves the next packets of the file to memory. */
static int refill(h264i_streams *s)
{
	int e = 0;

	while (!e && s->spill.count > 0 && s->bytes < MEMORY_BYTES / 2) {
		AVPacket *p = av_packet_alloc();

		e = p ? h264i_i_spill_get(&s->spill, p) : ENOMEM;
		if (!e)
			e = append(s, p);
		av_packet_free(&p);
	}
	return e;
}

static int take_locked(h264i_streams *s, int64_t limit_us, int discard_later, AVPacket *packet)
{
	int is_later, is_early;

	for (;;) {
		if (!s->first && !s->error)
			s->error = refill(s);
		if (s->error)
			return -1;
		if (!s->first)
			return 0;
		is_later = begins_us(s, s->first->packet) > limit_us;
		if (is_later && !discard_later)
			return 0;
		is_early = s->cut && begins_us(s, s->first->packet) < 0 &&
			   begins_us(s, s->first->packet) != INT64_MIN;
		if (!is_later && !is_early && !s->dropped[s->first->packet->stream_index]) {
			pop(s, packet);
			return 1;
		}
		pop(s, NULL);
	}
}

int h264i_i_streams_take(h264i_streams *s, int64_t limit_us, int discard_later, AVPacket *packet)
{
	int r;

	pthread_mutex_lock(&s->lock);
	r = take_locked(s, limit_us, discard_later, packet);
	pthread_mutex_unlock(&s->lock);
	return r;
}
