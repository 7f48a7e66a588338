#include "apps/common/cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const cli_opt cli_builtin[] = {
	{ .name = "help",
		.letter = 'h',
		.metavar = "completion",
		.help = "list the options, or print a completion script for bash",
		.group = "Help" },
	{ .name = "version",
		.letter = 'V',
		.help = "print the version and what the program was built with",
		.group = "Help" },
	{ 0 },
};

static void *field_of(const cli_opt *o, void *fields)
{
	return (char *)fields + o->field;
}

const cli_opt *cli_find(const cli_opt *opts, const char *name, size_t name_bytes)
{
	for (; opts->name; opts++)
		if (strlen(opts->name) == name_bytes && strncmp(opts->name, name, name_bytes) == 0)
			return opts;
	return NULL;
}

static const cli_opt *find_letter(const cli_opt *opts, char letter)
{
	for (; opts->name; opts++)
		if (opts->letter && opts->letter == letter)
			return opts;
	return NULL;
}

/* Which choice the first n characters of a text are, or -1. */
static int which_choice(const cli_opt *o, const char *text, size_t n)
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
	*out = which_choice(o, text, strlen(text));
	return *out < 0 ? -1 : 0;
}

size_t cli_next_word(const char **at, const char **word)
{
	size_t n = strcspn(*at, ",");

	*word = *at;
	*at += n + ((*at)[n] == ',');
	return n;
}

/* A whole decimal number, or -1. */
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

/* Is every word between the commas one that the option takes? */
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
			if (which_choice(o, word, n) < 0)
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

static int parse_bytes(const char *text, uint64_t *out)
{
	char *end;
	unsigned long long v;
	int shift = 0;

	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	v = strtoull(text, &end, 10);
	switch (*end) {
	case 'G':
	case 'g':
		shift = 30;
		break;
	case 'M':
	case 'm':
		shift = 20;
		break;
	case 'K':
	case 'k':
		shift = 10;
		break;
	default:
		break;
	}
	if (shift)
		end++;
	if (errno || *end || v > UINT64_MAX >> shift)
		return -1;
	*out = (uint64_t)v << shift;
	return 0;
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

static int parse_rate(const char *text, cli_rate *out)
{
	const char *slash = strchr(text, '/');
	char left[16], *end;
	int64_t num, den = 1;
	double v;

	if (slash) {
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
	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	v = strtod(text, &end);
	if (errno || *end || !(v >= 0.001 && v <= 1000000))
		return -1;
	/* 23.976, 29.97, 59.94 mean the rates of NTSC, x1000/1001. */
	num = llround(v * 1001 / 1000) * 1000;
	if (v != floor(v) && fabs((double)num / 1001 - v) < 0.005) {
		*out = (cli_rate){ (uint32_t)num, 1001 };
		return 0;
	}
	num = llround(v * 1000);
	den = 1000;
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

/* What the option takes, for a message. */
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
	case CLI_SIZE:
		snprintf(out, bytes, "WIDTHxHEIGHT, each %" PRId64 "..%" PRId64, o->min, o->max);
		break;
	case CLI_RATE:
		snprintf(out, bytes, "a rate such as 25, 29.97 or 30000/1001");
		break;
	case CLI_WORDS:
		snprintf(out, bytes, "one of at most %d texts that are not empty", CLI_WORDS_MAX);
		break;
	default:
		snprintf(out, bytes, "a text that is not empty");
		break;
	}
}

int cli_set(const cli_opt *o, void *fields, const char *text, char *msg, size_t msg_bytes)
{
	void *at = field_of(o, fields);
	int64_t v = 0;
	int bad = 0;

	switch (o->type) {
	case CLI_FLAG:
		*(int *)at = 1;
		break;
	case CLI_SWITCH:
		bad = strcmp(text, "on") != 0 && strcmp(text, "off") != 0;
		if (!bad)
			*(int *)at = text[1] == 'n';
		break;
	case CLI_CHOICE:
		bad = set_choice(o, at, text);
		break;
	case CLI_UINT:
		bad = parse_integer(text, o->min, o->max, &v);
		if (!bad)
			*(uint32_t *)at = (uint32_t)v;
		break;
	case CLI_INT:
		bad = parse_integer(text, o->min, o->max, &v);
		if (!bad)
			*(int *)at = (int)v;
		break;
	case CLI_REAL:
		bad = parse_real(o, text, at);
		break;
	case CLI_LIST:
	case CLI_NUMBERS:
		bad = check_words(o, text);
		*(const char **)at = text;
		break;
	case CLI_BYTES:
		bad = parse_bytes(text, at);
		break;
	case CLI_SIZE:
		bad = parse_size(o, text, at);
		break;
	case CLI_RATE:
		bad = parse_rate(text, at);
		break;
	case CLI_WORDS:
		bad = add_word(at, text);
		break;
	case CLI_OPTIONAL:
		bad = text[0] == '\0';
		*(cli_optional *)at = (cli_optional){ 1, text, 0 };
		break;
	case CLI_TEXT:
	case CLI_FILE:
		bad = text[0] == '\0';
		*(const char **)at = text;
		break;
	}
	if (bad) {
		char allowed[256];

		describe_values(o, allowed, sizeof(allowed));
		snprintf(msg, msg_bytes, "--%s: '%s' is not %s", o->name, text, allowed);
		return -1;
	}
	return 0;
}

/* Levenshtein distance of two short words. */
static unsigned distance(const char *a, size_t a_bytes, const char *b)
{
	unsigned row[32];
	size_t n = strlen(b);

	if (a_bytes >= 32 || n >= 32)
		return 32;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= a_bytes; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			corner = row[j];
			row[j] = best;
		}
	}
	return row[n];
}

