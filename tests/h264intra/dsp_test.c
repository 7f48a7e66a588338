/* The tables of inner functions (cpu/dsp.h) that this processor can run, against the scalar one:
 * the same results from random and extreme inputs at any alignment, no byte written beyond them.
 * Here: source samples and prediction. */
#include "h264intra/decide/cost.h"
#include "h264intra/predict/edge8x8.h"
#include "tests/h264intra/dsp_common.h"

static void test_load(void)
{
	int bad = 0, broken = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t room[17 * 80], a[256], *b;
		size_t pitch = 16 + rng_below(64);
		const uint8_t *src = block(room, 16 * 80);
		guarded out;

		spec->load16((uint8_t(*)[16])a, src, pitch);
		b = guarded_init(&out, 256, 1);
		fast->load16((uint8_t(*)[16])b, src, pitch);
		bad += memcmp(a, b, 256) != 0;
		broken += guard_broken(&out);
		spec->load8((uint8_t(*)[16])a, src, pitch);
		b = guarded_init(&out, 64, 1);
		fast->load8((uint8_t(*)[16])b, src, pitch);
		bad += memcmp(a, b, 64) != 0;
		broken += guard_broken(&out);
		spec->load_pairs((uint8_t(*)[16])a, src, pitch);
		b = guarded_init(&out, 128, 1);
		fast->load_pairs((uint8_t(*)[16])b, src, pitch);
		bad += memcmp(a, b, 128) != 0;
		broken += guard_broken(&out);
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
}

/* What a macroblock or block can have: UPLEFT with LEFT and UP, UPRIGHT with UP only. */
static int random_avail(void)
{
	int avail = (int)rng_below(4);

	if (avail == (H264I_LEFT | H264I_UP))
		avail |= H264I_UPLEFT;
	if ((avail & H264I_UP) && rng_below(2))
		avail |= H264I_UPRIGHT;
	return avail;
}

static h264i_candidates random_candidates(uint32_t allowed(int avail), uint32_t any)
{
	h264i_candidates cand;

	cand.avail = random_avail();
	cand.allowed = allowed(cand.avail);
	if (rng_below(3) == 0)
		cand.allowed &= rng() | any;
	cand.predicted = (int)rng_below(I4_MODES);
	cand.lambda = (int)rng_below(4) ? (int)rng_below(200) : (int)rng_below(4000);
	return cand;
}

static uint32_t allowed16(int avail)
{
	return h264i_i16_allowed(avail, 0);
}

static uint32_t allowed_chroma(int avail)
{
	return h264i_chroma_allowed(avail, 0);
}

/* Compares keys, and the predictions of the allowed modes. size: samples of a prediction. */
static int differ(uint32_t a, uint32_t b, const uint32_t *key_a, const uint32_t *key_b,
	const uint8_t *pred_a, const uint8_t *pred_b, size_t size, uint32_t allowed)
{
	int bad = a != b || memcmp(key_a, key_b, H264I_KEYS * sizeof(*key_a));

	for (int m = 0; size && m < I4_MODES; m++)
		if (allowed >> m & 1)
			bad |= memcmp(pred_a + m * size, pred_b + m * size, size) != 0;
	return bad;
}

