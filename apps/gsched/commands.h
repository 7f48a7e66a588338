/* The commands. command_measure() is that of all workloads: it opens the device, measures and
 * writes the table. They return an exit code, see cli.h. */
#ifndef APPS_GSCHED_COMMANDS_H
#define APPS_GSCHED_COMMANDS_H

#include "apps/common/log.h"
#include "apps/gsched/measure.h"
#include "apps/gsched/options.h"

int command_list(const gs_options *o, logger *log);
int command_reproduce(const gs_options *o, logger *log);
int command_measure(const gs_command *command, const gs_options *o, logger *log);
#endif
