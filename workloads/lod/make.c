/* lod: level of detail of a mesh for a view. */
#include "workloads/common/memory.h"
#include "workloads/lod/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member) WL_FIELD(lod_options, member)

/* Defaults, as in `params`. */
enum { PRESET_N = 200000, PRESET_SEED = 1, PRESET_DISTANCE = 2, PRESET_PIXELS = 4 };
enum { GPU_FRONT = 1 << 18, MOST_FRONT = 1 << 22 };
/* Pixels of a picture's height, which is seen at a distance of the same length. */
#define HEIGHT 1024.0

static const wl_param params[] = {
	WL_PARAM_MESH(lod_options, input, "FILE", "read the mesh from a PLY or OBJ file"),
	{ .name = "scene",
		.unless = "input",
		.kind = WL_CHOICE,
		.field = FIELD(scene),
		.preset = "sphere",
		.choices = "sphere|field",
		.help = "select a generated mesh, without --input; field: 64 spheres of very "
			"unequal detail" },
	WL_PARAM_TRIANGLES(lod_options, n, 1 << 26, "200K"),
	WL_PARAM_SEED(lod_options, seed, "input", "generated mesh"),
	{ .name = "distance",
		.kind = WL_REAL,
		.field = FIELD(distance),
		.max = 100,
		.preset = "2",
		.metavar = "D",
		.help = "set the distance of the eye from the middle of the mesh, in the mesh's "
			"longest side (0 to 100)" },
	{ .name = "direction",
		.kind = WL_TEXT,
		.field = FIELD(direction),
		.preset = "0,0,1",
		.metavar = "X,Y,Z",
		.help = "set the direction to the eye from there" },
	{ .name = "pixels",
		.kind = WL_REAL,
		.field = FIELD(pixels),
		.min = 1,
		.max = 1000000,
		.preset = "4",
		.metavar = "N",
		.help = "expand nodes whose cells are larger than N pixels, of a picture 1024 "
			"pixels high whose height is seen at a distance of as much (1 to "
			"1000000)" },
	{ .name = "front",
		.kind = WL_COUNT,
		.field = FIELD(front),
		.max = MOST_FRONT,
		.preset = "0",
		.metavar = "N",
		.help = "begin from the first N nodes in the order of levels (1: from the root; 0: "
			"1 on the CPU, 262,144 on a GPU)" },
	{ .name = "level",
		.kind = WL_UINT,
		.field = FIELD(level),
		.max = LOD_LEVELS,
		.preset = "0",
		.metavar = "N",
		.help = "collapse all cells of level N instead (1 to 21; 0: by the view)" },
	{ 0 },
};

/* Reads three numbers, not all zero, as a vector of length 1. Returns 0 or -1. */
static int read_direction(const char *text, double v[3])
{
	double length = 0;

	for (int axis = 0; axis < 3; axis++) {
		char *end;

		v[axis] = strtod(text, &end);
		if (end == text || !isfinite(v[axis]) || *end != (axis < 2 ? ',' : 0))
			return -1;
		text = end + 1;
		length = hypot(length, v[axis]);
	}
	for (int axis = 0; axis < 3; axis++)
		v[axis] /= length;
	return length > 0 && isfinite(length) ? 0 : -1;
}

static int check_options(const void *options, char *msg, size_t n)
{
	const lod_options *o = options;
	const char *made = o->scene != LOD_SPHERE   ? "scene"
			   : o->n != PRESET_N       ? "triangles"
			   : o->seed != PRESET_SEED ? "seed"
						    : NULL;
	const char *view = o->distance != PRESET_DISTANCE       ? "distance"
			   : strcmp(o->direction, "0,0,1") != 0 ? "direction"
			   : o->pixels != PRESET_PIXELS         ? "pixels"
								: NULL;
	double v[3];

	if (o->input && made)
		return wl_fail(
			msg, n, "--input cannot be combined with --%s; remove one of them", made);
	if (o->level && view)
		return wl_fail(
			msg, n, "--level cannot be combined with --%s; remove one of them", view);
	if (read_direction(o->direction, v))
		return wl_fail(msg, n,
			"--direction '%s': it must be three numbers, X,Y,Z, not all of them zero",
			o->direction);
	return 0;
}

/* ---- the mesh ---- */

enum { COPIES = 64, ROW = 8 };

