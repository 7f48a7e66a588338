/* Profiles and CABAC in streams of the encoder: the slices are parsed by cabac_reference.c. */
#include <h264intra/mp4.h>
#include <string.h>
#include "tests/common/testmain.h"
#include "tests/h264intra/cabac_reference.h"
#include "tests/h264intra/cavlc_reference.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/nal_split.h"

enum { WIDTH = 80, HEIGHT = 64, MB_W = WIDTH / 16, MBS = MB_W * HEIGHT / 16, NALS = 64 };

/* Copies a NAL unit without its header and emulation prevention. Returns the bytes. */
static size_t unescape(const test_nal *n, uint8_t *to)
{
	size_t bytes = 0, zeros = 0;

	for (size_t i = 1; i < n->bytes; i++) {
		if (zeros >= 2 && n->data[i] == 3) {
			zeros = 0;
			continue;
		}
		zeros = n->data[i] ? 0 : zeros + 1;
		to[bytes++] = n->data[i];
	}
	return bytes;
}

/* What the slices of a stream have together. */
typedef struct {
	uint64_t bins, bytes;
	int slices, padded, mbs, pcm, wrong;
} tally;

/* Parses a slice of QP `qp` whose header follows slice_hdr.h. */
static void parse_slice(const test_nal *nal, int qp, int t8x8, tally *t)
{
	static uint8_t rbsp[MBS * 4000];
	static ref_cabac_mb picture[MBS];
	static ref_cabac r;
	size_t n = unescape(nal, rbsp);
	ref_reader h = { rbsp, 0, 8 * n, 0 };
	int first = (int)ref_ue(&h), at = first, last;

	t->wrong += ref_ue(&h) != 7; /* slice_type */
	ref_ue(&h);                  /* pic_parameter_set_id */
	ref_u(&h, 4);                /* frame_num */
	ref_ue(&h);                  /* idr_pic_id */
	ref_u(&h, 2);
	t->wrong += ref_se(&h) != 0; /* slice_qp_delta */
	if (ref_ue(&h) != 1) {
		ref_se(&h);
		ref_se(&h);
	}
	while (h.at % 8)
		t->wrong += ref_u(&h, 1) != 1; /* cabac_alignment_one_bit */
	memset(&r, 0, sizeof(r));
	r.data = rbsp;
	r.at = h.at;
	r.end = 8 * n;
	ref_cabac_contexts(&r, qp);
	ref_cabac_start(&r);
	do {
		ref_cabac_macroblock(&r, picture, MB_W, first, at, t8x8);
		t->pcm += picture[at].type == 25;
		t->mbs++;
		last = ref_cabac_terminate(&r);
	} while (!last && !r.bad && ++at < MBS);
	t->wrong += r.bad || !last;
	for (size_t i = (r.at + 7) / 8; i < n; i++) /* cabac_zero_words */
		t->wrong += rbsp[i] != 0;
	t->padded += (r.at + 7) / 8 < n;
	t->bins += r.bins;
	t->bytes += nal->bytes;
	t->slices++;
}

/* Encodes a picture of a pattern with CABAC and parses it. */
static tally parsed(int pattern, int qp, uint32_t slices, h264i_profile profile)
{
	test_video v = test_video_make(WIDTH, HEIGHT, 2, pattern);
	h264i_options o = test_cpu_options(WIDTH, HEIGHT);
	test_nal nal[NALS];
	test_stream s;
	tally t;
	int count;

	memset(&t, 0, sizeof(t));
	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.qp = qp;
	o.slices = slices;
	o.profile = profile;
	o.cabac = 1;
	CU_ASSERT_EQUAL_FATAL(test_encode(&v, o, &s), H264I_OK);
	count = test_split_nals(s.data, s.bytes, nal, NALS);
	t.wrong = count != 2 * (2 + (int)slices);
	for (int i = 0; i < count; i++) {
		if ((nal[i].data[0] & 31) == 7)
			t.wrong += nal[i].data[1] != (profile == H264I_PROFILE_HIGH ? 100 : 77);
		if ((nal[i].data[0] & 31) == 5)
			parse_slice(&nal[i], qp, profile == H264I_PROFILE_HIGH, &t);
	}
	free(v.pixels);
	free(s.data);
	return t;
}

