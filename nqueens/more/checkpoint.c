/* Ledgers as text. <nqueens/checkpoint.h> shows the format. */
#include <nqueens/checkpoint.h>
#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "nqueens checkpoint "

enum { COUNTS_A_LINE = 16, SUM_LINE_BYTES = 4 + 16 + 1 };

/* CRC-64 of ECMA-182, bits reflected. */
typedef struct crc {
	uint64_t table[256], sum;
} crc;

static void crc_begin(crc *c)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint64_t v = i;

		for (int bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? UINT64_C(0xc96c5795d7870f42) : 0);
		c->table[i] = v;
	}
	c->sum = UINT64_MAX;
}

static void crc_add(crc *c, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		c->sum = c->sum >> 8 ^ c->table[(c->sum ^ (unsigned char)text[i]) & 0xff];
}

static uint64_t crc_end(const crc *c)
{
	return ~c->sum;
}

/* ---- writing ---- */

typedef struct out {
	nq_write_fn write;
	void *opaque;
	crc sum;
	int failed;
	size_t used;
	char block[4096];
} out;

static void hand_on(out *o)
{
	if (o->used && !o->failed && o->write(o->opaque, o->block, o->used))
		o->failed = 1;
	o->used = 0;
}

__attribute__((format(printf, 2, 3))) static void put(out *o, const char *format, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (o->used + (size_t)n > sizeof(o->block))
		hand_on(o);
	crc_add(&o->sum, text, (size_t)n);
	memcpy(o->block + o->used, text, (size_t)n);
	o->used += (size_t)n;
}

static void put_head(out *o, const nq_plan *plan, const nq_plan_options *po)
{
	put(o, MAGIC "%d\n", NQ_CHECKPOINT_VERSION);
	put(o,
		"plan n=%" PRIu32 " method=%s cross=%" PRIu32 " min-tasks=%" PRIu32
		" unit-tasks=%" PRIu32 " plain=%d toroidal=%d\n",
		nq_plan_n(plan), nq_method_name(nq_plan_method(plan)), po->cross, po->min_tasks,
		po->unit_tasks, po->plain != 0, po->toroidal != 0);
	for (size_t i = 0; i < po->given_count; i++)
		put(o, "%s %" PRIu32 ":%" PRIu32, i ? "" : "given", po->given[i].row,
			po->given[i].col);
	if (po->given_count)
		put(o, "\n");
	put(o, "hash %016" PRIx64 "\n", nq_plan_hash(plan));
}

/* Each unit is asked once whether it is done: a run may be entering units. */
static void put_units(out *o, const nq_ledger *ledger)
{
	const size_t units = nq_ledger_units(ledger);
	uint64_t done = 0;
	uint32_t on_line = 0;

	for (size_t i = 0; i < units; i++) {
		if (!nq_ledger_done(ledger, i)) {
			put(o, "%s", on_line ? "\n" : "");
			on_line = 0;
			continue;
		}
		if (on_line == COUNTS_A_LINE) {
			put(o, "\n");
			on_line = 0;
		}
		if (on_line == 0)
			put(o, "at %zu:", i);
		put(o, " %" PRIu64, nq_ledger_unit_count(ledger, i));
		on_line++;
		done++;
	}
	put(o, "%sdone %" PRIu64 "\n", on_line ? "\n" : "", done);
}

nq_status nq_checkpoint_write(const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, nq_write_fn write, void *opaque)
{
	out o = { .write = write, .opaque = opaque };
	nq_plan_options known;
	nq_status st;

	nq_plan_options_init(&known);
	if (!plan || !options || !ledger || !write || part > parts || (parts && !part))
		return nq_i_fail(NQ_ERR_ARG, "nq_checkpoint_write needs plan, options, ledger, a "
					     "writer and part 1 to parts");
	st = nq_i_read_sized("nq_plan_options", &known, sizeof(known),
		LSCHED_I_SIZE_TO(nq_plan_options, given_count), options);
	if (st != NQ_OK)
		return st;
	options = &known;
	if (options->given_count > NQ_CHECKPOINT_GIVEN)
		return nq_i_fail(NQ_ERR_ARG, "%zu given queens: a checkpoint holds %d",
			options->given_count, NQ_CHECKPOINT_GIVEN);
	if (nq_ledger_hash(ledger) != nq_plan_hash(plan) ||
		nq_ledger_units(ledger) != nq_plan_units(plan, NULL))
		return nq_i_fail(NQ_ERR_ARG, "the ledger belongs to another plan");
	crc_begin(&o.sum);
	put_head(&o, plan, options);
	put(&o, "units %zu\npart %" PRIu32 " of %" PRIu32 "\n", nq_ledger_units(ledger), part,
		parts);
	put_units(&o, ledger);
	put(&o, "sum %016" PRIx64 "\n", crc_end(&o.sum));
	hand_on(&o);
	return o.failed ? NQ_CANCELLED : NQ_OK;
}

/* ---- reading ---- */

