/* libavcodec's encoder libh264intra, used by calls: what FFmpeg's command cannot send. Compiled by
 * ffmpeg_long.sh against the libavcodec that it has built. Prints the checks that fail. */
#include <stdio.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

enum { WIDTH = 64, HEIGHT = 48, LARGEST = 1 << 16 };

static int checks, failures;

#define CHECK(condition) check(__LINE__, (condition), #condition)
static void check(int line, int ok, const char *text)
{
	checks++;
	if (!ok) {
		failures++;
		printf("FAIL: ffmpeg_calls.c:%d: %s\n", line, text);
	}
}

static AVCodecContext *new_context(void)
{
	const AVCodec *codec = avcodec_find_encoder_by_name("libh264intra");
	AVCodecContext *c = codec ? avcodec_alloc_context3(codec) : NULL;

	CHECK(c != NULL);
	if (!c)
		return NULL;
	c->width = WIDTH;
	c->height = HEIGHT;
	c->pix_fmt = AV_PIX_FMT_YUV420P;
	c->time_base = (AVRational){ 1, 25 };
	c->framerate = (AVRational){ 25, 1 };
	return c;
}

static int open_context(AVCodecContext *c)
{
	return c ? avcodec_open2(c, c->codec, NULL) : AVERROR(ENOMEM);
}

static AVFrame *new_frame(enum AVPixelFormat format, int width, int height, int64_t pts)
{
	AVFrame *f = av_frame_alloc();

	f->format = format;
	f->width = width;
	f->height = height;
	f->pts = pts;
	if (av_frame_get_buffer(f, 0) < 0)
		return f;
	for (int plane = 0; plane < 3 && f->data[plane]; plane++)
		for (int y = 0; y < (plane ? (height + 1) / 2 : height); y++)
			for (int x = 0; x < f->linesize[plane]; x++)
				f->data[plane][y * f->linesize[plane] + x] =
					(uint8_t)(x * 3 + y * 5 + (int)pts * 7);
	return f;
}

/* Sends a frame of the stream's size and format, with captions if `captions` is not NULL. */
static int send_picture(AVCodecContext *c, int64_t pts, const char *captions)
{
	AVFrame *f = new_frame(c->pix_fmt, WIDTH, HEIGHT, pts);
	int ret;

	if (captions)
		memcpy(av_frame_new_side_data(f, AV_FRAME_DATA_A53_CC, strlen(captions))->data,
			captions, strlen(captions));
	ret = avcodec_send_frame(c, f);
	av_frame_free(&f);
	return ret;
}

/* Receives the packets that are ready and appends them to bytes, which has LARGEST bytes; returns
 * the call's last status. */
static int receive_all(
	AVCodecContext *c, uint8_t *bytes, size_t *count, int *packets, int64_t *last_pts)
{
	AVPacket *p = av_packet_alloc();
	int ret;

	while ((ret = avcodec_receive_packet(c, p)) >= 0) {
		CHECK(p->flags & AV_PKT_FLAG_KEY);
		CHECK(p->dts == p->pts);
		if (*count + (size_t)p->size <= LARGEST) {
			memcpy(bytes + *count, p->data, (size_t)p->size);
			*count += (size_t)p->size;
		}
		*last_pts = p->pts;
		++*packets;
		av_packet_unref(p);
	}
	av_packet_free(&p);
	return ret;
}

static int contains(const uint8_t *bytes, size_t count, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i + length <= count; i++)
		if (memcmp(bytes + i, text, length) == 0)
			return 1;
	return 0;
}

/* Encodes pictures first..first + n - 1 with an open context and drains it. */
static void encode(AVCodecContext *c, int64_t first, int n, uint8_t *bytes, size_t *count)
{
	int packets = 0;
	int64_t last = -1;

	for (int i = 0; i < n; i++) {
		CHECK(send_picture(c, first + i, NULL) == 0);
		CHECK(receive_all(c, bytes, count, &packets, &last) == AVERROR(EAGAIN));
	}
	CHECK(avcodec_send_frame(c, NULL) == 0);
	CHECK(receive_all(c, bytes, count, &packets, &last) == AVERROR_EOF);
	CHECK(packets == n);
	CHECK(n == 0 || last == first + n - 1);
	CHECK(send_picture(c, 0, NULL) == AVERROR_EOF);
}

