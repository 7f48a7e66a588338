/* Fragments, and the front of a file that begins with them. */
#include "h264intra/mp4/writer.h"

#include <string.h>

/* AUTO_RESERVE_MAX_BYTES is written in less than a millisecond: until then the file does not play.
 * EARLY_CHUNKS: those of the fragments of 1, 2, 4 ... samples, and the last one. */
enum {
	UNKNOWN_RESERVE_BYTES = 64 * 1024,
	AUTO_RESERVE_MAX_BYTES = 1 << 20,
	SAMPLE_INDEX_BYTES = 12,
	CHUNK_INDEX_BYTES = 20,
	EARLY_CHUNKS = 18,
	USUAL_PACKET_TICKS = 960, /* of a sound: 960 of Opus, 1024 of AAC, 4096 of FLAC */
	SOUNDS_MAX_BYTES = 64 << 20
};

/* Samples of a fragment at the rate of the options, at least 1. */
static uint64_t fragment_samples(const h264i_mp4_options *o)
{
	const uint64_t num = o->vui.fps_num ? o->vui.fps_num : 25;
	const uint64_t den = o->vui.fps_num && o->vui.fps_den ? o->vui.fps_den : 1;
	uint64_t n = num * o->fragment_ms / (1000 * den);

	if (o->fragment_frames && n > o->fragment_frames)
		n = o->fragment_frames;
	return n ? n : 1;
}

/* Size of the index of the sounds of a video of frames_expected in `chunks`: that of packets of the
 * shortest usual duration, and of the chunks. */
static uint64_t sounds_index_bytes(const mp4_movie *m, uint64_t chunks)
{
	const h264i_vui *v = &m->o.vui;
	uint64_t bytes = 0, seconds = m->o.frames_expected;

	seconds = seconds * (v->fps_num ? v->fps_den : 1) / (v->fps_num ? v->fps_num : 25) + 1;
	if (seconds > UINT32_MAX)
		seconds = UINT32_MAX;

	for (uint32_t k = 1; k < m->tracks; k++) {
		const mp4_track *t = &m->track[k];

		bytes += chunks * CHUNK_INDEX_BYTES;
		if (!t->unit_bytes)
			bytes += seconds * t->o.rate / USUAL_PACKET_TICKS * SAMPLE_INDEX_BYTES;
	}
	return bytes;
}

/* Size of the reserve for an index: that of a moov without samples, and for each sample a size and
 * a duration, for each chunk an offset and a line of stsc. */
static uint32_t reserve_bytes(const h264i_mp4 *m, size_t moov_bytes, size_t meta_bytes)
{
	const h264i_mp4_options *o = &m->movie.o;
	const uint64_t expected = o->frames_expected;
	uint64_t bytes = o->reserve_bytes, chunks;

	if (!bytes && !expected)
		bytes = UNKNOWN_RESERVE_BYTES + meta_bytes;
	else if (!bytes) {
		chunks = expected / fragment_samples(o) + EARLY_CHUNKS;
		bytes = moov_bytes + 256 + expected * SAMPLE_INDEX_BYTES +
			chunks * CHUNK_INDEX_BYTES + sounds_index_bytes(&m->movie, chunks);
		/* A larger index takes the place of samples, which move to the end. */
		if (bytes > AUTO_RESERVE_MAX_BYTES && m->sink.read)
			bytes = AUTO_RESERVE_MAX_BYTES;
		bytes += meta_bytes;
	}
	if (bytes < MP4_RESERVE_MIN_BYTES)
		return MP4_RESERVE_MIN_BYTES;
	return bytes < MP4_RESERVE_MAX_BYTES ? (uint32_t)bytes : MP4_RESERVE_MAX_BYTES;
}

h264i_status h264i_i_mp4_begin_file(h264i_mp4 *m)
{
	const int reserved = m->movie.o.layout == H264I_MP4_COMPLETE && m->sink.pwrite;
	mp4_buf *const b = &m->boxes, moov = { NULL, 0, 0, 0 };
	h264i_status s;

	if (m->begun)
		return H264I_OK;
	b->bytes = 0;
	/* The index at the end has the metadata, too, which may be large. */
	if (reserved)
		h264i_i_mp4_meta(b, &m->movie);
	h264i_i_mp4_moov_of_fragments(&moov, &m->movie, !reserved);
	if (reserved)
		m->reserve_bytes = reserve_bytes(m, moov.bytes, b->bytes);
	b->bytes = 0;
	h264i_i_mp4_ftyp(b, &m->movie);
	m->reserve_at = b->bytes;
	if (reserved) {
		h264i_i_mp4_header(b, "free", m->reserve_bytes);
		h264i_i_mp4_zeros(b, m->reserve_bytes - 8);
	}
	h264i_i_mp4_put(b, moov.data, moov.bytes);
	if (b->failed || moov.failed)
		s = h264i_i_mp4_no_memory(m);
	else
		s = h264i_i_mp4_append(m, b->data, b->bytes);
	h264i_i_mp4_free(&moov);
	/* The reserve may be large. */
	h264i_i_mp4_free(b);
	m->begun = 1;
	return s;
}

