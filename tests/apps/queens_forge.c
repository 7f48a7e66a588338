/* queens_forge IN OUT [foreign]: writes the checkpoint IN to OUT with one board too many in a unit
 * and a valid checksum, as after a computing error. foreign: with another hash of the plan instead,
 * as of a version with other units. Exit code 0, or 1. */
#include <stdio.h>
#include <stdlib.h>
#include <nqueens/checkpoint.h>
#include "nqueens/plan/plan.h"

enum { MOST_BYTES = 1 << 24 };

static int put(void *opaque, const char *text, size_t bytes)
{
	return fwrite(text, 1, bytes, opaque) == bytes ? 0 : -1;
}

static nq_status forge(const char *text, size_t bytes, int foreign, FILE *out)
{
	static nq_checkpoint head = { .struct_bytes = sizeof(head) }; /* large */
	nq_plan *plan = NULL;
	nq_ledger *right = NULL, *wrong = NULL;
	size_t first = 0;
	nq_status st = nq_checkpoint_read(text, bytes, &head, NULL, 0);

	if (st == NQ_OK)
		st = nq_plan_create(&plan, &head.plan);
	if (st == NQ_OK)
		st = nq_ledger_create(&right, plan);
	if (st == NQ_OK)
		st = nq_checkpoint_enter(text, bytes, right, NULL);
	if (st == NQ_OK && foreign)
		plan->hash ^= 1;
	if (st == NQ_OK)
		st = nq_ledger_create(&wrong, plan);
	while (st == NQ_OK && first < nq_ledger_units(right) && !nq_ledger_done(right, first))
		first++;
	for (size_t i = 0; st == NQ_OK && i < nq_ledger_units(right); i++)
		if (nq_ledger_done(right, i))
			st = nq_ledger_set(wrong, i,
				nq_ledger_unit_count(right, i) + (i == first && !foreign));
	if (st == NQ_OK)
		st = nq_checkpoint_write(plan, &head.plan, wrong, head.part, head.parts, put, out);
	nq_ledger_destroy(&right);
	nq_ledger_destroy(&wrong);
	nq_plan_destroy(&plan);
	return st;
}

int main(int argc, char **argv)
{
	char *text = (char *)malloc(MOST_BYTES);
	const int foreign = argc == 4;
	FILE *in = argc == 3 || foreign ? fopen(argv[1], "rb") : NULL;
	FILE *out = in ? fopen(argv[2], "wb") : NULL;
	nq_status st = NQ_ERR_ARG;

	if (text && in && out)
		st = forge(text, fread(text, 1, MOST_BYTES, in), foreign, out);
	if (in)
		fclose(in);
	if (out && fclose(out) != 0)
		st = NQ_ERR_ARG;
	free(text);
	if (st != NQ_OK)
		fprintf(stderr, "queens_forge: %s\n", nq_strstatus(st));
	return st != NQ_OK;
}
