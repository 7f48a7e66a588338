/* Parameter sets and slice header: read back by the parser of this test and, if it is installed, by
 * the ffmpeg program. */
#define _GNU_SOURCE
#include "h264intra/bitstream/params.h"
#include "h264intra/bitstream/slice_hdr.h"
#include "tests/h264intra/cavlc_reference.h"
#include "tests/common/testmain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static h264i_params base_params(uint32_t width, uint32_t height)
{
	h264i_params p = { .geom = { width, height, (width + 15) / 16, (height + 15) / 16, 1 },
		.qp = 27,
		.level = 40,
		.filter = { 1, 0, 0 },
		.vui = { .full_range = -1,
			.primaries = 2,
			.transfer = 2,
			.matrix = 2,
			.chroma_loc = -1 },
		.profile = 66 };

	return p;
}

enum { WORDS = 40 };

typedef struct {
	uint32_t word[WORDS];
	uint8_t bytes[4 * WORDS];
} space;

static ref_reader read_back(space *s, h264i_bits *bits)
{
	ref_reader r = { s->bytes, 0, (size_t)h264i_bits_position(bits), 0 };

	h264i_bits_flush(bits);
	h264i_i_bits_to_bytes(s->bytes, s->word, (r.end + 7) / 8);
	return r;
}

/* A syntax element and the value it must have. */
typedef struct {
	int bits; /* u(bits); 0: ue(v); -1: se(v) */
	int64_t value;
} field;

enum { UE = 0, SE = -1 };

/* Reads n elements. Returns the first that differs, counted from 1, or 0. */
static int first_difference(ref_reader *r, const field *f, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		int64_t v = f[i].bits == UE   ? (int64_t)ref_ue(r)
			    : f[i].bits == SE ? (int64_t)ref_se(r)
					      : (int64_t)ref_u(r, f[i].bits);

		if (v != f[i].value || r->bad)
			return i + 1;
	}
	return 0;
}

#define CHECK_FIELDS(r, f) \
	CU_ASSERT_EQUAL(first_difference(r, f, (int)(sizeof(f) / sizeof((f)[0]))), 0)

/* Only rbsp_trailing_bits() is left. */
static int at_trailing_bits(ref_reader *r)
{
	if (ref_u(r, 1) != 1)
		return 0;
	while (r->at % 8)
		if (ref_u(r, 1))
			return 0;
	return !r->bad && r->at == r->end;
}

