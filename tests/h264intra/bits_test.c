/* The bit writer and the NAL writer. */
#include "h264intra/bitstream/bits.h"
#include "h264intra/bitstream/nal.h"
#include "tests/h264intra/cavlc_reference.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <string.h>

enum { WORDS = 64, CANARY = 0x5ca1ab1e };

static void codes_come_back(void)
{
	int round, i, n;

	for (round = 0; round < 300; round++) {
		uint32_t word[WORDS], code[200], len[200];
		uint8_t bytes[4 * WORDS];
		h264i_bits b;
		ref_reader r = { bytes, 0, 0, 0 };

		h264i_bits_init(&b, word, 1, WORDS);
		for (n = 0; n < 200; n++) {
			len[n] = rng() % 33;
			code[n] = len[n] ? rng() >> (32 - len[n]) : 0;
			if (h264i_bits_position(&b) + len[n] > 32 * WORDS)
				break;
			h264i_bits_put(&b, code[n], len[n]);
			r.end += len[n];
		}
		CU_ASSERT_EQUAL(h264i_bits_position(&b), r.end);
		CU_ASSERT_FALSE(h264i_bits_overflow(&b));
		h264i_bits_flush(&b);
		CU_ASSERT_EQUAL(h264i_bits_position(&b), r.end);
		h264i_i_bits_to_bytes(bytes, word, (r.end + 7) / 8);
		for (i = 0; i < n; i++)
			if (ref_u(&r, (int)len[i]) != code[i])
				break;
		CU_ASSERT_EQUAL(i, n);
		CU_ASSERT_FALSE(r.bad);
	}
}

static void interleaved_lanes_write_separate_words(void)
{
	uint32_t word[32 * 8];
	h264i_bits b[32];
	int lane, k, wrong = 0;

	memset(word, 0, sizeof(word));
	for (lane = 0; lane < 32; lane++)
		h264i_bits_init(&b[lane], word + lane, 32, 8);
	for (k = 0; k < 16; k++)
		for (lane = 0; lane < 32; lane++)
			h264i_bits_put(&b[lane], (uint32_t)(lane * 16 + k), 16);
	for (lane = 0; lane < 32; lane++)
		for (k = 0; k < 8; k++)
			wrong += word[k * 32 + lane] !=
				 (uint32_t)((lane * 16 + 2 * k) << 16 | (lane * 16 + 2 * k + 1));
	CU_ASSERT_EQUAL(wrong, 0);
}

static void nothing_is_written_beyond_the_end(void)
{
	uint32_t word[6] = { 0, 0, 0, 0, CANARY, CANARY };
	h264i_bits b;
	int i;

	h264i_bits_init(&b, word, 1, 4);
	for (i = 0; i < 4; i++)
		h264i_bits_put(&b, 0xffffffffu, 32);
	CU_ASSERT_FALSE(h264i_bits_overflow(&b));
	h264i_bits_put(&b, 1, 1);
	CU_ASSERT_TRUE(h264i_bits_overflow(&b));
	h264i_bits_flush(&b);
	for (i = 0; i < 10; i++)
		h264i_bits_put(&b, 0xffffffffu, 32);
	h264i_bits_flush(&b);
	CU_ASSERT_TRUE(h264i_bits_overflow(&b));
	CU_ASSERT_EQUAL(h264i_bits_position(&b), 4 * 32 + 1 + 10 * 32);
	CU_ASSERT_EQUAL(word[3], 0xffffffffu);
	CU_ASSERT_EQUAL(word[4], CANARY);
	CU_ASSERT_EQUAL(word[5], CANARY);
}

