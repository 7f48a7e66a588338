#include "apps/gpuintra/options.h"
#include "apps/common/cli_options.h"
#include <h264intra/options.h>

#include <string.h>

#define FIELD(member) CLI_FIELD(gpuintra_options, member)

static const cli_opt input_opts[] = {
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
		.help = "write the stream to FILE: .264 .h264 .mp4 .m4v .mkv .mov or .ts; - is a "
			"byte stream on standard output; default: the input's name with .mp4, in "
			"this folder" },
	CLI_OPTION_OVERWRITE("overwrite existing files", "Files"),
	{ .name = "no-audio",
		.type = CLI_FLAG,
		.field = FIELD(no_audio),
		.help = "leave out all streams but the video: sound, subtitles, data, timecode, "
			"chapters, metadata" },

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
		.help = "set the picture size of raw video (pixels)" },
	{ .name = "pixel-format",
		.type = CLI_TEXT,
		.field = FIELD(pixel_format),
		.metavar = "NAME",
		.help = "set the pixel format of raw video, by FFmpeg's name" },
	{ .name = "rate",
		.type = CLI_RATE,
		.field = FIELD(rate),
		.metavar = "R",
		.help = "set the frame rate of input without timing: 25, 29.97, 30000/1001 (1/s)" },
	{ .name = "sar",
		.type = CLI_TEXT,
		.field = FIELD(sar),
		.metavar = "W:H",
		.help = "set the sample aspect ratio, in place of the input's; each 1 to 65535" },
	{ .name = "colorprim",
		.type = CLI_CHOICE,
		.field = FIELD(colour[0]),
		.choices = "auto|bt709|undef|bt470m|bt470bg|smpte170m|smpte240m|film|bt2020|"
			   "smpte428|smpte431|smpte432",
		.preset = "auto",
		.metavar = "NAME",
		.help = "set the colour primaries that the stream states, in place of the "
			"input's" },
	{ .name = "transfer",
		.type = CLI_CHOICE,
		.field = FIELD(colour[1]),
		.choices = "auto|bt709|undef|bt470m|bt470bg|smpte170m|smpte240m|linear|log100|"
			   "log316|iec61966-2-4|bt1361e|iec61966-2-1|bt2020-10|bt2020-12|"
			   "smpte2084|smpte428|arib-std-b67",
		.preset = "auto",
		.metavar = "NAME",
		.help = "set the transfer characteristics, likewise" },
	{ .name = "colormatrix",
		.type = CLI_CHOICE,
		.field = FIELD(colour[2]),
		.choices = "auto|bt709|undef|fcc|bt470bg|smpte170m|smpte240m|YCgCo|bt2020nc|"
			   "bt2020c|smpte2085|chroma-derived-nc|chroma-derived-c|ICtCp",
		.preset = "auto",
		.metavar = "NAME",
		.help = "set the matrix coefficients, likewise; not of RGB, which is converted" },
	{ .name = "hwdec",
		.type = CLI_FLAG,
		.field = FIELD(hwdec),
		.help = "decode on the CUDA device if it can; frames then stay in its memory" },
	{ .name = "interlaced-as-frames",
		.type = CLI_FLAG,
		.field = FIELD(interlaced_as_frames),
		.help = "code the frames of interlaced video as they are, progressive, instead of "
			"refusing it" },
	{ .name = "scale-changes",
		.type = CLI_FLAG,
		.field = FIELD(scale_changes),
		.help = "scale frames of another size than the first to that of the first, instead "
			"of failing" },
	{ .name = "seek",
		.type = CLI_UINT,
		.field = FIELD(seek),
		.max = UINT32_MAX,
		.preset = "0",
		.metavar = "N",
		.help = "leave out the first N frames, and sound and chapters before the next "
			"one" },
	{ .name = "frames",
		.type = CLI_UINT,
		.field = FIELD(frames),
		.max = UINT32_MAX,
		.preset = "0",
		.metavar = "N",
		.help = "stop after N frames (0: at the end of the input)" },
	{ .name = "loop",
		.type = CLI_UINT,
		.field = FIELD(loops),
		.min = 1,
		.max = 1000000,
		.preset = "1",
		.metavar = "N",
		.help = "read the input N times, for benchmarks; from 2 on as --no-audio" },
	{ .name = "loop-memory",
		.type = CLI_BYTES,
		.field = FIELD(loop_memory),
		.preset = "2G",
		.metavar = "BYTES",
		.help = "decode a looped input once and keep it in memory up to this size" },
	{ .name = "range",
		.type = CLI_TEXT,
		.field = FIELD(range),
		.metavar = "I/N",
		.help = "encode part I of N only (I from 1), to .264; the parts joined are the "
			"stream of the whole" },
	{ .name = "pass",
		.type = CLI_UINT,
		.field = FIELD(pass),
		.max = 3,
		.complete = "echo 1 2 3",
		.metavar = "1|2|3",
		.help = "encode in two passes: 1 writes --pass-log and no video, 2 with --bitrate "
			"reads it; 3 is as 2 and writes it again",
		.group = "Encoding" },
	{ .name = "pass-log",
		.type = CLI_FILE,
		.field = FIELD(pass_log),
		.given = FIELD(pass_log_given),
		.preset = "gpuintra_2pass.log",
		.metavar = "FILE",
		.help = "set the file between two passes of --pass" },
};