static void test_decide_blocks(void)
{
	int bad = 0, broken = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t room[128], rec_room[17 * H264I_REC_PITCH + 64], a8[9][64], a4[9][16];
		const uint8_t *src = block(room, 64);
		const uint8_t *rec = rec_room + H264I_REC_PITCH + H264I_REC_X0 +
				     (rng() & 1) * 4 * H264I_REC_PITCH + (rng() & 1) * 4;
		h264i_candidates cand = random_candidates(h264i_i4_allowed, 1u << I4_DC);
		uint32_t key_a[H264I_KEYS], want, *key;
		guarded pred, keys;
		uint8_t *p;

		samples(rec_room, sizeof(rec_room));
		want = spec->decide4(src, rec, &cand, a4, key_a);
		p = guarded_init(&pred, sizeof(a4), 1);
		key = guarded_init(&keys, sizeof(key_a), 4);
		bad += differ(want, fast->decide4(src, rec, &cand, (uint8_t(*)[16])p, key), key_a,
			key, a4[0], p, 16, cand.allowed);
		broken += guard_broken(&pred) || guard_broken(&keys);

		want = spec->decide8(src, rec, &cand, a8, key_a);
		p = guarded_init(&pred, sizeof(a8), 1);
		key = guarded_init(&keys, sizeof(key_a), 4);
		bad += differ(want, fast->decide8(src, rec, &cand, (uint8_t(*)[64])p, key), key_a,
			key, a8[0], p, 64, cand.allowed);
		broken += guard_broken(&pred) || guard_broken(&keys);
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
}

static void test_decide_planes(void)
{
	int bad = 0, broken = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t room[320], rec_room[17 * H264I_REC_PITCH], a[16][16];
		const uint8_t(*src)[16] = (const uint8_t(*)[16])block(room, 256);
		const uint8_t *rec = rec_room + H264I_REC_PITCH + H264I_REC_X0;
		uint32_t key_a[H264I_KEYS], want, *key;
		h264i_chroma_edge e;
		h264i_candidates cand;
		guarded keys, pred;
		uint8_t *p;

		samples(rec_room, sizeof(rec_room));
		samples(&e.top[0][0], sizeof(e.top));
		samples(&e.left[0][0], sizeof(e.left));
		for (int chroma = 0; chroma < 2; chroma++) {
			size_t size = chroma ? 128 : 256;

			cand = chroma ? random_candidates(allowed_chroma, 1u << IC_DC)
				      : random_candidates(allowed16, 1u << I16_DC);
			key = guarded_init(&keys, sizeof(key_a), 4);
			want = chroma ? spec->decide_chroma(src, &e, &cand, key_a)
				      : spec->decide16(src, rec, &cand, key_a);
			bad += differ(want,
				chroma ? fast->decide_chroma(src, &e, &cand, key)
				       : fast->decide16(src, rec, &cand, key),
				key_a, key, NULL, NULL, 0, cand.allowed);
			broken += guard_broken(&keys);
			for (int m = 0; m < I16_MODES; m++) {
				if (!(cand.allowed >> m & 1))
					continue;
				p = guarded_init(&pred, size, 1);
				if (chroma) {
					spec->predict_chroma(a, &e, cand.avail, m);
					fast->predict_chroma((uint8_t(*)[16])p, &e, cand.avail, m);
				} else {
					spec->predict16(a, rec, cand.avail, m);
					fast->predict16((uint8_t(*)[16])p, rec, cand.avail, m);
				}
				bad += memcmp(a, p, size) != 0;
				broken += guard_broken(&pred);
			}
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
}

ON_ALL(load)
ON_ALL(decide_blocks)
ON_ALL(decide_planes)

/* The best table is the last one that the processor can run, and the names differ. */
static void test_tables(void)
{
	const h264i_dsp *last = NULL;

	for (int s = 0; s < H264I_SIMDS; s++) {
		const h264i_dsp *d = h264i_i_dsp((h264i_simd)s);

		if (!d)
			continue;
		printf(" %s", d->name);
		if (last)
			CU_ASSERT_STRING_NOT_EQUAL(last->name, d->name);
		last = d;
	}
	CU_ASSERT_PTR_EQUAL(last, h264i_i_dsp_best());
	CU_ASSERT_PTR_NULL(h264i_i_dsp(H264I_SIMDS));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "tables of this processor", test_tables },
		{ "source samples to blocks", all_load },
		{ "modes of 4x4 and 8x8 blocks", all_decide_blocks },
		{ "modes of Intra16x16 and of chroma", all_decide_planes },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("dsp", tests);
}
