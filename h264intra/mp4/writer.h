/* State of a writer, for its files. */
#ifndef H264INTRA_MP4_WRITER_H
#define H264INTRA_MP4_WRITER_H

#include <h264intra/mp4.h>

#include "h264intra/mp4/box.h"
#include "h264intra/mp4/track.h"

enum {
	MP4_MSG_BYTES = 256,
	MP4_COMMIT_BYTES = 16, /* at most this many bytes change the kind of a box */
	MP4_RESERVE_MIN_BYTES = 64,
	MP4_RESERVE_MAX_BYTES = 256 << 20,
	MP4_SAMPLES_MAX = 1 << 26 /* of an index: its boxes have sizes of 32 bits */
};

struct h264i_mp4 {
	mp4_movie movie;
	h264i_mp4_sink sink;
	/* Frees sink.opaque, which belongs to the writer; NULL for a sink of the caller.
	 * `nothing`: no byte was written. */
	void (*free_sink)(void *opaque, int nothing);
	mp4_buf boxes;          /* the boxes of one step */
	uint64_t position;      /* bytes appended */
	uint64_t reserve_at;    /* offset of the reserve */
	uint32_t reserve_bytes; /* of its free box; 0: the file stays fragmented */
	uint32_t fragments;     /* written */
	uint64_t frames;        /* of the video, written */
	int begun, finished, memory;
	h264i_status failed; /* OK: no failure yet */
	char error[MP4_MSG_BYTES];
};

/* Sets the error text and returns s. */
h264i_status h264i_i_mp4_fail(h264i_mp4 *m, h264i_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

h264i_status h264i_i_mp4_no_memory(h264i_mp4 *m);

/* Begins a call of that name, which is refused after a failure and after h264i_mp4_finish. NULL is
 * ERR_ARG. */
h264i_status h264i_i_mp4_begin_call(h264i_mp4 *m, const char *call);

/* Checks and copies options and sink into *m, which is zero (settings.c). */
h264i_status h264i_i_mp4_settings(
	h264i_mp4 *m, const h264i_mp4_options *o, const h264i_mp4_sink *sink);

/* Makes a writer; as h264i_mp4_open, with a sink that h264i_mp4_close frees. On failure it is freed
 * at once. */
h264i_status h264i_i_mp4_open(h264i_mp4 **out, const h264i_mp4_options *o,
	const h264i_mp4_sink *sink, void (*free_sink)(void *opaque, int nothing), char *msg,
	size_t msg_bytes);

/* Calls of the sink (output.c). A failure is permanent. */
h264i_status h264i_i_mp4_append(h264i_mp4 *m, const void *data, size_t bytes);
h264i_status h264i_i_mp4_overwrite(h264i_mp4 *m, uint64_t offset, const void *data, size_t bytes);
h264i_status h264i_i_mp4_read(h264i_mp4 *m, uint64_t offset, void *data, size_t bytes);
h264i_status h264i_i_mp4_truncate(h264i_mp4 *m, uint64_t bytes);
h264i_status h264i_i_mp4_flush(h264i_mp4 *m);

/* Checks and converts the times of a sample. *at: its pts; *ticks: its duration until the next
 * sample follows; 0 if `duration` is 0. */
h264i_status h264i_i_mp4_check_times(
	h264i_mp4 *m, mp4_track *t, int64_t pts, int64_t duration, int64_t *at, uint32_t *ticks);

/* ERR_LIMIT if the track cannot have that many entries more. */
h264i_status h264i_i_mp4_check_count(h264i_mp4 *m, const mp4_track *t, uint64_t more);

/* The last sample lasts until `at`, if it is not written and forgotten yet. */
void h264i_i_mp4_lengthen(mp4_track *t, int64_t at);

/* Adds a sample whose bytes are appended to t->data already. */
h264i_status h264i_i_mp4_add(
	h264i_mp4 *m, mp4_track *t, int64_t pts, int64_t at, uint32_t bytes, uint32_t ticks);

/* Writes ftyp, the reserve and the moov without samples, if that is not done yet (fragment.c). */
h264i_status h264i_i_mp4_begin_file(h264i_mp4 *m);

/* Writes a fragment: with `video` all samples of the video that are not written yet, and the sounds
 * that begin before `until`, a time in the file in ticks of the video. Nothing without samples. */
h264i_status h264i_i_mp4_write_fragment(h264i_mp4 *m, int video, int64_t until);

/* Writes all that is not written yet, sounds after the end of the video in fragments of their
 * own. */
h264i_status h264i_i_mp4_write_rest(h264i_mp4 *m);

/* Ticks of the video in fragment_ms (interleave.c). */
uint64_t h264i_i_mp4_fragment_ticks(const h264i_mp4 *m);

/* Checks the configuration of t->o, and makes that of the file in t->config and the codec's members
 * of *t (config.c). */
h264i_status h264i_i_mp4_config(h264i_mp4 *m, mp4_track *t);

/* Codes the last samples of the sounds that the library codes (sound.c). */
h264i_status h264i_i_mp4_end_sounds(h264i_mp4 *m);

void h264i_i_mp4_free_track(mp4_track *t);

/* Writes the whole file from the samples in memory, without fragments (whole.c). */
h264i_status h264i_i_mp4_write_whole(h264i_mp4 *m);

/* Turns the fragmented file into one with an index of all samples (complete.c). */
h264i_status h264i_i_mp4_complete(h264i_mp4 *m);

#endif
