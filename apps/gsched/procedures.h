/* The procedures of a load: their statistics in one execution with a timeline. */
#ifndef APPS_GSCHED_PROCEDURES_H
#define APPS_GSCHED_PROCEDURES_H

#include <stdio.h>
#include <libsched/sched.h>
#include "libsched/core/json.h"

typedef struct gs_procedures {
	uint32_t count;   /* 0: not measured */
	uint64_t dropped; /* batches that were not recorded */
	lsched_procedure_stats of[LSCHED_MAX_PROCEDURES];
} gs_procedures;

/* Reads the statistics of a finished run with a timeline. */
void procedures_read(gs_procedures *p, lsched_run *run);

/* Write the statistics as a table, and as members of an object. */
void procedures_text(const gs_procedures *p, FILE *f);
void procedures_json(const gs_procedures *p, lsched_i_json *j);
#endif
