#include "h264intra/bitstream/level.h"

#include <stdio.h>

/* Table A-1; the slice rate is of table A-4 for the Main profile, which constraint_set1_flag
 * promises to obey as well, 0 where there is none.
 *
 * Not in the table, because it never decides: MinCR. It allows 3,072 / MinCR bits for each
 * macroblock of MaxMBPS, and MaxBR is below that at all levels. A single picture may take more,
 * which MaxCPB limits here. */
typedef struct {
	uint8_t idc; /* 9 is 1b */
	const char *name;
	uint32_t mbs_a_second;   /* MaxMBPS */
	uint32_t mbs;            /* MaxFS */
	uint32_t kbits_a_second; /* MaxBR, VCL */
	uint32_t cpb_kbits;      /* MaxCPB, VCL */
	uint32_t slice_rate;
} level_limits;

static const level_limits table[] = {
	{ 10, "1", 1485, 99, 64, 175, 0 },
	{ 9, "1b", 1485, 99, 128, 350, 0 },
	{ 11, "1.1", 3000, 396, 192, 500, 0 },
	{ 12, "1.2", 6000, 396, 384, 1000, 0 },
	{ 13, "1.3", 11880, 396, 768, 2000, 0 },
	{ 20, "2", 11880, 396, 2000, 2000, 0 },
	{ 21, "2.1", 19800, 792, 4000, 4000, 0 },
	{ 22, "2.2", 20250, 1620, 4000, 4000, 0 },
	{ 30, "3", 40500, 1620, 10000, 10000, 22 },
	{ 31, "3.1", 108000, 3600, 14000, 14000, 60 },
	{ 32, "3.2", 216000, 5120, 20000, 20000, 60 },
	{ 40, "4", 245760, 8192, 20000, 25000, 60 },
	{ 41, "4.1", 245760, 8192, 50000, 62500, 24 },
	{ 42, "4.2", 522240, 8704, 50000, 62500, 24 },
	{ 50, "5", 589824, 22080, 135000, 135000, 24 },
	{ 51, "5.1", 983040, 36864, 240000, 240000, 24 },
	{ 52, "5.2", 2073600, 36864, 240000, 240000, 24 },
	{ 60, "6", 4177920, 139264, 240000, 240000, 24 },
	{ 61, "6.1", 8355840, 139264, 480000, 480000, 24 },
	{ 62, "6.2", 16711680, 139264, 800000, 800000, 24 },
};

enum { LEVELS = sizeof(table) / sizeof(table[0]), MB_BITS_MAX = 3200 };

uint32_t h264i_level_mb_bits(int qp)
{
	/* 940 * 2^(-k / 6) */
	static const uint32_t bits[6] = { 940, 837, 746, 665, 592, 528 };
	int above = qp + 2, step = above % 6, octave = above / 6 - 4; /* of QP 22 */
	uint32_t b = octave < 0 ? bits[step] << -octave : bits[step] >> octave;

	return b < MB_BITS_MAX ? b : MB_BITS_MAX;
}

/* The longest side in macroblocks: floor(sqrt(8 * MaxFS)), clauses A.3.1 f and g. */
static uint32_t side_max(const level_limits *l)
{
	uint32_t s = 0;

	while ((s + 1) * (s + 1) <= 8 * l->mbs)
		s++;
	return s;
}

static int size_fits(const level_limits *l, const h264i_geom *g)
{
	uint32_t side = side_max(l);

	return g->mb_width <= side && g->mb_height <= side &&
	       (uint64_t)g->mb_width * g->mb_height <= l->mbs;
}

/* What the stream is reckoned to take, with the frame rate as a fraction. */
typedef struct {
	uint64_t mbs, picture_bits;
	uint32_t slices, fps_num, fps_den; /* 0 / 1 when unknown */
} demand;

/* NULL, or the limit that the demand is beyond. Clauses A.3.1 a (MaxMBPS), A.3.1 i and j (MaxBR,
 * MaxCPB), A.3.3 (SliceRate: MaxMBPS / SliceRate slices a second). */
