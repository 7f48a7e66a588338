/* Options of greyes. */
#ifndef APPS_GREYES_OPTIONS_H
#define APPS_GREYES_OPTIONS_H

#include "apps/common/cli.h"

enum gr_progress_mode { GR_PROGRESS_AUTO, GR_PROGRESS_R90000, GR_PROGRESS_OFF };

typedef struct gr_options {
	const char *scene; /* "-": standard input */

	const char *output;  /* NULL: the files of the scene */
	const char *confine; /* folder; NULL: none */
	int overwrite;
	int no_window, fly;

	const char *crop_text, *samples_text, *frames_text;
	cli_size res;
	double shading_rate; /* factor */
	int allow_programs, strict;
	const char *search_path;

	int backend; /* reyes_backend */
	uint32_t device, threads;
	int queue; /* 0: auto; else 1 + lsched_queue */
	uint64_t memory_bytes;
	uint32_t bucket_px;

	int watch;
	cli_optional stats;
	const char *trace; /* NULL: none */
	int progress;      /* enum gr_progress_mode */
	int quiet, log_level;

	/* gr_options_finish sets these. */
	float crop[4]; /* all 0: not given */
	uint32_t samples_x, samples_y;
	uint32_t first_frame, last_frame; /* all frames: 0 and UINT32_MAX */
	const char *stats_path;           /* JSON; "-": standard output; NULL: text */
} gr_options;

extern const cli_program gr_program;

/* Parses the values that the table leaves as text, and checks combinations and files. Returns 0, or
 * -1 with one line in msg. */
int gr_options_finish(gr_options *o, char *msg, size_t msg_bytes);

/* Name of the queue, or NULL for the library's default. */
const char *gr_queue_name(const gr_options *o);

#endif
