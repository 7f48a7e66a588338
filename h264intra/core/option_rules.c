/* What options need of each other, and their ranges: the rules of every program and plugin. Names
 * of options are in braces until the program's spelling is known. */
#include "h264intra/bitstream/hrd.h"
#include "h264intra/core/option_table.h"
#include "libsched/core/say.h"
#include "libsched/core/sized.h"

#include <stdio.h>
#include <string.h>

/* Appends n bytes to out, as far as they fit. Returns the new length. */
static size_t append(char *out, size_t bytes, size_t at, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++, at++)
		if (at + 1 < bytes)
			out[at] = text[i];
	if (bytes)
		out[at < bytes ? at : bytes - 1] = '\0';
	return at;
}

/* Appends the name of n bytes as it is spelled. */
static size_t append_name(
	const h264i_spelling *s, char *out, size_t bytes, size_t at, const char *name, size_t n)
{
	const size_t from = at;

	if (s && s->prefix)
		at = append(out, bytes, at, s->prefix, strlen(s->prefix));
	for (const char *const *p = s ? s->renamed : NULL; p && *p; p += 2)
		if (strlen(*p) == n && memcmp(*p, name, n) == 0)
			return append(out, bytes, at, p[1], strlen(p[1]));
	for (unsigned i = 0; !s && i < H264I_OPT_COUNT; i++) {
		const h264i_option_row *r = &h264i_i_option_rows[i];

		if (r->offset && strlen(r->o.name) == n && memcmp(r->o.name, name, n) == 0)
			return append(out, bytes, at, r->member, strlen(r->member));
	}
	at = append(out, bytes, at, name, n);
	for (size_t i = from; s && s->dash && i < at && i + 1 < bytes; i++)
		if (i >= from + (s->prefix ? strlen(s->prefix) : 0) && out[i] == '-')
			out[i] = s->dash;
	return at;
}

size_t h264i_spell_options(const h264i_spelling *s, const char *text, char *out, size_t bytes)
{
	size_t at = append(out, bytes, 0, "", 0), n;

	while (*text) {
		n = strcspn(text, "{");
		at = append(out, bytes, at, text, n);
		text += n;
		if (!*text)
			break;
		n = strcspn(++text, "}");
		at = append_name(s, out, bytes, at, text, n);
		text += n + (text[n] == '}');
	}
	return at;
}

/* --- ranges ---------------------------------------------------------------------------------- */

static const h264i_option_name *name_of(const h264i_option *d, double value)
{
	for (const h264i_option_name *n = d->names; n && n->name; n++)
		if (n->value != H264I_OPTION_OPEN &&
			(n->value == value || (value > INT32_MAX && (uint32_t)n->value == value)))
			return n;
	return NULL;
}

/* Writes the values that an option can have. */
static void describe(const h264i_option *d, char *out, size_t bytes)
{
	size_t n = 0;

	if (d->type == H264I_OPTION_SWITCH)
		n = append(out, bytes, 0, "-1..1", 5);
	else if (d->type != H264I_OPTION_NAME)
		n = (size_t)snprintf(out, bytes, "%.0f..%.0f", d->min, d->max);
	for (const h264i_option_name *w = d->type == H264I_OPTION_NAME ? d->names : NULL;
		w && w->name; w++)
		if (w->value != H264I_OPTION_OPEN)
			n += (size_t)snprintf(out + n, n < bytes ? bytes - n : 0, "%s%d (%s)",
				n ? ", " : "", w->value, w->name);
}

/* Returns 1 if a member is not read. */
static int is_idle(unsigned i, const h264i_options *o)
{
	if (i == H264I_OPT_BITRATE)
		return o->rate_mode == H264I_RATE_QP || o->rate_mode == H264I_RATE_QUALITY;
	return i == H264I_OPT_VBV_INIT && !o->vbv_bufsize;
}

