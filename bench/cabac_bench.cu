/* Measures the two forms of the arithmetic coder of CABAC on the GPU, on the bins of a clip:
 *
 *     cabac_bench WIDTHxHEIGHT FILE [QP]      raw I420; the frames of the file are repeated
 *
 * For 1 to 2,112 slices in flight, Mbin/s of the parallel form (cuda/cabac_tiles.cuh to cabac.cuh)
 * and of that with a lane for each slice (cuda/cabac_lanes.cuh), with 1 to 32 slices in a warp; the
 * median of seven runs. Fails if the forms' bytes differ. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include <config.h>

#include "h264intra/cuda/output.cuh"
#include "h264intra/cuda/slices.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 7, GROUPS = 5 };

typedef struct clip {
	uint32_t width, height, frames;
	uint8_t *pixels;
} clip;

/* Frames of a group, and slices of a frame. */
typedef struct load {
	uint32_t frames, slices;
} load;

static const load loads[] = { { 1, 1 }, { 1, 4 }, { 8, 4 }, { 64, 4 }, { 128, 8 }, { 192, 11 } };

static void die(const char *what, const char *why)
{
	fprintf(stderr, "cabac_bench: %s: %s\n", what, why);
	exit(1);
}

static void check(h264i_encoder *enc, h264i_status st)
{
	if (st != H264I_OK)
		die("encoder", h264i_last_error(enc));
}

static void check_cuda(cudaError_t e)
{
	if (e != cudaSuccess)
		die("CUDA", cudaGetErrorString(e));
}

static clip read_clip(const char *size, const char *path)
{
	clip c = {};
	FILE *f = fopen(path, "rb");
	size_t bytes, frame;

	if (sscanf(size, "%ux%u", &c.width, &c.height) != 2 || !c.width || !c.height ||
		(c.width | c.height) & 1)
		die(size, "needs WIDTHxHEIGHT, even numbers");
	if (!f)
		die(path, "cannot be opened");
	frame = (size_t)c.width * c.height * 3 / 2;
	fseek(f, 0, SEEK_END);
	bytes = (size_t)ftell(f);
	rewind(f);
	c.frames = (uint32_t)(bytes / frame);
	c.pixels = static_cast<uint8_t *>(malloc(c.frames * frame + 1));
	if (!c.frames || !c.pixels || fread(c.pixels, frame, c.frames, f) != c.frames)
		die(path, "has no whole frame that can be read");
	fclose(f);
	return c;
}

/* Encodes so many frames that the first group is full, and receives all packets. */
static void fill_group(h264i_encoder *enc, const clip *c)
{
	const size_t luma = (size_t)c->width * c->height;
	h264i_packet packet;
	h264i_frame frame;
	h264i_status s;

	h264i_packet_init(&packet);
	for (uint32_t i = 0; i < enc->group[0].capacity; i++) {
		h264i_frame_init(&frame);
		frame.format = H264I_I420;
		frame.plane[0] = c->pixels + (i % c->frames) * (luma * 3 / 2);
		frame.plane[1] = frame.plane[0] + luma;
		frame.plane[2] = frame.plane[1] + luma / 4;
		frame.pitch_bytes[0] = c->width;
		frame.pitch_bytes[1] = frame.pitch_bytes[2] = c->width / 2;
		check(enc, h264i_send_frame(enc, &frame));
	}
	check(enc, h264i_flush(enc));
	while ((s = h264i_receive_packet(enc, &packet)) == H264I_OK)
		continue;
	if (s != H264I_END)
		check(enc, s);
}

static int by_value(const void *a, const void *b)
{
	float x = *static_cast<const float *>(a), y = *static_cast<const float *>(b);

	return (x > y) - (x < y);
}

/* Milliseconds of the arithmetic coder; lanes 0: in parallel. */
static double measure(h264i_encoder *enc, gpu_group *gg, int lanes)
{
	cudaEvent_t begin, end;
	float ms[RUNS];

	check_cuda(cudaEventCreate(&begin));
	check_cuda(cudaEventCreate(&end));
	for (int i = 0; i < RUNS; i++) {
		check_cuda(cudaEventRecord(begin, gg->stream));
		check(enc, h264i_i_slices_code(enc, gg, lanes));
		check_cuda(cudaEventRecord(end, gg->stream));
		check_cuda(cudaStreamSynchronize(gg->stream));
		check_cuda(cudaEventElapsedTime(&ms[i], begin, end));
	}
	check_cuda(cudaEventDestroy(begin));
	check_cuda(cudaEventDestroy(end));
	qsort(ms, RUNS, sizeof(ms[0]), by_value);
	return (double)ms[RUNS / 2];
}

