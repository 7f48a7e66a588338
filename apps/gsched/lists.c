/* The values of the options: queues, schemes, numbers of workers; checks of combinations of
 * options. */
#include "apps/gsched/options.h"
#include "apps/common/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the text by name, because a queue that was added to libsched has none here. */
const char *gs_queue_text(lsched_queue q)
{
	static const char *const texts[][2] = {
		{ "ring", "one bounded FIFO, slots assigned by fetch-and-add" },
		{ "block", "one FIFO with one lock (2010)" },
		{ "dist", "one deque per worker, no sharing (2010)" },
		{ "steal", "one deque per worker; idle workers steal, with a lock (2010)" },
		{ "abp", "one deque per worker; idle workers steal, without locks (Arora, "
			 "Blumofe, Plaxton; 2011)" },
		{ "donate", "one deque per worker; items that overflow go to other deques (2010)" },
		{ "relaunch", "two arrays, one launch per level: the static scheme of 2011" },
		{ "compact", "as relaunch, with a compaction pass after each launch (2009)" },
		{ "balance", "one queue per worker in fast memory, redistributed when many workers "
			     "are idle (2009)" },
		{ "prio", "one ring that a controller sorts by priority (Softshell, 2012)" },
	};
	const char *name = lsched_queue_name(q);

	for (size_t i = 0; name && i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i][0], name) == 0)
			return texts[i][1];
	return "a queue of libsched";
}

const char *gs_scheme_text(lsched_scheme s)
{
	static const char *const texts[] = {
		"counts the arrivals at each task; the last arrival enqueues it",
		"chains of tasks in a fixed order; a task waits for its predecessors' flags",
		"a barrier after each wavefront",
		"as static; a task passes one word to its successors, with its flag",
	};

	return (size_t)s < sizeof(texts) / sizeof(texts[0]) ? texts[s] : "";
}

/* Parses a comma-separated list of names; "all" is every value from 0 on. Returns their number. */
static size_t parse_names(
	const char *words, int count, int (*parse)(const char *, int *), int out[GS_MAX_LISTED])
{
	size_t n = 0;

	while (words && *words && n < GS_MAX_LISTED) {
		const char *word;
		size_t bytes = cli_next_word(&words, &word);
		char name[32];
		int v;

		snprintf(name, sizeof(name), "%.*s", (int)bytes, word);
		if (strcmp(name, "all") == 0)
			for (v = 0; v < count && n < GS_MAX_LISTED; v++)
				out[n++] = v;
		else if (parse(name, &v) == 0)
			out[n++] = v;
	}
	return n;
}

static int parse_queue(const char *name, int *out)
{
	lsched_queue q;
	int bad = lsched_queue_parse(name, &q);

	*out = (int)q;
	return bad;
}

static int parse_scheme(const char *name, int *out)
{
	lsched_scheme s;
	int bad = lsched_scheme_parse(name, &s);

	*out = (int)s;
	return bad;
}

size_t gs_list_queues(const gs_options *o, lsched_queue out[GS_MAX_LISTED])
{
	int v[GS_MAX_LISTED];
	size_t n = parse_names(o->queues, LSCHED_QUEUE_COUNT, parse_queue, v);

	for (size_t i = 0; i < n; i++)
		out[i] = (lsched_queue)v[i];
	return n;
}

size_t gs_list_schemes(const gs_options *o, lsched_scheme out[GS_MAX_LISTED])
{
	int v[GS_MAX_LISTED];
	size_t n = parse_names(o->schemes, LSCHED_SCHEME_COUNT, parse_scheme, v);

	for (size_t i = 0; i < n; i++)
		out[i] = (lsched_scheme)v[i];
	return n;
}

size_t gs_list_workers(const gs_options *o, uint32_t out[GS_MAX_LISTED])
{
	const char *at = o->workers, *word;
	size_t n = 0;

	while (at && *at && n < GS_MAX_LISTED) {
		(void)cli_next_word(&at, &word);
		out[n++] = (uint32_t)strtoul(word, NULL, 10);
	}
	return n;
}