static cli_action unknown_option(
	const cli_program *p, const char *name, size_t name_bytes, char *msg, size_t msg_bytes)
{
	const char *near = NULL;
	unsigned best = 3;

	for (int pass = 0; pass < 2; pass++)
		for (const cli_opt *o = pass ? cli_builtin : p->opts; o->name; o++) {
			unsigned d = distance(name, name_bytes, o->name);

			if (d < best) {
				best = d;
				near = o->name;
			}
		}
	snprintf(msg, msg_bytes, "unknown option '--%.*s'%s%s%s", (int)name_bytes, name,
		near ? "; the closest option is --" : "; see ", near ? near : p->name,
		near ? "" : " --help");
	return CLI_BAD;
}

static cli_action missing_value(const cli_opt *o, char *msg, size_t msg_bytes)
{
	snprintf(msg, msg_bytes, "--%s needs a value (%s)", o->name,
		o->metavar   ? o->metavar
		: o->choices ? o->choices
			     : "see --help");
	return CLI_BAD;
}

/* The built-in option `o`, with the text after '='. */
static cli_action builtin(const cli_opt *o, const char *value, char *msg, size_t msg_bytes)
{
	if (o == &cli_builtin[1])
		return CLI_SHOW_VERSION;
	if (!value)
		return CLI_SHOW_HELP;
	if (strcmp(value, "completion") == 0)
		return CLI_SHOW_COMPLETION;
	snprintf(msg, msg_bytes, "--help: '%s' is not completion", value);
	return CLI_BAD;
}

/* An option whose value may be missing; `next` is the argument behind it or NULL. Returns 1 if that is the
 * value, 0 if not. */
static int set_optional(const cli_opt *o, void *fields, const char *next)
{
	cli_optional *m = field_of(o, fields);

	m->given = 1;
	m->separate = next && *next && o->accepts(next);
	m->text = m->separate ? next : NULL;
	return m->separate;
}

