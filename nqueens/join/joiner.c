/* A unit of the join: eastern patterns and western placements for each set of rows. */
#include "nqueens/join/joiner.h"
#include <stdlib.h>
#include "nqueens/core/board.h"

enum { VECTOR_BYTES = 64 };

/* What the queens on the middle lines (0, x) and (y, 0) leave to each quarter. */
typedef struct cross {
	uint32_t south_rows, east_cols; /* sets of rows and columns that are free */
	uint32_t queens_east;
	uint32_t no_ne, no_se, no_sw, no_nw; /* forbidden bits of placements */
} cross;

static uint32_t bit_of(uint32_t field, uint32_t k)
{
	return 1u << (field + k - 1);
}

static cross cross_of(const nq__join *t, uint32_t i)
{
	const uint32_t full = nq__full(t->h), x = t->x[i], y = t->y[i];
	cross c = { full, full, t->h, 0, 0, 0, 0 };

	if (x == 0) {
		/* even n, or a queen in the centre: see half_quiet */
		return c;
	}
	c.east_cols &= ~(1u << (x - 1));
	c.south_rows &= ~(1u << (y - 1));
	c.queens_east = t->h - 1;
	/* D1 = x, y and D2 = x, -y are occupied; SW and NW see them turned */
	c.no_ne = bit_of(NQ__HIGH, x) | bit_of(NQ__HIGH, y) | bit_of(NQ__FAR, x);
	c.no_se =
		bit_of(NQ__FAR, x) | bit_of(NQ__FAR, y) | bit_of(NQ__HIGH, x) | bit_of(NQ__LOW, y);
	c.no_sw = bit_of(NQ__LOW, x) | bit_of(NQ__LOW, y) | bit_of(NQ__FAR, y);
	c.no_nw = bit_of(NQ__LOW, x) | bit_of(NQ__HIGH, y);
	return c;
}

/* The placements of a list that have none of the forbidden bits; into `room` if some have. */
static nq__list keep(nq__list l, uint32_t forbidden, uint32_t *room)
{
	nq__list kept = { room, 0, 0 };

	if (!forbidden)
		return l;
	for (uint32_t i = 0; i < l.count; i++) {
		room[kept.count] = l.at[i];
		kept.count += !(l.at[i] & forbidden);
		if (i + 1 == l.quiet)
			kept.quiet = kept.count;
	}
	return kept;
}

static uint64_t field_of(uint32_t placement, uint32_t field)
{
	return placement >> field & NQ__FIELD_MASK;
}

static uint64_t as_ne(uint32_t p)
{
	return field_of(p, NQ__LOW) << NQ__D1_LOW | field_of(p, NQ__HIGH) << NQ__D1_HIGH |
	       field_of(p, NQ__FAR) << NQ__D2_HIGH | (uint64_t)(p >> NQ__TOUCH) << NQ__D1_MAIN;
}

static uint64_t as_se(uint32_t p)
{
	return field_of(p, NQ__LOW) << NQ__D2_LOW | field_of(p, NQ__HIGH) << NQ__D2_HIGH |
	       field_of(p, NQ__FAR) << NQ__D1_HIGH | (uint64_t)(p >> NQ__TOUCH) << NQ__D2_MAIN;
}

/* quiet: only patterns that leave the main diagonals alone. */
static void make_east(nq__joiner *j, const cross *c, uint32_t north, uint32_t south, int quiet)
{
	const uint32_t queens = (uint32_t)__builtin_popcount(north);
	uint64_t *out = j->east;

	for (uint32_t cols = c->east_cols;; cols = (cols - 1) & c->east_cols) {
		if ((uint32_t)__builtin_popcount(cols) == queens) {
			const nq__list ne =
				keep(nq__join_list(j->t, north, cols), c->no_ne, j->kept);
			const uint32_t n_ne = quiet ? ne.quiet : ne.count;
			nq__list se;
			uint32_t n_se;

			/* the kept list of NE is used up before that of SE is made */
			for (uint32_t i = 0; i < n_ne; i++)
				j->spread[i] = as_ne(ne.at[i]);
			se = keep(nq__join_list(j->t, south, c->east_cols & ~cols), c->no_se,
				j->kept);
			n_se = quiet ? se.quiet : se.count;
			for (uint32_t k = 0; k < n_se; k++) {
				const uint64_t p = as_se(se.at[k]);

				for (uint32_t i = 0; i < n_ne; i++) {
					*out = p | j->spread[i];
					out += !(p & j->spread[i]);
				}
			}
		}
		if (!cols)
			break;
	}
	j->east_count = (size_t)(out - j->east);
}

