/* h264intra_io, writing: files are created, replaced and kept as <h264intra/sink.h> states. */
#include <h264intra/sink.h>
#include "tests/common/testmain.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sink_test.XXXXXX";
static char path_buf[2][300];
static char msg[600];

static const char *in_folder(int slot, const char *name)
{
	snprintf(path_buf[slot], sizeof(path_buf[slot]), "%s/%s", folder, name);
	return path_buf[slot];
}

static int exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static const uint8_t packet_bytes[] = { 0, 0, 0, 1, 0x67, 66, 2, 3, 0, 0, 0, 1, 0x68, 4, 5, 0, 0, 1,
	0x65, 6, 7, 8, 9 };

static const h264i_sink_stream stream = { .struct_bytes = sizeof(stream),
	.width = 16,
	.height = 16,
	.time_base_num = 1,
	.time_base_den = 25,
	.headers = packet_bytes,
	.headers_bytes = 15 };
static const h264i_sink_packet packet = { .struct_bytes = sizeof(packet),
	.data = packet_bytes,
	.data_bytes = sizeof(packet_bytes),
	.headers_bytes = 15,
	.duration = 1 };

/* A sink that has written one packet. */
static h264i_sink *one_packet(const char *path, int overwrite)
{
	h264i_sink *sink;

	CU_ASSERT_EQUAL_FATAL(
		h264i_sink_open(&sink, path, overwrite, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_PTR_NULL(h264i_sink_file(sink));
	CU_ASSERT_EQUAL_FATAL(h264i_sink_begin(sink, &stream), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_OK);
	return sink;
}

static void put_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

/* Returns 1 if the file has the text, or for NULL the packet. */
static int has(const char *path, const char *text)
{
	const void *want = text ? (const void *)text : packet_bytes;
	const size_t bytes = text ? strlen(text) : sizeof(packet_bytes);
	char got[100];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return 0;
	n = fread(got, 1, sizeof(got), f);
	fclose(f);
	return n == bytes && memcmp(got, want, bytes) == 0;
}

static void test_sink_files(void)
{
	const char *path = in_folder(0, "a.264");
	h264i_sink *sink, *late;
	h264i_y4m *y4m;

	CU_ASSERT_EQUAL(h264i_sink_open(&sink, in_folder(1, "a.avi"), 0, msg, sizeof(msg)),
		H264I_IO_ERR_NAME);
	CU_ASSERT_PTR_NULL(sink);
	CU_ASSERT_EQUAL(h264i_sink_open(&sink, folder, 1, msg, sizeof(msg)), H264I_IO_ERR_OPEN);
	CU_ASSERT_EQUAL(
		h264i_sink_open(&sink, in_folder(1, "no/a.264"), 0, NULL, 0), H264I_IO_ERR_OPEN);

	CU_ASSERT_EQUAL_FATAL(h264i_sink_open(&sink, path, 0, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_EQUAL_FATAL(h264i_sink_open(&late, path, 0, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_ERR_ARG); /* not begun */
	CU_ASSERT_EQUAL(h264i_sink_begin(sink, &stream), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_begin(late, &stream), H264I_IO_OK);
	CU_ASSERT_FALSE(exists(path)); /* only with the first packet */
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_bytes(sink), sizeof(packet_bytes));
	CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_OK);
	h264i_sink_close(&sink);
	CU_ASSERT_PTR_NULL(sink);
	/* The file that appeared since h264i_sink_open is not overwritten. */
	CU_ASSERT_EQUAL(h264i_sink_write(late, &packet), H264I_IO_ERR_EXISTS);
	CU_ASSERT_EQUAL(h264i_sink_finish(late), H264I_IO_ERR_EXISTS);
	h264i_sink_close(&late);

	CU_ASSERT_TRUE(has(path, NULL));
	CU_ASSERT_EQUAL(h264i_sink_open(&sink, path, 0, msg, sizeof(msg)), H264I_IO_ERR_EXISTS);
	CU_ASSERT_EQUAL(h264i_output_check(path, 0, msg, sizeof(msg)), H264I_IO_ERR_EXISTS);
	CU_ASSERT_EQUAL(h264i_output_check(path, 1, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_y4m_open(&y4m, path, 0, 16, 16, &stream.vui, msg, sizeof(msg)),
		H264I_IO_ERR_EXISTS);
	CU_ASSERT_PTR_NULL(y4m);
}

static void test_unfinished(void)
{
	static const struct {
		const char *name, *part;
		int kept;
	} types[] = { { "u.264", "u.264.part", 1 }, { "u.mkv", "u.mkv.part", 1 },
		{ "u.mp4", "u.mp4.part", 0 }, { "u.mov", "u.mov.part", 0 } };

	for (int i = 0; i < 4; i++) {
		const char *path = in_folder(0, types[i].name), *part = in_folder(1, types[i].part);
		h264i_sink *sink = one_packet(path, 0);

		CU_ASSERT_TRUE(exists(part));
		h264i_sink_close(&sink);
		CU_ASSERT_FALSE(exists(path));
		CU_ASSERT_EQUAL(exists(part), types[i].kept);
		/* No packet was written: no file remains. */
		unlink(part);
		CU_ASSERT_EQUAL_FATAL(
			h264i_sink_open(&sink, path, 0, msg, sizeof(msg)), H264I_IO_OK);
		CU_ASSERT_EQUAL_FATAL(h264i_sink_begin(sink, &stream), H264I_IO_OK);
		CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_OK);
		CU_ASSERT_PTR_NULL(h264i_sink_file(sink));
		h264i_sink_close(&sink);
		CU_ASSERT_FALSE(exists(path));
		CU_ASSERT_FALSE(exists(part));
	}
}

static void test_replaced(void)
{
	const char *path = in_folder(0, "p.264"), *part = in_folder(1, "p.264.part");
	struct stat st;
	h264i_sink *sink;

	put_text(path, "old");
	CU_ASSERT_EQUAL(chmod(path, 0604), 0);
	sink = one_packet(path, 1);
	CU_ASSERT_STRING_EQUAL(h264i_sink_file(sink), part);
	CU_ASSERT_TRUE(has(path, "old"));
	h264i_sink_close(&sink); /* without an end */
	CU_ASSERT_TRUE(has(path, "old"));
	CU_ASSERT_TRUE(has(part, NULL));
	/* Another failure: the file is complete, and the older file stays. */
	sink = one_packet(path, 1);
	CU_ASSERT_EQUAL(h264i_sink_finish_early(sink), H264I_IO_OK);
	CU_ASSERT_STRING_EQUAL(h264i_sink_file(sink), part);
	h264i_sink_close(&sink);
	CU_ASSERT_TRUE(has(path, "old"));
	CU_ASSERT_TRUE(has(part, NULL));
	sink = one_packet(path, 1);
	CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_OK);
	CU_ASSERT_STRING_EQUAL(h264i_sink_file(sink), path);
	h264i_sink_close(&sink);
	CU_ASSERT_TRUE(has(path, NULL));
	CU_ASSERT_FALSE(exists(part));
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0604);
	/* No older file: it gets its name after a failure as well. */
	unlink(path);
	sink = one_packet(path, 0);
	CU_ASSERT_EQUAL(h264i_sink_finish_early(sink), H264I_IO_OK);
	h264i_sink_close(&sink);
	CU_ASSERT_TRUE(has(path, NULL));
	CU_ASSERT_FALSE(exists(part));
	unlink(path);
}

static void test_part_in_the_way(void)
{
	const char *path = in_folder(0, "p.264"), *part = in_folder(1, "p.264.part");
	h264i_sink *sink, *second;

	put_text(part, "precious");
	CU_ASSERT_EQUAL(h264i_sink_open(&sink, path, 0, msg, sizeof(msg)), H264I_IO_ERR_EXISTS);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "p.264.part: exists already"));
	CU_ASSERT_EQUAL(h264i_output_check(path, 0, msg, sizeof(msg)), H264I_IO_ERR_EXISTS);
	CU_ASSERT_TRUE(has(part, "precious"));
	/* The file appears after h264i_sink_open. */
	unlink(part);
	CU_ASSERT_EQUAL_FATAL(h264i_sink_open(&sink, path, 0, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_begin(sink, &stream), H264I_IO_OK);
	put_text(part, "precious");
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_ERR_EXISTS);
	h264i_sink_close(&sink);
	CU_ASSERT_TRUE(has(part, "precious"));
	/* A file that is being written is not replaced, even with `overwrite`. */
	sink = one_packet(path, 1);
	CU_ASSERT_EQUAL_FATAL(h264i_sink_open(&second, path, 1, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_begin(second, &stream), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_write(second, &packet), H264I_IO_ERR_OPEN);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_sink_last_error(second), "another process"));
	h264i_sink_close(&second);
	CU_ASSERT_TRUE(has(part, NULL));
	/* The target appears while the file is written: both are kept. */
	put_text(path, "new");
	CU_ASSERT_EQUAL(h264i_sink_finish_early(sink), H264I_IO_OK);
	h264i_sink_close(&sink);
	CU_ASSERT_TRUE(has(path, "new"));
	unlink(path);
	unlink(part);
	sink = one_packet(path, 0);
	put_text(path, "new");
	CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_ERR_EXISTS);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_sink_last_error(sink), "appeared"));
	h264i_sink_close(&sink);
	CU_ASSERT_TRUE(has(path, "new"));
	CU_ASSERT_TRUE(has(part, NULL));
	unlink(path);
	unlink(part);
}