static void the_sps_of_1080p_has_the_right_values(void)
{
	static const field head[] = { { 8, 66 }, { 1, 1 }, { 1, 1 }, { 1, 0 }, { 1, 0 }, { 1, 0 },
		{ 1, 0 }, { 2, 0 }, { 8, 40 }, { UE, 0 }, { UE, 0 }, { UE, 2 }, { UE, 1 }, { 1, 0 },
		{ UE, 119 }, { UE, 67 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { UE, 0 }, { UE, 0 },
		{ UE, 0 }, { UE, 4 }, { 1, 1 } };
	static const field vui[] = { { 1, 1 }, { 8, 14 }, { 1, 0 }, { 1, 1 }, { 3, 5 }, { 1, 1 },
		{ 1, 1 }, { 8, 9 }, { 8, 16 }, { 8, 9 }, { 1, 1 }, { UE, 2 }, { UE, 2 }, { 1, 1 },
		{ 32, 1001 }, { 32, 60000 }, { 1, 1 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 1 },
		{ 1, 1 }, { UE, 0 }, { UE, 0 }, { UE, 15 }, { UE, 15 }, { UE, 0 }, { UE, 1 } };
	h264i_params p = base_params(1920, 1080);
	h264i_vui v = { 1, 9, 16, 9, 2, 4, 3, 30000, 1001, 1, { 0 } };
	space s;
	h264i_bits bits;
	ref_reader r;

	p.vui = v;
	h264i_bits_init(&bits, s.word, 1, WORDS);
	h264i_i_sps_put(&bits, &p);
	r = read_back(&s, &bits);
	CHECK_FIELDS(&r, head);
	CHECK_FIELDS(&r, vui);
	CU_ASSERT(at_trailing_bits(&r));
}

static void sps_without_colour_timing_and_cropping_is_short(void)
{
	static const field all[] = { { 8, 66 }, { 8, 0xd0 }, { 8, 11 }, { UE, 0 }, { UE, 0 },
		{ UE, 2 }, { UE, 1 }, { 1, 0 }, { UE, 10 }, { UE, 8 }, { 1, 1 }, { 1, 1 }, { 1, 0 },
		{ 1, 1 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 3, 0 }, { 1, 1 },
		{ 1, 1 }, { UE, 0 }, { UE, 0 }, { UE, 15 }, { UE, 15 }, { UE, 0 }, { UE, 1 } };
	h264i_params p = base_params(176, 144);
	space s;
	h264i_bits bits;
	ref_reader r;

	p.level = 9; /* 1b: level_idc 11 and constraint_set3_flag */
	h264i_bits_init(&bits, s.word, 1, WORDS);
	h264i_i_sps_put(&bits, &p);
	r = read_back(&s, &bits);
	CHECK_FIELDS(&r, all);
	CU_ASSERT(at_trailing_bits(&r));
}

static void main_and_high_have_their_own_fields(void)
{
	static const field main_sps[] = { { 8, 77 }, { 8, 0x50 }, { 8, 11 }, { UE, 0 }, { UE, 0 },
		{ UE, 2 } };
	static const field high_sps[] = { { 8, 100 }, { 8, 0 }, { 8, 9 }, { UE, 0 }, { UE, 1 },
		{ UE, 0 }, { UE, 0 }, { 1, 0 }, { 1, 0 }, { UE, 0 }, { UE, 2 }, { UE, 1 } };
	static const field pps[] = { { UE, 0 }, { UE, 0 }, { 1, 1 }, { 1, 0 }, { UE, 0 }, { UE, 0 },
		{ UE, 0 }, { 3, 0 }, { SE, 1 }, { SE, 0 }, { SE, 0 }, { 1, 1 }, { 2, 0 } };
	static const field transform[] = { { 1, 1 }, { 1, 0 }, { SE, 0 } };
	h264i_params p = base_params(176, 144);
	space s;
	h264i_bits bits;
	ref_reader r;

	p.level = 9; /* only High has a number for level 1b */
	p.cabac = 1;
	for (int high = 0; high < 2; high++) {
		p.profile = high ? 100 : 77;
		p.transform8x8 = high;
		h264i_bits_init(&bits, s.word, 1, WORDS);
		h264i_i_sps_put(&bits, &p);
		r = read_back(&s, &bits);
		if (high) {
			CHECK_FIELDS(&r, high_sps);
		} else {
			CHECK_FIELDS(&r, main_sps);
		}
		h264i_bits_init(&bits, s.word, 1, WORDS);
		h264i_i_pps_put(&bits, &p);
		r = read_back(&s, &bits);
		CHECK_FIELDS(&r, pps);
		if (high) {
			CHECK_FIELDS(&r, transform);
		}
		CU_ASSERT(at_trailing_bits(&r));
	}
}

/* Bit position of the VUI in the SPS of a picture of whole macroblocks, 16x16. */
enum { VUI_AT_16X16 = 24 + 1 + 1 + 3 + 3 + 1 + 1 + 1 + 1 + 1 + 1 + 1 };

static ref_reader vui_of(space *s, const h264i_vui *v)
{
	h264i_params p = base_params(16, 16);
	h264i_bits bits;
	ref_reader r;

	p.vui = *v;
	h264i_bits_init(&bits, s->word, 1, WORDS);
	h264i_i_sps_put(&bits, &p);
	r = read_back(s, &bits);
	r.at = VUI_AT_16X16;
	return r;
}

static void sample_aspect_ratios_use_table_e_1_where_they_can(void)
{
	static const struct {
		uint32_t num, den, idc, width, height;
	} cases[] = { { 1, 1, 1, 0, 0 }, { 16, 16, 1, 0, 0 }, { 12, 11, 2, 0, 0 },
		{ 40, 33, 5, 0, 0 }, { 160, 99, 13, 0, 0 }, { 8, 6, 14, 0, 0 }, { 2, 1, 16, 0, 0 },
		{ 7, 5, 255, 7, 5 }, { 1, 2, 255, 1, 2 }, { 200000, 3, 255, 50000, 1 },
		{ 4000000000u, 1, 255, 61035, 1 }, { 65535, 65534, 255, 65535, 65534 } };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		h264i_vui v = { -1, 2, 2, 2, -1, cases[i].num, cases[i].den, 0, 0, 0, { 0 } };
		space s;
		ref_reader r = vui_of(&s, &v);

		CU_ASSERT_EQUAL(ref_u(&r, 1), 1);
		CU_ASSERT_EQUAL(ref_u(&r, 8), cases[i].idc);
		if (cases[i].idc == 255) {
			CU_ASSERT_EQUAL(ref_u(&r, 16), cases[i].width);
			CU_ASSERT_EQUAL(ref_u(&r, 16), cases[i].height);
		}
	}
}

