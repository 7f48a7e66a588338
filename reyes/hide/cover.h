/* Template include: samples that a micropolygon covers, by integer edge functions on a grid of
 * 1/256 pixel, with a rule for samples on an edge: a sample on the edge between two triangles is in
 * exactly one of them. hide_static.h includes it twice: without REYES_I_LARGE edge functions have
 * 32 bits, for corners at most REYES_I_SMALL apart; with REYES_I_LARGE they have 64 bits, and all
 * names end with _large. */
#ifndef REYES_I_LARGE
#define REYES_I_EDGE int32_t
#else
#define REYES_I_EDGE           int64_t
#define reyes_i_triangle       reyes_i_triangle_large
#define reyes_i_triangle_set   reyes_i_triangle_set_large
#define reyes_i_triangle_has   reyes_i_triangle_has_large
#define reyes_i_pair_hit       reyes_i_pair_hit_large
#define reyes_i_quad_triangles reyes_i_quad_triangles_large
#define reyes_i_hide_sample    reyes_i_hide_sample_large
#define reyes_i_window_mask    reyes_i_window_mask_large
#define reyes_i_hide_mask      reyes_i_hide_mask_large
#define reyes_i_hide_box       reyes_i_hide_box_large
#endif

/* Edge k is opposite to corner k: e(x, y) = x a + y b + c >= 0 inside and in the growth. The bias
 * of -1 excludes samples on the edge for one half of the directions: the neighbour's edge has the
 * opposite direction. */
typedef struct reyes_i_triangle {
	int32_t a[3], b[3];
	REYES_I_EDGE c[3], growth[3];
	float inv_area;    /* 0, covers nothing: no area, or the back of a surface of Sides 1 */
	uint32_t positive; /* REYES_I_HIT_POSITIVE or 0 */
} reyes_i_triangle;

/* grow[k]: distance in 1/256 pixel by which edge k is moved outwards; side: the sign of visible
 * areas, 0: both */
LSCHED_FN void reyes_i_triangle_set(reyes_i_triangle *t, reyes_i_corner p0, reyes_i_corner p1,
	reyes_i_corner p2, int32_t grow0, int32_t grow1, int32_t grow2, int32_t side)
{
	const reyes_i_corner p[3] = { p0, p1, p2 };
	const int32_t grow[3] = { grow0, grow1, grow2 };
	const REYES_I_EDGE area = (REYES_I_EDGE)(p1.x - p0.x) * (p2.y - p0.y) -
				  (REYES_I_EDGE)(p1.y - p0.y) * (p2.x - p0.x);

	t->inv_area = area == 0 || (side != 0 && (area > 0) != (side > 0))
			      ? 0
			      : 1.0f / (float)(area < 0 ? -area : area);
	t->positive = area > 0 ? REYES_I_HIT_POSITIVE : 0;
	LSCHED_UNROLL
	for (int k = 0; k < 3; k++) {
		const reyes_i_corner from = p[(k + 1) % 3], to = p[(k + 2) % 3];
		const int32_t dx = area > 0 ? from.x - to.x : to.x - from.x;
		const int32_t dy = area > 0 ? from.y - to.y : to.y - from.y;

		t->a[k] = dy;
		t->b[k] = -dx;
		t->growth[k] = grow[k] ? (REYES_I_EDGE)grow[k] * reyes_i_long(dx, dy) : 0;
		t->c[k] = (REYES_I_EDGE)from.y * dx - (REYES_I_EDGE)from.x * dy + t->growth[k] -
			  (dy > 0 || (dy == 0 && dx > 0) ? 0 : 1);
	}
}

/* Tests a sample. */
LSCHED_FN int reyes_i_triangle_has(const reyes_i_triangle *t, REYES_I_EDGE x, REYES_I_EDGE y)
{
	return ((x * t->a[0] + y * t->b[0] + t->c[0]) | (x * t->a[1] + y * t->b[1] + t->c[1]) |
		       (x * t->a[2] + y * t->b[2] + t->c[2])) >= 0;
}

/* Tests a sample against two triangles; the first one has precedence. Returns 0, or 1 with *hit.
 * Lanes take one path whichever triangle is hit. */
LSCHED_FN int reyes_i_pair_hit(
	const reyes_i_triangle t[2], REYES_I_EDGE x, REYES_I_EDGE y, reyes_i_hit *hit)
{
	const REYES_I_EDGE a0 = x * t[0].a[0] + y * t[0].b[0] + t[0].c[0];
	const REYES_I_EDGE a1 = x * t[0].a[1] + y * t[0].b[1] + t[0].c[1];
	const REYES_I_EDGE a2 = x * t[0].a[2] + y * t[0].b[2] + t[0].c[2];
	const REYES_I_EDGE b0 = x * t[1].a[0] + y * t[1].b[0] + t[1].c[0];
	const REYES_I_EDGE b1 = x * t[1].a[1] + y * t[1].b[1] + t[1].c[1];
	const REYES_I_EDGE b2 = x * t[1].a[2] + y * t[1].b[2] + t[1].c[2];
	const int in_a = (a0 | a1 | a2) >= 0 && t[0].inv_area != 0;
	const int in_b = (b0 | b1 | b2) >= 0 && t[1].inv_area != 0;
	const REYES_I_EDGE g0 = in_a ? t[0].growth[0] : t[1].growth[0];
	const REYES_I_EDGE g1 = in_a ? t[0].growth[1] : t[1].growth[1];
	const REYES_I_EDGE g2 = in_a ? t[0].growth[2] : t[1].growth[2];
	const REYES_I_EDGE e0 = (in_a ? a0 : b0) - g0, e1 = (in_a ? a1 : b1) - g1;
	const REYES_I_EDGE e2 = (in_a ? a2 : b2) - g2;
	const float inv_area = in_a ? t[0].inv_area : t[1].inv_area;

	if (!in_a && !in_b)
		return 0;
	hit->high = !in_a;
	hit->flags = (in_a ? t[0].positive : t[1].positive) | (e0 < 0 || e1 < 0 || e2 < 0);
	hit->w[0] = (float)e0 * inv_area;
	hit->w[1] = (float)e1 * inv_area;
	hit->w[2] = (float)e2 * inv_area;
	return 1;
}