/* Puts spheres of radius 1 side by side. */
static int join_copies(wl_mesh *m, const wl_mesh *copy, uint32_t copies, char *msg, size_t n)
{
	uint64_t vertices = 0, triangles = 0;

	for (uint32_t k = 0; k < copies; k++) {
		vertices += copy[k].vertices;
		triangles += copy[k].triangles;
	}
	if (wl_mesh_make(m, vertices, triangles, msg, n))
		return -1;
	vertices = triangles = 0;
	for (uint32_t k = 0; k < copies; k++) {
		const uint32_t place = 37 * k % COPIES; /* neighbours differ */
		const double shift[3] = { 2.2 * (place % ROW), 0, 2.2 * (place / ROW) };

		for (size_t i = 0; i < 3 * (size_t)copy[k].vertices; i++)
			m->xyz[3 * vertices + i] = copy[k].xyz[i] + shift[i % 3];
		for (size_t i = 0; i < 3 * (size_t)copy[k].triangles; i++)
			m->index[3 * triangles + i] = copy[k].index[i] + (uint32_t)vertices;
		vertices += copy[k].vertices;
		triangles += copy[k].triangles;
	}
	return 0;
}

/* Spheres side by side: the k-th one has 1/k of the first one's triangles. */
static int make_field(wl_mesh *m, const lod_options *o, char *msg, size_t n)
{
	const uint32_t copies = o->n / 2 < COPIES ? (uint32_t)(o->n / 2 + o->n % 2) : COPIES;
	wl_mesh copy[COPIES];
	double all = 0;
	int bad = 0;

	memset(copy, 0, sizeof(copy));
	for (uint32_t k = 0; k < copies; k++)
		all += 1.0 / (k + 1);
	for (uint32_t k = 0; !bad && k < copies; k++)
		bad = wl_mesh_sphere(
			&copy[k], (uint64_t)((double)o->n / all / (k + 1)), o->seed + k, msg, n);
	if (!bad)
		bad = join_copies(m, copy, copies, msg, n);
	for (uint32_t k = 0; k < copies; k++)
		wl_mesh_free(&copy[k]);
	return bad;
}

static int load_mesh(wl_mesh *m, const lod_options *o, char *msg, size_t n)
{
	if (o->input)
		return wl_mesh_read(m, o->input, msg, n) ||
				       wl_mesh_check_floats(m, o->input, msg, n)
			       ? -1
			       : 0;
	if (o->n == 0)
		return wl_mesh_make(m, 0, 0, msg, n);
	return o->scene == LOD_FIELD ? make_field(m, o, msg, n)
				     : wl_mesh_sphere(m, o->n, o->seed, msg, n);
}

/* ---- the work ---- */

static int clear(wl_work *w, wl_device *d, char *why, size_t n)
{
	const lod_host *h = w->host_data;

	if (lsched_stream_clear(d->ctx, &h->ctx.vertices.any) == LSCHED_OK &&
		lsched_stream_clear(d->ctx, &h->ctx.triangles.any) == LSCHED_OK)
		return 0;
	return wl_fail(why, n, "%s", lsched_last_error(d->ctx));
}

int lod_again(wl_work *w, wl_device *d, char *msg, size_t n)
{
	lod_host *h = w->host_data;
	lsched_stream *stream[LOD_SETS] = { &h->ctx.vertices.any, &h->ctx.triangles.any };
	int more = 0;

	for (int set = 0; set < LOD_SETS; set++) {
		lsched_status st = lsched_stream_counts(d->ctx, stream[set], &h->needed[set], NULL);

		if (st == LSCHED_OK && h->needed[set] > stream[set]->capacity) {
			st = lsched_stream_enlarge(d->ctx, stream[set], h->needed[set]);
			more = 1;
		}
		if (st != LSCHED_OK)
			return wl_cannot_allocate(d, st, "the output", msg, n);
	}
	return more;
}

/* Between which levels the cells are that leaves collapse to: by the nearest and the farthest place
 * on the grid. */
static void set_levels(lod_ctx *c)
{
	uint64_t near = 0, far = 0;

	for (int axis = 0; axis < 3; axis++) {
		const int64_t eye = c->eye[axis], last = (1 << LOD_LEVELS) - 1;
		const int64_t other = eye > last / 2 ? eye : last - eye;

		near += lod_square(0, 1 << LOD_LEVELS, c->eye[axis]);
		far += (uint64_t)(other * other);
	}
	c->low = c->high = 0;
	while (c->high < LOD_LEVELS &&
		(c->level ? c->high < c->level : near < c->reach >> 2 * c->high))
		c->high++;
	while (c->low + 1 < c->high && (c->level || far < c->reach >> 2 * (c->low + 1)))
		c->low++;
}