/* --name, --name=value, --name value. Moves *i over a value of its own. */
static cli_action parse_long(const cli_program *p, void *fields, int argc, char **argv, int *i,
	char *msg, size_t msg_bytes)
{
	const char *name = argv[*i] + 2;
	size_t n = strcspn(name, "=");
	const char *value = name[n] == '=' ? name + n + 1 : NULL;
	const cli_opt *o = cli_find(p->opts, name, n);

	if (!o) {
		o = cli_find(cli_builtin, name, n);
		return o ? builtin(o, value, msg, msg_bytes)
			 : unknown_option(p, name, n, msg, msg_bytes);
	}
	if (o->type == CLI_FLAG && value) {
		snprintf(msg, msg_bytes, "--%s takes no value, but got '%s'", o->name, value);
		return CLI_BAD;
	}
	if (o->type == CLI_OPTIONAL && !value) {
		*i += set_optional(o, fields, *i + 1 < argc ? argv[*i + 1] : NULL);
		return CLI_RUN;
	}
	if (o->type != CLI_FLAG && !value) {
		if (*i + 1 >= argc)
			return missing_value(o, msg, msg_bytes);
		value = argv[++*i];
	}
	return cli_set(o, fields, value, msg, msg_bytes) ? CLI_BAD : CLI_RUN;
}

/* -x, -x value, -xvalue, and letters of flags together: -yq. */
static cli_action parse_letters(const cli_program *p, void *fields, int argc, char **argv, int *i,
	char *msg, size_t msg_bytes)
{
	for (const char *at = argv[*i] + 1; *at; at++) {
		const cli_opt *o = find_letter(p->opts, *at);
		const char *value = at + 1;

		if (!o) {
			o = find_letter(cli_builtin, *at);
			if (o)
				return builtin(o, NULL, msg, msg_bytes);
			snprintf(msg, msg_bytes, "unknown option '-%c'; see %s --help", *at,
				p->name);
			return CLI_BAD;
		}
		if (o->type == CLI_FLAG) {
			cli_set(o, fields, "", msg, msg_bytes);
			continue;
		}
		if (o->type == CLI_OPTIONAL && *value == '\0') {
			*i += set_optional(o, fields, *i + 1 < argc ? argv[*i + 1] : NULL);
			return CLI_RUN;
		}
		if (*value == '\0') {
			if (*i + 1 >= argc)
				return missing_value(o, msg, msg_bytes);
			value = argv[++*i];
		} else if (*value == '=') {
			value++;
		}
		return cli_set(o, fields, value, msg, msg_bytes) ? CLI_BAD : CLI_RUN;
	}
	return CLI_RUN;
}

cli_action cli_parse(const cli_program *p, void *fields, size_t fields_bytes, int argc, char **argv,
	char *msg, size_t msg_bytes)
{
	const cli_opt *operand =
		p->operand ? cli_find(p->opts, p->operand, strlen(p->operand)) : NULL;
	cli_action action = CLI_RUN;

	memset(fields, 0, fields_bytes);
	for (const cli_opt *o = p->opts; o->name; o++)
		if (o->preset && cli_set(o, fields, o->preset, msg, msg_bytes))
			return CLI_BAD;
	for (int i = 1, named = 1; i < argc && action == CLI_RUN; i++) {
		const char *arg = argv[i];

		if (named && strcmp(arg, "--") == 0) {
			named = 0; /* what follows is no option, whatever it looks like */
		} else if (named && arg[0] == '-' && arg[1] == '-') {
			action = parse_long(p, fields, argc, argv, &i, msg, msg_bytes);
		} else if (named && arg[0] == '-' && arg[1] &&
			   !(operand && isdigit((unsigned char)arg[1]) &&
				   !find_letter(p->opts, arg[1]))) {
			action = parse_letters(p, fields, argc, argv, &i, msg, msg_bytes);
		} else if (operand) {
			action = cli_set(operand, fields, arg, msg, msg_bytes) ? CLI_BAD : CLI_RUN;
			if (operand->type != CLI_WORDS)
				operand = NULL; /* one is enough */
		} else {
			snprintf(msg, msg_bytes, "unexpected argument '%s'; see %s --help", arg,
				p->name);
			action = CLI_BAD;
		}
	}
	return action;
}
