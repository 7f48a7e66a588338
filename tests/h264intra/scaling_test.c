/* Scaling matrices: their text, what is refused, what the parameter sets say of them. */
#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/cavlc_reference.h"
#include "tests/h264intra/encode_common.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char lists[] = "# weights\r\n"
			    "INTRA4X4_LUMA = \n 4,5,6,7,\n 8,9,10,11\n 12 13 14 15\n16,17,18,255,\n"
			    "INTER4X4_LUMA = 16,16,16,16,16,16,16,16,16,16,16,16,16,16,16,16\n"
			    "INTRA4X4_CHROMAU 20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35#\n"
			    "INTRA4X4_CHROMAV=20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35";

static void text_is_read(void)
{
	h264i_options o;
	h264i_weights standard;
	char msg[100] = "";

	h264i_options_init(&o);
	h264i_i_weights_default(&standard);
	CU_ASSERT_EQUAL(h264i_options_read_scaling(&o, lists, msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_EQUAL(o.scaling, H264I_SCALING_CUSTOM);
	for (int k = 0; k < 16; k++) {
		CU_ASSERT_EQUAL(o.scaling_luma4[k], k < 15 ? 4 + k : 255);
		CU_ASSERT_EQUAL(o.scaling_chroma4[k], 20 + k);
	}
	CU_ASSERT_EQUAL(memcmp(o.scaling_luma8, standard.luma8, 64), 0);
	/* Without lists of chroma that of luma. */
	CU_ASSERT_EQUAL(h264i_options_read_scaling(
				&o, "INTRA4X4_LUMA 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 9", NULL, 0),
		H264I_OK);
	CU_ASSERT_EQUAL(o.scaling_chroma4[15], 9);
}

static void other_text_is_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = { { "", "no list of intra blocks" }, { "# nothing\n\n", "line 3: no list" },
		{ "INTRA4X4_LUMA", "0 numbers" }, { "\nINTRA4X4_LUMA = 4, 5, x", "line 2: " },
		{ "INTRA4X4_LUMA 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", "'20' is no list" },
		{ "INTRA4X4_LUMA 3", "weight 3, which is not in 4..255" },
		{ "INTRA4X4_LUMA 256", "weight 256" },
		{ "INTRA4X4_LUMA 99999999999", "weight 99999999999, which" },
		{ "INTRA4X4_LUMA -4", "0 numbers" }, { "INTRA4X4_LUMAX 4", "no list" },
		{ "INTRA8X8_CHROMAU 4", "no list" }, { "\x7f\x01", "no list" },
		{ "INTRA4X4_LUMA 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8\n"
		  "INTRA4X4_CHROMAV 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8",
			"INTRA4X4_CHROMAV differs" } };
	h264i_options o, before;
	char msg[200];

	h264i_options_init(&before);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o = before;
		CU_ASSERT_EQUAL(h264i_options_read_scaling(&o, cases[i].text, msg, sizeof(msg)),
			H264I_ERR_ARG);
		if (!strstr(msg, cases[i].why))
			printf("\n  \"%s\": %s\n", cases[i].text, msg);
		CU_ASSERT_PTR_NOT_NULL(strstr(msg, cases[i].why));
		CU_ASSERT_EQUAL(memcmp(&o, &before, sizeof(o)), 0);
		CU_ASSERT_EQUAL(
			h264i_options_read_scaling(&o, cases[i].text, msg, 5), H264I_ERR_ARG);
	}
	CU_ASSERT_EQUAL(h264i_options_read_scaling(&o, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_options_read_scaling(NULL, lists, NULL, 0), H264I_ERR_ARG);
	o.struct_bytes = offsetof(h264i_options, scaling); /* of an older caller */
	CU_ASSERT_EQUAL(h264i_options_read_scaling(&o, lists, msg, sizeof(msg)), H264I_ERR_ARG);
}

/* Any bytes end in a result; most of them are words of the format. */
static void random_text_is_survived(void)
{
	static const char *const words[] = { "INTRA4X4_LUMA", "INTRA8X8_LUMA", "INTRA4X4_CHROMAV",
		"INTER8X8_LUMA", " 16", ",9", "\n", "#", "=", "=", "300", "x", "\xff", " 7 7 7 7" };
	h264i_options o;
	int good = 0;

	for (int round = 0; round < 20000; round++) {
		char text[2000] = "", msg[64];
		size_t n = rng_below(120);

		for (size_t i = 0; i < n; i++)
			strcat(text, words[rng_below(sizeof(words) / sizeof(words[0]))]);
		h264i_options_init(&o);
		good += h264i_options_read_scaling(&o, text, msg, sizeof(msg)) == H264I_OK;
	}
	CU_ASSERT_TRUE(good < 20000);
}

static void refuse(h264i_options o, const char *text)
{
	h264i_encoder *enc = NULL;
	char msg[256];

	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_PTR_NULL(enc);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, text));
}

