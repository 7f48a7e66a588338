#include "h264intra/bitstream/level.h"

#include <stdio.h>
#include <string.h>

/* Table A-1; the slice rate is that of table A-4 for the Main profile, which holds for High too,
 * and for Baseline because constraint_set1_flag is 1; 0: no limit.
 *
 * MinCR is not in the table: it allows 3,072 / MinCR bits per macroblock of MaxMBPS, and MaxBR is
 * below that at all levels. A single picture is limited by MaxCPB. */
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

enum { LEVELS = H264I_LEVELS, BITS_ALONE_IDC = 52 };

_Static_assert(sizeof(table) / sizeof(table[0]) == LEVELS, "level_meter has a buffer for each");

uint32_t h264i_i_level_mb_bits(int qp)
{
	/* 360 * 2^(-k / 8) */
	static const uint32_t bits[8] = { 360, 330, 303, 278, 255, 233, 214, 196 };
	int above = qp + 2, step = above % 8, octave = above / 8 - 3; /* of QP 22 */

	return octave < 0 ? bits[step] << -octave : bits[step] >> octave;
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

/* Requirements of the stream on a decoder, with the frame rate as a fraction. picture_bits is an
 * estimate, the other values are exact. */
typedef struct {
	uint64_t mbs, picture_bits;
	uint32_t slices, fps_num, fps_den; /* 0 / 1 when unknown */
	uint32_t kbit;                     /* bits of a unit of MaxBR and MaxCPB */
} demand;

/* cpbBrVclFactor, table A-2. */
static uint32_t kbit_of(int profile)
{
	return profile == 100 ? 1250 : 1000;
}

/* NULL, or the limit that is exceeded: A.3.1 a (MaxMBPS), A.3.3 (MaxMBPS / SliceRate slices a
 * second). All products are below 2^64: 2^18 macroblocks and a 32-bit rate. */
static const char *macroblocks_beyond(const level_limits *l, const demand *d)
{
	if (d->mbs * d->fps_num > (uint64_t)l->mbs_a_second * d->fps_den)
		return "macroblock rate";
	if ((uint64_t)d->slices * d->fps_num * l->slice_rate >
		(uint64_t)l->mbs_a_second * d->fps_den)
		return "slice rate";
	return NULL;
}

/* The same for A.3.1 i and j (MaxBR, MaxCPB); a picture has fewer than 2^30 bits. */
static const char *bits_beyond(const level_limits *l, const demand *d)
{
	if (d->picture_bits * d->fps_num > l->kbits_a_second * (uint64_t)d->kbit * d->fps_den)
		return "bit rate";
	if (d->picture_bits > l->cpb_kbits * (uint64_t)d->kbit)
		return "picture size in bits";
	return NULL;
}

static void describe_size(const level_limits *l, const h264i_geom *g, const char *smallest,
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

static void describe_rate(
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
			"exceed level %s (%s)",
			(unsigned long long)d->mbs, fps, (double)d->picture_bits * fps / 1e6,
			l->name, limit);
}

static demand demand_of(
	const h264i_geom *g, uint32_t fps_num, uint32_t fps_den, int qp, int profile)
{
	demand d;

	d.mbs = (uint64_t)g->mb_width * g->mb_height;
	d.picture_bits = d.mbs * h264i_i_level_mb_bits(qp);
	d.slices = g->slices;
	d.kbit = kbit_of(profile);
	d.fps_num = fps_den ? fps_num : 0;
	d.fps_den = fps_den && fps_num ? fps_den : 1;
	return d;
}

/* The lowest level that allows the picture size and, if `d` is not NULL, its macroblock and slice
 * rate; NULL if there is none. */
static const level_limits *lowest(const h264i_geom *g, const demand *d)
{
	for (int i = 0; i < LEVELS; i++)
		if (size_fits(&table[i], g) && (!d || !macroblocks_beyond(&table[i], d)))
			return &table[i];
	return NULL;
}

/* Returns `l`, or a higher level, 5.2 at most, that allows the estimated bits. */
static const level_limits *raise_for_bits(const level_limits *l, const demand *d)
{
	while (l->idc < BITS_ALONE_IDC && bits_beyond(l, d))
		l++;
	return l;
}

static const level_limits *find_level(int idc)
{
	for (int i = 0; i < LEVELS; i++)
		if (table[i].idc == idc)
			return &table[i];
	return NULL;
}

h264i_status h264i_i_choose_level(const h264i_geom *g, uint32_t fps_num, uint32_t fps_den, int qp,
	int profile, int level, int *out, char *why, size_t why_bytes)
{
	const level_limits *requested = find_level(level), *size = lowest(g, NULL), *chosen;
	const char *limit;
	demand d;

	*out = 0;
	why[0] = '\0';
	if (level && !requested) {
		snprintf(why, why_bytes,
			"level_idc %d is not 10 to 13, 20 to 22, 30 to 32, ..., 60 to 62, or 9 for "
			"level 1b",
			level);
		return H264I_ERR_ARG;
	}
	if (!size || (requested && !size_fits(requested, g))) {
		describe_size(size && requested ? requested : &table[LEVELS - 1], g,
			size ? size->name : NULL, why, why_bytes);
		return H264I_ERR_LIMIT;
	}
	d = demand_of(g, fps_num, fps_den, qp, profile);
	chosen = requested;
	if (!chosen) {
		chosen = lowest(g, &d);
		chosen = chosen ? raise_for_bits(chosen, &d) : &table[LEVELS - 1];
	}
	*out = chosen->idc;
	limit = macroblocks_beyond(chosen, &d);
	if (!limit && requested)
		limit = bits_beyond(chosen, &d);
	if (limit)
		describe_rate(chosen, &d, limit, why, why_bytes);
	return H264I_OK;
}

void h264i_i_level_meter_init(h264i_level_meter *m, const h264i_geom *g, int profile, int level,
	uint32_t fps_num, uint32_t fps_den)
{
	const demand d = demand_of(g, fps_num, fps_den, 0, profile);

	memset(m, 0, sizeof(*m));
	m->frame_s = d.fps_num ? (double)d.fps_den / d.fps_num : 0;
	m->scale = d.kbit;
	for (int i = 0; i < LEVELS; i++) {
		if (table[i].idc == level)
			m->chosen = i;
		m->exceeded[i] =
			!size_fits(&table[i], g) || macroblocks_beyond(&table[i], &d) != NULL;
	}
}

/* The buffer of Annex C from the encoder's side: a picture is added at once, and MaxBR drains it.
 * The stream conforms (variable rate, initial delay MaxCPB / MaxBR) if the fill is never above
 * MaxCPB. Without times each picture is limited to MaxCPB. */
void h264i_i_level_meter_add(h264i_level_meter *m, size_t packet_bytes, double seconds)
{
	const double bits = 8.0 * (double)packet_bytes;

	if (bits > m->largest_bits)
		m->largest_bits = bits;
	for (int i = 0; i < LEVELS; i++) {
		const double left = m->fill[i] - table[i].kbits_a_second * m->scale * seconds;

		m->fill[i] = seconds > 0 && left > 0 ? left : 0;
	}
	if (m->fill[m->chosen] <= 0) {
		m->busy_bits = 0;
		seconds = m->frame_s > 0 ? m->frame_s : seconds;
		m->busy_s = 0;
	}
	m->busy_bits += bits;
	m->busy_s += seconds;
	for (int i = 0; i < LEVELS; i++) {
		m->fill[i] += bits;
		if (m->fill[i] > table[i].cpb_kbits * m->scale)
			m->exceeded[i] = 1;
	}
	if (m->fill[m->chosen] > m->peak_fill) {
		m->peak_fill = m->fill[m->chosen];
		m->peak_bits = m->busy_bits;
		m->peak_s = m->busy_s;
	}
}

void h264i_i_level_meter_join(h264i_level_meter *to, const h264i_level_meter *from)
{
	for (int i = 0; i < LEVELS; i++)
		to->exceeded[i] |= from->exceeded[i];
	if (from->largest_bits > to->largest_bits)
		to->largest_bits = from->largest_bits;
	if (from->peak_fill > to->peak_fill) {
		to->peak_fill = from->peak_fill;
		to->peak_bits = from->peak_bits;
		to->peak_s = from->peak_s;
	}
}

void h264i_i_level_meter_read(const h264i_level_meter *m, h264i_stats *out)
{
	const level_limits *l = &table[m->chosen];

	out->level_kbit_per_s = (uint32_t)(l->kbits_a_second * m->scale * 1e-3);
	out->level_buffer_kbit = (uint32_t)(l->cpb_kbits * m->scale * 1e-3);
	out->level_exceeded = m->peak_fill > l->cpb_kbits * m->scale;
	for (int i = LEVELS; i-- > 0;)
		if (!m->exceeded[i])
			out->level_needed = table[i].idc;
	out->largest_picture_kbit = m->largest_bits * 1e-3;
	if (m->peak_s > 0) {
		out->peak_s = m->peak_s;
		out->peak_kbit_per_s = m->peak_bits * 1e-3 / out->peak_s;
	}
}
