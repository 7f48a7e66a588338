/* Checks the values that the table of options.c does not check, and derives the others. */
#include "apps/common/stop.h"
#include "apps/gpuintra/options.h"
#include "libsched/core/say.h"
#include <h264intra/options.h>

#include <stdio.h>
#include <string.h>

/* Sets the default output: the file name of the input with .mp4 for its extension. */
static int name_output(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *slash = strrchr(o->input, '/');
	const char *base = slash ? slash + 1 : o->input;
	const char *dot = strrchr(base, '.');
	int n = dot && dot != base ? (int)(dot - base) : (int)strlen(base);

	if (strcmp(o->input, "-") == 0 || n == 0)
		return lsched_i_say(-1, msg, msg_bytes,
			"-o is required, because the input '%s' has no file name", o->input);
	if (snprintf(o->default_output, sizeof(o->default_output), "%.*s.mp4", n, base) >=
		(int)sizeof(o->default_output))
		return lsched_i_say(-1, msg, msg_bytes,
			"-o is required, because the name of the input is too long");
	o->output = o->default_output;
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
		o->part > o->parts)
		return lsched_i_say(-1, msg, msg_bytes,
			"--range: '%s' is not I/N with I from 1 to N, such as 2/3", o->range);
	if (o->frames || o->loops > 1 || o->seek)
		return lsched_i_say(-1, msg, msg_bytes,
			"--range cannot be combined with --%s; remove one of them",
			o->frames ? "frames"
			: o->seek ? "seek"
				  : "loop");
	if (strcmp(o->input, "-") == 0)
		return lsched_i_say(-1, msg, msg_bytes,
			"--range: standard input cannot be read twice; use a file");
	return 0;
}

/* Checks --sar, which is W:H. Returns 0, or -1 with msg. */
static int parse_sar(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *at = o->sar;

	if (!at)
		return 0;
	if (read_count(at, ':', &o->sar_num, &at) || read_count(at, '\0', &o->sar_den, &at) ||
		o->sar_num > UINT16_MAX || o->sar_den > UINT16_MAX)
		return lsched_i_say(-1, msg, msg_bytes,
			"--sar: '%s' is not W:H with numbers from 1 to 65535, such as 4:3", o->sar);
	return 0;
}

/* The words of the table of options.c as numbers of Annex E. */
static void number_colours(gpuintra_options *o)
{
	static const signed char primaries[] = { -1, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const signed char transfers[] = { -1, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18 };
	static const signed char matrices[] = { -1, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };

	o->primaries = primaries[o->colour[0]];
	o->transfer = transfers[o->colour[1]];
	o->matrix = matrices[o->colour[2]];
}

const char *options_value_name(const char *option, int value)
{
	const h264i_option *d;

	for (unsigned i = 0; (d = h264i_get_option(i)) != NULL; i++)
		for (const h264i_option_name *n = strcmp(d->name, option) ? NULL : d->names;
			n && n->name; n++)
			if (n->value == value)
				return n->name;
	return "";
}

const char *options_encoder_text(const gpuintra_options *o, const char *option)
{
	const h264i_option *d;

	for (unsigned i = 0; (d = h264i_get_option(i)) != NULL; i++)
		if (strcmp(d->name, option) == 0)
			return o->encoder[i];
	return NULL;
}

/* Sets an option of the encoder. A signal ends the program while a file is read. */
static int set_option(
	h264i_options *eo, const h264i_option *d, const char *text, char *msg, size_t msg_bytes)
{
	const int is_file = d->type == H264I_OPTION_FILE;
	char why[500];
	h264i_status s;

	if (is_file)
		stop_at_once(1);
	s = h264i_set_option(eo, d->name, text, why, sizeof(why));
	if (is_file)
		stop_at_once(0);
	if (s != H264I_OK)
		snprintf(msg, msg_bytes, "--%s%s %s", d->name, is_file ? "" : ":", why);
	return s == H264I_OK ? 0 : -1;
}

/* Sets the options of the encoder. */
static int set_coding(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	h264i_options device;
	const h264i_option *d;

	h264i_options_init(&o->coding);
	h264i_options_init(&device);
	for (unsigned i = 0; (d = h264i_get_option(i)) && i < OPTIONS_ENCODER_MAX; i++) {
		/* --hwdec decodes on --device, whatever the backend. */
		const int of_decoder = o->hwdec && strcmp(d->name, "device") == 0;

		if (!o->encoder[i])
			continue;
		if (set_option(of_decoder ? &device : &o->coding, d, o->encoder[i], msg, msg_bytes))
			return -1;
		if (of_decoder)
			o->coding.device = device.device;
	}
	return 0;
}

/* Returns what is wrong with two passes and parts of the input, or NULL. */
static const char *wrong_pass(const gpuintra_options *o)
{
	const h264i_options *c = &o->coding;

	if (o->pass >= 2 && !c->bitrate)
		return o->pass == 2 ? "--pass 2 needs --bitrate" : "--pass 3 needs --bitrate";
	if (o->pass_log_given && !o->pass)
		return "--pass-log needs --pass";
	if (o->pass >= 2 && c->rate_delay && !c->vbv_bufsize)
		return "--rate-delay in a second pass needs --vbv-bufsize";
	if ((o->pass == 1 || o->pass == 3) && o->range)
		return "--pass 1 and 3 need the whole input, not a --range";
	if (o->range && (c->vbv_bufsize || (c->bitrate && o->pass != 2)))
		return "--range needs --qp, --crf or --pass 2, without a buffer: else QPs depend "
		       "on the pictures before the part";
	return NULL;
}

int options_finish(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	static const h264i_spelling spelling = { .prefix = "--", .dash = '-' };
	const char *problem;

	if (!o->input)
		return lsched_i_say(
			-1, msg, msg_bytes, "no input; name a file, or - for standard input");
	if (!o->output && name_output(o, msg, msg_bytes))
		return -1;
	if (o->loops > 1 && strcmp(o->input, "-") == 0)
		return lsched_i_say(
			-1, msg, msg_bytes, "--loop: standard input cannot be read again");
	number_colours(o);
	if (set_coding(o, msg, msg_bytes) || parse_range(o, msg, msg_bytes) ||
		parse_sar(o, msg, msg_bytes))
		return -1;
	problem = wrong_pass(o);
	if (problem)
		return lsched_i_say(-1, msg, msg_bytes, "%s", problem);
	return h264i_check_options(&o->coding, &spelling, msg, msg_bytes) == H264I_OK ? 0 : -1;
}