static void values_out_of_range_are_refused(void)
{
	h264i_options o = test_cpu_options(64, 64);

	o.scaling = H264I_SCALING_DEFAULT;
	refuse(o, "needs profile high");
	o.profile = H264I_PROFILE_HIGH;
	o.scaling = H264I_SCALING_CUSTOM;
	memset(o.scaling_luma4, 16, sizeof(o.scaling_luma4));
	memset(o.scaling_chroma4, 16, sizeof(o.scaling_chroma4));
	refuse(o, "weight of 0; at least 4");
	o.scaling = (h264i_scaling)3;
	refuse(o, "scaling 3 is not in 0..2");
	o.scaling = H264I_SCALING_FLAT;
	o.chroma_qp_offset = -13;
	refuse(o, "chroma_qp_offset -13 is not in -12..12");
	o.chroma_qp_offset = 12;
	o.cr_qp_offset = 13;
	refuse(o, "cr_qp_offset 13 is not in -12..12");
	o.cr_qp_offset = -14;
	refuse(o, "cr_qp_offset -14 is not in -12..12");
	o.cr_qp_offset = 11;
	o.profile = H264I_PROFILE_MAIN;
	refuse(o, "chroma_qp_offset 12:11 needs profile high, as Cb and Cr differ");
	o.cr_qp_offset = 12;
	o.deblock_beta = 7;
	refuse(o, "deblock_beta 7 is not in -6..6");
}

/* scaling_list() as clause 7.3.2.1.1.1 parses it, to positions. */
static void parse_list(ref_reader *r, uint8_t *weight, const uint8_t *order, int n)
{
	int last = 8, next = 8;

	for (int k = 0; k < n; k++) {
		if (next)
			next = (last + (int)ref_se(r) + 256) % 256;
		last = weight[order[k]] = (uint8_t)(next ? next : last);
	}
}

static void the_parameter_set_has_the_lists(void)
{
	static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT, zigzag8[64] = H264I_ZIGZAG8_INIT;

	for (int round = 0; round < 300; round++) {
		h264i_options o = test_cpu_options(64, 64);
		h264i_encoder *enc;
		h264i_weights w;
		const uint8_t *head;
		size_t bytes, n = 0;
		uint8_t rbsp[600];
		ref_reader r = { rbsp, 0, 0, 0 };

		o.profile = H264I_PROFILE_HIGH;
		o.scaling = H264I_SCALING_CUSTOM;
		for (int k = 0; k < 64; k++) {
			/* the largest steps between neighbours, too */
			int v = round ? 4 + (int)rng_below(252) : k % 2 ? 255 : 4;

			o.scaling_luma8[k] = (uint8_t)v;
			o.scaling_luma4[k / 4] = (uint8_t)v;
			o.scaling_chroma4[k % 16] = (uint8_t)(259 - v);
		}
		CU_ASSERT_EQUAL_FATAL(h264i_open(&enc, &o, NULL, 0), H264I_OK);
		CU_ASSERT_EQUAL_FATAL(h264i_headers(enc, &head, &bytes), H264I_OK);
		for (size_t i = 8; i < bytes && n < sizeof(rbsp); i++) /* behind level_idc */
			if (head[i] != 3 || head[i - 1] || head[i - 2])
				rbsp[n++] = head[i];
		r.end = 8 * n;
		ref_ue(&r);                       /* seq_parameter_set_id */
		CU_ASSERT_EQUAL(ref_ue(&r), 1);   /* chroma_format_idc */
		CU_ASSERT_EQUAL(ref_u(&r, 3), 6); /* two ue(v) of 0, a flag */
		CU_ASSERT_EQUAL(ref_u(&r, 2), 3); /* matrices, Intra Y */
		parse_list(&r, w.luma4, zigzag, 16);
		CU_ASSERT_EQUAL(ref_u(&r, 1), 1);
		parse_list(&r, w.chroma4, zigzag, 16);
		CU_ASSERT_EQUAL(ref_u(&r, 5), 1);
		parse_list(&r, w.luma8, zigzag8, 64);
		CU_ASSERT_EQUAL(ref_u(&r, 1), 0);
		CU_ASSERT_EQUAL(memcmp(w.luma4, o.scaling_luma4, 16), 0);
		CU_ASSERT_EQUAL(memcmp(w.chroma4, o.scaling_chroma4, 16), 0);
		CU_ASSERT_EQUAL(memcmp(w.luma8, o.scaling_luma8, 64), 0);
		CU_ASSERT_EQUAL(ref_ue(&r), 0); /* log2_max_frame_num_minus4 */
		CU_ASSERT_EQUAL(ref_ue(&r), 2); /* pic_order_cnt_type */
		CU_ASSERT_FALSE(r.bad);
		h264i_close(&enc);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "text is read", text_is_read },
		{ "other text is refused", other_text_is_refused },
		{ "random text is survived", random_text_is_survived },
		{ "values out of range are refused", values_out_of_range_are_refused },
		{ "the parameter set has the lists", the_parameter_set_has_the_lists },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("scaling", tests);
}
