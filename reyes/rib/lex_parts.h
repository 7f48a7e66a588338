/* Parts of the lexer: lex.c calls lex_binary.c and lex_string.c. */
#ifndef REYES_RIB_LEX_PARTS_H
#define REYES_RIB_LEX_PARTS_H

#include "reyes/rib/lex.h"

/* ---- lex.c ---- */

/* The problem that sets no_memory of the lexer. */
extern const char reyes_i_out_of_memory[];
/* Makes the current token BAD; returns -1. */
int reyes_i_lex_bad(reyes_i_lexer *x, const char *problem);
/* Copies the first bytes of a token that is BAD, for the message. */
void reyes_i_lex_keep_bad(reyes_i_lexer *x, const unsigned char *p, const unsigned char *end);
/* Makes at least `count` bytes readable at in.at; returns -1 if the stream has fewer. */
int reyes_i_lex_need(reyes_i_lexer *x, size_t count);
/* Counts a line; `next` is its first byte. */
void reyes_i_lex_count_line(reyes_i_lexer *x, const unsigned char *next);

/* ---- lex_binary.c ---- */

/* Reads the token that begins with a byte of 0200 or more at in.at. Returns 1 if it is a token, 0
 * if it was a definition, which is no token. */
int reyes_i_lex_binary(reyes_i_lexer *x);

/* ---- lex_string.c ---- */

/* Reads a string in quotes, which begins at in.at, into x->text. Makes the token BAD on failure and
 * returns -1. */
int reyes_i_lex_quoted(reyes_i_lexer *x);
/* The same for `bytes` bytes without escape sequences. */
int reyes_i_lex_text(reyes_i_lexer *x, size_t bytes);

#endif
