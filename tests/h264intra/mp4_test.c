/* The MP4 writer without a reader: arguments, failures of the sink and of allocations, files, pipes
 * and devices. mp4_read_test.c reads what it writes. */
#include "tests/common/check.h"
#include "tests/common/failing_alloc.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_common.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static test_clip clip;
static char folder[] = "/tmp/mp4_test.XXXXXX";
static char msg[256];

/* Allocations left until one fails. */
static long left = LONG_MAX;

static int fails_now(void)
{
	return left != LONG_MAX && left-- == 0;
}

static const char *in_folder(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static h264i_status write_all(h264i_mp4 *mp4)
{
	h264i_status s = H264I_OK;

	for (int i = 0; i < CLIP_FRAMES && s == H264I_OK; i++)
		s = h264i_mp4_write(mp4, &clip.packet[i], 0);
	return s;
}

/* Opens with a member changed; the message contains `text`. */
static void refuse(const h264i_mp4_options *o, h264i_status want, const char *text)
{
	h264i_mp4 *mp4 = (h264i_mp4 *)(void *)msg;
	h264i_status s = h264i_mp4_open_memory(&mp4, o, msg, sizeof(msg));

	CHECK(s == want && mp4 == NULL && strstr(msg, text), "%s: status %d, '%s'", text, s, msg);
}

static void test_bad_options(void)
{
	static const uint8_t high[] = { 0, 0, 0, 1, 0x67, 100, 0, 30, 1, 0, 0, 0, 1, 0x68, 1 };
	h264i_mp4_options good, o;
	h264i_mp4_sink sink;
	h264i_mp4 *mp4;
	test_file f;

	test_clip_make(&clip);
	good = test_mp4_options(&clip);
#define REFUSE(member, value, status, text) \
	do {                                \
		o = good;                   \
		o.member = (value);         \
		refuse(&o, status, text);   \
	} while (0)
	REFUSE(struct_bytes, 8, H264I_ERR_ARG, "h264i_mp4_options");
	REFUSE(brand, (h264i_mp4_brand)7, H264I_ERR_ARG, "brand 7");
	REFUSE(layout, (h264i_mp4_layout)9, H264I_ERR_ARG, "layout 9");
	REFUSE(width, 0, H264I_ERR_ARG, "0x18");
	REFUSE(height, 65536, H264I_ERR_ARG, "32x65536");
	REFUSE(reserve_bytes, UINT32_MAX, H264I_ERR_ARG, "reserve_bytes");
	REFUSE(vui.primaries, 256, H264I_ERR_ARG, "primaries 256");
	REFUSE(vui.sar_num, 0, H264I_ERR_ARG, "aspect 0/3");
	REFUSE(vui.fps_den, 0, H264I_ERR_ARG, "rate 30000/0");
	REFUSE(time_base_num, 1, H264I_ERR_ARG, "time base 1/0");
	REFUSE(headers, NULL, H264I_ERR_ARG, "headers is NULL");
	REFUSE(headers_bytes, 10, H264I_ERR_ARG, "no SPS and PPS");
	REFUSE(headers_bytes, 0, H264I_ERR_ARG, "no SPS and PPS");
	o = good;
	o.headers = high;
	o.headers_bytes = sizeof(high);
	refuse(&o, H264I_ERR_UNSUPPORTED, "neither Baseline, Main nor High");
	o = good;
	o.time_base_num = 4294967295u;
	o.time_base_den = 7;
	o.timescale = 1000;
	refuse(&o, H264I_ERR_LIMIT, "time base");
	refuse(NULL, H264I_ERR_ARG, "h264i_mp4_options is NULL");
	CU_ASSERT_EQUAL(h264i_mp4_open_memory(NULL, &good, NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_open(&mp4, &good, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	sink = test_file_sink(&f);
	sink.write = NULL;
	CU_ASSERT_EQUAL(h264i_mp4_open(&mp4, &good, &sink, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "write"));
	h264i_mp4_close(&mp4);
	h264i_mp4_close(NULL);
}

/* Packets that are refused leave the file as it would be without them. */
static void test_packets(void)
{
	static const uint8_t no_code[] = { 1, 2, 3, 4 }, no_slice[] = { 0, 0, 1, 6, 5, 0, 0 },
			     empty[] = { 0, 0, 0, 1, 0, 0, 1, 0x65 };
	h264i_mp4_options o;
	h264i_mp4 *mp4[2];
	const uint8_t *data[2];
	size_t bytes[2];
	h264i_packet p;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	for (int i = 0; i < 2; i++)
		CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_memory(&mp4[i], &o, NULL, 0), H264I_OK);
#define REFUSE_PACKET(at, n, time, last, text)                              \
	do {                                                                \
		p = clip.packet[0];                                         \
		p.data = (at);                                              \
		p.data_bytes = (n);                                         \
		p.headers_bytes = 0;                                        \
		p.pts = (time);                                             \
		CHECK(h264i_mp4_write(mp4[0], &p, last) == H264I_ERR_ARG && \
				strstr(h264i_mp4_last_error(mp4[0]), text), \
			"%s: '%s'", text, h264i_mp4_last_error(mp4[0]));    \
	} while (0)
	for (int i = 0; i < CLIP_FRAMES; i++) {
		REFUSE_PACKET(no_code, sizeof(no_code), i, 0, "Annex B");
		REFUSE_PACKET(empty, sizeof(empty), i, 0, "Annex B");
		REFUSE_PACKET(no_slice, sizeof(no_slice), i, 0, "no slice");
		REFUSE_PACKET(no_slice, 0, i, 0, "no slice");
		REFUSE_PACKET(NULL, 5, i, 0, "NULL");
		REFUSE_PACKET(clip.packet[0].data, 9, INT64_MAX, 0, "outside");
		REFUSE_PACKET(clip.packet[0].data, 9, i, -1, "outside");
		if (i)
			REFUSE_PACKET(clip.packet[0].data, 9, i - 1, 0, "must increase");
		CU_ASSERT_EQUAL(h264i_mp4_write(mp4[0], NULL, 0), H264I_ERR_ARG);
		CU_ASSERT_EQUAL(h264i_mp4_write(mp4[0], &clip.packet[i], 0), H264I_OK);
		CU_ASSERT_STRING_EQUAL(h264i_mp4_last_error(mp4[0]), "");
	}
	CU_ASSERT_EQUAL(write_all(mp4[1]), H264I_OK);
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(h264i_mp4_finish(mp4[i]), H264I_OK);
		CU_ASSERT_EQUAL(h264i_mp4_data(mp4[i], &data[i], &bytes[i]), H264I_OK);
		CU_ASSERT_EQUAL(h264i_mp4_write(mp4[i], &clip.packet[0], 0), H264I_ERR_STATE);
	}
	CU_ASSERT_TRUE(
		bytes[0] > 1000 && bytes[0] == bytes[1] && memcmp(data[0], data[1], bytes[0]) == 0);
	for (int i = 0; i < 2; i++)
		h264i_mp4_close(&mp4[i]);
}

/* Two times in one tick. */
static void test_coarse(void)
{
	h264i_mp4_options o;
	h264i_mp4 *mp4;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	o.timescale = 1;
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_memory(&mp4, &o, NULL, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &clip.packet[0], 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &clip.packet[1], 0), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_mp4_last_error(mp4), "equal in timescale 1"));
	h264i_mp4_close(&mp4);
}