static const cli_opt report_opts[] = {
	{ .name = "psnr",
		.type = CLI_FLAG,
		.field = FIELD(psnr),
		.help = "measure PSNR of the decoded pictures against the input",
		.group = "Reports" },
	{ .name = "ssim",
		.type = CLI_FLAG,
		.field = FIELD(ssim),
		.help = "measure their SSIM; takes time of one thread, 3 ms for 1080p" },
	{ .name = "recon",
		.type = CLI_FILE,
		.field = FIELD(recon),
		.metavar = "FILE",
		.help = "write the decoded pictures to FILE, as .y4m" },
	{ .name = "stats",
		.type = CLI_FILE,
		.field = FIELD(stats),
		.metavar = "FILE",
		.help = "write macroblock types, modes, times and rates to FILE, as JSON" },
	CLI_OPTION_TRACE("the workers"),
	CLI_OPTION_QUIET(0, "print errors only: no progress, no summary"),
	CLI_OPTION_LOG_LEVEL("set the least severe messages to print: error, warn, info or debug"),
};

/* Names of x264 and ffmpeg. */
static const cli_synonym synonyms[] = {
	{ "fps", "rate", NULL },
	{ "input-res", "size", NULL },
	{ "cqmfile", "cqm", NULL },
	{ "passlogfile", "pass-log", NULL },
	{ "input-csp", NULL, "the option is --pixel-format, with FFmpeg's names" },
	{ "demuxer", NULL, "the option is --input-format, with FFmpeg's names" },
	{ "subme", NULL, "the option is --rd" },
	{ "keyint", NULL, "every picture is an IDR picture; leave it out" },
	{ "bframes", NULL, "every picture is an IDR picture; leave it out" },
	{ 0 },
};

enum {
	COUNT_OF_INPUT = sizeof(input_opts) / sizeof(input_opts[0]),
	COUNT_OF_REPORT = sizeof(report_opts) / sizeof(report_opts[0])
};

static cli_opt all_opts[COUNT_OF_INPUT + COUNT_OF_REPORT + OPTIONS_ENCODER_MAX + 1];
static char words[OPTIONS_ENCODER_MAX][200]; /* "auto|cpu|cuda", "echo on off" */
static char pairs[OPTIONS_ENCODER_MAX][200]; /* help of options with parts */

static const cli_program program = {
	.name = "gpuintra",
	.synopsis = "[-i] INPUT [options]",
	.summary = "Encodes video as all-intra H.264, on a CUDA GPU or on CPU threads.",
	.epilogue = "Example: gpuintra -i in.y4m --slices 4 --qp 22 -o out.mp4\n"
		    "Exit code: 0 done, 1 failed, 2 usage, 130 Ctrl-C (which finishes the file).",
	.operand = "input",
	.opts = all_opts,
	.synonyms = synonyms,
	.files = 1,
};

/* Takes the text of an option of the encoder. */
static int set_encoder(
	const cli_opt *o, void *fields, const char *text, char *msg, size_t msg_bytes)
{
	(void)msg;
	(void)msg_bytes;
	*(const char **)((char *)fields + o->field) = o->type == CLI_FLAG ? "on" : text;
	return 0;
}

/* Writes the names of an option's values behind `begin`, and small numbers. */
static void join_names(
	const h264i_option *d, const char *begin, const char *between, char *out, size_t bytes)
{
	const int is_open = d->preset && strcmp(d->preset, "auto") == 0 && !d->names;
	const int few = d->type == H264I_OPTION_INTEGER && d->max - d->min < 10;
	size_t n = (size_t)snprintf(out, bytes, "%s%s", begin, is_open ? "auto" : "");

	for (const h264i_option_name *w = d->names; w && w->name && n < bytes; w++)
		n += (size_t)snprintf(
			out + n, bytes - n, "%s%s", w == d->names ? "" : between, w->name);
	for (int v = (int)d->min; few && v <= (int)d->max && n < bytes; v++)
		n += (size_t)snprintf(out + n, bytes - n, "%s%d", between, v);
}

/* The row of the command line for option i of the encoder. */
static cli_opt encoder_row(unsigned i, const h264i_option *d)
{
	cli_opt o = { .name = d->name,
		.letter = d->letter,
		.type = CLI_TEXT,
		.field = FIELD(encoder[0]) + i * sizeof(const char *),
		.set = set_encoder,
		.preset = d->preset,
		.metavar = d->value,
		.help = d->help,
		.group = d->execution ? "Execution" : "Encoding" };
	const int is_open = d->preset && strcmp(d->preset, "auto") == 0;

	if (d->pair) {
		snprintf(pairs[i], sizeof(pairs[i]), "%s; %s", d->help, d->pair);
		o.help = pairs[i];
	}
	if (d->type == H264I_OPTION_SWITCH && strcmp(d->preset, "off") == 0) {
		o.type = CLI_FLAG;
		o.preset = NULL;
	} else if (d->type == H264I_OPTION_SWITCH) {
		o.negative = "off";
		o.complete = "echo on off";
		if (!d->value) {
			o.type = CLI_CHOICE;
			o.choices = is_open ? "auto|on|off" : "on|off";
		}
	} else if (d->type == H264I_OPTION_NAME) {
		o.type = CLI_CHOICE;
		join_names(d, "", "|", words[i], sizeof(words[i]));
		o.choices = words[i];
	} else if (d->names || is_open) {
		o.type = d->type == H264I_OPTION_FILE ? CLI_FILE : CLI_TEXT;
		join_names(d, "echo ", " ", words[i], sizeof(words[i]));
		o.complete = words[i];
	}
	return o;
}

const cli_program *options_program(void)
{
	const h264i_option *d;
	size_t n = COUNT_OF_INPUT;

	memcpy(all_opts, input_opts, sizeof(input_opts));
	for (int execution = 0; execution < 2; execution++)
		for (unsigned i = 0; (d = h264i_get_option(i)) && i < OPTIONS_ENCODER_MAX; i++)
			if (d->execution == execution && !d->is_part)
				all_opts[n++] = encoder_row(i, d);
	memcpy(all_opts + n, report_opts, sizeof(report_opts));
	return &program;
}
