/* Numbers the frames of an input over the rounds of --loop, for one or several reader threads. */
#ifndef APPS_GPUINTRA_ROUNDS_H
#define APPS_GPUINTRA_ROUNDS_H

#include <pthread.h>
#include <h264intra/source.h>

typedef struct rounds {
	h264i_source_options options; /* to open the source again for the next round */
	int opening;                  /* 1: it is being opened again */
	h264i_source_memory memory;   /* for its decoded frames; alloc is NULL: none */
	int on_device;        /* 1: decoded frames may be in memory of the encoder's device */
	pthread_mutex_t lock; /* guards all except what fill_lock guards */
	h264i_source *source;
	uint64_t frames_left; /* until --frames is reached */
	uint32_t rounds_left; /* of --loop, the present one included */
	uint64_t assigned;    /* number of frames assigned */
	int64_t offset;       /* added to the timestamps of this round */
	int64_t first_pts;    /* of the video, which may start later than the file */
	int64_t round_end;    /* first timestamp of the next round */
	int ended;
	h264i_io_status damage; /* of the first damaged round; OK: none */
	char damage_text[600];

	pthread_mutex_t fill_lock; /* guards filling */
	pthread_cond_t filled;
	uint32_t filling; /* frames assigned and not read yet */
} rounds;

typedef struct round_frame {
	uint64_t sequence;      /* 0, 1, 2, ... over all rounds */
	h264i_io_status status; /* OK; else the input ends here: END, or an error with text */
	char text[600];
	int64_t pts, duration;
	h264i_source *source;
	h264i_source_claim *claim;
} round_frame;

/* Initialises r, which closes the source. */
void rounds_init(rounds *r, h264i_source *source, const h264i_source_options *options,
	uint64_t frames, uint32_t count);

/* Assigns the next frame or the end of the input to the caller. Returns 0 if the end was assigned
 * before. After a damaged round the next one follows; the damage is the status after the last. Any
 * thread. */
int rounds_next(rounds *r, round_frame *f);

/* Reads the frame, and sets its status on failure; in parallel with other threads if the source
 * allows it. */
void rounds_fill(rounds *r, round_frame *f, uint8_t *const plane[3], const size_t pitch_bytes[3]);

/* Prepares the source, which may be one of a later round: memory, on_device. */
void rounds_prepare_source(rounds *r);

/* As rounds_fill, but without a copy if the frame is in `memory` or on the device: sets planes and
 * pitches and returns the claim, which the caller drops. Returns NULL if the frame was read, or
 * failed, as by rounds_fill. *on_device is 1 if the planes are NV12 in device memory. */
h264i_source_claim *rounds_fill_or_view(
	rounds *r, round_frame *f, uint8_t *plane[3], size_t pitch_bytes[3], int *on_device);

/* Starts again, as after rounds_init. Returns OK, or the error of opening the source with text (600
 * bytes). */
h264i_io_status rounds_rewind(rounds *r, uint64_t frames, uint32_t count, char *text);

void rounds_close(rounds *r);
#endif