static void slices_are_parsed_to_their_ends(void)
{
	int padded = 0, pcm = 0;

	for (int pattern = 0; pattern < TEST_PATTERNS; pattern++)
		for (int qp = 0; qp <= 51; qp += 3) {
			uint32_t slices = 1 + (uint32_t)qp % 4;
			tally t = parsed(pattern, qp, slices,
				qp % 2 ? H264I_PROFILE_HIGH : H264I_PROFILE_MAIN);

			CU_ASSERT_EQUAL(t.wrong, 0);
			CU_ASSERT_EQUAL(t.slices, 2 * (int)slices);
			CU_ASSERT_EQUAL(t.mbs, 2 * MBS);
			/* clause 7.4.2.10 */
			CU_ASSERT(3 * t.bins <= 32 * t.bytes + 3 * 2 * 96 * MBS);
			padded += t.padded;
			pcm += t.pcm;
		}
	CU_ASSERT(padded > 0);
	CU_ASSERT(pcm > 0);
}

static void cabac_follows_the_profile(void)
{
	const test_video v = test_video_make(WIDTH, HEIGHT, 1, TEST_NATURAL);
	size_t bytes[4];

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (int i = 0; i < 4; i++) { /* Baseline, Main, Main with CAVLC, Main with CABAC */
		h264i_options o = test_cpu_options(WIDTH, HEIGHT);
		test_stream s;

		CU_ASSERT_EQUAL(o.cabac, -1);
		o.profile = i ? H264I_PROFILE_MAIN : H264I_PROFILE_BASELINE;
		o.cabac = i < 2 ? -1 : i - 2;
		CU_ASSERT_EQUAL_FATAL(test_encode(&v, o, &s), H264I_OK);
		bytes[i] = s.bytes;
		free(s.data);
	}
	CU_ASSERT_EQUAL(bytes[2], bytes[0]);
	CU_ASSERT_EQUAL(bytes[3], bytes[1]);
	CU_ASSERT(bytes[1] < bytes[0]);
	free(v.pixels);
}

/* The bytes after the box type, or NULL. */
static const uint8_t *find_box(const uint8_t *data, size_t bytes, const char *type)
{
	for (size_t i = 0; i + 4 <= bytes; i++)
		if (memcmp(data + i, type, 4) == 0)
			return data + i + 4;
	return NULL;
}

/* The record alone is that of the file, and is cut to the room. */
static void check_record(const h264i_mp4_options *m, const uint8_t *box)
{
	const size_t bytes = (size_t)(box[-8] << 24 | box[-7] << 16 | box[-6] << 8 | box[-5]) - 8;
	uint8_t record[200];

	for (size_t room = 0; room <= bytes; room++) {
		memset(record, '#', sizeof(record));
		CU_ASSERT_EQUAL(h264i_mp4_avcc(m->headers, m->headers_bytes, record, room), bytes);
		CU_ASSERT_TRUE(memcmp(record, box, room) == 0 && record[room] == '#');
	}
	CU_ASSERT_EQUAL(h264i_mp4_avcc(m->headers, m->headers_bytes, NULL, 0), bytes);
	CU_ASSERT_EQUAL(h264i_mp4_avcc(m->headers, 9, NULL, 0), 0); /* half an SPS */
	CU_ASSERT_EQUAL(h264i_mp4_avcc(NULL, 0, NULL, 0), 0);
}

/* Lengths lead from each NAL unit to the next: SPS, PPS, slice. */
static void check_lengths(const h264i_packet *p)
{
	static const uint8_t types[3] = { 7, 8, 5 };
	static const uint8_t three[6] = { 0, 0, 1, 0x65, 0x88, 0x80 };
	uint8_t *copy = malloc(p->data_bytes + 8), other[6];
	size_t at = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, p->data, p->data_bytes);
	CU_ASSERT_EQUAL(h264i_mp4_lengths(copy, p->data_bytes), H264I_OK);
	for (size_t i = 0; i < 3 && at + 4 < p->data_bytes; i++) {
		const size_t n = (size_t)copy[at] << 24 | (size_t)copy[at + 1] << 16 |
				 (size_t)copy[at + 2] << 8 | copy[at + 3];

		CU_ASSERT_EQUAL(copy[at + 4] & 31, types[i]);
		CU_ASSERT_TRUE(n <= p->data_bytes - at - 4 &&
			       memcmp(copy + at + 4, p->data + at + 4, n) == 0);
		at += 4 + n;
	}
	CU_ASSERT_EQUAL(at, p->data_bytes);
	memcpy(copy, p->data, p->data_bytes);
	memset(copy + p->data_bytes, 0, 8); /* trailing_zero_8bits have no length */
	CU_ASSERT_EQUAL(h264i_mp4_lengths(copy, p->data_bytes + 8), H264I_ERR_ARG);
	memcpy(other, three, sizeof(other));
	CU_ASSERT_EQUAL(h264i_mp4_lengths(other, sizeof(other)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_lengths(copy + 1, 3), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_lengths(NULL, 0), H264I_OK);
	free(copy);
}

