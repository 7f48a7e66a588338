/* Clips in the substreams of one encoder, sent in random order, against each clip coded alone. Two
 * clips follow each other in a substream. */
#ifndef TESTS_H264INTRA_SUBSTREAM_COMMON_H
#define TESTS_H264INTRA_SUBSTREAM_COMMON_H

#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/nal_split.h"

enum { SUB_POOL = 24, SUB_PICTURES = 6, SUB_NALS = 16 };

typedef struct sub_clip {
	uint32_t length;
	test_stream stream;
	uint64_t meta; /* hash of what packets have beside their bytes */
	int bad;       /* 1: a wrong idr_pic_id, substream or size */
} sub_clip;

/* Pictures of all patterns. */
static inline test_video sub_pool(uint32_t width, uint32_t height)
{
	test_video v = { width, height, SUB_POOL, NULL };
	uint8_t *p = malloc(SUB_POOL * test_frame_bytes(&v));

	v.pixels = p;
	for (uint32_t f = 0; p && f < SUB_POOL; f++) {
		test_video one = test_video_make(width, height, 1, (int)(f * 3 / 2) % 3);

		if (one.pixels)
			memcpy(p + f * test_frame_bytes(&v), one.pixels, test_frame_bytes(&v));
		free(one.pixels);
	}
	return v;
}

/* Picture i of clip c: timestamps with a rate and gaps of its own, and for H264I_RATE_FRAME QPs. */
static inline h264i_frame sub_frame(const test_video *pool, uint32_t c, uint32_t i)
{
	h264i_frame f = test_frame(pool, (c * 5 + i * 7) % SUB_POOL);

	f.pts = 7 * (int64_t)c + (int64_t)i * (2 + c % 3) + (i > 3 ? 11 : 0);
	f.qp = 20 + (int)((c + 5 * i) % 25);
	f.bytes_expected = i % 2 ? 300 : 0;
	return f;
}

static inline uint32_t sub_bits_ue(const uint8_t *p, uint32_t *at)
{
	uint32_t zeros = 0, v = 1;

	while (zeros < 16 && !(p[*at / 8] >> (7 - *at % 8) & 1)) {
		zeros++;
		++*at;
	}
	++*at;
	for (; zeros; zeros--, ++*at)
		v = v << 1 | (p[*at / 8] >> (7 - *at % 8) & 1);
	return v - 1;
}

/* Whether all slices of an access unit have this idr_pic_id (clause 7.3.3). */
static inline int sub_has_idr_pic_id(const h264i_packet *p, uint32_t want)
{
	test_nal nal[SUB_NALS];
	int n = test_split_nals(p->data, p->data_bytes, nal, SUB_NALS), slices = 0;

	for (int i = 0; i < n; i++) {
		uint32_t at = 8;

		if ((nal[i].data[0] & 31) != 5)
			continue;
		(void)sub_bits_ue(nal[i].data, &at); /* first_mb_in_slice */
		(void)sub_bits_ue(nal[i].data, &at); /* slice_type */
		(void)sub_bits_ue(nal[i].data, &at); /* pic_parameter_set_id */
		at += 4;                             /* frame_num */
		if (sub_bits_ue(nal[i].data, &at) != want)
			return 0;
		slices++;
	}
	return slices > 0;
}

static inline void sub_take(sub_clip *clip, const h264i_packet *p, uint32_t substream)
{
	const uint64_t meta[] = { p->index, (uint64_t)p->pts, p->time_ns, (uint64_t)p->qp,
		p->sse[0], p->sse[1], p->sse[2], p->headers_bytes, p->data_bytes };

	for (size_t i = 0; i < sizeof(meta) / sizeof(meta[0]); i++)
		clip->meta = (clip->meta ^ meta[i]) * 0x100000001b3u;
	clip->bad |= p->substream != substream || !sub_has_idr_pic_id(p, p->index & 1) ||
		     test_stream_take(&clip->stream, p);
}

static inline h264i_status sub_alone(
	const test_video *pool, h264i_options o, uint32_t c, sub_clip *clip)
{
	h264i_packet p = { .struct_bytes = sizeof(p) };
	h264i_encoder *enc;
	h264i_status s;

	o.substreams = 1;
	s = h264i_open(&enc, &o, NULL, 0);
	for (uint32_t i = 0; s == H264I_OK && i < clip->length; i++) {
		h264i_frame f = sub_frame(pool, c, i);

		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			if (h264i_receive_packet(enc, &p) == H264I_OK)
				sub_take(clip, &p, 0);
	}
	if (s == H264I_OK)
		s = h264i_flush(enc);
	while (s == H264I_OK && (s = h264i_receive_packet(enc, &p)) == H264I_OK)
		sub_take(clip, &p, 0);
	h264i_close(&enc);
	return s == H264I_END ? H264I_OK : s;
}

/* The substreams of an encoder; clip c is in substream c % count. */
typedef struct sub_set {
	h264i_encoder *enc;
	const test_video *pool;
	uint32_t count;
	sub_clip *clip;  /* [2 * count] */
	uint32_t *clips; /* [count]: clips begun, beside the first */
	uint32_t *sent;  /* [count]: of the present one */
} sub_set;

static inline h264i_status sub_receive(sub_set *x)
{
	h264i_packet p = { .struct_bytes = sizeof(p) };
	h264i_status s = h264i_receive_packet(x->enc, &p);
	uint32_t k = p.substream, c;

	if (s != H264I_OK || k >= x->count)
		return s == H264I_OK ? H264I_ERR_STATE : s;
	c = x->clip[k].stream.frames < x->clip[k].length ? k : k + x->count;
	sub_take(&x->clip[c], &p, k);
	return s;
}

