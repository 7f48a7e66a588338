/* Figures 4 and 5 of Lauterbach, Mo, Manocha 2009 by bounding volume hierarchies and collisions
 * (workloads/bvh, workloads/collide), with the two of the paper's four meshes that are public. */
#include "apps/gsched/repro.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* The paper's meshes; frames: names of two moments, NULL: not public. */
static const struct mesh {
	const char *name, *folder, *frames[2], *substitute;
} meshes[] = {
	{ "cloth dropping on sphere, 92 K", "cloth-ball", { "cloth_ball92", "cloth_ball93" },
		"--shape cloth -n 92K" },
	{ "n-body simulation, 146 K", "n-body-simulation", { "balls16_18", "balls16_19" },
		"--shape random -n 146K" },
	{ "Flamenco, 49 K", "", { NULL }, "--shape tori -n 49K" },
	{ "Princess, 40 K", "", { NULL }, "--shape tori -n 40K" },
};
enum { MESHES = sizeof(meshes) / sizeof(meshes[0]) };

static const char *const queues[] = { "block", "abp", "compact", "balance", "ring", "plain" };
enum { BLOCK, ABP, COMPACT, BALANCE, RING, PLAIN, METHODS };
#define METHOD_COLUMNS \
	"work queue (block)|work stealing (abp)|compaction|balancing|ring|without tasks"
#define MEASURED " --queue block,abp,compact,balance,ring --never-keep -r %u"

/* Returns a file's name as a word of a command line of repro_run(). */
static const char *word_of(repro *r, const char *path)
{
	char *word = repro_alloc(r, 2 * strlen(path) + 1), *to = word;

	for (; *path; *to++ = *path++)
		if (*path == ' ' || *path == '\\')
			*to++ = '\\';
	return word;
}

/* Returns the path of a frame of the folder --meshes, as a word, or NULL. */
static const char *path_of(repro *r, const struct mesh *m, size_t frame)
{
	const char *path;

	if (!r->o->meshes || !m->frames[frame])
		return NULL;
	path = repro_text(r, "%s/%s.ply", r->o->meshes, m->frames[frame]);
	if (access(path, R_OK) == 0)
		return word_of(r, path);
	path = repro_text(r, "%s/%s/frames/%s.ply", r->o->meshes, m->folder, m->frames[frame]);
	return access(path, R_OK) == 0 ? word_of(r, path) : NULL;
}

int repro_check_meshes(repro *r)
{
	if (!r->o->meshes)
		return 0;
	if (strchr(r->o->meshes, ',')) {
		log_print(r->log, LOG_LEVEL_ERROR,
			"--meshes '%s': a comma divides the names of meshes; rename the folder, or "
			"make a link to it",
			r->o->meshes);
		return -1;
	}
	for (size_t i = 0; i < MESHES; i++)
		if (path_of(r, &meshes[i], 0))
			return 0;
	log_print(r->log, LOG_LEVEL_ERROR,
		"--meshes '%s' has none of the paper's meshes; it needs cloth_ball92.ply or "
		"cloth-ball/frames/cloth_ball92.ply, say (not compressed)",
		r->o->meshes);
	return -1;
}

/* Adds the cells of the methods' times. */
static void put_times(repro *r, repro_cells *c, const gs_table *t)
{
	for (size_t q = 0; q < METHODS; q++) {
		const double ms = repro_ms(t, queues[q]);

		repro_cell(r, c, isfinite(ms) ? "%.3f" : "-", ms);
	}
}

/* What balancing gains, over the paper's meshes. */
typedef struct gains {
	double least, most;
	size_t measured;
} gains;

/* Measures the constructions of a mesh: its row of both kinds of boxes. */
static void build(repro *r, repro_cells *c, const struct mesh *m, gains *g)
{
	static const char *const boxes[] = { "aabb", "obb" };
	const char *path = path_of(r, m, 0);

	for (size_t b = 0; b < 2; b++) {
		const gs_table *t =
			repro_run(r, "run bvh %s%s --boxes %s" MEASURED, path ? "--input " : "",
				path                     ? path
				: r->scale == REPRO_TINY ? "-n 2K"
							 : m->substitute,
				boxes[b], repro_pick(r, 1, 3, 9));
		const double gain = repro_ms(t, "compact") / repro_ms(t, "balance") - 1;

		repro_cell(r, c, path ? "%s" : "generated for %s", m->name);
		repro_cell(r, c, "%s", b ? "oriented" : "axis-aligned");
		put_times(r, c, t);
		if (!path || !isfinite(gain))
			continue;
		g->least = fmin(g->least, gain);
		g->most = fmax(g->most, gain);
		g->measured++;
	}
}

