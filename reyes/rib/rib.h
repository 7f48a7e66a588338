/* The RIB reader, for the renderer. It reads tokens (lex.h), parses each request by its row in
 * requests.h, and makes the RI call of the row. Archives are sources on a stack, so that a frame
 * may end inside any of them and the next one continues there. */
#ifndef REYES_RIB_RIB_H
#define REYES_RIB_RIB_H

#include <reyes/reyes.h>
#include <stddef.h>
#include <stdint.h>

/* The reader of a renderer; reyes_rib_open creates it. */
struct reyes_i_rib;

/* Writes "file:line:column: " of the request that is being executed; "" if there is none. */
void reyes_i_rib_where(const struct reyes_i_rib *b, char *text, size_t bytes);

/* Frees the reader, which may be NULL; ends programs that it started. */
void reyes_i_rib_destroy(struct reyes_i_rib *b);

/* Sets the time limit of each program of Procedural "RunProgram" (ms) [60000]. */
void reyes_i_rib_set_program_limit(struct reyes_i_rib *b, uint32_t limit_ms);

#endif
