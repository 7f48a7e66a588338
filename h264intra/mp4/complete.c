/* The index of all samples in front of the file. <h264intra/mp4.h> states what the file is after
 * each write. */
#include "h264intra/mp4/writer.h"

enum { COPY_BYTES = 1 << 20 };

/* Overwrites the first bytes of the reserve's box, at most MP4_COMMIT_BYTES, by one call. All
 * writes before it have to reach the file first. */
static h264i_status commit(h264i_mp4 *m, const uint8_t *data, size_t bytes)
{
	h264i_status s = h264i_i_mp4_flush(m);

	if (s == H264I_OK)
		s = h264i_i_mp4_overwrite(m, m->reserve_at, data, bytes);
	return s == H264I_OK ? h264i_i_mp4_flush(m) : s;
}

/* Writes the moov in m->boxes to the front and behind it the header of an mdat up to `end`. */
static h264i_status put_index(h264i_mp4 *m, uint64_t end)
{
	mp4_buf *const b = &m->boxes;
	h264i_status s;

	h264i_i_mp4_header(b, "mdat", end - m->reserve_at - b->bytes);
	if (b->failed)
		return h264i_i_mp4_no_memory(m);
	s = h264i_i_mp4_overwrite(m, m->reserve_at + MP4_COMMIT_BYTES, b->data + MP4_COMMIT_BYTES,
		b->bytes - MP4_COMMIT_BYTES);
	return s == H264I_OK ? commit(m, b->data, MP4_COMMIT_BYTES) : s;
}

/* Appends a copy of the bytes of a chunk, by blocks through `block`, and sets its offset. */
static h264i_status copy_chunk(h264i_mp4 *m, mp4_chunk *chunk, uint64_t bytes, uint8_t *block)
{
	const uint64_t from = chunk->offset;
	h264i_status s = H264I_OK;

	chunk->offset = m->position;
	for (uint64_t done = 0; done < bytes && s == H264I_OK; done += COPY_BYTES) {
		const size_t n = bytes - done < COPY_BYTES ? (size_t)(bytes - done) : COPY_BYTES;

		s = h264i_i_mp4_read(m, from + done, block, n);
		if (s == H264I_OK)
			s = h264i_i_mp4_append(m, block, n);
	}
	return s;
}

/* Number of chunks of the track that begin before `end`; *bytes grows by their size. */
static uint32_t chunks_before(const mp4_samples *all, uint64_t end, uint64_t *bytes)
{
	uint32_t count = 0;

	while (count < all->chunk_count && all->chunk[count].offset < end)
		count++;
	if (count)
		*bytes += h264i_i_mp4_sum_bytes(all, 0, h264i_i_mp4_chunk_end(all, count - 1));
	return count;
}

/* Appends a free box, so that what is appended next lies behind `end`. */
static h264i_status pad_to(h264i_mp4 *m, uint64_t end)
{
	mp4_buf *const b = &m->boxes;
	const size_t bytes = (size_t)(end - m->position);

	if (m->position >= end)
		return H264I_OK;
	b->bytes = 0;
	h264i_i_mp4_header(b, "free", bytes + 8);
	h264i_i_mp4_zeros(b, bytes);
	return b->failed ? h264i_i_mp4_no_memory(m) : h264i_i_mp4_append(m, b->data, b->bytes);
}

/* Appends copies of the chunks that begin before `end`, in an mdat behind it. */
static h264i_status copy_chunks(h264i_mp4 *m, uint64_t end)
{
	mp4_buf *const b = &m->boxes, *const copy = &m->movie.track[0].data;
	uint32_t count[MP4_TRACKS_MAX];
	uint64_t bytes = 0;
	h264i_status s;

	for (uint32_t k = 0; k < m->movie.tracks; k++)
		count[k] = chunks_before(&m->movie.track[k].samples, end, &bytes);
	s = pad_to(m, end);
	if (!bytes || s != H264I_OK)
		return s;
	b->bytes = 0;
	h264i_i_mp4_header(b, "mdat", h264i_i_mp4_header_bytes(bytes) + bytes);
	copy->bytes = 0;
	if (h264i_i_mp4_reserve(copy, COPY_BYTES) != 0 || b->failed)
		return h264i_i_mp4_no_memory(m);
	s = h264i_i_mp4_append(m, b->data, b->bytes);
	for (uint32_t k = 0; k < m->movie.tracks; k++) {
		mp4_samples *const all = &m->movie.track[k].samples;

		for (uint32_t i = 0; i < count[k] && s == H264I_OK; i++)
			s = copy_chunk(m, &all->chunk[i],
				h264i_i_mp4_sum_bytes(
					all, all->chunk[i].first, h264i_i_mp4_chunk_end(all, i)),
				copy->data);
	}
	return s;
}

/* Appends a free box whose contents are the moov, and makes an mdat of everything before the
 * moov. *free_at: where the free box begins. */
static h264i_status put_end(h264i_mp4 *m, uint64_t *free_at)
{
	mp4_buf *const b = &m->boxes;
	mp4_buf head = { NULL, 0, 0, 0 };
	h264i_status s = H264I_OK;

	*free_at = m->position;
	b->bytes = 0;
	h264i_i_mp4_moov(b, &m->movie);
	h264i_i_mp4_header(&head, "free", 8 + (uint64_t)b->bytes);
	if (head.failed || b->failed)
		s = h264i_i_mp4_no_memory(m);
	if (s == H264I_OK)
		s = h264i_i_mp4_append(m, head.data, head.bytes);
	if (s == H264I_OK)
		s = h264i_i_mp4_append(m, b->data, b->bytes);
	head.bytes = 0;
	h264i_i_mp4_header(&head, "mdat", *free_at + 8 - m->reserve_at);
	if (s == H264I_OK)
		s = head.failed ? h264i_i_mp4_no_memory(m) : commit(m, head.data, head.bytes);
	h264i_i_mp4_free(&head);
	return s;
}

/* For an index that is larger than the reserve. */
static h264i_status complete_large(h264i_mp4 *m)
{
	uint64_t bound = m->boxes.bytes, free_at;
	h264i_status s = H264I_OK;

	/* Offsets of copies may need 64 bits. */
	for (uint32_t k = 0; k < m->movie.tracks; k++)
		bound += 4 * (uint64_t)m->movie.track[k].samples.chunk_count;
	if (m->sink.read)
		s = copy_chunks(m, m->reserve_at + bound + 16);
	if (s == H264I_OK)
		s = put_end(m, &free_at);
	if (s != H264I_OK || !m->sink.read)
		return s;
	s = put_index(m, free_at);
	return s == H264I_OK ? h264i_i_mp4_truncate(m, free_at) : s;
}

h264i_status h264i_i_mp4_complete(h264i_mp4 *m)
{
	mp4_buf *const b = &m->boxes;

	b->bytes = 0;
	h264i_i_mp4_moov(b, &m->movie);
	if (b->failed)
		return h264i_i_mp4_no_memory(m);
	return b->bytes + 16 <= m->reserve_bytes ? put_index(m, m->position) : complete_large(m);
}