static void colour_that_4_2_0_cannot_have_is_unspecified(void)
{
	static const field rgb[] = { { 1, 0 }, { 1, 0 }, { 1, 1 }, { 3, 5 }, { 1, 0 }, { 1, 1 },
		{ 8, 1 }, { 8, 13 }, { 8, 2 }, { 1, 0 } };
	static const field range_only[] = { { 1, 0 }, { 1, 0 }, { 1, 1 }, { 3, 5 }, { 1, 1 },
		{ 1, 0 }, { 1, 0 } };
	static const field nothing[] = { { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 } };
	h264i_vui v = { -1, 1, 13, 0, 6, 1, 0, 25, 0, 0, { 0 } };
	space s;
	ref_reader r = vui_of(&s, &v);

	CHECK_FIELDS(&r, rgb);
	v.primaries = 0;
	v.transfer = 300;
	v.full_range = 1;
	r = vui_of(&s, &v);
	CHECK_FIELDS(&r, range_only);
	v.full_range = -1;
	r = vui_of(&s, &v);
	CHECK_FIELDS(&r, nothing);
}

static void a_frame_lasts_two_ticks(void)
{
	static const uint32_t cases[][4] = { { 25, 1, 1, 50 }, { 24000, 1001, 1001, 48000 },
		{ 0x7fffffff, 1, 1, 0xfffffffe }, { 4000000000u, 2000000000u, 1, 4 },
		{ 4000000001u, 3, 1, 4000000000u } };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		h264i_vui v = { -1, 2, 2, 2, -1, 0, 0, cases[i][0], cases[i][1], 0, { 0 } };
		space s;
		ref_reader r = vui_of(&s, &v);

		CU_ASSERT_EQUAL(ref_u(&r, 5), 1); /* four flags off, timing on */
		CU_ASSERT_EQUAL(ref_u(&r, 32), cases[i][2]);
		CU_ASSERT_EQUAL(ref_u(&r, 32), cases[i][3]);
	}
}

