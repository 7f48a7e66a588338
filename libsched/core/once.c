/* lsched_run_once(), lsched_run_once_with(): open a context, execute a program once, close it. */
#include <stdio.h>
#include <stdlib.h>
#include <libsched/stream.h>
#include "libsched/core/backend.h"

#define ONCE_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_once, array_count)

void lsched_once_init_sized(lsched_once *with, size_t struct_bytes, size_t array_bytes)
{
	lsched_once known = { 0 };

	known.array_bytes = array_bytes;
	lsched_i_sized_init(with, struct_bytes, sizeof(known), &known);
}

/* One execution. `moved`: of each array, the pointer or stream that replaces the member. */
typedef struct once {
	lsched_once with;
	lsched_run_options options;
	lsched_ctx *ctx;
	lsched_run *run;
	lsched_stream *moved;
	uint32_t opened;                            /* arrays */
	unsigned char args[LSCHED_I_CTX_MAX_BYTES]; /* the program's context */
} once;

static lsched_array *array_of(const once *x, uint32_t k)
{
	return (lsched_array *)((unsigned char *)x->with.arrays + k * x->with.array_bytes);
}

/* Returns the reason if an array is not valid. */
static const char *array_fault(const lsched_array *a, uint32_t ctx_bytes)
{
	const size_t member =
		a->kind == LSCHED_ARRAY_STREAM ? sizeof(lsched_stream) : sizeof(void *);

	if (a->kind > LSCHED_ARRAY_STREAM)
		return "has an unknown kind";
	if (a->member > ctx_bytes || ctx_bytes - a->member < member)
		return "names a member outside of the program's context";
	if (!a->element_bytes)
		return "has elements of 0 bytes";
	if (a->count && !a->memory)
		return "has no memory";
	if (a->count > SIZE_MAX / a->element_bytes)
		return "has too many elements";
	return NULL;
}

/* Allocates what the tasks access for array k, and sets the member of the program's context. */
static lsched_status open_array(once *x, uint32_t k)
{
	const lsched_array *a = array_of(x, k);
	lsched_stream *to = &x->moved[k];
	lsched_status st;

	if (a->kind == LSCHED_ARRAY_STREAM) {
		st = lsched_stream_open(x->ctx, to, a->element_bytes, a->count);
		memcpy(x->args + a->member, to, sizeof(*to));
		return st;
	}
	st = lsched_mem_alloc_array(x->ctx, &to->elements, (size_t)a->count, a->element_bytes);
	if (st == LSCHED_OK)
		st = lsched_mem_write(
			x->ctx, to->elements, a->memory, (size_t)a->count * a->element_bytes);
	memcpy(x->args + a->member, &to->elements, sizeof(void *));
	return st;
}

/* Copies the results of array k to the caller. */
static lsched_status read_array(once *x, uint32_t k)
{
	lsched_array *a = array_of(x, k);
	lsched_stream *from = &x->moved[k];
	lsched_status st = LSCHED_OK;

	a->stored = a->needed = a->count;
	if (a->kind == LSCHED_ARRAY_STREAM)
		st = lsched_stream_counts(x->ctx, from, &a->needed, &a->stored);
	if (st == LSCHED_OK && a->kind != LSCHED_ARRAY_IN)
		st = lsched_mem_read(
			x->ctx, a->memory, from->elements, (size_t)a->stored * a->element_bytes);
	return st;
}

/* Checks the caller's `with` and copies it, and its options. Returns the reason of a failure. */
static const char *check_with(
	once *x, const lsched_once *with, const lsched_program *program, uint32_t tasks)
{
	const char *why = NULL;

	lsched_run_options_init(&x->options);
	if (with)
		why = lsched_i_sized_in(&x->with, sizeof(x->with), ONCE_LEAST_BYTES, with);
	if (!why && x->with.run_options)
		why = lsched_i_sized_in(&x->options, sizeof(x->options), LSCHED_I_RUN_OPTIONS_LEAST,
			x->with.run_options);
	if (!why && x->with.array_count &&
		(!program || !x->with.arrays || x->with.array_bytes < sizeof(lsched_array)))
		why = "has arrays, but they or the program are NULL or of another version";
	for (uint32_t k = 0; !why && k < x->with.array_count; k++)
		why = array_fault(array_of(x, k), program->ctx_bytes);
	if (!x->options.max_tasks)
		x->options.max_tasks = tasks ? tasks : 1;
	return why;
}

/* Runs the program in the open context. */
static lsched_status execute(once *x, const lsched_program *program, const void *program_ctx,
	uint32_t tasks, lsched_stats *stats)
{
	lsched_status st = lsched_run_create(&x->run, x->ctx, program, &x->options);

	if (st == LSCHED_OK && x->with.array_count && program_ctx) {
		memcpy(x->args, program_ctx, program->ctx_bytes);
		program_ctx = x->args;
	}
	for (; st == LSCHED_OK && x->opened < x->with.array_count; x->opened++)
		st = open_array(x, x->opened);
	if (st == LSCHED_OK)
		st = lsched_run_start(x->run, program_ctx, tasks, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(x->run, stats);
	for (uint32_t k = 0; st == LSCHED_OK && k < x->with.array_count; k++)
		st = read_array(x, k);
	lsched_run_destroy(&x->run);
	for (uint32_t k = 0; k < x->opened; k++)
		lsched_stream_close(x->ctx, &x->moved[k]);
	return st;
}

static void set_text(char *msg, size_t msg_bytes, const char *of, const char *text)
{
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s%s", of, text);
}

lsched_status lsched_run_once_with(const lsched_once *with, const lsched_program *program,
	const void *program_ctx, uint32_t tasks, lsched_stats *stats, char *msg, size_t msg_bytes)
{
	static const lsched_stats none;
	const char *why = stats ? lsched_i_stats_out(stats, &none) : NULL;
	once x = { 0 };
	lsched_options o;
	lsched_status st;

	if (why) {
		set_text(msg, msg_bytes, "lsched_stats ", why);
		return LSCHED_ERR_ARG;
	}
	why = check_with(&x, with, program, tasks);
	if (why) {
		set_text(msg, msg_bytes, "lsched_once, its run_options or an array ", why);
		return LSCHED_ERR_ARG;
	}
	x.moved = (lsched_stream *)calloc(x.with.array_count + 1, sizeof(*x.moved));
	lsched_options_init(&o);
	if (program)
		o.backend = program->backend;
	st = x.moved ? lsched_open(&x.ctx, &o, msg, msg_bytes) : LSCHED_ERR_NOMEM;
	if (st == LSCHED_OK) {
		st = execute(&x, program, program_ctx, tasks, stats);
		if (st != LSCHED_OK)
			set_text(msg, msg_bytes, "", lsched_last_error(x.ctx));
		lsched_close(&x.ctx);
	} else if (!x.moved) {
		set_text(msg, msg_bytes, "", lsched_strstatus(st));
	}
	free(x.moved);
	return st;
}

lsched_status lsched_run_once(const lsched_program *program, const void *program_ctx,
	uint32_t tasks, lsched_stats *stats, char *msg, size_t msg_bytes)
{
	return lsched_run_once_with(NULL, program, program_ctx, tasks, stats, msg, msg_bytes);
}
