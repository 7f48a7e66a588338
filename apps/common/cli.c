/* Command lines: options, their values and operands. */
#include "apps/common/cli.h"
#include "libsched/core/say.h"

#include <ctype.h>
#include <string.h>

const cli_opt cli_builtin[] = {
	{ .name = "help",
		.letter = 'h',
		.metavar = "completion",
		.help = "list the options, or print a completion script for bash",
		.group = "Help" },
	{ .name = "version",
		.letter = 'V',
		.help = "print the version and what the program was built with" },
	{ 0 },
};

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

/* Returns the Levenshtein distance of two words of less than 32 bytes, 32 for longer ones. */
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

/* Returns the option that the name, "no-NAME", sets to its negative value, or NULL. */
static const cli_opt *find_negative(const cli_opt *opts, const char *name, size_t name_bytes)
{
	const cli_opt *o = name_bytes > 3 && strncmp(name, "no-", 3) == 0
				   ? cli_find(opts, name + 3, name_bytes - 3)
				   : NULL;

	return o && o->negative ? o : NULL;
}

/* Sets an option from the command line. */
static cli_action set(const cli_opt *o, void *fields, const char *text, char *msg, size_t msg_bytes)
{
	if (o->given)
		*(int *)((char *)fields + o->given) = 1;
	return cli_set(o, fields, text, msg, msg_bytes) ? CLI_BAD : CLI_RUN;
}

/* Returns the synonym of that name, or NULL. */
static const cli_synonym *find_synonym(const cli_synonym *s, const char *name, size_t name_bytes)
{
	for (; s && s->name; s++)
		if (strlen(s->name) == name_bytes && strncmp(s->name, name, name_bytes) == 0)
			return s;
	return NULL;
}

static cli_action unknown_option(
	const cli_program *p, const char *name, size_t name_bytes, char *msg, size_t msg_bytes)
{
	const cli_synonym *known = find_synonym(p->synonyms, name, name_bytes);
	const char *closest = NULL;
	/* Of a name of three letters one may differ, from five on two. */
	unsigned best = name_bytes < 2 ? 1 : name_bytes < 5 ? 2 : 3;

	if (known)
		return lsched_i_say(CLI_BAD, msg, msg_bytes, "unknown option '--%s'; %s",
			known->name, known->advice);
	for (int pass = 0; pass < 2; pass++)
		for (const cli_opt *o = pass ? cli_builtin : p->opts; o->name; o++) {
			unsigned d = distance(name, name_bytes, o->name);

			if (d < best) {
				best = d;
				closest = o->name;
			}
		}
	return lsched_i_say(CLI_BAD, msg, msg_bytes, "unknown option '--%.*s'%s%s%s",
		(int)name_bytes, name, closest ? "; the closest option is --" : "; see ",
		closest ? closest : p->name, closest ? "" : " --help");
}

static cli_action missing_value(const cli_opt *o, char *msg, size_t msg_bytes)
{
	return lsched_i_say(CLI_BAD, msg, msg_bytes, "--%s needs a value (%s)", o->name,
		o->metavar   ? o->metavar
		: o->choices ? o->choices
			     : "see --help");
}

/* Returns the action of the built-in option `o`; value: the text after '=' or NULL. */
static cli_action builtin(const cli_opt *o, const char *value, char *msg, size_t msg_bytes)
{
	if (o == &cli_builtin[1])
		return CLI_SHOW_VERSION;
	if (!value)
		return CLI_SHOW_HELP;
	if (strcmp(value, "completion") == 0)
		return CLI_SHOW_COMPLETION;
	return lsched_i_say(CLI_BAD, msg, msg_bytes, "--help: '%s' is not completion", value);
}

/* Sets an option of type CLI_OPTIONAL without '='; `next` is the next argument or NULL. Returns 1
 * if that is the value, else 0. */
static int set_optional(const cli_opt *o, void *fields, const char *next)
{
	cli_optional *m = (cli_optional *)((char *)fields + o->field);

	m->given = 1;
	m->separate = next && *next && o->accepts(next);
	m->text = m->separate ? next : NULL;
	return m->separate;
}

static cli_action takes_no_value(
	const char *name, size_t n, const char *value, char *msg, size_t msg_bytes)
{
	return lsched_i_say(CLI_BAD, msg, msg_bytes, "--%.*s takes no value, but got '%s'", (int)n,
		name, value);
}

/* Parses --name, --name=value, --name value or --no-name. Advances *i if the value is an argument
 * of its own. */
