/* Cancellation and progress of a frame, from any thread. */
#include <config.h>
#include "reyes/render/engine_state.h"

int reyes_i_is_cancelled(const reyes_i_engine *e)
{
	return e->cancelled && atomic_load(e->cancelled);
}

void reyes_i_engine_set_renderer(reyes_i_engine *e, const atomic_int *cancelled, void *bucket_user)
{
	e->cancelled = cancelled;
	e->options.bucket_user = bucket_user;
}

void reyes_i_engine_cancel(reyes_i_engine *e)
{
	pthread_mutex_lock(&e->lock);
	if (e->stage < REYES_I_STAGES && e->run[e->stage])
		(void)lsched_run_cancel(e->run[e->stage]);
	pthread_mutex_unlock(&e->lock);
}

void reyes_i_progress_bucket(reyes_i_engine *e, double begin, double share)
{
	pthread_mutex_lock(&e->lock);
	e->stage = REYES_I_STAGES;
	e->bucket_begin = (float)begin;
	e->bucket_share = (float)share;
	if (begin == 0 && share >= 1)
		e->progress = 0;
	pthread_mutex_unlock(&e->lock);
}

/* Finished part of a stage. Item programs have no count of finished items: there it is the part of
 * the roots that no longer wait. */
static float stage_progress(const lsched_run_progress_info *info, uint32_t tasks)
{
	const uint64_t left = info->outstanding < tasks ? info->outstanding : tasks;

	if (!tasks || !info->executing)
		return 0;
	if (info->finished != LSCHED_NOT_KNOWN)
		return info->finished < tasks ? (float)info->finished / (float)tasks : 1;
	return 1 - (float)left / (float)tasks;
}

float reyes_i_engine_progress(reyes_i_engine *e)
{
	/* Shares of the stages in the time of a frame: a typical scene on CPU threads. */
	static const float begin[REYES_I_STAGES + 1] = { 0, 0.01f, 0.1f, 0.85f, 0.95f, 0 };
	static const float end[REYES_I_STAGES] = { 0.01f, 0.1f, 0.85f, 0.95f, 1 };
	lsched_run_progress_info info;
	float p;

	lsched_run_progress_info_init(&info);
	pthread_mutex_lock(&e->lock);
	p = begin[e->stage];
	if (e->stage < REYES_I_STAGES && e->run[e->stage] &&
		lsched_run_progress(e->run[e->stage], &info) == LSCHED_OK)
		p += (end[e->stage] - p) * stage_progress(&info, e->tasks);
	p = e->bucket_begin + e->bucket_share * p;
	if (p > e->progress)
		e->progress = p;
	p = e->progress;
	pthread_mutex_unlock(&e->lock);
	return p;
}
