/* Trains the tables of decide/rates.c: the states of CABAC's contexts by QP that give the fewest
 * bits to the bins of clips.
 *
 *     train_rates [--frames N] WIDTHxHEIGHT:FILE... [--check WIDTHxHEIGHT:FILE...]
 *
 * FILE has raw I420 frames, of which the first N are read (default 2). Each clip is coded in High
 * with rd 3 and trellis 1 at QP 8, 12, ... 48; every clip and QP has the same weight. The clips
 * behind --check are coded, but not trained with. Prints the tables as they stand in the source,
 * and to stderr the bits of both groups of clips: with the trained table, with that of the source,
 * with a state for each QP, and with one for each clip and QP.
 *
 * The streams depend on the tables of the source. With the tables of a first run a second one gives
 * others, which take 0.02 % fewer bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "h264intra/cpu/encode_mb.h"
#include "h264intra/entropy/cabac_mb.h"
#include "h264intra/order/wavefront.h"

enum { CLIPS = 32, QPS = 11, QP_FIRST = 8, QP_STEP = 4, STATES = 64, SLOPE = 63, MOST = 127 };

/* Bins of each context and value; weights make those of a clip at a QP sum up to 1. */
typedef struct counts {
	double n[H264I_CTX][2];
} counts;

static counts count[CLIPS][QPS];
static double less[STATES], more[STATES]; /* bits of a bin */
static h264i_cpu_rates rates[H264I_QPS];

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "train_rates: %s: %s\n", name, what);
	exit(1);
}

static void *room(size_t n, size_t bytes)
{
	void *p = calloc(n, bytes);

	if (!p)
		fail("out of memory", "clip");
	return p;
}

/* A frame in memory, and its coded form. */
typedef struct picture {
	h264i_geom geom;
	uint8_t *pixels;
	size_t mbs, frame_bytes;
	h264i_picture p;
} picture;

static void open_picture(picture *v, uint32_t width, uint32_t height)
{
	size_t luma = (size_t)width * height;

	memset(v, 0, sizeof(*v));
	v->geom = (h264i_geom){ width, height, (width + 15) / 16, (height + 15) / 16, 1 };
	v->mbs = (size_t)v->geom.mb_width * v->geom.mb_height;
	v->frame_bytes = luma * 3 / 2;
	v->pixels = room(v->frame_bytes, 1);
	v->p.mb = room(v->mbs, sizeof(*v->p.mb));
	v->p.levels = room(v->mbs, sizeof(*v->p.levels));
	v->p.edge = room(v->mbs, sizeof(*v->p.edge));
	v->p.chroma_step = 1;
	for (int i = 0; i < 3; i++) {
		v->p.src[i] = v->pixels + (i ? luma : 0) + (i == 2 ? luma / 4 : 0);
		v->p.src_pitch[i] = width >> (i > 0);
	}
}

static void close_picture(picture *v)
{
	free(v->pixels);
	free(v->p.mb);
	free(v->p.levels);
	free(v->p.edge);
}

static void count_bins(const picture *v, counts *c)
{
	uint16_t record[H264I_ITEM_BINS_MAX];
	uint32_t width = v->geom.mb_width;

	for (uint32_t at = 0; at < v->mbs; at++) {
		const h264i_mb *mb = &v->p.mb[at], *prev = at ? mb - 1 : NULL;
		const h264i_mb *left = at % width ? mb - 1 : NULL;
		const h264i_mb *up = at >= width ? mb - width : NULL;

		for (int part = 0; part < H264I_MB_PARTS; part++) {
			h264i_bins b = { record, 0, H264I_ITEM_BINS_MAX };

			h264i_mb_part_bins(
				&b, mb, &v->p.levels[at], left, up, prev, H264I_SYNTAX_8X8, part);
			for (uint32_t i = 0; i < b.count; i++)
				if (b.bin[i] >> 1 < H264I_CTX)
					c->n[b.bin[i] >> 1][b.bin[i] & 1]++;
		}
	}
}

static void code(picture *v, int qp, counts *c)
{
	static h264i_qparams by_qp[H264I_QPS];
	h264i_wave_ctx ctx;

	h264i_i_qparams_init(&by_qp[qp], qp, 0);
	by_qp[qp].syntax = H264I_SYNTAX_8X8;
	v->p.qp = (uint32_t)qp;
	ctx = h264i_wave_ctx_make(&v->geom, by_qp);
	ctx.frames = 1;
	ctx.pic = &v->p;
	ctx.rd = 3;
	ctx.trellis = 1;
	for (uint32_t y = 0; y < v->geom.mb_height; y++)
		for (uint32_t x = 0; x < v->geom.mb_width; x++)
			h264i_i_encode_mb(h264i_i_dsp_best(), &ctx, rates, &v->p, x, y);
	count_bins(v, c);
}

