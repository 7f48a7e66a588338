/* Measures libx264 by its API, from frames in memory to packets in memory: the peer of
 * encode_bench, with the same input and the same figures. Every picture is an IDR picture; without
 * other options constant QP, tune psnr, and ipratio 1, without which --qp N would code I pictures
 * at N - 3. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x264.h>

#define BENCH_NAME "x264_bench"
#include "bench/bench.h"
#include "libsched/core/json.h"

static const char help[] =
	"usage: x264_bench [OPTION...] WIDTHxHEIGHT FILE\n"
	"  FILE                raw I420 frames, which are repeated\n"
	"  --frames N          encode N frames [300]\n"
	"  --repeat N          measure N times [1]\n"
	"  --preset NAME       preset of x264 [medium]\n"
	"  --profile NAME      profile of x264 [high]\n"
	"  --option NAME=VALUE another option of x264, as many as wanted; see x264 --fullhelp\n"
	"  --qp N              quantiser [27]\n"
	"  --threads N         number of threads [all processors]\n"
	"  --slices N          slices per frame [1]\n"
	"  --out FILE          write the stream to FILE\n"
	"  --first-pass        write only the frames of the first pass over the input\n"
	"  --name TEXT         name in the record [FILE]\n";

enum { MAX_OPTIONS = 16 };

typedef struct bench {
	const char *input, *out_path, *name, *preset, *profile, *option[MAX_OPTIONS];
	uint32_t width, height, frames, repeat, qp, threads, slices, options;
	int first_pass;
	uint8_t *pixels;
	uint32_t file_frames;
	size_t frame_bytes;
	FILE *out;
	uint64_t bytes;
} bench;

static void load_pixels(bench *b)
{
	FILE *f = open_frames(b->input, b->frame_bytes, &b->file_frames);

	b->pixels = malloc(b->file_frames * b->frame_bytes);
	if (!b->pixels)
		die(b->input, "does not fit in memory");
	if (fread(b->pixels, b->frame_bytes, b->file_frames, f) != b->file_frames)
		die(b->input, "cannot be read");
	fclose(f);
}

static void set(x264_param_t *p, const char *name, const char *value)
{
	if (x264_param_parse(p, name, value) != 0)
		die(name, "x264 refuses this option");
}

static x264_t *open_encoder(const bench *b)
{
	x264_param_t p;
	x264_t *enc;

	if (x264_param_default_preset(&p, b->preset, "psnr") != 0)
		die(b->preset, "unknown preset");
	p.i_width = (int)b->width;
	p.i_height = (int)b->height;
	p.i_csp = X264_CSP_I420;
	p.i_threads = b->threads ? (int)b->threads : X264_THREADS_AUTO;
	p.i_slice_count = (int)b->slices;
	p.i_keyint_max = 1;
	p.i_log_level = X264_LOG_WARNING;
	p.rc.i_rc_method = X264_RC_CQP;
	p.rc.i_qp_constant = (int)b->qp;
	p.rc.f_ip_factor = 1;
	p.b_annexb = 1;
	p.b_repeat_headers = 1;
	for (uint32_t i = 0; i < b->options; i++) {
		char name[64];
		const char *value = strchr(b->option[i], '=');

		snprintf(name, sizeof(name), "%.*s",
			value ? (int)(value - b->option[i]) : (int)sizeof(name) - 1, b->option[i]);
		set(&p, name, value ? value + 1 : NULL);
	}
	if (x264_param_apply_profile(&p, b->profile) != 0)
		die(b->profile, "unknown profile, or one without an option that was given");
	enc = x264_encoder_open(&p);
	if (!enc)
		die("x264", "cannot be opened");
	return enc;
}

/* i < 0: no more input. Returns 1 if a packet came out. */
static int encode(bench *b, x264_t *enc, int64_t i, uint32_t *packets)
{
	x264_picture_t in, out;
	x264_nal_t *nal;
	int nals, bytes;

	x264_picture_init(&in);
	if (i >= 0) {
		in.img.i_csp = X264_CSP_I420;
		in.img.i_plane = 3;
		in.img.plane[0] = b->pixels + (size_t)(i % b->file_frames) * b->frame_bytes;
		in.img.plane[1] = in.img.plane[0] + (size_t)b->width * b->height;
		in.img.plane[2] =
			in.img.plane[1] + (size_t)(b->width / 2) * (size_t)(b->height / 2);
		in.img.i_stride[0] = (int)b->width;
		in.img.i_stride[1] = in.img.i_stride[2] = (int)b->width / 2;
		in.i_pts = i;
	}
	bytes = x264_encoder_encode(enc, &nal, &nals, i < 0 ? NULL : &in, &out);
	if (bytes < 0)
		die("x264", "encoding failed");
	if (!bytes)
		return 0;
	b->bytes += (uint64_t)bytes;
	if (b->out && (!b->first_pass || *packets < b->file_frames) &&
		fwrite(nal->p_payload, 1, (size_t)bytes, b->out) != (size_t)bytes)
		die(b->out_path, "cannot be written");
	++*packets;
	return 1;
}

