/* Parsing of option values, and checks of option combinations. */
#include <libsched/sched.h>
#include <inttypes.h>
#include <string.h>

#include "apps/common/names.h"
#include "apps/gqueens/options.h"
#include "apps/gqueens/ranks.h"
#include "libsched/core/say.h"

typedef struct check {
	gq_options *o;
	char *msg;
	size_t msg_bytes;
} check;

/* Writes the message. Is -1. */
#define REFUSE(c, ...) lsched_i_say(-1, (c)->msg, (c)->msg_bytes, __VA_ARGS__)

/* Parses digits at *at, a value of at most `most`; advances *at. Returns 0 or -1. */
static int number(const char **at, uint64_t most, uint64_t *out)
{
	const char *digit = *at;
	uint64_t v = 0;

	for (; *digit >= '0' && *digit <= '9'; digit++) {
		v = v * 10 + (uint64_t)(*digit - '0');
		if (v > most)
			return -1;
	}
	if (digit == *at)
		return -1;
	*at = digit;
	*out = v;
	return 0;
}

/* ---- numbers of queens ---- */

/* Parses "8" or "1-20" at *at. */
static int add_range(gq_options *o, const char **at, uint64_t most)
{
	uint64_t from, to;

	if (number(at, most, &from) || from < 1)
		return -1;
	to = from;
	if (**at == '-') {
		++*at;
		if (number(at, most, &to) || to < from)
			return -1;
	}
	if (to - from >= GQ_MOST_N - o->n_count)
		return -1;
	for (uint64_t n = from; n <= to; n++)
		o->n[o->n_count++] = (uint32_t)n;
	return 0;
}

static int read_numbers(check *c, const char *text)
{
	gq_options *o = c->o;
	const uint64_t most = o->mode == GQ_FIRST && !o->given_text ? GQ_FIRST_MAX_N : NQ_MAX_N;
	const char *at = text;
	int bad;

	do
		bad = add_range(o, &at, most);
	while (!bad && *at == ',' && *++at);
	if (!bad && !*at)
		return 0;
	return REFUSE(c, "'%s' is not a number of queens (1..%" PRIu64 ") or a range such as 1-20",
		text, most);
}

static int read_words(check *c)
{
	gq_options *o = c->o;

	if (o->mode == GQ_LIST)
		return o->words.count ? REFUSE(c, "--list takes no argument '%s'", o->words.at[0])
				      : 0;
	if (o->mode == GQ_MERGE)
		return o->words.count ? 0
				      : REFUSE(c, "--merge needs at least one checkpoint file as "
						  "an argument");
	for (uint32_t i = 0; i < o->words.count; i++)
		if (read_numbers(c, o->words.at[i]))
			return -1;
	if (o->n_count == 0 && !(o->resume.given && o->resume.text))
		return REFUSE(c, "number of queens missing; see gqueens --help");
	return 0;
}

/* ---- other option values ---- */

/* Parses "r:c,r:c"; ignores repeated squares. */
static int read_given(check *c)
{
	gq_options *o = c->o;
	const char *at = o->given_text;

	while (at) {
		nq_square s;
		uint64_t row, col;
		size_t i;

		if (number(&at, NQ_MAX_N - 1, &row) || *at++ != ':' ||
			number(&at, NQ_MAX_N - 1, &col) || (*at && *at != ','))
			return REFUSE(c,
				"--given: '%s' is not row:column,row:column..., each 0..%d",
				o->given_text, NQ_MAX_N - 1);
		s.row = (uint32_t)row;
		s.col = (uint32_t)col;
		for (i = 0; i < o->n_count; i++)
			if (s.row >= o->n[i] || s.col >= o->n[i])
				return REFUSE(c,
					"--given: %" PRIu32 ":%" PRIu32
					" is not on a board of %" PRIu32
					" queens: rows and columns count from 0",
					s.row, s.col, o->n[i]);
		for (i = 0; i < o->given_count; i++)
			if (o->given[i].row == s.row && o->given[i].col == s.col)
				break;
		if (i == o->given_count)
			o->given[o->given_count++] = s;
		at = *at ? at + 1 : NULL;
	}
	return 0;
}

static int read_range(check *c)
{
	gq_options *o = c->o;
	const char *at = o->range_text;
	uint64_t part, parts;

	if (!at)
		return 0;
	if (number(&at, UINT32_MAX, &part) || *at++ != '/' || number(&at, UINT32_MAX, &parts) ||
		*at || part < 1 || part > parts)
		return REFUSE(c, "--range: '%s' is not I/N with I from 1 to N, such as 2/3",
			o->range_text);
	o->part = (uint32_t)part;
	o->parts = (uint32_t)parts;
	return 0;
}

