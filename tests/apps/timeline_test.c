/* The timeline picture of synthetic runs, whose tasks have given times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/backend.h"
#include "tests/common/testmain.h"
#include "tests/common/text.h"
#include "tests/apps/xml_check.h"

static const lsched_i_backend on_cpu = { .kind = LSCHED_BACKEND_CPU },
			      on_cuda = { .kind = LSCHED_BACKEND_CUDA };

/* A finished run: its events are the caller's, sorted by start. */
typedef struct fake {
	lsched_ctx ctx;
	lsched_program program;
	lsched_i_result result;
	lsched_run run;
} fake;

static void make_run(
	fake *f, const lsched_i_backend *b, uint32_t workers, lsched_event *events, size_t count)
{
	memset(f, 0, sizeof(*f));
	f->ctx.b = b;
	snprintf(f->ctx.device_name, sizeof(f->ctx.device_name), "a <device> & \"co\" \xff");
	f->program.name = "program";
	f->run.ctx = &f->ctx;
	f->run.program = &f->program;
	f->run.args.workers = f->run.max_workers = workers;
	f->run.args.result = &f->result;
	f->run.events = events;
	f->run.event_count = count;
}

/* Returns the picture, which was checked; the caller frees it. */
static char *draw(lsched_run *const *runs, size_t n, const lsched_svg_options *o)
{
	test_text t = { 0 };

	CU_ASSERT_EQUAL(lsched_trace_write_svg(runs, n, o, test_text_append, &t), LSCHED_OK);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t.s);
	CU_ASSERT_PTR_NULL(xml_check(t.s));
	CU_ASSERT_TRUE(t.bytes <= (4u << 20));
	CU_ASSERT_PTR_NULL(strstr(t.s, "nan"));
	CU_ASSERT_PTR_NULL(strstr(t.s, "inf"));
	CU_ASSERT_PTR_NULL(strstr(t.s, " id="));
	return t.s;
}

typedef struct box {
	double x, y, w, h;
} box;

/* Returns the rectangle of a task, found by its tooltip. */
static box box_of(const char *svg, uint32_t task)
{
	box b = { NAN, NAN, NAN, NAN };
	char title[64];
	const char *at;

	snprintf(title, sizeof(title), "<title>task %u,", task);
	at = strstr(svg, title);
	while (at && at > svg && strncmp(at, "<rect", 5) != 0)
		at--;
	if (at)
		sscanf(at, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &b.x, &b.y,
			&b.w, &b.h);
	return b;
}

/* start_ns, end_ns, task, worker, SM */
static void every_task_has_its_rectangle(void)
{
	lsched_event e[] = { { 5000, 6000, 0, 0, 0, 0 }, { 5000, 7000, 1, 1, 1, 0 },
		{ 6500, 9000, 2, 0, 0, 0 }, { 8000, 8000, 3, 1, 1, 0 } };
	fake f;
	lsched_run *run = &f.run;
	box b[4];
	char *svg;

	make_run(&f, &on_cpu, 2, e, 4);
	svg = draw(&run, 1, NULL);
	for (uint32_t i = 0; i < 4; i++)
		b[i] = box_of(svg, i);
	CU_ASSERT_DOUBLE_EQUAL(b[0].x, b[1].x, 0.01);
	CU_ASSERT_DOUBLE_EQUAL(b[1].w, 2 * b[0].w, 0.02);
	CU_ASSERT_DOUBLE_EQUAL(b[2].w, 2.5 * b[0].w, 0.02);
	CU_ASSERT_DOUBLE_EQUAL(b[2].x - b[0].x, 1.5 * b[0].w, 0.02);
	CU_ASSERT_DOUBLE_EQUAL(b[0].w, 1100 / 4.0, 0.01); /* 4 us fill the width */
	CU_ASSERT_DOUBLE_EQUAL(b[0].y, b[2].y, 0.01);
	CU_ASSERT_TRUE(b[1].y >= b[0].y + b[0].h);
	CU_ASSERT_TRUE(b[3].w > 0); /* shorter than the clock's step, but visible */
	CU_ASSERT_EQUAL(occurrences(svg, "<title>task "), 4);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "task 2, worker 0, from 1.500 us for 2.500 us"));
	/* 5.5 of 2 x 4 us: the empty task counts for a nanosecond */
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "4 tasks, 2 workers, 4 \xc2\xb5s, utilisation 68.8 %"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "a &lt;device&gt; &amp; &quot;co&quot; ?: program"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "time (\xc2\xb5s)"));
	CU_ASSERT_PTR_NULL(strstr(svg, "drawn together"));
	CU_ASSERT_PTR_NULL(strstr(svg, "not recorded"));
	free(svg);
}

