/* The edit distance of two texts, by tiles of 32 x 32 letters: a tile needs those to its left and
 * above it. Compiled as C it runs on CPU threads, by nvcc on a GPU. */
#include <stdio.h>
#include <libsched/stencil.h>

enum { TILE = 32, TILES = 24, N = TILE * TILES, ROW = N + 1 };

typedef struct edit_ctx {
	uint32_t width, height; /* tiles */
	const unsigned char *a, *b;
	uint32_t *distance; /* [ROW][ROW], of the first y letters of a and the first x of b */
} edit_ctx;
LSCHED_STENCIL_RULE(edit_rule, edit_ctx, width, height, 0)

LSCHED_FN uint32_t edit_smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

LSCHED_TASK_FN void edit_cell(const edit_ctx *c, uint32_t x, uint32_t y)
{
	uint32_t *d = c->distance + y * ROW + x;
	const uint32_t replace = d[-ROW - 1] + (c->a[y - 1] != c->b[x - 1]);

	*d = edit_smaller(replace, 1 + edit_smaller(d[-1], d[-ROW]));
}

/* The lanes of a worker fill a diagonal of the tile together; on a CPU one lane fills it. */
LSCHED_TASK_FN lsched_result edit_body(
	lsched_worker *w, const edit_ctx *c, lsched_no_local *local, uint32_t task)
{
	const uint32_t x0 = task % c->width * TILE + 1, y0 = task / c->width * TILE + 1;

	(void)w, (void)local;
	for (uint32_t diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
		for (uint32_t y = lsched_lane(); y < TILE; y += LSCHED_LANES)
			if (y <= diagonal && diagonal - y < TILE)
				edit_cell(c, x0 + diagonal - y, y0 + y);
		lsched_sync_worker();
	}
	return LSCHED_DONE;
}

#define LSCHED_NAME edit
#define LSCHED_CTX  edit_ctx
#define LSCHED_BODY edit_body
#define LSCHED_RULE edit_rule
#include <libsched/generate.h>

int main(void)
{
	static unsigned char a[N], b[N];
	static uint32_t distance[ROW * ROW];
	const edit_ctx c = { TILES, TILES, NULL, NULL, NULL };
	lsched_array arrays[] = { LSCHED_IN(edit_ctx, a, a, N), LSCHED_IN(edit_ctx, b, b, N),
		LSCHED_INOUT(edit_ctx, distance, distance, ROW * ROW) };
	lsched_once with;
	char why[256];

	for (uint32_t k = 0; k < N; k++) {
		a[k] = (unsigned char)('a' + k * k % 7);
		b[k] = (unsigned char)('a' + (k + k / 5) * k % 7);
	}
	for (uint32_t k = 0; k < ROW; k++)
		distance[k] = distance[k * ROW] = k;
	lsched_once_init(&with);
	with.arrays = arrays;
	with.array_count = 3;
	if (lsched_run_once_with(&with, &LSCHED_PROGRAM(edit), &c, TILES * TILES, NULL, why,
		    sizeof(why)) != LSCHED_OK)
		return fprintf(stderr, "%s\n", why), 1;
	printf("edit distance %u of %d letters\n", distance[ROW * ROW - 1], N);
	return 0;
}
