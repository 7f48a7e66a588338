/* Tokens of RIB: ASCII and the binary encodings of RI Specification 3.2, appendix C, mixed. */
#ifndef REYES_RIB_LEX_H
#define REYES_RIB_LEX_H

#include "reyes/rib/input.h"
#include "reyes/rib/pool.h"

enum {
	REYES_I_NAME_BYTES = 256,        /* longest name of a request, with its zero byte */
	REYES_I_STRING_BYTES = 16 << 20, /* longest string */
	REYES_I_VALUES_BYTES = 1 << 30,  /* all numbers of one request: 2^28 floats */
	REYES_I_TEXTS_BYTES = 64 << 20,  /* all strings of one request */
	REYES_I_COPIES_BYTES = 1 << 30   /* tables of definitions that archives keep */
};

typedef enum reyes_i_token_kind {
	REYES_I_TOKEN_END,
	REYES_I_TOKEN_REQUEST, /* text */
	REYES_I_TOKEN_INTEGER, /* number */
	REYES_I_TOKEN_FLOAT,   /* number */
	REYES_I_TOKEN_STRING,  /* text */
	REYES_I_TOKEN_OPEN,    /* [ */
	REYES_I_TOKEN_CLOSE,   /* ] */
	REYES_I_TOKEN_FLOATS,  /* binary array: reyes_i_lex_payload reads it */
	REYES_I_TOKEN_BAD      /* problem */
} reyes_i_token_kind;

/* Requests and strings that the binary encoding defined. Counted references; a table with several
 * references does not change. */
typedef struct reyes_i_codes {
	unsigned references;
	char *requests[256];
	char **strings;
	size_t string_count;
	size_t bytes; /* memory in use */
} reyes_i_codes;

void reyes_i_codes_release(reyes_i_codes *c);

/* Begins as { 0 }. */
typedef struct reyes_i_lexer {
	reyes_i_input in;
	reyes_i_codes *codes; /* NULL: no definitions */
	size_t copied_bytes;  /* of tables, so far */
	uint32_t line;
	uint64_t line_start;    /* stream offset of the first byte of the line */
	uint64_t column_offset; /* added to columns of the first line, for an inline archive */
	int is_program;         /* byte 0377 ends the stream */
	int has_end;            /* that byte was read */
	int is_peeked;
	uint32_t pad_line; /* of NUL or Ctrl-Z bytes, which may end a file only; 0: none */
	uint64_t pad_column;
	/* The current token: */
	reyes_i_token_kind kind;
	uint32_t token_line;
	uint64_t token_column;
	double number;
	reyes_i_pool text;    /* ends with a zero byte */
	size_t text_bytes;    /* without the zero byte */
	uint32_t float_count; /* of TOKEN_FLOATS, not read yet */
	int no_memory;        /* a token was lost for want of memory */
	const char *problem;
	char bad_text[48]; /* the characters that `problem` is about */
} reyes_i_lexer;

/* Begins at the given position, numbered from 1. */
void reyes_i_lex_begin(reyes_i_lexer *x, uint32_t line, uint64_t column);
/* Skips the byte order mark of UTF-8 at the beginning of an open input. */
void reyes_i_lex_skip_mark(reyes_i_lexer *x);
void reyes_i_lex_close(reyes_i_lexer *x);

/* Reads the next token. */
reyes_i_token_kind reyes_i_lex_next(reyes_i_lexer *x);
/* Reads the next token, which the next call returns again. */
reyes_i_token_kind reyes_i_lex_peek(reyes_i_lexer *x);

/* Append numbers to a pool: as float, and as int32_t. An int must be integral. They return the
 * number of values, or -1: *problem is then a static sentence. */
typedef enum reyes_i_number_type { REYES_I_AS_FLOAT, REYES_I_AS_INT } reyes_i_number_type;
/* Reads ASCII numbers that follow, up to the first other token; call after TOKEN_OPEN. */
ptrdiff_t reyes_i_lex_numbers(
	reyes_i_lexer *x, reyes_i_number_type type, reyes_i_pool *to, const char **problem);
/* Reads the payload of the current TOKEN_FLOATS. */
ptrdiff_t reyes_i_lex_payload(
	reyes_i_lexer *x, reyes_i_number_type type, reyes_i_pool *to, const char **problem);
/* Appends one number. Returns NULL or the problem. */
const char *reyes_i_append_number(reyes_i_pool *to, reyes_i_number_type type, double v);

/* Writes the current token for messages: `number 4`, `string "matte"`, at most 60 bytes of it. */
void reyes_i_lex_describe(const reyes_i_lexer *x, char *text, size_t bytes);

#endif
