#include "collide/core/context.h"

#include <inttypes.h>
#include <stdlib.h>
#include "collide/bvh/arrays.h"
#include "collide/bvh/programs.h"
#include "collide/pairs/programs.h"
#include "libsched/core/sized.h"

enum { QUEUE_ITEMS = 1 << 16, MOST_SCALE = 256, WARPS_PER_SM = 64 };

/* ---- opening ---- */

static const collide_options default_options = { .struct_bytes = sizeof(collide_options),
	.device = -1 };

void collide_options_init_sized(collide_options *o, size_t struct_bytes)
{
	if (o)
		lsched_i_sized_init(o, struct_bytes, sizeof(*o), &default_options);
}

static uint32_t most_workers(const lsched_ctx *ctx)
{
	lsched_device_info info;

	lsched_device_info_init(&info);
	if (lsched_ctx_backend(ctx) == LSCHED_BACKEND_CUDA &&
		lsched_device_get_info(lsched_ctx_device(ctx), &info) == LSCHED_OK)
		return (uint32_t)info.sm_count * WARPS_PER_SM;
	return lsched_ctx_workers(ctx);
}

static collide_status open_sched(collide_ctx *c, const collide_options *o)
{
	static const lsched_backend backends[] = { LSCHED_BACKEND_AUTO, LSCHED_BACKEND_CPU,
		LSCHED_BACKEND_CUDA };
	lsched_options so;
	lsched_status st;
	char msg[256] = "";

	lsched_options_init(&so);
	so.backend = backends[o->backend];
	so.device = o->device;
	so.workers = o->workers;
	so.timeout_ms = o->timeout_ms;
	st = lsched_open(&c->sched, &so, msg, sizeof(msg));
	if (st == LSCHED_ERR_ARG)
		return collide_i_fail(COLLIDE_ERR_ARG, "%s", msg);
	return st == LSCHED_OK ? COLLIDE_OK : collide_i_sched_fail(st, msg);
}

collide_status collide_open(collide_ctx **out, const collide_options *o)
{
	collide_options known = default_options;
	collide_ctx *c;
	collide_status st;

	if (!out)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_open: out is NULL");
	*out = NULL;
	st = o ? collide_i_read_sized("collide_options", &known, sizeof(known),
			 LSCHED_I_SIZE_TO(collide_options, cuda_stream), o)
	       : COLLIDE_OK;
	if (st != COLLIDE_OK)
		return st;
	if ((unsigned)known.backend > COLLIDE_BACKEND_CUDA)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_open: backend %d is none of collide_backend", (int)known.backend);
	c = calloc(1, sizeof(*c));
	if (!c)
		return collide_i_no_memory("a context", sizeof(*c));
	pthread_mutex_init(&c->control.lock, NULL);
	c->control.limit_ms = known.time_limit_ms;
	st = open_sched(c, &known);
	if (st == COLLIDE_OK) {
		c->is_cuda = lsched_ctx_backend(c->sched) == LSCHED_BACKEND_CUDA;
		c->stream = c->is_cuda ? known.cuda_stream : NULL;
		c->workers = most_workers(c->sched);
		st = collide_i_alloc(c, (void **)&c->state, sizeof(*c->state));
	}
	if (st == COLLIDE_OK)
		st = collide_i_alloc(c, (void **)&c->counts, sizeof(*c->counts));
	if (st == COLLIDE_OK)
		st = collide_i_alloc(c, (void **)&c->root, sizeof(*c->root));
	if (st != COLLIDE_OK)
		collide_close(&c);
	*out = c;
	return st;
}

void collide_close(collide_ctx **ctx)
{
	collide_ctx *c = ctx ? *ctx : NULL;

	if (!c)
		return;
	if (c->sched) {
		for (int k = 0; k < COLLIDE_I_PROGRAMS; k++)
			lsched_run_destroy(&c->run[k]);
		for (int k = 0; k < COLLIDE_I_FRONTS; k++)
			lsched_mem_free(c->sched, c->front[k].items);
		lsched_mem_free(c->sched, c->input.memory);
		lsched_mem_free(c->sched, c->pairs.memory);
		lsched_mem_free(c->sched, c->times.memory);
		lsched_mem_free(c->sched, c->sort.memory);
		lsched_mem_free(c->sched, c->root);
		lsched_mem_free(c->sched, c->counts);
		lsched_mem_free(c->sched, c->state);
		lsched_close(&c->sched);
	}
	pthread_mutex_destroy(&c->control.lock);
	free(c);
	*ctx = NULL;
}