/* Checks the members against the ranges of their options. Returns 0, or -1 with a text. */
static int check_ranges(const h264i_options *o, char *text, size_t bytes)
{
	char accepted[160];

	for (unsigned i = 0; i < H264I_OPT_COUNT; i++) {
		const h264i_option_row *r = &h264i_i_option_rows[i];
		const double v = h264i_i_option_value(r, o);
		const int is_switch = r->o.type == H264I_OPTION_SWITCH;

		if (!r->in_range || is_idle(i, o) || name_of(&r->o, v) ||
			(is_switch && v >= -1 && v <= 1) ||
			(!is_switch && r->o.type != H264I_OPTION_NAME && v >= r->o.min &&
				v <= r->o.max))
			continue;
		describe(&r->o, accepted, sizeof(accepted));
		return lsched_i_say(
			-1, text, bytes, "{%s} %.15g is not in %s", r->o.name, v, accepted);
	}
	return 0;
}

/* --- needs ----------------------------------------------------------------------------------- */

static int is_given(const h264i_options *o, h264i_opt i)
{
	return (int)(o->given >> i & 1);
}

static int has_buffer(const h264i_options *o)
{
	return o->vbv_bufsize > 0;
}

static int has_buffer_rate(const h264i_options *o)
{
	return o->rate_mode != H264I_RATE_QP &&
	       (o->vbv_maxrate || (o->bitrate && o->rate_mode != H264I_RATE_QUALITY));
}

static int has_rate(const h264i_options *o)
{
	return o->rate_mode == H264I_RATE_BITRATE || has_buffer(o);
}

static int has_aq(const h264i_options *o)
{
	return o->aq_mode != 0;
}

static int is_main(const h264i_options *o)
{
	return o->profile != H264I_PROFILE_BASELINE;
}

static int is_high(const h264i_options *o)
{
	return o->profile == H264I_PROFILE_HIGH;
}

static int may_be_cuda(const h264i_options *o)
{
	return o->backend != H264I_BACKEND_CPU;
}

static int may_be_cpu(const h264i_options *o)
{
	return o->backend != H264I_BACKEND_CUDA;
}

/* By the text in the table. */
static const struct {
	const char *text;
	int (*is_met)(const h264i_options *o);
} needs[] = {
	{ H264I_NEEDS_BUFFER, has_buffer },
	{ H264I_NEEDS_BUFFER_RATE, has_buffer_rate },
	{ H264I_NEEDS_RATE, has_rate },
	{ H264I_NEEDS_AQ, has_aq },
	{ H264I_NEEDS_MAIN, is_main },
	{ H264I_NEEDS_HIGH, is_high },
	{ H264I_NEEDS_CUDA, may_be_cuda },
	{ H264I_NEEDS_CPU, may_be_cpu },
};

static int needs_met(const h264i_option *d, const h264i_options *o)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (strcmp(needs[i].text, d->needs) == 0)
			return needs[i].is_met(o);
	return 0;
}

/* Returns 1 if an option has an effect by its value, or would have. */
static int is_used(const h264i_option_row *r, unsigned i, const h264i_options *o,
	const h264i_options *defaults)
{
	const double v = h264i_i_option_value(r, o);

	if (!is_given(o, (h264i_opt)i) && !r->always_needs)
		return 0;
	if (r->o.type == H264I_OPTION_SWITCH)
		return v == 1;
	return v != h264i_i_option_value(r, defaults) ||
	       (is_given(o, (h264i_opt)i) && r->o.type == H264I_OPTION_REAL);
}

/* Checks that each option has what it needs. Returns 0, or -1 with a text. */
static int check_needs(const h264i_options *o, char *text, size_t bytes)
{
	h264i_options defaults;

	h264i_options_init(&defaults);
	for (unsigned i = 0; i < H264I_OPT_COUNT; i++) {
		const h264i_option_row *r = &h264i_i_option_rows[i];
		const h264i_option_name *n;

		if (!r->o.needs || !is_used(r, i, o, &defaults) || needs_met(&r->o, o))
			continue;
		if (r->o.execution) {
			const char *other = may_be_cuda(o) ? "cuda" : "cpu";

			return lsched_i_say(-1, text, bytes,
				"{%s} has no effect with {backend} %s; remove one of them, or use "
				"{backend} auto",
				r->o.name, other);
		}
		n = name_of(&r->o, h264i_i_option_value(r, o));
		return lsched_i_say(-1, text, bytes, "{%s}%s%s needs %s", r->o.name,
			n || r->o.type == H264I_OPTION_SWITCH ? " " : "",
			n                                  ? n->name
			: r->o.type == H264I_OPTION_SWITCH ? "on"
							   : "",
			r->o.needs);
	}
	return 0;
}

