/* gsched's commands and their options. */
#ifndef APPS_GSCHED_OPTIONS_H
#define APPS_GSCHED_OPTIONS_H

#include <libsched/sched.h>
#include "apps/common/cli.h"

typedef enum gs_command {
	GS_LIST,
	GS_WAVEFRONT,
	GS_SPAWN,
	GS_RECURSE,
	GS_QUEUE,
	GS_FIB,
	GS_PRIORITY,
	GS_REPRODUCE,
	GS_COMMAND_COUNT
} gs_command;

/* The words of --grain, in this order. */
enum { GS_GRAIN_TASK, GS_GRAIN_WARP, GS_GRAIN_LANE };

/* One struct for all commands; each has its own table over it. */
typedef struct gs_options {
	int backend, device;          /* lsched_backend */
	const char *workers;          /* numbers with commas */
	const char *queues, *schemes; /* words with commas, or all */
	uint32_t repeat, seed;
	int overflow; /* lsched_overflow */
	uint32_t bin_size, capacity, timeout_ms;
	int never_keep;
	const char *trace, *json, *csv, *svg;
	int overwrite, quiet, log_level;

	cli_size size;
	uint32_t slices, frames;
	int law;
	uint32_t work;
	double p;
	uint32_t children, initial, levels;
	uint32_t lanes, rounds;
	int latency, time_work, grain;
	uint32_t number;
	int as_json, names; /* of list */
	const char *out;
	int scale; /* of reproduce: auto, tiny, small, full */
} gs_options;

extern const cli_program gs_program;           /* gsched as a whole */
extern const cli_program *const gs_programs[]; /* by gs_command; ends with NULL */
/* One line on a queue or a scheme; never NULL. */
const char *gs_queue_text(lsched_queue q);
const char *gs_scheme_text(lsched_scheme s);

/* The queues, schemes and worker numbers that the lists name, in their order; returns how many. */
enum { GS_MAX_LISTED = 64 };
size_t gs_list_queues(const gs_options *o, lsched_queue out[GS_MAX_LISTED]);
size_t gs_list_schemes(const gs_options *o, lsched_scheme out[GS_MAX_LISTED]);
size_t gs_list_workers(const gs_options *o, uint32_t out[GS_MAX_LISTED]);

/* What follows from several options. 0, or -1 with msg: a usage error. */
int gs_options_check(gs_command command, const gs_options *o, char *msg, size_t msg_bytes);
#endif
