/* Pictures for the encoder, read ahead by a thread into memory that the encoder's device can copy from.
 *
 * A looped file that fits in memory is decoded once, before encoding starts; else it is read again. */
#ifndef APPS_GPUINTRA_INPUT_H
#define APPS_GPUINTRA_INPUT_H

#include <h264intra/source.h>
#include "apps/common/chan.h"

struct input;

typedef struct picture {
	struct input *owner;
	uint8_t *plane[3];
	size_t pitch_bytes[3];
	int64_t pts, duration;
} picture;

typedef struct input {
	h264i_source_options options; /* to open it again for the next round */
	h264i_source *source;
	h264i_encoder *enc;
	uint32_t width, height;
	uint64_t frames_left; /* until --frames is reached */
	uint32_t rounds_left; /* of --loop, the one now included */
	int looped;
	int64_t offset, round_end; /* of the timestamps of this round; where the next begins */

	uint8_t *slab; /* of h264i_host_alloc; one for all pictures of the pool */
	picture *pictures;
	uint32_t picture_count;
	chan empty, full;
	pthread_t thread;
	int thread_runs;

	int cached; /* pictures[] hold the whole clip, and there is no thread */
	uint8_t **cache;
	uint32_t next; /* picture of this round */
	int64_t round_length;

	h264i_io_status status; /* how it ended; valid when input_next has said so */
	char error[600];
} input;

typedef struct input_params {
	h264i_source_options options; /* what `source` was opened with */
	h264i_source *source;         /* taken over */
	h264i_encoder *enc;           /* stays open longer than the input */
	uint32_t pool;                /* pictures to read ahead, with those in the encoder */
	uint32_t frames;              /* at most, 0: all */
	uint32_t loops;
	uint64_t loop_memory;
} input_params;

/* 0, or -1 with in->error. After either, input_stop and input_free. */
int input_start(input *in, const input_params *p);

/* The next picture, NULL when none came within wait_ms (negative: wait for ever) or at the end. */
picture *input_next(input *in, int wait_ms);

/* 1: no picture will come any more; see status and error. */
int input_ended(input *in);

/* Gives a picture back: the `release` of h264i_frame. Any thread. */
void input_release(void *opaque_picture);

/* No more pictures are wanted: stops the thread and frees the pictures' memory. `in_use`: the encoder failed
 * and may still be reading pictures; their memory is then left to the end of the process. */
void input_stop(input *in, int in_use);

/* Frees the rest, after h264i_close: until then the encoder may call input_release. */
void input_free(input *in);
#endif
