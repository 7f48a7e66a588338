/* Contexts and devices: options, opening, closing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/backend.h"

enum { DEFAULT_TIMEOUT_MS = 10000 };

/* What the structs had in the first version that carries their size. */
#define OPTIONS_LEAST_BYTES     LSCHED_I_SIZE_TO(lsched_options, log_level)
#define DEVICE_INFO_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_device_info, clock_khz)

static lsched_options default_options(void)
{
	const lsched_options o = { .device = -1, .log_level = LSCHED_LOG_WARN };

	return o;
}

void lsched_options_init_sized(lsched_options *o, size_t struct_bytes)
{
	const lsched_options known = default_options();

	lsched_i_sized_init(o, struct_bytes, sizeof(known), &known);
}

static void tell(char *msg, size_t bytes, const char *text)
{
	if (msg && bytes)
		snprintf(msg, bytes, "%s", text);
}

/* Why these options cannot be, NULL: they can. */
static const char *options_unfit(const lsched_options *o)
{
	if ((unsigned)o->backend > LSCHED_BACKEND_CUDA)
		return "lsched_options.backend must be LSCHED_BACKEND_AUTO, _CPU or _CUDA";
	if (o->device < -1)
		return "lsched_options.device must be a CUDA device's number, or -1";
	if (o->workers > LSCHED_I_MAX_WORKERS)
		return "lsched_options.workers must be 0 to 1048576";
	return NULL;
}

lsched_status lsched_open(
	lsched_ctx **out, const lsched_options *options, char *msg, size_t msg_bytes)
{
	lsched_options o = default_options();
	lsched_status st;
	lsched_ctx *ctx;
	const char *why;

	tell(msg, msg_bytes, "");
	if (out)
		*out = NULL;
	if (!out) {
		tell(msg, msg_bytes, "lsched_open needs a place for the context");
		return LSCHED_ERR_ARG;
	}
	why = options ? lsched_i_sized_in(&o, sizeof(o), OPTIONS_LEAST_BYTES, options) : NULL;
	if (why) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "lsched_options %s", why);
		return LSCHED_ERR_ARG;
	}
	why = options_unfit(&o);
	if (why) {
		tell(msg, msg_bytes, why);
		return LSCHED_ERR_ARG;
	}
	ctx = (lsched_ctx *)calloc(1, sizeof(*ctx));
	if (!ctx) {
		tell(msg, msg_bytes, lsched_strstatus(LSCHED_ERR_NOMEM));
		return LSCHED_ERR_NOMEM;
	}
	ctx->o = o;
	if (ctx->o.timeout_ms == 0)
		ctx->o.timeout_ms = DEFAULT_TIMEOUT_MS;
	ctx->device = -1;
	ctx->b = o.backend == LSCHED_BACKEND_CUDA ||
				 (o.backend == LSCHED_BACKEND_AUTO && lsched_device_count() > 0)
			 ? &lsched_i_backend_cuda
			 : &lsched_i_backend_cpu;
	st = ctx->b->open(ctx);
	if (st != LSCHED_OK) {
		tell(msg, msg_bytes, ctx->error[0] ? ctx->error : lsched_strstatus(st));
		free(ctx);
		return st;
	}
	lsched_i_log(ctx, LSCHED_LOG_INFO, "%s backend on %s", lsched_backend_name(ctx->b->kind),
		ctx->device_name);
	*out = ctx;
	return LSCHED_OK;
}

void lsched_close(lsched_ctx **ctx)
{
	if (!ctx || !*ctx)
		return;
	(*ctx)->b->close(*ctx);
	free(*ctx);
	*ctx = NULL;
}

const char *lsched_last_error(const lsched_ctx *ctx)
{
	return ctx ? ctx->error : "";
}

lsched_backend lsched_ctx_backend(const lsched_ctx *ctx)
{
	return ctx->b->kind;
}

int lsched_ctx_device(const lsched_ctx *ctx)
{
	return ctx->device;
}

const char *lsched_ctx_device_name(const lsched_ctx *ctx)
{
	return ctx->device_name;
}

uint32_t lsched_ctx_workers(const lsched_ctx *ctx)
{
	return ctx->workers;
}

int lsched_device_count(void)
{
	return lsched_i_cuda_device_count();
}

lsched_status lsched_device_get_info(int device, lsched_device_info *info)
{
	lsched_device_info known = { .struct_bytes = sizeof(known) };
	lsched_status st;

	if (!info || lsched_i_sized_out(info, sizeof(known), DEVICE_INFO_LEAST_BYTES, &known))
		return LSCHED_ERR_ARG;
	st = lsched_i_cuda_device_info(device, &known);
	if (st == LSCHED_OK)
		(void)lsched_i_sized_out(info, sizeof(known), DEVICE_INFO_LEAST_BYTES, &known);
	return st;
}
