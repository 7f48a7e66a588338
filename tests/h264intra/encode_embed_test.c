/* The encoder inside another program: structs of other versions, packets with references, error
 * messages. CPU threads only. */
#include "tests/h264intra/encode_common.h"
#include "tests/common/testmain.h"

#include <pthread.h>
#include <stdio.h>

enum { W = 66, H = 50, FRAMES = 9 };

/* ---- structs that carry their size ---- */

/* The structs of a program that was compiled with a later header. */
typedef struct {
	h264i_options o;
	uint64_t more[3];
} later_options;

typedef struct {
	h264i_frame f;
	uint64_t more[3];
} later_frame;

typedef struct {
	h264i_packet p;
	uint64_t more[3];
} later_packet;

static void test_options_size(void)
{
	static const size_t wrong[] = { 0, 1, offsetof(h264i_options, log_opaque), 1 << 20,
		SIZE_MAX };
	later_options o;
	h264i_encoder *enc;
	char msg[256];

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		o.o = test_cpu_options(W, H);
		o.o.struct_bytes = wrong[i];
		CU_ASSERT_EQUAL(h264i_open(&enc, &o.o, msg, sizeof(msg)), H264I_ERR_ARG);
		CU_ASSERT_TRUE(strstr(msg, "h264i_options") && strstr(msg, "init function"));
	}
	h264i_options_init_sized(&o.o, sizeof(o));
	CU_ASSERT_EQUAL(o.o.struct_bytes, sizeof(o));
	CU_ASSERT_EQUAL(o.o.qp, 27);
	/* A program of version 0.1: what follows is not its struct. */
	o.o.backend = H264I_BACKEND_CPU;
	o.o.width = o.o.height = 16;
	o.o.struct_bytes = offsetof(h264i_options, frames_expected);
	memset(&o.o.frames_expected, 0xff, sizeof(o) - o.o.struct_bytes);
	CU_ASSERT_EQUAL(h264i_open(&enc, &o.o, msg, sizeof(msg)), H264I_OK);
	h264i_close(&enc);
	h264i_options_init_sized(&o.o, sizeof(o));
	o.o.backend = H264I_BACKEND_CPU;
	o.o.width = o.o.height = 16;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o.o, msg, sizeof(msg)), H264I_OK);
	h264i_close(&enc);
	o.more[2] = 1;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o.o, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strstr(msg, "does not have") != NULL);
	o.o = test_cpu_options(W, H);
	o.o.vui.reserved[5] = 1;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o.o, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strstr(msg, "reserved") != NULL);
}

static void test_frame_and_packet_size(void)
{
	test_video v = test_video_make(W, H, 1, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_stats st = { .struct_bytes = 0 };
	later_packet p;
	later_frame f;

	memset(&f, 0, sizeof(f));
	f.f = test_frame(&v, 0);
	f.f.struct_bytes = 0;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f.f), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strstr(h264i_last_error(enc), "h264i_frame") != NULL);
	f.f.struct_bytes = sizeof(f);
	f.more[0] = 1;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f.f), H264I_ERR_ARG);
	f.more[0] = 0;
	f.f.struct_bytes = offsetof(h264i_frame, rgb); /* a program of version 0.1 */
	memset(&f.f.rgb, 0xff, sizeof(f) - f.f.struct_bytes);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f.f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	memset(&p, 0xff, sizeof(p));
	p.p.struct_bytes = 0;
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p.p), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strstr(h264i_last_error(enc), "h264i_packet") != NULL);
	p.p.struct_bytes = sizeof(p);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p.p), H264I_OK); /* and was not lost */
	CU_ASSERT_EQUAL(p.p.struct_bytes, sizeof(p));
	CU_ASSERT_EQUAL(p.p.width, W);
	CU_ASSERT_EQUAL(p.p.height, H);
	CU_ASSERT_EQUAL(p.more[0] | p.more[1] | p.more[2], 0);
	CU_ASSERT_EQUAL(h264i_get_stats(enc, &st), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strstr(h264i_last_error(enc), "h264i_stats") != NULL);
	h264i_stats_init(&st);
	CU_ASSERT_EQUAL(h264i_get_stats(enc, &st), H264I_OK);
	CU_ASSERT_EQUAL(st.frames, 1);
	h264i_close(&enc);
	free(v.pixels);
}

