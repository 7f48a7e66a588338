/* hull: the visual hull under a time limit. */
#include "workloads/common/memory.h"
#include "workloads/common/picture.h"
#include "workloads/hull/host.h"

#include <stdlib.h>

#define FIELD(member) WL_FIELD(hull_options, member)

/* Defaults, as in `params`. */
enum { PRESET_N = 2000, PRESET_SEED = 1 };
static const wl_param params[] = {
	WL_PARAM_MESH(hull_options, input, "FILE", "read the mesh from a PLY or OBJ file"),
	{ .name = "scene",
		.unless = "input",
		.kind = WL_CHOICE,
		.field = FIELD(scene),
		.preset = "blob",
		.choices = "blob|ball",
		.help = "select a generated mesh, without --input; ball: its hull is known by "
			"formulas" },
	WL_PARAM_TRIANGLES(hull_options, n, 1 << 24, "2K"),
	WL_PARAM_SEED(hull_options, seed, "input", "generated mesh"),
	{ .name = "size",
		.kind = WL_SIZE,
		.field = FIELD(size),
		.min = 1,
		.max = 8192,
		.preset = "160x96",
		.metavar = "WxH",
		.help = "set the size of the view (pixels, each side 1 to 8192)" },
	{ .name = "cameras",
		.kind = WL_UINT,
		.field = FIELD(cameras),
		.min = 1,
		.max = HULL_MAX_CAMERAS,
		.preset = "8",
		.metavar = "N",
		.help = "set the number of cameras (1 to 16)" },
	{ .name = "silhouette",
		.kind = WL_UINT,
		.field = FIELD(side),
		.min = 8,
		.max = 2048,
		.preset = "128",
		.metavar = "N",
		.help = "set the side of the cameras' pictures (pixels, 8 to 2048)" },
	{ .name = "frames",
		.kind = WL_UINT,
		.field = FIELD(frames),
		.min = 1,
		.max = 256,
		.preset = "16",
		.metavar = "N",
		.help = "set the number of frames after which the motion repeats (1 to 256); "
			"--repeat sets how many are measured" },
	{ .name = "speed",
		.kind = WL_REAL,
		.field = FIELD(speed),
		.max = 10,
		.preset = "1",
		.metavar = "D",
		.help = "set how far the mesh turns in a frame, at most (degrees, 0 to 10)" },
	{ .name = "method",
		.kind = WL_CHOICE,
		.field = FIELD(method),
		.preset = "clock",
		.choices = "full|threshold|clock",
		.help = "select which tiles are done the full way; full: all; threshold: those "
			"that have changed by at least --threshold; clock: the most changed "
			"ones, while there is time. The others are warped" },
	{ .name = "threshold",
		.kind = WL_REAL,
		.field = FIELD(threshold),
		.max = 10000,
		.preset = "1",
		.metavar = "N",
		.help = "set the change from which on a tile is done the full way (pixels)" },
	{ .name = "limit",
		.kind = WL_UINT,
		.field = FIELD(limit_us),
		.min = 1,
		.max = 1000000000,
		.preset = "5000",
		.metavar = "US",
		.help = "set the time limit of a frame (microseconds)" },
	{ .name = "image",
		.kind = WL_OUTPUT,
		.field = FIELD(image),
		.metavar = "FILE",
		.help = "write the last frame: .png, .tif or .exr" },
	{ 0 },
};

static int check_options(const void *options, char *msg, size_t n)
{
	const hull_options *o = options;
	const char *made = o->scene != HULL_BLOB    ? "scene"
			   : o->n != PRESET_N       ? "triangles"
			   : o->seed != PRESET_SEED ? "seed"
						    : NULL;

	if (o->input && made)
		return wl_fail(
			msg, n, "--input cannot be combined with --%s; remove one of them", made);
	return o->image ? wl_check_picture("--image", o->image, msg, n) : 0;
}

static int make_host_memory(hull_host *h, wl_device *d, char *msg, size_t n)
{
	const size_t tiles = h->ctx.tiles, pixels = hull_pixels_of(h);

	h->keys = wl_own(d, tiles * sizeof(*h->keys), msg, n);
	h->pending = h->keys ? wl_own(d, 3 * tiles * sizeof(*h->pending), msg, n) : NULL;
	h->now = h->pending ? wl_own(d, 2 * pixels * sizeof(*h->now), msg, n) : NULL;
	if (!h->now)
		return -1;
	h->order = h->pending + tiles;
	h->done = h->order + tiles;
	h->before = h->now + pixels;
	return 0;
}

