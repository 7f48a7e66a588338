/* Sources whose reads fail. The linker redirects the calls of the library to the function below
 * (GNU ld and lld: --wrap). */
#include <h264intra/source.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 512 };

static char path[600], msg[600];
static atomic_long left = LONG_MAX / 2; /* reads until all fail */

ssize_t __real_read(int fd, void *to, size_t bytes);
ssize_t __wrap_read(int fd, void *to, size_t bytes);

/* Short reads, so that there are many. */
ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
	if (atomic_fetch_sub(&left, 1) > 0)
		return __real_read(fd, to, bytes < READ_BYTES ? bytes : READ_BYTES);
	errno = EIO;
	return -1;
}

/* Reads one frame and the other streams to the end, with `reads` reads that work. Returns the
 * status of the next frame. */
static h264i_io_status read_streams(long reads)
{
	static uint8_t y[128 * 96], u[64 * 48], v[64 * 48];
	uint8_t *const plane[3] = { y, u, v };
	const size_t pitch[3] = { 128, 64, 64 };
	h264i_source_frame frame = h264i_source_frame_init();
	h264i_source_options o;
	h264i_streams *streams;
	h264i_source *source;
	h264i_io_status s;

	CU_ASSERT_EQUAL_FATAL(h264i_streams_open(&streams), H264I_IO_OK);
	h264i_source_options_init(&o);
	o.path = path;
	o.streams = streams;
	o.threads = 1;
	atomic_store(&left, reads);
	CU_ASSERT_EQUAL_FATAL(h264i_source_open(&source, &o, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_source_read(source, plane, pitch, &frame), H264I_IO_OK);
	h264i_source_read_streams(source, INT32_MAX);
	s = h264i_source_read(source, plane, pitch, &frame);
	snprintf(msg, sizeof(msg), "%s", h264i_source_last_error(source));
	h264i_source_close(&source);
	h264i_streams_close(&streams);
	return s;
}

/* The video ends at --frames; the sound behind it is on a bad sector. */
static void test_streams(void)
{
	long reads;

	CU_ASSERT_EQUAL(read_streams(LONG_MAX / 2), H264I_IO_END);
	reads = LONG_MAX / 2 - atomic_load(&left);
	CHECK(reads > 20, "%ld reads", reads);
	CU_ASSERT_EQUAL(read_streams(reads - 1), H264I_IO_ERR_READ);
	CHECK(strstr(msg, strerror(EIO)), "%s", msg);
}

static int find_input(void)
{
	const char *folder = getenv("TEST_SRCDIR");

	snprintf(path, sizeof(path), "%s/data/video/ch.mp4", folder ? folder : "tests");
	return access(path, R_OK);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a read of other streams that fails is reported", test_streams },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "source_faults", find_input, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