void repro_hierarchies(repro *r)
{
	report_section *s = repro_section(r, "Bounding volume hierarchies",
		"Lauterbach, Mo, Manocha 2009, section 4.1, figure 5");
	repro_cells *c = repro_table(
		r, s, "Milliseconds for the construction", "mesh|boxes|" METHOD_COLUMNS);
	gains g = { .least = INFINITY, .most = -INFINITY };

	for (size_t i = 0; i < (r->scale == REPRO_TINY && !r->o->meshes ? 1 : MESHES); i++)
		build(r, c, &meshes[i], &g);
	s->text = "Top-down construction by the surface area heuristic: a tile of a large range "
		  "and a range that fits into fast memory are an item each, and every item is "
		  "enqueued. Oriented boxes are fitted to the same tree. Flamenco and Princess are "
		  "not public; without --meshes the other two are generated as well. Generated "
		  "meshes have no part in the verdict.";
	repro_judge(r, s, "Balancing is 5 to 13 % faster than compaction.", g.measured > 0,
		g.least >= 0.05 && g.most <= 0.13,
		"Compaction writes an array of all items in each round; with few and large items "
		"that costs little.",
		"%s (criterion: compaction takes 5 to 13 %% more time)",
		g.measured ? repro_text(r, "compaction takes %+.0f to %+.0f %% more time",
				     100 * g.least, 100 * g.most)
			   : "the public meshes are read from --meshes");
}

/* Measures the phases of a mesh's self-collision; raises *slowest to the time of tree, pairs and
 * contacts with balancing, NaN if one of them is missing. The contacts of real meshes take CPU
 * threads half a minute, and a first-come queue holds millions of pairs of nodes. */
static void collide(repro *r, repro_cells *c, const struct mesh *m, double *slowest)
{
	static const char *const phases[][2] = { { "all", "pairs" }, { "vertex-face", "contacts" },
		{ "edges", "contacts" } };
	static const char deep[] = " --capacity 64M";
	const char *path = path_of(r, m, 0), *next = path_of(r, m, 1);
	const int real = path && next, gpu = r->backend == LSCHED_BACKEND_CUDA;
	const char *input = real                     ? repro_text(r, "--input %s,%s", path, next)
			    : r->scale == REPRO_TINY ? "-n 1K"
						     : "-n 10K";
	double ms = 0;

	for (size_t p = 0; p < (real && !gpu ? 1 : 3); p++) {
		const gs_table *t = repro_run(r, "run collide %s --pairs %s --phase %s%s" MEASURED,
			input, phases[p][0], phases[p][1], gpu && real ? deep : "",
			repro_pick(r, 1, 3, 3));

		repro_cell(r, c, real ? "%s" : "generated for %s", m->name);
		repro_cell(r, c, "%s, %s", phases[p][1], phases[p][0]);
		put_times(r, c, t);
		ms += repro_ms(t, "balance");
	}
	if (!real)
		return;
	ms += gpu ? repro_ms(repro_run(r,
				     "run bvh --input %s --queue balance --never-keep --no-plain "
				     "-r 9",
				     path),
			    "balance")
		  : NAN;
	*slowest = isfinite(ms) && isfinite(*slowest) ? fmax(*slowest, ms) : NAN;
}

void repro_collisions(repro *r)
{
	report_section *s = repro_section(r, "Collisions within a moving mesh",
		"Lauterbach, Mo, Manocha 2009, section 4.3, figure 4");
	repro_cells *c =
		repro_table(r, s, "Milliseconds of a time step", "mesh|phase|" METHOD_COLUMNS);
	double slowest = 0;

	for (size_t i = 0; i < MESHES; i++)
		if (i == 0 || path_of(r, &meshes[i], 1))
			collide(r, c, &meshes[i], &slowest);
	s->text = "Pairs: all pairs of faces, of a vertex and a face and of edges whose boxes over "
		  "the time step overlap. Contacts: the first moment when the primitives of each "
		  "pair touch; of real meshes on a GPU only. Without --meshes a generated mesh, "
		  "which has "
		  "no part in the verdict.";
	repro_judge(r, s, "Collisions are found in interactive time.",
		slowest > 0 && isfinite(slowest), slowest <= 100,
		"The meshes need millions of tests, of which this device computes fewer in a "
		"second "
		"than the paper's.",
		"%s (criterion: at most 100 ms)",
		slowest > 0 ? repro_text(r,
				      "tree, pairs and contacts of the slower of the public meshes "
				      "take %.2f ms with balancing",
				      slowest)
			    : "the public meshes are read from --meshes; a GPU finds contacts");
}
