/* Fuzzer of the checkpoint reader of libnqueens. The input is a checkpoint; its first byte selects
 * whether a valid checksum is appended, without which few inputs pass the checksum test. Checks
 * that nothing crashes, that a refused text has no effect and an error message, and that the units
 * of an accepted text are the same when written and read again. */
#include "fuzz/fuzz.h"
#include <nqueens/checkpoint.h>
#include "tests/nqueens/slow_crc.h"

#include <string.h>

/* Limits of the plans, so that each input takes little time: counting is not tested here. */
enum { MOST_N = 11, MOST_TASKS = 5000, MOST_BYTES = 1 << 20, SUM_LINE = 21 };

typedef struct text {
	char *at;
	size_t bytes;
} text;

static int append(void *opaque, const char *piece, size_t bytes)
{
	text *t = opaque;

	t->at = realloc(t->at, t->bytes + bytes);
	FUZZ_EXPECT(t->at);
	memcpy(t->at + t->bytes, piece, bytes);
	t->bytes += bytes;
	return 0;
}

static text make_text(const uint8_t *data, size_t bytes)
{
	text t = { malloc(bytes + SUM_LINE + 1), bytes - 1 };

	FUZZ_EXPECT(t.at);
	memcpy(t.at, data + 1, bytes - 1);
	if (data[0] & 1) {
		snprintf(t.at + t.bytes, SUM_LINE + 1, "sum %016llx\n",
			(unsigned long long)slow_crc(t.at, t.bytes));
		t.bytes += SUM_LINE;
	}
	return t;
}

/* Checks that the ledger of the plan, which the head names, accepts the units and returns them. */
static void write_again(const text *t, const nq_checkpoint *head, const nq_plan *plan)
{
	static nq_checkpoint second = { .struct_bytes = sizeof(second) };
	nq_ledger *ledger = NULL, *again = NULL;
	text out = { NULL, 0 };
	nq_status st;

	FUZZ_EXPECT(nq_ledger_create(&ledger, plan) == NQ_OK);
	FUZZ_EXPECT(nq_ledger_create(&again, plan) == NQ_OK);
	st = nq_checkpoint_enter(t->at, t->bytes, ledger, NULL);
	if (head->hash != nq_plan_hash(plan) || head->units != nq_ledger_units(ledger)) {
		FUZZ_EXPECT(st == NQ_ERR_FOREIGN && nq_ledger_done_count(ledger) == 0);
	} else {
		FUZZ_EXPECT(st == NQ_OK && nq_ledger_done_count(ledger) == head->done);
		FUZZ_EXPECT(nq_checkpoint_write(plan, &head->plan, ledger, head->part, head->parts,
				    append, &out) == NQ_OK);
		FUZZ_EXPECT(nq_checkpoint_read(out.at, out.bytes, &second, NULL, 0) == NQ_OK);
		FUZZ_EXPECT(second.hash == head->hash && second.done == head->done);
		FUZZ_EXPECT(nq_checkpoint_enter(out.at, out.bytes, again, NULL) == NQ_OK);
		for (size_t i = 0; i < nq_ledger_units(ledger); i++)
			FUZZ_EXPECT(
				nq_ledger_done(ledger, i) == nq_ledger_done(again, i) &&
				nq_ledger_unit_count(ledger, i) == nq_ledger_unit_count(again, i));
		if (head->done)
			FUZZ_EXPECT(nq_checkpoint_enter(out.at, out.bytes, again, NULL) ==
				    NQ_ERR_TWICE);
	}
	free(out.at);
	nq_ledger_destroy(&ledger);
	nq_ledger_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static nq_checkpoint head = { .struct_bytes = sizeof(head) };
	static nq_checkpoint zero;
	nq_plan *plan;
	char why[200];
	nq_status st;
	text t;

	if (bytes < 1 || bytes > MOST_BYTES)
		return 0;
	t = make_text(data, bytes);
	nq_checkpoint_init(&zero);
	st = nq_checkpoint_read(t.at, t.bytes, &head, why, sizeof(why));
	if (st != NQ_OK) {
		FUZZ_EXPECT(st == NQ_ERR_FORMAT && strncmp(why, "is ", 3) == 0);
		FUZZ_EXPECT(memcmp(&head, &zero, sizeof(head)) == 0);
	} else {
		FUZZ_EXPECT(why[0] == '\0' && head.done <= head.units);
		FUZZ_EXPECT(head.plan.method != NQ_METHOD_AUTO && head.plan.n <= NQ_MAX_N);
		if (head.plan.n <= MOST_N && head.plan.min_tasks <= MOST_TASKS &&
			nq_plan_create(&plan, &head.plan) == NQ_OK) {
			write_again(&t, &head, plan);
			nq_plan_destroy(&plan);
		}
	}
	free(t.at);
	return 0;
}
