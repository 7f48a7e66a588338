/* Options by name: reads a value as its row of the table says, and sets the members. */
#include "h264intra/core/option_table.h"
#include "libsched/core/say.h"
#include "libsched/core/sized.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 16 };

/* Returns the name of a row that equals the text, or NULL. */
static const h264i_option_name *find_name(const h264i_option_name *n, const char *text)
{
	for (; n && n->name; n++)
		if (strcmp(n->name, text) == 0)
			return n;
	return NULL;
}

double h264i_i_option_value(const h264i_option_row *r, const h264i_options *o)
{
	const char *at = (const char *)o + r->offset;

	if (r->store == H264I_STORE_REAL)
		return *(const double *)(const void *)at;
	return r->store == H264I_STORE_UINT ? (double)*(const uint32_t *)(const void *)at
					    : (double)*(const int *)(const void *)at;
}

static void store(const h264i_option_row *r, h264i_options *o, double v)
{
	char *at = (char *)o + r->offset;

	if (r->store == H264I_STORE_REAL)
		*(double *)(void *)at = v;
	else if (r->store == H264I_STORE_UINT)
		*(uint32_t *)(void *)at = (uint32_t)(int64_t)v;
	else
		*(int *)(void *)at = (int)v;
}

/* Whether the caller's struct, perhaps of an older program, has the member of an option. */
static int has_member(const h264i_option_row *r, const h264i_options *o)
{
	return r->offset + (r->store == H264I_STORE_REAL ? sizeof(double) : sizeof(int)) <=
	       o->struct_bytes;
}

/* Reads a number of digits at *at, which moves behind it. Returns 0, or -1 if it is not within
 * -most..most. */
static int read_integer(const char **at, int64_t most, int64_t *v)
{
	const int minus = **at == '-';

	*at += minus;
	if (!isdigit((unsigned char)**at))
		return -1;
	for (*v = 0; isdigit((unsigned char)**at) && *v <= most; ++*at)
		*v = 10 * *v + **at - '0';
	if (*v > most)
		return -1;
	*v = minus ? -*v : *v;
	return 0;
}

/* Reads a decimal number with a point, in any locale. Returns 0, or -1. */
static int read_real(const char *text, double *v)
{
	locale_t c, before;
	char *end;

	if (text[strspn(text, "0123456789.eE+-")] || text[0] == '+')
		return -1;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return -1;
	before = uselocale(c);
	*v = strtod(text, &end);
	uselocale(before);
	freelocale(c);
	return end == text || *end || !isfinite(*v) ? -1 : 0;
}

/* Multiplies by the unit K, M or G at *at, if there is one. */
static void read_unit(const char **at, int64_t *v)
{
	static const char units[] = "KMG";
	const char *unit = **at ? strchr(units, toupper((unsigned char)**at)) : NULL;

	if (!unit)
		return;
	++*at;
	*v <<= 10 * (unit - units + 1); /* *v has at most 33 bits */
}

/* Reads a value of the row's range. Returns 0, or -1. */
static int read_number(const h264i_option *d, const char *text, double *v)
{
	const h264i_option_name *n = find_name(d->names, text);
	int64_t whole;

	if (n) {
		*v = n->value;
		return 0;
	}
	if (d->type == H264I_OPTION_REAL) {
		if (read_real(text, v))
			return -1;
	} else {
		if (read_integer(&text, UINT32_MAX, &whole) || (whole < 0 && d->min >= 0))
			return -1;
		if (d->type == H264I_OPTION_BYTES)
			read_unit(&text, &whole);
		if (*text)
			return -1;
		*v = (double)whole;
	}
	return *v >= d->min && *v <= d->max ? 0 : -1;
}