static int no_text(void *opaque, const char *text, size_t bytes)
{
	(void)opaque;
	(void)text;
	(void)bytes;
	return 0;
}

/* Each refused call stores a message; a successful one clears it. */
static void test_messages(void)
{
	h264i_options o = test_cpu_options(W, H);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_stats st = { .struct_bytes = sizeof(st) };
	const uint8_t *data;
	size_t bytes;
	void *p;

	for (int call = 0; call < 9; call++) {
		h264i_status s = H264I_OK;

		CU_ASSERT_EQUAL(h264i_get_stats(enc, &st), H264I_OK);
		CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "");
		switch (call) {
		case 0:
			s = h264i_send_frame(enc, NULL);
			break;
		case 1:
			s = h264i_receive_packet(enc, NULL);
			break;
		case 2:
			s = h264i_headers(enc, NULL, &bytes);
			break;
		case 3:
			s = h264i_headers(enc, &data, NULL);
			break;
		case 4:
			s = h264i_get_stats(enc, NULL);
			break;
		case 5:
			s = h264i_host_alloc(enc, &p, 0);
			break;
		case 6:
			s = h264i_host_alloc(enc, NULL, 1);
			break;
		case 7:
			s = h264i_host_alloc(enc, &p, SIZE_MAX - 5);
			break;
		case 8:
			s = h264i_write_trace(enc, no_text, NULL);
			break;
		}
		CU_ASSERT_TRUE(s < 0);
		CU_ASSERT_TRUE(strlen(h264i_last_error(enc)) > 10);
	}
	CU_ASSERT_EQUAL(h264i_host_alloc(enc, &p, 100), H264I_OK);
	h264i_host_free(p);
	h264i_close(&enc);
}

/* ---- packets that are kept ---- */

static int same_packet(const h264i_packet *a, const test_stream *want, size_t at)
{
	return at + a->data_bytes <= want->bytes &&
	       memcmp(a->data, want->data + at, a->data_bytes) == 0;
}

/* FNV-1a over the visible samples of the picture. */
static uint32_t picture_hash(const h264i_packet *p)
{
	uint32_t h = 2166136261u;

	for (int i = 0; i < 3; i++)
		for (uint32_t y = 0; y < p->height >> (i > 0); y++)
			for (uint32_t x = 0; x < p->width >> (i > 0); x++)
				h = (h ^ p->recon[i][y * p->recon_pitch_bytes[i] + x]) * 16777619u;
	return h;
}

/* Sum of what options.detail measures; each sampled coefficient is counted once. */
static uint64_t detail_sum(const h264i_packet *p)
{
	uint64_t sum = 0;

	for (uint32_t q = 0; q < p->detail_count; q++)
		sum += (uint64_t)p->detail[q] * (q + 1);
	return sum;
}

