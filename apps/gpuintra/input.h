/* Pictures for the encoder, read ahead by threads into memory that the encoder's device can copy from.
 *
 * The memory grows while the encoder waits for pictures and none is free, up to a limit: so the first
 * pictures do not wait for the last allocation. A looped file that fits in memory is decoded once, before
 * encoding starts; else it is read again. */
#ifndef APPS_GPUINTRA_INPUT_H
#define APPS_GPUINTRA_INPUT_H

#include "apps/gpuintra/blocks.h"
#include "apps/gpuintra/rounds.h"

struct input;

typedef struct picture {
	struct input *owner;
	uint8_t *memory;           /* its own */
	h264i_source_claim *claim; /* the planes are a decoder's; NULL: they are in `memory` */
	uint8_t *plane[3];
	size_t pitch_bytes[3];
	int64_t pts, duration;
	h264i_io_status status; /* OK; else the input ends here */
	struct picture *next_free;
} picture;

enum { INPUT_READERS_MAX = 6 };

typedef struct input {
	rounds rounds;
	blocks blocks; /* for decoded frames */
	h264i_encoder *enc;
	uint32_t width, height;
	uint64_t frames; /* as asked for */
	uint32_t loops;

	picture *pictures;
	uint32_t picture_count, picture_limit;
	uint8_t **slabs; /* of h264i_host_alloc, of one or more pictures each */
	uint32_t slab_count;
	int memory_ends; /* 1: an allocation failed */

	pthread_mutex_t lock; /* guards all down to `stopping` */
	pthread_cond_t freed, ready;
	picture *free_list;
	picture **queue;         /* by sequence number modulo picture_limit */
	uint32_t waiting;        /* readers, for a free picture */
	uint64_t error_sequence; /* of the frame that `error` is about */
	int stopping;
	uint64_t next; /* sequence number; from here on of the thread that encodes */
	int ended;
	int stopped; /* what the encoder releases now is left to the end of the process */
	pthread_t reader[INPUT_READERS_MAX];
	uint32_t readers;

	int cached; /* pictures[] hold the whole clip, and there is no thread */
	uint32_t next_cached;
	uint32_t rounds_left;
	uint64_t frames_left;
	int64_t round_length;
	h264i_io_status cached_end;

	h264i_io_status status; /* how it ended; valid when input_next has said so */
	char error[600];
} input;

typedef struct input_params {
	h264i_source_options options; /* what `source` was opened with */
	h264i_source *source;         /* taken over */
	h264i_encoder *enc;           /* stays open longer than the input */
	uint32_t pool;                /* pictures at most, with those in the encoder */
	uint32_t frames;              /* at most, 0: all */
	uint32_t loops;
	uint64_t loop_memory;
} input_params;

/* 0, or -1 with in->error. After either, input_stop and input_free. */
int input_start(input *in, const input_params *p);

/* The next picture, NULL when none came within wait_ms (negative: wait for ever) or at the end. Allocates
 * memory of the encoder: in the thread that uses the encoder. */
picture *input_next(input *in, int wait_ms);

/* 1: no picture will come any more; see status and error. */
int input_ended(const input *in);

/* Gives a picture back: the `release` of h264i_frame. Any thread. */
void input_release(void *opaque_picture);

/* No more pictures are wanted: stops the threads and frees the pictures' memory. `in_use`: the encoder
 * failed and may still be reading pictures; their memory is then left to the end of the process. */
void input_stop(input *in, int in_use);

/* Frees the rest, after h264i_close: until then the encoder may call input_release. */
void input_free(input *in);
#endif