typedef struct in {
	const char *at, *end;
	int bad;
} in;

/* Goes over `text` if it stands there. */
static int next_is(in *p, const char *text)
{
	const size_t n = strlen(text);

	if (p->bad || (size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0)
		return 0;
	p->at += n;
	return 1;
}

static void expect(in *p, const char *text)
{
	if (!next_is(p, text))
		p->bad = 1;
}

static uint64_t number(in *p, uint64_t most)
{
	const char *first = p->at;
	uint64_t v = 0;

	while (!p->bad && p->at < p->end && *p->at >= '0' && *p->at <= '9') {
		const uint64_t digit = (uint64_t)(*p->at++ - '0');

		if (v > (most - digit) / 10 || digit > most)
			p->bad = 1;
		else
			v = v * 10 + digit;
	}
	if (p->at == first || (*first == '0' && p->at > first + 1))
		p->bad = 1;
	return p->bad ? 0 : v;
}

static uint64_t hexadecimal(in *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 16; i++) {
		const char *digits = "0123456789abcdef";
		const char *d = p->at < p->end && *p->at ? strchr(digits, *p->at) : NULL;

		if (!d || p->bad) {
			p->bad = 1;
			return 0;
		}
		v = v << 4 | (uint64_t)(d - digits);
		p->at++;
	}
	return v;
}

static uint32_t option(in *p, const char *name, uint32_t most)
{
	expect(p, name);
	return (uint32_t)number(p, most);
}

static void read_plan(in *p, nq_checkpoint *head)
{
	nq_plan_options *o = &head->plan;
	int m = NQ_METHOD_TASKS;

	o->n = option(p, "plan n=", NQ_MAX_N);
	expect(p, " method=");
	while (nq_method_name((nq_method)m) && !next_is(p, nq_method_name((nq_method)m)))
		m++;
	if (!nq_method_name((nq_method)m))
		p->bad = 1;
	o->method = (nq_method)m;
	o->cross = option(p, " cross=", NQ_MAX_N);
	o->min_tasks = option(p, " min-tasks=", NQ_MIN_TASKS_MAX);
	o->unit_tasks = option(p, " unit-tasks=", UINT32_MAX);
	o->plain = option(p, " plain=", 1);
	o->toroidal = option(p, " toroidal=", 1);
	expect(p, "\n");
}

static void read_given(in *p, nq_checkpoint *head)
{
	if (!next_is(p, "given"))
		return;
	do {
		nq_square *s = &head->given[head->plan.given_count];

		if (head->plan.given_count == NQ_CHECKPOINT_GIVEN) {
			p->bad = 1;
			return;
		}
		s->row = option(p, " ", NQ_MAX_N - 1);
		s->col = option(p, ":", NQ_MAX_N - 1);
		head->plan.given_count++;
	} while (!p->bad && !next_is(p, "\n"));
	head->plan.given = head->given;
}

static void read_head(in *p, nq_checkpoint *head)
{
	expect(p, MAGIC);
	expect(p, "1\n");
	read_plan(p, head);
	read_given(p, head);
	expect(p, "hash ");
	head->hash = hexadecimal(p);
	expect(p, "\nunits ");
	head->units = number(p, UINT32_MAX);
	expect(p, "\npart ");
	head->part = (uint32_t)number(p, UINT32_MAX);
	expect(p, " of ");
	head->parts = (uint32_t)number(p, UINT32_MAX);
	expect(p, "\n");
	if (head->part > head->parts || (head->parts && !head->part))
		p->bad = 1;
}

/* Called for each unit in the text; nonzero ends the reading. */
typedef int (*unit_fn)(nq_ledger *ledger, uint64_t unit, uint64_t count);

/* The lines of the units and the one behind them. Numbers rise, so none comes twice. Returns the unit that
 * made fn end it, or UINT64_MAX. */
static uint64_t read_units(in *p, nq_checkpoint *head, unit_fn fn, nq_ledger *ledger)
{
	uint64_t next = 0;

	while (next_is(p, "at ")) {
		uint64_t unit = number(p, UINT32_MAX);

		if (unit < next)
			p->bad = 1;
		expect(p, ":");
		do {
			uint64_t count;

			expect(p, " ");
			count = number(p, UINT64_MAX);
			if (unit >= head->units)
				p->bad = 1;
			if (p->bad)
				return UINT64_MAX;
			if (fn && fn(ledger, unit, count))
				return unit;
			unit++;
			head->done++;
		} while (!next_is(p, "\n"));
		next = unit;
	}
	expect(p, "done ");
	if (number(p, UINT64_MAX) != head->done)
		p->bad = 1;
	expect(p, "\n");
	return UINT64_MAX;
}

static nq_status refuse(nq_checkpoint *head, char *why, size_t why_bytes, const char *text)
{
	nq_checkpoint_init(head);
	if (why && why_bytes)
		snprintf(why, why_bytes, "%s", text);
	return nq_i_fail(NQ_ERR_FORMAT, "the text %s", text);
}

