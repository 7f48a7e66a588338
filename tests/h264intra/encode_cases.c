/* encode_cases FOLDER: the cases of bench/pairwise.py --write FOLDER in one process, each by two
 * encoders, whose bytes must be equal: the CPU backend, and as --second says, without it the CUDA
 * backend. Cases with the same options and size are coded by one encoder, one clip after another.
 * Prints each difference, then the number of cases that were run and that were equal. Exit code: 0
 * if these are the same, 1 if not or if no case was run, 77 without a device. */
#include "tests/h264intra/encode_cases.h"
#include "apps/common/cli.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SKIP = 77, JOBS_MAX = 256, WHY_BYTES = 600 };

typedef struct settings {
	const char *folder, *second;
	uint32_t jobs, sample, seed, seconds, together;
} settings;

#define FIELD(member) CLI_FIELD(settings, member)

static const cli_opt opts[] = {
	{ .name = "second",
		.type = CLI_TEXT,
		.field = FIELD(second),
		.preset = "--backend cuda --threads 0",
		.metavar = "OPTIONS",
		.help = "set options of the second encoder, in place of those of the case" },
	{ .name = "jobs",
		.type = CLI_UINT,
		.field = FIELD(jobs),
		.max = JOBS_MAX,
		.preset = "0",
		.metavar = "N",
		.help = "set the number of threads (0: one per processor)" },
	{ .name = "sample",
		.type = CLI_UINT,
		.field = FIELD(sample),
		.max = UINT32_MAX,
		.preset = "0",
		.metavar = "N",
		.help = "run N cases by chance, and those of the same encoder (0: all)" },
	{ .name = "seed",
		.type = CLI_UINT,
		.field = FIELD(seed),
		.max = UINT32_MAX,
		.preset = "1",
		.metavar = "N",
		.help = "choose the cases and their order" },
	{ .name = "seconds",
		.type = CLI_UINT,
		.field = FIELD(seconds),
		.max = 100000,
		.preset = "0",
		.metavar = "S",
		.help = "begin no case after S seconds (0: no limit)" },
	{ .name = "together",
		.type = CLI_UINT,
		.field = FIELD(together),
		.min = 1,
		.max = 1000,
		.preset = "8",
		.metavar = "N",
		.help = "code at most N clips by an encoder" },
	{ .name = "folder",
		.type = CLI_FILE,
		.field = FIELD(folder),
		.metavar = "FOLDER",
		.help = "read the cases of this folder" },
	{ 0 },
};

static const cli_program program = {
	.name = "encode_cases",
	.synopsis = "[options] FOLDER",
	.summary = "Compares two encoders in the cases of bench/pairwise.py --write FOLDER.",
	.operand = "folder",
	.opts = opts,
};

typedef struct run {
	settings set;
	cases_list list;
	double end; /* time; 0: none */
	pthread_mutex_t lock;
	uint32_t next; /* group */
	uint32_t cases, equal, printed;
} run;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The next group, NULL at the end. */
static const cases_group *next_group(run *r)
{
	const cases_group *g = NULL;

	pthread_mutex_lock(&r->lock);
	if (r->next < r->list.groups && (r->end == 0 || now() < r->end))
		g = &r->list.group[r->next++];
	pthread_mutex_unlock(&r->lock);
	return g;
}

/* Prints what is wrong with a case. */
static void report(run *r, const cases_case *c, const char *what)
{
	enum { PRINTED_MAX = 50 };

	pthread_mutex_lock(&r->lock);
	if (r->printed++ < PRINTED_MAX)
		printf("FAIL: line %" PRIu32 ": %s: %s: %s\n", c->line, c->clip->name, c->options,
			what);
	pthread_mutex_unlock(&r->lock);
}

/* Compares case i of a group. Returns 1 if it is equal. */
static int compare(run *r, const cases_group *g, uint32_t i, const cases_stream s[2])
{
	const uint8_t *data[2];
	size_t bytes[2], at = 0;
	char what[WHY_BYTES];

	for (int k = 0; k < 2; k++) {
		size_t begin = i ? s[k].end[i - 1] : 0;

		data[k] = s[k].data + begin;
		bytes[k] = s[k].end[i] - begin;
	}
	if (bytes[0] && bytes[0] == bytes[1] && memcmp(data[0], data[1], bytes[0]) == 0)
		return 1;
	while (at < bytes[0] && at < bytes[1] && data[0][at] == data[1][at])
		at++;
	snprintf(what, sizeof(what), "%zu bytes, and %zu with %s; the first that differs: byte %zu",
		bytes[0], bytes[1], r->set.second, at);
	report(r, &g->first[i], what);
	return 0;
}

