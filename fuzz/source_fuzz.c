/* Fuzzer of h264i_source. The first byte of the input selects the demultiplexer (0: probed) and
 * whether the file is read through a pipe (bit 6), the rest is the file. Checks that nothing
 * crashes or hangs, that frames have the stated size and order, and that errors have one line of
 * text. */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"
#include <h264intra/source.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* PIPE_BYTES: the smallest capacity of a pipe. */
enum { PIPE_BIT = 0x40, PIPE_BYTES = 4096 };
enum { MAX_FRAMES = 40, MAX_PIXELS = 1 << 20, GUARD = 64, GUARD_BYTE = 0x6b };

static const char *const formats[] = { NULL, "yuv4mpegpipe", "h264", "mov", "matroska", "rawvideo",
	"avi", "image2pipe" };

/* Makes a file in memory. Returns its descriptor and sets name to its path. */
static int make_file(const uint8_t *data, size_t bytes, char name[64])
{
	int fd = memfd_create("fuzz", 0);

	FUZZ_EXPECT(fd >= 0);
	while (bytes) {
		ssize_t n = write(fd, data, bytes);

		FUZZ_EXPECT(n > 0);
		data += n;
		bytes -= (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	snprintf(name, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* Makes standard input a pipe with the data and without a writer. */
static void make_pipe(const uint8_t *data, size_t bytes)
{
	int fd[2];

	FUZZ_EXPECT(pipe(fd) == 0);
	FUZZ_EXPECT(write(fd[1], data, bytes) == (ssize_t)bytes);
	FUZZ_EXPECT(dup2(fd[0], STDIN_FILENO) == STDIN_FILENO);
	close(fd[0]);
	close(fd[1]);
}

static void check_text(const char *text)
{
	FUZZ_EXPECT(text[0] && !strchr(text, '\n'));
}

static void read_all(h264i_source *src)
{
	const h264i_source_info *info = h264i_source_get_info(src);
	size_t luma = (size_t)info->width * info->height, bytes = luma * 3 / 2;
	size_t pitch[3] = { info->width, info->width / 2, info->width / 2 };
	h264i_source_frame frame = h264i_source_frame_init();
	h264i_io_status s = H264I_IO_OK;
	int64_t last = INT64_MIN;
	uint8_t *plane[3], *pixels;
	uint64_t n = 0;

	FUZZ_EXPECT(info->width && info->height && !(info->width % 2) && !(info->height % 2));
	FUZZ_EXPECT(info->time_base_num && info->time_base_den);
	FUZZ_EXPECT(info->frames >= -1);
	if (luma > MAX_PIXELS)
		return;
	pixels = malloc(bytes + GUARD);
	FUZZ_EXPECT(pixels);
	memset(pixels + bytes, GUARD_BYTE, GUARD);
	plane[0] = pixels;
	plane[1] = pixels + luma;
	plane[2] = plane[1] + luma / 4;
	while (n < MAX_FRAMES &&
		(s = h264i_source_read(src, plane, pitch, &frame)) == H264I_IO_OK) {
		FUZZ_EXPECT(frame.index == n++);
		FUZZ_EXPECT(frame.pts > last && frame.duration >= 1);
		last = frame.pts;
	}
	for (int i = 0; i < GUARD; i++)
		FUZZ_EXPECT(pixels[bytes + (size_t)i] == GUARD_BYTE);
	if (s < 0) {
		check_text(h264i_source_last_error(src));
		FUZZ_EXPECT(h264i_source_read(src, plane, pitch, &frame) == s);
	}
	if (s == H264I_IO_END)
		FUZZ_EXPECT(h264i_source_read(src, plane, pitch, &frame) == H264I_IO_END);
	free(pixels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	h264i_source_options o;
	h264i_source *src;
	h264i_io_status s;
	char name[64], why[300];
	int fd = -1;

	if (bytes < 2 || bytes > 1 << 20)
		return 0;
	h264i_io_log_ffmpeg(NULL, NULL);
	h264i_source_options_init(&o);
	if ((data[0] & PIPE_BIT) && bytes <= PIPE_BYTES) {
		make_pipe(data + 1, bytes - 1);
		o.path = "-";
	} else {
		fd = make_file(data + 1, bytes - 1, name);
		o.path = name;
	}
	o.format = formats[data[0] % (sizeof(formats) / sizeof(formats[0]))];
	o.threads = 1 + (data[0] >> 7);
	o.interlaced_as_frames = 1;
	if (o.format && strcmp(o.format, "rawvideo") == 0) {
		o.width = 2 + data[1] % 63;
		o.height = 2 + data[1] / 8;
	}
	s = h264i_source_open(&src, &o, why, sizeof(why));
	FUZZ_EXPECT((s == H264I_IO_OK) == (src != NULL));
	if (s == H264I_IO_OK)
		read_all(src);
	else
		check_text(why);
	h264i_source_close(&src);
	FUZZ_EXPECT(!src);
	if (fd >= 0)
		close(fd);
	return 0;
}
