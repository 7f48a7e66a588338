/* File type, movie and track headers (ISO/IEC 14496-12 clauses 4.3 and 8.2 to 8.7), and the
 * QuickTime forms of a MOV file. */
#include "h264intra/mp4/track.h"

#include <string.h>

enum { SOUND_GROUP = 1 }; /* sounds are alternatives of each other */

static const int32_t identity[9] = { 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000 };

void h264i_i_mp4_ftyp(mp4_buf *out, const mp4_movie *m)
{
	const int mov = mp4_is_mov(m);
	const size_t box = h264i_i_mp4_begin(out, "ftyp");

	h264i_i_mp4_type(out, mov ? "qt  " : "isom");
	h264i_i_mp4_u32(out, 0x200);
	/* iso5: offsets in a fragment are relative to its moof. */
	h264i_i_mp4_put(out, mov ? "qt  " : "isomiso5avc1mp41", mov ? 4 : 16);
	h264i_i_mp4_end(out, box);
}

static void put_number(mp4_buf *out, int wide, uint64_t v)
{
	if (wide)
		h264i_i_mp4_u64(out, v);
	else
		h264i_i_mp4_u32(out, (uint32_t)v);
}

static void put_matrix(mp4_buf *out, const int32_t matrix[9])
{
	for (int i = 0; i < 9; i++)
		h264i_i_mp4_u32(out, (uint32_t)matrix[i]);
}

/* The part of mvhd and mdhd between version and language: times of creation and modification (0),
 * timescale, duration. */
static void put_times(mp4_buf *out, uint32_t timescale, int wide, uint64_t duration)
{
	put_number(out, wide, 0);
	put_number(out, wide, 0);
	h264i_i_mp4_u32(out, timescale);
	put_number(out, wide, duration);
}

static void put_mvhd(mp4_buf *out, const mp4_movie *m, uint64_t duration)
{
	const int wide = duration > UINT32_MAX;
	const size_t box = h264i_i_mp4_begin_full(out, "mvhd", (uint32_t)wide, 0);

	put_times(out, m->timescale, wide, duration);
	h264i_i_mp4_u32(out, 0x10000); /* rate */
	h264i_i_mp4_u16(out, 0x100);   /* volume */
	h264i_i_mp4_zeros(out, 10);
	put_matrix(out, identity);
	h264i_i_mp4_zeros(out, 24);
	h264i_i_mp4_u32(out, m->tracks + 1); /* next track */
	h264i_i_mp4_end(out, box);
}

/* Width of the picture with square pixels, 16.16. */
static uint32_t display_width(const h264i_mp4_options *o)
{
	const h264i_vui *v = &o->vui;
	const double width =
		(double)o->width * (v->sar_num ? (double)v->sar_num / v->sar_den : 1.0);

	return width < 65535 ? (uint32_t)(width * 65536 + 0.5) : 65535u << 16;
}

static void put_tkhd(mp4_buf *out, const mp4_movie *m, uint32_t k, uint64_t duration)
{
	const int wide = duration > UINT32_MAX;
	/* Flags: enabled, in the movie. Of the sounds only the first one plays. */
	const size_t box = h264i_i_mp4_begin_full(out, "tkhd", (uint32_t)wide, k > 1 ? 2 : 3);

	put_number(out, wide, 0);
	put_number(out, wide, 0);
	h264i_i_mp4_u32(out, k + 1);
	h264i_i_mp4_u32(out, 0);
	put_number(out, wide, duration);
	h264i_i_mp4_zeros(out, 10);
	h264i_i_mp4_u16(out, k ? SOUND_GROUP : 0);
	h264i_i_mp4_u16(out, k ? 0x100 : 0); /* volume */
	h264i_i_mp4_zeros(out, 2);
	put_matrix(out, k == 0 && m->o.has_display_matrix ? m->o.display_matrix : identity);
	h264i_i_mp4_u32(out, k ? 0 : display_width(&m->o));
	h264i_i_mp4_u32(out, k ? 0 : m->o.height << 16);
	h264i_i_mp4_end(out, box);
}

