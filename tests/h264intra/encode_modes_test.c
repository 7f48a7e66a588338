/* Macroblock types and prediction modes of the encoder's output, and I_PCM. CPU threads only. */
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/nal_split.h"

/* test_encode() sets the size. */
static h264i_options cpu_options(void)
{
	return test_cpu_options(0, 0);
}

/* ---- types and modes ---- */

static uint64_t sum_of(const uint64_t *n, int count)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++)
		sum += n[i];
	return sum;
}

static void test_counts(void)
{
	for (int pattern = 0; pattern < TEST_PATTERNS; pattern++) {
		test_video v = test_video_make(96, 64, 5, pattern);
		h264i_options o = cpu_options();
		const h264i_stats *n;
		test_stream s;

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		o.stats = 1;
		o.qp = 10;
		o.slices = 2;
		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		n = &s.stats;
		CU_ASSERT_EQUAL(n->mb_i4x4 + n->mb_i16x16 + n->mb_pcm, 5 * 24);
		CU_ASSERT_EQUAL(sum_of(n->i4_mode, 9), 16 * n->mb_i4x4);
		CU_ASSERT_EQUAL(sum_of(n->i16_mode, 4), n->mb_i16x16);
		CU_ASSERT_EQUAL(sum_of(n->chroma_mode, 4), n->mb_i4x4 + n->mb_i16x16);
		CU_ASSERT_EQUAL(n->mb_i8x8 + sum_of(n->i8_mode, 9), 0);
		CU_ASSERT_EQUAL(n->frames, 5);
		CU_ASSERT_EQUAL(n->bytes, s.bytes);
		CU_ASSERT_EQUAL(n->tasks, 5 * (24 + 4));
		CU_ASSERT_EQUAL(n->workers, 2);
		CU_ASSERT_EQUAL(n->backend, H264I_BACKEND_CPU);
		CU_ASSERT_TRUE(n->frames_in_flight >= 1);
		CU_ASSERT_TRUE(n->idle_share >= 0 && n->idle_share <= 1);
		CU_ASSERT_TRUE(n->device_name[0] != 0);
		free(s.data);
		free(v.pixels);
	}
}

/* A stream of High profile uses Intra8x8; 4:0:0 has no chroma modes. */
static void test_counts_8x8(void)
{
	for (int gray = 0; gray < 2; gray++) {
		test_video v = test_video_make(288, 192, 2, TEST_NATURAL);
		h264i_options o = cpu_options();
		const h264i_stats *n;
		test_stream s;

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		CU_ASSERT_EQUAL(h264i_options_set_preset(&o, "fast"), H264I_OK);
		o.stats = 1;
		o.chroma = gray ? H264I_CHROMA_400 : H264I_CHROMA_420;
		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		n = &s.stats;
		CU_ASSERT_TRUE(n->mb_i8x8 > 0 && n->mb_i4x4 > 0);
		CU_ASSERT_EQUAL(n->mb_i4x4 + n->mb_i8x8 + n->mb_i16x16 + n->mb_pcm, 2 * 216);
		CU_ASSERT_EQUAL(sum_of(n->i8_mode, 9), 4 * n->mb_i8x8);
		CU_ASSERT_EQUAL(sum_of(n->i4_mode, 9), 16 * n->mb_i4x4);
		CU_ASSERT_EQUAL(sum_of(n->chroma_mode, 4),
			gray ? 0 : n->mb_i4x4 + n->mb_i8x8 + n->mb_i16x16);
		free(s.data);
		free(v.pixels);
	}
}

/* The table of tools: no tool twice, one bit for each that can be disabled, counts as in the
 * statistics. */
