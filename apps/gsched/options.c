#include "apps/gsched/options.h"
#include "apps/common/cli_options.h"
#include "workloads/latency/latency.h"
#include "workloads/service/service.h"

#define FIELD(member) CLI_FIELD(gs_options, member)

#define OPTION_JSON                                                        \
	{                                                                  \
		.name = "json", .type = CLI_FLAG, .field = FIELD(as_json), \
		.help = "print JSON instead of text", .group = "Reports"   \
	}

static const cli_opt list_opts[] = {
	OPTION_JSON,
	{ .name = "names",
		.type = CLI_FLAG,
		.field = FIELD(names),
		.help = "print the names that --queue accepts" },
	{ 0 },
};

static const cli_opt reproduce_opts[] = {
	{ .name = "out",
		.letter = 'o',
		.type = CLI_FILE,
		.field = FIELD(out),
		.preset = "report/index.html",
		.metavar = "FILE",
		.help = "write the page to FILE, and create its folder; - is standard output",
		.group = "Reports" },
	{ .name = "json",
		.type = CLI_FILE,
		.field = FIELD(json),
		.metavar = "FILE",
		.help = "write the numbers and verdicts to FILE, too, as JSON" },
	{ .name = "compare",
		.type = CLI_FILE,
		.field = FIELD(compare),
		.metavar = "A,B",
		.help = "measure nothing: write a page that compares two such files" },
	{ .name = "scale",
		.type = CLI_CHOICE,
		.field = FIELD(scale),
		.choices = "auto|tiny|small|full",
		.preset = "auto",
		.help = "select the sizes of the loads; auto: full on a GPU, small on the CPU "
			"(minutes)",
		.group = "Load" },
	{ .name = "scenes",
		.type = CLI_FILE,
		.field = FIELD(scenes),
		.metavar = "FOLDER",
		.help = "render the paper's scenes in FOLDER, NAME.rib or NAME/scene.rib: "
			"teapot_bez, teapot_motion, killeroo, bubbles, bigguy, grass1600, "
			"grass10000" },
	{ .name = "meshes",
		.type = CLI_FILE,
		.field = FIELD(meshes),
		.metavar = "FOLDER",
		.help = "read the paper's meshes in FOLDER: cloth_ball92.ply, cloth_ball93.ply, "
			"balls16_18.ply, balls16_19.ply" },
	GS_OPTIONS_DEVICE,
	{ .name = "timeout",
		.type = CLI_UINT,
		.field = FIELD(timeout_ms),
		.min = 1,
		.max = UINT32_MAX,
		.preset = "60000",
		.metavar = "MS",
		.help = "fail a run in which no task finishes within MS milliseconds" },
	CLI_OPTION_OVERWRITE("overwrite existing files", "Reports"),
	GS_OPTIONS_MESSAGES,
	{ 0 },
};

static const cli_opt latency_opts[] = {
	{ .name = "samples",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(samples),
		.min = LAT_MIN_SAMPLES,
		.max = LAT_MAX_SAMPLES,
		.preset = "1000",
		.metavar = "N",
		.help = "measure each latency N times",
		.group = "Execution" },
	GS_OPTIONS_DEVICE,
	OPTION_JSON,
	GS_OPTIONS_MESSAGES,
	{ 0 },
};

static const cli_opt service_opts[] = {
	{ .name = "requests",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(requests),
		.min = 1,
		.max = SVC_MAX_REQUESTS,
		.preset = "1000",
		.metavar = "N",
		.help = "post N requests",
		.group = "Load" },
	{ .name = "rate",
		.type = CLI_REAL,
		.field = FIELD(rate),
		.max = 1000000,
		.preset = "1000",
		.metavar = "R",
		.help = "post R requests a second, at random times (0: one after the other)" },
	{ .name = "work",
		.letter = 'w',
		.type = CLI_UINT,
		.field = FIELD(work_us),
		.max = SVC_MAX_US,
		.preset = "5",
		.metavar = "US",
		.help = "set the work of a request (us)" },
	{ .name = "beside",
		.type = CLI_UINT,
		.field = FIELD(body_us),
		.max = SVC_MAX_US,
		.preset = "100",
		.metavar = "US",
		.help = "run a long job beside the requests, in bodies of about US us (0: none)" },
	{ .name = "deadline",
		.type = CLI_UINT,
		.field = FIELD(deadline_us),
		.max = SVC_MAX_US,
		.preset = "0",
		.metavar = "US",
		.help = "count the requests that take more than US us (0: none)" },
	{ .name = "seed",
		.type = CLI_UINT,
		.field = FIELD(seed),
		.max = UINT32_MAX,
		.preset = "1",
		.metavar = "N",
		.help = "set the seed of the times of requests" },
	GS_OPTIONS_DEVICE,
	OPTION_JSON,
	{ .name = "svg",
		.type = CLI_FILE,
		.field = FIELD(svg),
		.metavar = "FILE",
		.help = "draw the times of the requests; - is standard output" },
	CLI_OPTION_TRACE("the jobs"),
	{ .name = "stats",
		.type = CLI_FLAG,
		.field = FIELD(stats),
		.help = "print counts and times of the jobs and their items, too" },
	CLI_OPTION_OVERWRITE("overwrite existing files", "Reports"),
	GS_OPTIONS_MESSAGES,
	{ 0 },
};

const cli_program gs_list_program = {
	.name = "gsched list",
	.synopsis = "[--json | --names]",
	.summary = "Lists devices, queues, dependency schemes and workloads.",
	.opts = list_opts,
};

const cli_program gs_run_program = {
	.name = "gsched run",
	.synopsis = "WORKLOAD [options]",
	.summary = "Runs a workload: an application, checked and measured.",
	.epilogue =
		"The synthetic loads are commands by themselves, too: gsched spawn is gsched run\n"
		"spawn.",
};

const cli_program gs_latency_program = {
	.name = "gsched latency",
	.synopsis = "[options]",
	.summary = "Measures messages to workers, launches and releases.\n"
		   "On a GPU also the clocks, and what a full grid beside the warp changes.",
	.epilogue = "Example: gsched latency --samples 10000",
	.opts = latency_opts,
};

const cli_program gs_service_program = {
	.name = "gsched service",
	.synopsis = "[options]",
	.summary = "Measures urgent requests beside a long job in a resident scheduler.\n"
		   "Times are from the moment when a request is due.",
	.epilogue = "Example: gsched service --rate 2000 --beside 10 --deadline 50 --svg times.svg",
	.opts = service_opts,
};

const cli_program gs_reproduce_program = {
	.name = "gsched reproduce",
	.synopsis = "[options]",
	.summary = "Measures the figures of five papers and writes one HTML page.\n"
		   "Each section has a picture, the numbers, a claim of the paper and the verdict.",
	.epilogue = "Example: gsched reproduce -o report/index.html",
	.opts = reproduce_opts,
};

const cli_program gs_program = {
	.name = "gsched",
	.synopsis = "COMMAND [options]",
	.summary = "Measures schedulers of many small tasks, on CPU threads or on a CUDA GPU.",
	.epilogue = "Each result is compared with the one that the host computes.\n"
		    "Exit code: 0 done, 1 failed or wrong result, 2 usage, 130 Ctrl-C.",
};
