/* Contexts: options, opening, closing. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "libsched/core/backend.h"
#include "libsched/core/say.h"

enum { DEFAULT_TIMEOUT_MS = 10000 };

/* Size of the struct in the first version that stores its size. */
#define OPTIONS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_options, log_level)

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

/* Checks the caller's `options` (NULL: all defaults) and copies them to *o. */
static lsched_status check_options(
	lsched_options *o, const lsched_options *options, char *msg, size_t msg_bytes)
{
	const char *why;

	*o = default_options();
	why = options ? lsched_i_sized_in(o, sizeof(*o), OPTIONS_LEAST_BYTES, options) : NULL;
	if (why)
		return lsched_i_say(LSCHED_ERR_ARG, msg, msg_bytes, "lsched_options %s", why);
	if (!lsched_backend_name(o->backend))
		return lsched_i_say(LSCHED_ERR_ARG, msg, msg_bytes,
			"lsched_options.backend must be a value of lsched_backend, not %d",
			(int)o->backend);
	if (o->device < -1)
		return lsched_i_say(LSCHED_ERR_ARG, msg, msg_bytes,
			"lsched_options.device must be the number of a CUDA device or -1, not %d",
			o->device);
	if (o->workers > LSCHED_I_MAX_WORKERS)
		return lsched_i_say(LSCHED_ERR_ARG, msg, msg_bytes,
			"lsched_options.workers must be 0 to %u, not %u", LSCHED_I_MAX_WORKERS,
			(unsigned)o->workers);
	return LSCHED_OK;
}

lsched_status lsched_open(
	lsched_ctx **out, const lsched_options *options, char *msg, size_t msg_bytes)
{
	lsched_options o;
	lsched_status st;
	lsched_ctx *ctx;

	if (!out)
		return lsched_i_say(LSCHED_ERR_ARG, msg, msg_bytes,
			"lsched_open: out, the place for the context, is NULL");
	*out = NULL;
	if (msg && msg_bytes)
		*msg = '\0';
	st = check_options(&o, options, msg, msg_bytes);
	if (st != LSCHED_OK)
		return st;
	ctx = (lsched_ctx *)calloc(1, sizeof(*ctx));
	if (!ctx)
		return lsched_i_say(
			LSCHED_ERR_NOMEM, msg, msg_bytes, "%s", lsched_strstatus(LSCHED_ERR_NOMEM));
	ctx->o = o;
	if (ctx->o.timeout_ms == 0)
		ctx->o.timeout_ms = DEFAULT_TIMEOUT_MS;
	ctx->device = -1;
	ctx->process = getpid();
	ctx->b = lsched_i_find_backend(o.backend);
	st = ctx->b->open(ctx);
	if (st != LSCHED_OK) {
		(void)lsched_i_say(st, msg, msg_bytes, "%s",
			ctx->error[0] ? ctx->error : lsched_strstatus(st));
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
	(void)lsched_i_ctx_lost(*ctx);
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
