/* The commands: each makes its load, measures it and hands the table to output.h. */
#ifndef APPS_GSCHED_COMMANDS_H
#define APPS_GSCHED_COMMANDS_H

#include "apps/common/log.h"
#include "apps/gsched/measure.h"
#include "apps/gsched/options.h"

/* Exit codes: cli.h. */
int command_list(const gs_options *o, logger *log);
int command_wavefront(const gs_options *o, logger *log);
int command_spawn(const gs_options *o, logger *log);
int command_recurse(const gs_options *o, logger *log);
int command_fib(const gs_options *o, logger *log);
int command_reproduce(const gs_options *o, logger *log);
int command_priority(const gs_options *o, logger *log);
int command_queue(const gs_options *o, logger *log);

/* Opens the device, measures and writes everything that the options ask for. The makers prepare a load
 * on an open device and take it away again. */
typedef struct load_maker {
	int (*make)(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes);
	void (*unmake)(gs_load *l, gs_device *d);
} load_maker;
int command_measure(gs_command command, const load_maker *m, const gs_options *o, logger *log);

extern const load_maker wavefront_maker, spawn_maker, recurse_maker, queue_maker, fib_maker,
	priority_maker;
#endif
