/* Arguments of one request, parsed by the signature of its row in requests.h:
 *
 *	1 .. 8   so many numbers, bare or in brackets ("Sphere 1 -1 1 360", "Sphere [1 -1 1 360]")
 *	M        16 numbers
 *	m        a basis: its name, or 16 numbers
 *	c        numbers in brackets, or all bare numbers that follow
 *	f i S    an array of floats, ints or strings in brackets, or one bare value
 *	s        a string
 *	h        a handle: a string, or a number, which becomes its text
 *	p        a parameter list, up to the end of the request
 *	?        the rest is absent if the request ends here
 *	( )      arrays that are absent unless an array follows */
#ifndef REYES_RIB_ARGS_H
#define REYES_RIB_ARGS_H

#include "reyes/rib/lex.h"

#include <reyes/ri.h>

enum { REYES_I_ARG_NUMBERS = 40, REYES_I_ARG_STRINGS = 8, REYES_I_ARG_ARRAYS = 10 };

/* Exactly one pointer is not NULL, unless count is 0. */
typedef struct reyes_i_array {
	size_t count;
	const float *floats;
	const int32_t *ints;
	const char *const *strings;
} reyes_i_array;

/* The values in the order of the signature. Pointers are valid until the next request. */
typedef struct reyes_i_args {
	const char *request;
	unsigned number_count, string_count, array_count;
	double number[REYES_I_ARG_NUMBERS];      /* 1..8, M, m */
	const char *string[REYES_I_ARG_STRINGS]; /* s, h, m; NULL: the basis is a matrix */
	reyes_i_array array[REYES_I_ARG_ARRAYS]; /* c, f, i, S */
	reyes_params params;
	/* Tokens in the parameter list that are neither names nor values were left out; the
	 * message is about the first one. */
	int has_stray;
	uint32_t stray_line;
	uint64_t stray_column;
} reyes_i_args;

/* Memory of the values. Begins as { 0 }. */
typedef struct reyes_i_values {
	reyes_i_pool numbers; /* floats and ints of arrays */
	reyes_i_pool texts;   /* characters of strings */
	reyes_i_pool strings; /* offsets in texts, then pointers */
	reyes_i_pool lists;   /* slots of parameters, then reyes_param */
	size_t string_at[REYES_I_ARG_STRINGS];
	struct reyes_i_slot {
		char type;    /* f, i, S */
		size_t token; /* offset in texts */
		size_t first, count;
	} array_at[REYES_I_ARG_ARRAYS];
	reyes_i_pool params; /* reyes_param */
} reyes_i_values;

void reyes_i_values_free(reyes_i_values *v);

/* Parses the arguments of a request. Returns NULL, or the message: the current token of x is the
 * one that it is about, and is not consumed if it is a request or the end. `message` is memory for
 * it. NULL with a->has_stray: the arguments are complete, and message is about what was left
 * out. */
const char *reyes_i_args_parse(reyes_i_args *a, reyes_i_values *v, reyes_i_lexer *x,
	const char *request, const char *signature, char message[256]);

/* Makes the pointers of *a and of its parameters from the offsets of *v, once for each request.
 * Returns 0; -1: out of memory. */
int reyes_i_args_resolve(reyes_i_args *a, reyes_i_values *v);

/* Number as int: rounded towards zero, clamped to the range of int. */
int reyes_i_to_int(double v);

#endif
