/* The work of a device in the suites of the join with sorted patterns. */
#ifndef TESTS_NQUEENS_SIEVE_TASKS_H
#define TESTS_NQUEENS_SIEVE_TASKS_H

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include "nqueens/join/sieve.h"

/* Room for the items of so many units. */
static inline nq_i_sieve_task *room_for_units(const nq_i_join *t, size_t units)
{
	nq_i_sieve_task *tasks =
		(nq_i_sieve_task *)malloc(units * nq_i_join_items_max(t) * sizeof(*tasks));

	CU_ASSERT_PTR_NOT_NULL_FATAL(tasks);
	return tasks;
}

/* Writes the items of a unit, without given queens, to tasks[]; returns their number. */
static inline uint32_t put_unit(
	const nq_i_join *t, const nq_unit *u, uint32_t slot, nq_i_sieve_task *tasks)
{
	nq_i_join_item *items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*items));
	uint32_t count = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(items);
	count = nq_i_join_items(t, u, slot, items);
	for (uint32_t i = 0; i < count; i++) {
		tasks[i].item = items[i];
		for (uint32_t q = 0; q < 4; q++)
			tasks[i].given.quarter[q] = NQ_I_SIEVE_NONE_GIVEN;
	}
	free(items);
	return count;
}

/* Makes the items of all boards of t in slot 0; *count: their number. */
static inline nq_i_sieve_task *put_all(const nq_i_join *t, uint32_t *count)
{
	nq_i_sieve_task *tasks = room_for_units(t, (size_t)t->lines << t->h);

	*count = 0;
	for (uint32_t line = 0; line < t->lines; line++)
		for (uint32_t north = 0; north < 1u << t->h; north++) {
			const nq_unit u = { line, north, 1 };

			*count += put_unit(t, &u, 0, tasks + *count);
		}
	return tasks;
}

#endif
