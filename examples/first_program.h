/* The area under 1 / (1 + x^2) from 0 to 1000, by items that spawn items: an interval on which the
 * curve is not straight enough becomes two. One text for CPU threads and for the lanes of a GPU. */
#include <libsched/items.h>

#define AREA_WIDTH 1000.0
#define AREA_UNIT  1125899906842624.0 /* 2^50: areas are added up as whole numbers */

typedef struct area_ctx { /* read by all items */
	double tolerance;
	uint32_t *intervals; /* in the tasks' memory: how many were straight enough */
} area_ctx;

typedef struct area_item { /* an interval; join: adds up its area */
	double x, width;
	uint32_t join, unused;
} area_item;
LSCHED_DECLARE_ITEMS(area_items, area_item); /* the type of the body's first argument */

LSCHED_FN double area_trapezoid(double x, double width)
{
	return width / 2 * (1 / (1 + x * x) + 1 / (1 + (x + width) * (x + width)));
}

LSCHED_FN uint32_t area_root(const area_ctx *c, uint32_t i, area_item *item)
{
	const area_item whole = { i * AREA_WIDTH, AREA_WIDTH, LSCHED_JOIN_ROOT, 0 };

	(void)c;
	*item = whole;
	return 0;
}

LSCHED_TASK_FN lsched_result area_body(
	area_items *s, const area_ctx *c, lsched_no_local *local, uint32_t proc, area_item item)
{
	const double half = item.width / 2, rough = area_trapezoid(item.x, item.width);
	const double fine = area_trapezoid(item.x, half) + area_trapezoid(item.x + half, half);

	(void)local, (void)proc;
	if (fine - rough <= c->tolerance && rough - fine <= c->tolerance) {
		(void)lsched_add(c->intervals, 1u, rlx, dev);
		lsched_return(s, item.join, (uint64_t)(fine * AREA_UNIT + 0.5));
		return LSCHED_DONE;
	}
	item.width = half;
	item.join = lsched_fork(s, 2, item.join); /* two areas to wait for and to add */
	lsched_emit(s, 0, &item);
	item.x += half;
	lsched_emit(s, 0, &item);
	return LSCHED_DONE;
}

#define LSCHED_NAME  area
#define LSCHED_CTX   area_ctx
#define LSCHED_ITEMS area_items
#define LSCHED_ROOT  area_root
#define LSCHED_BODY  area_body
#define LSCHED_JOINS
#include <libsched/generate_items.h>
