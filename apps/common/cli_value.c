/* Values of options: parsing, checks and the description of the accepted values. */
#include "apps/common/cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the index of the choice that equals the first n characters of a text, or -1. */
static int find_choice(const cli_opt *o, const char *text, size_t n)
{
	const char *at = o->choices;

	for (int i = 0;; i++) {
		size_t word = strcspn(at, "|");

		if (n == word && strncmp(at, text, n) == 0)
			return i;
		if (at[word] == '\0')
			return -1;
		at += word + 1;
	}
}

static int set_choice(const cli_opt *o, int *out, const char *text)
{
	*out = find_choice(o, text, strlen(text));
	return *out < 0 ? -1 : 0;
}

size_t cli_next_word(const char **at, const char **word)
{
	size_t n = strcspn(*at, ",");

	*word = *at;
	*at += n + ((*at)[n] == ',');
	return n;
}

/* Parses a decimal integer in min..max. Returns 0 or -1. */
static int parse_integer(const char *text, int64_t min, int64_t max, int64_t *out)
{
	char *end;
	long long v;

	if (!isdigit((unsigned char)text[0]) &&
		!(text[0] == '-' && isdigit((unsigned char)text[1])))
		return -1;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || v < min || v > max)
		return -1;
	*out = v;
	return 0;
}

static int parse_real(const cli_opt *o, const char *text, double *out)
{
	char *end;
	double v;

	if (text[0] != '-' && text[0] != '.' && !isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	v = strtod(text, &end);
	if (errno || *end || !(v >= (double)o->min && v <= (double)o->max))
		return -1;
	*out = v;
	return 0;
}

/* Returns 0 if the option accepts each word of a comma-separated list, else -1. */
static int check_words(const cli_opt *o, const char *text)
{
	const char *word;
	char number[24];
	int64_t v;

	if (text[0] == '\0' || text[strlen(text) - 1] == ',')
		return -1;
	while (*text) {
		size_t n = cli_next_word(&text, &word);

		if (o->type == CLI_LIST) {
			if (find_choice(o, word, n) < 0)
				return -1;
			continue;
		}
		if (n >= sizeof(number))
			return -1;
		memcpy(number, word, n);
		number[n] = '\0';
		if (parse_integer(number, o->min, o->max, &v))
			return -1;
	}
	return 0;
}

/* Parses an integer with a unit K, M or G, powers of `kilo`. Returns 0 or -1. */
static int parse_units(const char *text, uint64_t kilo, uint64_t *out)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t factor = 1;
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	v = strtoull(text, &end, 10);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		end++;
		for (const char *u = units; u <= unit; u++)
			factor *= kilo;
	}
	if (errno || *end || v > UINT64_MAX / factor)
		return -1;
	*out = v * factor;
	return 0;
}

static int parse_count(const cli_opt *o, const char *text, uint64_t *out)
{
	if (parse_units(text, 1000, out))
		return -1;
	return *out < (uint64_t)o->min || *out > (uint64_t)o->max ? -1 : 0;
}

static int parse_size(const cli_opt *o, const char *text, cli_size *out)
{
	const char *x = strchr(text, 'x');
	char left[16];
	int64_t w, h;

	if (!x || (size_t)(x - text) >= sizeof(left))
		return -1;
	memcpy(left, text, (size_t)(x - text));
	left[x - text] = '\0';
	if (parse_integer(left, o->min, o->max, &w) || parse_integer(x + 1, o->min, o->max, &h))
		return -1;
	*out = (cli_size){ (uint32_t)w, (uint32_t)h };
	return 0;
}

/* Parses a ratio "30000/1001". Returns 0 or -1. */
static int parse_ratio(const char *text, const char *slash, cli_rate *out)
{
	char left[16];
	int64_t num, den;

	if ((size_t)(slash - text) >= sizeof(left))
		return -1;
	memcpy(left, text, (size_t)(slash - text));
	left[slash - text] = '\0';
	if (parse_integer(left, 1, 1000000000, &num) ||
		parse_integer(slash + 1, 1, 1000000000, &den))
		return -1;
	*out = (cli_rate){ (uint32_t)num, (uint32_t)den };
	return 0;
}

static int parse_rate(const char *text, cli_rate *out)
{
	const char *slash = strchr(text, '/');
	int64_t num, den = 1000;
	char *end;
	double v;

	if (slash)
		return parse_ratio(text, slash, out);
	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	v = strtod(text, &end);
	if (errno || *end || !(v >= 0.001 && v <= 1000000))
		return -1;
	/* 23.976, 29.97 and 59.94 are NTSC rates, N x 1000/1001. */
	num = llround(v * 1001 / 1000) * 1000;
	if (v != floor(v) && fabs((double)num / 1001 - v) < 0.005) {
		*out = (cli_rate){ (uint32_t)num, 1001 };
		return 0;
	}
	num = llround(v * 1000);
	while (den > 1 && num % 10 == 0) {
		num /= 10;
		den /= 10;
	}
	*out = (cli_rate){ (uint32_t)num, (uint32_t)den };
	return 0;
}

