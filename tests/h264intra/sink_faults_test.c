/* Sinks whose system calls fail: lseek, fsync. The linker redirects the calls of the library to
 * those below (GNU ld and lld: --wrap). */
#include <h264intra/sink.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[] = "/tmp/sink_faults_test.XXXXXX";
static char path[300], part[310], msg[600];
static int seek_fails, sync_fails; /* errno; 0: the call works */
static char calls[100];            /* s: fsync of a file, r: rename, f: fsync of a folder */

off_t __real_lseek(int fd, off_t offset, int whence);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
off_t __wrap_lseek(int fd, off_t offset, int whence);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	if (!seek_fails)
		return __real_lseek(fd, offset, whence);
	errno = seek_fails;
	return -1;
}

int __wrap_fsync(int fd)
{
	struct stat st;

	strcat(calls, fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? "f" : "s");
	if (!sync_fails)
		return __real_fsync(fd);
	errno = sync_fails;
	return -1;
}

int __wrap_rename(const char *from, const char *to)
{
	strcat(calls, "r");
	return __real_rename(from, to);
}

static const uint8_t packet_bytes[] = { 0, 0, 0, 1, 0x67, 66, 2, 3, 0, 0, 0, 1, 0x68, 4, 5, 0, 0, 1,
	0x65, 6, 7, 8, 9 };

/* A sink of the name, over an older file of one byte, that has written one packet. The light level
 * makes FFmpeg write an .mp4. */
static h264i_sink *one_packet(const char *name)
{
	const h264i_sink_stream stream = { .struct_bytes = sizeof(stream),
		.width = 16,
		.height = 16,
		.time_base_num = 1,
		.time_base_den = 25,
		.headers = packet_bytes,
		.headers_bytes = 15,
		.hdr = { .has_content_light = strstr(name, "light") != NULL } };
	const h264i_sink_packet packet = { .struct_bytes = sizeof(packet),
		.data = packet_bytes,
		.data_bytes = sizeof(packet_bytes),
		.headers_bytes = 15,
		.duration = 1 };
	h264i_sink *sink;
	FILE *old;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(part, sizeof(part), "%s.part", path);
	old = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(old);
	fputc('x', old);
	fclose(old);
	CU_ASSERT_EQUAL_FATAL(h264i_sink_open(&sink, path, 1, msg, sizeof(msg)), H264I_IO_OK);
	CU_ASSERT_EQUAL_FATAL(h264i_sink_begin(sink, &stream), H264I_IO_OK);
	CU_ASSERT_EQUAL(h264i_sink_write(sink, &packet), H264I_IO_OK);
	calls[0] = '\0';
	return sink;
}

/* 1 if the older file is there. */
static int is_old(void)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size == 1;
}

static void end(h264i_sink *sink)
{
	h264i_sink_close(&sink);
	(void)unlink(part);
	CU_ASSERT_EQUAL(unlink(path), 0);
	seek_fails = sync_fails = 0;
}

/* FFmpeg's multiplexers ignore a seek that fails, and would leave a file without an index. */
static void test_seek(void)
{
	static const char *const names[] = { "light.mp4", "light.mov", "a.mkv" };

	for (int i = 0; i < 3; i++) {
		h264i_sink *sink = one_packet(names[i]);

		seek_fails = EIO;
		CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_ERR_WRITE);
		CHECK(strstr(h264i_sink_last_error(sink), strerror(EIO)), "%s",
			h264i_sink_last_error(sink));
		CU_ASSERT_TRUE(is_old());
		end(sink);
	}
}

static void test_sync(void)
{
	static const char *const names[] = { "a.264", "a.mp4", "a.mkv" };

	for (int i = 0; i < 3; i++) {
		h264i_sink *sink = one_packet(names[i]);

		CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_OK);
		CHECK(strcmp(calls, "srf") == 0, "%s: %s", names[i], calls);
		CU_ASSERT_FALSE(is_old());
		end(sink);

		sink = one_packet(names[i]);
		sync_fails = ENOSPC;
		CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_ERR_WRITE);
		CHECK(strstr(h264i_sink_last_error(sink), strerror(ENOSPC)), "%s",
			h264i_sink_last_error(sink));
		CHECK(strcmp(calls, "s") == 0, "%s: %s", names[i], calls);
		CU_ASSERT_TRUE(is_old());
		end(sink);
	}
}

/* Some file systems cannot sync. */
static void test_no_sync(void)
{
	h264i_sink *sink = one_packet("a.264");

	sync_fails = EINVAL;
	CU_ASSERT_EQUAL(h264i_sink_finish(sink), H264I_IO_OK);
	CU_ASSERT_FALSE(is_old());
	end(sink);
}

static int make_folder(void)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void)
{
	return rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a seek that fails is an error, and the older file stays", test_seek },
		{ "a file is on the disk before it replaces another", test_sync },
		{ "a file system that cannot sync is accepted", test_no_sync },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "sink_faults", make_folder, remove_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
