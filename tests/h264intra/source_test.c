/* h264intra_io, reading: memory, structs and pipes of the caller. */
#include <h264intra/sink.h>
#include <h264intra/source.h>
#include "tests/common/testmain.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/source_test.XXXXXX";
static char msg[600];

static const char *in_folder(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static h264i_source *open_source(const char *path)
{
	h264i_source_options o;
	h264i_source *src = NULL;

	h264i_source_options_init(&o);
	o.path = path;
	if (h264i_source_open(&src, &o, msg, sizeof(msg)) != H264I_IO_OK)
		printf("\n%s\n", msg);
	return src;
}

/* Gray frames of 4:2:0, or of 4:4:4, which is converted. */
enum { GRAY_W = 66, GRAY_H = 18, GRAY_FRAMES = 64 };

static void write_gray(const char *path, int is_420)
{
	const int chroma = is_420 ? GRAY_W * GRAY_H / 2 : 2 * GRAY_W * GRAY_H;
	FILE *f = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C%s\n", GRAY_W, GRAY_H, is_420 ? "420" : "444");
	for (int i = 0; i < GRAY_FRAMES; i++) {
		fputs("FRAME\n", f);
		for (int k = 0; k < GRAY_W * GRAY_H + chroma; k++)
			fputc(128, f);
	}
	CU_ASSERT_EQUAL(fclose(f), 0);
}

/* Returns the number of bytes between the rows of a plane that are not 0xa5. */
static int count_touched(const uint8_t *plane, size_t pitch, size_t width, size_t height)
{
	int touched = 0;

	for (size_t y = 0; y < height; y++)
		for (size_t x = width; x < pitch; x++)
			touched += plane[y * pitch + x] != 0xa5;
	return touched;
}

/* Pitches up to twice the width, including those of decoder and converter. */
static void check_gaps(const char *path, int converted)
{
	h264i_source *src = open_source(path);
	const h264i_source_info *info;
	size_t w, h, room;
	uint8_t *pixels;

	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	info = h264i_source_get_info(src);
	CU_ASSERT_EQUAL(info->converted, converted);
	w = info->width;
	h = info->height;
	room = 2 * w * h;
	pixels = malloc(3 * room);
	CU_ASSERT_PTR_NOT_NULL_FATAL(pixels);
	for (size_t pitch = w; pitch <= 2 * w; pitch = (pitch + 32) / 32 * 32) {
		uint8_t *plane[3] = { pixels, pixels + room, pixels + 2 * room };
		const size_t pitches[3] = { pitch, pitch / 2, pitch / 2 };
		h264i_source_frame f = h264i_source_frame_init();

		memset(pixels, 0xa5, 3 * room);
		CU_ASSERT_EQUAL_FATAL(h264i_source_read(src, plane, pitches, &f), H264I_IO_OK);
		CU_ASSERT_NOT_EQUAL(plane[0][w - 1], 0xa5);
		for (int i = 0; i < 3; i++)
			CU_ASSERT_EQUAL(
				count_touched(plane[i], pitches[i], i ? w / 2 : w, i ? h / 2 : h),
				0);
	}
	free(pixels);
	h264i_source_close(&src);
}

static void test_gaps(void)
{
	const char *tests = getenv("TEST_SRCDIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/../media/foreman_cif.mkv", tests ? tests : "../tests");
	check_gaps(path, 0);
	write_gray(in_folder("420.y4m"), 1);
	check_gaps(in_folder("420.y4m"), 0);
	write_gray(in_folder("444.y4m"), 0);
	check_gaps(in_folder("444.y4m"), 1);
}

/* Odd sides: the last column and row of luma are repeated. */
enum { ODD_W = 37, ODD_H = 19, ODD_CW = (ODD_W + 1) / 2, ODD_CH = (ODD_H + 1) / 2, ODD_FRAMES = 3 };

static int odd_sample(int frame, int plane, int x, int y)
{
	return (frame * 71 + plane * 31 + x * 7 + y * 13) & 0xff;
}

static void write_odd_frames(FILE *f, int first, int end)
{
	for (int n = first; n < end; n++) {
		fputs("FRAME\n", f);
		for (int p = 0; p < 3; p++)
			for (int y = 0; y < (p ? ODD_CH : ODD_H); y++)
				for (int x = 0; x < (p ? ODD_CW : ODD_W); x++)
					fputc(odd_sample(n, p, x, y), f);
	}
}

static void write_odd_head(FILE *f)
{
	fprintf(f, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n", ODD_W, ODD_H);
}

/* Reads a frame and compares it with the one of this number. */
static void check_odd(h264i_source *src, int frame)
{
	static uint8_t pixels[3][2 * ODD_CW * 2 * ODD_CH];
	uint8_t *plane[3] = { pixels[0], pixels[1], pixels[2] };
	const size_t pitch[3] = { 2 * ODD_CW, ODD_CW, ODD_CW };
	h264i_source_frame f = h264i_source_frame_init();
	int wrong = 0;

	CU_ASSERT_EQUAL_FATAL(h264i_source_read(src, plane, pitch, &f), H264I_IO_OK);
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < ODD_CH * (p ? 1 : 2); y++)
			for (size_t x = 0; x < pitch[p]; x++)
				wrong += pixels[p][(size_t)y * pitch[p] + x] !=
					 odd_sample(frame, p, MIN((int)x, ODD_W - 1),
						 MIN(y, ODD_H - 1));
	CU_ASSERT_EQUAL(wrong, 0);
}

static void test_odd_size(void)
{
	FILE *f = fopen(in_folder("odd.y4m"), "w");
	h264i_source *src;

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	write_odd_head(f);
	write_odd_frames(f, 0, ODD_FRAMES);
	CU_ASSERT_EQUAL(fclose(f), 0);
	src = open_source(in_folder("odd.y4m"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	for (int n = 0; n < ODD_FRAMES; n++)
		check_odd(src, n);
	h264i_source_close(&src);
	/* All of it fits into the pipe. */
	CU_ASSERT_EQUAL_FATAL(mkfifo(in_folder("odd.fifo"), 0600), 0);
	f = fopen(in_folder("odd.fifo"), "r+");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	write_odd_head(f);
	write_odd_frames(f, 0, ODD_FRAMES);
	CU_ASSERT_EQUAL(fflush(f), 0);
	src = open_source(in_folder("odd.fifo"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	for (int n = 0; n < ODD_FRAMES; n++)
		check_odd(src, n);
	h264i_source_close(&src);
	fclose(f);
}

/* Frames that were added since the file was opened are read as well. */
static void test_growing(void)
{
	FILE *f = fopen(in_folder("odd.y4m"), "w");
	h264i_source *src;

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	write_odd_head(f);
	write_odd_frames(f, 0, 1);
	CU_ASSERT_EQUAL(fflush(f), 0);
	src = open_source(in_folder("odd.y4m"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	check_odd(src, 0);
	write_odd_frames(f, 1, ODD_FRAMES);
	CU_ASSERT_EQUAL(fclose(f), 0);
	for (int n = 1; n < ODD_FRAMES; n++)
		check_odd(src, n);
	h264i_source_close(&src);
}

/* NULL and an uninitialised struct are errors, and lose no frame. */
static void test_null(void)
{
	static uint8_t pixels[2 * GRAY_W * GRAY_H];
	uint8_t *plane[3] = { pixels, pixels, pixels };
	const size_t pitch[3] = { GRAY_W, GRAY_W / 2, GRAY_W / 2 };
	h264i_source_frame f = { .struct_bytes = 0 };
	h264i_source_claim *claim;
	h264i_source *src;
	h264i_sink *sink;
	h264i_y4m *y4m;

	CU_ASSERT_EQUAL(h264i_source_open(&src, NULL, msg, sizeof(msg)), H264I_IO_ERR_ARG);
	CU_ASSERT_STRING_EQUAL(msg, "h264i_source_options is NULL");
	CU_ASSERT_EQUAL(h264i_source_open(NULL, NULL, NULL, 0), H264I_IO_ERR_ARG);
	write_gray(in_folder("420.y4m"), 1);
	src = open_source(in_folder("420.y4m"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	CU_ASSERT_EQUAL(h264i_source_use_memory(src, NULL), H264I_IO_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_source_next(src, &claim, NULL), H264I_IO_ERR_ARG);
	CU_ASSERT_STRING_EQUAL(h264i_source_last_error(src), "h264i_source_frame is NULL");
	CU_ASSERT_EQUAL(h264i_source_read(src, plane, pitch, NULL), H264I_IO_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_source_read(src, plane, pitch, &f), H264I_IO_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_source_last_error(src), "init function"));
	f = h264i_source_frame_init();
	CU_ASSERT_EQUAL(h264i_source_read(src, plane, pitch, &f), H264I_IO_OK);
	CU_ASSERT_EQUAL(f.index, 0);
	h264i_source_close(&src);
	h264i_source_close(NULL);

	CU_ASSERT_EQUAL(h264i_sink_open(&sink, NULL, 0, msg, sizeof(msg)), H264I_IO_ERR_ARG);
	CU_ASSERT_PTR_NULL(sink);
	CU_ASSERT_EQUAL(h264i_sink_open(NULL, "x.264", 0, NULL, 0), H264I_IO_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_output_check(NULL, 0, msg, sizeof(msg)), H264I_IO_ERR_ARG);
	CU_ASSERT_EQUAL(
		h264i_y4m_open(&y4m, in_folder("new.y4m"), 0, 16, 16, NULL, msg, sizeof(msg)),
		H264I_IO_ERR_ARG);
	CU_ASSERT_PTR_NULL(y4m);
	h264i_sink_close(NULL);
	h264i_y4m_close(NULL);
}

/* A named pipe without a writer: opening it for reading can be interrupted. */
static void test_no_writer(void)
{
	h264i_source_options o;
	h264i_source *src;
	int stop[2];

	CU_ASSERT_EQUAL_FATAL(mkfifo(in_folder("no.fifo"), 0600), 0);
	CU_ASSERT_EQUAL_FATAL(pipe(stop), 0);
	CU_ASSERT_EQUAL(write(stop[1], "", 1), 1);
	h264i_source_options_init(&o);
	o.path = in_folder("no.fifo");
	o.interrupt_fd = stop[0];
	CU_ASSERT_EQUAL(h264i_source_open(&src, &o, msg, sizeof(msg)), H264I_IO_INTERRUPTED);
	CU_ASSERT_PTR_NULL(src);
	close(stop[0]);
	close(stop[1]);
}

static void *write_late(void *path)
{
	int fd;

	/* Fails until the reader has opened it. */
	while ((fd = open(path, O_WRONLY | O_NONBLOCK)) < 0)
		sched_yield();
	write_gray(path, 1);
	close(fd);
	return NULL;
}

static void test_late_writer(void)
{
	static char path[300];
	pthread_t writer;
	h264i_source *src;

	snprintf(path, sizeof(path), "%s", in_folder("late.fifo"));
	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&writer, NULL, write_late, path), 0);
	src = open_source(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	for (int i = 0; i < GRAY_FRAMES; i++) {
		static uint8_t pixels[2 * GRAY_W * GRAY_H];
		uint8_t *plane[3] = { pixels, pixels, pixels };
		const size_t pitch[3] = { GRAY_W, GRAY_W / 2, GRAY_W / 2 };
		h264i_source_frame f = h264i_source_frame_init();

		CU_ASSERT_EQUAL_FATAL(h264i_source_read(src, plane, pitch, &f), H264I_IO_OK);
	}
	pthread_join(writer, NULL);
	h264i_source_close(&src);
}

static int make_folder(void)
{
	h264i_io_log_ffmpeg(NULL, NULL);
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void)
{
	static const char *const names[] = { "420.y4m", "444.y4m", "no.fifo", "late.fifo",
		"odd.y4m", "odd.fifo" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(in_folder(names[i]));
	return rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "bytes between the rows of a frame are not written", test_gaps },
		{ "NULL and structs without a size are errors, and lose no frame", test_null },
		{ "opening a named pipe without a writer can be interrupted", test_no_writer },
		{ "a named pipe waits for its writer", test_late_writer },
		{ "a .y4m of odd width and height is cropped, from a file and a pipe",
			test_odd_size },
		{ "frames appended to a .y4m file while it is read are read, too", test_growing },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "source", make_folder, remove_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