/* Codes the group with a form and copies its packets; the caller frees them. */
static uint8_t *packets(h264i_encoder *enc, gpu_group *gg, uint32_t lanes_from, uint64_t *bytes)
{
	const uint32_t frames = gg->entropy.frames;
	uint8_t *copy;

	gg->device->lanes_from = lanes_from;
	check(enc, h264i_i_slices_start(enc, gg, 0));
	check_cuda(cudaStreamSynchronize(gg->stream));
	*bytes = h264i_packet_sum(gg->h_frame_bytes, frames);
	if (gg->h_needed[0] > gg->entropy.scratch.capacity || *bytes > gg->out_bytes)
		die("memory", "the estimate is too small for this clip");
	copy = static_cast<uint8_t *>(malloc(*bytes));
	if (!copy)
		die("memory", "not enough");
	memcpy(copy, gg->h_out, *bytes);
	return copy;
}

/* Bins of all slices of the group. */
static uint64_t bins_of(const gpu_group *gg)
{
	const uint32_t slices = gg->entropy.frames * gg->entropy.geom.slices;
	uint32_t *ops = static_cast<uint32_t *>(malloc(slices * sizeof(*ops)));
	uint64_t sum = 0;

	if (!ops)
		die("memory", "not enough");
	check_cuda(cudaMemcpy(
		ops, gg->entropy.cabac.slice_ops, slices * sizeof(*ops), cudaMemcpyDeviceToHost));
	for (uint32_t i = 0; i < slices; i++)
		sum += ops[i];
	free(ops);
	return sum;
}

static void measure_load(const clip *c, const load *l, int qp)
{
	h264i_encoder *enc = NULL;
	uint64_t bytes[2], bins;
	uint8_t *packet[2];
	h264i_options o;
	gpu_group *gg;
	char why[256];
	double ms;

	h264i_options_init(&o);
	h264i_options_set_preset(&o, "ultrafast");
	o.backend = H264I_BACKEND_CUDA;
	o.width = c->width;
	o.height = c->height;
	o.qp = qp;
	o.slices = l->slices;
	o.frames_in_flight = l->frames > 1 ? GROUPS * l->frames : 1;
	if (h264i_open(&enc, &o, why, sizeof(why)) != H264I_OK)
		die("open", why);
	fill_group(enc, c);
	gg = static_cast<gpu_group *>(enc->group[0].backend);
	packet[0] = packets(enc, gg, 1, &bytes[0]);
	packet[1] = packets(enc, gg, 0, &bytes[1]);
	if (bytes[0] != bytes[1] || memcmp(packet[0], packet[1], bytes[0]) != 0)
		die("forms", "their bytes differ");
	bins = bins_of(gg);
	ms = measure(enc, gg, 0);
	printf("%6u %8.2f %9.3f %9.0f |", l->frames * l->slices, (double)bins * 1e-6, ms,
		(double)bins * 1e-3 / ms);
	for (int lanes = 1; lanes <= 32; lanes *= 2) {
		ms = measure(enc, gg, lanes);
		printf(" %8.0f", (double)bins * 1e-3 / ms);
	}
	printf("\n");
	fflush(stdout);
	free(packet[0]);
	free(packet[1]);
	h264i_close(&enc);
}

int main(int argc, char **argv)
{
	clip c;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: cabac_bench WIDTHxHEIGHT FILE [QP]\n");
		return 1;
	}
	c = read_clip(argv[1], argv[2]);
	printf("slices     Mbin  parallel, ms  Mbin/s | a lane each, Mbin/s with 1, 2, 4, 8, 16, "
	       "32 a "
	       "warp\n");
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		measure_load(&c, &loads[i], argc > 3 ? atoi(argv[3]) : 27);
	free(c.pixels);
	return 0;
}
