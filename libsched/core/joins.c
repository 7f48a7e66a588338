/* Joins that are open at the end of a run: the error, with the join that holds up the others. */
#include <inttypes.h>
#include <stdlib.h>
#include "libsched/core/backend.h"

enum { WORDS_AT_ONCE = 64 }; /* of the bitmap, 32 joins each */

/* The open joins, as read from the run's memory. */
typedef struct open_joins {
	uint32_t words;
	uint32_t *open;  /* the bitmap */
	uint32_t *above; /* bits: joins that an open join returns its value to */
	lsched_i_join *some;
} open_joins;

/* Reads the joins of WORDS_AT_ONCE words from `first` on, if any of them is open. Returns nonzero
 * if there are some in *o. */
static int read_some(lsched_run *run, open_joins *o, uint32_t first)
{
	const uint32_t n = o->words - first < WORDS_AT_ONCE ? o->words - first : WORDS_AT_ONCE;
	uint32_t any = 0;

	for (uint32_t k = 0; k < n; k++)
		any |= o->open[first + k];
	return any && lsched_mem_read(run->ctx, o->some, run->args.items_joins + 32 * (size_t)first,
			      32 * (size_t)n * sizeof(*o->some)) == LSCHED_OK;
}

static int is_set(const uint32_t *bits, uint32_t k)
{
	return bits[k / 32] >> k % 32 & 1u;
}

/* Visits all open joins. Marks those above others; with `leaf` returns nonzero at the first one
 * that is not above another one, a copy of which *leaf receives. */
static int visit(lsched_run *run, open_joins *o, lsched_i_join *leaf)
{
	for (uint32_t first = 0; first < o->words; first += WORDS_AT_ONCE) {
		if (!read_some(run, o, first))
			continue;
		for (uint32_t k = 32 * first; k < 32 * (first + WORDS_AT_ONCE); k++) {
			const lsched_i_join *j = o->some + (k - 32 * first);
			const uint32_t up = j->up & ~LSCHED_I_JOIN_NOT;

			if (k >= 32 * o->words || !is_set(o->open, k))
				continue;
			if (leaf && !is_set(o->above, k)) {
				*leaf = *j;
				return 1;
			}
			if (!(up & LSCHED_I_JOIN_THEN) && up && up <= 32 * o->words)
				o->above[(up - 1) / 32] |= 1u << (up - 1) % 32;
		}
	}
	return 0;
}

/* Finds an open join that waits for no other one. Returns 0 if memory is short. */
static int find_leaf(lsched_run *run, lsched_i_join *leaf)
{
	open_joins o = { run->args.items_join_words, NULL, NULL, NULL };
	int found = 0;

	o.open = (uint32_t *)malloc(o.words * sizeof(*o.open));
	o.above = (uint32_t *)calloc(o.words, sizeof(*o.above));
	o.some = (lsched_i_join *)malloc(WORDS_AT_ONCE * 32 * sizeof(*o.some));
	if (o.open && o.above && o.some &&
		lsched_mem_read(run->ctx, o.open, run->args.items_join_bitmap,
			o.words * sizeof(*o.open)) == LSCHED_OK) {
		(void)visit(run, &o, NULL);
		found = visit(run, &o, leaf);
	}
	free(o.open);
	free(o.above);
	free(o.some);
	return found;
}

lsched_status lsched_i_check_joins_closed(lsched_run *run, uint32_t open)
{
	const char *prog = run->program->name;
	char proc[80];
	lsched_i_join j;
	uint32_t left;

	if (open == 0)
		return LSCHED_OK;
	if (!find_leaf(run, &j))
		return lsched_i_error(run->ctx, run, LSCHED_ERR_TASK_FAILED,
			"%s: %" PRIu32 " joins are open at the end of the run", prog, open);
	lsched_i_procedure_text(
		run->program, j.pending >> LSCHED_I_JOIN_PROC_SHIFT, proc, sizeof(proc));
	left = j.pending & LSCHED_I_JOIN_CHILDREN_MAX;
	if (left == 0 && j.up & LSCHED_I_JOIN_THEN)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_TASK_FAILED,
			"%s: joins open at the end of the run: %" PRIu32
			"; the continuation of one that procedure %s made has not called "
			"lsched_join_take()",
			prog, open, proc);
	return lsched_i_error(run->ctx, run, LSCHED_ERR_TASK_FAILED,
		"%s: joins open at the end of the run: %" PRIu32
		"; one that procedure %s made by lsched_fork() waits for %" PRIu32
		" more children; check that each child calls lsched_return() once, and their "
		"number",
		prog, open, proc, left);
}