static void put_edit(mp4_buf *out, int wide, uint64_t duration, int64_t media_time)
{
	put_number(out, wide, duration);
	put_number(out, wide, (uint64_t)media_time);
	h264i_i_mp4_u32(out, 0x10000); /* rate */
}

/* Converts a time of track k into ticks of the movie. */
static uint64_t in_movie(const mp4_movie *m, uint32_t k, uint64_t ticks, int up)
{
	mp4_ticks unit;

	h264i_i_mp4_ticks_init(&unit, 1, m->track[k].ticks.timescale, m->timescale);
	return (uint64_t)h264i_i_mp4_convert(&unit, (int64_t)ticks) + (up && unit.div > 1);
}

/* Duration of what is presented of track k, in ticks of the movie. */
static uint64_t presented(const mp4_movie *m, uint32_t k)
{
	const uint64_t media = h264i_i_mp4_duration(&m->track[k].samples);
	const uint64_t priming = m->track[k].o.priming;

	/* An edit that ends a tick too late omits no sample. */
	return media > priming ? in_movie(m, k, media - priming, 1) : 0;
}

/* Time of the first presented sample of track k, in ticks of the movie. */
static uint64_t start_of(const mp4_movie *m, uint32_t k)
{
	return in_movie(m, k, (uint64_t)m->track[k].start, 0);
}

/* Edit list (clause 8.6.6): a track that starts later than 0 begins with an empty edit, because the
 * first sample has time 0 of the media, and the presentation of a sound begins after its priming
 * samples. Fragments have their times instead of the empty edit; their edit has no duration. */
static void put_edts(mp4_buf *out, const mp4_movie *m, uint32_t k, int fragments)
{
	const uint64_t start = fragments ? 0 : start_of(m, k);
	const uint64_t duration = fragments ? 0 : presented(m, k);
	const uint32_t priming = m->track[k].o.priming;
	const int wide = start > UINT32_MAX || duration > UINT32_MAX || priming > INT32_MAX;
	size_t edts, elst;

	if (!start && !priming)
		return;
	edts = h264i_i_mp4_begin(out, "edts");
	elst = h264i_i_mp4_begin_full(out, "elst", (uint32_t)wide, 0);
	h264i_i_mp4_u32(out, start ? 2 : 1);
	if (start)
		put_edit(out, wide, start, -1);
	put_edit(out, wide, duration, priming);
	h264i_i_mp4_end(out, elst);
	h264i_i_mp4_end(out, edts);
}

/* Language: three letters of 5 bits; in MOV 32767 is "unspecified". */
static uint32_t packed_language(const mp4_movie *m, uint32_t k)
{
	const char *l = m->track[k].o.language;

	if (!l[0] || strcmp(l, "und") == 0)
		return mp4_is_mov(m) ? 0x7fff : 0x55c4;
	return (uint32_t)((l[0] - 0x60) << 10 | (l[1] - 0x60) << 5 | (l[2] - 0x60));
}

static void put_mdhd(mp4_buf *out, const mp4_movie *m, uint32_t k, uint64_t duration)
{
	const int wide = duration > UINT32_MAX;
	const size_t box = h264i_i_mp4_begin_full(out, "mdhd", (uint32_t)wide, 0);

	put_times(out, m->track[k].ticks.timescale, wide, duration);
	h264i_i_mp4_u16(out, packed_language(m, k));
	h264i_i_mp4_u16(out, 0);
	h264i_i_mp4_end(out, box);
}

/* Handler (clause 8.4.3). QuickTime has a component type in front and a name with its length. */
static void put_hdlr(
	mp4_buf *out, int mov, const char *component, const char *type, const char *name)
{
	const size_t box = h264i_i_mp4_begin_full(out, "hdlr", 0, 0);

	h264i_i_mp4_put(out, mov ? component : "\0\0\0", 4);
	h264i_i_mp4_type(out, type);
	h264i_i_mp4_zeros(out, 12);
	if (mov)
		h264i_i_mp4_u8(out, (uint32_t)strlen(name));
	h264i_i_mp4_put(out, name, strlen(name) + !mov);
	h264i_i_mp4_end(out, box);
}