collide_backend collide_ctx_backend(const collide_ctx *ctx)
{
	return ctx && ctx->is_cuda ? COLLIDE_BACKEND_CUDA : COLLIDE_BACKEND_CPU;
}

const char *collide_ctx_device_name(const collide_ctx *ctx)
{
	return ctx ? lsched_ctx_device_name(ctx->sched) : "";
}

/* ---- memory ---- */

static collide_status memory_status(const collide_ctx *c, lsched_status st)
{
	return st == LSCHED_OK ? COLLIDE_OK : collide_i_sched_fail(st, lsched_last_error(c->sched));
}

collide_status collide_i_alloc(collide_ctx *c, void **out, uint64_t bytes)
{
	const lsched_status st =
		lsched_mem_alloc(c->sched, out, bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes);

	if (st != LSCHED_ERR_NOMEM)
		return memory_status(c, st);
	return collide_i_fail(COLLIDE_ERR_NOMEM,
		"%" PRIu64 " bytes for the tasks: %s; a smaller mesh, or fewer pairs, take less",
		bytes, lsched_last_error(c->sched));
}

enum copy { COPY_IN, COPY_OUT, COPY_ZERO };

/* Copies in pieces of some milliseconds: the call may end between two of them. */
static collide_status copy(collide_ctx *c, enum copy kind, void *to, const void *from, size_t bytes)
{
	enum { MOST = 1 << 24 };
	collide_status st = COLLIDE_OK;

	for (size_t at = 0, n; at < bytes && st == COLLIDE_OK; at += n) {
		char *dst = (char *)to + at;
		const char *src = from ? (const char *)from + at : NULL;

		n = bytes - at < MOST ? bytes - at : MOST;
		st = collide_i_check(c);
		if (st == COLLIDE_OK)
			st = memory_status(
				c, kind == COPY_IN    ? lsched_mem_write(c->sched, dst, src, n)
				   : kind == COPY_OUT ? lsched_mem_read(c->sched, dst, src, n)
						      : lsched_mem_zero(c->sched, dst, n));
	}
	return st;
}

collide_status collide_i_write(collide_ctx *c, void *memory, const void *from, size_t bytes)
{
	return copy(c, COPY_IN, memory, from, bytes);
}

collide_status collide_i_read(collide_ctx *c, void *to, const void *memory, size_t bytes)
{
	return copy(c, COPY_OUT, to, memory, bytes);
}

collide_status collide_i_zero(collide_ctx *c, void *memory, size_t bytes)
{
	return copy(c, COPY_ZERO, memory, NULL, bytes);
}

collide_status collide_i_grow(collide_ctx *c, collide_i_buffer *b, uint64_t bytes)
{
	collide_status st;

	if (b->memory && b->bytes >= bytes)
		return COLLIDE_OK;
	lsched_mem_free(c->sched, b->memory); /* first: both may not fit */
	b->memory = NULL;
	b->bytes = 0;
	st = collide_i_alloc(c, &b->memory, bytes ? bytes : 1);
	if (st == COLLIDE_OK)
		b->bytes = (size_t)bytes;
	return st;
}

collide_status collide_i_input(collide_ctx *c, const void *from, size_t bytes,
	collide_memory memory, size_t offset, const void **out)
{
	unsigned char *to;

	*out = from;
	if (memory == COLLIDE_DEVICE || !c->is_cuda)
		return COLLIDE_OK;
	to = (unsigned char *)c->input.memory + offset;
	*out = to;
	return collide_i_write(c, to, from, bytes);
}

int collide_i_memory_is_valid(collide_memory m)
{
	return m == COLLIDE_HOST || m == COLLIDE_DEVICE;
}

int collide_i_is_aligned(const void *words)
{
	return (uintptr_t)words % sizeof(uint32_t) == 0;
}

collide_status collide_mem_alloc(collide_ctx *ctx, void **out, size_t bytes)
{
	if (out)
		*out = NULL;
	if (!ctx || !out)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mem_alloc: an argument is NULL");
	return collide_i_alloc(ctx, out, bytes);
}

void collide_mem_free(collide_ctx *ctx, void *memory)
{
	if (ctx)
		lsched_mem_free(ctx->sched, memory);
}

collide_status collide_mem_write(collide_ctx *ctx, void *memory, const void *from, size_t bytes)
{
	collide_status st;

	if (!ctx || (bytes && (!memory || !from)))
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mem_write: an argument is NULL");
	st = collide_i_begin(ctx);
	if (st == COLLIDE_OK)
		st = collide_i_wait(ctx);
	return st == COLLIDE_OK ? collide_i_write(ctx, memory, from, bytes) : st;
}