static void test_tool_table(void)
{
	enum { MOST = 64 };
	test_video v = test_video_make(96, 64, 1, TEST_NATURAL);
	uint64_t counts[MOST], types = 0;
	uint32_t bits = 0, in_use = 0;
	const h264i_tool *t, *u;
	h264i_options o = test_cpu_options(96, 64);
	h264i_encoder *enc;
	h264i_packet pkt;
	unsigned tools = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (; (t = h264i_get_tool(tools)) != NULL; tools++) {
		for (unsigned k = 0; k < tools; k++) {
			u = h264i_get_tool(k);
			CU_ASSERT_TRUE(strcmp(t->kind, u->kind) != 0 || t->mode != u->mode);
			CU_ASSERT_TRUE(
				strcmp(t->kind, u->kind) != 0 || strcmp(t->name, u->name) != 0);
		}
		CU_ASSERT_EQUAL(t->disable & (t->disable - 1), 0);
		CU_ASSERT_EQUAL(t->disable & bits, 0);
		bits |= t->disable;
	}
	CU_ASSERT_TRUE(tools > 20 && tools <= MOST);
	CU_ASSERT_PTR_NULL(h264i_get_tool(tools + 1000));
	CU_ASSERT_EQUAL(bits, 0xfffff & ~(1u << 2 | 1u << 11 | 1u << 13));
	o.stats = 1;
	enc = test_open_ok(&o);
	CU_ASSERT_PTR_NOT_NULL_FATAL(enc);
	test_send_all(enc, &v);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	h264i_packet_init(&pkt);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
	h264i_packet_unref(&pkt);
	CU_ASSERT_EQUAL(h264i_get_tool_counts(enc, counts, MOST), H264I_OK);
	for (unsigned i = 0; i < MOST; i++) {
		t = h264i_get_tool(i);
		CU_ASSERT_TRUE(t || counts[i] == 0);
		types += t && t->mode == -1 ? counts[i] : 0;
		in_use += counts[i] > 0;
	}
	CU_ASSERT_EQUAL(types, 24);
	CU_ASSERT_TRUE(in_use > 5);
	CU_ASSERT_EQUAL(h264i_get_tool_counts(enc, NULL, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_get_tool_counts(enc, NULL, 1), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_get_tool_counts(NULL, counts, 1), H264I_ERR_ARG);
	h264i_close(&enc);
	free(v.pixels);
}

static void test_all_modes_used(void)
{
	test_video v = test_video_make(288, 192, 4, TEST_NATURAL);
	h264i_stats sum;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	memset(&sum, 0, sizeof(sum));
	for (int qp = 12; qp <= 44; qp += 16) {
		h264i_options o = cpu_options();
		test_stream s;

		o.stats = 1;
		o.qp = qp;
		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		for (int i = 0; i < 9; i++)
			sum.i4_mode[i] += s.stats.i4_mode[i];
		for (int i = 0; i < 4; i++) {
			sum.i16_mode[i] += s.stats.i16_mode[i];
			sum.chroma_mode[i] += s.stats.chroma_mode[i];
		}
		free(s.data);
	}
	for (int i = 0; i < 9; i++)
		CU_ASSERT_TRUE(sum.i4_mode[i] * 200 >= sum_of(sum.i4_mode, 9));
	for (int i = 0; i < 4; i++) {
		CU_ASSERT_TRUE(sum.i16_mode[i] > 0);
		CU_ASSERT_TRUE(sum.chroma_mode[i] > 0);
	}
	free(v.pixels);
}

static uint64_t disabled_count(const h264i_stats *n, int bit)
{
	switch (bit) {
	case 17:
		return n->mb_i4x4;
	case 18:
		return n->mb_i16x16;
	default:
		return bit < 9    ? n->i4_mode[bit]
		       : bit < 13 ? n->i16_mode[bit - 9]
				  : n->chroma_mode[bit - 13];
	}
}

static void test_disabled(void)
{
	test_video v = test_video_make(288, 192, 2, TEST_NATURAL);
	h264i_options o = cpu_options();
	test_stream all;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.stats = 1;
	o.qp = 44;
	CU_ASSERT_EQUAL(test_encode(&v, o, &all), H264I_OK);
	for (int bit = 0; bit < 19; bit++) {
		int is_dc = bit == 2 || bit == 11 || bit == 13;
		test_stream s;

		o.disable_modes = 1u << bit;
		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		CU_ASSERT_TRUE(disabled_count(&all.stats, bit) > 0);
		if (is_dc)
			CU_ASSERT_TRUE(test_same_bytes(&all, &s))
		else
			CU_ASSERT_EQUAL(disabled_count(&s.stats, bit), 0);
		free(s.data);
	}
	/* All modes that can be disabled together: only DC remains. */
	o.disable_modes = 0x1ffff;
	{
		test_stream s;

		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		CU_ASSERT_EQUAL(s.stats.i4_mode[2], 16 * s.stats.mb_i4x4);
		CU_ASSERT_EQUAL(s.stats.i16_mode[2], s.stats.mb_i16x16);
		CU_ASSERT_TRUE(s.bytes > all.bytes);
		free(s.data);
	}
	free(all.data);
	free(v.pixels);
}

/* Blocks that read the macroblock to the upper right become fewer (those without one remain), and
 * there is no effect where Intra8x8 reads it too. */
static void test_upright(void)
{
	enum { LAST = 63 };
	const uint32_t bits[] = { 0, H264I_DISABLE_UPRIGHT };

	for (int high = 0; high < 2; high++) {
		test_video v = test_video_make(288, 192, 2, TEST_NATURAL);
		uint64_t count[2][LAST + 1];
		test_stream s[2];
		unsigned at = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		while (h264i_get_tool(at) && strcmp(h264i_get_tool(at)->name, "upright") != 0)
			at++;
		CU_ASSERT_TRUE_FATAL(at < LAST && h264i_get_tool(at));
		CU_ASSERT_EQUAL(h264i_get_tool(at)->disable, H264I_DISABLE_UPRIGHT);
		for (int k = 0; k < 2; k++) {
			h264i_options o = cpu_options();
			h264i_encoder *enc;
			h264i_packet pkt;

			CU_ASSERT_EQUAL(h264i_options_set_preset(&o, high ? "fast" : "ultrafast"),
				H264I_OK);
			CU_ASSERT_EQUAL(o.disable_modes, high ? 0 : H264I_DISABLE_UPRIGHT);
			o.disable_modes = bits[k];
			o.stats = 1;
			CU_ASSERT_EQUAL(test_encode(&v, o, &s[k]), H264I_OK);
			o.width = v.width;
			o.height = v.height;
			enc = test_open_ok(&o);
			CU_ASSERT_PTR_NOT_NULL_FATAL(enc);
			test_send_all(enc, &v);
			CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
			h264i_packet_init(&pkt);
			while (h264i_receive_packet(enc, &pkt) == H264I_OK)
				h264i_packet_unref(&pkt);
			CU_ASSERT_EQUAL(h264i_get_tool_counts(enc, count[k], LAST), H264I_OK);
			h264i_close(&enc);
		}
		CU_ASSERT_TRUE(count[0][at] > 0);
		if (high) {
			CU_ASSERT_TRUE(test_same_bytes(&s[0], &s[1]));
		} else {
			CU_ASSERT_FALSE(test_same_bytes(&s[0], &s[1]));
			CU_ASSERT_TRUE(count[1][at] > 0 && 2 * count[1][at] < count[0][at]);
		}
		free(s[0].data);
		free(s[1].data);
		free(v.pixels);
	}
}

/* ---- Intra8x8 ---- */

static h264i_options high_options(int transform8x8)
{
	h264i_options o = cpu_options();

	o.profile = H264I_PROFILE_HIGH;
	o.cabac = 0;
	o.transform8x8 = transform8x8;
	o.sse = 1;
	o.qp = 42;
	return o;
}

/* Intra8x8 is the default of High profile, and serves: fewer bytes, less error. */
static void test_transform8x8(void)
{
	test_video v = test_video_make(288, 192, 2, TEST_NATURAL);
	test_stream without, with, automatic, sliced, threads;
	h264i_options o = high_options(1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	CU_ASSERT_EQUAL(test_encode(&v, high_options(0), &without), H264I_OK);
	CU_ASSERT_EQUAL(test_encode(&v, o, &with), H264I_OK);
	CU_ASSERT_EQUAL(test_encode(&v, high_options(-1), &automatic), H264I_OK);
	CU_ASSERT_TRUE(test_same_bytes(&with, &automatic));
	CU_ASSERT_TRUE(with.bytes < without.bytes);
	CU_ASSERT_TRUE(with.sse[0] < without.sse[0]);
	o.threads = 1;
	o.sched = H264I_SCHED_STATIC;
	o.frames_in_flight = 1;
	CU_ASSERT_EQUAL(test_encode(&v, o, &threads), H264I_OK);
	CU_ASSERT_TRUE(test_same_bytes(&with, &threads));
	o.slices = 12;
	CU_ASSERT_EQUAL(test_encode(&v, o, &sliced), H264I_OK);
	CU_ASSERT_TRUE(sliced.bytes > with.bytes);
	free(without.data);
	free(with.data);
	free(automatic.data);
	free(threads.data);
	free(sliced.data);
	free(v.pixels);
}

static void test_transform8x8_refused(void)
{
	h264i_encoder *enc;
	h264i_options o = high_options(1);
	char msg[256];

	o.width = o.height = 64;
	o.profile = H264I_PROFILE_MAIN;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "8x8"));
	o.profile = H264I_PROFILE_HIGH;
	o.transform8x8 = 2;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
}