static void exp_golomb_codes_are_those_of_table_9_2(void)
{
	static const char *const words[] = { "1", "010", "011", "00100", "00101", "00110", "00111",
		"0001000", "0001001", "0001010" };
	static const int32_t values[] = { 0, 1, -1, 2, -2, 3, -3, 4, -4, 5 };
	static const uint32_t large[] = { 65534, 65535, 65536, 139263, 0x7fffffffu, 0xfffffffeu };
	uint32_t word[WORDS], i;
	uint8_t bytes[4 * WORDS];
	h264i_bits b;
	ref_reader r = { bytes, 0, 32 * WORDS, 0 };

	for (i = 0; i < 10; i++) {
		uint32_t len = (uint32_t)strlen(words[i]), code = 0, k;

		for (k = 0; k < len; k++)
			code = 2 * code + (words[i][k] == '1');
		h264i_bits_init(&b, word, 1, WORDS);
		h264i_bits_ue(&b, i);
		h264i_bits_flush(&b);
		CU_ASSERT_EQUAL(h264i_bits_position(&b), len);
		CU_ASSERT_EQUAL(h264i_ue_bits(i), len);
		CU_ASSERT_EQUAL(word[0] >> (32 - len), code);
		CU_ASSERT_EQUAL(h264i_se_code_num(values[i]), i);
	}
	h264i_bits_init(&b, word, 1, WORDS);
	for (i = 0; i < 6; i++)
		h264i_bits_ue(&b, large[i]);
	h264i_bits_se(&b, -0x7fffffff);
	h264i_bits_se(&b, 0x7fffffff);
	h264i_bits_flush(&b);
	h264i_i_bits_to_bytes(bytes, word, sizeof(bytes));
	for (i = 0; i < 6; i++)
		CU_ASSERT_EQUAL(ref_ue(&r), large[i]);
	CU_ASSERT_EQUAL(ref_se(&r), -0x7fffffff);
	CU_ASSERT_EQUAL(ref_se(&r), 0x7fffffff);
	CU_ASSERT_EQUAL(r.at, h264i_bits_position(&b));
}

static void alignment_and_trailing_bits_end_on_bytes(void)
{
	uint32_t word[4], i;

	for (i = 0; i < 40; i++) {
		h264i_bits b;
		uint32_t left = i;

		h264i_bits_init(&b, word, 1, 4);
		for (; left; left--)
			h264i_bits_put(&b, 1, 1);
		h264i_bits_align(&b);
		CU_ASSERT_EQUAL(h264i_bits_position(&b), (i + 7) / 8 * 8);
		h264i_bits_init(&b, word, 1, 4);
		for (left = i; left; left--)
			h264i_bits_put(&b, 1, 1);
		h264i_bits_trailing(&b);
		CU_ASSERT_EQUAL(h264i_bits_position(&b), (i + 8) / 8 * 8);
		h264i_bits_flush(&b);
		/* The last bit that is set is the stop bit, at position i. */
		CU_ASSERT_EQUAL(31 - lsched_i_lowest_bit(word[i / 32]), i % 32);
	}
}

/* Bytes that are mostly small, with runs of other values. */
static void low_entropy(uint8_t *p, size_t n)
{
	uint32_t range = 1 + rng() % 6, i;
	int plain = 0;

	for (i = 0; i < n; i++) {
		if (rng() % 40 == 0)
			plain = !plain && rng() % 2;
		p[i] = (uint8_t)(plain ? 1 + rng() % 255 : rng() % 4 ? 0 : rng() % range);
	}
}

/* Removes emulation prevention bytes (03) from a NAL unit's payload, clause 7.3.1. */
static size_t unescape(uint8_t *out, const uint8_t *in, size_t n)
{
	size_t i, o = 0;

	for (i = 0; i < n; i++) {
		if (i >= 2 && in[i - 2] == 0 && in[i - 1] == 0 && in[i] == 3)
			continue;
		out[o++] = in[i];
	}
	return o;
}

static void nal_payloads_come_back_and_hold_no_start_code(void)
{
	int round;

	for (round = 0; round < 20000; round++) {
		uint8_t rbsp[120], nal[200], back[200];
		size_t n = rng() % sizeof(rbsp), bytes, i, max = h264i_i_nal_bytes_max(n);
		int long_start = (int)(rng() & 1), head = long_start ? 5 : 4, bad = 0;

		low_entropy(rbsp, n);
		memset(nal, 0xee, sizeof(nal));
		bytes = h264i_i_nal_write(nal, max, long_start, H264I_NAL_IDR, rbsp, n);
		CU_ASSERT_FATAL(bytes >= (size_t)head + n && bytes <= max);
		CU_ASSERT_EQUAL(memcmp(nal, &"\0\0\0\1\x65"[!long_start], (size_t)head), 0);
		for (i = (size_t)head; i + 2 < bytes; i++)
			bad += nal[i] == 0 && nal[i + 1] == 0 && nal[i + 2] < 3;
		CU_ASSERT_EQUAL(bad, 0);
		CU_ASSERT_NOT_EQUAL(nal[bytes - 1], 0);
		CU_ASSERT_EQUAL(nal[bytes], 0xee);
		i = unescape(back, nal + head, bytes - (size_t)head);
		if (n && rbsp[n - 1] == 0 && i == n + 1) /* the last 03 after a single 00 */
			i--;
		CU_ASSERT(i == n && memcmp(back, rbsp, n) == 0);
		/* With one byte less the unit does not fit, and no byte is written behind the
		 * buffer. */
		memset(nal, 0xee, sizeof(nal));
		CU_ASSERT_EQUAL(
			h264i_i_nal_write(nal, bytes - 1, long_start, H264I_NAL_IDR, rbsp, n), 0);
		CU_ASSERT_EQUAL(nal[bytes - 1], 0xee);
	}
}

