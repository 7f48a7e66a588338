/* The sample table: sample description and the places, sizes and times of samples (ISO/IEC 14496-12
 * clauses 8.5 to 8.7 and 12.1, 14496-15 clause 5.4.2). */
#include "h264intra/mp4/track.h"

enum { OPUS_ROLL_TICKS = 3840 }; /* 80 ms of 48 kHz: the decoder converges */

uint32_t h264i_i_mp4_count(const mp4_track *t, uint32_t first, uint32_t end)
{
	return t->unit_bytes ? (uint32_t)h264i_i_mp4_sum_ticks(&t->samples, first, end)
			     : end - first;
}

/* Largest number of bits in a second that begins with a sample, counting samples by their start. */
static uint64_t peak_bits(const mp4_track *t)
{
	const mp4_samples *s = &t->samples;
	uint64_t bytes = 0, ticks = 0, most = 0;
	uint32_t end = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		for (; end < s->count && (ticks < t->ticks.timescale || end == i); end++) {
			bytes += s->sample[end].bytes;
			ticks += s->sample[end].ticks;
		}
		if (bytes > most)
			most = bytes;
		bytes -= s->sample[i].bytes;
		ticks -= s->sample[i].ticks;
	}
	return most * 8;
}

static uint32_t limited(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

/* Bit rates (clause 8.5.2.2, BitRateBox). */
static void put_btrt(mp4_buf *out, const mp4_track *t)
{
	const mp4_samples *s = &t->samples;
	const uint64_t bytes = h264i_i_mp4_sum_bytes(s, 0, s->count);
	const double seconds = (double)h264i_i_mp4_duration(s) / t->ticks.timescale;
	const double rate = (double)bytes * 8 / seconds;
	const size_t box = h264i_i_mp4_begin(out, "btrt");
	uint32_t largest = 0;

	for (uint32_t i = 0; i < s->count; i++)
		if (s->sample[i].bytes > largest)
			largest = s->sample[i].bytes;
	h264i_i_mp4_u32(out, largest);
	h264i_i_mp4_u32(out, limited(peak_bits(t)));
	h264i_i_mp4_u32(out, rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX);
	h264i_i_mp4_end(out, box);
}

/* Colour (clause 12.1.5): nclx in MP4, nclc of QuickTime, which has no range, in MOV. */
static void put_colr(mp4_buf *out, const mp4_movie *m)
{
	const h264i_vui *v = &m->o.vui;
	const int mov = mp4_is_mov(m);
	size_t box;

	if (v->primaries == 2 && v->transfer == 2 && v->matrix == 2 && (mov || v->full_range < 1))
		return;
	box = h264i_i_mp4_begin(out, "colr");
	h264i_i_mp4_type(out, mov ? "nclc" : "nclx");
	h264i_i_mp4_u16(out, (uint32_t)v->primaries);
	h264i_i_mp4_u16(out, (uint32_t)v->transfer);
	h264i_i_mp4_u16(out, (uint32_t)v->matrix);
	if (!mov)
		h264i_i_mp4_u8(out, v->full_range > 0 ? 0x80 : 0);
	h264i_i_mp4_end(out, box);
}

/* VisualSampleEntry "avc1" (clause 12.1.3). */
static void put_avc1(mp4_buf *out, const mp4_movie *m, int fragments)
{
	const mp4_track *t = &m->track[0];
	const size_t entry = h264i_i_mp4_begin(out, "avc1");
	size_t box;

	h264i_i_mp4_zeros(out, 6);
	h264i_i_mp4_u16(out, 1); /* data reference */
	h264i_i_mp4_zeros(out, 16);
	h264i_i_mp4_u16(out, m->o.width);
	h264i_i_mp4_u16(out, m->o.height);
	h264i_i_mp4_u32(out, 72u << 16); /* pixels an inch */
	h264i_i_mp4_u32(out, 72u << 16);
	h264i_i_mp4_u32(out, 0);
	h264i_i_mp4_u16(out, 1);    /* pictures a sample */
	h264i_i_mp4_zeros(out, 32); /* compressor name */
	h264i_i_mp4_u16(out, 24);   /* depth */
	h264i_i_mp4_u16(out, 0xffff);
	box = h264i_i_mp4_begin(out, "avcC");
	h264i_i_mp4_put(out, t->config.data, t->config.bytes);
	h264i_i_mp4_end(out, box);
	put_colr(out, m);
	if (m->o.vui.sar_num) {
		box = h264i_i_mp4_begin(out, "pasp");
		h264i_i_mp4_u32(out, m->o.vui.sar_num);
		h264i_i_mp4_u32(out, m->o.vui.sar_den);
		h264i_i_mp4_end(out, box);
	}
	if (!fragments)
		put_btrt(out, t);
	h264i_i_mp4_end(out, entry);
}

static void put_stsd(mp4_buf *out, const mp4_movie *m, uint32_t k, int fragments)
{
	const size_t stsd = h264i_i_mp4_begin_full(out, "stsd", 0, 0);

	h264i_i_mp4_u32(out, 1);
	if (k == 0)
		put_avc1(out, m, fragments);
	else
		h264i_i_mp4_sound_entry(out, m, &m->track[k]);
	h264i_i_mp4_end(out, stsd);
}

/* Durations as pairs of a count and a value (clause 8.6.1.2). */
static void put_stts(mp4_buf *out, const mp4_track *t, uint32_t count)
{
	const size_t box = h264i_i_mp4_begin_full(out, "stts", 0, 0), count_at = out->bytes;
	const mp4_sample *s = t->samples.sample;
	uint32_t runs = 0;

	h264i_i_mp4_u32(out, 0);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && (t->unit_bytes || s[end].ticks == s[i].ticks);)
			end++;
		h264i_i_mp4_u32(out, h264i_i_mp4_count(t, i, end));
		h264i_i_mp4_u32(out, t->unit_bytes ? 1 : s[i].ticks);
		runs++;
	}
	if (!out->failed)
		h264i_i_mp4_patch32(out, count_at, runs);
	h264i_i_mp4_end(out, box);
}