static void test_flush(void)
{
	static uint8_t fresh[LARGEST], flushed[LARGEST];
	size_t fresh_bytes = 0, flushed_bytes = 0;
	AVCodecContext *c = new_context();

	CHECK(open_context(c) == 0);
	encode(c, 100, 3, fresh, &fresh_bytes);
	avcodec_flush_buffers(c); /* after the end */
	encode(c, 100, 3, flushed, &flushed_bytes);
	CHECK(fresh_bytes > 0 && fresh_bytes == flushed_bytes);
	CHECK(memcmp(fresh, flushed, fresh_bytes) == 0);
	flushed_bytes = 0;
	avcodec_flush_buffers(c);
	/* libavcodec accepts two frames before it returns AVERROR(EAGAIN). */
	for (int i = 0; i < 2; i++)
		CHECK(send_picture(c, i, NULL) == 0);
	avcodec_flush_buffers(c); /* with frames in the encoder */
	encode(c, 100, 3, flushed, &flushed_bytes);
	CHECK(fresh_bytes == flushed_bytes);
	CHECK(memcmp(fresh, flushed, fresh_bytes) == 0);
	avcodec_free_context(&c);
}

static void test_no_frames(void)
{
	static uint8_t bytes[LARGEST];
	size_t count = 0;
	AVCodecContext *c = new_context();

	CHECK(open_context(c) == 0);
	encode(c, 0, 0, bytes, &count);
	avcodec_free_context(&c);
}

