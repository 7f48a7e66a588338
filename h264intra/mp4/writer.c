/* Public calls of the writer: open, packets, end. */
#include "h264intra/mp4/avcc.h"
#include "h264intra/mp4/writer.h"
#include "libsched/core/sized.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAGMENT_MAX_BYTES = 64 << 20 };

h264i_status h264i_i_mp4_open(h264i_mp4 **out, const h264i_mp4_options *o,
	const h264i_mp4_sink *sink, void (*free_sink)(void *opaque, int nothing), char *msg,
	size_t msg_bytes)
{
	h264i_mp4 *m = calloc(1, sizeof(*m));
	h264i_status s = m ? h264i_i_mp4_settings(m, o, sink) : H264I_ERR_NOMEM;

	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", s == H264I_OK ? "" : m ? m->error : "out of memory");
	if (s == H264I_OK) {
		m->free_sink = free_sink;
		*out = m;
		return s;
	}
	if (m)
		h264i_i_mp4_free_track(&m->movie.track[0]);
	free(m);
	if (free_sink)
		free_sink(sink->opaque, 1);
	return s;
}

h264i_status h264i_mp4_open(h264i_mp4 **out, const h264i_mp4_options *o, const h264i_mp4_sink *sink,
	char *msg, size_t msg_bytes)
{
	if (!out)
		return H264I_ERR_ARG;
	*out = NULL;
	return h264i_i_mp4_open(out, o, sink, NULL, msg, msg_bytes);
}

/* The duration of a last sample without one of its own, in ticks. */
static uint32_t frame_ticks(const h264i_mp4 *m)
{
	const h264i_vui *v = &m->movie.o.vui;
	const uint32_t num = v->fps_num ? v->fps_num : 25, den = v->fps_num ? v->fps_den : 1;
	const uint64_t ticks = ((uint64_t)m->movie.track[0].ticks.timescale * den + num / 2) / num;

	return ticks == 0 ? 1 : ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

h264i_status h264i_i_mp4_check_times(
	h264i_mp4 *m, mp4_track *t, int64_t pts, int64_t duration, int64_t *at, uint32_t *ticks)
{
	const mp4_ticks *unit = &t->ticks;
	int64_t end;

	if (t->begun && pts <= t->last_pts)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"pts %" PRId64 " follows %" PRId64 ": it must increase", pts, t->last_pts);
	if (duration < 0 || duration > INT64_MAX / 2 || pts > INT64_MAX / 2 ||
		h264i_i_mp4_ticks(unit, pts, at) != 0 ||
		h264i_i_mp4_ticks(unit, pts + duration, &end) != 0 || end - *at > UINT32_MAX ||
		(t->begun && *at - t->last_ticks > UINT32_MAX))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"pts %" PRId64 ", duration %" PRId64
			": outside of what timescale %u allows",
			pts, duration, unit->timescale);
	if (t->begun && *at == t->last_ticks)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"pts %" PRId64 " and %" PRId64 " are equal in timescale %u: raise it", pts,
			t->last_pts, unit->timescale);
	*ticks = (uint32_t)(end - *at);
	return H264I_OK;
}

/* 1 if the fragment ends at the time `at`. The first fragments of a file that will have several
 * have 1, 2, 4 ... samples, so that it plays almost from its beginning. */
static int fragment_is_full(const h264i_mp4 *m, int64_t at)
{
	const h264i_mp4_options *o = &m->movie.o;
	const mp4_track *t = &m->movie.track[0];
	const uint32_t count = t->samples.count - t->first;
	const uint64_t time = (uint64_t)(at - t->first_ticks) - t->first_time;
	const uint64_t most = h264i_i_mp4_fragment_ticks(m);
	const int early = m->fragments < 16 && o->layout == H264I_MP4_COMPLETE &&
			  (uint64_t)o->frames_expected * frame_ticks(m) > 2 * most;

	if (!count || o->layout == H264I_MP4_BUFFERED)
		return 0;
	return time >= most || (o->fragment_frames && count >= o->fragment_frames) ||
	       (early && count >= UINT32_C(1) << m->fragments) ||
	       t->pending_bytes >= FRAGMENT_MAX_BYTES;
}

