/* The engine: a context of libsched with what a frame needs on its backend. */
#include <config.h>
#include "reyes/render/engine.h"
#include <libsched/task.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/render/engine_state.h"

reyes_status reyes_i_engine_failed(reyes_i_engine *e, lsched_status st, const char *why)
{
	if (st == LSCHED_OK)
		return REYES_OK;
	if (st == LSCHED_ERR_CANCELLED)
		why = "the frame was cancelled";
	if (e->message && e->message_bytes)
		snprintf(e->message, e->message_bytes, "%s",
			why && *why ? why : lsched_strstatus(st));
	return st == LSCHED_ERR_NOMEM       ? REYES_ERR_NOMEM
	       : st == LSCHED_ERR_DEVICE    ? REYES_ERR_DEVICE
	       : st == LSCHED_ERR_CANCELLED ? REYES_CANCELLED
					    : REYES_ERR_SCHED;
}

static lsched_status open_context(
	reyes_i_engine *e, const reyes_i_engine_options *o, char *message, size_t message_bytes)
{
	lsched_options so;

	lsched_options_init(&so);
	so.backend = o->backend == REYES_BACKEND_CPU    ? LSCHED_BACKEND_CPU
		     : o->backend == REYES_BACKEND_CUDA ? LSCHED_BACKEND_CUDA
							: LSCHED_BACKEND_AUTO;
	so.device = o->device;
	if (so.backend == LSCHED_BACKEND_CPU)
		so.workers = o->threads;
	return lsched_open(&e->ctx, &so, message, message_bytes);
}

/* Opens the device's side, if the context's backend is a device. */
static reyes_status open_device(reyes_i_engine *e, char *message, size_t message_bytes)
{
	const char *error;

	if (lsched_ctx_backend(e->ctx) != LSCHED_BACKEND_CUDA)
		return REYES_OK;
	error = reyes_i_cuda_open(&e->cuda, lsched_ctx_device(e->ctx));
	if (!error)
		return REYES_OK;
	if (message)
		snprintf(message, message_bytes, "CUDA: %s", error);
	return REYES_ERR_DEVICE;
}

reyes_status reyes_i_engine_open(
	reyes_i_engine **out, const reyes_i_engine_options *o, char *message, size_t message_bytes)
{
	reyes_i_engine *e = calloc(1, sizeof(*e));
	reyes_status r = REYES_OK;
	lsched_status st;

	*out = NULL;
	if (!e)
		return REYES_ERR_NOMEM;
	e->queue = LSCHED_QUEUE_DONATE;
	e->options = *o;
	e->cancelled = o->cancelled;
	e->stage = REYES_I_STAGES;
	pthread_mutex_init(&e->lock, NULL);
	if (o->queue && lsched_queue_parse(o->queue, &e->queue)) {
		if (message)
			snprintf(message, message_bytes, "queue \"%s\" is unknown", o->queue);
		reyes_i_engine_close(&e);
		return REYES_ERR_ARG;
	}
	st = open_context(e, o, message, message_bytes);
	if (st != LSCHED_OK)
		r = st == LSCHED_ERR_NO_DEVICE     ? REYES_ERR_NO_DEVICE
		    : st == LSCHED_ERR_UNSUPPORTED ? REYES_ERR_UNSUPPORTED
		    : st == LSCHED_ERR_NOMEM       ? REYES_ERR_NOMEM
						   : REYES_ERR_SCHED;
	else
		r = open_device(e, message, message_bytes);
	if (r != REYES_OK)
		reyes_i_engine_close(&e);
	*out = e;
	return r;
}

void reyes_i_engine_close(reyes_i_engine **pe)
{
	reyes_i_engine *e = *pe;

	if (!e)
		return;
	reyes_i_cuda_close(&e->cuda);
	for (int k = 0; k < REYES_I_STAGES; k++)
		lsched_run_destroy(&e->run[k]);
	for (int k = 0; e->ctx && k < REYES_I_MEMS; k++)
		reyes_i_memory_free(e->ctx, &e->memory[k]);
	lsched_close(&e->ctx);
	pthread_mutex_destroy(&e->lock);
	free(e);
	*pe = NULL;
}