/* ---- I_PCM ---- */

/* Copies a NAL unit without its emulation prevention bytes. Returns the number of bytes. */
static size_t unescape(const test_nal *in, uint8_t *out)
{
	size_t n = 0, zeros = 0;

	for (size_t i = 0; i < in->bytes; i++) {
		if (zeros >= 2 && in->data[i] == 3) {
			zeros = 0;
			continue;
		}
		zeros = in->data[i] ? 0 : zeros + 1;
		out[n++] = in->data[i];
	}
	return n;
}

/* One macroblock of noise at QP 0 is I_PCM; its samples end the slice, with 1 in place of 0. */
static void test_pcm_samples(void)
{
	static uint8_t packet[4096], rbsp[4096];
	h264i_options o = cpu_options();

	o.width = o.height = 16;
	o.qp = 0;
	for (int round = 0; round < 50; round++) {
		uint8_t pixels[384];
		h264i_frame f;
		test_video v = { 16, 16, 1, pixels };
		test_nal unit[3];
		size_t n;
		int wrong = 0;

		for (int i = 0; i < 384; i++) {
			pixels[i] = (uint8_t)rng();
			if (round & 1) /* many zeros, so many bytes to escape */
				pixels[i] = rng() & 1 ? 255 : 0;
		}
		f = test_frame(&v, 0);
		n = test_encode_one(o, &f, packet, sizeof(packet), NULL);
		CU_ASSERT_EQUAL_FATAL(test_split_nals(packet, n, unit, 3), 3);
		n = unescape(&unit[2], rbsp);
		CU_ASSERT_TRUE_FATAL(n > 385 && n < 395);
		CU_ASSERT_EQUAL(rbsp[n - 1], 0x80);
		for (int i = 0; i < 384; i++)
			wrong += rbsp[n - 385 + (size_t)i] != (pixels[i] ? pixels[i] : 1);
		CU_ASSERT_EQUAL(wrong, 0);
	}
}

