#include "apps/gqueens/picture.h"
#include "apps/common/xml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A board is BOARD_PX wide unless its squares would be below SMALLEST_PX. */
enum { BOARD_PX = 176, SMALLEST_PX = 8, GAP_PX = 16 };

struct picture {
	uint32_t n;
	uint32_t *cols; /* n a board */
	size_t boards, room;
	int failed;
};

picture *picture_new(uint32_t n)
{
	picture *p = calloc(1, sizeof(*p));

	if (p)
		p->n = n;
	return p;
}

void picture_free(picture *p)
{
	if (p)
		free(p->cols);
	free(p);
}

void picture_add(picture *p, const uint32_t *cols)
{
	if (p->boards == p->room) {
		const size_t room = 2 * p->room + 4;
		uint32_t *more = realloc(p->cols, room * p->n * sizeof(*more));

		if (!more) {
			p->failed = 1;
			return;
		}
		p->cols = more;
		p->room = room;
	}
	memcpy(p->cols + p->boards++ * p->n, cols, p->n * sizeof(*cols));
}

static int put_text(void *opaque, const char *text, size_t bytes)
{
	return fwrite(text, 1, bytes, opaque) == bytes ? 0 : -1;
}

/* Writes a board and its queens; the side of a square is 1. */
static void put_board(
	xml_out *x, const picture *p, size_t board, uint32_t left, uint32_t top, uint32_t square)
{
	const uint32_t *cols = p->cols + board * p->n;

	xml_put(x, "<g transform=\"translate(%" PRIu32 " %" PRIu32 ") scale(%" PRIu32 ")\">\n",
		left, top, square);
	xml_put(x,
		"<rect width=\"%" PRIu32 "\" height=\"%" PRIu32
		"\" fill=\"#f1e6d2\"/>\n<path fill=\"#c9a77c\" d=\"",
		p->n, p->n);
	for (uint32_t row = 0; row < p->n; row++)
		for (uint32_t col = 1 - row % 2; col < p->n; col += 2)
			xml_put(x, "M%" PRIu32 " %" PRIu32 "h1v1h-1z", col, row);
	xml_put(x, "\"/>\n");
	for (uint32_t row = 0; row < p->n; row++)
		xml_put(x, "<use href=\"#q\" x=\"%" PRIu32 "\" y=\"%" PRIu32 "\"/>\n", cols[row],
			row);
	xml_put(x,
		"<rect width=\"%" PRIu32 "\" height=\"%" PRIu32
		"\" fill=\"none\" stroke=\"#5b4630\" stroke-width=\"%.3f\"/>\n</g>\n",
		p->n, p->n, 1.0 / square);
}

int picture_write(const picture *p, FILE *f)
{
	const uint32_t square = BOARD_PX / p->n > SMALLEST_PX ? BOARD_PX / p->n : SMALLEST_PX;
	const uint32_t step = square * p->n + GAP_PX;
	size_t across = 1, down;
	xml_out x;

	if (p->failed)
		return -1;
	while (across * across < p->boards)
		across++;
	down = (p->boards + across - 1) / across;
	down = down ? down : 1;
	xml_begin(&x, put_text, f);
	xml_put(&x,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\">\n"
		"<title>%" PRIu32 " queens, %zu boards</title>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<defs><path id=\"q\" fill=\"#1d1d1d\" d=\"M.2 .82L.14 .3L.34 .52L.5 .18L.66 "
		".52L.86 .3L.8 .82z\"/></defs>\n",
		across * step + GAP_PX, down * step + GAP_PX, p->n, p->boards);
	for (size_t i = 0; i < p->boards; i++)
		put_board(&x, p, i, (uint32_t)(GAP_PX + i % across * step),
			(uint32_t)(GAP_PX + i / across * step), square);
	xml_put(&x, "</svg>\n");
	(void)xml_end(&x);
	return 0;
}
