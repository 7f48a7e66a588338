#include "h264intra/entropy/cabac.h"

#include <string.h>

static const uint32_t range_lps[64] = H264I_RANGE_LPS_INIT;
static const uint8_t next_lps[64] = H264I_NEXT_LPS_INIT;

void h264i_i_cabac_begin(h264i_cabac *c, uint8_t *at, size_t capacity)
{
	memset(c, 0, sizeof(*c));
	c->at = at;
	c->end = at + capacity;
	c->range = 510;
}

/* Adds the carry to the bytes before `at`. */
static void carry(uint8_t *at)
{
	do
		at--;
	while (++*at == 0);
}

/* Stores `bytes` bytes, 5 at most, which are the bits of low from `bit` on. */
static void store(h264i_cabac *c, uint64_t low, uint32_t bit, int bytes)
{
	uint64_t top = low >> bit;

	if (c->overflow || c->end - c->at < bytes) {
		c->overflow = 1;
		return;
	}
	if (top >> 8 * bytes)
		carry(c->at);
	while (bytes--)
		*c->at++ = (uint8_t)(top >> 8 * bytes);
}

static inline __attribute__((always_inline)) void code(
	h264i_cabac *c, uint8_t state[H264I_CTX_STATES], const uint16_t *bins, uint32_t count)
{
	uint64_t low = c->low;
	uint32_t range = c->range, pending = c->pending;

	c->bins += count;
	for (; count; count--) {
		uint32_t record = *bins++, ctx = record >> 1, v = record & 1;
		uint32_t s = state[ctx], p = s >> 1, bypass = ctx == H264I_BIN_BYPASS;
		uint32_t coded = bypass - 1; /* all bits set, but for a bypass bin */
		uint32_t lps = range_lps[p] >> (range >> 3 & 24) & 255 & coded, shift;
		uint32_t is_lps = (0u - ((s ^ v) & 1)) & coded;
		uint32_t after_mps = s + ((p < 62) << 1);
		uint32_t after_lps = (uint32_t)next_lps[p] << 1 | ((s ^ !p) & 1);

		range -= lps;
		low += range & is_lps;
		range += (lps - range) & is_lps;
		shift = lsched_i_leading_zeros(range) - 23; /* to 256..511 */
		range <<= shift;
		shift += bypass;
		low = (low << shift) + (range & ~coded & (0u - v));
		state[ctx] = (uint8_t)(after_mps ^ ((after_mps ^ after_lps) & is_lps));
		pending += shift;
		if (pending >= 32) {
			pending -= 32;
			store(c, low, pending + 9, 4);
			low &= (UINT64_C(1) << (pending + 9)) - 1;
		}
	}
	c->low = low;
	c->range = range;
	c->pending = pending;
}

#ifdef __x86_64__
/* A shift of the range is at the end of every bin's chain of dependencies: lzcnt and shlx take a
 * third of the time of bsr and shl. */
__attribute__((target("bmi,bmi2,lzcnt"))) static void code_bmi2(
	h264i_cabac *c, uint8_t state[H264I_CTX_STATES], const uint16_t *bins, uint32_t count)
{
	code(c, state, bins, count);
}
#endif

void h264i_i_cabac_code(
	h264i_cabac *c, uint8_t state[H264I_CTX_STATES], const uint16_t *bins, uint32_t count)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
		code_bmi2(c, state, bins, count);
		return;
	}
#endif
	code(c, state, bins, count);
}

void h264i_i_cabac_end(h264i_cabac *c)
{
	/* The terminate bin has left a range of 2, scaled by 2^7: one bit for it, and the last. */
	uint32_t bits = c->pending + 2, bytes = (bits + 7) / 8;

	store(c, (c->low >> 7 | 1) << (8 * bytes - bits), 0, (int)bytes);
}

void h264i_i_cabac_pcm(h264i_cabac *c, const uint8_t *samples, size_t bytes)
{
	uint64_t bins = c->bins;
	int overflow = c->overflow || (size_t)(c->end - c->at) < bytes;

	if (!overflow) {
		memcpy(c->at, samples, bytes);
		c->at += bytes;
	}
	h264i_i_cabac_begin(c, c->at, (size_t)(c->end - c->at));
	c->overflow = overflow;
	c->bins = bins;
}
