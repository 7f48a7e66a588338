/* Ledgers from text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <nqueens/checkpoint.h>
#include "libsched/core/sized.h"
#include "nqueens/checkpoint/crc.h"
#include "nqueens/checkpoint/format.h"
#include "nqueens/core/error.h"

typedef struct in {
	const char *at, *end;
	int bad;
} in;

/* Advances past `text` and returns 1 if the input continues with it. */
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
	expect(p, NQ_I_CHECKPOINT_MAGIC);
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

/* Called for each unit of the text; nonzero ends reading. */
typedef int (*unit_fn)(nq_ledger *ledger, uint64_t unit, uint64_t count);

/* Reads the unit lines and the line after them. Unit numbers have to increase, so none occurs
 * twice. Returns the unit for which fn returned nonzero, or UINT64_MAX. */
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

static nq_status format_error(nq_checkpoint *head, char *why, size_t why_bytes, const char *text)
{
	nq_checkpoint_init(head);
	if (why && why_bytes)
		snprintf(why, why_bytes, "%s", text);
	return nq_i_fail(NQ_ERR_FORMAT, "the text %s", text);
}

/* Checks version and checksum of a text that begins with the magic. Returns the fault, or NULL. */
static const char *check_version_and_sum(const char *text, size_t bytes)
{
	in head = { text, text + bytes, 0 }, tail;
	nq_i_crc sum;

	expect(&head, NQ_I_CHECKPOINT_MAGIC);
	number(&head, UINT32_MAX);
	if (!head.bad && !next_is(&head, "\n"))
		head.bad = 1;
	if (!head.bad && memcmp(text + sizeof(NQ_I_CHECKPOINT_MAGIC) - 1, "1\n", 2) != 0)
		return "is of another version of the checkpoint format";
	tail.at = text + bytes - (bytes < NQ_I_SUM_LINE_BYTES ? bytes : NQ_I_SUM_LINE_BYTES);
	tail.end = text + bytes;
	tail.bad = 0;
	if (!next_is(&tail, "sum "))
		return "is truncated or damaged";
	nq_i_crc_begin(&sum);
	nq_i_crc_add(&sum, text, bytes - NQ_I_SUM_LINE_BYTES);
	if (hexadecimal(&tail) != nq_i_crc_end(&sum) || tail.bad || !next_is(&tail, "\n"))
		return "is damaged: wrong checksum";
	return NULL;
}

static nq_status read_all(
	const char *text, size_t bytes, nq_checkpoint *head, char *why, size_t why_bytes)
{
	in p = { text, text + bytes, 0 };
	const char *fault;

	nq_checkpoint_init(head);
	if (!next_is(&p, NQ_I_CHECKPOINT_MAGIC))
		return format_error(head, why, why_bytes,
			bytes ? "is no checkpoint" : "is empty, not a checkpoint");
	fault = check_version_and_sum(text, bytes);
	if (fault)
		return format_error(head, why, why_bytes, fault);
	p.at = text;
	p.end -= NQ_I_SUM_LINE_BYTES;
	read_head(&p, head);
	read_units(&p, head, NULL, NULL);
	if (p.bad || p.at != p.end)
		return format_error(head, why, why_bytes, "is not a valid checkpoint");
	return NQ_OK;
}

/* Writes to the caller's struct. Its last member, plan, ends at the caller's size, too. */
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
		return nq_i_fail(NQ_ERR_ARG, "nq_checkpoint_read: head is NULL");
	written = write_head(head, &own);
	if (written != NQ_OK || !text)
		return written != NQ_OK ? written
					: nq_i_fail(NQ_ERR_ARG, "nq_checkpoint_read: text is NULL");
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
		return nq_i_fail(NQ_ERR_ARG, "nq_checkpoint_enter: ledger is NULL");
	nq_checkpoint_init(&head);
	st = nq_checkpoint_read(text, bytes, &head, NULL, 0);
	if (st != NQ_OK)
		return st;
	if (head.hash != nq_ledger_hash(ledger) || head.units != nq_ledger_units(ledger))
		return nq_i_fail(NQ_ERR_FOREIGN, "the checkpoint belongs to another plan");
	for (int pass = 0; pass < 2; pass++) {
		in p = { text, text + bytes - NQ_I_SUM_LINE_BYTES, 0 };
		uint64_t twice;

		nq_checkpoint_init(&head);
		read_head(&p, &head);
		twice = read_units(&p, &head, passes[pass], ledger);
		if (twice != UINT64_MAX) {
			if (unit)
				*unit = twice;
			return nq_i_fail(
				NQ_ERR_TWICE, "unit %" PRIu64 " is finished already", twice);
		}
	}
	return NQ_OK;
}
