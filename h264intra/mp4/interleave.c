/* Order of the samples of several tracks in the file: by time, in parts of fragment_ms. */
#include "h264intra/mp4/writer.h"

enum { SOUND_MAX_BYTES = 64 << 20 };

int64_t h264i_i_mp4_convert(const mp4_ticks *t, int64_t time)
{
	int64_t out;

	return h264i_i_mp4_ticks(t, time, &out) == 0 ? out : INT64_C(1) << 61;
}

uint64_t h264i_i_mp4_fragment_ticks(const h264i_mp4 *m)
{
	return (uint64_t)m->movie.track[0].ticks.timescale * m->movie.o.fragment_ms / 1000;
}

/* Time in the file at which sample `first` of the track is presented, in its ticks. */
static int64_t pending_time(const mp4_track *t)
{
	return t->start + (int64_t)t->first_time - (int64_t)t->o.priming;
}

int64_t h264i_i_mp4_next_time(const mp4_movie *m, uint32_t k)
{
	const mp4_track *t = &m->track[k];

	return k ? h264i_i_mp4_convert(&t->to_video, pending_time(t)) : pending_time(t);
}

int64_t h264i_i_mp4_end_time(const mp4_movie *m, uint32_t k)
{
	const mp4_track *t = &m->track[k];
	const int64_t end = t->start + (t->last_ticks - t->first_ticks) + t->last_duration -
			    (int64_t)t->o.priming;

	return k ? h264i_i_mp4_convert(&t->to_video, end) : end;
}

uint32_t h264i_i_mp4_select(mp4_movie *m, uint32_t k, int64_t until)
{
	mp4_track *const t = &m->track[k];
	const int64_t limit = k ? h264i_i_mp4_convert(&t->from_video, until) : until;
	int64_t at = pending_time(t);
	uint64_t bytes = 0;

	for (t->end = t->first; t->end < t->samples.count; t->end++) {
		const mp4_sample *s = &t->samples.sample[t->end];

		if (at >= limit || (k && bytes >= SOUND_MAX_BYTES))
			break;
		at += s->ticks;
		bytes += s->bytes;
	}
	return t->end - t->first;
}