/* What a text that begins right has against it; NULL: nothing. */
static const char *check_version_and_sum(const char *text, size_t bytes)
{
	in head = { text, text + bytes, 0 }, tail;
	crc sum;

	expect(&head, MAGIC);
	number(&head, UINT32_MAX);
	if (!head.bad && !next_is(&head, "\n"))
		head.bad = 1;
	if (!head.bad && memcmp(text + sizeof(MAGIC) - 1, "1\n", 2) != 0)
		return "is of another version of this program";
	tail.at = text + bytes - (bytes < SUM_LINE_BYTES ? bytes : SUM_LINE_BYTES);
	tail.end = text + bytes;
	tail.bad = 0;
	if (!next_is(&tail, "sum "))
		return "is cut short or damaged";
	crc_begin(&sum);
	crc_add(&sum, text, bytes - SUM_LINE_BYTES);
	if (hexadecimal(&tail) != crc_end(&sum) || tail.bad || !next_is(&tail, "\n"))
		return "is damaged: its checksum does not fit";
	return NULL;
}

static nq_status read_all(
	const char *text, size_t bytes, nq_checkpoint *head, char *why, size_t why_bytes)
{
	in p = { text, text + bytes, 0 };
	const char *fault;

	nq_checkpoint_init(head);
	if (!next_is(&p, MAGIC))
		return refuse(head, why, why_bytes,
			bytes ? "is no checkpoint" : "is empty, not a checkpoint");
	fault = check_version_and_sum(text, bytes);
	if (fault)
		return refuse(head, why, why_bytes, fault);
	p.at = text;
	p.end -= SUM_LINE_BYTES;
	read_head(&p, head);
	read_units(&p, head, NULL, NULL);
	if (p.bad || p.at != p.end)
		return refuse(
			head, why, why_bytes, "is no checkpoint that this program has written");
	return NQ_OK;
}

/* Writes to the caller's struct, in which plan is last: its size is the caller's, too. */
static nq_status write_head(nq_checkpoint *to, const nq_checkpoint *from)
{
	const size_t plan_at = offsetof(nq_checkpoint, plan);
	nq_status st = nq_i_write_sized("nq_checkpoint", to, sizeof(*from),
		plan_at + LSCHED_I_SIZE_TO(nq_plan_options, given_count), from);

	if (st != NQ_OK)
		return st;
	to->plan.struct_bytes = to->struct_bytes - plan_at;
	to->plan.given = from->plan.given ? to->given : NULL;
	return NQ_OK;
}

nq_status nq_checkpoint_read(
	const char *text, size_t bytes, nq_checkpoint *head, char *why, size_t why_bytes)
{
	nq_checkpoint own;
	nq_status st, written;

	if (why && why_bytes)
		why[0] = '\0';
	nq_checkpoint_init(&own);
	if (!head)
		return nq_i_fail(NQ_ERR_ARG, "nq_checkpoint_read: no place for the head");
	written = write_head(head, &own);
	if (written != NQ_OK || !text)
		return written != NQ_OK ? written
					: nq_i_fail(NQ_ERR_ARG, "nq_checkpoint_read: no text");
	st = read_all(text, bytes, &own, why, why_bytes);
	if (st == NQ_OK)
		st = write_head(head, &own);
	return st;
}

static int is_done(nq_ledger *ledger, uint64_t unit, uint64_t count)
{
	(void)count;
	return nq_ledger_done(ledger, (size_t)unit);
}

static int enter(nq_ledger *ledger, uint64_t unit, uint64_t count)
{
	return nq_ledger_set(ledger, (size_t)unit, count) != NQ_OK;
}

nq_status nq_checkpoint_enter(const char *text, size_t bytes, nq_ledger *ledger, uint64_t *unit)
{
	static const unit_fn passes[] = { is_done, enter };
	nq_checkpoint head;
	nq_status st;

	if (unit)
		*unit = 0;
	if (!ledger)
		return nq_i_fail(NQ_ERR_ARG, "nq_checkpoint_enter needs a ledger");
	nq_checkpoint_init(&head);
	st = nq_checkpoint_read(text, bytes, &head, NULL, 0);
	if (st != NQ_OK)
		return st;
	if (head.hash != nq_ledger_hash(ledger) || head.units != nq_ledger_units(ledger))
		return nq_i_fail(NQ_ERR_FOREIGN, "the checkpoint is of another plan");
	for (int pass = 0; pass < 2; pass++) {
		in p = { text, text + bytes - SUM_LINE_BYTES, 0 };
		uint64_t twice;

		nq_checkpoint_init(&head);
		read_head(&p, &head);
		twice = read_units(&p, &head, passes[pass], ledger);
		if (twice != UINT64_MAX) {
			if (unit)
				*unit = twice;
			return nq_i_fail(
				NQ_ERR_TWICE, "unit %" PRIu64 " is counted already", twice);
		}
	}
	return NQ_OK;
}
