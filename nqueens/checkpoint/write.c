/* Ledgers to text. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <nqueens/checkpoint.h>
#include "libsched/core/sized.h"
#include "nqueens/checkpoint/crc.h"
#include "nqueens/checkpoint/format.h"
#include "nqueens/core/error.h"

typedef struct out {
	nq_write_fn write;
	void *opaque;
	nq_i_crc sum;
	int failed;
	size_t used;
	char block[4096];
} out;

static void flush(out *o)
{
	if (o->used && !o->failed && o->write(o->opaque, o->block, o->used))
		o->failed = 1;
	o->used = 0;
}

__attribute__((format(printf, 2, 3))) static void put(out *o, const char *format, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (o->used + (size_t)n > sizeof(o->block))
		flush(o);
	nq_i_crc_add(&o->sum, text, (size_t)n);
	memcpy(o->block + o->used, text, (size_t)n);
	o->used += (size_t)n;
}

static void put_head(out *o, const nq_plan *plan, const nq_plan_options *po)
{
	put(o, NQ_I_CHECKPOINT_MAGIC "%d\n", NQ_CHECKPOINT_VERSION);
	put(o,
		"plan n=%" PRIu32 " method=%s cross=%" PRIu32 " min-tasks=%" PRIu32
		" unit-tasks=%" PRIu32 " plain=%d toroidal=%d\n",
		nq_plan_n(plan), nq_method_name(nq_plan_method(plan)), po->cross, po->min_tasks,
		po->unit_tasks, po->plain != 0, po->toroidal != 0);
	for (size_t i = 0; i < po->given_count; i++)
		put(o, "%s %" PRIu32 ":%" PRIu32, i ? "" : "given", po->given[i].row,
			po->given[i].col);
	if (po->given_count)
		put(o, "\n");
	put(o, "hash %016" PRIx64 "\n", nq_plan_hash(plan));
}

/* Reads the state of each unit once, because a run may record units meanwhile. */
static void put_units(out *o, const nq_ledger *ledger)
{
	const size_t units = nq_ledger_units(ledger);
	uint64_t done = 0;
	uint32_t on_line = 0;

	for (size_t i = 0; i < units; i++) {
		if (!nq_ledger_done(ledger, i)) {
			put(o, "%s", on_line ? "\n" : "");
			on_line = 0;
			continue;
		}
		if (on_line == NQ_I_COUNTS_PER_LINE) {
			put(o, "\n");
			on_line = 0;
		}
		if (on_line == 0)
			put(o, "at %zu:", i);
		put(o, " %" PRIu64, nq_ledger_unit_count(ledger, i));
		on_line++;
		done++;
	}
	put(o, "%sdone %" PRIu64 "\n", on_line ? "\n" : "", done);
}

nq_status nq_checkpoint_write(const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, nq_write_fn write, void *opaque)
{
	out o = { .write = write, .opaque = opaque };
	nq_plan_options known;
	nq_status st;

	nq_plan_options_init(&known);
	if (!plan || !options || !ledger || !write || part > parts || (parts && !part))
		return nq_i_fail(NQ_ERR_ARG,
			"nq_checkpoint_write: a pointer is NULL, or part is not 1 to parts");
	st = nq_i_read_sized("nq_plan_options", &known, sizeof(known),
		LSCHED_I_SIZE_TO(nq_plan_options, given_count), options);
	if (st != NQ_OK)
		return st;
	options = &known;
	if (options->given_count > NQ_CHECKPOINT_GIVEN)
		return nq_i_fail(NQ_ERR_ARG, "%zu given queens; a checkpoint holds at most %d",
			options->given_count, NQ_CHECKPOINT_GIVEN);
	if (nq_ledger_hash(ledger) != nq_plan_hash(plan) ||
		nq_ledger_units(ledger) != nq_plan_units(plan, NULL))
		return nq_i_fail(NQ_ERR_ARG, "the ledger belongs to another plan");
	nq_i_crc_begin(&o.sum);
	put_head(&o, plan, options);
	put(&o, "units %zu\npart %" PRIu32 " of %" PRIu32 "\n", nq_ledger_units(ledger), part,
		parts);
	put_units(&o, ledger);
	put(&o, "sum %016" PRIx64 "\n", nq_i_crc_end(&o.sum));
	flush(&o);
	return o.failed ? NQ_CANCELLED : NQ_OK;
}
