/* The values of the options: queues, schemes, numbers of workers. */
#include "apps/gsched/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the text by name, because a queue that was added to libsched has none here. */
const char *gs_queue_text(lsched_queue q)
{
	static const char *const texts[][2] = {
		{ "ring", "one bounded FIFO, slots assigned by fetch-and-add" },
		{ "block", "one FIFO with one lock (2010)" },
		{ "dist", "one LIFO per worker, no sharing (2010)" },
		{ "steal", "one deque per worker; idle workers steal, with a lock (2010)" },
		{ "abp", "one deque per worker; idle workers steal, without locks (Arora, "
			 "Blumofe, Plaxton; 2011)" },
		{ "donate", "one deque per worker; items that overflow go to other deques (2010)" },
		{ "relaunch", "two arrays, one launch per level: the static scheme of 2011" },
		{ "compact", "as relaunch, with a compaction pass after each launch (2009)" },
		{ "balance", "one queue per worker in fast memory, redistributed when many workers "
			     "are idle (2009)" },
		{ "prio", "one ring that a controller sorts by priority (Softshell, 2012)" },
		{ "buffer", "as steal; items that overflow go to one common buffer (2010)" },
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
