/* The state that both threads use: phases, steps, progress; start and end of the thread. */
#include "apps/greyes/passes.h"
#include "libsched/core/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- phases and steps ---- */

void gr_job_set_phase(gr_job *j, gr_phase phase)
{
	pthread_mutex_lock(&j->lock);
	j->phase = phase;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

void gr_job_set_renderer(gr_job *j, reyes_renderer *r)
{
	pthread_mutex_lock(&j->lock);
	j->r = r;
	/* The step was selected while there was no renderer to cancel. */
	if (r && j->step >= GR_STEP_RELOAD)
		reyes_cancel(r);
	pthread_mutex_unlock(&j->lock);
}

gr_step gr_job_current_step(gr_job *j)
{
	gr_step s;

	pthread_mutex_lock(&j->lock);
	s = j->step;
	pthread_mutex_unlock(&j->lock);
	return s;
}

gr_step gr_job_take_step(gr_job *j)
{
	gr_step s;

	pthread_mutex_lock(&j->lock);
	j->phase = GR_PHASE_WAITING;
	pthread_cond_broadcast(&j->changed);
	while (j->step == GR_STEP_NONE)
		pthread_cond_wait(&j->changed, &j->lock);
	s = j->step;
	if (s != GR_STEP_END)
		j->step = GR_STEP_NONE;
	pthread_mutex_unlock(&j->lock);
	return s;
}

void gr_job_step(gr_job *j, gr_step step)
{
	pthread_mutex_lock(&j->lock);
	if (j->step != GR_STEP_END)
		j->step = step;
	if (step >= GR_STEP_RELOAD && j->r)
		reyes_cancel(j->r);
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

void gr_job_fly(gr_job *j, const double camera[16])
{
	pthread_mutex_lock(&j->lock);
	for (int k = 0; k < 16; k++)
		j->camera[k] = (float)camera[k];
	if (j->step == GR_STEP_NONE)
		j->step = GR_STEP_FLY;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

gr_phase gr_job_wait(gr_job *j, int limit_ms)
{
	const struct timespec until = lsched_i_deadline_ms(limit_ms);
	gr_phase phase;

	pthread_mutex_lock(&j->lock);
	if (j->phase != GR_PHASE_ENDED)
		(void)pthread_cond_timedwait(&j->changed, &j->lock, &until);
	phase = j->phase;
	pthread_mutex_unlock(&j->lock);
	return phase;
}

/* ---- progress ---- */

/* Prints the line of PRMan, which other programs parse. The lock is held. */
static void print_percent(gr_job *j, int percent)
{
	if (j->o->progress != GR_PROGRESS_R90000 || percent <= j->percent)
		return;
	j->percent = percent;
	fprintf(stderr, "R90000 %3d%%\n", percent);
}

void gr_job_progress(gr_job *j)
{
	const int64_t now = progress_now_ns();
	float part = -1;
	uint32_t frame;
	double seconds;

	pthread_mutex_lock(&j->lock);
	if (j->phase == GR_PHASE_RENDERING && j->r) {
		part = reyes_progress(j->r);
		print_percent(j, (int)(part * 100));
	}
	frame = j->frame;
	seconds = (double)(now - j->begin_ns) * 1e-9;
	pthread_mutex_unlock(&j->lock);
	if (part >= 0 && log_progress_due(j->log, now)) {
		char text[100], left[PROGRESS_LEFT_BYTES] = "";

		if (part > 0.02f)
			progress_left(left, seconds * (1 - (double)part) / (double)part);
		snprintf(text, sizeof(text), "frame %" PRIu32 ": %.0f %%%s%s", frame,
			100 * (double)part, *left ? ", " : "", left);
		log_progress_line(j->log, now, text);
	}
}

void gr_job_begin_frame(gr_job *j, uint32_t frame)
{
	pthread_mutex_lock(&j->lock);
	j->phase = GR_PHASE_RENDERING;
	j->frame = frame;
	j->begin_ns = progress_now_ns();
	j->percent = -1;
	print_percent(j, 0);
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

void gr_job_end_frame(gr_job *j)
{
	pthread_mutex_lock(&j->lock);
	j->phase = GR_PHASE_WRITING;
	print_percent(j, 100);
	pthread_mutex_unlock(&j->lock);
	log_progress_clear(j->log);
}

/* ---- start and end ---- */

/* Removes the new files of a job that does not start; returns -1. */
static int drop_files(gr_job *j)
{
	char why[GR_WHY_BYTES];

	outfile_close(&j->stats.file, OUTFILE_DROP, why);
	outfile_close(&j->trace.file, OUTFILE_DROP, why);
	return -1;
}

int gr_job_start(gr_job *j, const gr_options *o, int has_window, logger *log)
{
	char why[GR_WHY_BYTES];
	int e;

	memset(j, 0, sizeof(*j));
	j->o = o;
	j->log = log;
	j->has_window = has_window;
	if (gr_pictures_begin(&j->pictures, o, why) || gr_stats_begin(&j->stats, o, why) ||
		gr_trace_begin(&j->trace, o, why)) {
		log_print(log, LOG_LEVEL_ERROR, "%s", why);
		return drop_files(j);
	}
	pthread_mutex_init(&j->lock, NULL);
	lsched_i_cond_init(&j->changed);
	e = pthread_create(&j->thread, NULL, gr_passes_run, j);
	if (!e)
		return 0;
	log_print(log, LOG_LEVEL_ERROR, "the rendering thread cannot be started: %s", strerror(e));
	return drop_files(j);
}

int gr_job_finish(gr_job *j, int limit_ms)
{
	const int64_t until = progress_now_ns() + (int64_t)limit_ms * 1000000;
	gr_phase phase = gr_job_wait(j, 0);

	while (phase != GR_PHASE_ENDED &&
		(limit_ms < 0 || phase != GR_PHASE_READING || progress_now_ns() < until))
		phase = gr_job_wait(j, 20);
	if (phase != GR_PHASE_ENDED)
		return CLI_EXIT_FAILED;
	pthread_join(j->thread, NULL);
	for (size_t i = 0; i < j->file_count; i++)
		free(j->files[i].path);
	free(j->files);
	free((float *)(uintptr_t)j->shown.image.rgba);
	free((float *)(uintptr_t)j->shown.image.z);
	pthread_mutex_destroy(&j->lock);
	pthread_cond_destroy(&j->changed);
	return j->exit_code;
}
