/* A ledger as text: what a long run leaves behind now and then, and what the machines that share a run hand
 * in at the end. Text goes out through a callback and comes in from memory; files are the caller's.
 *
 *	nqueens checkpoint 1
 *	plan n=12 method=backtrack cross=0 min-tasks=0 unit-tasks=0 plain=0 toroidal=0
 *	given 0:1 5:3                   row:column, if there are any
 *	hash 0123456789abcdef           of the plan
 *	units 300
 *	part 1 of 3                     the share of the run, "0 of 0" for all
 *	at 17: 240 96 112               units 17, 18, 19 are done, with these counts
 *	done 3
 *	sum 0123456789abcdef            CRC-64 of all bytes before this line
 *
 * Numbers are decimal without leading zeros, hash and sum hexadecimal, words parted by one blank; nothing
 * follows the sum. So there is one text for a state only, but for the grouping of the units. The sum finds
 * each damage of up to 64 bits in a row.
 *
 * No function prints or keeps anything; each may be called by any thread. */
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
/* More given queens than squares have no use. */
#define NQ_CHECKPOINT_GIVEN (NQ_MAX_N * NQ_MAX_N)

/* All but the counts. */
typedef struct nq_checkpoint {
	size_t struct_bytes; /* set by nq_checkpoint_init */
	uint64_t hash;       /* of the plan, as its writer knew it */
	uint64_t units, done;
	uint32_t part, parts; /* as in nq_run_options */
	nq_square given[NQ_CHECKPOINT_GIVEN];
	nq_plan_options
		plan; /* plan.given points to `given` of the same struct: copies need care */
} nq_checkpoint;

static inline void nq_checkpoint_init(nq_checkpoint *head)
{
	memset(head, 0, sizeof(*head));
	head->struct_bytes = sizeof(*head);
	nq_plan_options_init(&head->plan);
}

/* Receives text in pieces; nonzero stops the writing. */
typedef int (*nq_write_fn)(void *opaque, const char *text, size_t bytes);

/* The units of `ledger` that are done by now, while a run may go on. `options` are those the plan was made
 * of; its method may be AUTO. ERR_ARG: too many given queens, part without parts, or the ledger is not the
 * plan's; CANCELLED: write() returned nonzero. */
nq_status nq_checkpoint_write(const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, nq_write_fn write, void *opaque);

/* Checks the whole text and fills in *head; a plan made of head->plan has the hash head->hash, unless
 * another version of the library cuts the work differently. ERR_FORMAT with a sentence in `why` that a file
 * name can go before ("is cut short"): no checkpoint, of another version, damaged. *head is zero then. */
nq_status nq_checkpoint_read(
	const char *text, size_t bytes, nq_checkpoint *head, char *why, size_t why_bytes);

/* Enters the units of a text that nq_checkpoint_read has accepted. FOREIGN: the ledger is of another plan;
 * TWICE: a unit is done already, *unit (may be NULL) is the first such. Nothing is entered then. */
nq_status nq_checkpoint_enter(const char *text, size_t bytes, nq_ledger *ledger, uint64_t *unit);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
