/* gpuintra between two pipes: frame n+2 is written only after packet n was read, so a program that
 * waits for more frames before it encodes stalls. On CPU threads, and with default options on a GPU
 * if there is one. */
#include "tests/h264intra/encode_common.h"
#include "tests/common/seconds.h"
#include "tests/common/testmain.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES = 12, LIMIT_S = 60 };

typedef struct program {
	pid_t pid;
	int in, out; /* its standard input and output */
} program;

static int start(program *p, char *const argv[])
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		return -1;
	p->pid = fork();
	if (p->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
	return p->pid > 0 ? 0 : -1;
}

static int put(const program *p, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes > 0) {
		ssize_t n = write(p->in, at, bytes);

		if (n <= 0)
			return -1;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int put_frame(const program *p, const test_video *v, uint32_t i)
{
	if (i >= v->frames)
		return 0;
	return put(p, "FRAME\n", 6) ||
	       put(p, v->pixels + i * test_frame_bytes(v), test_frame_bytes(v));
}

/* Counts the slices that begin in a byte stream, read piece by piece. */
typedef struct slice_count {
	uint32_t last; /* the last four bytes */
	uint32_t slices;
} slice_count;

static void count_slices(slice_count *c, const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		c->slices += c->last == 1 && (data[i] & 31) == 5;
		c->last = c->last << 8 | data[i];
	}
}

/* Reads packets and writes a frame after each, until all are read or a timeout. Returns the number
 * of packets. */
static uint32_t exchange(const program *p, const test_video *v)
{
	const time_t end = test_seconds() + LIMIT_S;
	slice_count count = { 0xffffffffu, 0 };
	uint32_t answered = 0;
	static uint8_t data[1 << 16];

	if (put_frame(p, v, 0) || put_frame(p, v, 1))
		return 0;
	while (answered < v->frames && test_seconds() < end) {
		struct pollfd ready = { p->out, POLLIN, 0 };
		ssize_t n;

		if (poll(&ready, 1, 1000) != 1)
			continue;
		n = read(p->out, data, sizeof(data));
		if (n <= 0)
			break;
		count_slices(&count, data, (size_t)n);
		for (; answered < count.slices; answered++)
			if (put_frame(p, v, answered + 2))
				return answered;
	}
	return answered;
}

static void session(uint32_t width, uint32_t height, const char *option, const char *value)
{
	test_video v = test_video_make(width, height, FRAMES, TEST_NATURAL);
	const char *top = getenv("TEST_BUILDDIR");
	char path[4096], header[80];
	char *argv[] = { path, (char *)(uintptr_t) "--quiet", (char *)(uintptr_t) "--backend",
		(char *)(uintptr_t)(option ? "cpu" : "cuda"), (char *)(uintptr_t) "-i",
		(char *)(uintptr_t) "-", (char *)(uintptr_t) "-o", (char *)(uintptr_t) "-",
		(char *)(uintptr_t)option, (char *)(uintptr_t)value, NULL };
	program p = { -1, -1, -1 };
	uint32_t answered;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	snprintf(path, sizeof(path), "%s/gpuintra", top ? top : ".");
	CU_ASSERT_EQUAL_FATAL(start(&p, argv), 0);
	snprintf(header, sizeof(header), "YUV4MPEG2 W%u H%u F25:1 Ip A1:1 C420jpeg\n", width,
		height);
	CU_ASSERT_EQUAL(put(&p, header, strlen(header)), 0);
	answered = exchange(&p, &v);
	if (answered != FRAMES)
		printf("\n  %ux%u: %u packets of %u\n", width, height, answered, FRAMES);
	CU_ASSERT_EQUAL(answered, FRAMES);
	close(p.in);
	close(p.out);
	if (answered != FRAMES)
		kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	free(v.pixels);
}

static void test_cpu(void)
{
	if (getenv("TEST_EMULATED"))
		printf("(left out: an emulated program starts no other) ");
	else
		session(320, 240, "--frames-in-flight", "8");
}

static void test_gpu(void)
{
	char why[256];

	if (h264i_cuda_usable(why, sizeof(why)))
		session(1920, 1080, NULL, NULL);
	else
		printf("(left out: %s) ", why);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "frame n+2 may wait for packet n on CPU threads", test_cpu },
		{ "frame n+2 may wait for packet n on a GPU, with default options", test_gpu },
		CU_TEST_INFO_NULL,
	};

	signal(SIGPIPE, SIG_IGN);
	return test_run_one("live_pipe", tests);
}