/* Begins the next fragment of a track whose samples are at `offset`. The samples of a file that
 * stays fragmented are not needed again. */
static h264i_status next_fragment(h264i_mp4 *m, mp4_track *t, uint64_t offset)
{
	const size_t bytes = (size_t)h264i_i_mp4_sum_bytes(&t->samples, t->first, t->end);

	t->first_time += h264i_i_mp4_sum_ticks(&t->samples, t->first, t->end);
	t->data.bytes -= bytes;
	memmove(t->data.data, t->data.data + bytes, t->data.bytes);
	t->pending_bytes -= bytes;
	if (m->reserve_bytes && h264i_i_mp4_add_chunk(&t->samples, offset, t->first) != 0)
		return h264i_i_mp4_no_memory(m);
	if (!m->reserve_bytes)
		h264i_i_mp4_drop_samples(&t->samples, t->end);
	t->first = m->reserve_bytes ? t->end : 0;
	return H264I_OK;
}

/* Appends moof, in m->boxes, and samples, and sets the offsets of the tracks. Where bytes can be
 * overwritten, the moof is a free box until all of it and the samples are in the file, because
 * readers reject a file that ends within a moof. */
static h264i_status append_fragment(h264i_mp4 *m, uint64_t data_at[MP4_TRACKS_MAX])
{
	const int hidden = m->sink.pwrite != NULL;
	const uint64_t type_at = m->position + 4;
	mp4_buf *const b = &m->boxes;
	h264i_status s;

	if (hidden)
		memcpy(b->data + 4, "free", 4);
	s = h264i_i_mp4_append(m, b->data, b->bytes);
	for (uint32_t k = m->movie.tracks; k-- > 0 && s == H264I_OK;) {
		const mp4_track *t = &m->movie.track[k];

		data_at[k] = m->position;
		if (t->end > t->first)
			s = h264i_i_mp4_append(m, t->data.data,
				(size_t)h264i_i_mp4_sum_bytes(&t->samples, t->first, t->end));
	}
	if (s == H264I_OK)
		s = h264i_i_mp4_flush(m);
	if (!hidden || s != H264I_OK)
		return s;
	s = h264i_i_mp4_overwrite(m, type_at, "moof", 4);
	return s == H264I_OK ? h264i_i_mp4_flush(m) : s;
}

/* Selects the samples of the next fragment. Returns their number. */
static uint32_t select_samples(mp4_movie *m, int video, int64_t until)
{
	mp4_track *const t = &m->track[0];
	uint32_t selected;

	t->end = video ? t->samples.count : t->first;
	selected = t->end - t->first;
	for (uint32_t k = 1; k < m->tracks; k++)
		selected += h264i_i_mp4_select(m, k, until);
	return selected;
}

h264i_status h264i_i_mp4_write_fragment(h264i_mp4 *m, int video, int64_t until)
{
	uint64_t data_at[MP4_TRACKS_MAX];
	mp4_movie *const v = &m->movie;
	mp4_buf *const b = &m->boxes;
	h264i_status s;

	if (!select_samples(v, video, until))
		return H264I_OK;
	s = h264i_i_mp4_begin_file(m);
	if (s != H264I_OK)
		return s;
	b->bytes = 0;
	h264i_i_mp4_moof(b, v, m->fragments + 1);
	if (b->failed)
		return h264i_i_mp4_no_memory(m);
	s = append_fragment(m, data_at);
	if (s == H264I_OK) {
		m->fragments++;
		m->frames += v->track[0].end - v->track[0].first;
	}
	for (uint32_t k = 0; k < v->tracks && s == H264I_OK; k++)
		if (v->track[k].end > v->track[k].first)
			s = next_fragment(m, &v->track[k], data_at[k]);
	return s;
}

h264i_status h264i_i_mp4_write_rest(h264i_mp4 *m)
{
	const int64_t step = 1 + (int64_t)h264i_i_mp4_fragment_ticks(m);
	const mp4_movie *v = &m->movie;
	int64_t until = h264i_i_mp4_end_time(v, 0);
	h264i_status s = h264i_i_mp4_write_fragment(m, 1, until);

	for (uint32_t k = 1; k < v->tracks && s == H264I_OK;) {
		const int64_t next = h264i_i_mp4_next_time(v, k);

		if (v->track[k].first == v->track[k].samples.count) {
			k++;
			continue;
		}
		until = (next > until ? next : until) + step;
		s = h264i_i_mp4_write_fragment(m, 0, until);
	}
	return s;
}