static void pps_and_slice_header_have_the_right_values(void)
{
	int qp;

	for (qp = 0; qp < 52; qp++) {
		const field pps[] = { { UE, 0 }, { UE, 0 }, { 1, 0 }, { 1, 0 }, { UE, 0 },
			{ UE, 0 }, { UE, 0 }, { 1, 0 }, { 2, 0 }, { SE, qp - 26 }, { SE, 0 },
			{ SE, qp % 25 - 12 }, { 1, 1 }, { 1, 0 }, { 1, 0 } };
		const uint32_t first_mb = (uint32_t)(qp * qp * 53), picture = (uint32_t)qp;
		const int delta = 51 - 2 * qp;
		const field slice[] = { { UE, first_mb }, { UE, 7 }, { UE, 0 }, { 4, 0 },
			{ UE, picture & 1 }, { 1, 0 }, { 1, 0 }, { SE, delta },
			{ UE, qp % 3 == 0 } };
		const h264i_filter filter = { qp % 3 != 0, qp % 13 - 6, 6 - qp % 11 };
		const field offsets[] = { { SE, filter.alpha }, { SE, filter.beta } };
		h264i_params p = base_params(64, 64);
		space s;
		h264i_bits bits;
		ref_reader r;

		p.qp = qp;
		p.chroma_qp_offset[0] = p.chroma_qp_offset[1] = qp % 25 - 12;
		h264i_bits_init(&bits, s.word, 1, WORDS);
		h264i_i_pps_put(&bits, &p);
		r = read_back(&s, &bits);
		CHECK_FIELDS(&r, pps);
		CU_ASSERT(at_trailing_bits(&r));

		p.profile = 100;
		p.chroma_qp_offset[1] = p.chroma_qp_offset[0] < 0 ? 12 : -12;
		p.transform8x8 = qp % 2;
		h264i_bits_init(&bits, s.word, 1, WORDS);
		h264i_i_pps_put(&bits, &p);
		r = read_back(&s, &bits);
		CHECK_FIELDS(&r, pps);
		CU_ASSERT_EQUAL(ref_u(&r, 2), p.transform8x8 ? 2 : 0);
		CU_ASSERT_EQUAL(ref_se(&r), p.chroma_qp_offset[1]);
		CU_ASSERT(at_trailing_bits(&r));

		h264i_bits_init(&bits, s.word, 1, WORDS);
		h264i_slice_hdr_put(&bits, first_mb, picture, delta, filter);
		CU_ASSERT(h264i_bits_position(&bits) <= H264I_SLICE_HDR_BITS_MAX);
		r = read_back(&s, &bits);
		CHECK_FIELDS(&r, slice);
		if (qp % 3)
			CHECK_FIELDS(&r, offsets);
		CU_ASSERT_EQUAL(r.at, r.end);
	}
}

static void the_longest_parameter_sets_fit(void)
{
	h264i_params p = base_params(16880, 2112);
	h264i_vui v = { 1, 255, 255, 255, 5, 65535, 65534, 0x7fffffff, 0xffffffff, 1, { 0 } };
	uint32_t word[H264I_PARAM_SET_WORDS];
	h264i_bits bits;
	h264i_buf b = { NULL, 0, 0 };

	p.vui = v;
	p.geom.width -= 14;
	p.geom.height -= 14;
	p.qp = 0;
	h264i_bits_init(&bits, word, 1, H264I_PARAM_SET_WORDS);
	h264i_i_sps_put(&bits, &p);
	CU_ASSERT_FALSE(h264i_bits_overflow(&bits));
	CU_ASSERT_EQUAL_FATAL(h264i_i_param_sets_append(&b, &p), 0);
	CU_ASSERT(b.bytes > 20 && memcmp(b.data, "\0\0\0\1\x67\x42", 6) == 0);
	h264i_i_buf_free(&b);
}

/* Returns the fields that ffmpeg traces in the headers of a stream, as ";NAME = VALUE;". */
static char *traced_fields(const char *path)
{
	char command[200], line[300], *seen = malloc(1 << 16);
	size_t used = 0;
	FILE *f;

	snprintf(command, sizeof(command),
		"ffmpeg -nostdin -hide_banner -f h264 -i %s -c copy -bsf:v trace_headers -f null - "
		"2>&1",
		path);
	f = popen(command, "r");
	CU_ASSERT_FATAL(f != NULL && seen != NULL);
	/* "[..] 24  level_idc   00101000 = 40" becomes "level_idc = 40;" */
	while (fgets(line, sizeof(line), f) && used < (1 << 16) - 200) {
		char *text = strstr(line, "] "), name[80];
		long long value;

		if (text && sscanf(text + 2, "%*d %79s %*s = %lld", name, &value) == 2)
			used += (size_t)snprintf(
				seen + used, (1 << 16) - used, ";%s = %lld;", name, value);
	}
	pclose(f);
	seen[used] = '\0';
	return seen;
}