/* Appends the sample to the data of the video, which are unchanged after a failure. */
static h264i_status convert_sample(h264i_mp4 *m, const h264i_packet *p, uint32_t *bytes)
{
	mp4_buf *const data = &m->movie.track[0].data;
	const size_t before = data->bytes;
	const char *why;
	h264i_status s = h264i_i_mp4_sample(
		data, p->data + p->headers_bytes, p->data_bytes - p->headers_bytes, &why);

	if (s == H264I_OK && data->bytes - before > UINT32_MAX) {
		s = H264I_ERR_ARG;
		why = "the packet is larger than 4 GiB";
	}
	*bytes = (uint32_t)(data->bytes - before);
	if (s == H264I_OK)
		return s;
	data->bytes = before;
	return h264i_i_mp4_fail(m, s, "%s", why);
}

h264i_status h264i_i_mp4_check_count(h264i_mp4 *m, const mp4_track *t, uint64_t more)
{
	if (t->samples.count + more > MP4_SAMPLES_MAX)
		return h264i_i_mp4_fail(m, H264I_ERR_LIMIT,
			"more than %d samples: use H264I_MP4_FRAGMENTED", MP4_SAMPLES_MAX);
	return H264I_OK;
}

h264i_status h264i_i_mp4_add(
	h264i_mp4 *m, mp4_track *t, int64_t pts, int64_t at, uint32_t bytes, uint32_t ticks)
{
	mp4_samples *const all = &t->samples;

	if (h264i_i_mp4_add_sample(all, bytes, ticks) != 0)
		return h264i_i_mp4_no_memory(m);
	if (!t->begun)
		t->first_ticks = at;
	if (all->count - 1 == t->first)
		t->first_time = (uint64_t)(at - t->first_ticks);
	t->pending_bytes += bytes;
	t->last_pts = pts;
	t->last_ticks = at;
	t->last_duration = ticks;
	t->begun = 1;
	return H264I_OK;
}

void h264i_i_mp4_lengthen(mp4_track *t, int64_t at)
{
	if (t->samples.count)
		t->samples.sample[t->samples.count - 1].ticks = (uint32_t)(at - t->last_ticks);
}

/* Sets the time of the first sample. The file has no times before 0. */
static h264i_status set_start(h264i_mp4 *m, int64_t at)
{
	for (uint32_t k = 1; k < m->movie.tracks && at < 0; k++)
		if (m->movie.track[k].fed)
			return h264i_i_mp4_fail(m, H264I_ERR_ARG,
				"the first pts of the video is negative, which moves the sounds: "
				"write it before the first sound");
	m->movie.track[0].start = at > 0 ? at : 0;
	m->movie.shift = at > 0 ? 0 : -at;
	return H264I_OK;
}

/* Adds a packet whose struct and times are valid. `at`: its time, `ticks`: its duration if it is
 * the last one. */
static h264i_status add_packet(h264i_mp4 *m, const h264i_packet *p, int64_t at, uint32_t ticks)
{
	mp4_track *const t = &m->movie.track[0];
	h264i_status s = h264i_i_mp4_check_count(m, t, 1);
	uint32_t bytes;

	if (s == H264I_OK && !t->begun)
		s = set_start(m, at);
	if (s == H264I_OK)
		s = convert_sample(m, p, &bytes);
	if (s != H264I_OK)
		return s;
	if (!ticks)
		ticks = t->begun ? (uint32_t)(at - t->last_ticks) : frame_ticks(m);
	h264i_i_mp4_lengthen(t, at);
	if (fragment_is_full(m, at))
		s = h264i_i_mp4_write_fragment(m, 1, t->start + (at - t->first_ticks));
	return s == H264I_OK ? h264i_i_mp4_add(m, t, p->pts, at, bytes, ticks) : s;
}

h264i_status h264i_mp4_write(h264i_mp4 *m, const h264i_packet *from, int64_t duration)
{
	h264i_packet p;
	h264i_status s;
	const char *why;
	uint32_t ticks = 0;
	int64_t at = 0;

	if (!m)
		return H264I_ERR_ARG;
	if (m->failed != H264I_OK)
		return m->failed;
	m->error[0] = '\0';
	h264i_packet_init(&p);
	why = from ? lsched_i_sized_in(&p, sizeof(p), LSCHED_I_SIZE_TO(h264i_packet, pts), from)
		   : "is NULL";
	if (why)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "h264i_packet %s", why);
	s = h264i_i_mp4_begin_call(m, "a packet");
	if (s != H264I_OK)
		return s;
	if (!p.data || p.headers_bytes > p.data_bytes)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"packet of %zu bytes at %s, headers_bytes %zu", p.data_bytes,
			p.data ? "an address" : "NULL", p.headers_bytes);
	s = h264i_i_mp4_check_times(m, &m->movie.track[0], p.pts, duration, &at, &ticks);
	return s == H264I_OK ? add_packet(m, &p, at, ticks) : s;
}

