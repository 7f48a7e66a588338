/* Checkpoints: ledgers as text, to continue a run later and to merge the parts of several machines.
 * Writing uses a callback, reading a buffer; files are up to the caller.
 *
 *	nqueens checkpoint 1
 *	plan n=12 method=backtrack cross=0 min-tasks=0 unit-tasks=0 plain=0 toroidal=0
 *	given 0:1 5:3                   row:column, if there are given queens
 *	hash 0123456789abcdef           of the plan
 *	units 300
 *	part 1 of 3                     part of the run, "0 of 0" for all units
 *	at 17: 240 96 112               units 17, 18, 19 are finished, with these counts
 *	done 3
 *	sum 0123456789abcdef            CRC-64 of all bytes before this line
 *
 * Numbers are decimal without leading zeros, hash and sum hexadecimal; words are separated by one
 * space; nothing follows the sum. So a state has one text, except for the grouping of units into
 * lines. The sum detects every error burst of up to 64 bits.
 *
 * No function prints or keeps state; all of them may be called from any thread. */
#ifndef NQUEENS_CHECKPOINT_H
#define NQUEENS_CHECKPOINT_H

#include <nqueens/nqueens.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define NQ_CHECKPOINT_VERSION 1
/* One for each square. */
#define NQ_CHECKPOINT_GIVEN (NQ_MAX_N * NQ_MAX_N)

/* Everything except the counts. */
typedef struct nq_checkpoint {
	size_t struct_bytes; /* set by nq_checkpoint_init */
	uint64_t hash;       /* of the writer's plan */
	uint64_t units, done;
	uint32_t part, parts; /* as in nq_run_options */
	nq_square given[NQ_CHECKPOINT_GIVEN];
	/* Last. plan.given points to `given` of the same struct, so a copy has to update it. */
	nq_plan_options plan;
} nq_checkpoint;

static inline void nq_checkpoint_init(nq_checkpoint *head)
{
	memset(head, 0, sizeof(*head));
	head->struct_bytes = sizeof(*head);
	nq_plan_options_init(&head->plan);
}

/* Receives the text in pieces; a nonzero return value ends writing. */
typedef int (*nq_write_fn)(void *opaque, const char *text, size_t bytes);

/* Writes the finished units of `ledger`; a run may be filling it. options: those of
 * nq_plan_create(), method AUTO included. ERR_ARG: too many given queens, an invalid part, or the
 * ledger belongs to another plan; CANCELLED: write() returned nonzero. */
nq_status nq_checkpoint_write(const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, nq_write_fn write, void *opaque);

/* Checks the whole text and fills in *head. A plan from head->plan has the hash head->hash, unless
 * another version of the library divides the work differently. ERR_FORMAT: not a checkpoint, of
 * another version, or damaged; *head is zero then, and `why` has a predicate to follow a file name
 * ("is truncated"). */
nq_status nq_checkpoint_read(
	const char *text, size_t bytes, nq_checkpoint *head, char *why, size_t why_bytes);

/* Records the units of a checkpoint in the ledger. ERR_FORMAT as nq_checkpoint_read(); ERR_FOREIGN:
 * the ledger belongs to another plan; ERR_TWICE: a unit is finished already, *unit (may be NULL) is
 * the first one. Nothing is recorded then. */
nq_status nq_checkpoint_enter(const char *text, size_t bytes, nq_ledger *ledger, uint64_t *unit);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
