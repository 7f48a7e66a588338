/* Fuzzer of the encoder on CPU threads, by the public API. The input selects options and pixels.
 * Checks that nothing crashes, that invalid options are refused and valid ones accepted, that each
 * frame results in a packet of plausible size, and that referenced memory is released once. */
#include "fuzz/fuzz.h"
#include <h264intra/h264intra.h>

#include <string.h>

enum {
	MAX_SIDE = 64,
	MAX_FRAMES = 6,
	MAX_PAD = 16,
	PLANE = 4 * MAX_SIDE * (MAX_SIDE + MAX_PAD),
	MAX_SEI = 600
};

typedef struct {
	const uint8_t *data;
	size_t left;
	uint32_t state;
} source;

/* Returns the next byte of the input; after its end, noise seeded by the last bytes. */
static uint8_t next_byte(source *s)
{
	if (s->left) {
		s->left--;
		s->state = s->state * 31 + *s->data;
		return *s->data++;
	}
	s->state = s->state * 1664525u + 1013904223u;
	return (uint8_t)(s->state >> 24);
}

static uint32_t next_u32(source *s)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 8 | next_byte(s);
	return v;
}

typedef struct {
	_Alignas(4) uint8_t plane[3][PLANE];
	uint8_t sei[MAX_SEI];
	h264i_sei message[2];
	int sent, released;
} buffer;

static void release(void *opaque)
{
	buffer *b = opaque;

	b->released++;
	memset(b->plane, 0xee, sizeof(b->plane));
}

/* 0 if the conversion of RGB does not have the matrix or chroma position. */
static int right_vui(const h264i_options *o)
{
	int m = o->vui.matrix;

	return !o->rgb ||
	       ((m == 1 || m == 2 || m == 5 || m == 6 || m == 9) && o->vui.chroma_loc <= 5);
}

static h264i_options make_options(source *s, int *right)
{
	h264i_options o;
	uint32_t mb_rows;

	h264i_options_init(&o);
	o.backend = H264I_BACKEND_CPU;
	o.width = 14 + next_byte(s) % 51;
	o.height = 14 + next_byte(s) % 51;
	o.odd_size = next_byte(s) & 1;
	if (next_byte(s) & 7) { /* mostly a valid size */
		uint32_t mask = o.odd_size ? ~0u : ~1u;

		o.width = o.width < 16 ? 16 : o.width & mask;
		o.height = o.height < 16 ? 16 : o.height & mask;
	}
	mb_rows = (o.height + 15) / 16;
	o.qp = next_byte(s) % 54 - 1;
	o.slices = next_byte(s) % (mb_rows + 2);
	o.deblock = next_byte(s) & 1;
	o.level = next_byte(s) & 3 ? 0 : next_byte(s) % 64;
	o.threads = 1 + next_byte(s) % 3;
	o.frames_in_flight = next_byte(s) % 7;
	o.sched = (h264i_sched)(next_byte(s) % 3);
	o.recon = next_byte(s) & 1;
	o.stats = next_byte(s) & 1;
	o.trace = next_byte(s) % 16 == 0;
	o.disable_modes = next_byte(s) & 3 ? 0 : next_u32(s) & 0xfffff;
	if (next_byte(s) & 1) {
		o.vui.full_range = next_byte(s) % 4 - 1;
		o.vui.primaries = (int)next_byte(s) - 1;
		o.vui.transfer = (int)next_u32(s);
		o.vui.matrix = (int)next_byte(s);
		o.vui.chroma_loc = (int)next_byte(s) % 8 - 1;
		o.vui.sar_num = next_u32(s) >> next_byte(s) % 32;
		o.vui.sar_den = next_u32(s) >> next_byte(s) % 32;
		o.vui.fps_num = next_u32(s) >> next_byte(s) % 32;
		o.vui.fps_den = next_u32(s) >> next_byte(s) % 32;
		o.vui.fixed_rate = next_byte(s) & 1;
	}
	o.aud = next_byte(s) & 1;
	o.rgb = next_byte(s) & 1;
	o.frames_expected = next_byte(s) & 1 ? next_byte(s) % 9 : 0;
	*right = o.width >= 16 && o.height >= 16 &&
		 (o.odd_size || (o.width % 2 == 0 && o.height % 2 == 0)) && right_vui(&o) &&
		 o.qp >= 0 && o.qp <= 51 && o.slices >= 1 && o.slices <= mb_rows && !o.level &&
		 (o.disable_modes & (H264I_DISABLE_I4_ALL | H264I_DISABLE_I16_ALL)) !=
			 (H264I_DISABLE_I4_ALL | H264I_DISABLE_I16_ALL);
	return o;
}