/* Counts the bins of a clip at all QPs. */
static void read_clip(const char *name, uint32_t frames, counts of[QPS])
{
	unsigned width, height;
	int path = 0;
	picture v;
	FILE *f;

	if (sscanf(name, "%ux%u:%n", &width, &height, &path) != 2 || !path || !width || !height)
		fail("is not WIDTHxHEIGHT:FILE", name);
	f = fopen(name + path, "rb");
	if (!f)
		fail("cannot be opened", name + path);
	open_picture(&v, width, height);
	for (uint32_t n = 0; n < frames; n++) {
		if (fread(v.pixels, 1, v.frame_bytes, f) != v.frame_bytes) {
			if (!n)
				fail("has no whole frame", name + path);
			break;
		}
		for (int q = 0; q < QPS; q++)
			code(&v, QP_FIRST + QP_STEP * q, &of[q]);
	}
	fclose(f);
	close_picture(&v);
	for (int q = 0; q < QPS; q++) {
		double sum = 0;

		for (int i = 0; i < H264I_CTX; i++)
			sum += of[q].n[i][0] + of[q].n[i][1];
		for (int i = 0; i < H264I_CTX; i++)
			of[q].n[i][0] /= sum, of[q].n[i][1] /= sum;
	}
}

/* preCtxState of clause 9.3.1.1, 1 to 126. */
static int pre_state(int m, int n, int qp)
{
	int pre = (m * qp >> 4) + n;

	return pre < 1 ? 1 : pre > 126 ? 126 : pre;
}

/* Bits of the bins of a context in a state. */
static double bits_in(const double n[2], int pre)
{
	int mps = pre > 63, state = mps ? pre - 64 : 63 - pre;

	return n[mps] * more[state] + n[!mps] * less[state];
}

static double best_bits(const double n[2])
{
	double best = HUGE_VAL;

	for (int pre = 1; pre <= 126; pre++)
		best = fmin(best, bits_in(n, pre));
	return best;
}

/* The pair of a context with the fewest bits of the first clips; {0, 64} without bins. */
static void train(int ctx, int clips, int pair[2])
{
	double cost[QPS][127] = { { 0 } }, best = HUGE_VAL, bins = 0;

	pair[0] = 0;
	pair[1] = 64;
	for (int q = 0; q < QPS; q++)
		for (int c = 0; c < clips; c++) {
			bins += count[c][q].n[ctx][0] + count[c][q].n[ctx][1];
			for (int pre = 1; pre <= 126; pre++)
				cost[q][pre] += bits_in(count[c][q].n[ctx], pre);
		}
	/* Of equal ones that with the smallest slope, then that nearest to 64. */
	for (int i = 0; bins > 0 && i <= 2 * SLOPE; i++)
		for (int k = 0; k <= 2 * MOST; k++) {
			int m = i % 2 ? -(i + 1) / 2 : i / 2;
			int n = 64 + (k % 2 ? -(k + 1) / 2 : k / 2);
			double sum = 0;

			if (n > MOST)
				continue;
			for (int q = 0; q < QPS; q++)
				sum += cost[q][pre_state(m, n, QP_FIRST + QP_STEP * q)];
			if (sum < best - 1e-12) {
				best = sum;
				pair[0] = m;
				pair[1] = n;
			}
		}
}

/* Prints the bits of clips first .. last - 1 in relation to a state for each clip and QP. */
static void show(const char *name, int first, int last, int trained[H264I_CTX][2])
{
	double table = 0, source = 0, by_qp = 0, each = 0;

	for (int i = 0; i < H264I_CTX; i++)
		for (int q = 0; q < QPS; q++) {
			int qp = QP_FIRST + QP_STEP * q;
			const uint16_t *rate = rates[qp].rates.bin[i];
			double all[2] = { 0, 0 };

			for (int c = first; c < last; c++) {
				const double *n = count[c][q].n[i];

				each += best_bits(n);
				table += bits_in(n, pre_state(trained[i][0], trained[i][1], qp));
				source += (n[0] * rate[0] + n[1] * rate[1]) / 256;
				all[0] += n[0];
				all[1] += n[1];
			}
			by_qp += best_bits(all);
		}
	if (last > first)
		fprintf(stderr,
			"%s, %d clips, bits above those of a state for each clip and QP: trained "
			"table %.2f %%, table of the source %.2f %%, a state for each QP %.2f %%\n",
			name, last - first, 100 * (table / each - 1), 100 * (source / each - 1),
			100 * (by_qp / each - 1));
}

