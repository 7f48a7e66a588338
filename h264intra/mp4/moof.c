/* A movie fragment (ISO/IEC 14496-12 clause 8.8). */
#include "h264intra/mp4/track.h"

enum {
	TFHD_DURATION = 0x8,
	TFHD_BASE_IS_MOOF = 0x20000,
	TRUN_OFFSET = 0x1,
	TRUN_DURATION = 0x100,
	TRUN_SIZE = 0x200
};

/* Returns the duration that all samples from `first` have, or 0. */
static uint32_t same_ticks(const mp4_samples *s, uint32_t first)
{
	for (uint32_t i = first + 1; i < s->count; i++)
		if (s->sample[i].ticks != s->sample[first].ticks)
			return 0;
	return s->sample[first].ticks;
}

/* Returns the position of the offset of the samples, which follows from the size of the moof. */
static size_t put_traf(mp4_buf *out, const mp4_samples *s, uint32_t first, uint64_t time)
{
	const uint32_t ticks = same_ticks(s, first);
	const size_t traf = h264i_i_mp4_begin(out, "traf");
	size_t offset_at, box;

	box = h264i_i_mp4_begin_full(
		out, "tfhd", 0, TFHD_BASE_IS_MOOF | (ticks ? TFHD_DURATION : 0));
	h264i_i_mp4_u32(out, 1); /* track */
	if (ticks)
		h264i_i_mp4_u32(out, ticks);
	h264i_i_mp4_end(out, box);
	box = h264i_i_mp4_begin_full(out, "tfdt", 1, 0);
	h264i_i_mp4_u64(out, time);
	h264i_i_mp4_end(out, box);
	box = h264i_i_mp4_begin_full(
		out, "trun", 0, TRUN_OFFSET | TRUN_SIZE | (ticks ? 0 : TRUN_DURATION));
	h264i_i_mp4_u32(out, s->count - first);
	offset_at = out->bytes;
	h264i_i_mp4_u32(out, 0);
	for (uint32_t i = first; i < s->count; i++) {
		if (!ticks)
			h264i_i_mp4_u32(out, s->sample[i].ticks);
		h264i_i_mp4_u32(out, s->sample[i].bytes);
	}
	h264i_i_mp4_end(out, box);
	h264i_i_mp4_end(out, traf);
	return offset_at;
}

void h264i_i_mp4_moof(
	mp4_buf *out, const mp4_track *t, uint32_t sequence, uint32_t first, uint64_t time)
{
	const uint64_t contents = h264i_i_mp4_sum_bytes(&t->samples, first, t->samples.count);
	const size_t moof = h264i_i_mp4_begin(out, "moof");
	const size_t mfhd = h264i_i_mp4_begin_full(out, "mfhd", 0, 0);
	const unsigned header_bytes = h264i_i_mp4_header_bytes(contents);
	size_t offset_at;

	h264i_i_mp4_u32(out, sequence);
	h264i_i_mp4_end(out, mfhd);
	offset_at = put_traf(out, &t->samples, first, time);
	h264i_i_mp4_end(out, moof);
	h264i_i_mp4_header(out, "mdat", header_bytes + contents);
	if (!out->failed)
		h264i_i_mp4_patch32(out, offset_at, (uint32_t)(out->bytes - moof));
}