/* Makes f an RGB frame of planes in b, first row first or last. */
static void make_rgb(source *s, const h264i_options *o, buffer *b, h264i_frame *f)
{
	int64_t size;

	f->format = H264I_RGB;
	f->rgb.sample = (h264i_sample)(next_byte(s) % 4);
	f->rgb.range = (h264i_rgb_range)(f->rgb.sample != H264I_U8 && next_byte(s) & 1);
	size = f->rgb.sample == H264I_U8 ? 1 : f->rgb.sample == H264I_F32 ? 4 : 2;
	f->rgb.pixel_stride = size;
	f->rgb.row_stride = size * (o->width + next_byte(s) % (MAX_PAD + 1));
	for (int p = 0; p < 3; p++)
		f->plane[p] = b->plane[p];
	if (next_byte(s) & 1) {
		for (int p = 0; p < 3; p++)
			f->plane[p] += (int64_t)(o->height - 1) * f->rgb.row_stride;
		f->rgb.row_stride = -f->rgb.row_stride;
	}
}

static void make_sei(source *s, buffer *b, h264i_frame *f)
{
	f->sei = b->message;
	f->sei_count = next_byte(s) % 3;
	for (uint32_t i = 0; i < f->sei_count; i++) {
		b->message[i].type = next_u32(s) % 1000;
		b->message[i].data = b->sei;
		b->message[i].bytes = next_u32(s) % (MAX_SEI + 1);
	}
	for (int i = 0; i < MAX_SEI; i++)
		b->sei[i] = next_byte(s) & 3;
}

static h264i_frame make_frame(source *s, const h264i_options *o, buffer *b)
{
	uint8_t kind = next_byte(s), base = next_byte(s), range = next_byte(s);
	h264i_frame f;

	h264i_frame_init(&f);
	f.format = kind & 1 ? H264I_NV12 : H264I_I420;
	f.memory = kind & 2 ? H264I_MEM_HOST_PINNED : H264I_MEM_HOST;
	f.pts = (int64_t)((uint64_t)next_u32(s) << 32 | next_u32(s));
	for (int p = 0; p < (f.format == H264I_NV12 ? 2 : 3); p++) {
		f.plane[p] = b->plane[p];
		uint32_t chroma = (o->width + 1) / 2;

		f.pitch_bytes[p] = (!p                              ? o->width
					   : f.format == H264I_I420 ? chroma
								    : 2 * chroma) +
				   next_byte(s) % (MAX_PAD + 1);
	}
	/* constant, dithered, gradients, or the bytes of the input */
	for (int p = 0; p < 3; p++)
		for (int i = 0; i < PLANE; i++) {
			int v = kind & 4 ? next_byte(s) : base;

			if (kind & 8)
				v += i % MAX_SIDE * (range % 8);
			if (kind & 16)
				v = next_byte(s) & 1 ? 255 : 0;
			else if (range && kind & 32)
				v += next_byte(s) % range;
			b->plane[p][i] = (uint8_t)v;
		}
	if (o->rgb && next_byte(s) & 3)
		make_rgb(s, o, b, &f);
	if (next_byte(s) & 1)
		make_sei(s, b, &f);
	f.release = release;
	f.release_opaque = b;
	b->released = 0;
	b->sent = 0;
	return f;
}

