/* The layouts and enumerations that <libsched/generate.h> compiles into programs and that the
 * library reads or writes, as arguments of functions: abi_test.sh describes this object, so that a
 * change of them is noticed. The workers' private structs (lsched_worker and its private state) are
 * not included: only a program's text uses them. abi_numbers.c has what is not a type. */
#include "libsched/core/layout.h"
#include "libsched/items/join.h"

#pragma GCC visibility push(default)
void lsched_abi_program(const lsched_program *program, const lsched_i_entry *entry);
void lsched_abi_run(const lsched_i_args *args, const lsched_i_state *state);
void lsched_abi_results(const lsched_i_result *result, const lsched_i_failure *failure,
	const lsched_i_join *join, const lsched_event *event, const lsched_worker_stats *stats);
void lsched_abi_enumerators(enum lsched_i_counter counter, enum lsched_i_why why,
	enum lsched_i_question question, enum lsched_i_op op);
#pragma GCC visibility pop

void lsched_abi_program(const lsched_program *program, const lsched_i_entry *entry)
{
	(void)program, (void)entry;
}

void lsched_abi_run(const lsched_i_args *args, const lsched_i_state *state)
{
	(void)args, (void)state;
}

void lsched_abi_results(const lsched_i_result *result, const lsched_i_failure *failure,
	const lsched_i_join *join, const lsched_event *event, const lsched_worker_stats *stats)
{
	(void)result, (void)failure, (void)join, (void)event, (void)stats;
}

void lsched_abi_enumerators(enum lsched_i_counter counter, enum lsched_i_why why,
	enum lsched_i_question question, enum lsched_i_op op)
{
	(void)counter, (void)why, (void)question, (void)op;
}
