/* The commands of gsched and their options. */
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

/* In the order of the choices of --grain. */
enum { GS_GRAIN_TASK, GS_GRAIN_WARP, GS_GRAIN_LANE };

/* The options of all commands; each command has its own table of those that it accepts. */
typedef struct gs_options {
	int backend, device;          /* lsched_backend */
	const char *workers;          /* numbers, separated by commas */
	const char *queues, *schemes; /* names, separated by commas, or all */
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
	int as_json, names; /* list */
	const char *out, *scenes;
	int scale; /* reproduce: 0 auto, then REPRO_TINY + 1 ... */
} gs_options;

extern const cli_program gs_program;           /* gsched itself */
extern const cli_program *const gs_programs[]; /* index: gs_command; ends with NULL */

/* Return a description of a queue or scheme, never NULL. */
const char *gs_queue_text(lsched_queue q);
const char *gs_scheme_text(lsched_scheme s);

/* Parse the lists of queues, schemes and numbers of workers, in their order. Return the number of
 * entries. */
enum { GS_MAX_LISTED = 64 };
size_t gs_list_queues(const gs_options *o, lsched_queue out[GS_MAX_LISTED]);
size_t gs_list_schemes(const gs_options *o, lsched_scheme out[GS_MAX_LISTED]);
size_t gs_list_workers(const gs_options *o, uint32_t out[GS_MAX_LISTED]);

/* Checks combinations of options. Returns 0, or -1 with msg: a usage error. */
int gs_options_check(gs_command command, const gs_options *o, char *msg, size_t msg_bytes);
#endif