/* The question that all nodes are asked. */
static void set_view(const wl_device *d, lod_host *h)
{
	const uint64_t front = h->o.front ? h->o.front : wl_is_cuda(d) ? GPU_FRONT : 1;
	const double most = 0x1p62 - 1024, side = (1 << LOD_LEVELS) - 1;
	const double cells = (1 << LOD_LEVELS) * HEIGHT / h->o.pixels;
	double v[3];

	(void)read_direction(h->o.direction, v);
	for (int axis = 0; axis < 3; axis++)
		h->ctx.eye[axis] = (int32_t)floor(h->middle[axis] + v[axis] * h->o.distance * side);
	h->ctx.reach = (uint64_t)fmin(cells * cells, most);
	/* an empty mesh has a root without children */
	h->ctx.level = h->mesh.vertices ? h->o.level : 1;
	h->ctx.front = h->cells < front ? h->cells : (uint32_t)front;
	set_levels(&h->ctx);
}

static void *upload(wl_device *d, const void *from, size_t bytes, char *msg, size_t n)
{
	void *to = wl_alloc(d, bytes, msg, n);

	return to && wl_write(d, to, from, bytes, msg, n) == 0 ? to : NULL;
}

static int make_memory(wl_device *d, lod_host *h, char *msg, size_t n)
{
	const uint64_t room = h->cells / 16 + 1024;
	lod_ctx *c = &h->ctx;
	lsched_status st;

	c->node = upload(d, h->node, h->nodes * sizeof(*c->node), msg, n);
	c->way = c->node ? upload(d, h->way, h->ways * sizeof(*c->way), msg, n) : NULL;
	c->vertex = c->way ? upload(d, h->vertex, h->cells * sizeof(*c->vertex), msg, n) : NULL;
	c->triangle = c->vertex
			      ? upload(d, h->triangle, h->triangles * sizeof(*c->triangle), msg, n)
			      : NULL;
	if (!c->triangle)
		return -1;
	st = lsched_stream_open(d->ctx, &c->vertices.any, sizeof(lod_vertex), room);
	if (st == LSCHED_OK)
		st = lsched_stream_open(d->ctx, &c->triangles.any, sizeof(lod_triangle), room);
	return st == LSCHED_OK ? 0 : wl_cannot_allocate(d, st, "the output", msg, n);
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	lod_host *h = wl_own(d, sizeof(*h), msg, n);

	w->host_data = h;
	if (!h)
		return -1;
	h->o = *(const lod_options *)options;
	if (load_mesh(&h->mesh, &h->o, msg, n) || lod_make_tree(d, h, msg, n))
		return -1;
	set_view(d, h);
	if (lod_make_truth(d, h, msg, n) || make_memory(d, h, msg, n))
		return -1;
	WL_SET_PROGRAM(w, lod);
	w->ctx = &h->ctx;
	w->tasks = h->ctx.front;
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	w->capacity = 1 << 16;
	w->prepare = clear;
	w->again = lod_again;
	w->check = lod_check;
	w->plain = wl_is_cuda(d) ? WL_CUDA(lod_plain_cuda) : lod_plain_cpu;
	w->plain2 = wl_is_cuda(d) ? WL_CUDA(lod_graph_cuda) : NULL;
	w->plain2_name = "graph";
	return 0;
}

static void destroy(wl_work *w, wl_device *d)
{
	lod_host *h = w->host_data;

	if (!h)
		return;
	wl_mesh_free(&h->mesh);
	lsched_stream_close(d->ctx, &h->ctx.vertices.any);
	lsched_stream_close(d->ctx, &h->ctx.triangles.any);
}

static const char *const cases[] = { "-n 0", "-n 1", "-n 2", "-n 3 --scene field", "-n 30001",
	"-n 20000 --level 1", "-n 20000 --level 21", "-n 50000 --level 5 --scene field",
	"-n 50000 --scene field --distance 0.3 --direction 1,0.2,1 --pixels 1",
	"-n 30000 --distance 100 --pixels 1000000", "-n 100000 --distance 0 --pixels 1",
	"-n 30000 --distance 1 --front 1K", "-n 100 --front 1M", NULL };

const wl_type wl_lod_type = {
	.name = "lod",
	.summary = "Simplifies a mesh for a view.\n"
		   "The hierarchical dynamic simplification of Steinberger et al., \"Softshell:\n"
		   "Dynamic scheduling on GPUs\" (2012), section 6.2.1.",
	.example = "--scene field -n 4M --distance 0.5 --queue ring,steal",
	.unit = "vertices",
	.queues = "ring",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(lod_options),
	.check_options = check_options,
	.create = create,
	.destroy = destroy,
};
