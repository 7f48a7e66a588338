/* h264intra_io, reading: what is written as .y4m is read back to the bit. */
#include <h264intra/sink.h>
#include <h264intra/source.h>
#include "tests/common/testmain.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 34, HEIGHT = 18, FRAMES = 20, PITCH = 64 };

static char folder[] = "/tmp/io_test.XXXXXX";
static char path_buf[4][300];
static char msg[600];

static const char *in_folder(int slot, const char *name)
{
	snprintf(path_buf[slot], sizeof(path_buf[slot]), "%s/%s", folder, name);
	return path_buf[slot];
}

static uint8_t sample(uint32_t frame, uint32_t plane, uint32_t x, uint32_t y)
{
	return (uint8_t)((frame * 71 + plane * 31 + x * 7 + y * 13) ^ (x * y));
}

static void draw(uint8_t *pixels, uint32_t frame)
{
	for (uint32_t p = 0; p < 3; p++)
		for (uint32_t y = 0; y < (p ? HEIGHT / 2 : HEIGHT); y++)
			for (uint32_t x = 0; x < (p ? WIDTH / 2 : WIDTH); x++)
				pixels[(p * HEIGHT + y) * PITCH + x] = sample(frame, p, x, y);
}

static h264i_io_status write_y4m(const char *path, int overwrite, const h264i_vui *vui)
{
	static uint8_t pixels[3 * HEIGHT * PITCH];
	const uint8_t *plane[3] = { pixels, pixels + HEIGHT * PITCH, pixels + 2 * HEIGHT * PITCH };
	const size_t pitch[3] = { PITCH, PITCH, PITCH };
	h264i_y4m *y;
	h264i_io_status s =
		h264i_y4m_open(&y, path, overwrite, WIDTH, HEIGHT, vui, msg, sizeof(msg));

	for (uint32_t i = 0; i < FRAMES && s == H264I_IO_OK; i++) {
		draw(pixels, i);
		s = h264i_y4m_write(y, plane, pitch);
	}
	if (s == H264I_IO_OK)
		s = h264i_y4m_finish(y);
	h264i_y4m_close(&y);
	CU_ASSERT_PTR_NULL(y);
	return s;
}

static const h264i_vui vui = { .full_range = 1,
	.primaries = 2,
	.transfer = 2,
	.matrix = 2,
	.chroma_loc = 2,
	.sar_num = 4,
	.sar_den = 3,
	.fps_num = 30000,
	.fps_den = 1001 };

static h264i_source *open_source(const char *path, int interrupt_fd)
{
	h264i_source_options o;
	h264i_source *src = NULL;

	h264i_source_options_init(&o);
	o.path = path;
	o.interrupt_fd = interrupt_fd;
	if (h264i_source_open(&src, &o, msg, sizeof(msg)) != H264I_IO_OK)
		printf("\n%s\n", msg);
	return src;
}