static void the_parallel_rule_of_emulation_prevention_equals_the_serial_one(void)
{
	int round;

	for (round = 0; round < 20000; round++) {
		uint8_t rbsp[120], nal[200], closed[200];
		size_t n = 1 + rng() % sizeof(rbsp), bytes, i, o = 0;
		uint32_t zeros = 0;

		low_entropy(rbsp, n);
		rbsp[n - 1] |= 0x80; /* trailing bits */
		bytes = h264i_i_nal_write(nal, sizeof(nal), 0, H264I_NAL_IDR, rbsp, n);
		for (i = 0; i < n; i++) {
			if (rbsp[i] <= 3 && zeros >= 2 && !(zeros & 1))
				closed[o++] = 3;
			closed[o++] = rbsp[i];
			zeros = rbsp[i] ? 0 : zeros + 1;
		}
		CU_ASSERT(bytes == o + 4 && memcmp(nal + 4, closed, o) == 0);
	}
}

static void the_worst_payload_fits_the_stated_size(void)
{
	static const uint8_t zeros[1000];
	size_t n;

	for (n = 0; n <= 1000; n += n < 20 ? 1 : 97) {
		uint8_t nal[1600];
		size_t max = h264i_i_nal_bytes_max(n);

		CU_ASSERT_NOT_EQUAL(h264i_i_nal_write(nal, max, 1, H264I_NAL_SPS, zeros, n), 0);
	}
}

static void buffers_grow_and_keep_their_bytes(void)
{
	static const uint8_t rbsp[300] = { 0, 0, 1, 9 };
	h264i_buf b = { NULL, 0, 0 };
	int i;

	for (i = 0; i < 50; i++)
		CU_ASSERT_EQUAL_FATAL(h264i_i_buf_nal(&b, 1, H264I_NAL_PPS, rbsp, 4), 0);
	CU_ASSERT_EQUAL(b.bytes, 50 * 10);
	for (i = 0; i < 50; i++)
		CU_ASSERT_EQUAL(memcmp(b.data + 10 * i, "\0\0\0\1\x68\0\0\3\1\x9", 10), 0);
	CU_ASSERT_EQUAL(h264i_i_buf_reserve(&b, SIZE_MAX), -1);
	CU_ASSERT_EQUAL(b.bytes, 500);
	h264i_i_buf_free(&b);
	CU_ASSERT_PTR_NULL(b.data);
}

int main(void)
{
	CU_TestInfo bits[] = { { "codes of 0 to 32 bits are read back", codes_come_back },
		{ "interleaved lanes write separate words",
			interleaved_lanes_write_separate_words },
		{ "nothing is written beyond the end", nothing_is_written_beyond_the_end },
		{ "Exp-Golomb codes are those of table 9-2",
			exp_golomb_codes_are_those_of_table_9_2 },
		{ "alignment and trailing bits end on bytes",
			alignment_and_trailing_bits_end_on_bytes },
		CU_TEST_INFO_NULL };
	CU_TestInfo nal[] = { { "payloads are read back and contain no start code",
				      nal_payloads_come_back_and_hold_no_start_code },
		{ "the parallel rule of emulation prevention equals the serial one",
			the_parallel_rule_of_emulation_prevention_equals_the_serial_one },
		{ "the worst payload fits the stated size",
			the_worst_payload_fits_the_stated_size },
		{ "buffers grow and keep their bytes", buffers_grow_and_keep_their_bytes },
		CU_TEST_INFO_NULL };
	CU_SuiteInfo suites[] = { TEST_SUITE("bits", bits), TEST_SUITE("nal", nal),
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