static void report(const bench *b, double open_s, double s)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, lsched_i_json_to_file, stdout);
	lsched_i_json_object(&j, NULL);
	lsched_i_json_text(&j, "name", b->name ? b->name : b->input);
	lsched_i_json_text(&j, "preset", b->preset);
	lsched_i_json_text(&j, "profile", b->profile);
	lsched_i_json_uint(&j, "width", b->width);
	lsched_i_json_uint(&j, "height", b->height);
	lsched_i_json_uint(&j, "qp", b->qp);
	lsched_i_json_uint(&j, "slices", b->slices);
	lsched_i_json_uint(&j, "threads", b->threads);
	lsched_i_json_uint(&j, "frames", b->frames);
	lsched_i_json_fixed(&j, "kbit_per_frame", (double)b->bytes * 8e-3 / b->frames, 1);
	lsched_i_json_fixed(&j, "open_s", open_s, 4);
	lsched_i_json_fixed(&j, "seconds", s, 4);
	lsched_i_json_fixed(&j, "frames_per_s", b->frames / s, 1);
	lsched_i_json_close(&j);
	(void)lsched_i_json_end(&j);
}

static uint32_t number(const char *name, const char *value)
{
	char *end;
	unsigned long v = value ? strtoul(value, &end, 10) : 0;

	if (!value || *end || end == value || v > 1000000)
		die(name, "needs a number from 0 to 1000000");
	return (uint32_t)v;
}

static void set_value(bench *b, const char *name, const char *value)
{
	if (!strcmp(name, "--frames"))
		b->frames = number(name, value);
	else if (!strcmp(name, "--repeat"))
		b->repeat = number(name, value);
	else if (!strcmp(name, "--qp"))
		b->qp = number(name, value);
	else if (!strcmp(name, "--threads"))
		b->threads = number(name, value);
	else if (!strcmp(name, "--slices"))
		b->slices = number(name, value);
	else if (value && !strcmp(name, "--preset"))
		b->preset = value;
	else if (value && !strcmp(name, "--profile"))
		b->profile = value;
	else if (value && !strcmp(name, "--out"))
		b->out_path = value;
	else if (value && !strcmp(name, "--name"))
		b->name = value;
	else if (value && !strcmp(name, "--option") && b->options < MAX_OPTIONS)
		b->option[b->options++] = value;
	else
		die(name, "unknown option or missing value; see --help");
}

static void parse(bench *b, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--help")) {
			fputs(help, stdout);
			exit(0);
		}
		if (!strcmp(argv[i], "--first-pass")) {
			b->first_pass = 1;
			continue;
		}
		i++;
		set_value(b, argv[i - 1], argv[i]);
	}
	if (argc - i != 2 || sscanf(argv[i], "%ux%u", &b->width, &b->height) != 2 ||
		b->width > 16384 || b->height > 16384 || !b->width || !b->height)
		die("wrong arguments", "needs WIDTHxHEIGHT and a file; see --help");
	b->input = argv[i + 1];
	b->frame_bytes = (size_t)b->width * b->height * 3 / 2;
}

int main(int argc, char **argv)
{
	bench b = { .frames = 300,
		.repeat = 1,
		.qp = 27,
		.slices = 1,
		.preset = "medium",
		.profile = "high" };

	parse(&b, argc, argv);
	load_pixels(&b);
	for (uint32_t r = 0; r < b.repeat; r++) {
		double t0 = now_s(), open_s, s;
		x264_t *enc = open_encoder(&b);
		uint32_t packets = 0;

		open_s = now_s() - t0;
		b.bytes = 0;
		if (b.out_path && !(b.out = fopen(b.out_path, "wb")))
			die(b.out_path, "cannot be created");
		t0 = now_s();
		for (uint32_t i = 0; i < b.frames; i++)
			(void)encode(&b, enc, i, &packets);
		while (x264_encoder_delayed_frames(enc) > 0)
			(void)encode(&b, enc, -1, &packets);
		s = now_s() - t0;
		if (packets != b.frames)
			die("x264", "returned another number of packets than frames were sent");
		report(&b, open_s, s);
		if (b.out && fclose(b.out) != 0)
			die(b.out_path, "cannot be written");
		b.out = NULL;
		x264_encoder_close(enc);
	}
	free(b.pixels);
	return 0;
}
