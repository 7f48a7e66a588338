/* The boxes that describe the track: ftyp, moov of a fragmented or complete file, moof. */
#ifndef H264INTRA_MP4_TRACK_H
#define H264INTRA_MP4_TRACK_H

#include <h264intra/mp4.h>

#include "h264intra/mp4/box.h"
#include "h264intra/mp4/samples.h"
#include "h264intra/mp4/ticks.h"

typedef struct mp4_track {
	h264i_mp4_options o; /* headers and times are in the members below */
	mp4_ticks ticks;
	mp4_buf avcc;
	int64_t start; /* time of the first sample, in ticks; not negative */
	mp4_samples samples;
} mp4_track;

void h264i_i_mp4_ftyp(mp4_buf *out, const mp4_track *t);

/* moov with mvex and without samples, for a file in fragments. */
void h264i_i_mp4_moov_of_fragments(mp4_buf *out, const mp4_track *t);

/* moov with all samples and chunks. Its size depends on their numbers and on whether an offset
 * needs 64 bits, not on the offsets. */
void h264i_i_mp4_moov(mp4_buf *out, const mp4_track *t);

/* stbl of h264i_i_mp4_moov (tables.c); without samples for a file in fragments. */
void h264i_i_mp4_stbl(mp4_buf *out, const mp4_track *t, int fragments);

/* moof number `sequence` of the samples from `first`, and the header of the mdat after it.
 * time: sum of the durations before. */
void h264i_i_mp4_moof(
	mp4_buf *out, const mp4_track *t, uint32_t sequence, uint32_t first, uint64_t time);

#endif
