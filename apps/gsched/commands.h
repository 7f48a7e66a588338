/* The commands. Those that measure define a load; command_measure() opens the device, measures the
 * load and writes the table. */
#ifndef APPS_GSCHED_COMMANDS_H
#define APPS_GSCHED_COMMANDS_H

#include "apps/common/log.h"
#include "apps/gsched/measure.h"
#include "apps/gsched/options.h"

/* How a command prepares its load on an open device, and frees it. `destroy` is called after
 * `create` in any case. `create` returns 0, or -1 with msg. */
typedef struct gs_load_type {
	int (*create)(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes);
	void (*destroy)(gs_load *l, gs_device *d);
} gs_load_type;

extern const gs_load_type wavefront_load_type, spawn_load_type, recurse_load_type, queue_load_type,
	fib_load_type, priority_load_type;

/* Returns the load of a command, NULL for `list` and `reproduce`. */
const gs_load_type *command_load_type(gs_command command);

/* These return an exit code, see cli.h. */
int command_list(const gs_options *o, logger *log);
int command_reproduce(const gs_options *o, logger *log);
int command_measure(gs_command command, const gs_options *o, logger *log);
#endif