/* Describes the values that an option accepts. */
static void describe(const h264i_option *d, char *out, size_t bytes)
{
	const int is_number = d->type == H264I_OPTION_INTEGER || d->type == H264I_OPTION_REAL;
	size_t n = 0;

	if (d->type == H264I_OPTION_BYTES)
		n = (size_t)snprintf(
			out, bytes, "a number of bytes up to %.0f, such as 2M", d->max);
	else if (is_number)
		n = (size_t)snprintf(out, bytes, "%g..%.0f", d->min, d->max);
	else if (d->type == H264I_OPTION_SWITCH)
		n = (size_t)snprintf(out, bytes, "on or off");
	else
		n = (size_t)snprintf(out, bytes, "one of ");
	for (const h264i_option_name *w = d->names; w && w->name && n < bytes; w++)
		n += (size_t)snprintf(out + n, bytes - n, "%s%s",
			is_number       ? " or "
			: w == d->names ? ""
					: ", ",
			w->name);
	if (d->preset && strcmp(d->preset, "auto") == 0 && !find_name(d->names, "auto") &&
		n < bytes)
		snprintf(out + n, bytes - n, " or auto");
}

static h264i_status refuse(const h264i_option *d, const char *text, char *msg, size_t msg_bytes)
{
	char accepted[256];

	describe(d, accepted, sizeof(accepted));
	return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes, "'%s' is not %s", text, accepted);
}

/* Sets a switch, a name or a number. */
static h264i_status set_plain(
	const h264i_option_row *r, h264i_options *o, const char *text, char *msg, size_t msg_bytes)
{
	const h264i_option_name *n;
	double v = 0;

	switch (r->o.type) {
	case H264I_OPTION_SWITCH:
		if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
			return refuse(&r->o, text, msg, msg_bytes);
		v = strcmp(text, "on") == 0;
		break;
	case H264I_OPTION_NAME:
		n = find_name(r->o.names, text);
		if (!n)
			return refuse(&r->o, text, msg, msg_bytes);
		v = n->value;
		break;
	default:
		if (read_number(&r->o, text, &v))
			return refuse(&r->o, text, msg, msg_bytes);
		break;
	}
	store(r, o, v);
	return H264I_OK;
}

h264i_status h264i_i_set_preset(h264i_options *o, const char *v, char *msg, size_t msg_bytes)
{
	return h264i_options_set_preset(o, v) == H264I_OK
		       ? H264I_OK
		       : refuse(&h264i_i_option_rows[H264I_OPT_PRESET].o, v, msg, msg_bytes);
}

h264i_status h264i_i_set_tune(h264i_options *o, const char *v, char *msg, size_t msg_bytes)
{
	return h264i_options_set_tune(o, v) == H264I_OK
		       ? H264I_OK
		       : refuse(&h264i_i_option_rows[H264I_OPT_TUNE].o, v, msg, msg_bytes);
}

h264i_status h264i_i_set_crf(h264i_options *o, const char *v, char *msg, size_t msg_bytes)
{
	const h264i_option_row *r = &h264i_i_option_rows[H264I_OPT_CRF];
	const h264i_status s = set_plain(r, o, v, msg, msg_bytes);

	if (s == H264I_OK)
		o->rate_mode = H264I_RATE_QUALITY;
	return s;
}

h264i_status h264i_i_set_bitrate(h264i_options *o, const char *v, char *msg, size_t msg_bytes)
{
	const h264i_option_row *r = &h264i_i_option_rows[H264I_OPT_BITRATE];
	const h264i_status s = set_plain(r, o, v, msg, msg_bytes);

	if (s == H264I_OK && o->bitrate)
		o->rate_mode = H264I_RATE_BITRATE;
	else if (s == H264I_OK && o->rate_mode == H264I_RATE_BITRATE)
		o->rate_mode = H264I_RATE_QP;
	return s;
}

/* Reads A or A:B within the range of a row. Returns 0, or -1; `one`: there is no B. */
static int read_pair(const h264i_option *d, const char *at, int *a, int *b, int *one)
{
	int64_t v;

	if (read_integer(&at, (int64_t)d->max, &v))
		return -1;
	*a = *b = (int)v;
	*one = !*at;
	if (*one)
		return 0;
	if (*at++ != ':' || read_integer(&at, (int64_t)d->max, &v) || *at)
		return -1;
	*b = (int)v;
	return 0;
}

h264i_status h264i_i_set_deblock(h264i_options *o, const char *v, char *msg, size_t msg_bytes)
{
	int alpha, beta, one;

	if (strcmp(v, "on") == 0 || strcmp(v, "off") == 0) {
		o->deblock = strcmp(v, "on") == 0;
		return H264I_OK;
	}
	if (read_pair(&h264i_i_option_rows[H264I_OPT_DEBLOCK_ALPHA].o, v, &alpha, &beta, &one))
		return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes,
			"'%s' is not on, off, or the offsets ALPHA:BETA, each of -6 to 6", v);
	o->deblock = 1;
	o->deblock_alpha = alpha;
	o->deblock_beta = beta;
	return H264I_OK;
}

