/* A producer of frames in device memory or page-locked memory, in plain C. It makes a frame after a
 * delay on its own stream, and overwrites it as soon as the encoder's interface allows. An error of
 * CUDA prints a line and ends the program. */
#ifndef TESTS_H264INTRA_FRAMES_GPU_H
#define TESTS_H264INTRA_FRAMES_GPU_H

#include <h264intra/h264intra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Synchronisation of producer and encoder. */
typedef enum {
	HAND_EVENTS,     /* ready_event; the producer's stream waits for free_event */
	HAND_STREAM,     /* the producer's stream; as above */
	HAND_LEGACY,     /* the legacy default stream; as for the producer's stream */
	HAND_EVENT_SYNC, /* ready_event; the host waits for free_event */
	HAND_RELEASE,    /* the host waits before it sends; the frame is free on `release` */
	HAND_COPIED,     /* the host waits before it sends; the frame is free after that */
	HANDS
} hand;

typedef enum {
	LAYOUT_DENSE,    /* rows and planes without gaps */
	LAYOUT_PITCHED,  /* rows of a multiple of 32 bytes (chroma: 16), planes without gaps */
	LAYOUT_GAPS,     /* odd pitches, odd gaps between the planes, an odd address */
	LAYOUT_SEPARATE, /* odd pitches, an allocation a plane (in device memory) */
	LAYOUTS
} layout;

typedef struct producer_params {
	uint32_t width, height, frames;
	const uint8_t *pixels; /* I420, dense */
	h264i_format format;
	layout layout;
	hand hand;
	uint32_t buffers;
	uint8_t *host; /* page-locked, producer_bytes() long; NULL: buffers in device memory */
} producer_params;

typedef struct producer producer;

size_t producer_bytes(const producer_params *p);
producer *producer_open(const producer_params *p);
void producer_close(producer *p);
/* Enqueues the kernel that makes frame i in its buffer; f has all but memory and pts. */
void producer_make(producer *p, uint32_t i, h264i_frame *f);
/* The frame was sent: overwrites it as soon as that is allowed. */
void producer_sent(producer *p, uint32_t i);
/* How often the frame was released. */
uint32_t producer_released(const producer *p, uint32_t i);

uint8_t *pinned_alloc(size_t bytes); /* cudaHostAlloc */
void pinned_free(uint8_t *p);
/* Two adjacent parts that are page-locked one by one; first_bytes is a multiple of 4,096. */
uint8_t *pinned_pair_alloc(size_t first_bytes, size_t second_bytes);
void pinned_pair_free(uint8_t *p, size_t first_bytes);

/* CUDA contexts beside the primary one. Call foreign_init first; it looks up the driver's
 * functions. */
void foreign_init(void);
void *foreign_make(int device); /* current from then on */
void foreign_destroy(void *context);
void *foreign_current(void);
void foreign_set(void *context);
void *foreign_primary(int device); /* current from then on */
int foreign_devices(void);

#ifdef __cplusplus
}
#endif
#endif