static int read_device(check *c)
{
	gq_options *o = c->o;
	const char *at = o->device_text;
	uint64_t device;

	o->device = -1;
	if (!at)
		return 0;
	if (o->backend == NQ_BACKEND_CPU)
		return REFUSE(
			c, "--device cannot be combined with --backend cpu; remove one of them");
	o->backend = NQ_BACKEND_CUDA; /* --device selects the GPU */
	o->device = NQ_ALL_DEVICES;
	if (strcmp(at, "all") == 0)
		return 0;
	if (number(&at, 1023, &device) || *at)
		return REFUSE(c, "--device: '%s' is not all or a number 0..1023", o->device_text);
	o->device = (int)device;
	return 0;
}

/* Parses the count of --print or --verify-sample. */
static int read_count(check *c, const char *name, const cli_optional *m, uint64_t preset,
	uint64_t most, uint64_t *out)
{
	const char *at = m->text;

	*out = m->given ? preset : 0;
	if (!m->given || !at)
		return 0;
	if (number(&at, most, out) || *at || *out < 1)
		return REFUSE(c, "--%s: '%s' is not 1..%" PRIu64, name, m->text, most);
	return 0;
}

/* In `gqueens --print 8` the 8 is N, because no other argument is. */
static void return_operand(gq_options *o, cli_optional *m)
{
	if (o->words.count || !m->separate || (o->resume.given && o->resume.text) || o->merge ||
		o->list)
		return;
	o->words.at[o->words.count++] = m->text;
	m->text = NULL;
	m->separate = 0;
}

/* ---- combinations ---- */

static const char *const mode_names[GQ_MODE_COUNT] = { "counting", "--estimate", "--print",
	"--first", "--merge", "--list" };

static int choose_mode(check *c)
{
	gq_options *o = c->o;
	const int asked[GQ_MODE_COUNT] = { [GQ_ESTIMATE] = o->estimate,
		[GQ_PRINT] = o->print.given,
		[GQ_FIRST] = o->first,
		[GQ_MERGE] = o->merge,
		[GQ_LIST] = o->list };

	o->mode = GQ_COUNT;
	for (int m = GQ_ESTIMATE; m < GQ_MODE_COUNT; m++) {
		if (!asked[m])
			continue;
		if (o->mode != GQ_COUNT)
			return REFUSE(c, "%s and %s exclude each other", mode_names[o->mode],
				mode_names[m]);
		o->mode = (gq_mode)m;
	}
	if (o->mode == GQ_COUNT && o->svg)
		o->mode = GQ_PRINT;
	return 0;
}

enum { BIT_COUNT = 1 << GQ_COUNT, BIT_SHOW = 1 << GQ_PRINT | 1 << GQ_FIRST };

static int check_modes(check *c)
{
	const gq_options *o = c->o;
	const struct {
		const char *name;
		int given;
		unsigned modes;
	} rules[] = {
		{ "unique", o->unique, BIT_COUNT | 1 << GQ_MERGE | 1 << GQ_PRINT },
		{ "given", o->given_text != NULL, BIT_COUNT | BIT_SHOW | 1 << GQ_ESTIMATE },
		{ "toroidal", o->toroidal, BIT_COUNT | BIT_SHOW | 1 << GQ_ESTIMATE },
		{ "svg", o->svg != NULL, BIT_SHOW },
		{ "time-limit", o->time_limit_s > 0, BIT_COUNT | 1 << GQ_MERGE | 1 << GQ_ESTIMATE },
		{ "checkpoint", o->checkpoint != NULL, BIT_COUNT | 1 << GQ_MERGE },
		{ "resume", o->resume.given, BIT_COUNT },
		{ "range", o->range_text != NULL, BIT_COUNT },
		{ "verify-sample", o->verify.given, BIT_COUNT | 1 << GQ_MERGE },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].given && !(rules[i].modes >> o->mode & 1))
			return REFUSE(c, "--%s cannot be combined with %s; remove one of them",
				rules[i].name, mode_names[o->mode]);
	return 0;
}

