/* The arithmetic coder and its tables against the decoder of cabac_reference.c. */
#include <stdlib.h>
#include <string.h>
#include "h264intra/entropy/cabac.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/cabac_reference.h"

enum { BINS = 60000, BYTES = 100000 };

static uint16_t bins[BINS];
static uint8_t bytes[BYTES];

/* A context of tables that I slices of frames use. */
static int is_used(int ctx)
{
	return (ctx >= 3 && ctx <= 10) || (ctx >= 60 && ctx <= 69) ||
	       (ctx >= 73 && ctx < H264I_CTX_TERMINATE) || (ctx >= 399 && ctx <= 435);
}

static void states_at_the_start_are_those_of_the_standard(void)
{
	static ref_cabac r;
	uint8_t state[H264I_CTX_STATES];
	int wrong = 0;

	for (int qp = 0; qp <= 51; qp++) {
		h264i_i_cabac_states(state, qp);
		ref_cabac_contexts(&r, qp);
		for (int ctx = 0; ctx < H264I_CTX; ctx++)
			wrong += is_used(ctx) &&
				 state[ctx] != (r.ctx[ctx].state << 1 | r.ctx[ctx].mps);
		wrong += state[H264I_CTX_TERMINATE] >> 1 != 63;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Decodes `count` records. Returns how many differ. */
static int differ(ref_cabac *r, const uint16_t *want, int count)
{
	int wrong = 0;

	for (int i = 0; i < count; i++) {
		int ctx = want[i] >> 1;
		int v = ctx == H264I_BIN_BYPASS      ? ref_cabac_bypass(r)
			: ctx == H264I_CTX_TERMINATE ? ref_cabac_terminate(r)
						     : ref_cabac_decision(r, ctx);

		wrong += v != (want[i] & 1);
	}
	return wrong;
}

/* Codes bins[0..count - 1], of which the last is a terminate bin of 1, in pieces, and decodes them.
 * Returns 1 if they are equal, the last bit read is 1, and only zero bits follow in its byte. */
static int round_trip(int count, int qp)
{
	static ref_cabac r;
	uint8_t state[H264I_CTX_STATES];
	h264i_cabac c;
	int wrong;

	h264i_i_cabac_states(state, qp);
	h264i_i_cabac_begin(&c, bytes, sizeof(bytes));
	for (int i = 0; i < count;) {
		int n = 1 + (int)(rng() % 50);

		n = n < count - i ? n : count - i;
		h264i_i_cabac_code(&c, state, bins + i, (uint32_t)n);
		i += n;
	}
	h264i_i_cabac_end(&c);
	memset(&r, 0, sizeof(r));
	r.data = bytes;
	r.end = 8 * (size_t)(c.at - bytes);
	ref_cabac_contexts(&r, qp);
	ref_cabac_start(&r);
	wrong = differ(&r, bins, count) + r.bad + c.overflow + (c.bins != (uint64_t)count);
	/* The last bit read is the stop bit (clause 9.3.1.2). */
	wrong += !(bytes[(r.at - 1) / 8] >> (7 - (r.at - 1) % 8) & 1);
	for (; r.at % 8; r.at++)
		wrong += bytes[r.at / 8] >> (7 - r.at % 8) & 1;
	return wrong == 0 && r.at == r.end;
}

static int random_context(void)
{
	int ctx;

	do
		ctx = (int)(rng() % H264I_CTX);
	while (!is_used(ctx));
	return ctx;
}

static void random_bins_are_decoded(void)
{
	int wrong = 0;

	for (int round = 0; round < 400; round++) {
		int count = 1 + (int)(rng() % (round % 8 ? 300 : BINS));
		uint32_t ones = rng() % 65, contexts = 1 + rng() % 64;
		uint32_t bypass = rng() % 4 * 20, terminate = rng() % 3;

		for (int i = 0; i < count - 1; i++) {
			int v = rng() % 64 < ones, ctx = 85 + (int)(rng() % contexts);

			if (rng() % 64 < bypass) {
				ctx = H264I_BIN_BYPASS;
			} else if (rng() % 64 < terminate) {
				ctx = H264I_CTX_TERMINATE;
				v = 0;
			} else if (rng() % 4 == 0) {
				ctx = random_context();
			}
			bins[i] = (uint16_t)(ctx << 1 | v);
		}
		bins[count - 1] = H264I_CTX_TERMINATE << 1 | 1;
		wrong += !round_trip(count, (int)(rng() % 52));
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Every pair of state and bin, at most values of the range: a context runs up to its end and falls
 * back. */
static void long_runs_are_decoded(void)
{
	int wrong = 0;

	for (int ctx = 0; ctx < H264I_CTX; ctx++) {
		int n = 0;

		if (!is_used(ctx))
			continue;
		for (int i = 0; i < 70; i++)
			for (int k = 0; k <= i; k++)
				bins[n++] = (uint16_t)(ctx << 1 | ((k == i) ^ (i & 1)));
		bins[n++] = H264I_CTX_TERMINATE << 1 | 1;
		wrong += !round_trip(n, ctx % 52);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Writes bypass bins after which the interval still contains the value 256 of its 9 bits, so that
 * no bit is resolved; then bins that leave it on one side. `d` is the distance of that value from
 * the interval's low end. Returns the number of bins. */
static int make_unresolved(int count, int above)
{
	int d = 256, range = 510;

	for (int i = 0; i < count; i++) {
		int v = 2 * d >= range;

		d = 2 * d - v * range;
		bins[i] = (uint16_t)(H264I_BIN_BYPASS << 1 | v);
	}
	for (int i = 0; i < 12; i++)
		bins[count + i] = (uint16_t)(H264I_BIN_BYPASS << 1 | above);
	bins[count + 12] = H264I_CTX_TERMINATE << 1 | 1;
	return count + 13;
}

/* The length of the longest run of bytes of `value`. */
static int longest_run(int n, uint8_t value)
{
	int longest = 0, run = 0;

	for (int i = 0; i < n; i++) {
		run = bytes[i] == value ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void carries_pass_through_many_bytes(void)
{
	int wrong = 0, ones = 0, zeros = 0;

	for (int count = 1; count < 3000; count += 1 + count / 50)
		for (int above = 0; above < 2; above++) {
			int n = make_unresolved(count, above);

			wrong += !round_trip(n, 26);
			ones += longest_run(count / 8, 255) > count / 8 - 4 && count > 100;
			zeros += longest_run(count / 8, 0) > count / 8 - 4 && count > 100;
		}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(ones > 10);
	CU_ASSERT(zeros > 10);
}

static void a_buffer_too_small_is_detected_and_not_exceeded(void)
{
	enum { COUNT = 4000 };
	uint8_t state[H264I_CTX_STATES];
	h264i_cabac c;
	size_t need;
	int wrong = 0;

	for (int i = 0; i < COUNT; i++)
		bins[i] = (uint16_t)(H264I_BIN_BYPASS << 1 | (rng() & 1));
	bins[COUNT - 1] = H264I_CTX_TERMINATE << 1 | 1;
	h264i_i_cabac_states(state, 30);
	h264i_i_cabac_begin(&c, bytes, sizeof(bytes));
	h264i_i_cabac_code(&c, state, bins, COUNT);
	h264i_i_cabac_end(&c);
	need = (size_t)(c.at - bytes);
	for (size_t room = 0; room <= need; room++) {
		uint8_t *small = malloc(room + 1); /* its end is checked by sanitisers too */

		CU_ASSERT_PTR_NOT_NULL_FATAL(small);
		small[room] = 0xa5;
		h264i_i_cabac_begin(&c, small, room);
		h264i_i_cabac_code(&c, state, bins, COUNT);
		h264i_i_cabac_end(&c);
		wrong += c.overflow != (room < need) || small[room] != 0xa5;
		free(small);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void contexts_outlive_pcm_samples(void)
{
	static const uint8_t samples[384] = { 7, 0, 0, 255 };
	static ref_cabac r;
	uint8_t state[H264I_CTX_STATES];
	h264i_cabac c;
	int wrong = 0, at = 0;

	for (int i = 0; i < 2000; i++)
		bins[i] = (uint16_t)(random_context() << 1 | (rng() % 5 == 0));
	for (int i = 99; i < 2000; i += 100)
		bins[i] = H264I_CTX_TERMINATE << 1 | 1;
	h264i_i_cabac_states(state, 22);
	h264i_i_cabac_begin(&c, bytes, sizeof(bytes));
	for (int i = 0; i < 2000; i += 100) {
		h264i_i_cabac_code(&c, state, bins + i, 100);
		h264i_i_cabac_end(&c);
		h264i_i_cabac_pcm(&c, samples, sizeof(samples));
	}
	CU_ASSERT_EQUAL(c.bins, 2000);
	memset(&r, 0, sizeof(r));
	r.data = bytes;
	r.end = 8 * (size_t)(c.at - bytes);
	ref_cabac_contexts(&r, 22);
	for (at = 0; at < 2000; at += 100) {
		ref_cabac_start(&r);
		wrong += differ(&r, bins + at, 100);
		r.at = (r.at + 7) / 8 * 8;
		wrong += memcmp(bytes + r.at / 8, samples, sizeof(samples)) != 0;
		r.at += 8 * sizeof(samples);
	}
	CU_ASSERT_EQUAL(wrong + r.bad, 0);
	CU_ASSERT_EQUAL(r.at, r.end);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "states at the start are those of the standard",
			states_at_the_start_are_those_of_the_standard },
		{ "random bins are decoded", random_bins_are_decoded },
		{ "long runs are decoded", long_runs_are_decoded },
		{ "carries pass through many bytes", carries_pass_through_many_bytes },
		{ "a buffer too small is detected and not exceeded",
			a_buffer_too_small_is_detected_and_not_exceeded },
		{ "contexts outlive pcm samples", contexts_outlive_pcm_samples },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("cabac coder", tests);
}
