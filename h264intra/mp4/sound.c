/* Sounds beside the video: tracks and their packets. */
#include "h264intra/mp4/flac.h"
#include "h264intra/mp4/writer.h"
#include "libsched/core/sized.h"

#include <inttypes.h>

enum {
	RATE_MAX = 655350, /* of FLAC */
	CHANNELS_MAX = 255,
	PACKET_MAX_BYTES = 1 << 24,
	PCM_MAX_BYTES = 1 << 30, /* of one call */
	/* Entries of PCM, so that chunks of fragment_ms can be made of a long call. */
	PCM_ENTRY = FLAC_BLOCK
};

/* 1: the library codes the samples itself, or stores them. */
static int is_pcm(const mp4_track *t)
{
	return t->unit_bytes || t->flac;
}

static h264i_status check_track(h264i_mp4 *m, const h264i_mp4_track *o)
{
	const int pcm = o->codec == H264I_MP4_PCM || (o->codec == H264I_MP4_FLAC && !o->config);

	if ((unsigned)o->codec > H264I_MP4_PCM)
		return h264i_i_mp4_fail(
			m, H264I_ERR_ARG, "track: codec %d is out of range", (int)o->codec);
	if (mp4_is_mov(&m->movie) && (o->codec == H264I_MP4_OPUS || o->codec == H264I_MP4_FLAC))
		return h264i_i_mp4_fail(m, H264I_ERR_UNSUPPORTED,
			"track: MOV has no Opus and FLAC: use AAC or PCM, or an MP4 file");
	if (!o->rate || o->rate > RATE_MAX || !o->channels ||
		o->channels > (pcm ? FLAC_CHANNELS_MAX : CHANNELS_MAX))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"track: rate %u must be 1..%d, channels %u 1..%d", o->rate, RATE_MAX,
			o->channels, pcm ? FLAC_CHANNELS_MAX : CHANNELS_MAX);
	if (o->priming > (pcm ? 0 : UINT16_MAX))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "track: %u priming samples, at most %d",
			o->priming, pcm ? 0 : UINT16_MAX);
	for (int i = 0; i < 4; i++)
		if ((i < 3 && o->language[0] && (o->language[i] < 'a' || o->language[i] > 'z')) ||
			(i == 3 && o->language[0] && o->language[i]))
			return h264i_i_mp4_fail(m, H264I_ERR_ARG,
				"track: the language '%.4s' is not three letters a..z of ISO 639-2",
				o->language);
	return H264I_OK;
}

/* The least common multiple of all timescales, with which the times of edits are exact. */
static void set_timescale(mp4_movie *m)
{
	uint64_t all = m->track[0].ticks.timescale;

	m->timescale = (uint32_t)all;
	for (uint32_t k = 1; k < m->tracks; k++) {
		mp4_ticks unit;

		/* mul / div is the fraction of the two in lowest terms. */
		h264i_i_mp4_ticks_init(&unit, 1, m->track[k].o.rate, (uint32_t)all);
		all *= unit.div;
		if (all > INT32_MAX)
			return;
	}
	m->timescale = (uint32_t)all;
}