h264i_status h264i_i_set_chroma(h264i_options *o, const char *v, char *msg, size_t msg_bytes)
{
	int cb, cr, one;

	if (read_pair(&h264i_i_option_rows[H264I_OPT_CHROMA_QP_OFFSET].o, v, &cb, &cr, &one))
		return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes,
			"'%s' is not CB or CB:CR, each of -12 to 12", v);
	o->chroma_qp_offset = cb;
	o->cr_qp_offset = one ? H264I_CR_AS_CB : cr;
	return H264I_OK;
}

/* Reads the text of a file. Returns it, to be freed, or NULL with msg and *s. */
static char *read_text(const char *path, h264i_status *s, char *msg, size_t msg_bytes)
{
	char *text = malloc(FILE_BYTES_MAX + 1);
	FILE *f = text ? fopen(path, "rb") : NULL;
	size_t n = f ? fread(text, 1, FILE_BYTES_MAX + 1, f) : 0;
	const char *why = NULL;

	*s = H264I_ERR_IO;
	if (!text) {
		*s = H264I_ERR_NOMEM;
		why = "out of memory";
	} else if (!f || ferror(f)) {
		why = strerror(errno);
	} else if (n > FILE_BYTES_MAX) {
		why = "is no file of matrices: too long";
	} else {
		text[n] = '\0';
		if (strlen(text) != n)
			why = "is no text";
	}
	if (f)
		fclose(f);
	if (!why)
		return text;
	snprintf(msg, msg_bytes, "%s: %s; use flat, jvt or a file of matrices", path, why);
	free(text);
	return NULL;
}

h264i_status h264i_i_set_cqm(h264i_options *o, const char *v, char *msg, size_t msg_bytes)
{
	const h264i_option_name *n = find_name(h264i_i_option_rows[H264I_OPT_CQM].o.names, v);
	h264i_status s;
	char why[300], *text;

	if (n) {
		o->scaling = (h264i_scaling)n->value;
		return H264I_OK;
	}
	text = read_text(v, &s, msg, msg_bytes);
	if (!text)
		return s;
	s = h264i_options_read_scaling(o, text, why, sizeof(why));
	free(text);
	if (s != H264I_OK)
		snprintf(msg, msg_bytes, "%s: %s", v, why);
	return s;
}

/* Returns 1 if the value leaves the choice to the preset, the tune or the encoder. */
static int is_open(const h264i_option *d, const char *value)
{
	const h264i_option_name *n = find_name(d->names, value);

	return n ? n->value == H264I_OPTION_OPEN
		 : d->preset && strcmp(d->preset, "auto") == 0 && strcmp(value, "auto") == 0;
}

h264i_status h264i_set_option(
	h264i_options *o, const char *name, const char *value, char *msg, size_t msg_bytes)
{
	char none[1];
	h264i_status s;

	if (!msg || !msg_bytes) {
		msg = none;
		msg_bytes = sizeof(none);
	}
	if (!o || !name || !value || o->struct_bytes < LSCHED_I_SIZE_TO(h264i_options, given))
		return lsched_i_say(
			H264I_ERR_ARG, msg, msg_bytes, "no name, no value, or no h264i_options");
	for (unsigned i = 0; i < H264I_OPT_COUNT; i++) {
		const h264i_option_row *r = &h264i_i_option_rows[i];

		if (strcmp(r->o.name, name) != 0)
			continue;
		if (!has_member(r, o))
			return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes,
				"the program was compiled with a version that lacks this option");
		if (!*value && r->o.type != H264I_OPTION_TEXT)
			return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes, "the value is empty");
		if (is_open(&r->o, value)) {
			o->given &= ~(UINT64_C(1) << i);
			return H264I_OK;
		}
		s = r->set ? r->set(o, value, msg, msg_bytes)
			   : set_plain(r, o, value, msg, msg_bytes);
		if (s == H264I_OK)
			o->given |= UINT64_C(1) << i;
		return s;
	}
	return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes, "there is no such option");
}
