/* What the options name: queues, schemes, numbers of workers; and what follows from several options. */
#include "apps/gsched/options.h"
#include "apps/common/names.h"
#include "apps/gsched/load_tree_items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By name, since the table of queues grows. */
const char *gs_queue_text(lsched_queue q)
{
	static const char *const texts[][2] = {
		{ "ring", "one bounded FIFO for all, tickets by fetch-and-add" },
		{ "block", "one deque behind one lock (2010)" },
		{ "dist", "private bins, nothing shared (2010)" },
		{ "steal", "private bins; who has nothing takes from others, under a lock (2010)" },
		{ "abp", "private deques, stolen from without locks (Arora, Blumofe, Plaxton; "
			 "2011)" },
		{ "donate", "private bins; a full one gives to others (2010)" },
		{ "relaunch", "two arrays and a launch a round, the static scheme of 2011" },
		{ "compact", "the same, with a pass that closes gaps (2009)" },
		{ "balance",
			"private queues in fast memory, evened out when many are idle (2009)" },
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
		"a counter of arrivals at each task; the last arrival puts it into the queue",
		"chains of tasks in a fixed order, a flag to wait for at each task",
		"a barrier after each wavefront",
		"as static, for tasks that hand on a word each, which comes with its flag",
	};

	return (size_t)s < sizeof(texts) / sizeof(texts[0]) ? texts[s] : "";
}

/* Words into values by a parse function of libsched; "all" is every value from 0 on. */
static size_t list_words(
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
	size_t n = list_words(o->queues, LSCHED_QUEUE_COUNT, parse_queue, v);

	for (size_t i = 0; i < n; i++)
		out[i] = (lsched_queue)v[i];
	return n;
}

size_t gs_list_schemes(const gs_options *o, lsched_scheme out[GS_MAX_LISTED])
{
	int v[GS_MAX_LISTED];
	size_t n = list_words(o->schemes, LSCHED_SCHEME_EPOCH + 1, parse_scheme, v);

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

/* No file takes two outputs. */
static int check_names(const gs_options *o, char *msg, size_t msg_bytes)
{
	const named_file files[] = { { "--json", o->json, 0 }, { "--csv", o->csv, 0 },
		{ "--svg", o->svg, 0 }, { "--trace", o->trace, 0 } };

	return names_check(files, sizeof(files) / sizeof(files[0]), msg, msg_bytes);
}

int gs_options_check(gs_command command, const gs_options *o, char *msg, size_t msg_bytes)
{
	lsched_queue queues[GS_MAX_LISTED];
	lsched_scheme schemes[GS_MAX_LISTED];
	uint32_t workers[GS_MAX_LISTED];
	size_t cases;

	if (check_names(o, msg, msg_bytes))
		return -1;
	if (command == GS_WAVEFRONT && o->slices > o->size.height) {
		snprintf(msg, msg_bytes, "--slices: %u is more than the %u rows", o->slices,
			o->size.height);
		return -1;
	}
	if (command == GS_WAVEFRONT &&
		(uint64_t)o->size.width * o->size.height * o->frames > LSCHED_MAX_TASKS) {
		snprintf(msg, msg_bytes, "--frames: more than %u tasks in all", LSCHED_MAX_TASKS);
		return -1;
	}
	if (o->grain != GS_GRAIN_TASK &&
		(o->children > (o->grain == GS_GRAIN_LANE ? (uint32_t)GSLANE_MAX_CHILDREN
							  : (uint32_t)GSWARP_MAX_CHILDREN) ||
			o->time_work || o->never_keep)) {
		snprintf(msg, msg_bytes,
			"--grain lane takes at most %d children, warp %d, and only task goes with "
			"--time-work and --never-keep",
			GSLANE_MAX_CHILDREN, GSWARP_MAX_CHILDREN);
		return -1;
	}
	cases = gs_list_queues(o, queues) * gs_list_workers(o, workers);
	if (o->schemes &&
		!(gs_list_schemes(o, schemes) == 1 && schemes[0] == LSCHED_SCHEME_DYNAMIC))
		cases *= gs_list_schemes(o, schemes);
	if (o->trace && cases != 1) {
		snprintf(msg, msg_bytes,
			"--trace shows one start: name one scheme, one queue and one number of "
			"workers");
		return -1;
	}
	return 0;
}