static void put_minf(mp4_buf *out, const mp4_movie *m, uint32_t k, int fragments)
{
	const size_t minf = h264i_i_mp4_begin(out, "minf");
	size_t box = h264i_i_mp4_begin_full(out, k ? "smhd" : "vmhd", 0, k ? 0 : 1), dref, url;

	h264i_i_mp4_zeros(out, k ? 4 : 8);
	h264i_i_mp4_end(out, box);
	if (mp4_is_mov(m))
		put_hdlr(out, 1, "dhlr", "url ", "DataHandler");
	box = h264i_i_mp4_begin(out, "dinf");
	dref = h264i_i_mp4_begin_full(out, "dref", 0, 0);
	h264i_i_mp4_u32(out, 1);
	url = h264i_i_mp4_begin_full(out, "url ", 0, 1); /* the data is in this file */
	h264i_i_mp4_end(out, url);
	h264i_i_mp4_end(out, dref);
	h264i_i_mp4_end(out, box);
	h264i_i_mp4_stbl(out, m, k, fragments);
	h264i_i_mp4_end(out, minf);
}

/* Defaults of the fragments (clause 8.8.3): sync samples that depend on no other. */
static void put_mvex(mp4_buf *out, const mp4_movie *m)
{
	const size_t mvex = h264i_i_mp4_begin(out, "mvex");

	for (uint32_t k = 0; k < m->tracks; k++) {
		const size_t trex = h264i_i_mp4_begin_full(out, "trex", 0, 0);

		h264i_i_mp4_u32(out, k + 1);
		h264i_i_mp4_u32(out, 1); /* sample description */
		h264i_i_mp4_u32(out, 0);
		h264i_i_mp4_u32(out, 0);
		h264i_i_mp4_u32(out, 2u << 24);
		h264i_i_mp4_end(out, trex);
	}
	h264i_i_mp4_end(out, mvex);
}

static void put_trak(mp4_buf *out, const mp4_movie *m, uint32_t k, int fragments)
{
	const uint64_t media = fragments ? 0 : h264i_i_mp4_duration(&m->track[k].samples);
	const size_t trak = h264i_i_mp4_begin(out, "trak");
	size_t mdia;

	put_tkhd(out, m, k, fragments ? 0 : presented(m, k) + start_of(m, k));
	put_edts(out, m, k, fragments);
	mdia = h264i_i_mp4_begin(out, "mdia");
	put_mdhd(out, m, k, media);
	if (k)
		put_hdlr(out, mp4_is_mov(m), "mhlr", "soun", "SoundHandler");
	else
		put_hdlr(out, mp4_is_mov(m), "mhlr", "vide", "VideoHandler");
	put_minf(out, m, k, fragments);
	h264i_i_mp4_end(out, mdia);
	h264i_i_mp4_end(out, trak);
}

static void put_moov(mp4_buf *out, const mp4_movie *m, int fragments, int meta)
{
	const size_t moov = h264i_i_mp4_begin(out, "moov");
	uint64_t longest = 0;

	for (uint32_t k = 0; k < m->tracks && !fragments; k++) {
		const uint64_t end = presented(m, k) + start_of(m, k);

		longest = end > longest ? end : longest;
	}
	put_mvhd(out, m, longest);
	for (uint32_t k = 0; k < m->tracks; k++)
		put_trak(out, m, k, fragments);
	if (fragments)
		put_mvex(out, m);
	if (meta)
		h264i_i_mp4_meta(out, m);
	h264i_i_mp4_end(out, moov);
}

void h264i_i_mp4_moov_of_fragments(mp4_buf *out, const mp4_movie *m, int meta)
{
	put_moov(out, m, 1, meta);
}

void h264i_i_mp4_moov(mp4_buf *out, const mp4_movie *m)
{
	put_moov(out, m, 0, 1);
}
