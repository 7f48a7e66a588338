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
		h264i_i_mp4_free(&m->track.avcc);
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
	const h264i_vui *v = &m->track.o.vui;
	const uint32_t num = v->fps_num ? v->fps_num : 25, den = v->fps_num ? v->fps_den : 1;
	const uint64_t ticks = ((uint64_t)m->track.ticks.timescale * den + num / 2) / num;

	return ticks == 0 ? 1 : ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

/* Sets the ticks of the packet's pts and of its duration, if it turns out to be the last. */
static h264i_status check_times(
	h264i_mp4 *m, int64_t pts, int64_t duration, int64_t *at, uint32_t *ticks)
{
	const mp4_ticks *t = &m->track.ticks;
	const int first = !m->fragments && !m->track.samples.count;
	int64_t end;

	if (!first && pts <= m->last_pts)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"pts %" PRId64 " follows %" PRId64 ": it must increase", pts, m->last_pts);
	if (duration < 0 || duration > INT64_MAX / 2 || pts > INT64_MAX / 2 ||
		h264i_i_mp4_ticks(t, pts, at) != 0 ||
		h264i_i_mp4_ticks(t, pts + duration, &end) != 0 || end - *at > UINT32_MAX ||
		(!first && *at - m->last_ticks > UINT32_MAX))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"pts %" PRId64 ", duration %" PRId64
			": outside of what timescale %u allows",
			pts, duration, t->timescale);
	if (!first && *at == m->last_ticks)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"pts %" PRId64 " and %" PRId64 " are equal in timescale %u: raise it", pts,
			m->last_pts, t->timescale);
	*ticks = duration && end > *at ? (uint32_t)(end - *at)
		 : first               ? frame_ticks(m)
				       : (uint32_t)(*at - m->last_ticks);
	return H264I_OK;
}

/* 1 if the fragment ends at the time `at`. The first fragments of a file that will have several
 * have 1, 2, 4 ... samples, so that it plays almost from its beginning. */
static int fragment_is_full(const h264i_mp4 *m, int64_t at)
{
	const h264i_mp4_options *o = &m->track.o;
	const uint32_t count = m->track.samples.count - m->first;
	const uint64_t time = (uint64_t)(at + m->shift - m->track.start) - m->first_time;
	const uint64_t most = (uint64_t)m->track.ticks.timescale * o->fragment_ms / 1000;
	const int early = m->fragments < 16 && o->layout == H264I_MP4_COMPLETE &&
			  (uint64_t)o->frames_expected * frame_ticks(m) > 2 * most;

	if (!count || o->layout == H264I_MP4_BUFFERED)
		return 0;
	return time >= most || (o->fragment_frames && count >= o->fragment_frames) ||
	       (early && count >= UINT32_C(1) << m->fragments) ||
	       m->fragment_bytes >= FRAGMENT_MAX_BYTES;
}

/* Appends the sample to m->data, which is unchanged after a failure. */
static h264i_status convert_sample(h264i_mp4 *m, const h264i_packet *p, uint32_t *bytes)
{
	const size_t before = m->data.bytes;
	const char *why;
	h264i_status s = h264i_i_mp4_sample(
		&m->data, p->data + p->headers_bytes, p->data_bytes - p->headers_bytes, &why);

	if (s == H264I_OK && m->data.bytes - before > UINT32_MAX) {
		s = H264I_ERR_ARG;
		why = "the packet is larger than 4 GiB";
	}
	*bytes = (uint32_t)(m->data.bytes - before);
	if (s == H264I_OK)
		return s;
	m->data.bytes = before;
	return h264i_i_mp4_fail(m, s, "%s", why);
}

/* Sets the time of the first sample. The file has no times before 0. */
static void set_start(h264i_mp4 *m, int64_t at)
{
	m->track.start = at > 0 ? at : 0;
	m->shift = at > 0 ? 0 : -at;
}

/* Adds a packet whose struct and times are valid. `at`: its time, `ticks`: its duration if it is
 * the last one. */
static h264i_status add_packet(h264i_mp4 *m, const h264i_packet *p, int64_t at, uint32_t ticks)
{
	mp4_samples *const all = &m->track.samples;
	h264i_status s;
	uint32_t bytes;

	if (all->count >= MP4_SAMPLES_MAX)
		return h264i_i_mp4_fail(m, H264I_ERR_LIMIT,
			"more than %d samples: use H264I_MP4_FRAGMENTED", MP4_SAMPLES_MAX);
	s = convert_sample(m, p, &bytes);
	if (s != H264I_OK)
		return s;
	if (!m->fragments && !all->count)
		set_start(m, at);
	else
		all->sample[all->count - 1].ticks = (uint32_t)(at - m->last_ticks);
	if (fragment_is_full(m, at))
		s = h264i_i_mp4_write_fragment(m);
	if (s != H264I_OK)
		return s;
	if (h264i_i_mp4_add_sample(all, bytes, ticks) != 0)
		return h264i_i_mp4_fail(m, H264I_ERR_NOMEM, "out of memory");
	m->fragment_bytes += bytes;
	m->last_pts = p->pts;
	m->last_ticks = at;
	return s;
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
	if (m->finished)
		return h264i_i_mp4_fail(m, H264I_ERR_STATE, "a packet after h264i_mp4_finish");
	if (!p.data || p.headers_bytes > p.data_bytes)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"packet of %zu bytes at %s, headers_bytes %zu", p.data_bytes,
			p.data ? "an address" : "NULL", p.headers_bytes);
	s = check_times(m, p.pts, duration, &at, &ticks);
	return s == H264I_OK ? add_packet(m, &p, at, ticks) : s;
}

h264i_status h264i_mp4_finish(h264i_mp4 *m)
{
	h264i_status s = H264I_OK;

	if (!m)
		return H264I_ERR_ARG;
	if (m->failed != H264I_OK)
		return m->failed;
	m->error[0] = '\0';
	if (m->finished)
		return H264I_OK;
	if (!m->begun && !m->track.samples.count)
		return h264i_i_mp4_fail(m, H264I_ERR_STATE, "no packet was written: no file");
	m->finished = 1;
	if (!m->begun && m->track.o.layout != H264I_MP4_FRAGMENTED)
		return h264i_i_mp4_write_whole(m);
	if (m->track.samples.count > m->first)
		s = h264i_i_mp4_write_fragment(m);
	return s == H264I_OK && m->reserve_bytes ? h264i_i_mp4_complete(m) : s;
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

void h264i_mp4_close(h264i_mp4 **pm)
{
	h264i_mp4 *m = pm ? *pm : NULL;

	if (!m)
		return;
	*pm = NULL;
	if (m->free_sink)
		m->free_sink(m->sink.opaque, m->position == 0);
	h264i_i_mp4_free(&m->data);
	h264i_i_mp4_free(&m->boxes);
	h264i_i_mp4_free(&m->track.avcc);
	h264i_i_mp4_free_samples(&m->track.samples);
	free(m);
}
