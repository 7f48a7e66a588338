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
	EARLY_CHUNKS = 18
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

/* Size of the reserve for an index: that of a moov without samples, and for each sample a size and
 * a duration, for each chunk an offset and a line of stsc. */
static uint32_t reserve_bytes(const h264i_mp4 *m, size_t moov_bytes)
{
	const h264i_mp4_options *o = &m->track.o;
	const uint64_t expected = o->frames_expected;
	uint64_t bytes = o->reserve_bytes;

	if (!bytes && !expected)
		bytes = UNKNOWN_RESERVE_BYTES;
	else if (!bytes) {
		bytes = moov_bytes + 256 + expected * SAMPLE_INDEX_BYTES +
			(expected / fragment_samples(o) + EARLY_CHUNKS) * CHUNK_INDEX_BYTES;
		/* A larger index takes the place of samples, which move to the end. */
		if (bytes > AUTO_RESERVE_MAX_BYTES && m->sink.read)
			bytes = AUTO_RESERVE_MAX_BYTES;
	}
	if (bytes < MP4_RESERVE_MIN_BYTES)
		return MP4_RESERVE_MIN_BYTES;
	return bytes < MP4_RESERVE_MAX_BYTES ? (uint32_t)bytes : MP4_RESERVE_MAX_BYTES;
}

/* Writes ftyp, the reserve and the moov without samples. */
static h264i_status write_beginning(h264i_mp4 *m)
{
	mp4_buf *const b = &m->boxes, moov = { NULL, 0, 0, 0 };
	h264i_status s;

	b->bytes = 0;
	h264i_i_mp4_moov_of_fragments(&moov, &m->track);
	h264i_i_mp4_ftyp(b, &m->track);
	m->reserve_at = b->bytes;
	if (m->track.o.layout == H264I_MP4_COMPLETE && m->sink.pwrite) {
		m->reserve_bytes = reserve_bytes(m, moov.bytes);
		h264i_i_mp4_header(b, "free", m->reserve_bytes);
		h264i_i_mp4_zeros(b, m->reserve_bytes - 8);
	}
	h264i_i_mp4_put(b, moov.data, moov.bytes);
	if (b->failed || moov.failed)
		s = h264i_i_mp4_fail(m, H264I_ERR_NOMEM, "out of memory");
	else
		s = h264i_i_mp4_append(m, b->data, b->bytes);
	h264i_i_mp4_free(&moov);
	/* The reserve may be large. */
	h264i_i_mp4_free(b);
	m->begun = 1;
	return s;
}

/* Begins the next fragment. The samples of a file that stays fragmented are not needed again. */
static h264i_status next_fragment(h264i_mp4 *m, uint64_t offset)
{
	mp4_samples *const all = &m->track.samples;

	for (uint32_t i = m->first; i < all->count; i++)
		m->first_time += all->sample[i].ticks;
	m->data.bytes -= m->fragment_bytes;
	memmove(m->data.data, m->data.data + m->fragment_bytes, m->data.bytes);
	m->fragment_bytes = 0;
	m->fragments++;
	m->frames += all->count - m->first;
	if (!m->reserve_bytes) {
		all->count = 0;
		all->ticks = 0;
	} else if (h264i_i_mp4_add_chunk(all, offset, m->first) != 0) {
		return h264i_i_mp4_fail(m, H264I_ERR_NOMEM, "out of memory");
	}
	m->first = all->count;
	return H264I_OK;
}

/* Appends moof, in m->boxes, and samples. Where bytes can be overwritten, the moof is a free box
 * until all of it and the samples are in the file, because readers reject a file that ends within a
 * moof. */
static h264i_status append_fragment(h264i_mp4 *m, uint64_t *data_at)
{
	const int hidden = m->sink.pwrite != NULL;
	const uint64_t type_at = m->position + 4;
	mp4_buf *const b = &m->boxes;
	h264i_status s;

	if (hidden)
		memcpy(b->data + 4, "free", 4);
	s = h264i_i_mp4_append(m, b->data, b->bytes);
	*data_at = m->position;
	if (s == H264I_OK)
		s = h264i_i_mp4_append(m, m->data.data, m->fragment_bytes);
	if (s == H264I_OK)
		s = h264i_i_mp4_flush(m);
	if (!hidden || s != H264I_OK)
		return s;
	s = h264i_i_mp4_overwrite(m, type_at, "moof", 4);
	return s == H264I_OK ? h264i_i_mp4_flush(m) : s;
}

h264i_status h264i_i_mp4_write_fragment(h264i_mp4 *m)
{
	const uint64_t time = m->first_time + (uint64_t)m->track.start;
	mp4_buf *const b = &m->boxes;
	h264i_status s = m->begun ? H264I_OK : write_beginning(m);
	uint64_t data_at;

	if (s != H264I_OK)
		return s;
	b->bytes = 0;
	h264i_i_mp4_moof(b, &m->track, m->fragments + 1, m->first, time);
	if (b->failed)
		return h264i_i_mp4_fail(m, H264I_ERR_NOMEM, "out of memory");
	s = append_fragment(m, &data_at);
	return s == H264I_OK ? next_fragment(m, data_at) : s;
}