/* The encoder is closed with frames in it. */
static void test_close(void)
{
	AVCodecContext *c = new_context();

	CHECK(open_context(c) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(send_picture(c, i, NULL) == 0);
	avcodec_free_context(&c);
}

static void test_changes(void)
{
	static uint8_t bytes[LARGEST];
	size_t count = 0;
	AVCodecContext *c = new_context();
	AVFrame *larger = new_frame(AV_PIX_FMT_YUV420P, WIDTH + 16, HEIGHT, 0);
	AVFrame *other = new_frame(AV_PIX_FMT_NV12, WIDTH, HEIGHT, 0);

	CHECK(open_context(c) == 0);
	CHECK(avcodec_send_frame(c, larger) == AVERROR(EINVAL));
	CHECK(avcodec_send_frame(c, other) == AVERROR(EINVAL));
	encode(c, 0, 2, bytes, &count);
	av_frame_free(&larger);
	av_frame_free(&other);
	avcodec_free_context(&c);
}

static void test_refused(void)
{
	static const struct {
		int width, height;
		enum AVPixelFormat format;
		int slices, level;
	} cases[] = {
		{ 14, 14, AV_PIX_FMT_YUV420P, 0, 0 },
		{ 20000, 20000, AV_PIX_FMT_YUV420P, 0, 0 },
		{ WIDTH, HEIGHT, AV_PIX_FMT_YUV444P, 0, 0 },
		{ WIDTH, HEIGHT, AV_PIX_FMT_YUV420P10, 0, 0 },
		{ WIDTH, HEIGHT, AV_PIX_FMT_CUDA, 0, 0 },
		{ WIDTH, HEIGHT, AV_PIX_FMT_YUV420P, 4, 0 },
		{ WIDTH, HEIGHT, AV_PIX_FMT_YUV420P, 0, 14 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AVCodecContext *c = new_context();

		if (!c)
			return;
		c->width = cases[i].width;
		c->height = cases[i].height;
		c->pix_fmt = cases[i].format;
		c->slices = cases[i].slices;
		if (cases[i].level)
			c->level = cases[i].level;
		CHECK(open_context(c) == AVERROR(EINVAL));
		avcodec_free_context(&c);
	}
}

static void test_captions(void)
{
	static const char captions[] = "\xfc\x94\x2c\xfc\x43\x41";
	static uint8_t bytes[LARGEST];

	for (int on = 0; on <= 1; on++) {
		AVCodecContext *c = new_context();
		size_t count = 0;
		int packets = 0;
		int64_t last;

		if (!c)
			return;
		CHECK(av_opt_set_int(c->priv_data, "a53cc", on, 0) == 0);
		CHECK(open_context(c) == 0);
		CHECK(send_picture(c, 0, captions) == 0);
		CHECK(avcodec_send_frame(c, NULL) == 0);
		CHECK(receive_all(c, bytes, &count, &packets, &last) == AVERROR_EOF);
		CHECK(packets == 1);
		CHECK(contains(bytes, count, "GA94") == on);
		CHECK(contains(bytes, count, captions) == on);
		avcodec_free_context(&c);
	}
}

/* With low_delay each frame gives its packet at once; with a global header the parameter sets are
 * in extradata alone. */
static void test_header(void)
{
	static const uint8_t sps[] = { 0, 0, 0, 1, 0x67 }, idr[] = { 0, 0, 0, 1, 0x65 };
	static uint8_t bytes[LARGEST];
	AVCodecContext *c = new_context();

	if (!c)
		return;
	c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_LOW_DELAY;
	c->level = 40;
	CHECK(open_context(c) == 0);
	CHECK(c->extradata_size > 5 && memcmp(c->extradata, sps, sizeof(sps)) == 0);
	CHECK(c->profile == (66 | 1 << 9));
	CHECK(c->level == 40 && c->extradata[7] == 40); /* level_idc */
	for (int i = 0; i < 3; i++) {
		size_t count = 0;
		int packets = 0;
		int64_t last = -1;

		CHECK(send_picture(c, i, NULL) == 0);
		CHECK(receive_all(c, bytes, &count, &packets, &last) == AVERROR(EAGAIN));
		CHECK(packets == 1 && last == i && memcmp(bytes, idr, sizeof(idr)) == 0);
	}
	avcodec_free_context(&c);
}

/* AVCodecContext.profile selects the profile and has the one that was coded, after a flush, too. */
static void test_profile(void)
{
	static const struct {
		int profile;
		const char *option;
		int want, idc;
	} cases[] = {
		{ -99, NULL, 66 | 1 << 9, 66 },
		{ 66, NULL, 66 | 1 << 9, 66 },
		{ 77, NULL, 77, 77 },
		{ 100, NULL, 100, 100 },
		{ 77, "high", 100, 100 }, /* the encoder's own option has precedence */
		{ 110, NULL, 110, 0 },
		{ 88, "main", 77, 77 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AVCodecContext *c = new_context();
		static uint8_t bytes[LARGEST];
		size_t count = 0;

		if (!c)
			return;
		c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
		c->profile = cases[i].profile;
		if (cases[i].option)
			CHECK(av_opt_set(c->priv_data, "profile", cases[i].option, 0) == 0);
		CHECK((open_context(c) == 0) == (cases[i].idc > 0));
		CHECK(c->profile == cases[i].want);
		if (cases[i].idc) {
			CHECK(c->extradata_size > 5 && c->extradata[5] == cases[i].idc);
			CHECK(send_picture(c, 0, NULL) == 0);
			avcodec_flush_buffers(c); /* the next frame opens another encoder */
			encode(c, 0, 1, bytes, &count);
			CHECK(c->profile == cases[i].want);
		}
		avcodec_free_context(&c);
	}
}

/* The bit rate is that of the timestamps: 2 frames/s, stated as 25. */
static void test_variable_rate(void)
{
	enum { FRAMES = 40, SECONDS = FRAMES / 2, BITS_PER_S = 20000 };
	static uint8_t bytes[LARGEST];
	AVCodecContext *c = new_context();
	size_t count = 0;
	int packets = 0;
	int64_t last;

	if (!c)
		return;
	c->time_base = (AVRational){ 1, 1000 };
	c->bit_rate = BITS_PER_S;
	CHECK(open_context(c) == 0);
	for (int i = 0; i < FRAMES; i++) {
		CHECK(send_picture(c, 500 * i, NULL) == 0);
		CHECK(receive_all(c, bytes, &count, &packets, &last) == AVERROR(EAGAIN));
	}
	CHECK(avcodec_send_frame(c, NULL) == 0);
	CHECK(receive_all(c, bytes, &count, &packets, &last) == AVERROR_EOF);
	CHECK(packets == FRAMES && last == 500 * (FRAMES - 1));
	CHECK(8 * count > BITS_PER_S * SECONDS * 9 / 10);
	CHECK(8 * count < BITS_PER_S * SECONDS * 11 / 10);
	avcodec_free_context(&c);
}

#if LIBAVCODEC_VERSION_MAJOR >= 60
static void count_free(void *opaque, uint8_t *data)
{
	++*(int *)opaque;
	av_free(data);
}

/* Receives the packets that are ready; returns their number. */
static int receive_opaque(AVCodecContext *c)
{
	AVPacket *p = av_packet_alloc();
	int seen = 0;

	while (avcodec_receive_packet(c, p) >= 0) {
		CHECK(p->duration == 10 + p->pts && p->opaque && p->opaque_ref);
		seen++;
		av_packet_unref(p);
	}
	av_packet_free(&p);
	return seen;
}

/* Duration and opaque data of frames come back with their packets, and are freed otherwise. */
static void test_opaque(void)
{
	AVCodecContext *c = new_context();
	int freed = 0, seen;

	if (!c)
		return;
	c->flags |= AV_CODEC_FLAG_COPY_OPAQUE | AV_CODEC_FLAG_FRAME_DURATION;
	CHECK(open_context(c) == 0);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2; i++) {
			AVFrame *f = new_frame(c->pix_fmt, WIDTH, HEIGHT, i);

			f->duration = 10 + i;
			f->opaque = f;
			f->opaque_ref = av_buffer_create(av_malloc(1), 1, count_free, &freed, 0);
			CHECK(avcodec_send_frame(c, f) == 0);
			av_frame_free(&f);
		}
		if (round == 0)
			avcodec_flush_buffers(c);
	}
	CHECK(freed == 2);
	seen = receive_opaque(c);
	CHECK(avcodec_send_frame(c, NULL) == 0);
	seen += receive_opaque(c);
	CHECK(seen == 2 && freed == 4);
	avcodec_free_context(&c);
}
#endif

/* A frame of RGB whose components are those of FFmpeg's description of the format. */
static AVFrame *rgb_frame(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
	AVFrame *f = new_frame(format, WIDTH, HEIGHT, 0);

	for (int k = 0; k < 3; k++)
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < WIDTH; x++)
				f->data[d->comp[k].plane][y * f->linesize[d->comp[k].plane] +
							  x * d->comp[k].step + d->comp[k].offset] =
					(uint8_t)(k == 0   ? 4 * x
						  : k == 1 ? 5 * y
							   : x * y);
	return f;
}