/* ISO/IEC 14496-15, clause 5.3.3.1: after the PPS, chroma_format, bit depths, no SPS extension. */
static void high_has_its_members_in_mp4(void)
{
	static const uint8_t members[4] = { 0xfd, 0xf8, 0xf8, 0 };
	const test_video v = test_video_make(WIDTH, HEIGHT, 1, TEST_NATURAL);
	h264i_options o = test_cpu_options(WIDTH, HEIGHT);
	h264i_mp4_options m;
	h264i_encoder *enc;
	h264i_packet pkt;
	h264i_mp4 *mp4 = NULL;
	const uint8_t *data, *at;
	size_t bytes = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.profile = H264I_PROFILE_HIGH;
	enc = test_open_ok(&o);
	test_send_all(enc, &v);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	h264i_packet_init(&pkt);
	CU_ASSERT_EQUAL_FATAL(h264i_receive_packet(enc, &pkt), H264I_OK);
	h264i_mp4_options_init(&m);
	m.width = WIDTH;
	m.height = HEIGHT;
	m.vui.fps_num = 25;
	m.vui.fps_den = 1;
	CU_ASSERT_EQUAL(h264i_headers(enc, &m.headers, &m.headers_bytes), H264I_OK);
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_memory(&mp4, &m, NULL, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &pkt, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_data(mp4, &data, &bytes), H264I_OK);
	at = find_box(data, bytes, "avcC");
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CU_ASSERT_EQUAL(at[1], 100);
	check_record(&m, at);
	check_lengths(&pkt);
	at += 6; /* to the SPS's length */
	at += 2 + (at[0] << 8 | at[1]) + 1;
	at += 2 + (at[0] << 8 | at[1]);
	CU_ASSERT_EQUAL(memcmp(at, members, sizeof(members)), 0);
	h264i_mp4_close(&mp4);
	h264i_close(&enc);
	free(v.pixels);
}

static void refuse(h264i_options o, h264i_status status, const char *text)
{
	h264i_encoder *enc = NULL;
	char msg[256];

	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), status);
	CU_ASSERT_PTR_NULL(enc);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, text));
}

static void profiles_without_cabac_are_refused(void)
{
	h264i_options o = test_cpu_options(WIDTH, HEIGHT);

	o.cabac = 1;
	refuse(o, H264I_ERR_ARG, "cabac on needs profile main or high");
	o.profile = H264I_PROFILE_MAIN;
	o.cabac = 2;
	refuse(o, H264I_ERR_ARG, "cabac 2 is not in -1..1");
	o.cabac = 0;
	o.profile = (h264i_profile)3;
	refuse(o, H264I_ERR_ARG, "profile 3 is not in 0 (baseline), 1 (main), 2 (high)");
}