static const uint32_t reserves[] = { 0, 64 };

/* The sink fails at its call n, for each n. */
static void test_sink_fails(void)
{
	test_clip_make(&clip);
	for (int i = 0; i < 8; i++) {
		h264i_mp4_options o = test_mp4_options(&clip);
		long n = -1;

		o.layout = (h264i_mp4_layout)(i % 3);
		o.reserve_bytes = reserves[i / 4];
		for (int done = 0; !done; n++) {
			h264i_status s;
			h264i_mp4 *mp4;
			test_file f;
			h264i_mp4_sink sink = test_file_sink(&f);

			f.fail_at = n;
			CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
			s = write_all(mp4);
			if (s == H264I_OK)
				s = h264i_mp4_finish(mp4);
			done = n >= 0 && f.calls <= n;
			CHECK(s == (done || n < 0 ? H264I_OK : H264I_ERR_IO), "call %ld: %d", n, s);
			if (s != H264I_OK) {
				const char *text = h264i_mp4_last_error(mp4);

				CHECK(strstr(text, "cannot ") && strstr(text, " of the file: "),
					"'%s'", text);
				CHECK(h264i_mp4_write(mp4, &clip.packet[0], 0) == s &&
						h264i_mp4_finish(mp4) == s && f.calls == n + 1,
					"the failure is not permanent");
			}
			h264i_mp4_close(&mp4);
			free(f.data);
		}
		CHECK(n > (o.layout == H264I_MP4_BUFFERED ? 3 : 7), "%ld calls", n);
	}
}

