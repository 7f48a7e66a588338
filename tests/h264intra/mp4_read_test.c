/* The MP4 writer against libavformat: description of the track, samples, times, large files. */
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_reader.h"

static test_clip clip;

static int has(const test_file *f, const char *type)
{
	for (size_t i = 0; i + 4 <= f->bytes; i++)
		if (memcmp(f->data + i, type, 4) == 0)
			return 1;
	return 0;
}

/* Compares pts and durations, in units of `unit` seconds. */
static void check_times(const test_file *f, const int64_t *pts, int64_t last, AVRational unit)
{
	reader r;

	CHECK(reader_open(&r, f->data, f->bytes) == 0, "FFmpeg cannot read it");
	for (int i = 0; i < CLIP_FRAMES; i++) {
		const int got = (av_packet_unref(r.packet), av_read_frame(r.fmt, r.packet));
		const int64_t next = i == CLIP_FRAMES - 1 ? pts[i] + last : pts[i + 1];
		AVRational base = r.fmt->streams[0]->time_base;

		CHECK(got == 0, "frame %d", i);
		CHECK(r.packet->pts == av_rescale_q(pts[i], unit, base), "frame %d: pts %" PRId64,
			i, r.packet->pts);
		CHECK(r.packet->dts == r.packet->pts, "frame %d", i);
		/* FFmpeg 5 sets no durations of samples in fragments, and not the last one after an
		 * empty edit. */
		if (has(f, "moof") || (i == CLIP_FRAMES - 1 && has(f, "edts")))
			continue;
		CHECK(r.packet->duration == av_rescale_q(next, unit, base) - r.packet->pts,
			"frame %d: duration %" PRId64, i, (int64_t)r.packet->duration);
		CHECK(r.packet->flags & AV_PKT_FLAG_KEY, "frame %d is no sync sample", i);
	}
	av_packet_unref(r.packet);
	CHECK(av_read_frame(r.fmt, r.packet) == AVERROR_EOF, "more packets");
	reader_close(&r);
}

static void test_description(void)
{
	h264i_mp4_options o;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);

	for (int i = 0; i < 6; i++) {
		AVCodecParameters *par;
		AVStream *st;
		test_file f;
		reader r;

		o.brand = i % 2 ? H264I_MP4_BRAND_MOV : H264I_MP4_BRAND_MP4;
		o.layout = (h264i_mp4_layout)(i / 2);
		make_file(&f, &clip, &o, NULL, 0);
		CHECK(readable(&clip, f.data, f.bytes) == CLIP_FRAMES, "brand %d layout %d", i % 2,
			i / 2);
		CHECK(reader_open(&r, f.data, f.bytes) == 0, "brand %d layout %d", i % 2, i / 2);
		st = r.fmt->streams[0];
		par = st->codecpar;
		CHECK(par->codec_id == AV_CODEC_ID_H264 &&
				par->codec_tag == MKTAG('a', 'v', 'c', '1'),
			"codec");
		CHECK(par->width == CLIP_WIDTH && par->height == CLIP_HEIGHT, "size");
		CHECK(par->color_space == 1 && par->color_primaries == 1 && par->color_trc == 1,
			"colour");
		/* QuickTime's nclc has no range. */
		CHECK(i % 2 || par->color_range == AVCOL_RANGE_JPEG, "range %d", par->color_range);
		CHECK(av_cmp_q(st->sample_aspect_ratio, (AVRational){ 4, 3 }) == 0, "aspect");
		CHECK(st->time_base.num == 1 && st->time_base.den == 30000, "timescale %d",
			st->time_base.den);
		CHECK(par->extradata_size > 11 && par->extradata[0] == 1 &&
				memcmp(par->extradata + 8, clip.headers + 4, 10) == 0,
			"extradata");
		CHECK(strcmp(av_dict_get(r.fmt->metadata, "major_brand", NULL, 0)->value,
			      i % 2 ? "qt  " : "isom") == 0,
			"brand");
		reader_close(&r);
		CHECK(!has(&f, "stss") && !has(&f, "ctts") && !has(&f, "edts"), "unused boxes");
		CHECK(strcmp(boxes(&f), i / 2 == 0   ? "ftyp moov mdat "
					: i / 2 == 1 ? "ftyp moov moof mdat moof mdat moof mdat "
						     : "ftyp moov mdat ") == 0,
			"boxes %s", boxes(&f));
		free(f.data);
	}
}