static int check_together(check *c)
{
	const gq_options *o = c->o;

	if (o->unique && (o->toroidal || o->range_text))
		return REFUSE(c, "--unique cannot be combined with --toroidal or --range: it needs "
				 "the count of all boards");
	if (o->given_text && o->toroidal && (o->mode == GQ_COUNT || o->mode == GQ_ESTIMATE))
		return REFUSE(
			c, "--given and --toroidal can be combined with --print or --first only");
	if (o->n_count > 1 && (o->checkpoint || o->resume.given || o->range_text))
		return REFUSE(c, "--checkpoint, --resume and --range need exactly one N");
	if (o->resume.given && !o->resume.text && !o->checkpoint)
		return REFUSE(c, "--resume needs a file: name it here or with --checkpoint");
	if (o->range_text && gq_ranks() > 1)
		return REFUSE(
			c, "--range cannot be combined with mpirun, which divides the work itself");
	if (o->memory_gb > 0 && o->backend == NQ_BACKEND_CPU)
		return REFUSE(c, "--memory-limit cannot be combined with --backend cpu; remove one "
				 "of them");
	if (o->svg && o->n_count > 1)
		return REFUSE(c, "--svg needs exactly one N");
	if (o->svg && o->n[0] > GQ_PICTURE_N)
		return REFUSE(c, "--svg draws boards of at most %d queens", GQ_PICTURE_N);
	if (o->svg && o->print_most > GQ_MOST_PICTURES)
		return REFUSE(c, "--svg draws at most %d boards", GQ_MOST_PICTURES);
	return 0;
}

static void finish_files(gq_options *o)
{
	if (!o->resume.given)
		return;
	o->resume_path = o->resume.text ? o->resume.text : o->checkpoint;
	o->resume_if_there = o->checkpoint && strcmp(o->resume_path, o->checkpoint) == 0;
	if (!o->checkpoint)
		o->checkpoint = o->resume_path;
}

/* No file takes two outputs, and no report replaces a checkpoint that is read. A checkpoint may
 * replace it: --resume continues in the same file, and with --overwrite a merged checkpoint may
 * replace a part. */
static int check_files(check *c)
{
	const gq_options *o = c->o;
	named_file files[3 + CLI_WORDS_MAX] = { { "--json", o->json_path, 0 },
		{ "--svg", o->svg, 0 }, { "--checkpoint", o->checkpoint, 0 } };
	size_t count = 3;

	if (names_check(files, count, c->msg, c->msg_bytes))
		return -1;
	files[2] = (named_file){ "--resume", o->resume_path, 1 };
	for (uint32_t i = 0; o->mode == GQ_MERGE && i < o->words.count; i++)
		files[count++] = (named_file){ "--merge", o->words.at[i], 1 };
	return names_check(files, count, c->msg, c->msg_bytes);
}

int gq_options_finish(gq_options *o, char *msg, size_t msg_bytes)
{
	check c = { o, msg, msg_bytes };
	uint64_t verify = 0;

	if (choose_mode(&c))
		return -1;
	return_operand(o, &o->print);
	return_operand(o, &o->verify);
	if (read_words(&c) || read_given(&c) || read_range(&c) || read_device(&c) ||
		read_count(&c, "print", &o->print, 0, UINT64_MAX / 16, &o->print_most) ||
		read_count(&c, "verify-sample", &o->verify, GQ_VERIFY, UINT32_MAX, &verify))
		return -1;
	o->verify_units = (uint32_t)verify;
	if (o->json.given)
		o->json_path = o->json.text ? o->json.text : "-";
	if (check_modes(&c) || check_together(&c))
		return -1;
	if (o->svg && !o->print_most)
		o->print_most = GQ_PICTURES;
	finish_files(o);
	return check_files(&c);
}

/* Long runs get smaller units than the library's default, because a killed run loses its unfinished
 * units. With these values a unit of 24 queens takes half a minute on one CPU thread. */
enum { FINE_N = 22, FINE_TASKS = 1 << 20, FINE_UNIT = 8 };

void gq_plan_options(const gq_options *o, uint32_t n, nq_plan_options *po)
{
	nq_plan_options_init(po);
	po->n = n;
	po->method = (nq_method)o->method;
	po->backend = (nq_backend)o->backend;
	po->toroidal = (uint32_t)o->toroidal;
	po->given = o->given_count ? o->given : NULL;
	po->given_count = o->given_count;
	if (n >= FINE_N) {
		po->min_tasks = FINE_TASKS;
		po->unit_tasks = FINE_UNIT;
	}
}

void gq_run_queue(const gq_options *o, nq_run_options *ro)
{
	ro->by_queue = o->queue != GQ_QUEUE_AUTO;
	ro->queue = ro->by_queue ? lsched_queue_name((lsched_queue)(o->queue - 1)) : NULL;
}

const char *gq_queue_name(const gq_options *o)
{
	return o->queue == GQ_QUEUE_AUTO ? "auto" : lsched_queue_name((lsched_queue)(o->queue - 1));
}