/* A picture as a frame of 4:2:0 or 4:2:2. */
static AVFrame *yuv_frame(enum AVPixelFormat format)
{
	const int ten = format == AV_PIX_FMT_P010;
	const int packed = format == AV_PIX_FMT_YUYV422 || format == AV_PIX_FMT_UYVY422;
	const int first = format == AV_PIX_FMT_UYVY422; /* the byte of the first Y */
	AVFrame *f = new_frame(format, WIDTH, HEIGHT, 0);

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			const int luma = 7 * x * y + 13 * x, cb = x / 2 * 4 + y / 2,
				  cr = x / 2 + y / 2 * 3;
			const int chroma = x % 2 ? cr : cb;
			uint8_t *at = f->data[0] + y * f->linesize[0];
			uint8_t *c = packed ? at : f->data[1] + y / 2 * f->linesize[1];

			if (ten) {
				AV_WL16(at + 2 * x, (luma & 255) << 8);
				AV_WL16(c + 2 * x, (chroma & 255) << 8);
			} else if (packed) {
				at[2 * x + first] = (uint8_t)luma;
				at[2 * x + !first] = (uint8_t)chroma;
			} else {
				at[x] = (uint8_t)luma;
				c[x] = (uint8_t)chroma;
			}
		}
	return f;
}

/* Encodes one frame, which it frees; returns the packet's bytes. The context describes BT.709. */
static size_t encode_one(AVFrame *f, uint8_t *bytes, enum AVColorSpace *space)
{
	AVCodecContext *c = new_context();
	size_t count = 0;
	int packets = 0;
	int64_t last;

	c->pix_fmt = (enum AVPixelFormat)f->format;
	CHECK(open_context(c) == 0);
	*space = c->colorspace;
	CHECK(avcodec_send_frame(c, f) == 0);
	CHECK(avcodec_send_frame(c, NULL) == 0);
	CHECK(receive_all(c, bytes, &count, &packets, &last) == AVERROR_EOF);
	CHECK(packets == 1);
	av_frame_free(&f);
	avcodec_free_context(&c);
	return count;
}