/* A quadrilateral is the triangles 00 10 11 and 00 11 01: it may be concave or twisted. */
LSCHED_FN void reyes_i_quad_triangles(const reyes_i_quad *q, reyes_i_triangle t[2])
{
	reyes_i_triangle_set(
		&t[0], q->at[0], q->at[1], q->at[3], q->grow[1], 0, q->grow[2], q->side);
	reyes_i_triangle_set(
		&t[1], q->at[0], q->at[3], q->at[2], q->grow[3], q->grow[0], 0, q->side);
}

/* Tests the sample at (x, y), relative to the corners' origin. */
LSCHED_FN void reyes_i_hide_sample(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_quad *q, const reyes_i_triangle t[2], uint32_t m, uint64_t sample, int32_t x,
	int32_t y)
{
	reyes_i_hit hit;

	if (reyes_i_pair_hit(t, x, y, &hit))
		reyes_i_hide_hit(c, h, q, &hit, m, sample);
}

/* Returns the samples of a window that one of two triangles covers. */
LSCHED_FN uint64_t reyes_i_window_mask(const reyes_i_pattern *p, const reyes_i_triangle t[2],
	const reyes_i_window *w, int32_t ox, int32_t oy)
{
	uint64_t mask = 0, bit = 1;
	int32_t py = w->py;
	uint32_t row = w->row;

	for (uint32_t j = 0; j < w->high; j++) {
		uint64_t next = bit << 8;
		int32_t px = w->px;
		uint32_t column = w->column;

		for (uint32_t i = 0; i < w->wide; i++) {
			const uint32_t place =
				reyes_i_sample_place(p, px, py, row * p->nx + column);
			const REYES_I_EDGE x = px * 256 + (int32_t)(place & 255u) - ox;
			const REYES_I_EDGE y = py * 256 + (int32_t)(place >> 8) - oy;

			if (reyes_i_triangle_has(&t[0], x, y) || reyes_i_triangle_has(&t[1], x, y))
				mask |= bit;
			bit <<= 1;
			if (++column == p->nx) {
				column = 0;
				px++;
			}
		}
		bit = next;
		if (++row == p->ny) {
			row = 0;
			py++;
		}
	}
	return mask;
}

/* The samples of a mask. */
LSCHED_FN void reyes_i_hide_mask(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_quad *q, const reyes_i_triangle t[2], uint32_t m, const reyes_i_window *w,
	uint64_t mask, int32_t ox, int32_t oy)
{
	const reyes_i_pattern *p = &c->pattern;
	const uint32_t listed = reyes_i_makes_fragments(h);

	if (listed)
		reyes_i_reserve_fragments(c, h->room, reyes_i_count64(mask));
	while (mask) {
		const uint32_t bit = reyes_i_lowest64(mask);
		const uint32_t i = w->column + (bit & 7u), j = w->row + (bit >> 3);
		const uint32_t di = reyes_i_over(i, p->nx), dj = reyes_i_over(j, p->ny);
		const uint32_t s = (j - dj * p->ny) * p->nx + i - di * p->nx;
		const int32_t px = w->px + (int32_t)di, py = w->py + (int32_t)dj;
		const uint32_t place = reyes_i_sample_place(p, px, py, s);

		mask &= mask - 1;
		reyes_i_hide_sample(c, h, q, t, m, reyes_i_sample_index(c, px, py, s),
			px * 256 + (int32_t)(place & 255u) - ox,
			py * 256 + (int32_t)(place >> 8) - oy);
	}
	if (listed)
		reyes_i_release_fragments(c, h->room);
}

/* All samples of a box of strata. */
LSCHED_FN void reyes_i_hide_box(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_quad *q, uint32_t m, int32_t x0, int32_t x1, int32_t y0, int32_t y1,
	int32_t ox, int32_t oy)
{
	const reyes_i_pattern *p = &c->pattern;
	reyes_i_triangle t[2];

	reyes_i_quad_triangles(q, t);
	for (int32_t y = y0; y <= y1; y += 8) {
		reyes_i_advance(h);
		for (int32_t x = x0; x <= x1; x += 8) {
			reyes_i_window w;
			uint64_t mask;

			w.px = reyes_i_floor_over(x, (int32_t)p->nx);
			w.py = reyes_i_floor_over(y, (int32_t)p->ny);
			w.column = (uint32_t)(x - w.px * (int32_t)p->nx);
			w.row = (uint32_t)(y - w.py * (int32_t)p->ny);
			w.wide = (uint32_t)(x1 - x < 7 ? x1 - x + 1 : 8);
			w.high = (uint32_t)(y1 - y < 7 ? y1 - y + 1 : 8);
			mask = reyes_i_window_mask(p, t, &w, ox, oy);
			reyes_i_hide_mask(c, h, q, t, m, &w, mask, ox, oy);
		}
	}
}

#undef REYES_I_LARGE
#undef REYES_I_EDGE
#undef reyes_i_triangle
#undef reyes_i_triangle_set
#undef reyes_i_triangle_has
#undef reyes_i_pair_hit
#undef reyes_i_quad_triangles
#undef reyes_i_hide_sample
#undef reyes_i_window_mask
#undef reyes_i_hide_mask
#undef reyes_i_hide_box
