/* The dependency rule of a grid of tasks whose neighbours to the left and above come first: dynamic
 * programming, Gauss-Seidel, prediction from decoded neighbours. C11 and CUDA.
 *
 *	typedef struct foo_ctx { uint32_t width, height; ... } foo_ctx;
 *	LSCHED_STENCIL_RULE(foo_rule, foo_ctx, width, height, 0)
 *	#define LSCHED_RULE foo_rule              ... and the rest of <libsched/generate.h>
 *
 *	lsched_run_start(run, &foo, foo.width * foo.height, NULL);
 *
 * Task y * width + x starts after those of (x - 1, y) and (x, y - 1), and so after (x - 1, y - 1).
 * Last argument 1: it starts after (x + 1, y - 1), too. Works with every scheme and queue. A chain
 * is a row, a wavefront a diagonal. */
#ifndef LIBSCHED_STENCIL_H
#define LIBSCHED_STENCIL_H

#include <libsched/task.h>

/* A grid: `skew`, 0 or 1, is how far to the right the task of the row above is that a task waits
 * for; that one has waited for all to its left. */
typedef struct lsched_i_stencil {
	uint32_t w, h, skew;
} lsched_i_stencil;

LSCHED_FN lsched_i_stencil lsched_i_stencil_of(uint32_t w, uint32_t h, uint32_t right)
{
	const lsched_i_stencil s = { w, h, right && w > 1 };

	return s;
}

/* Whether there is a task above, or below, that task (x, y) waits for, or that waits for it. */
LSCHED_FN uint32_t lsched_i_stencil_up(lsched_i_stencil s, uint32_t task)
{
	return task >= s.w && task % s.w + s.skew < s.w;
}

LSCHED_FN uint32_t lsched_i_stencil_down(lsched_i_stencil s, uint32_t task)
{
	return task / s.w + 1 < s.h && task % s.w >= s.skew;
}

/* The first row of a wavefront, and the number of its tasks: x + (1 + skew) y is constant. */
LSCHED_FN uint32_t lsched_i_stencil_row(lsched_i_stencil s, uint32_t wave)
{
	return wave < s.w ? 0 : (wave - s.w) / (1 + s.skew) + 1;
}

LSCHED_FN uint32_t lsched_i_stencil_size(lsched_i_stencil s, uint32_t wave)
{
	const uint32_t last = wave / (1 + s.skew);

	return (last < s.h ? last + 1 : s.h) - lsched_i_stencil_row(s, wave);
}

LSCHED_FN uint32_t lsched_i_stencil_task(lsched_i_stencil s, uint32_t wave, uint32_t i)
{
	const uint32_t y = lsched_i_stencil_row(s, wave) + i;

	return y * s.w + wave - (1 + s.skew) * y;
}

/* The rule of <libsched/generate.h> for a context of type CTX whose members WIDTH and HEIGHT are
 * the size of the grid. */
#define LSCHED_STENCIL_RULE(P, CTX, WIDTH, HEIGHT, RIGHT)                                     \
	LSCHED_FN lsched_i_stencil P##_stencil(const CTX *c)                                  \
	{                                                                                     \
		return lsched_i_stencil_of(c->WIDTH, c->HEIGHT, RIGHT);                       \
	}                                                                                     \
	LSCHED_FN uint32_t P##_pred_count(const CTX *c, uint32_t task)                        \
	{                                                                                     \
		return (task % c->WIDTH > 0) + lsched_i_stencil_up(P##_stencil(c), task);     \
	}                                                                                     \
	LSCHED_FN uint32_t P##_pred(const CTX *c, uint32_t task, uint32_t k)                  \
	{                                                                                     \
		return k == 0 && task % c->WIDTH > 0 ? task - 1                               \
						     : task - c->WIDTH + P##_stencil(c).skew; \
	}                                                                                     \
	LSCHED_FN uint32_t P##_succ_count(const CTX *c, uint32_t task)                        \
	{                                                                                     \
		return (task % c->WIDTH + 1 < c->WIDTH) +                                     \
		       lsched_i_stencil_down(P##_stencil(c), task);                           \
	}                                                                                     \
	LSCHED_FN uint32_t P##_succ(const CTX *c, uint32_t task, uint32_t k)                  \
	{                                                                                     \
		return k == 0 && task % c->WIDTH + 1 < c->WIDTH                               \
			       ? task + 1                                                     \
			       : task + c->WIDTH - P##_stencil(c).skew;                       \
	}                                                                                     \
	LSCHED_FN uint32_t P##_root_count(const CTX *c)                                       \
	{                                                                                     \
		return c->WIDTH && c->HEIGHT;                                                 \
	}                                                                                     \
	LSCHED_FN uint32_t P##_root(const CTX *c, uint32_t i)                                 \
	{                                                                                     \
		(void)c;                                                                      \
		return i;                                                                     \
	}                                                                                     \
	LSCHED_FN uint32_t P##_chain_count(const CTX *c)                                      \
	{                                                                                     \
		return c->WIDTH ? c->HEIGHT : 0;                                              \
	}                                                                                     \
	LSCHED_FN uint32_t P##_chain_head(const CTX *c, uint32_t i)                           \
	{                                                                                     \
		return i * c->WIDTH;                                                          \
	}                                                                                     \
	LSCHED_FN uint32_t P##_chain_next(const CTX *c, uint32_t task)                        \
	{                                                                                     \
		return (task + 1) % c->WIDTH ? task + 1 : LSCHED_NONE;                        \
	}                                                                                     \
	LSCHED_FN uint32_t P##_wave_count(const CTX *c)                                       \
	{                                                                                     \
		return c->WIDTH && c->HEIGHT                                                  \
			       ? c->WIDTH + (1 + P##_stencil(c).skew) * (c->HEIGHT - 1)       \
			       : 0;                                                           \
	}                                                                                     \
	LSCHED_FN uint32_t P##_wave_size(const CTX *c, uint32_t wave)                         \
	{                                                                                     \
		return lsched_i_stencil_size(P##_stencil(c), wave);                           \
	}                                                                                     \
	LSCHED_FN uint32_t P##_wave_task(const CTX *c, uint32_t wave, uint32_t i)             \
	{                                                                                     \
		return lsched_i_stencil_task(P##_stencil(c), wave, i);                        \
	}

#endif
