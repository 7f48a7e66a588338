/* The commands. command_measure() is that of all workloads: it opens the device, measures and
 * writes the table. They return an exit code, see cli.h. */
#ifndef APPS_GSCHED_COMMANDS_H
#define APPS_GSCHED_COMMANDS_H

#include "apps/common/log.h"
#include "apps/gsched/measure.h"
#include "apps/gsched/options.h"
#include "workloads/latency/latency.h"

int command_list(const gs_options *o, logger *log);
int command_latency(const gs_options *o, logger *log);
/* Opens the backend and device of the options and measures; name: that of the device. As
 * lat_measure(); -1 also if the device cannot be opened. */
int measure_latencies(const gs_options *o, uint32_t samples, lat_table *t, char *name,
	size_t name_bytes, char *msg, size_t msg_bytes);
int command_service(const gs_options *o, logger *log);
int command_reproduce(const gs_options *o, logger *log);
int command_measure(const gs_command *command, const gs_options *o, logger *log);
#endif
