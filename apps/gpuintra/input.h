/* Input: threads read pictures ahead into memory that the encoder's device reads directly.
 *
 * Memory is allocated while the encoder waits for pictures and none is free, up to a limit, so that
 * the first pictures do not wait for all allocations. A looped file that fits in memory is decoded
 * once, before encoding starts; else it is read again in each round. */
#ifndef APPS_GPUINTRA_INPUT_H
#define APPS_GPUINTRA_INPUT_H

#include "apps/gpuintra/blocks.h"
#include "apps/gpuintra/rounds.h"

struct input;

typedef struct picture {
	struct input *owner;
	uint8_t *memory;           /* for its planes */
	h264i_source_claim *claim; /* the planes are the decoder's; NULL: they are in `memory` */
	uint8_t *plane[3];
	size_t pitch_bytes[3];
	int on_device; /* 1: the planes are NV12 in device memory; 0: I420 in host memory */
	int64_t pts, duration;
	h264i_io_status status; /* OK; else the input ends here */
	/* Of the encoding thread: 1: it compares the picture later, so that the encoder's release
	 * sets `released` only */
	int held, released;
	struct picture *next_free;
} picture;

enum { INPUT_READERS_MAX = 6 };

typedef struct input {
	rounds rounds;
	blocks blocks; /* for decoded frames */
	h264i_encoder *enc;
	uint32_t width, height;
	uint64_t frames; /* limit, --frames */
	uint32_t loops;

	picture *pictures;
	uint32_t picture_count, picture_limit;
	uint8_t **slabs; /* of h264i_host_alloc, of one or more pictures each */
	uint32_t slab_count;
	int memory_ends; /* 1: an allocation failed */

	pthread_mutex_t lock; /* guards the members up to `stopping` */
	pthread_cond_t freed, ready;
	picture *free_list;
	picture **queue;         /* by sequence number modulo picture_limit */
	uint32_t waiting;        /* readers that wait for a free picture */
	uint64_t error_sequence; /* number of the frame of `error` */
	int stopping;
	uint64_t next; /* sequence number; from here on used by the encoding thread only */
	int ended;
	int stopped; /* 1: claims that the encoder releases now are not freed */
	pthread_t reader[INPUT_READERS_MAX];
	uint32_t readers;

	int cached; /* 1: pictures[] hold the whole clip; there are no reader threads */
	uint32_t next_cached;
	uint32_t rounds_left;
	uint64_t frames_left;
	int64_t round_length;
	h264i_io_status cached_end;

	h264i_io_status status; /* valid once input_ended() is 1 */
	char error[600];
} input;

typedef struct input_params {
	h264i_source_options options; /* of `source` */
	h264i_source *source;         /* the input closes it */
	h264i_encoder *enc;           /* closed after input_stop */
	uint32_t pool;                /* limit of pictures, those in the encoder included */
	uint32_t frames;              /* limit; 0: none */
	uint32_t loops;
	uint64_t loop_memory;
	int on_device; /* 1: the encoder reads memory of the device that decodes */
} input_params;

/* Starts the reader threads. Returns 0, or -1 with in->error. In both cases call input_stop and
 * input_free. */
int input_start(input *in, const input_params *p);

/* Returns the next picture; NULL if none arrives within wait_ms (negative: no limit) or at the end.
 * Allocates memory of the encoder: call it in the thread that uses the encoder. */
picture *input_next(input *in, int wait_ms);

/* 1: there are no more pictures; see status and error. */
int input_ended(const input *in);

/* Releases a picture: the `release` of h264i_frame. Any thread. */
void input_release(void *opaque_picture);

/* Stops the threads and frees the pictures' memory. `in_use`: the encoder failed and may still be
 * reading pictures; their memory then remains allocated until the process ends. */
void input_stop(input *in, int in_use);

/* Frees the rest, after h264i_close: until then the encoder may call input_release. */
void input_free(input *in);
#endif
