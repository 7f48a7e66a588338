/* gpu_frames [nv12|i420 [OUT.264 [WIDTH HEIGHT FRAMES]]]: a kernel draws frames in device memory
 * and h264intra encodes them there. No pixel is copied to the host, and the host waits for the GPU
 * only when it waits for packets. Exit code 77: no usable GPU. */
#include <h264intra/h264intra.h>

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 6 };

/* A plane is bytes with a pitch; NV12's second one has Cb and Cr side by side. */
typedef struct plane {
	uint8_t *d_bytes;
	size_t pitch_bytes;
	uint32_t width, height, samples; /* samples: interleaved ones, 1 or 2 */
} plane;

typedef struct buffer {
	plane plane[3];
	int planes;
	cudaEvent_t free_event; /* recorded by the encoder once it has read the buffer */
} buffer;

/* Draws circles that drift apart, in changing colours. */
static __global__ void draw_plane_kernel(plane p, int chroma, uint32_t frame)
{
	uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= p.width || y >= p.height)
		return;
	for (uint32_t i = 0; i < p.samples; i++) {
		float dx = (float)x - 0.5f * (float)p.width;
		float dy = (float)y - 0.5f * (float)p.height;
		float v;

		if (chroma)
			v = 128 + 60 * __sinf(0.01f * (dx + dy) + 0.1f * (float)frame +
					       1.6f * (float)(chroma + (int)i));
		else
			v = 126 +
			    100 * __sinf(0.06f * sqrtf(dx * dx + dy * dy) - 0.3f * (float)frame);
		p.d_bytes[y * p.pitch_bytes + x * p.samples + i] = (uint8_t)v;
	}
}

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "gpu_frames: %s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

static void buffer_init(buffer *b, uint32_t w, uint32_t h, int nv12)
{
	b->planes = nv12 ? 2 : 3;
	for (int i = 0; i < b->planes; i++) {
		plane *p = &b->plane[i];

		p->width = i ? w / 2 : w;
		p->height = i ? h / 2 : h;
		p->samples = i && nv12 ? 2 : 1;
		check(cudaMallocPitch((void **)&p->d_bytes, &p->pitch_bytes,
			      (size_t)p->width * p->samples, p->height),
			"cudaMallocPitch");
	}
	check(cudaEventCreateWithFlags(&b->free_event, cudaEventDisableTiming), "cudaEventCreate");
}

static void buffer_draw(const buffer *b, uint32_t frame, cudaStream_t stream)
{
	dim3 block(32, 8);

	for (int i = 0; i < b->planes; i++) {
		const plane *p = &b->plane[i];
		dim3 grid((p->width + 31) / 32, (p->height + 7) / 8);

		draw_plane_kernel<<<grid, block, 0, stream>>>(*p, i, frame);
		check(cudaGetLastError(), "draw_plane_kernel");
	}
}

static void buffer_free(buffer *b)
{
	for (int i = 0; i < b->planes; i++)
		cudaFree(b->plane[i].d_bytes);
	cudaEventDestroy(b->free_event);
}

/* Writes the packets that are ready; after a flush, all. Returns the number of packets, or -1. */
static int write_packets(h264i_encoder *enc, FILE *out)
{
	h264i_packet pkt;
	h264i_status s;
	int n = 0;

	h264i_packet_init(&pkt);
	for (; (s = h264i_receive_packet(enc, &pkt)) == H264I_OK; n++)
		if (fwrite(pkt.data, 1, pkt.data_bytes, out) != pkt.data_bytes)
			return -1;
	return s < 0 ? -1 : n;
}

static int encode(h264i_encoder *enc, buffer *buffers, uint32_t frames, int nv12, FILE *out)
{
	cudaStream_t stream;
	int written = 0, n;

	check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
	for (uint32_t i = 0; i < frames; i++) {
		buffer *b = &buffers[i % BUFFERS];
		h264i_frame f;
		h264i_status s;

		/* The stream does not wait for an event that was never recorded. */
		check(cudaStreamWaitEvent(stream, b->free_event, 0), "cudaStreamWaitEvent");
		buffer_draw(b, i, stream);
		h264i_frame_init(&f);
		f.memory = H264I_MEM_CUDA;
		f.format = nv12 ? H264I_NV12 : H264I_I420;
		for (int k = 0; k < b->planes; k++) {
			f.plane[k] = b->plane[k].d_bytes;
			f.pitch_bytes[k] = b->plane[k].pitch_bytes;
		}
		f.pts = i;
		f.stream = stream; /* the encoder reads after the kernel */
		f.use_stream = 1;
		f.free_event = b->free_event;
		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN) {
			n = write_packets(enc, out);
			if (n < 0)
				return -1;
			written += n;
		}
		if (s != H264I_OK)
			return -1;
	}
	if (h264i_flush(enc) != H264I_OK || (n = write_packets(enc, out)) < 0)
		return -1;
	cudaStreamDestroy(stream);
	return written + n;
}

int main(int argc, char **argv)
{
	int nv12 = argc < 2 || strcmp(argv[1], "i420") != 0, written;
	const char *name = argc > 2 ? argv[2] : "gpu_frames.264";
	uint32_t width = argc > 5 ? (uint32_t)atoi(argv[3]) : 1280;
	uint32_t height = argc > 5 ? (uint32_t)atoi(argv[4]) : 720;
	uint32_t frames = argc > 5 ? (uint32_t)atoi(argv[5]) : 60;
	buffer buffers[BUFFERS];
	h264i_encoder *enc;
	h264i_options o;
	char why[256];
	FILE *out;

	if (!h264i_cuda_usable(why, sizeof(why))) {
		printf("SKIP: %s\n", why);
		return 77;
	}
	h264i_options_init(&o);
	o.backend = H264I_BACKEND_CUDA;
	o.width = width;
	o.height = height;
	o.vui.fps_num = 30;
	o.vui.fps_den = 1;
	if (h264i_open(&enc, &o, why, sizeof(why)) != H264I_OK) {
		fprintf(stderr, "gpu_frames: %s\n", why);
		return 2;
	}
	out = fopen(name, "wb");
	if (!out) {
		perror(name);
		h264i_close(&enc);
		return 1;
	}
	for (int i = 0; i < BUFFERS; i++)
		buffer_init(&buffers[i], width, height, nv12);
	written = encode(enc, buffers, frames, nv12, out);
	if (written < 0)
		fprintf(stderr, "gpu_frames: %s\n", h264i_last_error(enc));
	h264i_close(&enc);
	for (int i = 0; i < BUFFERS; i++)
		buffer_free(&buffers[i]);
	if (fclose(out) || written != (int)frames)
		return 1;
	printf("%s: %d frames of %ux%u, %s\n", name, written, width, height,
		nv12 ? "NV12" : "I420");
	return 0;
}