static void test_times(void)
{
	static const int64_t even[CLIP_FRAMES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	static const int64_t uneven[CLIP_FRAMES] = { 0, 33, 67, 100, 133, 1000, 1001, 1002, 5000,
		5040, 5080, 5120 };
	int64_t moved[CLIP_FRAMES];

	test_clip_make(&clip);
	for (int layout = 0; layout < 3; layout++) {
		h264i_mp4_options o = test_mp4_options(&clip);
		test_file f;

		o.layout = (h264i_mp4_layout)layout;
		make_file(&f, &clip, &o, even, 0);
		check_times(&f, even, 1, (AVRational){ 1001, 30000 });
		free(f.data);
		o.time_base_num = 1;
		o.time_base_den = 1000;
		for (int start = -2; start <= 2; start++) {
			for (int i = 0; i < CLIP_FRAMES; i++)
				moved[i] = uneven[i] + start * 1500;
			make_file(&f, &clip, &o, moved, 77);
			/* The first time is not negative. */
			for (int i = 0; i < CLIP_FRAMES && start < 0; i++)
				moved[i] = uneven[i];
			check_times(&f, moved, 77, (AVRational){ 1, 1000 });
			free(f.data);
		}
		/* Thirds of a second in ticks of 1/90000, and rounded to 1/100. */
		o.time_base_den = 3;
		o.timescale = 90000;
		make_file(&f, &clip, &o, even, 1);
		check_times(&f, even, 1, (AVRational){ 1, 3 });
		free(f.data);
		o.timescale = 100;
		make_file(&f, &clip, &o, even, 1);
		check_times(&f, even, 1, (AVRational){ 1, 3 });
		free(f.data);
	}
}

/* The duration needs 64 bits. */
static void test_long(void)
{
	h264i_mp4_options o;
	int64_t pts[CLIP_FRAMES];

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	o.time_base_num = 1;
	o.time_base_den = 1000000;
	for (int i = 0; i < CLIP_FRAMES; i++)
		pts[i] = i * INT64_C(4000000000);
	for (int layout = 0; layout < 3; layout++) {
		test_file f;

		o.layout = (h264i_mp4_layout)layout;
		make_file(&f, &clip, &o, pts, 4000000000);
		check_times(&f, pts, 4000000000, (AVRational){ 1, 1000000 });
		free(f.data);
	}
}

/* A file of which only the writes of at most SPARSE_BYTES are kept, at their offsets. */
#define SOUND "snd!"
enum { SPARSE_BYTES = 1 << 17, SPARSE_WRITES = 1000, PACKET_BYTES = 60 << 20, PACKETS = 76 };

typedef struct sparse_file {
	struct {
		uint64_t offset;
		size_t bytes;
		uint8_t *data;
	} part[SPARSE_WRITES];
	int parts;
	uint64_t bytes, at;
} sparse_file;

static int sparse_pwrite(void *opaque, uint64_t offset, const void *data, size_t bytes)
{
	sparse_file *f = opaque;

	if (bytes <= SPARSE_BYTES && f->parts < SPARSE_WRITES) {
		uint8_t *copy = malloc(bytes + 1);

		memcpy(copy, data, bytes);
		f->part[f->parts].offset = offset;
		f->part[f->parts].bytes = bytes;
		f->part[f->parts++].data = copy;
	}
	return 0;
}

static int sparse_write(void *opaque, const void *data, size_t bytes)
{
	sparse_file *f = opaque;

	f->bytes += bytes;
	return sparse_pwrite(f, f->bytes - bytes, data, bytes);
}

/* The later of two writes wins. */
static int sparse_read(void *opaque, uint64_t offset, void *to, size_t bytes)
{
	sparse_file *f = opaque;

	memset(to, 0, bytes);
	for (int i = 0; i < f->parts; i++) {
		const uint64_t from = f->part[i].offset, end = from + f->part[i].bytes;
		const uint64_t first = from > offset ? from : offset;
		const uint64_t last = end < offset + bytes ? end : offset + bytes;

		if (first < last)
			memcpy((uint8_t *)to + (first - offset), f->part[i].data + (first - from),
				(size_t)(last - first));
	}
	return 0;
}

static int sparse_truncate(void *opaque, uint64_t bytes)
{
	((sparse_file *)opaque)->bytes = bytes;
	return 0;
}

static int sparse_read_bytes(void *opaque, uint8_t *to, int room)
{
	reader *r = opaque;
	sparse_file *f = (sparse_file *)(void *)r->data;
	const int64_t left = (int64_t)f->bytes - r->at;
	const int n = left < room ? (int)left : room;

	if (n <= 0)
		return AVERROR_EOF;
	sparse_read(f, (uint64_t)r->at, to, (size_t)n);
	r->at += n;
	return n;
}

/* Each sample of the video begins behind the header of an mdat, or with a sound behind that; the
 * first one of a file without room for the index is at its end. */
static void check_large(sparse_file *f, uint32_t reserve_bytes)
{
	const char *in_front = reserve_bytes ? SOUND : "mdat";
	const AVIndexEntry *e;
	char type[4];
	int64_t before = 0;
	reader r;
	int far = 0;

	CHECK(reader_open_with(&r, (uint8_t *)f, f->bytes, sparse_read_bytes) == 0, "not readable");
	CHECK(avformat_index_get_entries_count(r.fmt->streams[0]) == PACKETS, "%d entries",
		avformat_index_get_entries_count(r.fmt->streams[0]));
	for (int i = 0; i < PACKETS; i++) {
		e = avformat_index_get_entry(r.fmt->streams[0], i);
		CHECK(e->size == PACKET_BYTES, "frame %d: %d bytes", i, e->size);
		CHECK(e->pos > 0 && e->pos + e->size <= (int64_t)f->bytes, "frame %d", i);
		sparse_read(f, (uint64_t)e->pos - 4, type, 4);
		/* Copies are in the order of the tracks. */
		CHECK(memcmp(type, i == 0 ? "mdat" : in_front, 4) == 0, "frame %d", i);
		CHECK(i < 2 || e->pos > before, "frame %d", i);
		before = e->pos;
		far += e->pos > (int64_t)UINT32_MAX;
	}
	for (int i = 0; i < PACKETS && reserve_bytes; i++) {
		e = avformat_index_get_entry(r.fmt->streams[1], i);
		sparse_read(f, (uint64_t)e->pos, type, 4);
		CHECK(e->size == 4 && memcmp(type, SOUND, 4) == 0, "sound %d", i);
	}
	e = avformat_index_get_entry(r.fmt->streams[0], 0);
	CHECK(far >= 2 && (e->pos > (int64_t)UINT32_MAX) == (reserve_bytes == 64), "%d", far);
	reader_close(&r);
}

static void make_large(sparse_file *f, uint32_t reserve_bytes)
{
	h264i_mp4_options o = test_mp4_options(&clip);
	h264i_packet p = clip.packet[0];
	uint8_t *data = malloc(PACKET_BYTES);
	h264i_mp4_track t;
	h264i_mp4_sink sink;
	h264i_mp4 *mp4;

	memset(f, 0, sizeof(*f));
	h264i_mp4_sink_init(&sink);
	sink.opaque = f;
	sink.write = sparse_write;
	sink.pwrite = sparse_pwrite;
	sink.read = sparse_read;
	sink.truncate = sparse_truncate;
	o.fragment_frames = 1;
	o.reserve_bytes = reserve_bytes;
	CU_ASSERT_PTR_NOT_NULL_FATAL(data);
	memset(data, 0xaa, PACKET_BYTES);
	memcpy(data, "\0\0\0\1\x65", 5);
	p.data = data;
	p.data_bytes = PACKET_BYTES;
	p.headers_bytes = 0;
	h264i_mp4_track_init(&t);
	t.codec = H264I_MP4_OPUS;
	t.rate = 48000;
	t.channels = 1;
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
	if (reserve_bytes)
		CU_ASSERT_EQUAL(h264i_mp4_add_track(mp4, &t), H264I_OK);
	for (p.pts = 0; p.pts < PACKETS; p.pts++) {
		CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &p, 0), H264I_OK);
		if (reserve_bytes)
			CU_ASSERT_EQUAL(h264i_mp4_write_track(mp4, 0, SOUND, 4, p.pts * 1601, 1601),
				H264I_OK);
	}
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_bytes(mp4), f->bytes);
	h264i_mp4_close(&mp4);
	free(data);
}

static void test_large(void)
{
	static sparse_file f;

	test_clip_make(&clip);
	for (uint32_t reserve_bytes = 0; reserve_bytes <= 64; reserve_bytes += 64) {
		make_large(&f, reserve_bytes);
		check_large(&f, reserve_bytes);
		for (int i = 0; i < f.parts; i++)
			free(f.part[i].data);
	}
}

static int close_clip(void)
{
	test_clip_free(&clip);
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "FFmpeg reads the description of the track and every sample", test_description },
		{ "times are kept: variable rates, early and late starts, timescales", test_times },
		{ "a duration may need 64 bits", test_long },
		{ "offsets may need 64 bits", test_large },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mp4_read", be_quiet, close_clip, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