/* Compares the fields that the ffmpeg program traces with their values. */
static void ffmpeg_reads_the_same_values_from_the_headers(void)
{
	static const char *const want[] = { "profile_idc = 66", "constraint_set0_flag = 1",
		"constraint_set1_flag = 1", "level_idc = 40", "pic_order_cnt_type = 2",
		"max_num_ref_frames = 1", "pic_width_in_mbs_minus1 = 119",
		"pic_height_in_map_units_minus1 = 67", "frame_crop_bottom_offset = 4",
		"aspect_ratio_idc = 255", "sar_width = 7", "sar_height = 5",
		"video_full_range_flag = 1", "colour_primaries = 9",
		"transfer_characteristics = 16", "matrix_coefficients = 9",
		"chroma_sample_loc_type_top_field = 2", "num_units_in_tick = 1001",
		"time_scale = 60000", "fixed_frame_rate_flag = 1", "max_num_reorder_frames = 0",
		"max_dec_frame_buffering = 1", "pic_init_qp_minus26 = -9",
		"deblocking_filter_control_present_flag = 1", "slice_type = 7", "idr_pic_id = 1",
		"slice_qp_delta = 0", "disable_deblocking_filter_idc = 0" };
	char path[] = "/tmp/params_test_XXXXXX", line[300], *seen;
	h264i_params p = base_params(1920, 1080);
	h264i_vui v = { 1, 9, 16, 9, 2, 7, 5, 30000, 1001, 1, { 0 } };
	h264i_buf b = { NULL, 0, 0 };
	h264i_bits bits;
	space s;
	int fd;
	size_t i;

	if (system("command -v ffmpeg >/dev/null 2>&1") != 0) {
		printf("(no ffmpeg program, not checked) ");
		return;
	}
	p.vui = v;
	p.qp = 17;
	CU_ASSERT_EQUAL_FATAL(h264i_i_param_sets_append(&b, &p), 0);
	h264i_bits_init(&bits, s.word, 1, WORDS);
	h264i_slice_hdr_put(&bits, 0, 1, 0, p.filter);
	h264i_bits_put(&bits, 0xffffff, 24); /* in the place of macroblocks */
	h264i_bits_trailing(&bits);
	read_back(&s, &bits);
	CU_ASSERT_EQUAL_FATAL(h264i_i_buf_nal(&b, 1, H264I_NAL_IDR, s.bytes,
				      (size_t)h264i_bits_position(&bits) / 8),
		0);
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, b.data, b.bytes), (ssize_t)b.bytes);
	close(fd);
	h264i_i_buf_free(&b);

	seen = traced_fields(path);
	unlink(path);
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		snprintf(line, sizeof(line), ";%s;", want[i]);
		if (!strstr(seen, line))
			printf("\nffmpeg does not read \"%s\"\n", want[i]);
		CU_ASSERT_PTR_NOT_NULL(strstr(seen, line));
	}
	free(seen);
}

int main(void)
{
	CU_TestInfo params[] = { { "the SPS of 1080p has the right values",
					 the_sps_of_1080p_has_the_right_values },
		{ "SPS without colour, timing and cropping is short",
			sps_without_colour_timing_and_cropping_is_short },
		{ "Main and High have their own fields", main_and_high_have_their_own_fields },
		{ "sample aspect ratios use table E-1 where they can",
			sample_aspect_ratios_use_table_e_1_where_they_can },
		{ "colour that 4:2:0 cannot have is unspecified",
			colour_that_4_2_0_cannot_have_is_unspecified },
		{ "a frame lasts two ticks", a_frame_lasts_two_ticks },
		{ "PPS and slice header have the right values",
			pps_and_slice_header_have_the_right_values },
		{ "the longest parameter sets fit", the_longest_parameter_sets_fit },
		{ "ffmpeg reads the same values from the headers",
			ffmpeg_reads_the_same_values_from_the_headers },
		CU_TEST_INFO_NULL };
	CU_SuiteInfo suites[] = { TEST_SUITE("headers", params), CU_SUITE_INFO_NULL };

	return test_run(suites);
}
