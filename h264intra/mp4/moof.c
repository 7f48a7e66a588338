/* A movie fragment (ISO/IEC 14496-12 clause 8.8). */
#include "h264intra/mp4/track.h"

enum {
	TFHD_DURATION = 0x8,
	TFHD_SIZE = 0x10,
	TFHD_BASE_IS_MOOF = 0x20000,
	TRUN_OFFSET = 0x1,
	TRUN_DURATION = 0x100,
	TRUN_SIZE = 0x200
};

/* Returns the duration that all samples of the fragment have, or 0. */
static uint32_t same_ticks(const mp4_track *t)
{
	const mp4_sample *s = t->samples.sample;

	if (t->unit_bytes)
		return 1;
	for (uint32_t i = t->first + 1; i < t->end; i++)
		if (s[i].ticks != s[t->first].ticks)
			return 0;
	return s[t->first].ticks;
}

/* Writes the runs of samples. Returns the position of the offset of the samples, which follows from
 * the size of the moof. */
static size_t put_trun(mp4_buf *out, const mp4_track *t, uint32_t ticks)
{
	const size_t box = h264i_i_mp4_begin_full(out, "trun", 0,
		TRUN_OFFSET | (t->unit_bytes ? 0 : TRUN_SIZE) | (ticks ? 0 : TRUN_DURATION));
	size_t offset_at;

	h264i_i_mp4_u32(out, h264i_i_mp4_count(t, t->first, t->end));
	offset_at = out->bytes;
	h264i_i_mp4_u32(out, 0);
	for (uint32_t i = t->first; i < t->end && !t->unit_bytes; i++) {
		if (!ticks)
			h264i_i_mp4_u32(out, t->samples.sample[i].ticks);
		h264i_i_mp4_u32(out, t->samples.sample[i].bytes);
	}
	h264i_i_mp4_end(out, box);
	return offset_at;
}

/* As put_trun, with the boxes around it. */
static size_t put_traf(mp4_buf *out, const mp4_track *t, uint32_t id)
{
	const uint32_t ticks = same_ticks(t);
	const size_t traf = h264i_i_mp4_begin(out, "traf");
	size_t offset_at, box;

	box = h264i_i_mp4_begin_full(out, "tfhd", 0,
		TFHD_BASE_IS_MOOF | (ticks ? TFHD_DURATION : 0) | (t->unit_bytes ? TFHD_SIZE : 0));
	h264i_i_mp4_u32(out, id);
	if (ticks)
		h264i_i_mp4_u32(out, ticks);
	if (t->unit_bytes)
		h264i_i_mp4_u32(out, t->unit_bytes);
	h264i_i_mp4_end(out, box);
	box = h264i_i_mp4_begin_full(out, "tfdt", 1, 0);
	h264i_i_mp4_u64(out, t->first_time + (uint64_t)t->start);
	h264i_i_mp4_end(out, box);
	offset_at = put_trun(out, t, ticks);
	h264i_i_mp4_end(out, traf);
	return offset_at;
}

void h264i_i_mp4_moof(mp4_buf *out, const mp4_movie *m, uint32_t sequence)
{
	const size_t moof = h264i_i_mp4_begin(out, "moof");
	const size_t mfhd = h264i_i_mp4_begin_full(out, "mfhd", 0, 0);
	uint64_t bytes[MP4_TRACKS_MAX], contents = 0, at;
	size_t offset_at[MP4_TRACKS_MAX];

	h264i_i_mp4_u32(out, sequence);
	h264i_i_mp4_end(out, mfhd);
	for (uint32_t k = 0; k < m->tracks; k++) {
		const mp4_track *t = &m->track[k];

		bytes[k] = h264i_i_mp4_sum_bytes(&t->samples, t->first, t->end);
		contents += bytes[k];
		if (t->end > t->first)
			offset_at[k] = put_traf(out, t, k + 1);
	}
	h264i_i_mp4_end(out, moof);
	h264i_i_mp4_header(out, "mdat", h264i_i_mp4_header_bytes(contents) + contents);
	at = out->bytes - moof;
	/* The offsets have 31 bits. The video, whose samples may be larger, is the last. */
	for (uint32_t k = m->tracks; k-- > 0 && !out->failed;) {
		if (m->track[k].end > m->track[k].first)
			h264i_i_mp4_patch32(out, offset_at[k], (uint32_t)at);
		at += bytes[k];
	}
}
