/* QPs that differ between macroblocks and pictures: FFmpeg decodes what the encoder reconstructed,
 * deblocking included. The maps of QPs are random; the test sets them inside the encoder. */
#include "h264intra/cpu/group.h"
#include "h264intra/entropy/qp_delta.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

#include <libavcodec/avcodec.h>

#include <stdio.h>

enum { WIDTH = 150, HEIGHT = 118, MB_W = 10, MB_H = 8, MBS = MB_W * MB_H, FRAMES = 3 };

static uint8_t map[FRAMES][MBS];

/* What occurred. */
typedef struct tally {
	int pcm, without, deltas, wrapped;
} tally;

/* Macroblocks of noise, of one value and of a pattern side by side. */
static test_video mixed_video(void)
{
	test_video v = test_video_make(WIDTH, HEIGHT, FRAMES, TEST_NATURAL);
	uint8_t *p = v.pixels;

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	for (uint32_t f = 0; f < FRAMES; f++)
		for (uint32_t pl = 0; pl < 3; pl++)
			for (uint32_t y = 0; y < (uint32_t)HEIGHT >> (pl > 0); y++)
				for (uint32_t x = 0; x < (uint32_t)WIDTH >> (pl > 0); x++, p++) {
					uint32_t size = pl ? 8 : 16, mx = x / size, my = y / size;
					uint32_t kind = test_hash(mx + 31 * my + 997 * f) % 4;

					if (kind == 0)
						*p = test_sample(TEST_NOISE, x, y, f + pl);
					else if (kind == 1)
						*p = (uint8_t)(120 + 8 * f);
				}
	return v;
}

/* Each QP for a few macroblocks; from `low` to 51. */
static void random_map(int low)
{
	for (int f = 0; f < FRAMES; f++)
		for (int i = 0; i < MBS; i++) {
			uint32_t qp = (uint32_t)low + rng_below(52 - (uint32_t)low);

			map[f][i] = (uint8_t)(i && rng_below(3) == 0 ? map[f][i - 1] : qp);
		}
}

/* The record of frame i; all are in flight, in the order of the groups. */
static h264i_picture *picture_of(const h264i_encoder *enc, uint32_t i)
{
	const h264i_group *g = enc->group;

	for (; i >= g->capacity; g++)
		i -= g->capacity;
	return &((cpu_group *)g->backend)->pic[i];
}

static void count(const h264i_encoder *enc, tally *t)
{
	for (int f = 0; f < FRAMES; f++)
		for (int i = 0; i < MBS; i++) {
			const h264i_mb *mb = &picture_of(enc, (uint32_t)f)->mb[i];
			int coded = h264i_has_qp_delta(mb);

			t->pcm += mb->type == H264I_MB_PCM;
			t->without += mb->type == H264I_MB_I4X4 && !coded;
			t->deltas += coded && mb->qp_delta != 0;
			t->wrapped += coded && i && abs(mb->qp - mb[-1].qp) > 26;
		}
}

static int same_planes(const h264i_packet *pkt, const AVFrame *decoded)
{
	int same = decoded->width == WIDTH && decoded->height == HEIGHT &&
		   !decoded->decode_error_flags;

	for (int k = 0; k < 3 && same; k++)
		for (int y = 0; y < HEIGHT >> (k > 0); y++)
			same &= memcmp(pkt->recon[k] + (size_t)y * pkt->recon_pitch_bytes[k],
					decoded->data[k] + (ptrdiff_t)y * decoded->linesize[k],
					WIDTH >> (k > 0)) == 0;
	return same;
}

static AVCodecContext *open_decoder(void)
{
	AVCodecContext *d = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	d->thread_count = 1;
	d->err_recognition = AV_EF_EXPLODE;
	CU_ASSERT_EQUAL_FATAL(avcodec_open2(d, NULL, NULL), 0);
	return d;
}

/* Decodes the packet and compares the picture. */
static int decodes(AVCodecContext *d, const h264i_packet *pkt)
{
	AVPacket *in = av_packet_alloc();
	AVFrame *out = av_frame_alloc();
	int same = 0;

	CU_ASSERT_FATAL(in && out && av_new_packet(in, (int)pkt->data_bytes) == 0);
	memcpy(in->data, pkt->data, pkt->data_bytes);
	if (avcodec_send_packet(d, in) == 0 && avcodec_receive_frame(d, out) == 0)
		same = same_planes(pkt, out);
	av_packet_free(&in);
	av_frame_free(&out);
	return same;
}

/* Encodes with the maps, or without one with the QPs of pictures `qps`. Returns the number of
 * pictures that FFmpeg decodes otherwise. */
