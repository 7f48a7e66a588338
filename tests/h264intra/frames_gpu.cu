#include "tests/h264intra/frames_gpu.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DELAY_NS = 200000, SPOILED = 0x5a };

typedef struct buffer {
	uint8_t *plane[3], *allocation[3];
	cudaEvent_t ready, free;
} buffer;

typedef struct frame_note {
	producer *owner;
	uint32_t number, released;
} frame_note;

struct producer {
	producer_params p;
	uint8_t *d_pixels;
	size_t pitch_bytes[3], at[3], buffer_bytes;
	cudaStream_t stream; /* 0: the legacy one */
	buffer *buffers;
	frame_note *notes;
};

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "frames_gpu: %s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

#define CHECK(call) check((call), #call)

/* Delays a stream; other streams run meanwhile. */
static __global__ void delay_kernel(uint32_t ns)
{
	unsigned long long begin, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - begin < ns);
}

/* Copies a plane, every step-th byte; without a source it overwrites the rows. */
static __global__ void plane_kernel(uint8_t *to, size_t pitch, uint32_t step, const uint8_t *from,
	uint32_t width, uint32_t height)
{
	uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

	if (x < width && y < height)
		to[y * pitch + x * step] = from ? from[y * width + x] : SPOILED;
}

static int planes(const producer_params *p)
{
	return p->format == H264I_NV12 ? 2 : 3;
}

/* Bytes of a row, and rows. */
static size_t row_bytes(const producer_params *p, int plane)
{
	return plane && planes(p) == 3 ? p->width / 2 : p->width;
}

static size_t rows(const producer_params *p, int plane)
{
	return plane ? p->height / 2 : p->height;
}

static size_t lay_out(const producer_params *p, size_t pitch[3], size_t at[3])
{
	size_t end = p->layout == LAYOUT_GAPS ? 3 : 0;

	for (int i = 0; i < planes(p); i++) {
		pitch[i] = row_bytes(p, i);
		if (p->layout == LAYOUT_PITCHED)
			pitch[i] = ((p->width + 31) & ~31u) / (i && planes(p) == 3 ? 2 : 1);
		else if (p->layout != LAYOUT_DENSE)
			pitch[i] += 7 + 2 * (size_t)i + !(pitch[i] & 1);
		at[i] = end;
		end += pitch[i] * rows(p, i);
		if (p->layout == LAYOUT_GAPS)
			end += 11;
	}
	return end;
}

extern "C" size_t producer_bytes(const producer_params *p)
{
	size_t pitch[3], at[3];

	return p->buffers * lay_out(p, pitch, at);
}

static void open_buffer(producer *p, buffer *b, uint32_t number)
{
	int separate = !p->p.host && p->p.layout == LAYOUT_SEPARATE;

	CHECK(cudaEventCreateWithFlags(&b->ready, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&b->free, cudaEventDisableTiming));
	if (!p->p.host && !separate)
		CHECK(cudaMalloc((void **)&b->allocation[0], p->buffer_bytes));
	for (int i = 0; i < planes(&p->p); i++) {
		if (separate)
			CHECK(cudaMalloc(
				(void **)&b->allocation[i], p->pitch_bytes[i] * rows(&p->p, i)));
		b->plane[i] = p->p.host  ? p->p.host + number * p->buffer_bytes + p->at[i]
			      : separate ? b->allocation[i]
					 : b->allocation[0] + p->at[i];
	}
}