/* Reads back one packet of the pipe that the sink opens while it has a reader. */
static void write_to_reader(const char *name, int stop_fd)
{
	const int fd = open(name, O_RDONLY | O_NONBLOCK);
	uint8_t got[sizeof(packet_bytes) + 1];
	h264i_sink *sink;

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	h264i_sink_open(&sink, name, 0, msg, sizeof(msg));
	h264i_sink_set_interrupt_fd(sink, stop_fd);
	h264i_sink_begin(sink, &stream);
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_OK);
	h264i_sink_close(&sink);
	CU_ASSERT_EQUAL(read(fd, got, sizeof(got)), (ssize_t)sizeof(packet_bytes));
	CU_ASSERT_EQUAL(memcmp(got, packet_bytes, sizeof(packet_bytes)), 0);
	close(fd);
}

/* The descriptor is readable already: a reader is looked for once. */
static void test_pipe_without_reader(void)
{
	static const uint8_t row[16];
	static const uint8_t *const plane[3] = { row, row, row };
	static const size_t pitch[3] = { 0, 0, 0 };
	const char *name = in_folder(0, "unread");
	h264i_sink *sink;
	h264i_y4m *y4m;
	int stop[2];

	CU_ASSERT_EQUAL_FATAL(mkfifo(name, 0600), 0);
	CU_ASSERT_EQUAL_FATAL(pipe(stop), 0);
	CU_ASSERT_EQUAL(write(stop[1], "", 1), 1);
	CU_ASSERT_EQUAL_FATAL(h264i_sink_open(&sink, name, 0, msg, sizeof(msg)), H264I_IO_OK);
	h264i_sink_set_interrupt_fd(sink, stop[0]);
	h264i_sink_begin(sink, &stream);
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_INTERRUPTED);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_sink_last_error(sink), "unread: interrupted"));
	CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_INTERRUPTED);
	h264i_sink_close(&sink);
	CU_ASSERT_EQUAL_FATAL(
		h264i_y4m_open(&y4m, name, 0, 16, 16, &stream.vui, msg, sizeof(msg)), H264I_IO_OK);
	h264i_y4m_set_interrupt_fd(y4m, stop[0]);
	CU_ASSERT_EQUAL(h264i_y4m_write(y4m, plane, pitch), H264I_IO_INTERRUPTED);
	h264i_y4m_close(&y4m);
	write_to_reader(name, stop[0]);
	close(stop[0]);
	close(stop[1]);
	CU_ASSERT_EQUAL(unlink(name), 0);
}

