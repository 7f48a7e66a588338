/* The tree's JSON writer (RFC 8259): values in order, through a callback. Libraries and programs
 * write all JSON with it; host code. */
#ifndef LIBSCHED_CORE_JSON_H
#define LIBSCHED_CORE_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <libsched/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Deepest nesting of objects and arrays. */
#define LSCHED_I_JSON_DEPTH 32

/* A document in progress. After a failure all further text is dropped. `key` is the name of a
 * member of an object; it is NULL in an array and for the document's own value. */
typedef struct lsched_i_json {
	lsched_write_fn write;
	void *opaque;
	int failed;
	int compact;    /* 1: no blanks; may be set after begin */
	int padded;     /* 1: "{ ... }" around members of one line; may be set after begin */
	int line;       /* the next value or end starts a line */
	uint32_t depth; /* open objects and arrays */
	uint8_t closing[LSCHED_I_JSON_DEPTH + 1];
	uint8_t filled[LSCHED_I_JSON_DEPTH + 1];
	size_t used;
	char block[4096];
} lsched_i_json;

void lsched_i_json_begin(lsched_i_json *j, lsched_write_fn write, void *opaque);
/* Writes the rest and a newline. Returns 0, or -1 if the callback refused a block or an object or
 * array is still open. */
int lsched_i_json_end(lsched_i_json *j);
/* Passes the buffered text to the callback. Returns 0, or -1 after a failure. */
int lsched_i_json_flush(lsched_i_json *j);
/* A lsched_write_fn for a FILE. */
int lsched_i_json_to_file(void *file, const char *text, size_t bytes);

/* The next value, or the next end, starts a line, indented by one blank a level. */
void lsched_i_json_line(lsched_i_json *j);

void lsched_i_json_object(lsched_i_json *j, const char *key);
void lsched_i_json_array(lsched_i_json *j, const char *key);
void lsched_i_json_close(lsched_i_json *j); /* the innermost of them */
/* The same on a line of its own. */
void lsched_i_json_line_object(lsched_i_json *j, const char *key);
void lsched_i_json_line_array(lsched_i_json *j, const char *key);
void lsched_i_json_line_close(lsched_i_json *j);

/* Any bytes up to a zero byte: control characters are escaped, and each byte that is not part of
 * well-formed UTF-8 becomes U+FFFD, so that the document is UTF-8 for any name of a file. NULL
 * becomes null. */
void lsched_i_json_text(lsched_i_json *j, const char *key, const char *text);
void lsched_i_json_uint(lsched_i_json *j, const char *key, uint64_t value);
void lsched_i_json_sint(lsched_i_json *j, const char *key, int64_t value);
/* `decimals` places after the point, or at most `digits` significant digits (0 to 17 each). JSON
 * has no infinity and no NaN: both are null. The locale has no effect. */
void lsched_i_json_fixed(lsched_i_json *j, const char *key, double value, int decimals);
void lsched_i_json_general(lsched_i_json *j, const char *key, double value, int digits);
/* value / 1000 with three decimals, exactly: microseconds of nanoseconds. */
void lsched_i_json_thousandths(lsched_i_json *j, const char *key, uint64_t value);
void lsched_i_json_bool(lsched_i_json *j, const char *key, int value);
void lsched_i_json_null(lsched_i_json *j, const char *key);
/* A number as a string of digits, for numbers of more than 64 bits. */
void lsched_i_json_digits(lsched_i_json *j, const char *key, const char *digits);

#ifdef __cplusplus
}
#endif
#endif