h264i_status h264i_mp4_add_track(h264i_mp4 *m, const h264i_mp4_track *o)
{
	h264i_status s = h264i_i_mp4_begin_call(m, "h264i_mp4_add_track");
	mp4_movie *v;
	mp4_track *t;
	const char *why;

	if (s != H264I_OK)
		return s;
	v = &m->movie;
	for (uint32_t k = 0; k < v->tracks; k++)
		if (m->begun || v->track[k].begun || v->track[k].fed)
			return h264i_i_mp4_fail(m, H264I_ERR_STATE,
				"h264i_mp4_add_track after the header or a packet");
	if (v->tracks == MP4_TRACKS_MAX)
		return h264i_i_mp4_fail(
			m, H264I_ERR_LIMIT, "more than %d sounds", H264I_MP4_SOUNDS_MAX);
	t = &v->track[v->tracks];
	h264i_mp4_track_init(&t->o);
	why = o ? lsched_i_sized_in(
			  &t->o, sizeof(*o), LSCHED_I_SIZE_TO(h264i_mp4_track, language), o)
		: "is NULL";
	if (why)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "h264i_mp4_track %s", why);
	s = check_track(m, &t->o);
	if (s == H264I_OK)
		s = h264i_i_mp4_config(m, t);
	if (s != H264I_OK) {
		h264i_i_mp4_free_track(t);
		memset(t, 0, sizeof(*t));
		return s;
	}
	/* These are exact in 32 bits. */
	h264i_i_mp4_ticks_init(&t->ticks, 1, t->o.rate, t->o.rate);
	h264i_i_mp4_ticks_init(&t->from_video, 1, v->track[0].ticks.timescale, t->o.rate);
	h264i_i_mp4_ticks_init(&t->to_video, 1, t->o.rate, v->track[0].ticks.timescale);
	v->tracks++;
	set_timescale(v);
	return H264I_OK;
}

/* Sets the time of the first sample of the track. The file has no times before 0. */
static h264i_status set_start(h264i_mp4 *m, mp4_track *t, int64_t pts)
{
	const int64_t shift =
		m->movie.track[0].begun ? h264i_i_mp4_convert(&t->from_video, m->movie.shift) : 0;

	if (pts > INT64_C(1) << 61 || pts < -(INT64_C(1) << 61) ||
		pts + shift + (int64_t)t->o.priming < 0)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"the sound begins at pts %" PRId64 " with %u priming samples, outside of "
			"the file, which begins at 0 or with the video's first packet, if that is "
			"written before",
			pts, t->o.priming);
	t->start = pts + shift + (int64_t)t->o.priming;
	return H264I_OK;
}

/* Adds an entry whose bytes are appended to t->data. */
static h264i_status add_entry(h264i_mp4 *m, mp4_track *t, int64_t pts, size_t bytes, uint32_t ticks)
{
	h264i_i_mp4_lengthen(t, pts);
	return h264i_i_mp4_add(m, t, pts, pts, (uint32_t)bytes, ticks);
}

/* Codes the block that the coder holds. Its last sample is before t->next_pts + `more`. */
static h264i_status code_block(h264i_mp4 *m, mp4_track *t, int64_t end)
{
	const size_t before = t->data.bytes;
	const uint32_t ticks = t->flac->filled;

	h264i_i_mp4_flac_block(t->flac, &t->data);
	if (t->data.failed)
		return h264i_i_mp4_no_memory(m);
	return add_entry(m, t, end - ticks, t->data.bytes - before, ticks);
}

h264i_status h264i_i_mp4_end_sounds(h264i_mp4 *m)
{
	h264i_status s = H264I_OK;

	for (uint32_t k = 1; k < m->movie.tracks && s == H264I_OK; k++) {
		mp4_track *const t = &m->movie.track[k];

		if (t->flac && t->flac->filled)
			s = code_block(m, t, t->next_pts);
	}
	return s;
}

