/* wavefront: tasks with the dependencies of macroblocks. The warm-up execution checks the
 * order of the tasks, too. */
#include "workloads/common/length.h"
#include "workloads/common/memory.h"
#include "workloads/wavefront/wavefront.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

WL_PROGRAM(gswave);

typedef struct wavefront_options {
	wl_size size;
	uint32_t slices, frames;
	wl_length_options length;
} wavefront_options;

static const wl_param params[] = {
	{ .name = "size",
		.kind = WL_SIZE,
		.field = WL_FIELD(wavefront_options, size),
		.min = 1,
		.max = 4096,
		.preset = "120x68",
		.metavar = "WxH",
		.help = "set the size of a picture (macroblocks, each side 1 to 4096); 120x68 is "
			"1080p" },
	{ .name = "slices",
		.kind = WL_UINT,
		.field = WL_FIELD(wavefront_options, slices),
		.min = 1,
		.max = 4096,
		.preset = "1",
		.metavar = "N",
		.help = "set the slices per picture, at most one per macroblock row" },
	{ .name = "frames",
		.kind = WL_UINT,
		.field = WL_FIELD(wavefront_options, frames),
		.min = 1,
		.max = 4096,
		.preset = "1",
		.metavar = "N",
		.help = "set the number of pictures per run (1 to 4096)" },
	WL_PARAMS_LENGTH(wavefront_options, "0"),
	{ 0 },
};

static int check_options(const void *options, char *msg, size_t msg_bytes)
{
	const wavefront_options *o = options;

	if (o->slices > o->size.height)
		return wl_fail(msg, msg_bytes,
			"--slices %" PRIu32 " is more than the %" PRIu32
			" macroblock rows of --size",
			o->slices, o->size.height);
	if ((uint64_t)o->size.width * o->size.height * o->frames > LSCHED_MAX_TASKS)
		return wl_fail(msg, msg_bytes,
			"--frames %" PRIu32 " of %" PRIu32 "x%" PRIu32
			" macroblocks are more than %u tasks; set fewer frames",
			o->frames, o->size.width, o->size.height, LSCHED_MAX_TASKS);
	return 0;
}

static int prepare(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	gswave_ctx *c = l->ctx;

	c->check = l->execution == 0;
	if (l->execution > 0)
		return 0;
	return wl_zero(d, c->mark, (size_t)l->tasks * sizeof(*c->mark), why, why_bytes);
}

/* Checks that each task of the warm-up execution has left its mark. The task itself has checked the
 * marks of its predecessors. */
static int check(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	const gswave_ctx *c = l->ctx;
	uint32_t *mark, missing = 0;

	if (l->execution > 0)
		return 0;
	mark = wl_host_copy(d, c->mark, (size_t)l->tasks * sizeof(*mark), why, why_bytes);
	if (!mark)
		return -1;
	for (uint32_t i = 0; i < l->tasks; i++)
		missing += mark[i] != c->check;
	free(mark);
	return missing ? wl_fail(why, why_bytes, "%u of %u tasks did not run", missing, l->tasks)
		       : 0;
}

static int create(wl_work *l, wl_device *d, const void *options, char *msg, size_t msg_bytes)
{
	const wavefront_options *o = options;
	h264i_geom g;
	gswave_ctx *c = wl_own(d, sizeof(*c), msg, msg_bytes);

	l->ctx = c;
	if (!c)
		return -1;
	memset(&g, 0, sizeof(g));
	g.mb_width = o->size.width;
	g.mb_height = o->size.height;
	g.slices = o->slices;
	c->order = h264i_wave_ctx_make(&g, NULL);
	c->order.frames = o->frames;
	c->length = wl_length_make(&o->length, 0);
	WL_SET_PROGRAM(l, gswave);
	l->tasks = mbrule_tasks(&c->order);
	l->expected = l->tasks;
	l->prepare = prepare;
	l->check = check;
	c->mark = wl_alloc(d, (size_t)l->tasks * sizeof(*c->mark), msg, msg_bytes);
	c->sink = c->mark ? wl_alloc(d, sizeof(*c->sink), msg, msg_bytes) : NULL;
	return c->sink ? 0 : -1;
}

static const char *const cases[] = { "--size 1x1", "--size 1x7 --slices 7", "--size 9x5 --frames 3",
	"--size 31x17 --slices 2 -w 50 --law paper", NULL };

const wl_type wl_wavefront_type = {
	.name = "wavefront",
	.summary =
		"Runs tasks with the dependencies of H.264 intra prediction.\n"
		"The load of Tzeng, Lloyd and Owens, \"A GPU Task-Parallel Model with Dependency\n"
		"Resolution\" (2012).",
	.example = "--size 80x45 --slices 4 -w 4000 --law paper",
	.unit = "tasks",
	.queues = "ring",
	.repeat = "11",
	.cases = cases,
	.accepts = WL_SCHEMES | WL_OVERFLOW | WL_NEVER_KEEP,
	.params = params,
	.options_bytes = sizeof(wavefront_options),
	.check_options = check_options,
	.create = create,
};
