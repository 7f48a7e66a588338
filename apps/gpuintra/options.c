#include "apps/gpuintra/options.h"
#include "apps/common/cli_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member) CLI_FIELD(gpuintra_options, member)

#define LEVELS "auto|1|1b|1.1|1.2|1.3|2|2.1|2.2|3|3.1|3.2|4|4.1|4.2|5|5.1|5.2|6|6.1|6.2"
static const uint8_t level_idcs[] = { 0, 10, 9, 11, 12, 13, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50,
	51, 52, 60, 61, 62 };

static const cli_opt opts[] = {
	{ .name = "input",
		.letter = 'i',
		.type = CLI_FILE,
		.field = FIELD(input),
		.metavar = "FILE",
		.help = "read video from FILE, of any type that FFmpeg reads; - is standard input",
		.group = "Files" },
	{ .name = "output",
		.letter = 'o',
		.type = CLI_FILE,
		.field = FIELD(output),
		.metavar = "FILE",
		.help = "write the stream to FILE: .264 .h264 .mp4 .mkv .mov or .ts; - is a byte "
			"stream on standard output; default: the input's name with .mp4, in this "
			"folder",
		.group = "Files" },
	CLI_OPTION_OVERWRITE("overwrite existing files", "Files"),
	{ .name = "no-audio",
		.type = CLI_FLAG,
		.field = FIELD(no_audio),
		.help = "leave out all streams but the video: sound, subtitles, data, timecode, "
			"chapters, metadata",
		.group = "Files" },

	{ .name = "input-format",
		.type = CLI_TEXT,
		.field = FIELD(input_format),
		.metavar = "NAME",
		.help = "set the format of the input, by FFmpeg's name, if it cannot be detected",
		.group = "Input" },
	{ .name = "size",
		.type = CLI_SIZE,
		.field = FIELD(size),
		.min = 1,
		.max = 32768,
		.metavar = "WxH",
		.help = "set the picture size of raw video (pixels)",
		.group = "Input" },
	{ .name = "pixel-format",
		.type = CLI_TEXT,
		.field = FIELD(pixel_format),
		.metavar = "NAME",
		.help = "set the pixel format of raw video, by FFmpeg's name",
		.group = "Input" },
	{ .name = "rate",
		.type = CLI_RATE,
		.field = FIELD(rate),
		.metavar = "R",
		.help = "set the frame rate of input without timing: 25, 29.97, 30000/1001 (1/s)",
		.group = "Input" },
	{ .name = "frames",
		.type = CLI_UINT,
		.field = FIELD(frames),
		.max = UINT32_MAX,
		.preset = "0",
		.metavar = "N",
		.help = "stop after N frames (0: at the end of the input)",
		.group = "Input" },
	{ .name = "loop",
		.type = CLI_UINT,
		.field = FIELD(loops),
		.min = 1,
		.max = 1000000,
		.preset = "1",
		.metavar = "N",
		.help = "read the input N times, for benchmarks; from 2 on as --no-audio",
		.group = "Input" },
	{ .name = "loop-memory",
		.type = CLI_BYTES,
		.field = FIELD(loop_memory),
		.preset = "2G",
		.metavar = "BYTES",
		.help = "decode a looped input once and keep it in memory up to this size",
		.group = "Input" },
	{ .name = "range",
		.type = CLI_TEXT,
		.field = FIELD(range),
		.metavar = "I/N",
		.help = "encode part I of N only (I from 1), to .264; the parts joined are the "
			"stream of the whole",
		.group = "Input" },

	{ .name = "qp",
		.letter = 'q',
		.type = CLI_UINT,
		.field = FIELD(qp),
		.max = 51,
		.preset = "27",
		.metavar = "N",
		.help = "set the quantisation parameter, 0 (best quality) to 51 (smallest file)",
		.group = "Encoding" },
	{ .name = "slices",
		.type = CLI_UINT,
		.field = FIELD(slices),
		.min = 1,
		.max = 1055,
		.preset = "1",
		.metavar = "N",
		.help = "set the slices per picture, at most one per macroblock row",
		.group = "Encoding" },
	{ .name = "deblock",
		.type = CLI_SWITCH,
		.field = FIELD(deblock),
		.preset = "on",
		.help = "enable the deblocking filter in decoders",
		.group = "Encoding" },
	{ .name = "level",
		.type = CLI_CHOICE,
		.field = FIELD(level),
		.choices = LEVELS,
		.preset = "auto",
		.metavar = "L",
		.help = "set the H.264 level: 1, 1b, 1.1 ... 6.2",
		.group = "Encoding" },
	{ .name = "disable-modes",
		.type = CLI_TEXT,
		.field = FIELD(disable),
		.metavar = "LIST",
		.help = "disable prediction modes, e.g. i4:3,i16:plane,chroma:plane,i16:all",
		.group = "Encoding" },

	{ .name = "sched",
		.type = CLI_CHOICE,
		.field = FIELD(sched),
		.choices = "dynamic|static|sync",
		.preset = "dynamic",
		.help = "select the dependency scheme of macroblocks",
		.group = "Execution" },
	CLI_OPTION_BACKEND(0,
		"select the backend; auto: CUDA if a device is usable and the input is not "
		"short",
		"Execution"),
	{ .name = "device",
		.type = CLI_TEXT,
		.field = FIELD(device_text),
		.metavar = "N|all",
		.help = "select the CUDA device, or share the frames among all (without it the "
			"current one)",
		.group = "Execution" },
	CLI_OPTION_THREADS("set the number of CPU workers (0: one per processor)"),
	{ .name = "gpu-workers",
		.type = CLI_UINT,
		.field = FIELD(gpu_workers),
		.max = 1000000,
		.preset = "0",
		.metavar = "N",
		.help = "set the number of worker warps on the GPU (0: automatic)",
		.group = "Execution" },
	{ .name = "sm-limit",
		.type = CLI_UINT,
		.field = FIELD(sm_limit),
		.max = 4096,
		.preset = "0",
		.metavar = "N",
		.help = "use at most N multiprocessors of the GPU, rounded up to what it can "
			"separate (0: all)",
		.group = "Execution" },
	{ .name = "stream-priority",
		.type = CLI_INT,
		.field = FIELD(stream_priority),
		.min = -100,
		.max = 0,
		.preset = "0",
		.metavar = "N",
		.help = "set the priority of the CUDA streams: 0 lowest, negative numbers higher",
		.group = "Execution" },
	{ .name = "frames-in-flight",
		.type = CLI_UINT,
		.field = FIELD(frames_in_flight),
		.max = 1024,
		.preset = "0",
		.metavar = "N",
		.help = "set the number of frames in flight (1: lowest latency, 0: automatic)",
		.group = "Execution" },
	{ .name = "latency",
		.type = CLI_UINT,
		.field = FIELD(latency_ms),
		.max = 60000,
		.preset = "2",
		.metavar = "MS",
		.help = "encode a partial group of frames when its oldest frame would wait longer "
			"than MS milliseconds for the next one",
		.group = "Execution" },

	{ .name = "psnr",
		.type = CLI_FLAG,
		.field = FIELD(psnr),
		.help = "measure PSNR of the decoded pictures against the input",
		.group = "Reports" },
	{ .name = "recon",
		.type = CLI_FILE,
		.field = FIELD(recon),
		.metavar = "FILE",
		.help = "write the decoded pictures to FILE, as .y4m",
		.group = "Reports" },
	{ .name = "stats",
		.type = CLI_FILE,
		.field = FIELD(stats),
		.metavar = "FILE",
		.help = "write macroblock types, modes, times and rates to FILE, as JSON",
		.group = "Reports" },
	CLI_OPTION_TRACE("the workers"),
	CLI_OPTION_QUIET(0, "print errors only: no progress, no summary"),
	CLI_OPTION_LOG_LEVEL("set the least severe messages to print: error, warn, info or debug"),
	{ 0 },
};

