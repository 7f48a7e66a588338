/* The MP4 writer against libavformat at every moment of writing, and after every truncation. */
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_reader.h"

static test_clip clip;

/* Frames that a file must have: those of the fragments whose last byte was written. */
typedef struct progress {
	int least, each; /* frames of a fragment */
	long moments;
} progress;

static void check_moment(test_file *f, void *opaque)
{
	progress *p = opaque;
	uint64_t at = 0;
	int fragments = 0, moof = 0, n;

	while (at + 8 <= f->bytes) {
		const uint8_t *b = f->data + at;
		const uint64_t size = (uint64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];

		if (at + size > f->bytes || size < 8)
			break;
		fragments += moof && memcmp(b + 4, "mdat", 4) == 0;
		moof = memcmp(b + 4, "moof", 4) == 0;
		at += size;
	}
	if (fragments && p->each * fragments > p->least && p->least < CLIP_FRAMES)
		p->least = p->each * fragments;
	n = readable(&clip, f->data, f->bytes);
	p->moments++;
	CHECK(n >= p->least && n <= CLIP_FRAMES, "%zu bytes, moment %ld: %d of %d frames", f->bytes,
		p->moments, n, p->least);
}

/* Every prefix of what is appended, and the file after each change at its front. */
static void check_moments(
	uint32_t reserve_bytes, uint32_t each, int reads, long moved, const char *want)
{
	h264i_mp4_options o = test_mp4_options(&clip);
	int64_t pts[CLIP_FRAMES];
	progress p = { -1, (int)each, 0 };
	h264i_mp4_sink sink;
	test_file f;
	h264i_mp4 *mp4;

	sink = test_file_sink(&f);
	f.changed = check_moment;
	f.opaque = &p;
	if (!reads)
		sink.read = NULL;
	o.reserve_bytes = reserve_bytes;
	o.fragment_frames = each;
	o.fragment_ms = 100000;
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
	/* No two durations are equal. */
	for (int i = 0; i < CLIP_FRAMES; i++)
		pts[i] = i * (i + 1);
	write_clip(mp4, &clip, pts, 0);
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	h264i_mp4_close(&mp4);
	CHECK(p.least == CLIP_FRAMES && p.moments > 1000, "%d frames, %ld moments", p.least,
		p.moments);
	CHECK(readable(&clip, f.data, f.bytes) == CLIP_FRAMES, "the file is incomplete");
	CHECK(f.reads == moved, "%ld chunks moved", f.reads);
	CHECK(strcmp(boxes(&f), want) == 0, "boxes %s", boxes(&f));
	free(f.data);
}

static void test_moments(void)
{
	test_clip_make(&clip);
	check_moments(0, 4, 1, 0, "ftyp moov mdat ");
	check_moments(64, 4, 0, 0, "ftyp mdat moov ");
	/* The index is larger than the reserve and the moov of the fragments: samples move. */
	check_moments(64, 1, 1, 1, "ftyp moov mdat ");
	/* With their moov there is room enough. */
	check_moments(64, 4, 1, 0, "ftyp moov mdat ");
	check_moments(300, 2, 1, 0, "ftyp moov mdat ");
}

/* A sink that only appends: each part of the file that does not end within a moof. */
static void test_prefixes(void)
{
	h264i_mp4_options o;
	test_file f;
	uint64_t at = 0;
	long read = 0;
	int whole = 0;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	o.layout = H264I_MP4_FRAGMENTED;
	make_stream(&f, &clip, &o);
	for (size_t end = 0; end <= f.bytes; end++) {
		const uint8_t *b = f.data + at;
		const uint64_t size = (uint64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];

		if (end == at + size) {
			whole += memcmp(b + 4, "mdat", 4) == 0;
			at = end;
		}
		if (whole && (at == end || memcmp(b + 4, "moof", 4) != 0)) {
			const int n = readable(&clip, f.data, end);

			CHECK(n >= 4 * whole && n <= CLIP_FRAMES, "%zu bytes: %d frames", end, n);
			read++;
		}
	}
	CHECK(whole == 3 && read > 500, "%d fragments, %ld parts", whole, read);
	free(f.data);
}

/* A program that is killed early leaves a file that plays, however long it was to become. */
static void test_early(void)
{
	static const int whole[CLIP_FRAMES] = { 0, 1, 1, 3, 3, 3, 3, 7, 7, 7, 7, 7 };
	h264i_mp4_options o;
	h264i_mp4_sink sink;
	test_file f;
	h264i_mp4 *mp4;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	o.fragment_frames = 0;
	o.frames_expected = 2500000;
	sink = test_file_sink(&f);
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
	for (int i = 0; i < CLIP_FRAMES; i++) {
		const h264i_packet *p = &clip.packet[i];

		CU_ASSERT_EQUAL(h264i_mp4_write(mp4, p, 0), H264I_OK);
		if (whole[i])
			CHECK(readable(&clip, f.data, f.bytes) == whole[i], "%d packets: %d", i + 1,
				readable(&clip, f.data, f.bytes));
		CHECK(f.bytes < 2 << 20, "%zu bytes after %d packets", f.bytes, i + 1);
	}
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	h264i_mp4_close(&mp4);
	CHECK(readable(&clip, f.data, f.bytes) == CLIP_FRAMES, "the file is incomplete");
	free(f.data);
}

static int close_clip(void)
{
	test_clip_free(&clip);
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "at every moment of writing FFmpeg reads all finished fragments", test_moments },
		{ "FFmpeg reads all finished fragments of each part of a stream", test_prefixes },
		{ "a long file plays from its second packet on", test_early },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mp4_moments", be_quiet, close_clip, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
