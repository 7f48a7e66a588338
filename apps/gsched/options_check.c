/* Checks combinations of the options of gsched. */
#include "apps/common/names.h"
#include "apps/gsched/options.h"
#include "libsched/core/say.h"

#include <stdio.h>
#include <string.h>

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

/* No output may be another output or an input. A workload has one option for inputs at most. */
static int check_files(const gs_command *c, const gs_options *o, char *msg, size_t msg_bytes)
{
	enum { OUTPUTS = 5, OF_WORK = 4, INPUTS = 3 };
	named_file files[OUTPUTS + OF_WORK + INPUTS] = { { "--json", o->json, 0 },
		{ "--csv", o->csv, 0 }, { "--svg", o->svg, 0 }, { "--trace", o->trace, 0 },
		{ "--out", o->out, 0 } };
	char option[OF_WORK + 1][40], first[4096];
	size_t n = OUTPUTS, own = 0;

	for (const wl_param *p = c->type ? c->type->params : NULL; p && p->name; p++) {
		const char *value;

		if (p->kind != WL_OUTPUT && p->kind != WL_FILE)
			continue;
		memcpy(&value, (const char *)o->work + p->field, sizeof(value));
		if (!value || own > OF_WORK)
			continue;
		snprintf(option[own], sizeof(option[own]), "--%s", p->name);
		if (p->kind == WL_FILE)
			n += add_inputs(&files[n], option[own], value, first);
		else
			files[n++] = (named_file){ option[own], value, 0 };
		own++;
	}
	if (o->compare)
		n += add_inputs(&files[n], "--compare", o->compare, first);
	return names_check(files, n, msg, msg_bytes);
}

/* Returns 0, or -1 with msg. */
static int check_compare(const gs_options *o, char *msg, size_t msg_bytes)
{
	const struct {
		const char *name;
		int given;
	} others[] = { { "json", o->json != NULL }, { "scale", o->scale != 0 },
		{ "scenes", o->scenes != NULL }, { "meshes", o->meshes != NULL },
		{ "backend", o->backend != 0 }, { "device", o->device >= 0 } };
	const char *comma = o->compare ? strchr(o->compare, ',') : NULL;

	if (!o->compare)
		return 0;
	if (!comma || comma == o->compare || !comma[1] || strchr(comma + 1, ','))
		return lsched_i_say(-1, msg, msg_bytes,
			"--compare '%s' is not two files with one comma between them", o->compare);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return lsched_i_say(-1, msg, msg_bytes,
				"--%s has no effect with --compare; remove one of them",
				others[i].name);
	return 0;
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

		if (n > GS_MAX_LISTED)
			return lsched_i_say(-1, msg, msg_bytes,
				"--%s has %zu values; at most %d are measured", lists[i].name, n,
				GS_MAX_LISTED);
	}
	return 0;
}

int gs_options_check(const gs_command *c, const gs_options *o, char *msg, size_t msg_bytes)
{
	lsched_queue queues[GS_MAX_LISTED];
	lsched_scheme schemes[GS_MAX_LISTED];
	uint32_t workers[GS_MAX_LISTED];
	size_t cases;

	if (o->device >= 0 && o->backend == LSCHED_BACKEND_CPU)
		return lsched_i_say(-1, msg, msg_bytes,
			"--device has no effect with --backend cpu; remove one of them");
	if (check_compare(o, msg, msg_bytes) || check_files(c, o, msg, msg_bytes) ||
		check_lists(o, msg, msg_bytes))
		return -1;
	if (c->type && c->type->check_options && c->type->check_options(o->work, msg, msg_bytes))
		return -1;
	cases = gs_list_queues(o, queues) * gs_list_workers(o, workers);
	if (o->schemes &&
		!(gs_list_schemes(o, schemes) == 1 && schemes[0] == LSCHED_SCHEME_DYNAMIC))
		cases *= gs_list_schemes(o, schemes);
	if (c->type && (o->trace || o->stats) && cases != 1)
		return lsched_i_say(-1, msg, msg_bytes,
			"%s needs exactly one scheme, queue and number of workers; set "
			"--sched, --queue and --workers",
			o->trace ? "--trace" : "--stats");
	return 0;
}
