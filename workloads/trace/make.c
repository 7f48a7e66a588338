/* trace: a path tracer. */
#include "workloads/common/picture.h"
#include "workloads/trace/host.h"

#include <inttypes.h>

/* Defaults of --spheres and --visit. */
enum { SPHERES = 8, VISIT = 16 };
#define MOST_PATHS (UINT64_C(1) << 34)

#define FIELD(member) WL_FIELD(trc_options, member)

static const wl_param params[] = {
	WL_PARAM_MESH(trc_options, input, "FILE",
		"put the mesh of a PLY or OBJ file into the room, instead of spheres"),
	{ .name = "scene",
		.kind = WL_CHOICE,
		.field = FIELD(scene),
		.preset = "spheres",
		.choices = "spheres|furnace",
		.help = "select the scene; spheres: the Cornell box with spheres; furnace: "
			"the same closed, its light is 1 everywhere" },
	{ .name = "spheres",
		.unless = "input",
		.letter = 'n',
		.kind = WL_UINT,
		.field = FIELD(spheres),
		.max = TRC_MAX_SPHERES,
		.preset = "8",
		.metavar = "N",
		.help = "set the number of spheres, in turn mirrors, of glass, and diffuse "
			"(0 to 32)" },
	{ .name = "size",
		.kind = WL_SIZE,
		.field = FIELD(size),
		.min = 1,
		.max = 4096,
		.preset = "160x160",
		.metavar = "WxH",
		.help = "set the size of the picture (pixels, each side 1 to 4096)" },
	{ .name = "samples",
		.kind = WL_UINT,
		.field = FIELD(samples),
		.min = 1,
		.max = 1 << 20,
		.preset = "16",
		.metavar = "N",
		.help = "set the paths of a pixel (1 to 1048576)" },
	{ .name = "end",
		.kind = WL_CHOICE,
		.field = FIELD(end),
		.preset = "cut",
		.choices = "cut|roulette",
		.help = "select what ends paths; cut: they carry less than 0.1 %; roulette: "
			"Russian roulette from the fourth bounce on" },
	{ .name = "regroup",
		.kind = WL_CHOICE,
		.field = FIELD(regroup),
		.preset = "turns",
		.choices = "none|turns|lanes",
		.help = "select when paths are regrouped; none: a path runs to its end; turns: "
			"after each turn, by what it hits; lanes: the same, and a lane whose path "
			"ends within a turn begins another one" },
	{ .name = "turn",
		.kind = WL_UINT,
		.field = FIELD(turn),
		.max = 1000,
		.preset = "0",
		.metavar = "N",
		.help = "set the bounces of a turn (1 to 1000; 0: 2, with --regroup lanes 16)" },
	{ .name = "paths",
		.kind = WL_UINT,
		.field = FIELD(paths),
		.min = 1,
		.max = 1024,
		.preset = "128",
		.metavar = "N",
		.help = "set the paths under way, for each worker (1 to 1024)" },
	{ .name = "order",
		.kind = WL_CHOICE,
		.field = FIELD(order),
		.preset = "paths",
		.choices = "paths|even|variance",
		.help = "select the order; paths: each pixel has its samples; even, variance: "
			"patches of 4x4 pixels are visited again and again, in turn or the most "
			"uncertain first with the queue prio, until as many paths are used up" },
	{ .name = "visit",
		.kind = WL_UINT,
		.field = FIELD(visit),
		.min = 1,
		.max = 1024,
		.preset = "16",
		.metavar = "N",
		.help = "set the paths of each pixel in a visit of its patch (1 to 1024)" },
	{ .name = "reference",
		.kind = WL_UINT,
		.field = FIELD(reference),
		.max = 1 << 20,
		.preset = "0",
		.metavar = "N",
		.help = "print the squared error against a picture with so many paths a pixel and "
			"other random numbers (0: none)" },
	WL_PARAM_SEED(trc_options, seed, NULL, "spheres and paths"),
	{ .name = "image",
		.kind = WL_OUTPUT,
		.field = FIELD(image),
		.metavar = "FILE",
		.help = "write the picture: .png, .tif or .exr" },
	{ .name = "density",
		.kind = WL_OUTPUT,
		.field = FIELD(density),
		.metavar = "FILE",
		.help = "write the number of paths of each pixel as a picture" },
	{ 0 },
};

static int check_options(const void *options, char *msg, size_t n)
{
	const trc_options *o = options;

	if (o->size.width > 16 * o->size.height || o->size.height > 16 * o->size.width)
		return wl_fail(msg, n,
			"--size %" PRIu32 "x%" PRIu32 ": a side is more than 16 times the other",
			o->size.width, o->size.height);
	if ((uint64_t)o->size.width * o->size.height * o->samples > MOST_PATHS)
		return wl_fail(msg, n,
			"--samples %" PRIu32 " of %" PRIu32 "x%" PRIu32
			" pixels are more than 16G paths; set fewer samples",
			o->samples, o->size.width, o->size.height);
	if ((uint64_t)o->size.width * o->size.height * o->reference > MOST_PATHS)
		return wl_fail(msg, n,
			"--reference %" PRIu32 " of %" PRIu32 "x%" PRIu32
			" pixels are more than 16G paths; set a smaller one",
			o->reference, o->size.width, o->size.height);
	if (o->input && o->spheres != SPHERES)
		return wl_fail(msg, n,
			"--input cannot be combined with --spheres; the mesh takes their place");
	if (o->input && o->order != TRC_ORDER_PATHS)
		return wl_fail(msg, n, "--order even and variance have no --input");
	if (o->turn && o->regroup == TRC_REGROUP_NONE)
		return wl_fail(msg, n, "--turn needs --regroup turns or lanes");
	if (o->order == TRC_ORDER_PATHS && (o->visit != VISIT || o->density))
		return wl_fail(msg, n, "--%s needs --order even or variance",
			o->density ? "density" : "visit");
	if (o->order != TRC_ORDER_PATHS && (o->regroup != TRC_REGROUP_TURNS || o->turn))
		return wl_fail(msg, n, "--%s needs --order paths", o->turn ? "turn" : "regroup");
	if ((o->image && wl_check_picture("--image", o->image, msg, n)) ||
		(o->density && wl_check_picture("--density", o->density, msg, n)))
		return -1;
	return 0;
}

static const char *const cases[] = { "--size 1x1 --samples 1", "--size 1x1 --samples 65536",
	"--size 2x1 -n 0", "--size 7x5 --samples 33 -n 3 --regroup none",
	"--size 32x32 --scene furnace",
	"--size 33x31 -n 32 --end roulette --regroup lanes --turn 10 --samples 17",
	"--size 64x32 --scene furnace --end roulette --turn 1 --paths 1",
	"--size 40x40 --samples 20 --paths 1000",
	"--size 64x64 --samples 40 --paths 500 --turn 1 --never-keep",
	"--size 3x2 --samples 1 --order even --visit 3",
	"--size 31x18 --samples 40 --order variance --visit 4 --reference 100", NULL };

const wl_type wl_trace_type = {
	.name = "trace",
	.summary = "Renders a room by path tracing.\n"
		   "The path tracer of Steinberger et al., \"Softshell\" (2012), section 6.2.2,\n"
		   "table 2 and figure 8: paths are regrouped where they differ; patches of the\n"
		   "picture that are the most uncertain come first.",
	.example = "--size 800x800 --samples 512 -n 16 --image room.png",
	.unit = "paths",
	.queues = "ring",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(trc_options),
	.check_options = check_options,
	.create = trc_create,
};