static void tunes_set_the_tools(void)
{
	static const char *const names[] = { "psnr", "ssim", "film", "grain", "animation" };
	static const int modes[] = { 0, 2, 1, 1, 1 }, offsets[] = { 0, 0, -1, -2, 1 };
	h264i_options o, before = test_cpu_options(WIDTH, HEIGHT);

	before.trellis = 1;
	for (unsigned i = 0; i < 5; i++) {
		CU_ASSERT_STRING_EQUAL(h264i_tune_name(i), names[i]);
		o = before;
		CU_ASSERT_EQUAL(h264i_options_set_tune(&o, names[i]), H264I_OK);
		CU_ASSERT_EQUAL(o.aq_mode, modes[i]);
		CU_ASSERT_TRUE(o.aq_strength > 0 && o.aq_strength <= 1);
		CU_ASSERT_EQUAL(o.trellis, i != 3);
		CU_ASSERT_EQUAL(o.deblock_alpha, offsets[i]);
		CU_ASSERT_EQUAL(o.deblock_beta, offsets[i]);
	}
	CU_ASSERT_PTR_NULL(h264i_tune_name(5));
	o = before;
	CU_ASSERT_EQUAL(h264i_options_set_tune(&o, "stillimage"), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_options_set_tune(&o, NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(memcmp(&o, &before, sizeof(o)), 0);
	CU_ASSERT_EQUAL(h264i_options_set_tune(NULL, "ssim"), H264I_ERR_ARG);
	o.struct_bytes = offsetof(h264i_options, aq_strength); /* of an older caller */
	CU_ASSERT_EQUAL(h264i_options_set_tune(&o, "ssim"), H264I_ERR_ARG);
}

static void presets_set_the_tools(void)
{
	static const char *const names[] = { "ultrafast", "superfast", "veryfast", "faster", "fast",
		"medium", "slow", "slower", "veryslow" };
	h264i_options o, before = test_cpu_options(WIDTH, HEIGHT);
	int rd = 0;

	for (unsigned i = 0; i < 9; i++) {
		CU_ASSERT_STRING_EQUAL(h264i_preset_name(i), names[i]);
		o = before;
		CU_ASSERT_EQUAL(h264i_options_set_preset(&o, names[i]), H264I_OK);
		CU_ASSERT_TRUE(o.profile >= H264I_PROFILE_MAIN && o.rd >= rd);
		rd = o.rd;
	}
	CU_ASSERT_TRUE(o.rd == 9 && o.trellis == 1 && o.profile == H264I_PROFILE_HIGH);
	CU_ASSERT_PTR_NULL(h264i_preset_name(9));
	o = before;
	CU_ASSERT_EQUAL(h264i_options_set_preset(&o, "placebo"), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_options_set_preset(&o, NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(memcmp(&o, &before, sizeof(o)), 0);
	CU_ASSERT_EQUAL(h264i_options_set_preset(NULL, "medium"), H264I_ERR_ARG);
	o.struct_bytes = offsetof(h264i_options, rd); /* of an older caller */
	CU_ASSERT_EQUAL(h264i_options_set_preset(&o, "medium"), H264I_ERR_ARG);
	o = before;
	o.rd = 10;
	refuse(o, H264I_ERR_ARG, "rd 10 is not in 0..9");
	o.rd = 9;
	o.trellis = -1;
	refuse(o, H264I_ERR_ARG, "trellis -1 is not in 0..2");
	o.trellis = 0;
	o.aq_mode = 3;
	refuse(o, H264I_ERR_ARG, "aq_mode 3 is not in 0..2");
	o.aq_mode = 1;
	o.aq_strength = -0.5;
	refuse(o, H264I_ERR_ARG, "aq_strength -0.5 is not in 0..3");
}

/* Of a natural picture each step takes fewer bits at the same or a better quality. */
static void rate_and_distortion_improve(void)
{
	static const int tools[][2] = { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 3, 1 } };
	test_video v = test_video_make(352, 288, 1, TEST_NATURAL);
	double before = 0;

	for (int i = 0; i < 4; i++) {
		h264i_options o = test_cpu_options(v.width, v.height);
		test_stream s;
		double cost;

		o.profile = H264I_PROFILE_HIGH;
		o.qp = 30;
		o.sse = 1;
		o.rd = tools[i][0];
		o.trellis = tools[i][1];
		CU_ASSERT_EQUAL_FATAL(test_encode(&v, o, &s), H264I_OK);
		/* A bit is worth 0.6 * 2^((30 - 12) / 3) of squared error. */
		cost = (double)(s.sse[0] + s.sse[1] + s.sse[2]) + 8.0 * (double)s.bytes * 38.4;
		CU_ASSERT_TRUE(i == 0 || cost < before);
		before = cost;
		free(s.data);
	}
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "slices are parsed to their ends", slices_are_parsed_to_their_ends },
		{ "cabac follows the profile", cabac_follows_the_profile },
		{ "High has its members in MP4", high_has_its_members_in_mp4 },
		{ "profiles without cabac are refused", profiles_without_cabac_are_refused },
		{ "presets set the tools", presets_set_the_tools },
		{ "tunes set the tools", tunes_set_the_tools },
		{ "rate and distortion improve", rate_and_distortion_improve },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("profiles", tests);
}