const cli_program gpuintra_program = {
	.name = "gpuintra",
	.synopsis = "-i INPUT [options]",
	.summary = "Encodes video as all-intra H.264, on a CUDA GPU or on CPU threads.",
	.epilogue = "Example: gpuintra -i in.y4m --slices 4 --sched dynamic -o out.mp4\n"
		    "Exit code: 0 done, 1 failed, 2 usage, 130 Ctrl-C (which finishes the file).",
	.opts = opts,
};

static const char *const sched_names[] = { "dynamic", "static", "sync" };
static const char *const backend_names[] = { "auto", "cpu", "cuda" };

_Static_assert(H264I_SCHED_DYNAMIC == 0 && H264I_SCHED_STATIC == 1 && H264I_SCHED_SYNC == 2,
	"the choices of --sched are in the order of h264i_sched");
_Static_assert(H264I_BACKEND_AUTO == 0 && H264I_BACKEND_CPU == 1 && H264I_BACKEND_CUDA == 2,
	"the choices of --backend are in the order of h264i_backend");

const char *options_sched_name(h264i_sched sched)
{
	return sched_names[sched];
}

const char *options_backend_name(h264i_backend backend)
{
	return backend_names[backend];
}

static uint32_t i4_bit(uint32_t mode)
{
	return H264I_DISABLE_I4(mode);
}

