/* collide: pairs of a mesh's primitives whose boxes overlap within a time step, and which of them
 * touch. */
#include "workloads/collide/host.h"
#include "workloads/common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member) WL_FIELD(col_options, member)

enum { GPU_FRONT = 1 << 17, MOST_FRONT = 1 << 22 };
/* Defaults, as in `params`. */
enum { PRESET_N = 100000, PRESET_SEED = 1 };
#define PRESET_TOLERANCE 1e-6

static const wl_param params[] = {
	WL_PARAM_MESH(col_options, input, "FILE[,FILE]",
		"read the mesh from a PLY or OBJ file; a second one has the positions at "
		"the end of the time step"),
	{ .name = "scene",
		.unless = "input",
		.kind = WL_CHOICE,
		.field = FIELD(scene),
		.preset = "cloth",
		.choices = "cloth|tori|sphere|random",
		.help = "select a generated mesh, without --input" },
	WL_PARAM_TRIANGLES(col_options, n, 1 << 28, "100K"),
	WL_PARAM_SEED(col_options, seed, "input", "generated mesh"),
	{ .name = "pairs",
		.kind = WL_CHOICE,
		.field = FIELD(pairs),
		.preset = "all",
		.choices = "faces|vertex-face|edges|all",
		.help = "select what is paired" },
	{ .name = "phase",
		.kind = WL_CHOICE,
		.field = FIELD(phase),
		.preset = "pairs",
		.choices = "pairs|contacts",
		.help = "select what is measured; pairs: the walk of the trees; contacts: which of "
			"the pairs touch, and when first" },
	{ .name = "front",
		.kind = WL_COUNT,
		.field = FIELD(front),
		.max = MOST_FRONT,
		.preset = "0",
		.metavar = "N",
		.help = "begin from at most N pairs of nodes, a cut through both trees made "
			"beforehand (1: from the roots; 0: 1 on the CPU, 131,072 on a GPU)" },
	{ .name = "tolerance",
		.kind = WL_REAL,
		.field = FIELD(tolerance),
		.max = 1,
		.preset = "1e-6",
		.metavar = "X",
		.help = "report contacts that come closer than X times the size of the mesh (0 to "
			"1)" },
	{ 0 },
};

static int check_options(const void *options, char *msg, size_t n)
{
	const col_options *o = options;
	const char *unused = o->scene != COL_SCENE_CLOTH ? "scene"
			     : o->n != PRESET_N          ? "triangles"
			     : o->seed != PRESET_SEED    ? "seed"
							 : NULL;

	if (o->input && unused)
		return wl_fail(
			msg, n, "--input cannot be combined with --%s; remove one of them", unused);
	if (o->phase != COL_PHASE_CONTACTS && o->tolerance != PRESET_TOLERANCE)
		return wl_fail(msg, n,
			"--tolerance needs --phase contacts; add it, or remove --tolerance");
	if (o->phase == COL_PHASE_CONTACTS && o->front)
		return wl_fail(msg, n, "--front needs --phase pairs; remove one of them");
	if (o->phase == COL_PHASE_CONTACTS && o->pairs != COL_VERTEX_FACE && o->pairs != COL_EDGES)
		return wl_fail(msg, n, "--phase contacts needs --pairs vertex-face or edges");
	return 0;
}

static int prepare_pairs(wl_work *w, wl_device *d, char *why, size_t n)
{
	return col_clear(d, w->host_data, why, n);
}

static int again_pairs(wl_work *w, wl_device *d, char *why, size_t n)
{
	return col_grow(d, w->host_data, why, n);
}

static int prepare_contacts(wl_work *w, wl_device *d, char *why, size_t n)
{
	collide *c = w->host_data;
	const size_t count = c->found[c->kind[0]];
	uint32_t *never = malloc((count + 1) * sizeof(*never));
	int bad;

	if (!never)
		return wl_no_memory((count + 1) * sizeof(*never), why, n);
	memset(never, 0xff, count * sizeof(*never));
	bad = wl_write(d, c->contacts.time, never, count * sizeof(*never), why, n);
	free(never);
	if (!bad && lsched_stream_clear(d->ctx, &c->contacts.touching.any) != LSCHED_OK)
		bad = wl_fail(why, n, "%s", lsched_last_error(d->ctx));
	return bad;
}

static int again_contacts(wl_work *w, wl_device *d, char *why, size_t n)
{
	collide *c = w->host_data;

	return col_enlarge(d, &c->contacts.touching.any, &c->touching, why, n);
}

/* The largest extent of the mesh over the step. */
static double size_of(const collide *c)
{
	double most = 0;

	for (int axis = 0; axis < 3 && c->start.vertices; axis++) {
		double lo = c->start.xyz[axis], hi = lo;

		for (size_t i = 0; i < c->start.vertices; i++) {
			const double s = c->start.xyz[3 * i + (size_t)axis];
			const double e = c->end.xyz[3 * i + (size_t)axis];

			lo = fmin(lo, fmin(s, e));
			hi = fmax(hi, fmax(s, e));
		}
		most = fmax(most, hi - lo);
	}
	return most;
}