static const char *rate_beyond(const level_limits *l, const demand *d)
{
	/* All below 2^64: 2^18 macroblocks of 2^12 bits, a 32-bit rate; the limits likewise. */
	if (d->mbs * d->fps_num > (uint64_t)l->mbs_a_second * d->fps_den)
		return "macroblock rate";
	if ((uint64_t)d->slices * d->fps_num * l->slice_rate >
		(uint64_t)l->mbs_a_second * d->fps_den)
		return "slice rate";
	if (d->picture_bits * d->fps_num > l->kbits_a_second * UINT64_C(1000) * d->fps_den)
		return "bit rate";
	if (d->picture_bits > l->cpb_kbits * UINT64_C(1000))
		return "picture size in bits";
	return NULL;
}

static void say_too_large(const level_limits *l, const h264i_geom *g, const char *smallest,
	char *why, size_t why_bytes)
{
	uint32_t side = side_max(l);
	int n;

	if (g->mb_width > side || g->mb_height > side)
		n = snprintf(why, why_bytes, "%ux%u macroblocks: level %s allows %u on a side",
			g->mb_width, g->mb_height, l->name, side);
	else
		n = snprintf(why, why_bytes, "%ux%u macroblocks: level %s allows %u in a picture",
			g->mb_width, g->mb_height, l->name, l->mbs);
	if (n > 0 && (size_t)n < why_bytes) {
		if (smallest)
			snprintf(why + n, why_bytes - (size_t)n, "; level %s fits", smallest);
		else
			snprintf(why + n, why_bytes - (size_t)n, ", and no level allows more");
	}
}

static void say_rate(
	const level_limits *l, const demand *d, const char *limit, char *why, size_t why_bytes)
{
	double fps = (double)d->fps_num / d->fps_den;

	if (d->fps_num == 0)
		snprintf(why, why_bytes,
			"pictures of about %.1f Mbit at this QP may exceed level %s (%s)",
			(double)d->picture_bits / 1e6, l->name, limit);
	else
		snprintf(why, why_bytes,
			"%llu macroblocks at %.5g frames/s, about %.4g Mbit/s at this QP, may "
			"exceed "
			"level %s (%s)",
			(unsigned long long)d->mbs, fps, (double)d->picture_bits * fps / 1e6,
			l->name, limit);
}

h264i_status h264i_choose_level(const h264i_geom *g, uint32_t fps_num, uint32_t fps_den, int qp,
	int level, int *out, char *why, size_t why_bytes)
{
	const level_limits *asked = NULL, *size = NULL, *all = NULL, *chosen;
	const char *limit;
	demand d;
	int i;

	d.mbs = (uint64_t)g->mb_width * g->mb_height;
	d.picture_bits = d.mbs * h264i_level_mb_bits(qp);
	d.slices = g->slices;
	d.fps_num = fps_den ? fps_num : 0;
	d.fps_den = fps_den && fps_num ? fps_den : 1;

	*out = 0;
	why[0] = '\0';
	for (i = 0; i < LEVELS; i++) {
		if (table[i].idc == level)
			asked = &table[i];
		if (!size_fits(&table[i], g))
			continue;
		if (!size)
			size = &table[i];
		if (!all && !rate_beyond(&table[i], &d))
			all = &table[i];
	}
	if (level && !asked) {
		snprintf(why, why_bytes,
			"there is no level_idc %d: 10 to 13, 20 to 22, 30 to 32, ..., 60 to 62, or "
			"9 for "
			"level 1b",
			level);
		return H264I_ERR_ARG;
	}
	if (!size || (asked && !size_fits(asked, g))) {
		say_too_large(size && asked ? asked : &table[LEVELS - 1], g,
			size ? size->name : NULL, why, why_bytes);
		return H264I_ERR_LIMIT;
	}
	chosen = asked ? asked : all ? all : &table[LEVELS - 1];
	*out = chosen->idc;
	limit = rate_beyond(chosen, &d);
	if (limit)
		say_rate(chosen, &d, limit, why, why_bytes);
	return H264I_OK;
}