const char *reyes_i_engine_device(const reyes_i_engine *e)
{
	return lsched_ctx_device_name(e->ctx);
}

static size_t pixels_of(const reyes_i_frame *f)
{
	const reyes_i_camera *c = &f->camera;

	return (size_t)(c->crop_x1 - c->crop_x0) * (c->crop_y1 - c->crop_y0);
}

/* Makes room for the host's copy of the picture; p points to it then. */
static reyes_status reserve_host(reyes_i_engine *e, size_t pixels, reyes_i_output *p)
{
	const char *error = reyes_i_cuda_reserve_picture(e->cuda, pixels);

	if (!error) {
		reyes_i_cuda_picture(e->cuda, &p->rgba, &p->z);
		p->on_device = 0;
		return REYES_OK;
	}
	if (e->message)
		snprintf(e->message, e->message_bytes, "CUDA: %s", error);
	return REYES_ERR_DEVICE;
}

/* Prepares the picture: in host memory, or on the device if the options keep it there. A picture of
 * which buckets are passed on begins as an empty one. */
static reyes_status begin_picture(reyes_i_engine *e, reyes_i_job *job)
{
	const size_t pixels = pixels_of(job->frame);
	lsched_status st = LSCHED_OK;
	reyes_status r = REYES_OK;

	if (!job->stage.rgba) /* beyond the limit of memory */
		return REYES_OK;
	job->picture = (reyes_i_output){ job->stage.rgba, job->stage.z, e->cuda != NULL };
	if (e->options.on_bucket) {
		st = lsched_mem_zero(e->ctx, job->stage.rgba, pixels * 4 * sizeof(float));
		if (st == LSCHED_OK)
			st = lsched_mem_zero(e->ctx, job->stage.z, pixels * sizeof(float));
		r = reyes_i_engine_failed(e, st, lsched_last_error(e->ctx));
	}
	if (r == REYES_OK && e->cuda && !e->options.device_picture)
		r = reserve_host(e, pixels, &job->picture);
	return r;
}

reyes_status reyes_i_engine_render(reyes_i_engine *e, const reyes_i_frame *f,
	enum reyes_i_fresh fresh, reyes_i_output *picture, reyes_i_figures *g, char *message,
	size_t message_bytes)
{
	const uint64_t begin = lsched_now_ns();
	reyes_i_job job = { .frame = f, .figures = g };
	lsched_status st;
	reyes_status r;

	e->message = message;
	e->message_bytes = message_bytes;
	reyes_i_progress_bucket(e, 0, 1);
	memset(g, 0, sizeof(*g));
	st = reyes_i_engine_load(e, &job, fresh);
	r = reyes_i_engine_failed(e, st, lsched_last_error(e->ctx));
	if (r == REYES_OK)
		r = begin_picture(e, &job);
	g->upload_ns = lsched_now_ns() - begin;
	if (r == REYES_OK)
		r = reyes_i_render_buckets(e, &job);
	*picture = job.picture;
	g->total_ns = lsched_now_ns() - begin;
	return r;
}

reyes_status reyes_i_engine_fetch(reyes_i_engine *e, const reyes_i_frame *f,
	reyes_i_output *picture, char *message, size_t message_bytes)
{
	const size_t pixels = pixels_of(f);
	const reyes_i_output device = *picture;
	lsched_status st;
	reyes_status r;

	e->message = message;
	e->message_bytes = message_bytes;
	if (!device.on_device)
		return REYES_OK;
	r = reserve_host(e, pixels, picture);
	if (r != REYES_OK)
		return r;
	st = lsched_mem_read(e->ctx, picture->rgba, device.rgba, pixels * 4 * sizeof(float));
	if (st == LSCHED_OK)
		st = lsched_mem_read(e->ctx, picture->z, device.z, pixels * sizeof(float));
	return reyes_i_engine_failed(e, st, lsched_last_error(e->ctx));
}
