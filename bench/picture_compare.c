/* picture_compare: prints how two pictures differ, and draws the difference.
 *
 * Prints one line: "psnr_db 31.25 ssim 0.98210 differing 0.01250 width 640 height 480". With
 * --least-ssim the exit code is 1 if the pictures are less similar. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include "apps/common/cli.h"
#include "bench/picture_metrics.h"
#include "reyes/image/formats.h"

enum { GAP = 8, MESSAGE_BYTES = 1000 };

typedef struct options {
	const char *diff, *sheet;
	double background, tolerance, least_ssim, gain;
	cli_words files;
} options;

static const cli_opt opts[] = {
	{ .name = "diff",
		.letter = 'd',
		.type = CLI_FILE,
		.field = CLI_FIELD(options, diff),
		.metavar = "FILE",
		.help = "write the absolute difference as a PNG file",
		.group = "Output" },
	{ .name = "sheet",
		.letter = 's',
		.type = CLI_FILE,
		.field = CLI_FIELD(options, sheet),
		.metavar = "FILE",
		.help = "write A, B and the difference side by side as a PNG file",
		.group = "Output" },
	{ .name = "gain",
		.letter = 'g',
		.type = CLI_REAL,
		.field = CLI_FIELD(options, gain),
		.min = 1,
		.max = 255,
		.preset = "4",
		.metavar = "X",
		.help = "multiply the drawn difference by X",
		.group = "Output" },
	{ .name = "background",
		.letter = 'b',
		.type = CLI_REAL,
		.field = CLI_FIELD(options, background),
		.max = 1,
		.preset = "0",
		.metavar = "X",
		.help = "set the grey level under both pictures (0 black, 1 white)",
		.group = "Comparison" },
	{ .name = "tolerance",
		.letter = 't',
		.type = CLI_REAL,
		.field = CLI_FIELD(options, tolerance),
		.max = 255,
		.preset = "8",
		.metavar = "X",
		.help = "count pixels with a channel that differs by more than X of 255",
		.group = "Comparison" },
	{ .name = "least-ssim",
		.letter = 'l',
		.type = CLI_REAL,
		.field = CLI_FIELD(options, least_ssim),
		.min = -1,
		.max = 1,
		.preset = "-1",
		.metavar = "X",
		.help = "exit with 1 if the SSIM is less than X",
		.group = "Comparison" },
	{ .name = "file",
		.type = CLI_WORDS,
		.field = CLI_FIELD(options, files),
		.metavar = "FILE",
		.help = "compare two files; the operands",
		.group = "Comparison" },
	{ 0 },
};

static const cli_program program = {
	.name = "picture_compare",
	.synopsis = "[options] A B",
	.summary =
		"Compares two PNG, TIFF or EXR pictures. The larger one is reduced to the size of "
		"the smaller one.",
	.operand = "file",
	.opts = opts,
	.files = 1,
};

static int fail(const char *text)
{
	fprintf(stderr, "picture_compare: error: %s\n", text);
	return CLI_EXIT_FAILED;
}

/* Copies a picture into a sheet at column x; with b: the absolute difference. */
static void draw(reyes_i_picture *sheet, uint32_t x, const metric_picture *a,
	const metric_picture *b, double gain)
{
	for (uint32_t y = 0; y < a->height; y++)
		for (size_t i = 0; i < (size_t)a->width * 3; i++) {
			const size_t at = (size_t)y * a->width * 3 + i;
			double v = (double)a->rgb[at];

			if (b)
				v = fmin(fabs(v - (double)b->rgb[at]) * gain, 1);
			sheet->data[((size_t)y * sheet->width_px + x) * 3 + i] = (float)v;
		}
}

/* Writes one panel, the difference, or three. */
static int write_panels(
	const char *path, int panels, const metric_picture *a, const metric_picture *b, double gain)
{
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_8 };
	const uint32_t step = a->width + GAP;
	char message[MESSAGE_BYTES] = "";
	reyes_i_note note = { "" };
	reyes_i_picture p;

	if (reyes_i_picture_init(&p, a->width + (uint32_t)(panels - 1) * step, a->height, "R G B",
		    &note) != REYES_OK)
		return fail(note.text);
	for (size_t i = 0; i < (size_t)p.width_px * p.height_px * 3; i++)
		p.data[i] = 0.5f;
	if (panels == 3) {
		draw(&p, 0, a, NULL, gain);
		draw(&p, step, b, NULL, gain);
	}
	draw(&p, (uint32_t)(panels - 1) * step, a, b, gain);
	if (reyes_i_picture_write(&p, path, REYES_I_FORMAT_PNG, &o, message, sizeof(message)) !=
		REYES_OK) {
		reyes_i_picture_free(&p);
		return fail(message);
	}
	reyes_i_picture_free(&p);
	return CLI_EXIT_OK;
}

static int compare(const options *o, metric_picture *a, metric_picture *b)
{
	const uint32_t width = a->width < b->width ? a->width : b->width;
	const uint32_t height = a->height < b->height ? a->height : b->height;
	double ssim;

	if (metric_resize(a, width, height) != 0 || metric_resize(b, width, height) != 0)
		return fail("out of memory");
	ssim = metric_ssim(a, b);
	if (ssim < -1.5)
		return fail("out of memory");
	printf("psnr_db %.2f ssim %.5f differing %.5f width %u height %u\n",
		metric_psnr_db(metric_mse(a, b)), ssim, metric_differing(a, b, o->tolerance / 255),
		width, height);
	if (fflush(stdout) != 0)
		return fail("standard output cannot be written");
	if (o->diff && write_panels(o->diff, 1, a, b, o->gain) != CLI_EXIT_OK)
		return CLI_EXIT_FAILED;
	if (o->sheet && write_panels(o->sheet, 3, a, b, o->gain) != CLI_EXIT_OK)
		return CLI_EXIT_FAILED;
	if (ssim < o->least_ssim) {
		fprintf(stderr, "picture_compare: error: the SSIM is %.5f when it should be %.5f\n",
			ssim, o->least_ssim);
		return CLI_EXIT_FAILED;
	}
	return CLI_EXIT_OK;
}

static int run(const options *o)
{
	metric_picture a, b;
	char message[MESSAGE_BYTES] = "";
	int status;

	if (o->files.count != 2) {
		fprintf(stderr, "picture_compare: error: %u files when there should be 2\n",
			o->files.count);
		return CLI_EXIT_USAGE;
	}
	if (metric_load(&a, o->files.at[0], o->background, message, sizeof(message)) != 0)
		return fail(message);
	if (metric_load(&b, o->files.at[1], o->background, message, sizeof(message)) != 0) {
		metric_free(&a);
		return fail(message);
	}
	status = compare(o, &a, &b);
	metric_free(&a);
	metric_free(&b);
	return status;
}

int main(int argc, char **argv)
{
	static options o;
	char message[MESSAGE_BYTES];

	switch (cli_parse(&program, &o, sizeof(o), argc, argv, message, sizeof(message))) {
	case CLI_RUN:
		return run(&o);
	case CLI_SHOW_HELP:
		cli_print_help(&program, stdout);
		return CLI_EXIT_OK;
	case CLI_SHOW_COMPLETION:
		cli_print_completion(&program, stdout);
		return CLI_EXIT_OK;
	case CLI_SHOW_VERSION:
		puts("picture_compare " PACKAGE_VERSION);
		return CLI_EXIT_OK;
	case CLI_BAD:
		break;
	}
	fprintf(stderr, "picture_compare: error: %s\n", message);
	return CLI_EXIT_USAGE;
}