/* The first contexts of syntax elements, with the comments of the source. */
static const struct {
	int first;
	const char *name;
} elements[] = { { 3, "mb_type" }, { 60, "mb_qp_delta" }, { 64, "intra_chroma_pred_mode" },
	{ 68, "prev_intra4x4_pred_mode_flag, rem_intra4x4_pred_mode" },
	{ 73, "coded_block_pattern" }, { 85, "coded_block_flag" },
	{ 105, "significant_coeff_flag" }, { 166, "last_significant_coeff_flag" },
	{ 227, "coeff_abs_level_minus1" }, { 399, "transform_size_8x8_flag" },
	{ 402, "significant_coeff_flag of 8x8 blocks" },
	{ 417, "last_significant_coeff_flag of 8x8 blocks" },
	{ 426, "coeff_abs_level_minus1 of 8x8 blocks" }, { 436, NULL } };

/* Contexts in use of an element: from first to the one before the next element, or fewer. */
static int last_of(int e)
{
	static const int gaps[][2] = { { 3, 11 }, { 68, 70 }, { 227, 276 } };

	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
		if (elements[e].first == gaps[i][0])
			return gaps[i][1];
	return elements[e].first == 166 ? 227 : elements[e + 1].first;
}

/* Prints one array element, in lines of at most 92 columns. */
static int print_item(int column, const char *text)
{
	int length = (int)strlen(text) + 2;

	if (column + length > 92) {
		printf("\n\t");
		column = 8;
	}
	printf("%s%s,", column > 8 ? " " : "", text);
	return column + length;
}

static void print_states(int trained[H264I_CTX][2])
{
	char text[64];

	printf("static const int8_t state_of_qp[H264I_CTX][2] = {\n");
	for (int e = 0; elements[e].name; e++) {
		int column = 8;

		printf("\t/* %s */\n\t", elements[e].name);
		for (int i = elements[e].first; i < last_of(e); i++) {
			snprintf(text, sizeof(text), "{ %d, %d }", trained[i][0], trained[i][1]);
			if (i == elements[e].first)
				snprintf(text, sizeof(text), "[%d] = { %d, %d }", i, trained[i][0],
					trained[i][1]);
			column = print_item(column, text);
		}
		printf("\n");
	}
	printf("};\n");
}

static void print_bits(const char *name, const double bits[STATES])
{
	int column = 8;
	char text[16];

	printf("\nstatic const uint16_t %s[64] = {\n\t", name);
	for (int i = 0; i < STATES; i++) {
		snprintf(text, sizeof(text), "%.0f", 256 * bits[i]);
		column = print_item(column, text);
	}
	printf("\n};\n");
}

/* An array of `n` weights, each 2^(1/3) of the one before. */
static void print_weights(const char *name, double first, int n)
{
	printf("\nstatic const %s = {\n", name);
	for (int i = 0; i < n; i++)
		printf("\t%.0f,\n", first * pow(2, i / 3.0));
	printf("};\n");
}

int main(int argc, char **argv)
{
	static int trained[H264I_CTX][2];
	int clips = 0, training = -1;
	uint32_t frames = 2;

	for (int i = 0; i < STATES; i++) {
		double p = 0.5 * pow(0.0375, i / 63.0);

		less[i] = -log2(p);
		more[i] = -log2(1 - p);
	}
	for (int qp = 0; qp < H264I_QPS; qp++)
		h264i_i_cpu_rates_init(&rates[qp], qp, NULL, NULL);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--frames") && i + 1 < argc)
			frames = (uint32_t)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--check") && training < 0)
			training = clips;
		else if (clips < CLIPS)
			read_clip(argv[i], frames, count[clips++]);
		else
			fail("is one clip too many", argv[i]);
	}
	training = training < 0 ? clips : training;
	if (!training) {
		fprintf(stderr, "usage: train_rates [--frames N] WIDTHxHEIGHT:FILE... "
				"[--check WIDTHxHEIGHT:FILE...]\n");
		return 2;
	}
	for (int i = 0; i < H264I_CTX; i++)
		train(i, training, trained[i]);
	print_states(trained);
	print_bits("less_probable", less);
	print_bits("more_probable", more);
	print_weights("uint32_t lambda64[52]", 64 * 0.6 / 16, 52);
	print_weights("int32_t quant_weight[]", 4096 * 0.5 / 256 / (0.625 * 0.625), 29);
	show("training", 0, training, trained);
	show("check", training, clips, trained);
	return 0;
}