/* Sends the next picture of substream k. Returns 1 if it has none. */
static inline int sub_send(sub_set *x, uint32_t k, h264i_status *s)
{
	uint32_t c = k + x->clips[k] * x->count;
	h264i_frame f;

	if (x->sent[k] == x->clip[c].length) {
		if (x->clips[k]++)
			return x->clips[k] = 1;
		x->sent[k] = 0;
		*s = h264i_restart_substream(x->enc, k);
		return 0;
	}
	f = sub_frame(x->pool, c, x->sent[k]);
	f.substream = k;
	while ((*s = h264i_send_frame(x->enc, &f)) == H264I_AGAIN)
		if ((*s = sub_receive(x)) < 0)
			return 0;
	x->sent[k] += *s == H264I_OK;
	return 0;
}

/* Sends all clips: a few pictures of a random substream at a time, with random pauses. */
static inline h264i_status sub_together(sub_set *x)
{
	uint32_t left = x->count, burst, k;
	uint32_t *open = malloc(x->count * sizeof(*open));
	h264i_status s = open ? H264I_OK : H264I_ERR_NOMEM;

	for (k = 0; open && k < x->count; k++)
		open[k] = k;
	while (s == H264I_OK && left) {
		const uint32_t at = rng_below(left);

		for (burst = 1 + rng_below(4); s == H264I_OK && burst; burst--)
			if (sub_send(x, open[at], &s)) {
				open[at] = open[--left];
				break;
			}
		if (s == H264I_OK && rng_below(5) == 0)
			s = h264i_drain(x->enc);
		while (s == H264I_OK && rng_below(3))
			s = sub_receive(x);
		s = s == H264I_AGAIN ? H264I_OK : s;
	}
	free(open);
	if (s == H264I_OK)
		s = h264i_flush(x->enc);
	while (s == H264I_OK)
		s = sub_receive(x);
	return s == H264I_END ? H264I_OK : s;
}

/* Whether the clips of `count` substreams are the same together, with options o, and alone, with
 * those of `alone`. Prints what differs. */
static inline int sub_same(
	const test_video *pool, h264i_options o, h264i_options alone, uint32_t count)
{
	const size_t clips = 2 * (size_t)count;
	sub_clip *want = calloc(clips, sizeof(*want)), *got = calloc(clips, sizeof(*got));
	uint32_t *numbers = calloc(clips, sizeof(*numbers));
	sub_set x = { NULL, pool, count, got, numbers, numbers + count };
	h264i_status s;
	size_t differ = clips;
	char msg[200];

	o.substreams = count;
	o.width = alone.width = pool->width;
	o.height = alone.height = pool->height;
	for (uint32_t c = 0; c < clips; c++)
		want[c].length = got[c].length = rng_below(SUB_PICTURES + 1);
	s = h264i_open(&x.enc, &o, msg, sizeof(msg));
	if (s == H264I_OK)
		s = sub_together(&x);
	else
		printf("\n  %s\n", msg);
	for (uint32_t c = 0; s == H264I_OK && c < clips; c++) {
		const test_stream *a = &want[c].stream, *b = &got[c].stream;

		s = sub_alone(pool, alone, c, &want[c]);
		if (differ == clips && (want[c].bad || got[c].bad || b->frames != want[c].length ||
					       (a->bytes && !test_same_bytes(a, b)) ||
					       want[c].meta != got[c].meta))
			differ = c;
	}
	if (s != H264I_OK || differ < clips)
		printf("\n  %u substreams: %s (%s), clip %zu differs\n", count, h264i_strstatus(s),
			x.enc ? h264i_last_error(x.enc) : "", differ);
	h264i_close(&x.enc);
	for (size_t c = 0; c < clips; c++) {
		free(want[c].stream.data);
		free(got[c].stream.data);
	}
	free(want);
	free(got);
	free(numbers);
	return s == H264I_OK && differ == clips;
}

/* Options of case i of SUB_CASES: each class of presets with each rate control. */
enum { SUB_CASES = 16 };

static inline h264i_options sub_case(h264i_backend backend, unsigned i)
{
	static const char *const presets[] = { NULL, "ultrafast", "fast", "medium" };
	h264i_options o = test_options(backend, 0, 0);

	if (presets[i % 4])
		h264i_options_set_preset(&o, presets[i % 4]);
	o.threads = backend == H264I_BACKEND_CPU ? 2 : 0;
	o.sse = 1;
	o.aq_mode = i % 4 == 3 ? 2 : i % 4 == 2;
	o.slices = 1 + i % 3;
	o.aud = i % 2;
	o.vui.fps_num = 30;
	o.vui.fps_den = 1;
	o.rate_mode = (h264i_rate_control)(i / 4);
	if (i / 4 == H264I_RATE_BITRATE) {
		o.bitrate = 200;
		o.rate_delay = i % 2 ? 2 : 0;
	}
	if (i / 4 > H264I_RATE_QUALITY && i % 4) {
		o.time_base_num = i % 4 != 2;
		o.time_base_den = 60 * o.time_base_num;
		o.vbv_bufsize = 60;
		o.vbv_maxrate = 220;
		o.hrd = i % 4 > 1;
	}
	if (i / 4 == H264I_RATE_QP)
		o.frame_bytes_max = i % 4 == 3 ? 700 : 0;
	return o;
}

#endif
