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
	mp4_track track;
	h264i_mp4_sink sink;
	/* Frees sink.opaque, which belongs to the writer; NULL for a sink of the caller.
	 * `nothing`: no byte was written. */
	void (*free_sink)(void *opaque, int nothing);
	/* Samples that are not written yet: those of the fragment, and the sample after it while
	 * the fragment is being written. */
	mp4_buf data;
	size_t fragment_bytes;
	mp4_buf boxes;          /* the boxes of one step */
	uint64_t position;      /* bytes appended */
	uint64_t reserve_at;    /* offset of the reserve */
	uint32_t reserve_bytes; /* of its free box; 0: the file stays fragmented */
	uint32_t first;         /* first sample of the fragment */
	uint64_t first_time;    /* sum of the durations before it */
	uint32_t fragments;     /* written */
	uint64_t frames;        /* written */
	int64_t last_pts, last_ticks;
	int64_t shift; /* ticks that are added to all times: the first is not negative */
	int begun, finished, memory;
	h264i_status failed; /* OK: no failure yet */
	char error[MP4_MSG_BYTES];
};

/* Sets the error text and returns s. */
h264i_status h264i_i_mp4_fail(h264i_mp4 *m, h264i_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

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

/* Writes the samples that are not written yet as a fragment, the first one with ftyp, reserve and
 * moov in front (fragment.c). */
h264i_status h264i_i_mp4_write_fragment(h264i_mp4 *m);

/* Writes the whole file from the samples in memory, without fragments (complete.c). */
h264i_status h264i_i_mp4_write_whole(h264i_mp4 *m);

/* Turns the fragmented file into one with an index of all samples (complete.c). */
h264i_status h264i_i_mp4_complete(h264i_mp4 *m);

#endif