collide_status collide_mem_read(collide_ctx *ctx, void *to, const void *memory, size_t bytes)
{
	collide_status st;

	if (!ctx || (bytes && (!memory || !to)))
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mem_read: an argument is NULL");
	st = collide_i_begin(ctx);
	if (st == COLLIDE_OK)
		st = collide_i_wait(ctx);
	return st == COLLIDE_OK ? collide_i_read(ctx, to, memory, bytes) : st;
}

/* ---- programs ---- */

static const lsched_program *program_of(const collide_ctx *c, int program)
{
	static const lsched_program *const cpu[COLLIDE_I_PROGRAMS] = { &collide_i_steps_cpu_program,
		&collide_i_bvh_cpu_program, &collide_i_pairs_cpu_program,
		&collide_i_contacts_cpu_program, &collide_i_order_cpu_program };
#ifdef HAVE_CUDA
	static const lsched_program *const cuda[COLLIDE_I_PROGRAMS] = {
		&collide_i_steps_cuda_program, &collide_i_bvh_cuda_program,
		&collide_i_pairs_cuda_program, &collide_i_contacts_cuda_program,
		&collide_i_order_cuda_program
	};

	if (c->is_cuda)
		return cuda[program];
#endif
	(void)c;
	return cpu[program];
}

/* The run of a program, made when it is needed first, or for more boxes, or with a larger queue. */
static collide_status make_run(collide_ctx *c, int program, uint32_t boxes)
{
	uint32_t *scale = &c->run_scale[program], *room = &c->run_room[program];
	lsched_run_options o;
	lsched_status st;

	if (c->run[program] && boxes <= *room)
		return COLLIDE_OK;
	lsched_run_destroy(&c->run[program]);
	*scale = *scale ? *scale : 1;
	*room = boxes <= *room ? *room : boxes;
	if (program == COLLIDE_I_BVH) {
		collide_i_bvh_run_options(&o, *room, c->workers);
	} else {
		lsched_run_options_init(&o);
		o.max_tasks = LSCHED_MAX_TASKS;
		o.queue_capacity = QUEUE_ITEMS;
	}
	o.queue_capacity *= *scale;
	st = lsched_run_create(&c->run[program], c->sched, program_of(c, program), &o);
	if (st != LSCHED_OK) /* the next call may need less */
		*scale = *room = 0;
	return memory_status(c, st);
}

collide_status collide_i_execute(collide_ctx *c, int program, const void *program_ctx,
	uint32_t tasks, uint32_t boxes, int *again)
{
	collide_status status = collide_i_check(c);
	lsched_status st;

	*again = 0;
	if (status == COLLIDE_OK)
		status = make_run(c, program, boxes);
	if (status != COLLIDE_OK)
		return status;
	status = collide_i_run(c, c->run[program], program_ctx, tasks, &st);
	if (st == LSCHED_ERR_OVERFLOW && c->run_scale[program] < MOST_SCALE) {
		c->run_scale[program] *= 4;
		lsched_run_destroy(&c->run[program]);
		*again = 1;
		return COLLIDE_OK;
	}
	return status;
}

collide_status collide_i_step(collide_ctx *c, step_ctx *k, uint32_t *bad, bvh_bounds *bounds)
{
	const uint32_t blocks = k->n / STEP_EACH + (k->n % STEP_EACH != 0);
	step_state now = { 0, { { 0, 0, 0, 0, 0, 0 } } };
	const int has_results = bad || bounds;
	collide_status st = COLLIDE_OK;
	int again = 1;

	k->state = c->state;
	while (st == COLLIDE_OK && again && k->n) {
		if (has_results)
			st = collide_i_zero(c, c->state, sizeof(now));
		if (st == COLLIDE_OK)
			st = collide_i_execute(c, COLLIDE_I_STEPS, k, blocks, 0, &again);
	}
	if (st == COLLIDE_OK && has_results && k->n)
		st = collide_i_read(c, &now, c->state, sizeof(now));
	if (bad)
		*bad = ~now.bad_key;
	if (bounds)
		*bounds = now.bounds;
	return st;
}

collide_status collide_i_wait(collide_ctx *c)
{
	step_ctx nothing = { .job = STEP_NOTHING, .n = 1 };

	return c->stream ? collide_i_step(c, &nothing, NULL, NULL) : COLLIDE_OK;
}