static void test_round_trip(void)
{
	static uint8_t want[3 * HEIGHT * PITCH], got[3 * HEIGHT * PITCH];
	uint8_t *plane[3] = { got, got + HEIGHT * PITCH, got + 2 * HEIGHT * PITCH };
	const size_t pitch[3] = { PITCH, PITCH, PITCH };
	const h264i_source_info *info;
	h264i_source_frame f = h264i_source_frame_init();
	h264i_source *src;

	CU_ASSERT_EQUAL_FATAL(write_y4m(in_folder(0, "a.y4m"), 0, &vui), H264I_IO_OK);
	src = open_source(in_folder(0, "a.y4m"), -1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	info = h264i_source_get_info(src);
	CU_ASSERT_EQUAL(info->width, WIDTH);
	CU_ASSERT_EQUAL(info->height, HEIGHT);
	CU_ASSERT_EQUAL(info->frames, FRAMES);
	CU_ASSERT_EQUAL(info->converted, 0);
	CU_ASSERT_EQUAL(info->vui.full_range, 1);
	CU_ASSERT_EQUAL(info->vui.chroma_loc, 2);
	CU_ASSERT_EQUAL(info->vui.sar_num, 4);
	CU_ASSERT_EQUAL(info->vui.sar_den, 3);
	CU_ASSERT_EQUAL(info->vui.fps_num, 30000);
	CU_ASSERT_EQUAL(info->vui.fps_den, 1001);
	CU_ASSERT_EQUAL(info->vui.fixed_rate, 1);
	/* The bytes between the rows are not written. */
	memset(want, 0xa5, sizeof(want));
	memset(got, 0xa5, sizeof(got));
	for (uint32_t i = 0; i < FRAMES; i++) {
		CU_ASSERT_EQUAL_FATAL(h264i_source_read(src, plane, pitch, &f), H264I_IO_OK);
		draw(want, i);
		CU_ASSERT_EQUAL(memcmp(want, got, sizeof(got)), 0);
		CU_ASSERT_EQUAL(f.index, i);
		CU_ASSERT_EQUAL(f.pts, i);
		CU_ASSERT_EQUAL(f.duration, 1);
	}
	for (int again = 0; again < 2; again++)
		CU_ASSERT_EQUAL(h264i_source_read(src, plane, pitch, &f), H264I_IO_END);
	h264i_source_close(&src);
	CU_ASSERT_PTR_NULL(src);
	h264i_source_close(&src);
}

static void test_early_close(void)
{
	h264i_source *src = open_source(in_folder(0, "a.y4m"), -1);

	/* The decoding thread waits for a free frame. */
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	h264i_source_close(&src);
	CU_ASSERT_PTR_NULL(src);
}

static int blocks;

static void *alloc_block(void *opaque, size_t bytes)
{
	CU_ASSERT_PTR_EQUAL(opaque, &blocks);
	__atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
	return aligned_alloc(128, (bytes + 127) / 128 * 128);
}

static void release_block(void *opaque, void *memory)
{
	CU_ASSERT_PTR_EQUAL(opaque, &blocks);
	__atomic_fetch_sub(&blocks, 1, __ATOMIC_RELAXED);
	free(memory);
}

/* The same frames, decoded into the test's memory and copied; the last one outlives its source. */
static void test_view(void)
{
	enum { W = 352, H = 288, COUNT = 30 };
	static uint8_t copied[W * H * 3 / 2];
	uint8_t *to[3] = { copied, copied + W * H, copied + W * H * 5 / 4 }, *seen[3];
	const size_t to_pitch[3] = { W, W / 2, W / 2 };
	h264i_source_memory memory = h264i_source_memory_init();
	const char *tests = getenv("TEST_SRCDIR");
	h264i_source *plain, *mine;
	h264i_source_claim *claim, *last = NULL;
	char path[4096];
	int views = 0;

	snprintf(path, sizeof(path), "%s/../media/foreman_cif.mkv", tests ? tests : "../tests");
	plain = open_source(path, -1);
	mine = open_source(path, -1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mine);
	CU_ASSERT_EQUAL(h264i_source_use_memory(mine, &memory), H264I_IO_ERR_ARG);
	memory.alloc = alloc_block;
	memory.release = release_block;
	memory.opaque = &blocks;
	CU_ASSERT_EQUAL(h264i_source_use_memory(mine, &memory), H264I_IO_OK);
	for (int i = 0; i < COUNT; i++) {
		h264i_source_frame f = h264i_source_frame_init();
		size_t pitch[3];

		CU_ASSERT_EQUAL_FATAL(h264i_source_read(plain, to, to_pitch, &f), H264I_IO_OK);
		CU_ASSERT_EQUAL_FATAL(h264i_source_next(mine, &claim, &f), H264I_IO_OK);
		CU_ASSERT_EQUAL(f.index, (uint64_t)i);
		if (h264i_source_view(claim, seen, pitch)) {
			int differs = 0;

			for (int p = 0; p < 3; p++)
				for (int y = 0; y < (p ? H / 2 : H); y++)
					differs |= memcmp(seen[p] + (size_t)y * pitch[p],
						to[p] + (size_t)y * to_pitch[p], to_pitch[p]);
			CU_ASSERT_EQUAL(differs, 0);
			views++;
		}
		h264i_source_drop(last);
		last = claim;
	}
	CU_ASSERT(views > 0);
	h264i_source_close(&plain);
	h264i_source_close(&mine);
	CU_ASSERT(__atomic_load_n(&blocks, __ATOMIC_RELAXED) > 0);
	h264i_source_drop(last);
	CU_ASSERT_EQUAL(__atomic_load_n(&blocks, __ATOMIC_RELAXED), 0);
}

typedef struct many {
	h264i_source *src;
	pthread_mutex_t lock;
	uint32_t read;
} many;

/* Frames of the .y4m by several threads: whole, and each once. */
static void *read_many(void *opaque)
{
	many *m = opaque;
	uint8_t *got = calloc(2, 3 * HEIGHT * PITCH), *want = got + 3 * HEIGHT * PITCH;
	uint8_t *plane[3] = { got, got + HEIGHT * PITCH, got + 2 * HEIGHT * PITCH };
	const size_t pitch[3] = { PITCH, PITCH, PITCH };
	intptr_t bad = got == NULL;

	while (!bad) {
		h264i_source_frame f = h264i_source_frame_init();
		h264i_source_claim *claim;
		h264i_io_status s;

		pthread_mutex_lock(&m->lock);
		s = h264i_source_next(m->src, &claim, &f);
		if (s == H264I_IO_OK)
			bad |= f.index != m->read++;
		pthread_mutex_unlock(&m->lock);
		if (s != H264I_IO_OK)
			break;
		bad |= h264i_source_fill(m->src, claim, plane, pitch, NULL, 0) != H264I_IO_OK;
		draw(want, (uint32_t)f.index);
		bad |= memcmp(got, want, 3 * HEIGHT * PITCH) != 0;
	}
	free(got);
	return (void *)bad;
}

static void test_parallel(void)
{
	many m = { .src = open_source(in_folder(0, "a.y4m"), -1) };
	pthread_t thread[4];

	CU_ASSERT_PTR_NOT_NULL_FATAL(m.src);
	CU_ASSERT_EQUAL(h264i_source_get_info(m.src)->parallel, 1);
	pthread_mutex_init(&m.lock, NULL);
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, read_many, &m), 0);
	for (int i = 0; i < 4; i++) {
		void *bad = NULL;

		pthread_join(thread[i], &bad);
		CU_ASSERT_PTR_NULL(bad);
	}
	CU_ASSERT_EQUAL(m.read, FRAMES);
	pthread_mutex_destroy(&m.lock);
	h264i_source_close(&m.src);
}