/* The far field of one and the high field of the other are the same diagonals. */
static int clash(uint32_t nw, uint32_t sw)
{
	return ((nw >> NQ__FAR & sw >> NQ__HIGH) | (nw >> NQ__HIGH & sw >> NQ__FAR)) &
	       NQ__FIELD_MASK;
}

/* first_class 1: pairs that occupy no main diagonal are not wanted; last_class 0: only such. */
static void make_west(nq__joiner *j, const cross *c, uint32_t north, uint32_t south,
	uint32_t first_class, uint32_t last_class)
{
	const uint32_t full = nq__full(j->t->h);
	const uint32_t queens = (uint32_t)__builtin_popcount(north);
	nq__batch now = { 0, 0, { 0, 0, 0 } };
	uint32_t nw_begin = 0, sw_begin = 0;

	j->batch_count = 0;
	for (uint32_t cols = full;; cols--) {
		if ((uint32_t)__builtin_popcount(cols) == queens) {
			nq__list nw = keep(
				nq__join_list(j->t, north, cols), c->no_nw, j->nw + now.nw_end);
			nq__list sw = keep(nq__join_list(j->t, south, full & ~cols), c->no_sw,
				j->sw + now.sw_end);

			if (last_class == 0) {
				nw.count = nw.quiet;
				sw.count = sw.quiet;
			}
			for (uint32_t i = 0; i < nw.count; i++)
				j->nw[now.nw_end + i] = nw.at[i];
			for (uint32_t i = 0; i < sw.count; i++)
				j->sw[now.sw_end + i] = sw.at[i];
			for (uint32_t i = 0; i < nw.count; i++) {
				const uint32_t a = j->nw[now.nw_end + i], touch = a >> NQ__TOUCH;
				const uint32_t ends[2] = { sw.quiet, sw.count };
				uint32_t k = 0;

				for (uint32_t other = 0; other < 2; other++) {
					const uint32_t class = touch + other;
					nq__pair *to = j->pairs[class] + now.pairs_end[class];

					if (class < first_class) {
						k = ends[other];
						continue;
					}
					for (; k < ends[other]; k++) {
						to->nw = (uint16_t)(now.nw_end - nw_begin + i);
						to->sw = (uint16_t)(now.sw_end - sw_begin + k);
						to += !clash(a, j->sw[now.sw_end + k]);
					}
					now.pairs_end[class] = (uint32_t)(to - j->pairs[class]);
				}
			}
			now.nw_end += nw.count;
			now.sw_end += sw.count;
			if (now.nw_end - nw_begin >= NQ__BATCH ||
				now.sw_end - sw_begin >= NQ__BATCH) {
				j->batches[j->batch_count++] = now;
				nw_begin = now.nw_end;
				sw_begin = now.sw_end;
			}
		}
		if (!cols)
			break;
	}
	j->batches[j->batch_count++] = now;
}

/* Pairs by class, for one set of rows. */
static void count_rows(nq__joiner *j, uint64_t hits[NQ__CLASSES])
{
	for (uint32_t k = 0; k < NQ__CLASSES; k++)
		hits[k] = 0;
	for (size_t i = 0; i < j->east_count; i += j->block_patterns) {
		const size_t left = j->east_count - i;

		j->block(j, j->east + i,
			left < j->block_patterns ? (uint32_t)left : j->block_patterns, hits);
	}
}

/* Even n and the queen in the centre: see join.h, "Symmetry". */
static uint64_t whole_symmetry(nq__joiner *j, const cross *c, uint32_t north)
{
	const uint32_t h = j->t->h, full = nq__full(h), other_north = full & ~north;
	const uint32_t queens = h - (uint32_t)__builtin_popcount(north);
	const int centre = j->t->n % 2 != 0;
	uint64_t sum = 0, hits[NQ__CLASSES];

	/* the flip swaps north and south; rows count from the centre in both */
	for (uint32_t south = north; south <= full; south++) {
		const uint32_t other_south = full & ~south;
		const uint32_t low = other_north < other_south ? other_north : other_south;
		const uint32_t high = other_north < other_south ? other_south : other_north;
		const uint64_t flips = south == north ? 1 : 2;
		const int is_self = low == north && high == south;
		const int is_first = north < low || (north == low && south <= high);

		if ((uint32_t)__builtin_popcount(south) != queens || (centre && !is_first))
			continue;
		if (j->stop && __atomic_load_n(j->stop, __ATOMIC_RELAXED))
			return 0;
		make_east(j, c, north, south, 1);
		make_west(j, c, other_north, other_south, is_first ? 0 : 1,
			centre ? 0 : NQ__CLASSES - 1);
		count_rows(j, hits);
		sum += flips * ((is_self ? 1 : 2) * hits[0] + 2 * hits[1] + 4 * hits[2]);
	}
	return sum;
}