/* Allocation n fails, for each n. */
static void test_no_memory(void)
{
	test_clip_make(&clip);
	for (int i = 0; i < 6; i++) {
		h264i_mp4_options o = test_mp4_options(&clip);
		long n = 0;

		o.layout = (h264i_mp4_layout)(i % 3);
		o.reserve_bytes = reserves[i / 3];
		for (int done = 0; !done; n++) {
			static uint8_t room[1 << 20];
			h264i_mp4_sink sink;
			h264i_status s;
			h264i_mp4 *mp4;
			test_file f;

			sink = test_file_sink(&f);
			f.data = room;
			f.room = sizeof(room);
			left = n;
			s = h264i_mp4_open(&mp4, &o, &sink, msg, sizeof(msg));
			if (s == H264I_OK)
				s = write_all(mp4);
			if (s == H264I_OK)
				s = h264i_mp4_finish(mp4);
			done = left >= 0;
			left = LONG_MAX;
			CHECK(s == (done ? H264I_OK : H264I_ERR_NOMEM), "allocation %ld: %d", n, s);
			CHECK(done || strcmp(mp4 ? h264i_mp4_last_error(mp4) : msg,
					      "out of memory") == 0,
				"'%s'", mp4 ? h264i_mp4_last_error(mp4) : msg);
			h264i_mp4_close(&mp4);
		}
		CHECK(n > 6, "%ld allocations", n);
	}
}

static void test_no_packet(void)
{
	h264i_mp4_options o;
	const char *path = in_folder("none.mp4");
	const uint8_t *data;
	size_t bytes;
	h264i_mp4 *mp4;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_path(&mp4, &o, path, msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_data(mp4, &data, &bytes), H264I_ERR_STATE);
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_ERR_STATE);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_mp4_last_error(mp4), "no packet"));
	CU_ASSERT_EQUAL(h264i_mp4_bytes(mp4), 0);
	h264i_mp4_close(&mp4);
	CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
}

static void test_other_file(void)
{
	h264i_mp4_options o;
	const char *path = in_folder("none.mp4");
	h264i_mp4 *mp4;
	int fd;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_path(&mp4, &o, path, msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_EQUAL(unlink(path), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	CU_ASSERT_FATAL(fd >= 0);
	close(fd);
	h264i_mp4_close(&mp4);
	CU_ASSERT_EQUAL(access(path, F_OK), 0);
	unlink(path);
}

static void test_last_error(void)
{
	h264i_mp4_options o;
	const uint8_t *data;
	size_t bytes;
	h264i_mp4 *mp4;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_memory(&mp4, &o, NULL, 0), H264I_OK);
	CU_ASSERT_EQUAL(write_all(mp4), H264I_OK);
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(h264i_mp4_write(mp4, NULL, 0), H264I_ERR_ARG);
		CU_ASSERT_STRING_NOT_EQUAL(h264i_mp4_last_error(mp4), "");
		CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
		CU_ASSERT_STRING_EQUAL(h264i_mp4_last_error(mp4), "");
	}
	CU_ASSERT_EQUAL(h264i_mp4_write(mp4, NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_data(mp4, &data, &bytes), H264I_OK);
	CU_ASSERT_STRING_EQUAL(h264i_mp4_last_error(mp4), "");
	h264i_mp4_close(&mp4);
}

/* Each layout in a file, with the bytes of the same layout in memory or in a sink. */
static void test_file_path(void)
{
	const char *path = in_folder("a.mp4");

	test_clip_make(&clip);
	for (int i = 0; i < 6; i++) {
		h264i_mp4_options o = test_mp4_options(&clip);
		uint8_t *got = malloc(1 << 20);
		size_t bytes;
		h264i_mp4_sink sink;
		h264i_mp4 *mp4[2];
		test_file want;
		FILE *f;

		o.layout = (h264i_mp4_layout)(i % 3);
		o.reserve_bytes = reserves[i / 3];
		sink = test_file_sink(&want);
		CU_ASSERT_EQUAL_FATAL(
			h264i_mp4_open_path(&mp4[0], &o, path, msg, sizeof(msg)), H264I_OK);
		CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4[1], &o, &sink, NULL, 0), H264I_OK);
		for (int k = 0; k < 2; k++) {
			CU_ASSERT_EQUAL(write_all(mp4[k]), H264I_OK);
			CU_ASSERT_EQUAL(h264i_mp4_finish(mp4[k]), H264I_OK);
			h264i_mp4_close(&mp4[k]);
		}
		f = fopen(path, "rb");
		CU_ASSERT_FATAL(f && got);
		bytes = fread(got, 1, 1 << 20, f);
		fclose(f);
		CHECK(bytes == want.bytes && memcmp(got, want.data, bytes) == 0, "layout %d", i);
		free(got);
		free(want.data);
	}
	unlink(path);
}