extern "C" producer *producer_open(const producer_params *params)
{
	producer *p = (producer *)calloc(1, sizeof(*p));
	size_t all = (size_t)params->width * params->height * 3 / 2 * params->frames;

	if (!p)
		check(cudaErrorMemoryAllocation, "producer");
	p->p = *params;
	p->buffer_bytes = lay_out(params, p->pitch_bytes, p->at);
	p->buffers = (buffer *)calloc(params->buffers, sizeof(*p->buffers));
	p->notes = (frame_note *)calloc(params->frames, sizeof(*p->notes));
	if (!p->buffers || !p->notes)
		check(cudaErrorMemoryAllocation, "buffers");
	CHECK(cudaMalloc((void **)&p->d_pixels, all));
	CHECK(cudaMemcpy(p->d_pixels, params->pixels, all, cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize()); /* the copy may be running; p->stream does not wait */
	if (params->hand != HAND_LEGACY)
		CHECK(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
	for (uint32_t i = 0; i < params->buffers; i++)
		open_buffer(p, &p->buffers[i], i);
	return p;
}

extern "C" void producer_close(producer *p)
{
	CHECK(cudaStreamSynchronize(p->stream));
	for (uint32_t i = 0; i < p->p.buffers; i++) {
		CHECK(cudaEventDestroy(p->buffers[i].ready));
		CHECK(cudaEventDestroy(p->buffers[i].free));
		for (int k = 0; k < 3; k++)
			CHECK(cudaFree(p->buffers[i].allocation[k]));
	}
	if (p->stream)
		CHECK(cudaStreamDestroy(p->stream));
	CHECK(cudaFree(p->d_pixels));
	free(p->buffers);
	free(p->notes);
	free(p);
}

/* Writes frame i, or wrong samples when i is past the last. */
static void draw(producer *p, buffer *b, uint32_t i)
{
	const producer_params *o = &p->p;
	size_t luma = (size_t)o->width * o->height;
	const uint8_t *from = i < o->frames ? p->d_pixels + i * (luma * 3 / 2) : NULL;

	for (int k = 0; k < 3; k++) {
		uint32_t w = o->width >> (k > 0), h = o->height >> (k > 0);
		int pair = k > 0 && planes(o) == 2;
		uint8_t *to = pair ? b->plane[1] + (k - 1) : b->plane[k];
		size_t pitch = p->pitch_bytes[pair ? 1 : k];

		plane_kernel<<<dim3((w + 127) / 128, h), 128, 0, p->stream>>>(
			to, pitch, pair ? 2 : 1, from, w, h);
		CHECK(cudaGetLastError());
		if (from)
			from += (size_t)w * h;
	}
}

static void note_release(void *opaque)
{
	frame_note *n = (frame_note *)opaque;
	producer *p = n->owner;

	n->released++;
	if (p->p.hand == HAND_RELEASE)
		draw(p, &p->buffers[n->number % p->p.buffers], UINT32_MAX);
}

extern "C" void producer_make(producer *p, uint32_t i, h264i_frame *f)
{
	buffer *b = &p->buffers[i % p->p.buffers];
	hand hand = p->p.hand;

	delay_kernel<<<1, 1, 0, p->stream>>>(DELAY_NS);
	CHECK(cudaGetLastError());
	draw(p, b, i);
	if (hand == HAND_RELEASE || hand == HAND_COPIED)
		CHECK(cudaStreamSynchronize(p->stream));
	h264i_frame_init(f);
	f->format = p->p.format;
	for (int k = 0; k < planes(&p->p); k++) {
		f->plane[k] = b->plane[k];
		f->pitch_bytes[k] = p->pitch_bytes[k];
	}
	if (hand == HAND_EVENTS || hand == HAND_EVENT_SYNC) {
		CHECK(cudaEventRecord(b->ready, p->stream));
		f->ready_event = b->ready;
	}
	if (hand == HAND_STREAM || hand == HAND_LEGACY) {
		f->use_stream = 1;
		f->stream = p->stream;
	}
	if (hand != HAND_RELEASE && hand != HAND_COPIED)
		f->free_event = b->free;
	p->notes[i].owner = p;
	p->notes[i].number = i;
	f->release = note_release;
	f->release_opaque = &p->notes[i];
}

extern "C" void producer_sent(producer *p, uint32_t i)
{
	buffer *b = &p->buffers[i % p->p.buffers];

	if (p->p.hand == HAND_RELEASE)
		return;
	if (p->p.hand == HAND_EVENT_SYNC)
		CHECK(cudaEventSynchronize(b->free));
	else if (p->p.hand != HAND_COPIED)
		CHECK(cudaStreamWaitEvent(p->stream, b->free, 0));
	draw(p, b, UINT32_MAX);
}

extern "C" uint32_t producer_released(const producer *p, uint32_t i)
{
	return p->notes[i].released;
}

extern "C" uint8_t *pinned_alloc(size_t bytes)
{
	void *p = NULL;

	CHECK(cudaHostAlloc(&p, bytes, cudaHostAllocDefault));
	return (uint8_t *)p;
}

extern "C" void pinned_free(uint8_t *p)
{
	CHECK(cudaFreeHost(p));
}

extern "C" uint8_t *pinned_pair_alloc(size_t first_bytes, size_t second_bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, 4096, first_bytes + second_bytes) != 0)
		check(cudaErrorMemoryAllocation, "pair");
	CHECK(cudaHostRegister(p, first_bytes, cudaHostRegisterDefault));
	CHECK(cudaHostRegister((uint8_t *)p + first_bytes, second_bytes, cudaHostRegisterDefault));
	return (uint8_t *)p;
}

extern "C" void pinned_pair_free(uint8_t *p, size_t first_bytes)
{
	CHECK(cudaHostUnregister(p));
	CHECK(cudaHostUnregister(p + first_bytes));
	free(p);
}