static int add_word(cli_words *w, const char *text)
{
	if (text[0] == '\0' || w->count == CLI_WORDS_MAX)
		return -1;
	w->at[w->count++] = text;
	return 0;
}

/* Describes the values that the option accepts, for a message. */
static void describe_values(const cli_opt *o, char *out, size_t bytes)
{
	switch (o->type) {
	case CLI_SWITCH:
		snprintf(out, bytes, "on or off");
		break;
	case CLI_CHOICE:
	case CLI_LIST: {
		size_t n = 0;

		snprintf(out, bytes, o->type == CLI_LIST ? "a list of " : "one of ");
		n = strlen(out);
		for (const char *c = o->choices; *c && n + 3 < bytes; c++) {
			if (*c == '|')
				n += (size_t)snprintf(out + n, bytes - n, ", ");
			else
				out[n++] = *c;
		}
		out[n] = '\0';
		break;
	}
	case CLI_UINT:
	case CLI_INT:
	case CLI_REAL:
		snprintf(out, bytes, "%" PRId64 "..%" PRId64, o->min, o->max);
		break;
	case CLI_NUMBERS:
		snprintf(out, bytes, "a list of %" PRId64 "..%" PRId64, o->min, o->max);
		break;
	case CLI_BYTES:
		snprintf(out, bytes, "a number of bytes such as 2G");
		break;
	case CLI_COUNT:
		snprintf(out, bytes, "%" PRId64 "..%" PRId64 ", such as 10K, 10M or 1G", o->min,
			o->max);
		break;
	case CLI_SIZE:
		snprintf(out, bytes, "WIDTHxHEIGHT, each %" PRId64 "..%" PRId64, o->min, o->max);
		break;
	case CLI_RATE:
		snprintf(out, bytes, "a rate such as 25, 29.97 or 30000/1001");
		break;
	case CLI_WORDS:
		snprintf(out, bytes, "one of at most %d texts that are not empty", CLI_WORDS_MAX);
		break;
	default: /* any text that is not empty */
		out[0] = '\0';
		break;
	}
}

int cli_takes_json(const char *next)
{
	const size_t n = strlen(next);

	return strcmp(next, "-") == 0 || (n > 5 && strcmp(next + n - 5, ".json") == 0);
}

/* Parses the text and stores the value at `at`. Returns 0, or nonzero if the option does not accept
 * the text. */
static int set_value(const cli_opt *o, void *at, const char *text)
{
	int64_t v = 0;

	switch (o->type) {
	case CLI_FLAG:
		*(int *)at = 1;
		return 0;
	case CLI_SWITCH:
		if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
			return -1;
		*(int *)at = strcmp(text, "on") == 0;
		return 0;
	case CLI_CHOICE:
		return set_choice(o, at, text);
	case CLI_UINT:
		if (parse_integer(text, o->min, o->max, &v))
			return -1;
		*(uint32_t *)at = (uint32_t)v;
		return 0;
	case CLI_INT:
		if (parse_integer(text, o->min, o->max, &v))
			return -1;
		*(int *)at = (int)v;
		return 0;
	case CLI_REAL:
		return parse_real(o, text, at);
	case CLI_LIST:
	case CLI_NUMBERS:
		*(const char **)at = text;
		return check_words(o, text);
	case CLI_BYTES:
		return parse_units(text, 1024, at);
	case CLI_COUNT:
		return parse_count(o, text, at);
	case CLI_SIZE:
		return parse_size(o, text, at);
	case CLI_RATE:
		return parse_rate(text, at);
	case CLI_WORDS:
		return add_word(at, text);
	case CLI_OPTIONAL:
		*(cli_optional *)at = (cli_optional){ 1, text, 0 };
		return text[0] == '\0';
	case CLI_TEXT:
	case CLI_FILE:
		*(const char **)at = text;
		return text[0] == '\0';
	}
	return -1;
}

int cli_set(const cli_opt *o, void *fields, const char *text, char *msg, size_t msg_bytes)
{
	char accepted[256];

	if (o->set)
		return o->set(o, fields, text, msg, msg_bytes);
	if (set_value(o, (char *)fields + o->field, text) == 0)
		return 0;
	describe_values(o, accepted, sizeof(accepted));
	if (*accepted)
		snprintf(msg, msg_bytes, "--%s: '%s' is not %s", o->name, text, accepted);
	else
		snprintf(msg, msg_bytes, "--%s: the value is empty", o->name);
	return -1;
}
