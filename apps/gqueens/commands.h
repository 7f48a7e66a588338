/* The commands of gqueens. Each function returns an exit code. */
#ifndef APPS_GQUEENS_COMMANDS_H
#define APPS_GQUEENS_COMMANDS_H

#include "apps/common/log.h"
#include "apps/gqueens/options.h"

int gq_command_count(const gq_options *o, logger *log);
int gq_command_merge(const gq_options *o, logger *log);
int gq_command_show(const gq_options *o, logger *log); /* --print and --first */
int gq_command_estimate(const gq_options *o, logger *log);
int gq_command_list(const gq_options *o, logger *log);
#endif
