/* The tree of N moves without libsched, by one CPU thread: recursion on bitboards, with or without
 * bounds. */
#include "workloads/fourrow/host.h"

typedef struct walker {
	const fr_board *b;
	uint64_t positions;
	int bounds;
} walker;

static int32_t walk(walker *w, fr_position p, uint32_t plies, int32_t alpha, int32_t beta)
{
	const fr_board *b = w->b;
	const uint64_t moves = fr_playable(b, p.both);
	int32_t best = -FR_WIN - 1;

	w->positions++;
	if (fr_four(b, p.own ^ p.both))
		return -FR_WIN;
	if (plies == 0 || !moves)
		return fr_rows(b, p);
	for (uint64_t order = b->order; order; order >>= 4) {
		const uint64_t cell = moves & fr_column(b, (uint32_t)(order & 15u) - 1);
		int32_t v;

		if (!cell)
			continue;
		v = -walk(w, fr_play(p, cell), plies - 1, -beta, -(best > alpha ? best : alpha));
		best = v > best ? v : best;
		if (w->bounds && best >= beta)
			break;
	}
	return best;
}

int fr_plain_cpu(wl_work *work, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	fr_host *h = work->host_data;
	walker w = { &h->ctx.board, 0, h->o.bounds };
	const uint64_t begin = wl_now_ns();

	(void)d;
	(void)why;
	(void)n;
	h->plain_value = walk(&w, fr_unpack(w.b, h->ctx.root), h->o.plies, -FR_WIN, FR_WIN);
	h->plain_sum = w.positions;
	*ns = wl_now_ns() - begin;
	return 0;
}
