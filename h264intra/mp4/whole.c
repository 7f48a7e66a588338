/* The file that is written at once from the samples in memory, without fragments. */
#include "h264intra/mp4/writer.h"

/* Divides the samples of all tracks into chunks of fragment_ms, those of a video without sounds
 * into one. Offsets begin at 0; *bytes: of all. */
static h264i_status plan_chunks(h264i_mp4 *m, uint64_t *bytes)
{
	const int64_t step = 1 + (int64_t)h264i_i_mp4_fragment_ticks(m);
	mp4_movie *const v = &m->movie;
	int64_t until = 0;

	*bytes = 0;
	for (uint32_t left = v->tracks; left;) {
		/* The time until which the track that is behind has chunks, or the next one. */
		int64_t next = INT64_MAX;

		left = 0;
		for (uint32_t k = 0; k < v->tracks; k++)
			if (v->track[k].first < v->track[k].samples.count) {
				const int64_t at = h264i_i_mp4_next_time(v, k);

				next = at < next ? at : next;
				left++;
			}
		if (!left)
			break;
		until = v->tracks == 1 ? INT64_MAX : (next > until ? next : until) + step;
		for (uint32_t k = 0; k < v->tracks; k++) {
			mp4_track *const t = &v->track[k];

			if (!h264i_i_mp4_select(v, k, until))
				continue;
			if (h264i_i_mp4_add_chunk(&t->samples, *bytes, t->first) != 0)
				return h264i_i_mp4_no_memory(m);
			*bytes += h264i_i_mp4_sum_bytes(&t->samples, t->first, t->end);
			t->first_time += h264i_i_mp4_sum_ticks(&t->samples, t->first, t->end);
			t->first = t->end;
		}
	}
	return H264I_OK;
}

static void move_chunks(mp4_movie *m, uint64_t by)
{
	for (uint32_t k = 0; k < m->tracks; k++)
		for (uint32_t i = 0; i < m->track[k].samples.chunk_count; i++)
			m->track[k].samples.chunk[i].offset += by;
}

/* Appends the samples in the order of their chunks. */
static h264i_status append_chunks(h264i_mp4 *m)
{
	uint32_t next[MP4_TRACKS_MAX] = { 0 };
	uint64_t done[MP4_TRACKS_MAX] = { 0 };
	mp4_movie *const v = &m->movie;

	for (;;) {
		const mp4_samples *all;
		h264i_status s;
		uint64_t bytes;
		uint32_t best = v->tracks;

		for (uint32_t k = 0; k < v->tracks; k++) {
			all = &v->track[k].samples;
			if (next[k] < all->chunk_count &&
				(best == v->tracks ||
					all->chunk[next[k]].offset <
						v->track[best].samples.chunk[next[best]].offset))
				best = k;
		}
		if (best == v->tracks)
			return H264I_OK;
		all = &v->track[best].samples;
		bytes = h264i_i_mp4_sum_bytes(
			all, all->chunk[next[best]].first, h264i_i_mp4_chunk_end(all, next[best]));
		s = h264i_i_mp4_append(m, v->track[best].data.data + done[best], (size_t)bytes);
		if (s != H264I_OK)
			return s;
		done[best] += bytes;
		next[best]++;
	}
}

h264i_status h264i_i_mp4_write_whole(h264i_mp4 *m)
{
	mp4_buf *const b = &m->boxes;
	uint64_t bytes, at = 0;
	h264i_status s = plan_chunks(m, &bytes);
	const unsigned header_bytes = h264i_i_mp4_header_bytes(bytes);

	/* Again with the offsets that follow from the size, of which some may need 64 bits. */
	while (s == H264I_OK) {
		b->bytes = 0;
		h264i_i_mp4_ftyp(b, &m->movie);
		h264i_i_mp4_moov(b, &m->movie);
		if (b->failed)
			return h264i_i_mp4_no_memory(m);
		if (b->bytes + header_bytes == at)
			break;
		move_chunks(&m->movie, b->bytes + header_bytes - at);
		at = b->bytes + header_bytes;
	}
	if (s != H264I_OK)
		return s;
	h264i_i_mp4_header(b, "mdat", header_bytes + bytes);
	if (b->failed)
		return h264i_i_mp4_no_memory(m);
	s = h264i_i_mp4_append(m, b->data, b->bytes);
	if (s == H264I_OK)
		s = append_chunks(m);
	if (s == H264I_OK)
		m->frames = m->movie.track[0].samples.count;
	return s == H264I_OK ? h264i_i_mp4_flush(m) : s;
}
