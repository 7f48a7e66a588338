/* Command lines from one table: parsing, range errors, --help, completion for bash.
 *
 * A program describes its options once:
 *
 *     static const cli_opt opts[] = {
 *             { .name = "threads", .letter = 't', .type = CLI_UINT,
 *               .field = CLI_FIELD(struct my, threads), .max = 4096, .preset = "0",
 *               .metavar = "N", .help = "set the number of CPU workers (0: one per processor)",
 *               .group = "Execution" },
 *             ...
 *             { 0 }
 *     };
 *
 * cli_parse() sets the fields of its struct, or returns one line that names the rejected value and
 * the accepted ones. --help, --help=completion and --version need no entry in the table. */
#ifndef APPS_COMMON_CLI_H
#define APPS_COMMON_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cli_exit { CLI_EXIT_OK = 0, CLI_EXIT_FAILED = 1, CLI_EXIT_USAGE = 2 };

typedef enum cli_type {
	CLI_FLAG = 1, /* int: 1 if present; has no value */
	CLI_SWITCH,   /* int: on 1, off 0 */
	CLI_CHOICE,   /* int: index of the word in `choices`, from 0 */
	CLI_UINT,     /* uint32_t in min..max */
	CLI_INT,      /* int in min..max */
	CLI_REAL,     /* double in min..max */
	CLI_LIST,     /* const char *: words of `choices`, separated by commas */
	CLI_NUMBERS,  /* const char *: integers in min..max, separated by commas */
	CLI_BYTES,    /* uint64_t; K, M, G are 2^10, 2^20, 2^30 */
	CLI_COUNT,    /* uint64_t in min..max; K, M, G are 10^3, 10^6, 10^9 */
	CLI_TEXT,     /* const char *: points into argv */
	CLI_FILE,     /* as CLI_TEXT; completion offers file names */
	CLI_SIZE,     /* cli_size: 1920x1080, each side in min..max */
	CLI_RATE,     /* cli_rate: 25, 30000/1001 or 29.97 */
	CLI_WORDS,    /* cli_words: one word per occurrence; for operands */
	CLI_OPTIONAL  /* cli_optional: the value may be missing, see `accepts` */
} cli_type;

typedef struct cli_size {
	uint32_t width, height; /* 0x0: not present */
} cli_size;

typedef struct cli_rate {
	uint32_t num, den; /* 0/0: not present */
} cli_rate;

enum { CLI_WORDS_MAX = 1024 };

typedef struct cli_words {
	const char *at[CLI_WORDS_MAX]; /* point into argv */
	uint32_t count;
} cli_words;

typedef struct cli_optional {
	int given;
	const char *text; /* points into argv; NULL: no value */
	int separate; /* the value is an argument of its own, so that it may have been an operand */
} cli_optional;

typedef struct cli_opt {
	const char *name; /* long name without dashes; NULL ends the table */
	char letter;      /* short name, 0: none */
	cli_type type;
	size_t field; /* CLI_FIELD */
	/* CLI_FIELD of an int that is 1 if the command line has the option; 0: there is none, so
	 * that it is not the first field. */
	size_t given;
	int64_t min, max;     /* of CLI_UINT, CLI_INT, CLI_REAL, CLI_COUNT, CLI_NUMBERS, CLI_SIZE */
	const char *preset;   /* the default, as on a command line; NULL: 0 or NULL */
	const char *negative; /* the value that --no-NAME sets; NULL: there is no --no-NAME */
	const char *choices;  /* of CLI_CHOICE and CLI_LIST: "auto|cuda|cpu" */
	/* Shell command that prints the words for completion, of CLI_FILE beside files; NULL:
	 * `choices`. */
	const char *complete;
	int (*accepts)(const char *next); /* of CLI_OPTIONAL: nonzero if `next` is its value */
	/* Takes the text of the value in place of `type`, which then describes it for help and
	 * completion; `preset` is not set. Returns 0, or -1 with msg. */
	int (*set)(const struct cli_opt *o, void *fields, const char *text, char *msg,
		size_t msg_bytes);
	const char *metavar; /* name of the value in the help */
	const char *help;    /* imperative, unit, range, no period; the help adds the default */
	const char *group;   /* heading in the help; NULL: that of the row before */
} cli_opt;

#define CLI_FIELD(type, member) offsetof(type, member)

/* An option's name in another program. */
typedef struct cli_synonym {
	const char *name;   /* NULL ends the table */
	const char *option; /* the option that it is; NULL: an error, whose message ends with */
	const char *advice; /* this */
} cli_synonym;

typedef struct cli_program {
	const char *name;
	const char *synopsis; /* behind the name in the usage line */
	const char *summary;  /* one or more lines */
	const char *epilogue; /* printed after the options; may be NULL */
	/* Name of the option whose field receives arguments without an option; NULL: such arguments
	 * are errors. A negative number is an operand unless its digit is a letter of an option.
	 * All arguments behind -- are operands. */
	const char *operand;
	const cli_opt *opts;
	const cli_synonym *synonyms; /* NULL: none. Not in help and completion */
	int files; /* nonzero: completion offers file names where no option matches */
} cli_program;

typedef enum cli_action {
	CLI_RUN,
	CLI_SHOW_HELP,
	CLI_SHOW_COMPLETION,
	CLI_SHOW_VERSION,
	CLI_BAD /* see msg */
} cli_action;

/* Sets *fields to zero, to the defaults and then to the values in argv. On CLI_BAD msg is one
 * line. */
cli_action cli_parse(const cli_program *p, void *fields, size_t fields_bytes, int argc, char **argv,
	char *msg, size_t msg_bytes);

/* For `accepts` of an output: - or NAME.json. Any other name may be the next operand, which must
 * not be overwritten. */
int cli_takes_json(const char *next);

/* Prints the help, at most 80 columns wide. */
void cli_print_help(const cli_program *p, FILE *f);

/* Prints a script for bash-completion. */
void cli_print_completion(const cli_program *p, FILE *f);

/* Programs with commands, such as "gsched spawn": each command is a cli_program whose name has both
 * words. A command may be a group of commands, such as "gsched run" of "gsched run sort". NULL ends
 * the list of commands. */

/* Returns the index of the command whose last word is `word`, or -1. */
int cli_find_command(const cli_program *const *commands, const char *word);

/* Prints the usage and one line per command; `about` has name, summary and epilogue. */
void cli_print_commands(const cli_program *about, const cli_program *const *commands, FILE *f);

/* Prints a script for bash-completion of the commands and their options. `group`: the entry of
 * `commands` without options that stands for a group, whose members are `members`; members with the
 * group's name before their own are not among `commands`. NULL: there is none. */
void cli_print_commands_completion(const cli_program *about, const cli_program *const *commands,
	const cli_program *group, const cli_program *const *members, FILE *f);

/* Returns the length of the next word of a comma-separated list and advances *at behind it. */
size_t cli_next_word(const char **at, const char **word);

/* Sets the field of one option from text. Returns 0, or -1 with msg. */
int cli_set(const cli_opt *o, void *fields, const char *text, char *msg, size_t msg_bytes);

/* Returns the option of that name, or NULL. */
const cli_opt *cli_find(const cli_opt *opts, const char *name, size_t name_bytes);

/* The built-in options; an entry with name NULL ends the table. */
extern const cli_opt cli_builtin[];
#endif
