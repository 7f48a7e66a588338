/* Timelines of the stages' workers, as a picture or as JSON for Perfetto. */
#include "apps/greyes/trace.h"

#include <libsched/sched.h>
#include <stdio.h>
#include <string.h>

int gr_trace_begin(gr_trace *t, const gr_options *o, char why[OUTFILE_WHY_BYTES])
{
	memset(t, 0, sizeof(*t));
	t->is_svg = o->trace && outfile_is_svg(o->trace);
	return o->trace ? outfile_open(&t->file, o->trace, o->overwrite, why) : 0;
}

int gr_trace_write(gr_trace *t, reyes_renderer *r, char *why, size_t why_bytes)
{
	struct lsched_run *runs[REYES_TRACE_RUNS];
	size_t n;
	lsched_status s;

	if (!t->file.to || t->is_written)
		return 0;
	n = reyes_trace_runs(r, runs, REYES_TRACE_RUNS);
	s = t->is_svg ? lsched_trace_write_svg(runs, n, NULL, outfile_put, t->file.to)
		      : lsched_trace_write(runs, n, outfile_put, t->file.to);
	t->is_written = s == LSCHED_OK || ferror(t->file.to);
	if (t->is_written) /* gr_trace_end reports the file's error */
		return 0;
	snprintf(why, why_bytes, "--trace: %s", lsched_strstatus(s));
	return -1;
}

int gr_trace_end(gr_trace *t, char why[OUTFILE_WHY_BYTES])
{
	if (!t->file.to)
		return 0;
	return outfile_close(&t->file, t->is_written ? OUTFILE_KEEP : OUTFILE_DROP, why);
}
