/* File type, movie and track headers (ISO/IEC 14496-12 clauses 4.3 and 8.2 to 8.7), and the
 * QuickTime forms of a MOV file. */
#include "h264intra/mp4/track.h"

#include <string.h>

enum { TRACK_ID = 1 };

static const int32_t identity[9] = { 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000 };

static int is_mov(const mp4_track *t)
{
	return t->o.brand == H264I_MP4_BRAND_MOV;
}

void h264i_i_mp4_ftyp(mp4_buf *out, const mp4_track *t)
{
	const size_t box = h264i_i_mp4_begin(out, "ftyp");

	h264i_i_mp4_type(out, is_mov(t) ? "qt  " : "isom");
	h264i_i_mp4_u32(out, 0x200);
	/* iso5: offsets in a fragment are relative to its moof. */
	h264i_i_mp4_put(out, is_mov(t) ? "qt  " : "isomiso5avc1mp41", is_mov(t) ? 4 : 16);
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
static void put_times(mp4_buf *out, const mp4_track *t, int wide, uint64_t duration)
{
	put_number(out, wide, 0);
	put_number(out, wide, 0);
	h264i_i_mp4_u32(out, t->ticks.timescale);
	put_number(out, wide, duration);
}

static void put_mvhd(mp4_buf *out, const mp4_track *t, uint64_t duration)
{
	const int wide = duration > UINT32_MAX;
	const size_t box = h264i_i_mp4_begin_full(out, "mvhd", (uint32_t)wide, 0);

	put_times(out, t, wide, duration);
	h264i_i_mp4_u32(out, 0x10000); /* rate */
	h264i_i_mp4_u16(out, 0x100);   /* volume */
	h264i_i_mp4_zeros(out, 10);
	put_matrix(out, identity);
	h264i_i_mp4_zeros(out, 24);
	h264i_i_mp4_u32(out, TRACK_ID + 1);
	h264i_i_mp4_end(out, box);
}

/* Width of the picture with square pixels, 16.16. */
static uint32_t display_width(const mp4_track *t)
{
	const h264i_vui *v = &t->o.vui;
	const double width =
		(double)t->o.width * (v->sar_num ? (double)v->sar_num / v->sar_den : 1.0);

	return width < 65535 ? (uint32_t)(width * 65536 + 0.5) : 65535u << 16;
}

static void put_tkhd(mp4_buf *out, const mp4_track *t, uint64_t duration)
{
	const int wide = duration > UINT32_MAX;
	/* Flags: enabled, in the movie. */
	const size_t box = h264i_i_mp4_begin_full(out, "tkhd", (uint32_t)wide, 3);

	put_number(out, wide, 0);
	put_number(out, wide, 0);
	h264i_i_mp4_u32(out, TRACK_ID);
	h264i_i_mp4_u32(out, 0);
	put_number(out, wide, duration);
	h264i_i_mp4_zeros(out, 16);
	put_matrix(out, t->o.has_display_matrix ? t->o.display_matrix : identity);
	h264i_i_mp4_u32(out, display_width(t));
	h264i_i_mp4_u32(out, t->o.height << 16);
	h264i_i_mp4_end(out, box);
}

static void put_edit(mp4_buf *out, int wide, uint64_t duration, int64_t media_time)
{
	put_number(out, wide, duration);
	put_number(out, wide, (uint64_t)media_time);
	h264i_i_mp4_u32(out, 0x10000); /* rate */
}

/* Edit list (clause 8.6.6): the track begins with an empty edit, because the first sample has time
 * 0 of the media. Fragments have their times instead. */
static void put_edts(mp4_buf *out, const mp4_track *t)
{
	const uint64_t duration = h264i_i_mp4_duration(&t->samples);
	const int wide = t->start > UINT32_MAX || duration > UINT32_MAX;
	const size_t edts = h264i_i_mp4_begin(out, "edts");
	const size_t elst = h264i_i_mp4_begin_full(out, "elst", (uint32_t)wide, 0);

	h264i_i_mp4_u32(out, 2);
	put_edit(out, wide, (uint64_t)t->start, -1);
	put_edit(out, wide, duration, 0);
	h264i_i_mp4_end(out, elst);
	h264i_i_mp4_end(out, edts);
}

static void put_mdhd(mp4_buf *out, const mp4_track *t, uint64_t duration)
{
	const int wide = duration > UINT32_MAX;
	const size_t box = h264i_i_mp4_begin_full(out, "mdhd", (uint32_t)wide, 0);

	put_times(out, t, wide, duration);
	/* Language: "und" in packed letters; in MOV 32767, unspecified. */
	h264i_i_mp4_u16(out, is_mov(t) ? 0x7fff : 0x55c4);
	h264i_i_mp4_u16(out, 0);
	h264i_i_mp4_end(out, box);
}

/* Handler (clause 8.4.3). QuickTime has a component type in front and a name with its length. */
static void put_hdlr(
	mp4_buf *out, const mp4_track *t, const char *component, const char *type, const char *name)
{
	const size_t box = h264i_i_mp4_begin_full(out, "hdlr", 0, 0);

	h264i_i_mp4_put(out, is_mov(t) ? component : "\0\0\0", 4);
	h264i_i_mp4_type(out, type);
	h264i_i_mp4_zeros(out, 12);
	if (is_mov(t))
		h264i_i_mp4_u8(out, (uint32_t)strlen(name));
	h264i_i_mp4_put(out, name, strlen(name) + !is_mov(t));
	h264i_i_mp4_end(out, box);
}

static void put_minf(mp4_buf *out, const mp4_track *t, int fragments)
{
	const size_t minf = h264i_i_mp4_begin(out, "minf");
	size_t box = h264i_i_mp4_begin_full(out, "vmhd", 0, 1), dref, url;

	h264i_i_mp4_zeros(out, 8);
	h264i_i_mp4_end(out, box);
	if (is_mov(t))
		put_hdlr(out, t, "dhlr", "url ", "DataHandler");
	box = h264i_i_mp4_begin(out, "dinf");
	dref = h264i_i_mp4_begin_full(out, "dref", 0, 0);
	h264i_i_mp4_u32(out, 1);
	url = h264i_i_mp4_begin_full(out, "url ", 0, 1); /* the data is in this file */
	h264i_i_mp4_end(out, url);
	h264i_i_mp4_end(out, dref);
	h264i_i_mp4_end(out, box);
	h264i_i_mp4_stbl(out, t, fragments);
	h264i_i_mp4_end(out, minf);
}

/* Defaults of the fragments (clause 8.8.3): sync samples that depend on no other. */
static void put_mvex(mp4_buf *out)
{
	const size_t mvex = h264i_i_mp4_begin(out, "mvex");
	const size_t trex = h264i_i_mp4_begin_full(out, "trex", 0, 0);

	h264i_i_mp4_u32(out, TRACK_ID);
	h264i_i_mp4_u32(out, 1); /* sample description */
	h264i_i_mp4_u32(out, 0);
	h264i_i_mp4_u32(out, 0);
	h264i_i_mp4_u32(out, 2u << 24);
	h264i_i_mp4_end(out, trex);
	h264i_i_mp4_end(out, mvex);
}

static void put_moov(mp4_buf *out, const mp4_track *t, int fragments)
{
	const uint64_t media = fragments ? 0 : h264i_i_mp4_duration(&t->samples);
	const uint64_t movie = fragments ? 0 : media + (uint64_t)t->start;
	const size_t moov = h264i_i_mp4_begin(out, "moov");
	size_t trak, mdia;

	put_mvhd(out, t, movie);
	trak = h264i_i_mp4_begin(out, "trak");
	put_tkhd(out, t, movie);
	if (t->start && !fragments)
		put_edts(out, t);
	mdia = h264i_i_mp4_begin(out, "mdia");
	put_mdhd(out, t, media);
	put_hdlr(out, t, "mhlr", "vide", "VideoHandler");
	put_minf(out, t, fragments);
	h264i_i_mp4_end(out, mdia);
	h264i_i_mp4_end(out, trak);
	if (fragments)
		put_mvex(out);
	h264i_i_mp4_end(out, moov);
}

void h264i_i_mp4_moov_of_fragments(mp4_buf *out, const mp4_track *t)
{
	put_moov(out, t, 1);
}

void h264i_i_mp4_moov(mp4_buf *out, const mp4_track *t)
{
	put_moov(out, t, 0);
}