/* All packets outlive their encoder, with and without pictures. */
static void test_kept_packets(void)
{
	test_video v = test_video_make(W, H, FRAMES, TEST_NATURAL);
	test_stream want;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	CU_ASSERT_EQUAL(test_encode(&v, test_cpu_options(W, H), &want), H264I_OK);
	for (int recon = 0; recon < 2; recon++) {
		h264i_packet pkt = { .struct_bytes = sizeof(pkt) }, kept[FRAMES], twice;
		h264i_options o = test_cpu_options(W, H);
		uint64_t detail[FRAMES];
		uint32_t hash[FRAMES], n = 0;
		h264i_encoder *enc;
		size_t at = 0;
		h264i_status s;

		o.recon = o.detail = recon;
		enc = test_open_ok(&o);
		for (uint32_t i = 0; i <= FRAMES; i++) {
			h264i_frame f = test_frame(&v, i < FRAMES ? i : 0);

			if (i == FRAMES)
				CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
			do {
				s = i < FRAMES ? h264i_send_frame(enc, &f) : H264I_OK;
				while (h264i_receive_packet(enc, &pkt) == H264I_OK) {
					CU_ASSERT_TRUE_FATAL(n < FRAMES);
					h264i_packet_init(&kept[n]);
					CU_ASSERT_EQUAL(h264i_packet_ref(&kept[n], &pkt), H264I_OK);
					detail[n] = detail_sum(&pkt);
					CU_ASSERT_EQUAL(pkt.detail_count, recon ? 52 : 0);
					CU_ASSERT_EQUAL(detail[n] > 0, recon);
					hash[n++] = recon ? picture_hash(&pkt) : 0;
				}
			} while (s == H264I_AGAIN);
		}
		h264i_close(&enc);
		CU_ASSERT_EQUAL(n, FRAMES);
		for (uint32_t i = 0; i < n; i++) {
			CU_ASSERT_TRUE(same_packet(&kept[i], &want, at));
			CU_ASSERT_EQUAL(kept[i].index, i);
			CU_ASSERT_EQUAL(kept[i].pts, 100 + (int64_t)i);
			CU_ASSERT_EQUAL(detail_sum(&kept[i]), detail[i]);
			CU_ASSERT_TRUE(kept[i].key == 1 && kept[i].substream == 0);
			CU_ASSERT_TRUE(
				kept[i].chroma_width == W / 2 && kept[i].chroma_height == H / 2);
			if (recon)
				CU_ASSERT_EQUAL(picture_hash(&kept[i]), hash[i]);
			h264i_packet_init(&twice);
			CU_ASSERT_EQUAL(h264i_packet_ref(&kept[i], &kept[i]), H264I_ERR_ARG);
			CU_ASSERT_EQUAL(h264i_packet_ref(&twice, &kept[i]), H264I_OK);
			CU_ASSERT_PTR_EQUAL(twice.data, kept[i].data); /* shared */
			h264i_packet_unref(&kept[i]);
			CU_ASSERT_PTR_NULL(kept[i].data);
			CU_ASSERT_PTR_NULL(kept[i].buffer);
			CU_ASSERT_TRUE(same_packet(&twice, &want, at));
			at += twice.data_bytes;
			h264i_packet_unref(&twice);
			h264i_packet_unref(&twice);
		}
	}
	free(want.data);
	free(v.pixels);
}

static void test_refused_references(void)
{
	h264i_packet a = { .struct_bytes = sizeof(a) }, b = { .struct_bytes = sizeof(b) };

	CU_ASSERT_EQUAL(h264i_packet_ref(&a, &b), H264I_ERR_ARG); /* b is empty */
	CU_ASSERT_EQUAL(h264i_packet_ref(NULL, &b), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_packet_ref(&a, NULL), H264I_ERR_ARG);
	a.struct_bytes = 0;
	CU_ASSERT_EQUAL(h264i_packet_ref(&a, &b), H264I_ERR_ARG);
	h264i_packet_unref(&a);
	h264i_packet_unref(&b);
	h264i_packet_unref(NULL);
}

/* Other threads make and release references while the encoder works. */
static void *share(void *opaque)
{
	h264i_packet *p = opaque;
	uint32_t sum = 0;

	for (int i = 0; i < 200; i++) {
		h264i_packet mine = { .struct_bytes = sizeof(mine) };

		if (h264i_packet_ref(&mine, p) == H264I_OK)
			sum += mine.data[mine.data_bytes - 1];
		h264i_packet_unref(&mine);
	}
	h264i_packet_unref(p);
	return sum ? opaque : NULL;
}

static void test_references_in_threads(void)
{
	test_video v = test_video_make(W, H, 1, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) }, kept[5];
	h264i_encoder *enc = test_open_ok(&o);
	h264i_frame f = test_frame(&v, 0);
	pthread_t thread[4];

	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
	for (int i = 0; i < 5; i++) {
		h264i_packet_init(&kept[i]);
		CU_ASSERT_EQUAL(h264i_packet_ref(&kept[i], i ? &kept[0] : &pkt), H264I_OK);
	}
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, share, &kept[i + 1]), 0);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	h264i_packet_unref(&kept[0]);
	h264i_close(&enc);
	for (int i = 0; i < 4; i++) {
		void *read = NULL;

		pthread_join(thread[i], &read);
		CU_ASSERT_PTR_NOT_NULL(read);
	}
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "option structs of other sizes are read", test_options_size },
		{ "frames, packets and statistics may have other sizes",
			test_frame_and_packet_size },
		{ "every refused call leaves a message", test_messages },
		{ "referenced packets stay valid after the encoder is closed", test_kept_packets },
		{ "wrong references are refused", test_refused_references },
		{ "references are made and released in other threads", test_references_in_threads },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("encode_embed", tests);
}