/* The files of a workload's option, whose value may be two names with a comma between. Returns
 * their number, at most three; `first` has room for the first name. */
static size_t add_inputs(named_file *to, const char *option, const char *value, char first[4096])
{
	const char *comma = strchr(value, ',');

	to[0] = (named_file){ option, value, 1 };
	if (!comma)
		return 1;
	snprintf(first, 4096, "%.*s", (int)(comma - value), value);
	to[1] = (named_file){ option, first, 1 };
	to[2] = (named_file){ option, comma + 1, 1 };
	return 3;
}

/* The files from which the workload is made, separated by commas, and the name of their option;
 * NULL: none. */
static const char *work_files(const gs_command *c, const gs_options *o, const char **name)
{
	const wl_param *p = c->type ? c->type->params : NULL;
	const char *value = NULL;

	while (p && p->name && p->kind != WL_FILE) /* a workload has one such option at most */
		p++;
	if (p && p->name)
		memcpy(&value, (const char *)o->work + p->field, sizeof(value));
	if (value)
		*name = p->name;
	return value;
}

/* No output may be another output or an input. */
static int check_files(const gs_command *c, const gs_options *o, char *msg, size_t msg_bytes)
{
	enum { OUTPUTS = 4, INPUTS = 3 };
	named_file files[OUTPUTS + INPUTS] = { { "--json", o->json, 0 }, { "--csv", o->csv, 0 },
		{ "--svg", o->svg, 0 }, { "--trace", o->trace, 0 } };
	const char *name, *value = work_files(c, o, &name);
	char option[40], first[4096];
	size_t n = OUTPUTS;

	if (value) {
		snprintf(option, sizeof(option), "--%s", name);
		n += add_inputs(&files[n], option, value, first);
	}
	return names_check(files, n, msg, msg_bytes);
}

/* Returns the number of values of a list in which "all" is `all` values. */
static size_t count_listed(const char *list, size_t all)
{
	const char *word;
	size_t n = 0;

	while (list && *list) {
		const size_t bytes = cli_next_word(&list, &word);

		n += bytes == 3 && memcmp(word, "all", 3) == 0 ? all : 1;
	}
	return n;
}

/* Returns 0, or -1 with msg if a list has more values than are measured. */
static int check_lists(const gs_options *o, char *msg, size_t msg_bytes)
{
	const struct {
		const char *name, *list;
		size_t all;
	} lists[] = { { "workers", o->workers, 0 }, { "queue", o->queues, LSCHED_QUEUE_COUNT },
		{ "sched", o->schemes, LSCHED_SCHEME_COUNT } };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const size_t n = count_listed(lists[i].list, lists[i].all);

		if (n > GS_MAX_LISTED) {
			snprintf(msg, msg_bytes, "--%s has %zu values; at most %d are measured",
				lists[i].name, n, GS_MAX_LISTED);
			return -1;
		}
	}
	return 0;
}

int gs_options_check(const gs_command *c, const gs_options *o, char *msg, size_t msg_bytes)
{
	lsched_queue queues[GS_MAX_LISTED];
	lsched_scheme schemes[GS_MAX_LISTED];
	uint32_t workers[GS_MAX_LISTED];
	size_t cases;

	if (o->device >= 0 && o->backend == LSCHED_BACKEND_CPU) {
		snprintf(msg, msg_bytes,
			"--device has no effect with --backend cpu; remove one of them");
		return -1;
	}
	if (check_files(c, o, msg, msg_bytes) || check_lists(o, msg, msg_bytes))
		return -1;
	if (c->type && c->type->check_options && c->type->check_options(o->work, msg, msg_bytes))
		return -1;
	cases = gs_list_queues(o, queues) * gs_list_workers(o, workers);
	if (o->schemes &&
		!(gs_list_schemes(o, schemes) == 1 && schemes[0] == LSCHED_SCHEME_DYNAMIC))
		cases *= gs_list_schemes(o, schemes);
	if (o->trace && cases != 1) {
		snprintf(msg, msg_bytes,
			"--trace needs exactly one scheme, queue and number of workers; set "
			"--sched, --queue and --workers");
		return -1;
	}
	return 0;
}