static void test_pcm(void)
{
	test_video v = test_video_make(98, 66, 2, TEST_NOISE);
	h264i_options o = cpu_options();
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc;
	h264i_stats n = { .struct_bytes = sizeof(n) };
	uint32_t frame = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.width = v.width;
	o.height = v.height;
	o.qp = o.deblock = 0;
	o.recon = o.stats = 1;
	o.frames_in_flight = 2;
	enc = test_open_ok(&o);
	test_send_all(enc, &v);
	h264i_flush(enc);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK) {
		h264i_frame f = test_frame(&v, frame++);
		int wrong = 0;

		/* Whole macroblocks only: some at the border are smaller than I_PCM. */
		for (uint32_t y = 0; y < 64; y++)
			for (uint32_t x = 0; x < 96; x++) {
				uint8_t s = f.plane[0][y * f.pitch_bytes[0] + x];

				wrong += pkt.recon[0][y * pkt.recon_pitch_bytes[0] + x] !=
					 (s ? s : 1);
			}
		CU_ASSERT_EQUAL(wrong, 0);
	}
	h264i_get_stats(enc, &n);
	CU_ASSERT_TRUE(n.mb_pcm >= 2 * 24);
	/* No macroblock is larger than I_PCM, so neither is the stream. */
	CU_ASSERT_TRUE(n.bytes <= 2 * (35 * (3088 / 8 + 8) + 64));
	h264i_close(&enc);
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "counts of types and modes add up", test_counts },
		{ "counts of Intra8x8, and of streams without chroma", test_counts_8x8 },
		{ "the table of coding tools", test_tool_table },
		{ "every mode is used", test_all_modes_used },
		{ "disabled modes are not used", test_disabled },
		{ "modes that read the macroblock to the upper right", test_upright },
		{ "Intra8x8 saves bytes in High profile", test_transform8x8 },
		{ "the 8x8 transform is refused where it is not", test_transform8x8_refused },
		{ "I_PCM samples are the source without zeros", test_pcm_samples },
		{ "noise at QP 0 becomes I_PCM", test_pcm },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("encode_modes", tests);
}