static void *read_one(void *opaque)
{
	static uint8_t pixels[3 * HEIGHT * PITCH];
	uint8_t *plane[3] = { pixels, pixels + HEIGHT * PITCH, pixels + 2 * HEIGHT * PITCH };
	const size_t pitch[3] = { PITCH, PITCH, PITCH };
	h264i_source_frame f = h264i_source_frame_init();
	h264i_io_status s;

	do
		s = h264i_source_read(opaque, plane, pitch, &f);
	while (s == H264I_IO_OK);
	return (void *)(intptr_t)s;
}

/* A pipe that holds a whole .y4m and then stalls. Returns its writing end. */
static FILE *stalling_pipe(const char *name)
{
	static char text[64 * 1024];
	FILE *from = fopen(in_folder(1, "a.y4m"), "r"), *to;
	size_t n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(from);
	n = fread(text, 1, sizeof(text), from);
	fclose(from);
	CU_ASSERT_EQUAL_FATAL(mkfifo(name, 0600), 0);
	to = fopen(name, "r+"); /* both ends: opening does not wait */
	CU_ASSERT_PTR_NOT_NULL_FATAL(to);
	CU_ASSERT_EQUAL(fwrite(text, 1, n, to), n);
	fflush(to);
	return to;
}

static void stop_stalled(const char *name, int by_descriptor)
{
	int stop[2];
	FILE *pipe_end = stalling_pipe(name);
	h264i_source *src;
	pthread_t reader;
	void *result = NULL;

	CU_ASSERT_EQUAL_FATAL(pipe(stop), 0);
	src = open_source(name, stop[0]);
	CU_ASSERT_PTR_NOT_NULL_FATAL(src);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&reader, NULL, read_one, src), 0);
	if (by_descriptor) {
		CU_ASSERT_EQUAL(write(stop[1], "", 1), 1);
	} else {
		h264i_source_interrupt(src);
	}
	pthread_join(reader, &result);
	CU_ASSERT_EQUAL((h264i_io_status)(intptr_t)result, H264I_IO_INTERRUPTED);
	h264i_source_close(&src);
	fclose(pipe_end);
	close(stop[0]);
	close(stop[1]);
	/* A close does not wait for a stalled pipe either. */
	pipe_end = stalling_pipe(in_folder(2, by_descriptor ? "c.fifo" : "d.fifo"));
	src = open_source(in_folder(2, by_descriptor ? "c.fifo" : "d.fifo"), -1);
	h264i_source_close(&src);
	fclose(pipe_end);
}

static void test_interrupt(void)
{
	stop_stalled(in_folder(0, "a.fifo"), 0);
	stop_stalled(in_folder(0, "b.fifo"), 1);
}

static void test_bad_options(void)
{
	h264i_source_options o = { 0 };
	h264i_source *src = (h264i_source *)&o;

	CU_ASSERT_EQUAL(h264i_source_open(&src, &o, msg, sizeof(msg)), H264I_IO_ERR_ARG);
	CU_ASSERT_PTR_NULL(src);
	h264i_source_options_init(&o);
	CU_ASSERT_EQUAL(h264i_source_open(&src, &o, NULL, 0), H264I_IO_ERR_ARG);
	o.path = in_folder(0, "nowhere.y4m");
	CU_ASSERT_EQUAL(h264i_source_open(&src, &o, msg, sizeof(msg)), H264I_IO_ERR_OPEN);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "nowhere.y4m"));
}

static void test_statuses(void)
{
	CU_ASSERT_STRING_EQUAL(h264i_io_strstatus(H264I_IO_ERR_SIZE), "the picture size changes");
	CU_ASSERT_STRING_EQUAL(h264i_io_strstatus((h264i_io_status)-99), "unknown status");
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_io_version(), "libavformat "));
}

static int make_folder(void)
{
	h264i_io_log_ffmpeg(NULL, NULL);
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void)
{
	static const char *const names[] = { "a.y4m", "a.fifo", "b.fifo", "c.fifo", "d.fifo" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(in_folder(0, names[i]));
	return rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a .y4m file is read back bit by bit, with its header", test_round_trip },
		{ "several threads read each frame once and whole", test_parallel },
		{ "decoded frames are in the caller's memory while they are held", test_view },
		{ "a source that was not read to its end closes", test_early_close },
		{ "a reader that waits for a stalled pipe can be stopped", test_interrupt },
		{ "bad options and missing files are errors", test_bad_options },
		{ "statuses and versions have texts", test_statuses },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "io", make_folder, remove_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
