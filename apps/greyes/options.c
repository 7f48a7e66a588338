/* The option table of greyes. */
#include <reyes/reyes.h>
#include "apps/greyes/options.h"
#include "apps/common/cli_options.h"

#define FIELD(member) CLI_FIELD(gr_options, member)

static const cli_opt opts[] = {
	{ .name = "input",
		.letter = 'i',
		.type = CLI_FILE,
		.field = FIELD(scene),
		.metavar = "SCENE",
		.help = "read the scene from this RIB file, or from standard input (-); same as "
			"the argument SCENE",
		.group = "Scene" },
	{ .name = "frames",
		.type = CLI_TEXT,
		.field = FIELD(frames_text),
		.metavar = "A[-B]",
		.help = "render frames A to B only, by the numbers of FrameBegin" },
	{ .name = "search-path",
		.type = CLI_TEXT,
		.field = FIELD(search_path),
		.metavar = "PATH",
		.help = "search archives and textures in these folders (separated by :), before "
			"those of the scene" },
	{ .name = "allow-programs",
		.type = CLI_FLAG,
		.field = FIELD(allow_programs),
		.help = "execute the programs that the scene names in Procedural \"RunProgram\"" },
	{ .name = "strict",
		.type = CLI_FLAG,
		.field = FIELD(strict),
		.help = "stop at the first error in the scene" },

	{ .name = "output",
		.letter = 'o',
		.type = CLI_FILE,
		.field = FIELD(output),
		.metavar = "FILE",
		.help = "write the picture to FILE (.png, .tif, .tiff, .exr) instead of the files "
			"of the scene; several frames: NAME.0001.png ...",
		.group = "Output" },
	CLI_OPTION_OVERWRITE(
		"overwrite an existing file of --output, --stats or --trace; let the scene replace "
		"any file",
		"Output"),
	{ .name = "confine",
		.type = CLI_FILE,
		.field = FIELD(confine),
		.metavar = "FOLDER",
		.help = "write files below FOLDER only, whatever the scene names" },
	{ .name = "no-window",
		.type = CLI_FLAG,
		.field = FIELD(no_window),
		.help = "open no window" },
	{ .name = "fly",
		.type = CLI_FLAG,
		.field = FIELD(fly),
		.help = "move the camera in the window: drag orbits, the wheel and w a s d walk" },
	{ .name = "watch",
		.type = CLI_FLAG,
		.field = FIELD(watch),
		.help = "render again when the scene or one of its archives changes" },

	{ .name = "res",
		.type = CLI_SIZE,
		.field = FIELD(res),
		.min = 1,
		.max = 65536,
		.metavar = "WxH",
		.help = "set the size of the picture (pixels) instead of the scene's Format",
		.group = "Quality" },
	{ .name = "crop",
		.type = CLI_TEXT,
		.field = FIELD(crop_text),
		.metavar = "X0,X1,Y0,Y1",
		.help = "render this part of the picture, in 0..1 from the upper left corner" },
	{ .name = "samples",
		.type = CLI_TEXT,
		.field = FIELD(samples_text),
		.metavar = "N|NxM",
		.help = "set the samples of a pixel to N x N or N x M (1..64) instead of the "
			"scene's PixelSamples" },
	{ .name = "shadingrate",
		.type = CLI_REAL,
		.field = FIELD(shading_rate),
		.max = 1000000,
		.preset = "1",
		.metavar = "F",
		.help = "multiply every ShadingRate by F" },

	CLI_OPTION_BACKEND('b', "select the backend that renders", "Execution"),
	{ .name = "device",
		.type = CLI_UINT,
		.field = FIELD(device),
		.max = 1023,
		.preset = "0",
		.metavar = "N",
		.help = "select the CUDA device" },
	CLI_OPTION_THREADS("set the number of CPU threads (0: one per processor); backend auto is "
			   "then cpu"),
	{ .name = "queue",
		.type = CLI_CHOICE,
		.field = FIELD(queue),
		.choices = CLI_AUTO_QUEUES,
		.preset = "auto",
		.metavar = "NAME",
		.help = "select the queue of libsched for split and dice (auto: donate)" },
	{ .name = "memory",
		.type = CLI_BYTES,
		.field = FIELD(memory_bytes),
		.preset = "0",
		.metavar = "SIZE",
		.help = "limit the memory of scene, picture and stages, such as 512M or 2G "
			"(0: chosen by the backend)" },
	{ .name = "bucket",
		.type = CLI_UINT,
		.field = FIELD(bucket_px),
		.min = 0,
		.max = 65536,
		.preset = "0",
		.metavar = "N",
		.help = "render the picture in buckets of N x N pixels (0: as large as the memory "
			"allows)" },

	{ .name = "stats",
		.type = CLI_OPTIONAL,
		.field = FIELD(stats),
		.accepts = cli_takes_json,
		.metavar = "FILE.json",
		.help = "print micropolygons, grids, splits and the time of each stage, or write "
			"them as JSON to FILE (-: standard output)",
		.group = "Reports" },
	CLI_OPTION_TRACE("the workers in the stages of a frame"),
	{ .name = "progress",
		.type = CLI_CHOICE,
		.field = FIELD(progress),
		.choices = "auto|r90000|off",
		.preset = "auto",
		.help = "show the progress: on a terminal, or as lines \"R90000  NN%\" for other "
			"programs" },
	CLI_OPTION_QUIET('q', "print errors only: no progress, no warnings"),
	CLI_OPTION_LOG_LEVEL("set the log level: error, warn, info or debug"),
	{ 0 },
};

const cli_program gr_program = {
	.name = "greyes",
	.synopsis = "[options] SCENE",
	.summary = "Renders RenderMan scenes (RIB) on a GPU or on CPU threads, and shows them.",
	.epilogue = "greyes scene.rib                          a window; files as the scene says\n"
		    "greyes scene.rib -o picture.png           one file instead, and no window\n"
		    "greyes scene.rib --res 320x240 --stats    a small picture, and figures\n"
		    "zcat scene.rib.gz | greyes - -o out.exr   from a pipe",
	.operand = "input",
	.opts = opts,
	.files = 1,
};

_Static_assert(REYES_BACKEND_AUTO == 0 && REYES_BACKEND_CPU == 1 && REYES_BACKEND_CUDA == 2,
	"the names of --backend are in the order of reyes_backend");