static uint32_t i16_bit(uint32_t mode)
{
	return H264I_DISABLE_I16(mode);
}

static uint32_t chroma_bit(uint32_t mode)
{
	return H264I_DISABLE_CHROMA(mode);
}

/* Names of the modes, in the order of the standard's numbers; NULL ends a kind. */
static const struct mode_kind {
	const char *name;
	const char *modes[10];
	uint32_t (*bit)(uint32_t mode);
	uint32_t all_bit; /* 0: cannot be disabled as a whole */
} kinds[] = {
	{ "i4", { "vertical", "horizontal", "dc", "ddl", "ddr", "vr", "hd", "vl", "hu" }, i4_bit,
		H264I_DISABLE_I4_ALL },
	{ "i16", { "vertical", "horizontal", "dc", "plane" }, i16_bit, H264I_DISABLE_I16_ALL },
	{ "chroma", { "dc", "horizontal", "vertical", "plane" }, chroma_bit, 0 },
	{ 0 },
};

/* Adds one entry of the list, such as "i4:3", of `bytes` bytes. Returns 0 or -1. */
static int disable_one(uint32_t *modes, const char *text, size_t bytes)
{
	const char *colon = memchr(text, ':', bytes);
	size_t kind_bytes, mode_bytes;

	if (!colon)
		return -1;
	kind_bytes = (size_t)(colon - text);
	mode_bytes = bytes - kind_bytes - 1;
	for (const struct mode_kind *k = kinds; k->name; k++) {
		if (strlen(k->name) != kind_bytes || strncmp(k->name, text, kind_bytes) != 0)
			continue;
		if (mode_bytes == 3 && strncmp(colon + 1, "all", 3) == 0 && k->all_bit) {
			*modes |= k->all_bit;
			return 0;
		}
		for (uint32_t m = 0; m < 10 && k->modes[m]; m++) {
			int by_number = mode_bytes == 1 && colon[1] == (char)('0' + m);
			int by_name = strlen(k->modes[m]) == mode_bytes &&
				      strncmp(k->modes[m], colon + 1, mode_bytes) == 0;

			if ((by_number || by_name) && strcmp(k->modes[m], "dc") != 0) {
				*modes |= k->bit(m);
				return 0;
			}
		}
	}
	return -1;
}

