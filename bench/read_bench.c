/* Measures reading without encoding: h264i_source_next() and h264i_source_fill() copy the pictures
 * of a file into memory.
 *
 *     read_bench FILE [THREADS [FRAMES]]
 *
 * THREADS threads [1] read the file repeatedly until they have read FRAMES pictures [2000]. Each
 * thread alternates between two buffers. Prints one JSON object. */
#include <h264intra/source.h>

#define BENCH_NAME "read_bench"
#include "bench/bench.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, BUFFERS = 2 };

typedef struct bench {
	h264i_source *source;
	pthread_mutex_t lock;
	uint64_t frames_left;
	size_t picture_bytes;
	uint32_t width, height;
} bench;

static void *read_pictures(void *opaque)
{
	bench *b = opaque;
	uint8_t *memory = malloc(BUFFERS * b->picture_bytes);
	const size_t pitch[3] = { b->width, b->width / 2, b->width / 2 };
	size_t luma = (size_t)b->width * b->height;

	if (!memory)
		die("read", "not enough memory for two pictures");
	memset(memory, 0, BUFFERS * b->picture_bytes);
	for (uint32_t i = 0;; i++) {
		h264i_source_frame frame = h264i_source_frame_init();
		uint8_t *at = memory + i % BUFFERS * b->picture_bytes;
		uint8_t *plane[3] = { at, at + luma, at + luma + luma / 4 };
		h264i_source_claim *claim = NULL;
		char why[600];

		pthread_mutex_lock(&b->lock);
		if (b->frames_left > 0) {
			h264i_io_status s = h264i_source_next(b->source, &claim, &frame);

			if (s < 0)
				die("read", h264i_source_last_error(b->source));
			b->frames_left = s == H264I_IO_OK ? b->frames_left - 1 : 0;
		}
		pthread_mutex_unlock(&b->lock);
		if (!claim)
			break;
		if (h264i_source_fill(b->source, claim, plane, pitch, why, sizeof(why)) !=
			H264I_IO_OK)
			die("read", why);
	}
	free(memory);
	return NULL;
}

/* Reads the file once, or the first *frames_left pictures. Returns the seconds. */
static double read_once(bench *b, const char *path, uint32_t threads, uint64_t *frames_left)
{
	pthread_t thread[THREADS_MAX];
	h264i_source_options o;
	const h264i_source_info *info;
	char why[600];
	uint64_t frames;
	double t0;

	h264i_source_options_init(&o);
	o.path = path;
	if (h264i_source_open(&b->source, &o, why, sizeof(why)) != H264I_IO_OK)
		die("cannot open the file", why);
	info = h264i_source_get_info(b->source);
	if (!info->parallel && threads > 1)
		die(path, "only one thread at a time can read this type; set THREADS to 1");
	b->width = info->width;
	b->height = info->height;
	b->picture_bytes = (size_t)info->width * info->height * 3 / 2;
	frames = info->frames > 0 && (uint64_t)info->frames < *frames_left ? (uint64_t)info->frames
									   : *frames_left;
	b->frames_left = frames;
	t0 = now_s();
	for (uint32_t i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, read_pictures, b) != 0)
			die(path, "cannot start a thread; use fewer THREADS");
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	*frames_left -= frames;
	h264i_source_close(&b->source);
	return now_s() - t0;
}

int main(int argc, char **argv)
{
	uint32_t threads = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
	uint64_t frames = argc > 3 ? strtoull(argv[3], NULL, 10) : 2000, left = frames;
	bench b;
	double seconds = 0;

	if (argc < 2 || threads < 1 || threads > THREADS_MAX || frames < 1) {
		fprintf(stderr, "usage: read_bench FILE [THREADS [FRAMES]]\n");
		return 2;
	}
	memset(&b, 0, sizeof(b));
	h264i_io_log_ffmpeg(NULL, NULL);
	pthread_mutex_init(&b.lock, NULL);
	while (left > 0)
		seconds += read_once(&b, argv[1], threads, &left);
	pthread_mutex_destroy(&b.lock);
	printf("{\"file\": \"%s\", \"threads\": %" PRIu32 ", \"frames\": %" PRIu64
	       ", \"frames_per_s\": %.1f, \"GB_per_s\": %.2f}\n",
		argv[1], threads, frames, (double)frames / seconds,
		(double)frames * (double)b.picture_bytes * 1e-9 / seconds);
	return 0;
}