static void test_formats(void)
{
	static const enum AVPixelFormat rgb[] = { AV_PIX_FMT_RGB24, AV_PIX_FMT_BGR24,
		AV_PIX_FMT_RGBA, AV_PIX_FMT_BGRA, AV_PIX_FMT_ARGB, AV_PIX_FMT_ABGR, AV_PIX_FMT_RGB0,
		AV_PIX_FMT_BGR0, AV_PIX_FMT_0RGB, AV_PIX_FMT_0BGR, AV_PIX_FMT_GBRP };
	static const enum AVPixelFormat yuv[] = { AV_PIX_FMT_NV12, AV_PIX_FMT_YUYV422,
		AV_PIX_FMT_UYVY422, AV_PIX_FMT_P010 };
	static uint8_t want[LARGEST], got[LARGEST];
	enum AVColorSpace space;
	size_t count, n;

	count = encode_one(rgb_frame(rgb[0]), want, &space);
	CHECK(count > 500 && space == AVCOL_SPC_BT709);
	for (size_t i = 1; i < sizeof(rgb) / sizeof(rgb[0]); i++) {
		n = encode_one(rgb_frame(rgb[i]), got, &space);
		CHECK(n == count && memcmp(got, want, n) == 0);
	}
	count = encode_one(yuv_frame(yuv[0]), want, &space);
	CHECK(count > 500);
	for (size_t i = 1; i < sizeof(yuv) / sizeof(yuv[0]); i++) {
		n = encode_one(yuv_frame(yuv[i]), got, &space);
		CHECK(n == count && memcmp(got, want, n) == 0);
	}
}

enum { STEP = 40 };

/* Encodes one picture 2 * STEP times; `change` is called before the second half. Sets the mean
 * bytes of a packet of each half. */
static void encode_steps(AVCodecContext *c, void (*change)(AVCodecContext *c), size_t mean[2])
{
	static uint8_t bytes[2 * STEP][LARGEST];
	int packets = 0;
	int64_t last;

	mean[0] = mean[1] = 0;
	c->flags |= AV_CODEC_FLAG_LOW_DELAY;
	CHECK(open_context(c) == 0);
	for (int i = 0; i < 2 * STEP; i++) {
		AVFrame *f = yuv_frame(AV_PIX_FMT_NV12);
		size_t count = 0;

		if (i == STEP)
			change(c);
		f->pts = i;
		CHECK(avcodec_send_frame(c, f) == 0);
		CHECK(receive_all(c, bytes[i], &count, &packets, &last) == AVERROR(EAGAIN));
		mean[i / STEP] += count;
		av_frame_free(&f);
	}
	CHECK(packets == 2 * STEP);
	for (int k = 0; k < 2; k++)
		mean[k] /= STEP;
	avcodec_free_context(&c);
}

static void quarter_rate(AVCodecContext *c)
{
	c->bit_rate /= 4;
}

static void other_quality(AVCodecContext *c)
{
	CHECK(av_opt_set(c->priv_data, "crf", "35", 0) == 0);
}

/* The rates in the context can change, as with libx264; the kind of rate stays. */
static void test_rates(void)
{
	AVCodecContext *c = new_context();
	size_t mean[2];

	c->pix_fmt = AV_PIX_FMT_NV12;
	c->bit_rate = 240000; /* 1,200 bytes a picture */
	encode_steps(c, quarter_rate, mean);
	CHECK(mean[0] > 1080 && mean[0] < 1320);
	CHECK(mean[1] > 270 && mean[1] < 330);
	c = new_context();
	c->pix_fmt = AV_PIX_FMT_NV12;
	CHECK(av_opt_set(c->priv_data, "crf", "20", 0) == 0);
	encode_steps(c, other_quality, mean);
	CHECK(mean[1] > 100 && mean[1] * 2 < mean[0]);
	c = new_context();
	c->pix_fmt = AV_PIX_FMT_NV12;
	encode_steps(c, other_quality, mean); /* from a QP: refused */
	CHECK(mean[1] == mean[0]);
}

int main(void)
{
	av_log_set_level(AV_LOG_QUIET);
	test_flush();
	test_no_frames();
	test_close();
	test_changes();
	test_refused();
	test_captions();
	test_header();
	test_profile();
	test_variable_rate();
	test_formats();
	test_rates();
#if LIBAVCODEC_VERSION_MAJOR >= 60
	test_opaque();
#endif
	printf("%d checks, %d failed\n", checks, failures);
	return failures != 0;
}