static void idle_workers_have_a_row_too(void)
{
	lsched_event e[] = { { 0, 1000, 7, 1, 0, 0 } };
	fake f;
	lsched_run *run = &f.run;
	char *svg;

	make_run(&f, &on_cpu, 5, e, 1);
	svg = draw(&run, 1, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "1 task, 5 workers, 1000 ns, utilisation 20.0 %"));
	free(svg);
}

static void rows_of_a_devices_workers_are_ordered_by_sm(void)
{
	lsched_event e[] = { { 10, 20, 0, 0, 9, 0 }, { 11, 20, 1, 1, 4, 0 }, { 12, 20, 2, 2, 9, 0 },
		{ 13, 20, 3, 3, 4, 0 }, { 30, 40, 4, 1, 9, 0 } };
	fake f;
	lsched_run *run = &f.run;
	char *svg;

	make_run(&f, &on_cuda, 6, e, 5);
	svg = draw(&run, 1, NULL);
	CU_ASSERT_TRUE(box_of(svg, 1).y < box_of(svg, 3).y);
	CU_ASSERT_TRUE(box_of(svg, 3).y < box_of(svg, 0).y);
	CU_ASSERT_TRUE(box_of(svg, 0).y < box_of(svg, 2).y);
	/* a worker keeps its row when a later launch runs it on another SM */
	CU_ASSERT_DOUBLE_EQUAL(box_of(svg, 4).y, box_of(svg, 1).y, 0.01);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">SM 4</text>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">SM 9</text>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">no task</text>"));
	free(svg);
}

/* Runs that follow each other, on one time axis or each from its own start. */
static void runs_share_the_scale_and_may_share_the_start(void)
{
	lsched_event a[] = { { 1000, 2000, 0, 0, 0, 0 } }, b[] = { { 3000, 5000, 1, 0, 0, 0 } };
	static const char *const labels[] = { "the <first>", NULL };
	lsched_svg_options o = { sizeof(o), "both & more", labels, 0 };
	fake f[2];
	lsched_run *runs[] = { &f[0].run, &f[1].run };
	char *svg;

	make_run(&f[0], &on_cpu, 1, a, 1);
	make_run(&f[1], &on_cpu, 1, b, 1);
	svg = draw(runs, 2, &o);
	CU_ASSERT_DOUBLE_EQUAL(box_of(svg, 1).w, 2 * box_of(svg, 0).w, 0.02);
	CU_ASSERT_DOUBLE_EQUAL(box_of(svg, 1).x - box_of(svg, 0).x, 2 * box_of(svg, 0).w, 0.02);
	CU_ASSERT_TRUE(box_of(svg, 1).y > box_of(svg, 0).y + box_of(svg, 0).h);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">both &amp; more</text>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">the &lt;first&gt;</tspan>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">program</tspan>"));
	free(svg);
	o.aligned = 1;
	svg = draw(runs, 2, &o);
	CU_ASSERT_DOUBLE_EQUAL(box_of(svg, 1).x, box_of(svg, 0).x, 0.01);
	CU_ASSERT_DOUBLE_EQUAL(box_of(svg, 1).w, 2 * box_of(svg, 0).w, 0.02);
	CU_ASSERT_DOUBLE_EQUAL(box_of(svg, 1).w, 1100, 0.01);
	free(svg);
}