static void check_packet(const h264i_options *o, const h264i_packet *pkt, uint64_t index)
{
	uint32_t mbs = (o->width + 15) / 16 * ((o->height + 15) / 16);
	/* 3,200 bits per macroblock and 16 bytes per slice; escape bytes add at most one half */
	size_t most = (size_t)(mbs * 400 + o->slices * 16 + 2 * (MAX_SEI + 10)) * 3 / 2;
	size_t aud = o->aud ? 6 : 0;

	FUZZ_EXPECT(pkt->index == index);
	FUZZ_EXPECT(pkt->headers_bytes >= 20 && pkt->headers_bytes < 134);
	FUZZ_EXPECT(pkt->data_bytes > pkt->headers_bytes);
	FUZZ_EXPECT(pkt->data_bytes - pkt->headers_bytes <= most);
	FUZZ_EXPECT(memcmp(pkt->data, "\0\0\0\1\x09\x10", aud) == 0);
	FUZZ_EXPECT(memcmp(pkt->data + aud, "\0\0\0\1\x67", 5) == 0);
	FUZZ_EXPECT(pkt->data[pkt->data_bytes - 1] != 0);
	FUZZ_EXPECT((pkt->recon[0] != NULL) == o->recon);
	if (o->recon)
		FUZZ_EXPECT(pkt->sse[0] <= (uint64_t)o->width * o->height * 255 * 255);
	else
		FUZZ_EXPECT(pkt->sse[0] == 0);
}

static int swallow(void *opaque, const char *text, size_t bytes)
{
	(void)opaque;
	(void)text;
	return bytes == SIZE_MAX;
}

static void check_stats(const h264i_options *o, h264i_encoder *enc, uint64_t frames)
{
	uint32_t mbs = (o->width + 15) / 16 * ((o->height + 15) / 16);
	h264i_stats n = { .struct_bytes = sizeof(n) };

	h264i_get_stats(enc, &n);
	FUZZ_EXPECT(n.frames == frames);
	if (o->stats)
		FUZZ_EXPECT(n.mb_i4x4 + n.mb_i16x16 + n.mb_pcm == mbs * frames);
	if (o->disable_modes & H264I_DISABLE_I4_ALL)
		FUZZ_EXPECT(n.mb_i4x4 == 0);
	if (o->disable_modes & H264I_DISABLE_I16_ALL)
		FUZZ_EXPECT(n.mb_i16x16 == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static buffer buffers[MAX_FRAMES];
	source s = { data, bytes, 1 };
	uint64_t sent = 0, received = 0;
	h264i_encoder *enc;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_status st;
	char why[200];
	int right, frames;
	h264i_options o = make_options(&s, &right);

	st = h264i_open(&enc, &o, why, sizeof(why));
	FUZZ_EXPECT((st == H264I_OK) == (enc != NULL));
	FUZZ_EXPECT(st == H264I_OK || st == H264I_ERR_ARG || st == H264I_ERR_LIMIT);
	FUZZ_EXPECT(st == H264I_OK || (!right && why[0]));
	if (st != H264I_OK)
		return 0;
	frames = next_byte(&s) % (MAX_FRAMES + 1);
	for (int i = 0; i < frames; i++) {
		h264i_frame f = make_frame(&s, &o, &buffers[i]);
		uint8_t mood = next_byte(&s);

		while ((st = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			if (h264i_receive_packet(enc, &pkt) == H264I_OK)
				check_packet(&o, &pkt, received++);
		FUZZ_EXPECT(st == H264I_OK);
		buffers[i].sent = 1;
		sent++;
		if (f.memory == H264I_MEM_HOST)
			memset(buffers[i].plane, 0xdd, sizeof(buffers[i].plane));
		if (mood & 1 && h264i_receive_packet(enc, &pkt) == H264I_OK)
			check_packet(&o, &pkt, received++);
		if (mood == 77)
			break;
	}
	if (next_byte(&s) % 8) {
		FUZZ_EXPECT(h264i_flush(enc) == H264I_OK);
		while ((st = h264i_receive_packet(enc, &pkt)) == H264I_OK)
			check_packet(&o, &pkt, received++);
		FUZZ_EXPECT(st == H264I_END && received == sent);
		check_stats(&o, enc, received);
		if (next_byte(&s) & 1)
			FUZZ_EXPECT(h264i_restart(enc) == H264I_OK);
		if (o.trace)
			FUZZ_EXPECT(h264i_write_trace(enc, swallow, NULL) == H264I_OK);
	}
	h264i_close(&enc);
	for (int i = 0; i < frames; i++) {
		FUZZ_EXPECT(buffers[i].released == buffers[i].sent);
		buffers[i].sent = buffers[i].released = 0;
	}
	return 0;
}
