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
typedef struct gs_load_type {
	int (*create)(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes);
	void (*destroy)(gs_load *l, gs_device *d);
} gs_load_type;
int command_measure(gs_command command, const gs_load_type *m, const gs_options *o, logger *log);

extern const gs_load_type wavefront_load_type, spawn_load_type, recurse_load_type, queue_load_type,
	fib_load_type, priority_load_type;
#endif
