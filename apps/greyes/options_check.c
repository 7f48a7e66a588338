/* Values of greyes' options that the table leaves as text; combinations; files. */
#include <libsched/sched.h>
#include <reyes/reyes.h>
#include "apps/common/names.h"
#include "apps/greyes/options.h"
#include "libsched/core/say.h"
#include "reyes/image/rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SAMPLES_MAX = 64 };

typedef struct check {
	gr_options *o;
	char *msg;
	size_t msg_bytes;
} check;

/* Writes the message. Is -1. */
#define REFUSE(c, ...) lsched_i_say(-1, (c)->msg, (c)->msg_bytes, __VA_ARGS__)

/* Reads digits at *at. Returns 0, or -1 if there are none or the value is above UINT32_MAX. */
static int read_uint(const char **at, uint32_t *value)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)**at))
		return -1;
	errno = 0;
	v = strtoull(*at, &end, 10);
	if (errno || v > UINT32_MAX)
		return -1;
	*at = end;
	*value = (uint32_t)v;
	return 0;
}

static int read_frames(const check *c)
{
	gr_options *o = c->o;
	const char *at = o->frames_text;
	int bad;

	o->first_frame = 0;
	o->last_frame = UINT32_MAX;
	if (!at)
		return 0;
	bad = read_uint(&at, &o->first_frame);
	o->last_frame = o->first_frame;
	if (!bad && *at == '-') {
		at++;
		bad = read_uint(&at, &o->last_frame);
	}
	if (bad || *at || o->first_frame > o->last_frame)
		return REFUSE(c, "--frames: '%s' is not a number A or a range A-B, such as 1-20",
			o->frames_text);
	return 0;
}

static int read_samples(const check *c)
{
	gr_options *o = c->o;
	const char *at = o->samples_text;
	int bad;

	if (!at)
		return 0;
	bad = read_uint(&at, &o->samples_x);
	o->samples_y = o->samples_x;
	if (!bad && *at == 'x') {
		at++;
		bad = read_uint(&at, &o->samples_y);
	}
	if (bad || *at || !o->samples_x || !o->samples_y || o->samples_x > SAMPLES_MAX ||
		o->samples_y > SAMPLES_MAX)
		return REFUSE(c, "--samples: '%s' is not N or NxM with numbers from 1 to %d",
			o->samples_text, SAMPLES_MAX);
	return 0;
}

static int read_crop(const check *c)
{
	gr_options *o = c->o;
	const char *at = o->crop_text;
	int bad = 0;

	if (!at)
		return 0;
	for (int i = 0; i < 4 && !bad; i++) {
		char *end;

		/* strtof also reads blanks, hexadecimal numbers, "inf" and "nan". */
		bad = !isdigit((unsigned char)*at) && *at != '.';
		o->crop[i] = strtof(at, &end);
		bad = bad || end == at || *end != (i < 3 ? ',' : '\0') ||
		      !(o->crop[i] >= 0 && o->crop[i] <= 1);
		at = end + (i < 3);
	}
	if (bad || o->crop[0] >= o->crop[1] || o->crop[2] >= o->crop[3])
		return REFUSE(c,
			"--crop: '%s' is not X0,X1,Y0,Y1 with 0 <= X0 < X1 <= 1 and "
			"0 <= Y0 < Y1 <= 1",
			o->crop_text);
	return 0;
}

static int check_output(const check *c)
{
	const gr_options *o = c->o;
	const named_file files[] = { { "--output", o->output, 0 }, { "--stats", o->stats_path, 0 },
		{ "--trace", o->trace, 0 }, { "the scene", o->scene, 1 } };
	const reyes_status s = o->output ? reyes_check_picture_name(o->output) : REYES_OK;

	if (s == REYES_ERR_UNSUPPORTED)
		return REFUSE(c,
			"--output: the format of '%s' is not compiled in; greyes --version lists "
			"the formats",
			o->output);
	if (s != REYES_OK)
		return REFUSE(
			c, "--output: '%s' does not end in .png, .tif, .tiff or .exr", o->output);
	for (size_t i = 0; o->confine && !files[i].is_input; i++) {
		const int is_below = !files[i].path || strcmp(files[i].path, "-") == 0
					     ? 1
					     : reyes_i_file_is_below(o->confine, files[i].path);

		if (is_below <= 0)
			return REFUSE(c, "%s: '%s' is not below --confine '%s'%s%s",
				files[i].option, files[i].path, o->confine, is_below ? ": " : "",
				is_below ? strerror(errno) : "");
	}
	return names_check(files, sizeof(files) / sizeof(files[0]), c->msg, c->msg_bytes);
}

static int check_confine(const check *c)
{
	struct stat st;

	if (!c->o->confine || (stat(c->o->confine, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	return REFUSE(c, "--confine: '%s' is no folder", c->o->confine);
}

int gr_options_finish(gr_options *o, char *msg, size_t msg_bytes)
{
	const check c = { o, msg, msg_bytes };

	if (!o->scene && o->stats.separate && strcmp(o->stats.text, "-") == 0) {
		o->scene = o->stats.text;
		o->stats.text = NULL;
	}
	if (!o->scene)
		return REFUSE(&c, "the scene is missing: name a RIB file, or - for standard input");
	if (o->watch && strcmp(o->scene, "-") == 0)
		return REFUSE(&c, "--watch needs a file, because standard input is read once");
	if (o->fly && strcmp(o->scene, "-") == 0)
		return REFUSE(&c, "--fly needs a file, because standard input is read once");
	if (o->fly && (o->output || o->no_window))
		return REFUSE(&c, "--fly cannot be combined with --output or --no-window");
	if (!(o->shading_rate > 0))
		return REFUSE(&c, "--shadingrate: the factor %g is not above 0", o->shading_rate);
	if (o->threads && o->backend == REYES_BACKEND_CUDA)
		return REFUSE(&c, "--threads cannot be combined with --backend cuda");
	if (o->device && o->backend == REYES_BACKEND_CPU)
		return REFUSE(&c, "--device cannot be combined with --backend cpu");
	if (o->stats.given)
		o->stats_path = o->stats.text;
	if (read_frames(&c) || read_samples(&c) || read_crop(&c) || check_confine(&c))
		return -1;
	return check_output(&c);
}

const char *gr_queue_name(const gr_options *o)
{
	return o->queue ? lsched_queue_name((lsched_queue)(o->queue - 1)) : NULL;
}