h264i_status h264i_mp4_finish(h264i_mp4 *m)
{
	h264i_status s;

	if (!m)
		return H264I_ERR_ARG;
	if (m->failed != H264I_OK)
		return m->failed;
	m->error[0] = '\0';
	if (m->finished)
		return H264I_OK;
	if (!m->movie.track[0].begun)
		return h264i_i_mp4_fail(m, H264I_ERR_STATE, "no packet was written: no file");
	s = h264i_i_mp4_end_sounds(m);
	if (s != H264I_OK)
		return s;
	m->finished = 1;
	if (!m->begun && m->movie.o.layout != H264I_MP4_FRAGMENTED)
		return h264i_i_mp4_write_whole(m);
	s = h264i_i_mp4_write_rest(m);
	return s == H264I_OK && m->reserve_bytes ? h264i_i_mp4_complete(m) : s;
}

/* Begins a call that needs a file with fragments. */
static h264i_status begin_fragments(h264i_mp4 *m, const char *call)
{
	const h264i_status s = h264i_i_mp4_begin_call(m, call);

	if (s == H264I_OK && m->movie.o.layout == H264I_MP4_BUFFERED)
		return h264i_i_mp4_fail(m, H264I_ERR_STATE,
			"%s: H264I_MP4_BUFFERED, and H264I_MP4_COMPLETE in memory, has no "
			"fragments: use H264I_MP4_FRAGMENTED",
			call);
	return s;
}

h264i_status h264i_mp4_write_header(h264i_mp4 *m)
{
	h264i_status s = begin_fragments(m, "h264i_mp4_write_header");

	if (s != H264I_OK || m->begun)
		return s;
	s = h264i_i_mp4_begin_file(m);
	return s == H264I_OK ? h264i_i_mp4_flush(m) : s;
}

h264i_status h264i_mp4_end_fragment(h264i_mp4 *m, int64_t duration)
{
	h264i_status s = begin_fragments(m, "h264i_mp4_end_fragment");
	mp4_track *t;
	int64_t end;

	if (s != H264I_OK || !m->movie.track[0].begun)
		return s;
	t = &m->movie.track[0];
	if (duration && t->samples.count > t->first) {
		if (duration < 0 || duration > INT64_MAX / 2 ||
			h264i_i_mp4_ticks(&t->ticks, t->last_pts + duration, &end) != 0 ||
			end - t->last_ticks > UINT32_MAX || end <= t->last_ticks)
			return h264i_i_mp4_fail(m, H264I_ERR_ARG,
				"duration %" PRId64 " of the last sample: outside of what "
				"timescale %u allows",
				duration, t->ticks.timescale);
		t->last_duration = (uint32_t)(end - t->last_ticks);
		h264i_i_mp4_lengthen(t, end);
	}
	return h264i_i_mp4_write_fragment(m, 1, h264i_i_mp4_end_time(&m->movie, 0));
}

uint64_t h264i_mp4_bytes(const h264i_mp4 *m)
{
	return m ? m->position : 0;
}

uint64_t h264i_mp4_frames(const h264i_mp4 *m)
{
	return m ? m->frames : 0;
}

const char *h264i_mp4_last_error(const h264i_mp4 *m)
{
	return m ? m->error : "";
}

void h264i_i_mp4_free_track(mp4_track *t)
{
	h264i_i_mp4_free(&t->data);
	h264i_i_mp4_free(&t->config);
	h264i_i_mp4_free_samples(&t->samples);
	free(t->flac);
}

void h264i_mp4_close(h264i_mp4 **pm)
{
	h264i_mp4 *m = pm ? *pm : NULL;

	if (!m)
		return;
	*pm = NULL;
	if (m->free_sink)
		m->free_sink(m->sink.opaque, m->position == 0);
	for (uint32_t k = 0; k < m->movie.tracks; k++)
		h264i_i_mp4_free_track(&m->movie.track[k]);
	h264i_i_mp4_free_meta(&m->movie);
	h264i_i_mp4_free(&m->boxes);
	free(m);
}