static void test_bad_path(void)
{
	h264i_mp4_options o;
	struct stat st;
	h264i_mp4 *mp4;
	FILE *f;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	CU_ASSERT_EQUAL(h264i_mp4_open_path(&mp4, &o, in_folder("no/a.mp4"), msg, sizeof(msg)),
		H264I_ERR_IO);
	CU_ASSERT_PTR_NULL(mp4);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "no/a.mp4': No such file or directory"));
	CU_ASSERT_EQUAL(h264i_mp4_open_path(&mp4, &o, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	/* With options that are refused an existing file stays. */
	f = fopen(in_folder("old"), "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs("old", f);
	fclose(f);
	o.width = 0;
	CU_ASSERT_EQUAL(h264i_mp4_open_path(&mp4, &o, in_folder("old"), NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_TRUE(stat(in_folder("old"), &st) == 0 && st.st_size == 3);
	unlink(in_folder("old"));
}

/* An empty file is removed; another file that has taken its path is not. */
static void test_empty_file(void)
{
	char moved[300], path[300];
	h264i_mp4_options o;
	h264i_mp4 *mp4;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	snprintf(path, sizeof(path), "%s", in_folder("empty.mp4"));
	snprintf(moved, sizeof(moved), "%s", in_folder("moved.mp4"));
	for (int replaced = 0; replaced < 2; replaced++) {
		CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_path(&mp4, &o, path, NULL, 0), H264I_OK);
		if (replaced) {
			CU_ASSERT_EQUAL(rename(path, moved), 0);
			close(open(path, O_WRONLY | O_CREAT, 0600));
		}
		CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_ERR_STATE);
		h264i_mp4_close(&mp4);
		CU_ASSERT_EQUAL(access(path, F_OK), replaced ? 0 : -1);
	}
	unlink(path);
	unlink(moved);
}

static void test_full_disk(void)
{
	h264i_mp4_options o;
	h264i_mp4 *mp4;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	CU_ASSERT_EQUAL_FATAL(
		h264i_mp4_open_path(&mp4, &o, "/dev/full", msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_EQUAL(write_all(mp4), H264I_ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_mp4_last_error(mp4), "No space left on device"));
	h264i_mp4_close(&mp4);
}

typedef struct pipe_reader {
	const char *path;
	uint8_t data[1 << 20];
	size_t bytes;
} pipe_reader;

static void *read_pipe(void *opaque)
{
	pipe_reader *r = opaque;
	FILE *f = fopen(r->path, "rb");

	r->bytes = f ? fread(r->data, 1, sizeof(r->data), f) : 0;
	if (f)
		fclose(f);
	return NULL;
}

/* A pipe gets fragments, those of H264I_MP4_FRAGMENTED. */
static void test_pipe(void)
{
	static pipe_reader r;
	h264i_mp4_options o;
	const uint8_t *data;
	pthread_t thread;
	h264i_mp4 *mp4;
	size_t bytes;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	r.path = in_folder("pipe.mp4");
	CU_ASSERT_EQUAL_FATAL(mkfifo(r.path, 0600), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, read_pipe, &r), 0);
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_path(&mp4, &o, r.path, msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_EQUAL(write_all(mp4), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	h264i_mp4_close(&mp4);
	pthread_join(thread, NULL);
	unlink(r.path);
	o.layout = H264I_MP4_FRAGMENTED;
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_memory(&mp4, &o, NULL, 0), H264I_OK);
	CU_ASSERT_EQUAL(write_all(mp4), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_data(mp4, &data, &bytes), H264I_OK);
	CU_ASSERT_TRUE(bytes > 1000 && r.bytes == bytes && memcmp(r.data, data, bytes) == 0);
	h264i_mp4_close(&mp4);
}

static int make_folder(void)
{
	signal(SIGPIPE, SIG_IGN);
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void)
{
	test_clip_free(&clip);
	return rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "options out of range are refused with a reason", test_bad_options },
		{ "a packet that is refused leaves no trace", test_packets },
		{ "two times in one tick are an error", test_coarse },
		{ "each call of the sink may fail", test_sink_fails },
		{ "each allocation may fail", test_no_memory },
		{ "a file without packets is an error", test_no_packet },
		{ "only the file that was opened is removed", test_other_file },
		{ "a call that succeeds has no error", test_last_error },
		{ "a path gets the bytes of a sink", test_file_path },
		{ "a path that cannot be opened is an error", test_bad_path },
		{ "an empty file is removed, no other", test_empty_file },
		{ "a full disk is an error", test_full_disk },
		{ "a pipe gets fragments", test_pipe },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mp4", make_folder, remove_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
