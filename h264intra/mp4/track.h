/* The movie: its tracks, and the boxes that describe them: ftyp, moov of a fragmented or complete
 * file, moof. */
#ifndef H264INTRA_MP4_TRACK_H
#define H264INTRA_MP4_TRACK_H

#include <h264intra/mp4.h>

#include "h264intra/mp4/box.h"
#include "h264intra/mp4/samples.h"
#include "h264intra/mp4/ticks.h"

enum { MP4_TRACKS_MAX = 1 + H264I_MP4_SOUNDS_MAX };

typedef struct mp4_track {
	mp4_ticks ticks; /* of the caller's unit */
	mp4_samples samples;
	/* Samples that are not written yet, from samples.sample[first] on. While h264i_mp4_write
	 * writes a fragment, the sample after it follows. */
	mp4_buf data;
	size_t pending_bytes; /* of those in `samples` */
	uint32_t first, end;  /* samples of the fragment that is written: first..end-1 */
	uint64_t first_time;  /* time of sample `first` after the first one of the track */
	int64_t start;        /* time of the first sample that is presented; not negative */
	/* Times of the first and the last sample, as the caller counts. */
	int64_t first_ticks, last_ticks, last_pts;
	uint32_t last_duration; /* ticks of the last sample */
	int begun;              /* a sample was added */
	/* Of a sound: samples were given, which the coder may hold; the time after them. */
	int fed;
	int64_t next_pts;
	mp4_buf config;      /* avcC, AudioSpecificConfig, dOps, or STREAMINFO in dfLa */
	h264i_mp4_track o;   /* of a sound; its config is above */
	uint32_t unit_bytes; /* bytes of a sample of PCM, of which an entry of `samples` has
			      * `ticks`; 0: an entry is a sample */
	/* Ticks of the video in those of a sound, and back. */
	mp4_ticks from_video, to_video;
	struct mp4_flac *flac; /* codes PCM for this track; NULL: the caller's packets */
} mp4_track;

typedef struct mp4_movie {
	h264i_mp4_options o;             /* headers and times are in the members of tracks */
	mp4_track track[MP4_TRACKS_MAX]; /* the video first */
	uint32_t tracks;
	/* Of edit lists and durations: a multiple of all timescales, or if that needs more than 31
	 * bits that of the video. */
	uint32_t timescale;
	int64_t shift; /* ticks that are added to all times: the first one is not negative */
	/* Boxes of metadata without the headers around them (meta.c). */
	mp4_buf keys, values, cover, chapters;
	uint32_t key_count, chapter_count;
	int64_t last_chapter;
} mp4_movie;

static inline int mp4_is_mov(const mp4_movie *m)
{
	return m->o.brand == H264I_MP4_BRAND_MOV;
}

void h264i_i_mp4_ftyp(mp4_buf *out, const mp4_movie *m);

/* moov with mvex and without samples, for a file in fragments. meta: 1: with the metadata. */
void h264i_i_mp4_moov_of_fragments(mp4_buf *out, const mp4_movie *m, int meta);

/* moov with all samples and chunks. Its size depends on their numbers and on whether an offset
 * needs 64 bits, not on the offsets. */
void h264i_i_mp4_moov(mp4_buf *out, const mp4_movie *m);

/* stbl of track k (tables.c); without samples for a file in fragments. */
void h264i_i_mp4_stbl(mp4_buf *out, const mp4_movie *m, uint32_t k, int fragments);

/* Sample entry of a sound (entry.c). */
void h264i_i_mp4_sound_entry(mp4_buf *out, const mp4_movie *m, const mp4_track *t);

/* The boxes of the metadata in moov (meta.c). */
void h264i_i_mp4_meta(mp4_buf *out, const mp4_movie *m);
void h264i_i_mp4_free_meta(mp4_movie *m);

/* moof number `sequence` of the samples first..end-1 of all tracks, and the header of the mdat
 * after it, in which the video is the last. */
void h264i_i_mp4_moof(mp4_buf *out, const mp4_movie *m, uint32_t sequence);

/* Number of samples, as the file counts them, of the entries first..end-1. */
uint32_t h264i_i_mp4_count(const mp4_track *t, uint32_t first, uint32_t end);

/* Converts a time; one that no file can have becomes 2^61. */
int64_t h264i_i_mp4_convert(const mp4_ticks *t, int64_t time);

/* Times in the file in ticks of the video: of the next sample of track k that is not written, and
 * after its last sample. */
int64_t h264i_i_mp4_next_time(const mp4_movie *m, uint32_t k);
int64_t h264i_i_mp4_end_time(const mp4_movie *m, uint32_t k);

/* Sets `end` of track k to the first sample that is presented at the time `until` or later, for a
 * sound of more than 64 MiB to an earlier one. Returns the number of samples from `first`. */
uint32_t h264i_i_mp4_select(mp4_movie *m, uint32_t k, int64_t until);

#endif