static void test_sizes(void)
{
	const char *path = in_folder(0, "sized.264");
	h264i_sink_stream s = stream;
	h264i_sink_packet p = packet;
	h264i_sink *sink;

	CU_ASSERT_EQUAL_FATAL(h264i_sink_open(&sink, path, 0, msg, sizeof(msg)), H264I_IO_OK);
	s.struct_bytes = 0;
	CU_ASSERT_EQUAL(h264i_sink_begin(sink, &s), H264I_IO_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_sink_last_error(sink), "h264i_sink_stream"));
	CU_ASSERT_EQUAL(h264i_sink_begin(sink, NULL), H264I_IO_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_sink_begin(sink, &stream), H264I_IO_OK);
	p.struct_bytes = sizeof(size_t);
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &p), H264I_IO_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_sink_last_error(sink), "h264i_sink_packet"));
	CU_ASSERT_FALSE(exists(path));
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_OK);
	h264i_sink_close(&sink);
	unlink(path);
}

static int make_folder(void)
{
	h264i_io_log_ffmpeg(NULL, NULL);
	return mkdtemp(folder) ? 0 : -1;
}

/* Returns nonzero if a file still exists. */
static int remove_folder(void)
{
	unlink(in_folder(0, "a.264"));
	return rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "no file appears before it is complete, and none is overwritten",
			test_sink_files },
		{ "an unfinished file is kept only if it can be played", test_unfinished },
		{ "an older file stays until the new one is complete", test_replaced },
		{ "an existing NAME.part is not overwritten", test_part_in_the_way },
		{ "the wait for the reader of a pipe can be interrupted",
			test_pipe_without_reader },
		{ "structs carry their size", test_sizes },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "sink", make_folder, remove_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