/* --- exclusions ------------------------------------------------------------------------------ */

/* Checks options that h264i_set_option has set against each other. */
static int check_exclusive(const h264i_options *o, char *text, size_t bytes)
{
	static const h264i_opt rates[] = { H264I_OPT_QP, H264I_OPT_CRF, H264I_OPT_BITRATE };
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const h264i_option_row *r = &h264i_i_option_rows[rates[i]];

		if (!is_given(o, rates[i]) || (rates[i] == H264I_OPT_BITRATE && !o->bitrate))
			continue;
		if (first)
			return lsched_i_say(-1, text, bytes, "{%s} and {%s} exclude each other",
				first, r->o.name);
		first = r->o.name;
	}
	return 0;
}

static int check_buffer(const h264i_options *o, char *text, size_t bytes)
{
	const uint32_t rate = o->vbv_maxrate ? o->vbv_maxrate : o->bitrate;

	if (!o->vbv_bufsize)
		return 0;
	if (o->rate_mode == H264I_RATE_BITRATE && o->vbv_maxrate && o->vbv_maxrate < o->bitrate)
		return lsched_i_say(-1, text, bytes, "{vbv-maxrate} %u is below {bitrate} %u",
			o->vbv_maxrate, o->bitrate);
	if (o->hrd && (uint64_t)o->vbv_bufsize > (uint64_t)rate * H264I_HRD_SECONDS_MAX)
		return lsched_i_say(-1, text, bytes,
			"a buffer of %u kbit ({vbv-bufsize}) is filled at %u kbit/s in more than "
			"%d seconds, the most with {nal-hrd}",
			o->vbv_bufsize, rate, (int)H264I_HRD_SECONDS_MAX);
	return 0;
}

static int check_others(const h264i_options *o, char *text, size_t bytes)
{
	const int cr = o->cr_qp_offset == H264I_CR_AS_CB ? o->chroma_qp_offset : o->cr_qp_offset;

	if (o->rate_mode == H264I_RATE_BITRATE && !o->bitrate)
		snprintf(text, bytes, "{bitrate} is 0");
	else if (cr != o->chroma_qp_offset && !is_high(o))
		snprintf(text, bytes,
			"{chroma-qp-offset} %d:%d needs {profile} high, as Cb and Cr differ",
			o->chroma_qp_offset, cr);
	else if (o->substreams < 1 || o->substreams > H264I_SUBSTREAMS_MAX)
		snprintf(text, bytes, "{substreams} %u is not in 1..%u", o->substreams,
			H264I_SUBSTREAMS_MAX);
	else if ((o->disable_modes & H264I_DISABLE_I4_ALL) &&
		 (o->disable_modes & H264I_DISABLE_I16_ALL))
		snprintf(text, bytes,
			"{disable-modes} disables both Intra4x4 and Intra16x16; leave one of them");
	else
		return 0;
	return -1;
}

int h264i_i_check_rules(
	const h264i_options *o, const h264i_spelling *s, char *msg, size_t msg_bytes)
{
	char text[400];

	if (!check_exclusive(o, text, sizeof(text)) && !check_ranges(o, text, sizeof(text)) &&
		!check_needs(o, text, sizeof(text)) && !check_buffer(o, text, sizeof(text)) &&
		!check_others(o, text, sizeof(text)))
		return 0;
	h264i_spell_options(s, text, msg, msg_bytes);
	return -1;
}

h264i_status h264i_check_options(
	const h264i_options *o, const h264i_spelling *s, char *msg, size_t msg_bytes)
{
	h264i_options known;
	const char *problem;

	h264i_options_init(&known);
	if (!o) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "h264i_options is NULL");
		return H264I_ERR_ARG;
	}
	problem = lsched_i_sized_in(
		&known, sizeof(known), LSCHED_I_SIZE_TO(h264i_options, log_opaque), o);
	if (problem && msg && msg_bytes)
		snprintf(msg, msg_bytes, "h264i_options %s", problem);
	return problem || h264i_i_check_rules(&known, s, msg, msg ? msg_bytes : 0) ? H264I_ERR_ARG
										   : H264I_OK;
}
