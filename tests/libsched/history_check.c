#include "tests/libsched/history_check.h"
#include <stdlib.h>
#include <string.h>

/* The push and the pop of one item. */
typedef struct way {
	uint32_t in_start, in_end, out_start, out_end;
	uint32_t in_place, out_place;
} way;

static int by_in_end(const void *a, const void *b)
{
	const way *x = (const way *)a, *y = (const way *)b;

	return (x->in_end > y->in_end) - (x->in_end < y->in_end);
}

static int by_in_start(const void *a, const void *b)
{
	const way *x = *(const way *const *)a, *y = *(const way *const *)b;

	return (x->in_start > y->in_start) - (x->in_start < y->in_start);
}

static int by_out(const void *a, const void *b)
{
	const way *x = *(const way *const *)a, *y = *(const way *const *)b;

	if (x->out_start != y->out_start)
		return x->out_start < y->out_start ? -1 : 1;
	return (x->out_place > y->out_place) - (x->out_place < y->out_place);
}

/* Counts items, and collects the operations of those that were pushed and popped once. */
static size_t count_items(const history *h, way *ways, unsigned char *known, history_faults *f)
{
	size_t n = 0;

	for (size_t k = 0; k < h->ops; k++) {
		const history_op *o = &h->op[k];

		for (uint32_t i = 0; o->push && i < o->got; i++) {
			const history_item *e = &h->item[o->first + i];

			known[o->first + i] = 1;
			f->pushed++;
			f->popped += e->times;
			f->lost += e->times == 0;
			f->doubled += e->times > 1;
			if (e->times != 1)
				continue;
			f->early += h->ordered && e->end < o->start;
			ways[n].in_start = o->start;
			ways[n].in_end = o->end;
			ways[n].in_place = i;
			ways[n].out_start = e->start;
			ways[n].out_end = e->end;
			ways[n].out_place = e->place;
			n++;
		}
	}
	for (size_t k = 0; k < h->items; k++)
		f->invented += !known[k] && h->item[k].times != 0;
	return n;
}

/* In the order of their pushes: compares each item with the earlier pushed one whose pop began
 * last. */
static void check_order(way *ways, size_t n, const way **sorted, history_faults *f)
{
	uint32_t latest = 0;
	size_t before = 0;

	qsort(ways, n, sizeof(*ways), by_in_end);
	for (size_t k = 0; k < n; k++)
		sorted[k] = &ways[k];
	qsort(sorted, n, sizeof(*sorted), by_in_start);
	for (size_t k = 0; k < n; k++) {
		for (; before < n && ways[before].in_end < sorted[k]->in_start; before++)
			if (ways[before].out_start > latest)
				latest = ways[before].out_start;
		f->overtaken += latest > sorted[k]->out_end;
	}
	/* items of one push: none is popped before an earlier one */
	for (size_t k = 0; k < n; k++)
		for (size_t j = k + 1; j < n && sorted[j]->in_start == sorted[k]->in_start; j++) {
			const way *a = sorted[k], *b = sorted[j];

			if (a->in_place > b->in_place) {
				a = sorted[j];
				b = sorted[k];
			}
			f->disordered +=
				b->out_end < a->out_start ||
				(b->out_start == a->out_start && b->out_place < a->out_place);
		}
	/* items of one pop: they are in the order of their pushes */
	qsort(sorted, n, sizeof(*sorted), by_out);
	for (size_t k = 0; k < n; k++)
		for (size_t j = k + 1; j < n && sorted[j]->out_start == sorted[k]->out_start; j++)
			f->disordered += sorted[j]->in_end < sorted[k]->in_start;
}

/* Every number was drawn by one operation: where[number] is that operation's place + 1, and +
 * half a range when it is its end. */
static void check_alone(const history *h, uint64_t *where, size_t numbers, history_faults *f)
{
	const uint64_t end_bit = UINT64_C(1) << 63;
	uint64_t active = 0, last = 0;
	int64_t held = 0;

	for (size_t k = 0; k < h->ops; k++) {
		where[h->op[k].start] = k + 1;
		where[h->op[k].end] = (k + 1) | end_bit;
	}
	for (size_t s = 0; s < numbers && s < h->alone_until; s++) {
		const history_op *o;

		if (where[s] == 0)
			continue; /* the last record of a worker */
		if (!(where[s] & end_bit)) {
			active++;
			last = active == 1 ? where[s] : 0;
			continue;
		}
		active--;
		o = &h->op[(where[s] & ~end_bit) - 1];
		/* alone: no operation was under way when it began, and none has begun since */
		if (active == 0 && last == (where[s] & ~end_bit)) {
			const int64_t room = (int64_t)h->limit - held;

			f->alone++;
			if (o->push)
				f->false_full += (h->guarantees & HISTORY_FULL) &&
						 o->got != (o->want < room ? o->want : room);
			else if (h->guarantees & HISTORY_PARTIAL)
				f->false_empty += o->got != (o->want < held ? o->want : held);
			else if (h->guarantees & HISTORY_EMPTY)
				f->false_empty += o->got == 0 && held > 0;
		}
		held += o->push ? o->got : -(int64_t)o->got;
	}
}

uint64_t history_check(const history *h, history_faults *f)
{
	way *ways = (way *)malloc((h->items + 1) * sizeof(*ways));
	const way **sorted = (const way **)malloc((h->items + 1) * sizeof(*sorted));
	unsigned char *known = (unsigned char *)calloc(h->items + 1, 1);
	size_t numbers = 0, n;
	uint64_t *where = NULL;

	memset(f, 0, sizeof(*f));
	for (size_t k = 0; k < h->ops; k++)
		if (h->op[k].end >= numbers)
			numbers = (size_t)h->op[k].end + 1;
	where = (uint64_t *)calloc(numbers + 1, sizeof(*where));
	if (!ways || !sorted || !known || !where) {
		free(ways);
		free(sorted);
		free(known);
		free(where);
		return UINT64_MAX;
	}
	n = count_items(h, ways, known, f);
	if (h->ordered && (h->guarantees & HISTORY_FIFO))
		check_order(ways, n, sorted, f);
	if (h->ordered)
		check_alone(h, where, numbers, f);
	free(ways);
	free(sorted);
	free(known);
	free(where);
	return f->lost + f->doubled + f->invented + f->early + f->overtaken + f->disordered +
	       f->false_full + f->false_empty;
}