static int encode(const test_video *v, h264i_options o, int with_map, const int *qps, tally *t)
{
	AVCodecContext *d = open_decoder();
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc;
	int wrong = FRAMES;

	o.width = WIDTH;
	o.height = HEIGHT;
	o.frames_in_flight = FRAMES;
	o.recon = 1;
	enc = test_open_ok(&o);
	for (int i = 0; i < FRAMES; i++) {
		h264i_frame f = test_frame(v, (uint32_t)i);

		if (with_map)
			picture_of(enc, (uint32_t)i)->mb_qp = map[i];
		if (qps)
			enc->o.qp = qps[i];
		CU_ASSERT_EQUAL_FATAL(h264i_send_frame(enc, &f), H264I_OK);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK)
		wrong -= decodes(d, &pkt);
	if (t)
		count(enc, t);
	h264i_close(&enc);
	avcodec_free_context(&d);
	return wrong;
}

/* Profiles, entropy coders and tools in turn. */
static h264i_options options_of(int i)
{
	h264i_options o = test_cpu_options(WIDTH, HEIGHT);

	o.profile = (h264i_profile)(i % 3);
	o.cabac = i % 3 ? i / 3 % 2 : 0;
	o.slices = 1 + (uint32_t)i % 4;
	o.deblock = i % 5 != 0;
	o.rd = i % 4 == 3 ? 2 : 0;
	o.trellis = i % 4 == 3;
	o.disable_modes = i % 2 ? H264I_DISABLE_I16_ALL : 0;
	o.sched = (h264i_sched)(i / 2 % 3);
	return o;
}

static void any_qp_by_macroblock_is_decoded(void)
{
	test_video v = mixed_video();
	tally t = { 0, 0, 0, 0 };

	for (int i = 0; i < 96; i++) {
		h264i_options o = options_of(i);
		int wrong;

		o.qp = (int)rng_below(52);
		random_map(i % 3 == 2 ? 30 : 0);
		wrong = encode(&v, o, 1, NULL, &t);
		CU_ASSERT_EQUAL(wrong, 0);
		if (wrong)
			printf("\n  case %d, QP %d\n", i, o.qp);
	}
	CU_ASSERT(t.pcm > 100 && t.without > 100 && t.deltas > 1000 && t.wrapped > 100);
	free(v.pixels);
}

static void pictures_of_other_qps_are_decoded(void)
{
	test_video v = mixed_video();

	for (int i = 0; i < 48; i++) {
		const int qps[FRAMES] = { (int)rng_below(52), i, 51 - i };
		h264i_options o = options_of(i);

		o.qp = (int)rng_below(52);
		CU_ASSERT_EQUAL(encode(&v, o, i % 2, qps, NULL), 0);
	}
	free(v.pixels);
}

static void adaptive_quantisation_is_decoded(void)
{
	test_video v = mixed_video();
	tally t = { 0, 0, 0, 0 };

	for (int i = 0; i < 48; i++) {
		h264i_options o = options_of(i);

		o.qp = 1 + i;
		o.aq_mode = 1 + i / 2 % 2;
		o.aq_strength = i % 7 * 0.5;
		CU_ASSERT_EQUAL(encode(&v, o, 0, NULL, &t), 0);
	}
	CU_ASSERT(t.deltas > 1000);
	free(v.pixels);
}

/* A map of one QP is no map. */
static void a_constant_map_changes_nothing(void)
{
	test_video v = mixed_video();

	for (int i = 0; i < 12; i++) {
		h264i_options o = options_of(i);
		test_stream want, got;
		h264i_encoder *enc;
		h264i_packet pkt = { .struct_bytes = sizeof(pkt) };

		o.qp = 4 * i;
		o.frames_in_flight = FRAMES;
		o.width = WIDTH;
		o.height = HEIGHT;
		memset(map, o.qp, sizeof(map));
		memset(&got, 0, sizeof(got));
		CU_ASSERT_EQUAL_FATAL(test_encode(&v, o, &want), H264I_OK);
		enc = test_open_ok(&o);
		for (int f = 0; f < FRAMES; f++)
			picture_of(enc, (uint32_t)f)->mb_qp = map[f];
		test_send_all(enc, &v);
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		while (h264i_receive_packet(enc, &pkt) == H264I_OK)
			CU_ASSERT_EQUAL(test_stream_take(&got, &pkt), 0);
		CU_ASSERT_TRUE(test_same_bytes(&want, &got));
		h264i_close(&enc);
		free(want.data);
		free(got.data);
	}
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "any QP by macroblock is decoded", any_qp_by_macroblock_is_decoded },
		{ "pictures of other QPs are decoded", pictures_of_other_qps_are_decoded },
		{ "adaptive quantisation is decoded", adaptive_quantisation_is_decoded },
		{ "a constant map changes nothing", a_constant_map_changes_nothing },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("QPs", tests);
}
