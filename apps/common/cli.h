/* Command lines from one table: parsing, range errors, --help, bash completion.
 *
 * A program describes its options once:
 *
 *     static const cli_opt opts[] = {
 *             { .name = "threads", .letter = 't', .type = CLI_UINT, .field = CLI_FIELD(struct my, threads),
 *               .max = 4096, .preset = "0", .metavar = "N", .help = "CPU workers (0: all)", .group = "Speed" },
 *             ...
 *             { 0 }
 *     };
 *
 * and gets its struct filled in, or one line that names the bad value and the allowed ones.
 * --help, --help=completion and --version are known without being in the table. */
#ifndef APPS_COMMON_CLI_H
#define APPS_COMMON_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cli_exit { CLI_EXIT_OK = 0, CLI_EXIT_FAILED = 1, CLI_EXIT_USAGE = 2 };

typedef enum cli_type {
	CLI_FLAG = 1, /* int: 1 when given; takes no value */
	CLI_SWITCH,   /* int: on 1, off 0 */
	CLI_CHOICE,   /* int: which word of `choices`, from 0 */
	CLI_UINT,     /* uint32_t in min..max */
	CLI_INT,      /* int in min..max */
	CLI_REAL,     /* double in min..max */
	CLI_LIST,     /* const char *: one or more of the words of `choices`, with commas */
	CLI_NUMBERS,  /* const char *: one or more integers in min..max, with commas */
	CLI_BYTES,    /* uint64_t; K, M, G are 2^10, 2^20, 2^30 */
	CLI_TEXT,     /* const char *: points into argv */
	CLI_FILE,     /* the same, completed as a file name */
	CLI_SIZE,     /* cli_size: 1920x1080, each side in min..max */
	CLI_RATE,     /* cli_rate: 25, 30000/1001 or 29.97 */
	CLI_WORDS,    /* cli_words: each time it is given one more; for operands */
	CLI_OPTIONAL  /* cli_optional: a value if `takes` says so of what follows */
} cli_type;

typedef struct cli_size {
	uint32_t width, height; /* 0x0: not given */
} cli_size;

typedef struct cli_rate {
	uint32_t num, den; /* 0/0: not given */
} cli_rate;

enum { CLI_WORDS_MAX = 1024 };

typedef struct cli_words {
	const char *at[CLI_WORDS_MAX]; /* point into argv */
	uint32_t count;
} cli_words;

typedef struct cli_optional {
	int given;
	const char *text; /* points into argv; NULL: no value came with it */
	int separate; /* the value was an argument of its own: it might have been meant otherwise */
} cli_optional;

typedef struct cli_opt {
	const char *name; /* long name without dashes; NULL ends the table */
	char letter;      /* short name, 0: none */
	cli_type type;
	size_t field;       /* CLI_FIELD */
	int64_t min, max;   /* of CLI_UINT, CLI_INT, CLI_REAL, CLI_NUMBERS and CLI_SIZE */
	const char *preset; /* the default, as the user would write it; NULL: not set (0 or NULL) */
	const char *choices; /* of CLI_CHOICE and CLI_LIST: "auto|cuda|cpu" */
	const char
		*complete; /* a shell command that prints the words for completion; NULL: choices */
	int (*accepts)(
		const char *next); /* of CLI_OPTIONAL: is this argument, of its own, the value? */
	const char *metavar;       /* how help calls the value */
	const char *help;          /* one sentence without a period; help adds the default */
	const char *group;         /* help prints it where it changes */
} cli_opt;

#define CLI_FIELD(type, member) offsetof(type, member)

typedef struct cli_program {
	const char *name;
	const char *synopsis; /* after the name in the usage line */
	const char *summary;  /* one or more lines */
	const char *epilogue; /* printed after the options; may be NULL */
	const char *operand;  /* the option that an argument without a name sets; NULL: none may
			   * come. Negative numbers are operands too, unless the digit is a letter; behind
			   * -- everything is */
	const cli_opt *opts;
	int files; /* nonzero: completion offers files where no option begins like that */
} cli_program;

typedef enum cli_action {
	CLI_RUN,
	CLI_SHOW_HELP,
	CLI_SHOW_COMPLETION,
	CLI_SHOW_VERSION,
	CLI_BAD /* see msg */
} cli_action;

/* Fills in *fields (zeroed first) from the defaults and argv. msg (msg_bytes) is one line, for CLI_BAD. */
cli_action cli_parse(const cli_program *p, void *fields, size_t fields_bytes, int argc, char **argv,
	char *msg, size_t msg_bytes);

/* Help fits 80 columns. */
void cli_print_help(const cli_program *p, FILE *f);

/* A script for bash-completion. */
void cli_print_completion(const cli_program *p, FILE *f);

/* A program of several commands, "gsched spawn": each is a cli_program whose name is both words. The
 * list ends with NULL. */

/* Which command argv[1] names: its index, or -1. */
int cli_find_command(const cli_program *const *commands, const char *word);

/* Its usage and a line for each command; `about` has name, summary and epilogue. */
void cli_print_commands(const cli_program *about, const cli_program *const *commands, FILE *f);

/* A script for bash-completion that knows the commands and their options. */
void cli_print_commands_completion(
	const cli_program *about, const cli_program *const *commands, FILE *f);

/* The next word of a list with commas; moves *at behind it. 0 at the end. */
size_t cli_next_word(const char **at, const char **word);

/* Sets the field of one option from text. 0, or -1 with msg. */
int cli_set(const cli_opt *o, void *fields, const char *text, char *msg, size_t msg_bytes);

/* The option of that name, or NULL. */
const cli_opt *cli_find(const cli_opt *opts, const char *name, size_t name_bytes);

/* The built-in options, ended by name NULL: for walks over all of them. */
extern const cli_opt cli_builtin[];
#endif