static uint64_t no_symmetry(nq__joiner *j, const cross *c, uint32_t north)
{
	const uint32_t full = nq__full(j->t->h);
	const uint32_t queens = c->queens_east - (uint32_t)__builtin_popcount(north);
	uint64_t sum = 0, hits[NQ__CLASSES];

	if ((uint32_t)__builtin_popcount(north) > c->queens_east)
		return 0;
	for (uint32_t south = c->south_rows;; south = (south - 1) & c->south_rows) {
		if ((uint32_t)__builtin_popcount(south) == queens) {
			if (j->stop && __atomic_load_n(j->stop, __ATOMIC_RELAXED))
				return 0;
			make_east(j, c, north, south, 0);
			make_west(j, c, full & ~north, c->south_rows & ~south, 0, NQ__CLASSES - 1);
			count_rows(j, hits);
			sum += hits[0] + hits[1] + hits[2];
		}
		if (!south)
			break;
	}
	/* the 8 images of the queens on the middle lines */
	return 8 * sum;
}

uint64_t nq__join_unit(nq__joiner *j, const nq_unit *u)
{
	const cross c = cross_of(j->t, u->first);

	return j->t->x[u->first] ? no_symmetry(j, &c, u->count) : whole_symmetry(j, &c, u->count);
}

/* ---- memory ---- */

static void *vectors(size_t n)
{
	return aligned_alloc(VECTOR_BYTES, n * VECTOR_BYTES);
}

nq__joiner *nq__joiner_create(const nq__join *t, nq_simd simd, const int *stop)
{
	nq__joiner *j = (nq__joiner *)calloc(1, sizeof(*j));
	const size_t room = NQ__BATCH + t->longest;
	int ok;

	if (!j)
		return NULL;
	j->t = t;
	j->stop = stop;
	j->block = nq__join_block_scalar;
	j->block_patterns = 64;
#ifdef __x86_64__
	if (simd == NQ_SIMD_AVX512) {
		j->block = nq__join_block_avx512;
		j->block_patterns = 512;
	} else if (simd == NQ_SIMD_AVX2) {
		j->block = nq__join_block_avx2;
		j->block_patterns = 256;
	}
#endif
	j->east = (uint64_t *)malloc((t->most_pairs + 1) * sizeof(*j->east));
	j->spread = (uint64_t *)malloc((t->longest + 1) * sizeof(*j->spread));
	j->kept = (uint32_t *)malloc((t->longest + 1) * sizeof(*j->kept));
	/* a list of longest placements may be written behind the last one, to be shortened then */
	j->nw = (uint32_t *)malloc((t->most_quarter + t->longest + 1) * sizeof(*j->nw));
	j->sw = (uint32_t *)malloc((t->most_quarter + t->longest + 1) * sizeof(*j->sw));
	j->batches = (nq__batch *)malloc((((size_t)1 << t->h) + 1) * sizeof(*j->batches));
	j->nw_rows = vectors(room);
	j->sw_rows = vectors(room);
	j->tables = vectors(NQ__TABLE_ENTRIES);
	ok = j->east && j->spread && j->kept && j->nw && j->sw && j->batches && j->nw_rows &&
	     j->sw_rows && j->tables;
	for (uint32_t k = 0; k < NQ__CLASSES; k++) {
		j->pairs[k] = (nq__pair *)malloc((t->most_pairs + 1) * sizeof(*j->pairs[k]));
		ok = ok && j->pairs[k];
	}
	if (!ok) {
		nq__joiner_destroy(j);
		return NULL;
	}
	return j;
}

void nq__joiner_destroy(nq__joiner *j)
{
	if (!j)
		return;
	free(j->east);
	free(j->spread);
	free(j->kept);
	free(j->nw);
	free(j->sw);
	free(j->batches);
	free(j->nw_rows);
	free(j->sw_rows);
	free(j->tables);
	for (uint32_t k = 0; k < NQ__CLASSES; k++)
		free(j->pairs[k]);
	free(j);
}