static uint32_t equal_cases(run *r, const cases_group *g)
{
	const char *more[2] = { "--backend cpu --threads 1", r->set.second };
	cases_stream s[2];
	uint32_t equal = 0, coded = 0;
	char why[WHY_BYTES];

	memset(s, 0, sizeof(s));
	for (int k = 0; k < 2; k++) {
		h264i_options o;

		if (cases_options(g->first->options, more[k], &o, why, sizeof(why)) ||
			cases_encode(g, &o, &s[k], why, sizeof(why)))
			report(r, g->first, why);
		else
			coded++;
	}
	for (uint32_t i = 0; coded == 2 && i < g->cases; i++)
		equal += (uint32_t)compare(r, g, i, s);
	for (int k = 0; k < 2; k++) {
		free(s[k].data);
		free(s[k].end);
	}
	return equal;
}

static void *work(void *run_)
{
	run *r = run_;
	const cases_group *g;

	while ((g = next_group(r)) != NULL) {
		uint32_t equal = equal_cases(r, g);

		pthread_mutex_lock(&r->lock);
		r->cases += g->cases;
		r->equal += equal;
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

/* Runs the groups on threads. Returns the number of threads. */
static uint32_t run_all(run *r)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t jobs = r->set.jobs ? r->set.jobs : processors > 0 ? (uint32_t)processors : 1;
	pthread_t thread[JOBS_MAX];
	uint32_t n = 0;

	jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX;
	while (n < jobs && pthread_create(&thread[n], NULL, work, r) == 0)
		n++;
	for (uint32_t i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return n;
}

/* Returns whether the second encoder is on a device that there is not; prints why. Its options
 * must fit those of the cases, device or not. */
static int without_device(const settings *s, const char *case_options)
{
	h264i_options o;
	char why[WHY_BYTES];

	if (cases_options(case_options, s->second, &o, why, sizeof(why)) ||
		o.backend != H264I_BACKEND_CUDA || h264i_cuda_usable(why, sizeof(why)))
		return 0;
	printf("SKIP: %s\n", why);
	return 1;
}

int main(int argc, char **argv)
{
	run r = { .lock = PTHREAD_MUTEX_INITIALIZER };
	char why[WHY_BYTES];
	double begin = now();
	uint32_t threads;
	int failed;

	switch (cli_parse(&program, &r.set, sizeof(r.set), argc, argv, why, sizeof(why))) {
	case CLI_RUN:
		break;
	case CLI_SHOW_HELP:
		cli_print_help(&program, stdout);
		return 0;
	default:
		fprintf(stderr, "encode_cases: %s\n", why);
		return CLI_EXIT_USAGE;
	}
	if (!r.set.folder) {
		fprintf(stderr, "encode_cases: FOLDER is missing; see --help\n");
		return CLI_EXIT_USAGE;
	}
	failed = cases_read(&r.list, r.set.folder, r.set.together) != 0;
	if (!failed && r.list.cases && without_device(&r.set, r.list.all->options)) {
		cases_free(&r.list);
		return EXIT_SKIP;
	}
	if (!failed) {
		uint32_t all = r.list.cases, groups;

		cases_choose(&r.list, r.set.sample, r.set.seed);
		groups = r.list.groups;
		r.end = r.set.seconds ? now() + r.set.seconds : 0;
		threads = run_all(&r);
		printf("%" PRIu32 " of %" PRIu32 " cases run, %" PRIu32 " equal (%" PRIu32
		       " of %" PRIu32 " encoders, %" PRIu32 " threads, %.1f s)\n",
			r.cases, all, r.equal, r.next, groups, threads, now() - begin);
		failed = r.cases == 0 || r.equal != r.cases;
	}
	cases_free(&r.list);
	return failed ? 1 : 0;
}