/* Returns the sum of the lengths of all cells ("h" commands) of one shade, or of all shades. */
static double shaded(const char *svg, const char *colour)
{
	double sum = 0;

	while ((svg = strstr(svg, "<path stroke=\"#")) != NULL) {
		const char *s = strstr(svg, " d=\"");
		const int counts = !colour || strncmp(svg + 14, colour, 7) == 0;

		svg++;
		if (s - svg > 30)
			continue; /* a path of another kind */
		for (s += 4; *s != '"'; s++)
			if (*s == 'h' && counts)
				sum += strtod(s + 1, NULL);
	}
	return sum;
}

/* 8,448 workers share 320 rows; half of them are busy for the first half of the time. */
static void thousands_of_workers_are_drawn_as_their_density_in_shared_rows(void)
{
	enum { WORKERS = 8448, SM = 132 };
	lsched_event *e = (lsched_event *)calloc(WORKERS / 2 + 1, sizeof(*e));
	double cells;
	fake f;
	lsched_run *run = &f.run;
	char *svg;

	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	for (uint32_t i = 0; i < WORKERS / 2; i++)
		e[i] = (lsched_event){ 1000, 2000, 0, 2 * i, i % SM, 0 };
	e[WORKERS / 2] = (lsched_event){ 2999, 3000, 0, 0, 0, 0 };
	make_run(&f, &on_cuda, WORKERS, e, WORKERS / 2 + 1);
	svg = draw(&run, 1, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "up to 27 workers share a row"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "4,225 tasks, 8,448 workers"));
	/* the busy ones, on SMs, fill the upper half of the rows: 550 cells, half of the time */
	cells = shaded(svg, NULL);
	CU_ASSERT_DOUBLE_EQUAL(cells, 160 * 550 + 1, 3 * 551);
	CU_ASSERT_TRUE(strlen(svg) < 50000);
	free(svg);
	free(e);
}

/* One worker, tasks much shorter than a pixel: the shade is the share of busy time. */
static void several_tasks_in_one_pixel_are_drawn_as_their_density(void)
{
	enum { TASKS = 50000 };
	static const uint32_t length[] = { 20, 60, 100 };
	static const char *const colour[] = { "pale", "deeper", "full" };
	double seen[3];
	lsched_event *e = (lsched_event *)calloc(TASKS, sizeof(*e));
	fake f;
	lsched_run *run = &f.run;

	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	for (size_t k = 0; k < 3; k++) {
		char *svg, path[16];
		const char *at;

		for (uint32_t i = 0; i < TASKS; i++)
			e[i] = (lsched_event){ i * UINT64_C(100), i * UINT64_C(100) + length[k], 5,
				0, 0, 0 };
		make_run(&f, &on_cpu, 1, e, TASKS);
		svg = draw(&run, 1, NULL);
		CU_ASSERT_DOUBLE_EQUAL(shaded(svg, NULL), 1100, 0.1);
		at = strstr(svg, "<path stroke=\"#");
		CU_ASSERT_PTR_NOT_NULL_FATAL(at);
		snprintf(path, sizeof(path), "%.2s", at + 15); /* red: less is deeper */
		seen[k] = (double)strtoul(path, NULL, 16);
		printf("%s: red %.0f\n", colour[k], seen[k]);
		CU_ASSERT_PTR_NOT_NULL(strstr(svg, "drawn together: a paler colour"));
		free(svg);
	}
	CU_ASSERT_TRUE(seen[0] > seen[1] && seen[1] > seen[2]);
	free(e);
}