static int parse_disable(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *at = o->disable;

	while (at && *at) {
		size_t n = strcspn(at, ",");

		if (disable_one(&o->disable_modes, at, n)) {
			snprintf(msg, msg_bytes,
				"--disable-modes: '%.*s' is not i4:0..8, i16:0..3 or chroma:0..3 "
				"(not dc), their names, i4:all or i16:all",
				(int)n, at);
			return -1;
		}
		at += n + (at[n] == ',');
	}
	if ((o->disable_modes & H264I_DISABLE_I4_ALL) &&
		(o->disable_modes & H264I_DISABLE_I16_ALL)) {
		snprintf(msg, msg_bytes, "--disable-modes: i4:all cannot be combined with i16:all");
		return -1;
	}
	return 0;
}

/* Sets the default output: the file name of the input with .mp4 for its extension. */
static int name_output(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *slash = strrchr(o->input, '/');
	const char *base = slash ? slash + 1 : o->input;
	const char *dot = strrchr(base, '.');
	int n = dot && dot != base ? (int)(dot - base) : (int)strlen(base);

	if (strcmp(o->input, "-") == 0 || n == 0) {
		snprintf(msg, msg_bytes, "-o is required, because the input '%s' has no file name",
			o->input);
		return -1;
	}
	if (snprintf(o->default_output, sizeof(o->default_output), "%.*s.mp4", n, base) >=
		(int)sizeof(o->default_output)) {
		snprintf(msg, msg_bytes,
			"-o is required, because the name of the input is too long");
		return -1;
	}
	o->output = o->default_output;
	return 0;
}

static int read_device(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	char *end;
	long n;

	o->device = -1;
	if (!o->device_text)
		return 0;
	if (strcmp(o->device_text, "all") == 0) {
		o->device = H264I_DEVICE_ALL;
	} else {
		errno = 0;
		n = strtol(o->device_text, &end, 10);
		if (errno || end == o->device_text || *end || n < -1 || n > 1023) {
			snprintf(msg, msg_bytes,
				"--device: '%s' is not all or a number 0..1023 (-1: the current "
				"device)",
				o->device_text);
			return -1;
		}
		o->device = (int)n;
	}
	return 0;
}

/* Reads the number that ends at `end`. Returns 0, or -1 if it is not 1..UINT32_MAX in digits. */
static int read_count(const char *text, char end, uint32_t *value, const char **behind)
{
	uint64_t v = 0;

	for (; *text >= '0' && *text <= '9' && v <= UINT32_MAX; text++)
		v = 10 * v + (uint64_t)(*text - '0');
	*value = (uint32_t)v;
	*behind = text + 1;
	return *text == end && v >= 1 && v <= UINT32_MAX ? 0 : -1;
}

/* Checks --range, which is I/N. Returns 0, or -1 with msg. */
static int parse_range(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *at = o->range;

	if (!at)
		return 0;
	if (read_count(at, '/', &o->part, &at) || read_count(at, '\0', &o->parts, &at) ||
		o->part > o->parts) {
		snprintf(msg, msg_bytes, "--range: '%s' is not I/N with I from 1 to N, such as 2/3",
			o->range);
		return -1;
	}
	if (o->frames || o->loops > 1) {
		snprintf(msg, msg_bytes, "--range cannot be combined with --%s; remove one of them",
			o->frames ? "frames" : "loop");
		return -1;
	}
	if (strcmp(o->input, "-") == 0) {
		snprintf(
			msg, msg_bytes, "--range: standard input cannot be read twice; use a file");
		return -1;
	}
	return 0;
}

int options_finish(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	if (!o->input) {
		snprintf(msg, msg_bytes, "no input; use -i FILE, or -i - for standard input");
		return -1;
	}
	if (!o->output && name_output(o, msg, msg_bytes))
		return -1;
	if (o->loops > 1 && strcmp(o->input, "-") == 0) {
		snprintf(msg, msg_bytes, "--loop: standard input cannot be read again");
		return -1;
	}
	if (read_device(o, msg, msg_bytes))
		return -1;
	o->level_idc = level_idcs[o->level];
	if (parse_range(o, msg, msg_bytes))
		return -1;
	return parse_disable(o, msg, msg_bytes);
}