static cli_action parse_long(const cli_program *p, void *fields, int argc, char **argv, int *i,
	char *msg, size_t msg_bytes)
{
	const char *name = argv[*i] + 2;
	size_t n = strcspn(name, "=");
	const char *value = name[n] == '=' ? name + n + 1 : NULL;
	const cli_opt *o = cli_find(p->opts, name, n), *off = find_negative(p->opts, name, n);
	const cli_synonym *known = o ? NULL : find_synonym(p->synonyms, name, n);

	if (known && known->option)
		o = cli_find(p->opts, known->option, strlen(known->option));
	if (!o && off)
		return value ? takes_no_value(name, n, value, msg, msg_bytes)
			     : set(off, fields, off->negative, msg, msg_bytes);
	if (!o) {
		o = cli_find(cli_builtin, name, n);
		return o ? builtin(o, value, msg, msg_bytes)
			 : unknown_option(p, name, n, msg, msg_bytes);
	}
	if (o->type == CLI_FLAG && value)
		return takes_no_value(name, n, value, msg, msg_bytes);
	if (o->type == CLI_OPTIONAL && !value) {
		*i += set_optional(o, fields, *i + 1 < argc ? argv[*i + 1] : NULL);
		return CLI_RUN;
	}
	if (o->type != CLI_FLAG && !value) {
		if (*i + 1 >= argc)
			return missing_value(o, msg, msg_bytes);
		value = argv[++*i];
	}
	return set(o, fields, value, msg, msg_bytes);
}

/* Parses -x, -x value, -xvalue, or several flags as in -yq. Advances *i as parse_long() does. */
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
			return lsched_i_say(CLI_BAD, msg, msg_bytes,
				"unknown option '-%c'; see %s --help", *at, p->name);
		}
		if (o->type == CLI_FLAG) {
			set(o, fields, "", msg, msg_bytes);
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
		return set(o, fields, value, msg, msg_bytes);
	}
	return CLI_RUN;
}

/* Sets the operand, unless its option is given already. *once: the text of an operand of which
 * there is one. */
static cli_action set_operand(const cli_opt *operand, void *fields, const char *text,
	const char **once, char *msg, size_t msg_bytes)
{
	const int is_text = operand->type == CLI_FILE || operand->type == CLI_TEXT;

	if (is_text && !operand->preset && *(const char **)((char *)fields + operand->field))
		return lsched_i_say(CLI_BAD, msg, msg_bytes,
			"unexpected argument '%s'; --%s is given already", text, operand->name);
	*once = is_text ? text : NULL;
	return set(operand, fields, text, msg, msg_bytes);
}

cli_action cli_parse(const cli_program *p, void *fields, size_t fields_bytes, int argc, char **argv,
	char *msg, size_t msg_bytes)
{
	const cli_opt *operand =
		p->operand ? cli_find(p->opts, p->operand, strlen(p->operand)) : NULL;
	const cli_opt *first = operand;
	const char *once = NULL;
	cli_action action = CLI_RUN;

	memset(fields, 0, fields_bytes);
	for (const cli_opt *o = p->opts; o->name; o++)
		if (o->preset && !o->set && cli_set(o, fields, o->preset, msg, msg_bytes))
			return CLI_BAD;
	for (int i = 1, options = 1; i < argc && action == CLI_RUN; i++) {
		const char *arg = argv[i];

		if (options && strcmp(arg, "--") == 0) {
			options = 0; /* all following arguments are operands */
		} else if (options && arg[0] == '-' && arg[1] == '-') {
			action = parse_long(p, fields, argc, argv, &i, msg, msg_bytes);
		} else if (options && arg[0] == '-' && arg[1] &&
			   !(operand && isdigit((unsigned char)arg[1]) &&
				   !find_letter(p->opts, arg[1]))) {
			action = parse_letters(p, fields, argc, argv, &i, msg, msg_bytes);
		} else if (operand) {
			action = set_operand(operand, fields, arg, &once, msg, msg_bytes);
			if (operand->type != CLI_WORDS)
				operand = NULL; /* accepts one operand */
		} else {
			snprintf(msg, msg_bytes, "unexpected argument '%s'; see %s --help", arg,
				p->name);
			action = CLI_BAD;
		}
	}
	if (action == CLI_RUN && once && *(const char **)((char *)fields + first->field) != once) {
		snprintf(msg, msg_bytes, "unexpected argument '%s'; --%s is given, too", once,
			first->name);
		action = CLI_BAD;
	}
	return action;
}
