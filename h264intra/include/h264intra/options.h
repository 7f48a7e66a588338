/* The options of the encoder by name: for command lines, properties and settings files, so that
 * every program has the same names, ranges, texts and rules.
 *
 *     h264i_options o;
 *     h264i_options_init(&o);
 *     for (unsigned i = 0; (d = h264i_get_option(i)) != NULL; i++)   (in this order)
 *             if ((text = what the user gave for d->name) != NULL &&
 *                     h264i_set_option(&o, d->name, text, msg, sizeof(msg)) != H264I_OK)
 *                     error "d->name: msg";
 *     if (h264i_check_options(&o, NULL, msg, sizeof(msg)) != H264I_OK) ...
 *
 * Members of h264i_options that follow from the input (size, vui, time_base_num ...) or from what
 * the program is for (recon, stats, log ...) have no name. All functions are thread-safe. */
#ifndef H264INTRA_OPTIONS_H
#define H264INTRA_OPTIONS_H

#include <h264intra/h264intra.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum h264i_option_type {
	H264I_OPTION_SWITCH = 1, /* off or on */
	H264I_OPTION_NAME,       /* one of `names` */
	H264I_OPTION_INTEGER,    /* decimal, min to max, or one of `names` */
	H264I_OPTION_BYTES,      /* likewise; behind it K, M or G: times 2^10, 2^20, 2^30 */
	H264I_OPTION_REAL,       /* min to max */
	H264I_OPTION_TEXT,       /* see `help` */
	H264I_OPTION_FILE        /* one of `names`, or the path of a file, which is read */
} h264i_option_type;

#define H264I_OPTION_OPEN (-2147483647)

typedef struct h264i_option_name {
	const char *name; /* NULL behind the last */
	const char *help; /* may be NULL */
	int value;        /* of the member; H264I_OPTION_OPEN: the name sets none */
} h264i_option_name;

/* An option. Strings are static. */
typedef struct h264i_option {
	const char *name;  /* lower case, words separated by dashes: "aq-mode" */
	const char *title; /* a few words, for user interfaces */
	const char *help;  /* imperative, with unit and range, no full stop */
	const char *pair;  /* what A:B sets, with `parts`, as `help` says it; NULL: no parts */
	const char *value; /* what stands for the value in a usage line: "KBIT"; NULL: the names */
	/* The options without which it is an error or has no effect, as h264i_spell_options reads
	 * it: "{vbv-bufsize}"; NULL: none */
	const char *needs;
	/* The default, as text. "auto": what the preset, the tune or the encoder chooses, and such
	 * options accept "auto". NULL: the option has no value unless it is set */
	const char *preset;
	h264i_option_type type;
	double min, max;
	const h264i_option_name *names; /* NULL: none */
	char letter;                    /* short name on a command line, 0: none */
	int execution;                  /* 1: changes how, not what is encoded */
	/* The number of options behind this one that are parts of it: "A:B" sets two at once.
	 * `is_part`: this is such a part; a program offers it, or A:B. */
	int parts, is_part;
} h264i_option;

/* Option i, from 0 on; NULL behind the last. Their order is that in which they have to be set:
 * presets first. */
const h264i_option *h264i_get_option(unsigned i);

/* Sets the members of *o that an option says. "auto", "none" and the like, which leave the choice
 * to a preset, change nothing. ERR_ARG: no such option, or a value that it does not accept; *o is
 * then unchanged, and msg (may be NULL) has the reason without the name of the option, such as
 * "'99' is not 0..51". ERR_IO, ERR_NOMEM: a file could not be read, likewise. */
h264i_status h264i_set_option(
	h264i_options *o, const char *name, const char *value, char *msg, size_t msg_bytes);

/* How a program spells the names of options in messages. */
typedef struct h264i_spelling {
	const char *prefix;         /* before each name: "--" */
	char dash;                  /* between the words of a name: '-' or '_' */
	const char *const *renamed; /* pairs of name and the program's own; ends with NULL */
} h264i_spelling;

/* Checks the members of *o against their ranges and each other, as h264i_open does, which also
 * checks what depends on the size of the pictures and on the device; and, which h264i_open does
 * not, the options that h264i_set_option has set: whether they exclude each other, or have no
 * effect. ERR_ARG with msg (may be NULL), which names options as `s` says; NULL: by the members of
 * h264i_options. */
h264i_status h264i_check_options(
	const h264i_options *o, const h264i_spelling *s, char *msg, size_t msg_bytes);

/* Copies a text, in which names of options are in braces, with the names as `s` spells them: "{qp}"
 * is "--qp". Returns the length that the whole copy has. */
size_t h264i_spell_options(const h264i_spelling *s, const char *text, char *out, size_t bytes);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
