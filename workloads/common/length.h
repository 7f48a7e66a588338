/* Options of synthetic workloads: seed and lengths of tasks. */
#ifndef WORKLOADS_COMMON_LENGTH_H
#define WORKLOADS_COMMON_LENGTH_H

#include "workloads/common/work.h"
#include "workloads/common/workload.h"

/* Part of a workload's options. */
typedef struct wl_length_options {
	uint32_t work, seed;
	int law;
} wl_length_options;

/* Entries of a table of options; `type` has a member `length` of wl_length_options. */
#define WL_PARAMS_LENGTH(type, default_work)                                                    \
	{ .name = "work",                                                                       \
		.letter = 'w',                                                                  \
		.kind = WL_UINT,                                                                \
		.field = WL_FIELD(type, length.work),                                           \
		.max = 100000000,                                                               \
		.preset = default_work,                                                         \
		.metavar = "N",                                                                 \
		.help = "set the mean length of a task (steps of one cosine)" },                \
		{ .name = "law",                                                                \
			.kind = WL_CHOICE,                                                      \
			.field = WL_FIELD(type, length.law),                                    \
			.preset = "fixed",                                                      \
			.choices = "fixed|uniform|paper",                                       \
			.help = "select the lengths of tasks for --work N; fixed: N; uniform: " \
				"0 to 2N; paper: N/8 times 1 to 16, as in the paper of 2012" }, \
		WL_PARAM_SEED(type, length.seed, NULL, "load")

/* Returns the lengths of tasks that the options select; `salt` makes them different from other
 * random numbers of the same seed. */
static inline wl_length wl_length_make(const wl_length_options *o, uint32_t salt)
{
	const wl_length length = {
		.law = (uint32_t)o->law, .steps = o->work, .seed = wl_hash(o->seed ^ salt)
	};

	return length;
}
#endif