/* Finds the candidates and makes the context of the second program. */
static int make_contacts(wl_work *w, wl_device *d, collide *c, char *msg, size_t n)
{
	const size_t bytes = (size_t)c->start.vertices * 3 * sizeof(double);
	const int kind = c->kind[0];
	cont_ctx *k = &c->contacts;

	if (col_find(d, c, msg, n))
		return -1;
	if (c->found[kind] > LSCHED_MAX_TASKS)
		return wl_fail(msg, n, "%" PRIu64 " candidates are more than the %u of a run",
			c->found[kind], LSCHED_MAX_TASKS);
	c->d_start = wl_alloc(d, bytes, msg, n);
	c->d_end = c->d_start ? wl_alloc(d, bytes, msg, n) : NULL;
	k->time = c->d_end ? wl_alloc(d, c->found[kind] * sizeof(*k->time), msg, n) : NULL;
	if (!k->time || wl_write(d, c->d_start, c->start.xyz, bytes, msg, n) ||
		wl_write(d, c->d_end, c->end.xyz, bytes, msg, n))
		return -1;
	if (lsched_stream_open(d->ctx, &k->touching.any, sizeof(uint32_t),
		    c->found[kind] / 16 + 256) != LSCHED_OK)
		return wl_fail(msg, n, "%s", lsched_last_error(d->ctx));
	k->start[0] = k->start[1] = c->d_start;
	k->end[0] = k->end[1] = c->d_end;
	k->vertex[0] = c->tree[collide_i_prims_of[kind][0]].d_vertex;
	k->vertex[1] = c->tree[collide_i_prims_of[kind][1]].d_vertex;
	k->pair = col_pairs_elements(&c->ctx.out[kind]);
	k->tolerance = c->o.tolerance * size_of(c);
	k->is_edges = kind == COL_EDGES;
	WL_SET_PROGRAM(w, collide_i_contacts);
	w->ctx = k;
	k->candidates = (uint32_t)c->found[kind];
	w->tasks = k->candidates ? k->candidates : 1;
	w->prepare = prepare_contacts;
	w->again = again_contacts;
	w->check = col_check_contacts;
	return 0;
}

/* Pairs to begin with: enough for all lanes of a GPU. */
static uint64_t front_of(const wl_device *d, const col_options *o)
{
	if (o->front)
		return o->front;
	return wl_is_cuda(d) ? GPU_FRONT : 1;
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	collide *c = wl_own(d, sizeof(*c), msg, n);

	w->host_data = c;
	if (!c)
		return -1;
	c->o = *(const col_options *)options;
	for (int kind = 0; kind < COL_KINDS; kind++)
		if (c->o.pairs == COL_ALL || c->o.pairs == kind)
			c->kind[c->kinds++] = kind;
	if (col_load(c, msg, n) || col_make_trees(d, c, msg, n) ||
		col_make_front(d, c, front_of(d, &c->o), msg, n))
		return -1;
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	w->capacity = 1 << 16;
	if (c->o.phase == COL_PHASE_CONTACTS)
		return make_contacts(w, d, c, msg, n);
	WL_SET_PROGRAM(w, collide_i_pairs);
	w->ctx = &c->ctx;
	w->tasks = c->roots;
	w->prepare = prepare_pairs;
	w->again = again_pairs;
	w->check = col_check_pairs;
	w->plain = wl_is_cuda(d) ? WL_CUDA(col_plain_cuda) : col_plain_cpu;
	return 0;
}

static void destroy(wl_work *w, wl_device *d)
{
	collide *c = w->host_data;

	if (!c)
		return;
	col_free_trees(d, c);
	collide_i_prims_free(c->prims);
	wl_mesh_free(&c->start);
	wl_mesh_free(&c->end);
	lsched_stream_close(d->ctx, &c->contacts.touching.any);
	free(c->first_time);
}

static const char *const cases[] = { "--scene random -n 0", "--scene random -n 1",
	"--scene random -n 2", "--scene random -n 2001", "-n 2", "-n 5000 --pairs faces",
	"-n 3000 --front 700", "--scene random -n 300 --front 1M", "--scene tori -n 3000",
	"--scene sphere -n 1500 --pairs edges --phase contacts",
	"--scene tori -n 2000 --pairs vertex-face --phase contacts",
	"--scene random -n 0 --pairs edges --phase contacts", NULL };

const wl_type wl_collide_type = {
	.name = "collide",
	.summary = "Finds pairs of a moving mesh's primitives that may collide, or do.\n"
		   "The collision detection of Lauterbach, Mo and Manocha, \"Work distribution\n"
		   "methods on GPUs\" (2009), section 4.3, with continuous tests.",
	.example = "--input cloth1.ply,cloth2.ply --queue steal,balance",
	.unit = "pairs",
	.queues = "ring",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(col_options),
	.check_options = check_options,
	.create = create,
	.destroy = destroy,
};