/* Tasks shorter than the clock's resolution are drawn, too. */
static void tasks_without_length_are_drawn(void)
{
	enum { TASKS = 5000 };
	lsched_event *e = (lsched_event *)calloc(TASKS, sizeof(*e));
	fake f;
	lsched_run *run = &f.run;
	char *svg;

	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	for (uint32_t i = 0; i < TASKS; i++)
		e[i] = (lsched_event){ i * UINT64_C(1000), i * UINT64_C(1000), i, 0, 0, 0 };
	make_run(&f, &on_cpu, 1, e, TASKS);
	svg = draw(&run, 1, NULL);
	CU_ASSERT_DOUBLE_EQUAL(shaded(svg, NULL), 1100, 1);
	free(svg);
	free(e);
}

/* Random tasks in every cell of sixteen runs, and more runs than are drawn. */
static void no_picture_exceeds_the_largest_size(void)
{
	enum { RUNS = 20, WORKERS = 21, STEPS = 1100 };
	static fake f[RUNS];
	static lsched_event e[RUNS][WORKERS * STEPS];
	lsched_run *runs[RUNS];
	uint32_t random = 1;
	char *svg;

	for (uint32_t r = 0; r < RUNS; r++) {
		size_t n = 0;

		for (uint32_t step = 0; step < STEPS; step++)
			for (uint32_t k = 0; k < WORKERS; k++) {
				random = random * 1664525u + 1013904223u;
				e[r][n++] = (lsched_event){ step * 100,
					step * 100 + 1 + (random >> 8) % 100, random >> 12, k, k,
					0 };
			}
		make_run(&f[r], &on_cpu, WORKERS, e[r], n);
		f[r].result.count[LSCHED_I_N_TRACE_DROPPED] = 100;
		runs[r] = &f[r].run;
	}
	svg = draw(runs, RUNS, NULL);
	CU_ASSERT_TRUE(strlen(svg) > (4u << 20) / 4); /* otherwise the case is too easy */
	printf("the hardest picture has %zu bytes\n", strlen(svg));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "4 more runs are not shown"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "1,600 later tasks were not recorded"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "23,100 recorded tasks"));
	free(svg);
}

/* Returns the colour of a rectangle, found by the begin of its tooltip. */
static const char *colour_of(const char *svg, const char *tooltip)
{
	static char colour[8];
	const char *at = strstr(svg, tooltip);

	while (at && at > svg && strncmp(at, "fill=", 5) != 0)
		at--;
	snprintf(colour, sizeof(colour), "%.7s", at ? at + 6 : "");
	return colour;
}

/* Batches of 32, 4 and 1 items; members of an event as above, and the procedure. */
static void batches_have_names_and_colours_of_procedures(void)
{
	static const lsched_i_procedure named[] = { { "split", 0 }, { "a<b", 0 } };
	lsched_event e[] = { { 0, 1000, 32, 0, 0, 1 }, { 0, 3000, 4, 1, 1, 0 },
		{ 3000, 4000, 1, 1, 1, 1 } };
	fake f;
	lsched_run *run = &f.run;
	char *svg;

	make_run(&f, &on_cpu, 2, e, 3);
	f.program.item_words = 1;
	f.program.procedure_count = 2;
	f.program.procedures = named;
	svg = draw(&run, 1, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "<title>32 items of a&lt;b, worker 0, from 0.000 us"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "<title>1 item of a&lt;b, worker 1, from 3.000 us"));
	CU_ASSERT_STRING_EQUAL(colour_of(svg, "<title>4 items of split"), "#301e67");
	CU_ASSERT_STRING_EQUAL(colour_of(svg, "<title>32 items of"), "#f08d3c");
	CU_ASSERT_STRING_EQUAL(colour_of(svg, "<title>1 item of"), "#f08d3c");
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">procedure number of each run"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "#301e67\">\xe2\x96\xa0</tspan> split 60 %, 4.0 "));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(svg, "#f08d3c\">\xe2\x96\xa0</tspan> a&lt;b 40 %, 16.5</text>"));
	free(svg);
	f.program.procedures = NULL;
	svg = draw(&run, 1, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "<title>4 items of procedure 0, worker 1"));
	free(svg);
	f.program.procedure_count = 1; /* the colours are those of the sizes */
	svg = draw(&run, 1, NULL);
	CU_ASSERT_STRING_EQUAL(colour_of(svg, "<title>1 item, worker"), "#301e67");
	CU_ASSERT_STRING_EQUAL(colour_of(svg, "<title>32 items, worker"), "#f08d3c");
	CU_ASSERT_PTR_NULL(strstr(svg, "procedure"));
	free(svg);
}