/* Numbers of samples of the chunks, where they change (clause 8.7.4). */
static void put_stsc(mp4_buf *out, const mp4_track *t, uint32_t chunks)
{
	const size_t box = h264i_i_mp4_begin_full(out, "stsc", 0, 0), count_at = out->bytes;
	const mp4_samples *s = &t->samples;
	uint32_t entries = 0, before = 0;

	h264i_i_mp4_u32(out, 0);
	for (uint32_t i = 0; i < chunks; i++) {
		const uint32_t count =
			h264i_i_mp4_count(t, s->chunk[i].first, h264i_i_mp4_chunk_end(s, i));

		if (count == before)
			continue;
		h264i_i_mp4_u32(out, i + 1);
		h264i_i_mp4_u32(out, count);
		h264i_i_mp4_u32(out, 1); /* sample description */
		before = count;
		entries++;
	}
	if (!out->failed)
		h264i_i_mp4_patch32(out, count_at, entries);
	h264i_i_mp4_end(out, box);
}

/* Sizes (clause 8.7.3.2), as one number if all are equal. */
static void put_stsz(mp4_buf *out, const mp4_track *t, uint32_t count)
{
	const size_t box = h264i_i_mp4_begin_full(out, "stsz", 0, 0);
	const mp4_sample *s = t->samples.sample;
	uint32_t same = t->unit_bytes ? t->unit_bytes : count ? s[0].bytes : 0;

	for (uint32_t i = 0; i < count && !t->unit_bytes; i++)
		if (s[i].bytes != same)
			same = 0;
	h264i_i_mp4_u32(out, same);
	h264i_i_mp4_u32(out, h264i_i_mp4_count(t, 0, count));
	for (uint32_t i = 0; i < count && !same; i++)
		h264i_i_mp4_u32(out, s[i].bytes);
	h264i_i_mp4_end(out, box);
}

/* Offsets of the chunks (clause 8.7.5). */
static void put_stco(mp4_buf *out, const mp4_samples *s, uint32_t chunks)
{
	uint64_t largest = 0;
	size_t box;

	for (uint32_t i = 0; i < chunks; i++)
		if (s->chunk[i].offset > largest)
			largest = s->chunk[i].offset;
	box = h264i_i_mp4_begin_full(out, largest > UINT32_MAX ? "co64" : "stco", 0, 0);
	h264i_i_mp4_u32(out, chunks);
	for (uint32_t i = 0; i < chunks; i++)
		if (largest > UINT32_MAX)
			h264i_i_mp4_u64(out, s->chunk[i].offset);
		else
			h264i_i_mp4_u32(out, (uint32_t)s->chunk[i].offset);
	h264i_i_mp4_end(out, box);
}

/* Number of samples that are decoded before the one that is presented after a seek (clause 10.1),
 * as AAC and Opus need them. */
static void put_roll(mp4_buf *out, const mp4_track *t, uint32_t count)
{
	const uint32_t ticks = t->samples.sample[0].ticks;
	const uint32_t roll = t->o.codec == H264I_MP4_AAC
				      ? 1
				      : (OPUS_ROLL_TICKS + ticks - 1) / (ticks ? ticks : 1);
	size_t box = h264i_i_mp4_begin_full(out, "sgpd", 1, 0);

	h264i_i_mp4_type(out, "roll");
	h264i_i_mp4_u32(out, 2); /* bytes of an entry */
	h264i_i_mp4_u32(out, 1);
	h264i_i_mp4_u16(out, 0u - roll);
	h264i_i_mp4_end(out, box);
	box = h264i_i_mp4_begin_full(out, "sbgp", 0, 0);
	h264i_i_mp4_type(out, "roll");
	h264i_i_mp4_u32(out, 1);
	h264i_i_mp4_u32(out, count);
	h264i_i_mp4_u32(out, 1);
	h264i_i_mp4_end(out, box);
}

void h264i_i_mp4_stbl(mp4_buf *out, const mp4_movie *m, uint32_t k, int fragments)
{
	const mp4_track *t = &m->track[k];
	const mp4_samples *s = &t->samples;
	const uint32_t count = fragments ? 0 : s->count, chunks = fragments ? 0 : s->chunk_count;
	const size_t box = h264i_i_mp4_begin(out, "stbl");

	put_stsd(out, m, k, fragments);
	put_stts(out, t, count);
	put_stsc(out, t, chunks);
	put_stsz(out, t, count);
	put_stco(out, s, chunks);
	if (k && count && (t->o.codec == H264I_MP4_AAC || t->o.codec == H264I_MP4_OPUS))
		put_roll(out, t, count);
	h264i_i_mp4_end(out, box);
}
