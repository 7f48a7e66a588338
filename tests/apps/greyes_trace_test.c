/* --trace of greyes when memory ends while the timeline is made: an older file stays whole. */
#include "apps/greyes/trace.h"
#include "tests/common/testmain.h"

#include <libsched/sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- stand for the renderer and the writers of timelines ---- */

static lsched_status result;

size_t reyes_trace_runs(reyes_renderer *r, struct lsched_run **runs, size_t room)
{
	(void)r, (void)runs, (void)room;
	return 0;
}

const char *lsched_strstatus(lsched_status s)
{
	return s == LSCHED_OK ? "ok" : "out of memory";
}

static lsched_status write_new(lsched_write_fn write, void *opaque)
{
	if (write(opaque, "new", 3))
		return LSCHED_ERR_ARG;
	return result;
}

lsched_status lsched_trace_write_svg(lsched_run *const *runs, size_t run_count,
	const lsched_svg_options *options, lsched_write_fn write, void *opaque)
{
	(void)runs, (void)run_count, (void)options;
	return write_new(write, opaque);
}

lsched_status lsched_trace_write(
	lsched_run *const *runs, size_t run_count, lsched_write_fn write, void *opaque)
{
	(void)runs, (void)run_count;
	return write_new(write, opaque);
}

/* ---- tests ---- */

/* Writes a trace over an older file with this result; returns what the file has afterwards. */
static const char *contents_after(const char *suffix, lsched_status s)
{
	static char text[40];
	gr_options o = { .overwrite = 1 };
	char name[40] = "greyes_trace_test.XXXXXX", path[60], why[OUTFILE_WHY_BYTES];
	const int fd = mkstemp(name);
	gr_trace t;
	FILE *f;

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	close(fd);
	snprintf(path, sizeof(path), "%s%s", name, suffix);
	CU_ASSERT_EQUAL_FATAL(rename(name, path), 0);
	f = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs("old", f);
	fclose(f);
	o.trace = path;
	result = s;
	CU_ASSERT_EQUAL_FATAL(gr_trace_begin(&t, &o, why), 0);
	CU_ASSERT_EQUAL(gr_trace_write(&t, NULL, why, sizeof(why)) == 0, s == LSCHED_OK);
	CU_ASSERT_EQUAL(gr_trace_end(&t, why), 0);
	memset(text, 0, sizeof(text));
	f = fopen(path, "r");
	if (f && fread(text, 1, sizeof(text) - 1, f) == 0)
		snprintf(text, sizeof(text), "nothing");
	if (f)
		fclose(f);
	unlink(path);
	return text;
}

static void test_old(void)
{
	CU_ASSERT_STRING_EQUAL(contents_after(".svg", LSCHED_ERR_NOMEM), "old");
	CU_ASSERT_STRING_EQUAL(contents_after(".json", LSCHED_ERR_NOMEM), "old");
}

static void test_new(void)
{
	CU_ASSERT_STRING_EQUAL(contents_after(".svg", LSCHED_OK), "new");
	CU_ASSERT_STRING_EQUAL(contents_after(".json", LSCHED_OK), "new");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "an older file stays when memory ends", test_old },
		{ "a timeline replaces an older file", test_new },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("greyes --trace", tests);
}