static void a_run_without_events_is_reported(void)
{
	fake f[2];
	lsched_event e[] = { { 5, 9, 3, 0, 0, 0 } };
	lsched_run *runs[] = { &f[0].run, &f[1].run };
	char *svg;

	make_run(&f[0], &on_cpu, 4, NULL, 0);
	make_run(&f[1], &on_cpu, 1, e, 1);
	svg = draw(runs, 1, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "no task was recorded"));
	free(svg);
	svg = draw(runs, 2, NULL);
	CU_ASSERT_EQUAL(occurrences(svg, "no task was recorded"), 0); /* beside a run with a task */
	CU_ASSERT_EQUAL(occurrences(svg, "<title>task "), 1);
	free(svg);
	svg = draw(NULL, 0, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "no runs"));
	free(svg);
}

static void wrong_calls_are_refused(void)
{
	lsched_event e[] = { { 5, 9, 3, 0, 0, 0 } };
	fake f;
	lsched_run *runs[] = { &f.run, NULL };
	test_text t = { .limit = 500 };

	make_run(&f, &on_cpu, 1, e, 1);
	CU_ASSERT_EQUAL(lsched_trace_write_svg(runs, 1, NULL, test_text_append, &t),
		LSCHED_ERR_ARG); /* refused */
	t.limit = 0;
	CU_ASSERT_EQUAL(lsched_trace_write_svg(runs, 1, NULL, NULL, NULL), LSCHED_ERR_ARG);
	CU_ASSERT_EQUAL(
		lsched_trace_write_svg(NULL, 1, NULL, test_text_append, &t), LSCHED_ERR_ARG);
	CU_ASSERT_EQUAL(
		lsched_trace_write_svg(runs, 2, NULL, test_text_append, &t), LSCHED_ERR_ARG);
	f.run.started = 1;
	CU_ASSERT_EQUAL(
		lsched_trace_write_svg(runs, 1, NULL, test_text_append, &t), LSCHED_ERR_STATE);
	f.run.started = 0;
	t.bytes = 0;
	CU_ASSERT_EQUAL(lsched_trace_write_svg(runs, 1, NULL, test_text_append, &t), LSCHED_OK);
	free(t.s);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "every task has its rectangle", every_task_has_its_rectangle },
		{ "idle workers have a row, too", idle_workers_have_a_row_too },
		{ "rows of a device's workers are ordered by SM",
			rows_of_a_devices_workers_are_ordered_by_sm },
		{ "runs share the scale and may share the start",
			runs_share_the_scale_and_may_share_the_start },
		{ "thousands of workers are drawn as their density in shared rows",
			thousands_of_workers_are_drawn_as_their_density_in_shared_rows },
		{ "several tasks in one pixel are drawn as their density",
			several_tasks_in_one_pixel_are_drawn_as_their_density },
		{ "tasks without length are drawn", tasks_without_length_are_drawn },
		{ "no picture exceeds the largest size", no_picture_exceeds_the_largest_size },
		{ "batches have names and colours of procedures",
			batches_have_names_and_colours_of_procedures },
		{ "a run without events is reported", a_run_without_events_is_reported },
		{ "wrong calls are refused", wrong_calls_are_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("timeline", tests);
}