static h264i_status write_pcm(h264i_mp4 *m, mp4_track *t, const uint8_t *data, size_t bytes,
	int64_t pts, int64_t duration)
{
	const size_t frame = 2 * (size_t)t->o.channels, count = bytes / frame;
	h264i_status s;

	if (bytes % frame || bytes > PCM_MAX_BYTES || (duration && (uint64_t)duration != count))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"%zu bytes of PCM with duration %" PRId64
			": give samples of %zu bytes, at most %d bytes, and their number or 0",
			bytes, duration, frame, PCM_MAX_BYTES);
	if (t->fed && pts != t->next_pts)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"pts %" PRId64 " of PCM does not continue the samples until %" PRId64
			": fill a gap with zeros",
			pts, t->next_pts);
	s = h264i_i_mp4_check_count(m, t, count / PCM_ENTRY + 2);
	/* Numbers of samples in the index have 32 bits. */
	if (s == H264I_OK && t->unit_bytes && m->movie.o.layout != H264I_MP4_FRAGMENTED &&
		h264i_i_mp4_duration(&t->samples) + count > UINT32_MAX)
		s = h264i_i_mp4_fail(m, H264I_ERR_LIMIT,
			"more than 2^32 - 1 samples of PCM: use H264I_MP4_FRAGMENTED");
	if (s == H264I_OK && !t->fed)
		s = set_start(m, t, pts);
	if (s != H264I_OK)
		return s;
	t->fed = 1;
	t->next_pts = pts + (int64_t)count;
	if (t->unit_bytes)
		h264i_i_mp4_put(&t->data, data, bytes);
	if (t->data.failed)
		return h264i_i_mp4_no_memory(m);
	for (size_t done = 0, n; done < count && s == H264I_OK; done += n) {
		n = count - done < PCM_ENTRY ? count - done : PCM_ENTRY;
		if (t->unit_bytes) {
			s = add_entry(m, t, pts + (int64_t)done, n * frame, (uint32_t)n);
			continue;
		}
		n = h264i_i_mp4_flac_fill(t->flac, data + done * frame, n);
		if (t->flac->filled == FLAC_BLOCK)
			s = code_block(m, t, pts + (int64_t)(done + n));
	}
	return s;
}

static h264i_status write_packet(h264i_mp4 *m, mp4_track *t, const uint8_t *data, size_t bytes,
	int64_t pts, int64_t duration)
{
	h264i_status s;
	uint32_t ticks;
	int64_t at;

	if (bytes > PACKET_MAX_BYTES || duration <= 0)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"a packet of %zu bytes, duration %" PRId64
			": 1..%d bytes and at least one sample",
			bytes, duration, PACKET_MAX_BYTES);
	s = h264i_i_mp4_check_times(m, t, pts, duration, &at, &ticks);
	if (s == H264I_OK)
		s = h264i_i_mp4_check_count(m, t, 1);
	if (s == H264I_OK && !t->fed)
		s = set_start(m, t, pts);
	if (s != H264I_OK)
		return s;
	h264i_i_mp4_put(&t->data, data, bytes);
	if (t->data.failed)
		return h264i_i_mp4_no_memory(m);
	t->fed = 1;
	return add_entry(m, t, pts, bytes, ticks);
}

/* Writes sounds that are a fragment or more behind the video in fragments of their own, so that
 * they do not collect in memory. */
static h264i_status flush_late(h264i_mp4 *m, uint32_t k)
{
	const mp4_track *video = &m->movie.track[0];
	const int64_t most = 1 + (int64_t)h264i_i_mp4_fragment_ticks(m);
	int64_t front, from;

	if (m->movie.o.layout == H264I_MP4_BUFFERED || !video->begun)
		return H264I_OK;
	front = video->first < video->samples.count ? h264i_i_mp4_next_time(&m->movie, 0)
						    : h264i_i_mp4_end_time(&m->movie, 0);
	from = h264i_i_mp4_next_time(&m->movie, k);
	if (from + most > front || from + most > h264i_i_mp4_end_time(&m->movie, k))
		return H264I_OK;
	return h264i_i_mp4_write_fragment(m, 0, front);
}

h264i_status h264i_mp4_write_track(h264i_mp4 *m, uint32_t number, const void *data, size_t bytes,
	int64_t pts, int64_t duration)
{
	h264i_status s = h264i_i_mp4_begin_call(m, "a packet of a sound");
	mp4_track *t;

	if (s != H264I_OK)
		return s;
	if (number + 1 >= m->movie.tracks || number >= H264I_MP4_SOUNDS_MAX)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"track %u: %u were added, numbers begin at 0", number, m->movie.tracks - 1);
	if (!data || !bytes)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "a packet of a sound has %zu bytes at %s",
			bytes, data ? "an address" : "NULL");
	t = &m->movie.track[number + 1];
	s = is_pcm(t) ? write_pcm(m, t, data, bytes, pts, duration)
		      : write_packet(m, t, data, bytes, pts, duration);
	return s == H264I_OK ? flush_late(m, number + 1) : s;
}