static int make_memory(hull_host *h, wl_device *d, char *msg, size_t n)
{
	const size_t tiles = h->ctx.tiles, pixels = hull_pixels_of(h);
	hull_ctx *c = &h->ctx;

	h->bins_of_tasks = wl_upload(d, h->bin, h->bins * sizeof(*h->bin), msg, n);
	/* without silhouettes there are no edges */
	c->edge = h->bins_of_tasks && h->edges
			  ? wl_upload(d, h->edge, h->edges * sizeof(*h->edge), msg, n)
			  : NULL;
	if (!h->bins_of_tasks || (h->edges && !c->edge))
		return -1;
	for (int i = 0; i < 2; i++) {
		h->picture[i] = wl_alloc(d, pixels * sizeof(float), msg, n);
		if (!h->picture[i])
			return -1;
	}
	c->order = wl_alloc(d, tiles * sizeof(*c->order), msg, n);
	c->change = c->order ? wl_alloc(d, tiles * sizeof(*c->change), msg, n) : NULL;
	c->done = c->change ? wl_alloc(d, tiles * sizeof(*c->done), msg, n) : NULL;
	c->meter = c->done ? wl_alloc(d, sizeof(*c->meter), msg, n) : NULL;
	return c->meter ? make_host_memory(h, d, msg, n) : -1;
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	hull_host *h = wl_own(d, sizeof(*h), msg, n);
	hull_ctx *c = h ? &h->ctx : NULL;

	w->host_data = h;
	if (!h)
		return -1;
	h->o = *(const hull_options *)options;
	c->cameras = h->o.cameras;
	c->width = h->o.size.width;
	c->height = h->o.size.height;
	c->across = (c->width + HULL_SIDE - 1) / HULL_SIDE;
	c->tiles = c->across * ((c->height + HULL_SIDE - 1) / HULL_SIDE);
	c->half = 2 * h->o.side;
	c->threshold = (uint32_t)(h->o.threshold * 16);
	if (hull_make_frames(h, d, msg, n) || make_memory(h, d, msg, n))
		return -1;
	WL_SET_PROGRAM(w, hull);
	w->ctx = c;
	w->tasks = c->tiles;
	w->expected = c->tiles;
	w->items = 1;
	w->bare = 1;
	w->capacity = 1 << 16;
	w->prepare = hull_prepare;
	w->again = hull_again;
	w->check = hull_check;
	w->write = hull_write;
	w->plain = wl_is_cuda(d) ? WL_CUDA(hull_plain_cuda) : hull_plain_cpu;
	w->plain2 = wl_is_cuda(d) ? WL_CUDA(hull_plain2_cuda) : hull_plain2_cpu;
	w->plain2_name = "threshold";
	return 0;
}

static void destroy(wl_work *w, wl_device *d)
{
	hull_host *h = w->host_data;

	(void)d;
	if (!h)
		return;
	wl_mesh_free(&h->mesh);
	free(h->bin);
	free(h->edge);
}

static const char *const cases[] = { "-n 0 --method full", "--size 1x1 --cameras 1 --method full",
	"--size 2x1 -n 2 --frames 1", "--size 33x17 -n 500 --cameras 3 --method threshold",
	"--scene ball --size 64x48 --method full", "--size 48x48 --silhouette 8 --cameras 16",
	"--scene ball -n 3K --size 80x50 --cameras 5 --silhouette 200 --speed 3 --limit 1000",
	NULL };

const wl_type wl_hull_type = {
	.name = "hull",
	.summary =
		"Renders a visual hull, frame by frame, under a time limit.\n"
		"The image-based visual hull of Steinberger et al., \"Softshell\" (2012), section\n"
		"6.2.3 and figure 9: the tiles that have changed most are computed, while there\n"
		"is time; the others are warped from the last frame. An execution is a frame.",
	.example = "--size 1920x1080 --cameras 16 --limit 1000 -r 100",
	.unit = "tiles",
	.queues = "ring",
	.repeat = "20",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(hull_options),
	.check_options = check_options,
	.create = create,
	.destroy = destroy,
};
