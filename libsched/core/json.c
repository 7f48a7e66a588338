/* The writer that json.h describes. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "libsched/core/json.h"
#include "libsched/core/utf8.h"

int lsched_i_json_to_file(void *file, const char *text, size_t bytes)
{
	return fwrite(text, 1, bytes, (FILE *)file) != bytes;
}

void lsched_i_json_begin(lsched_i_json *j, lsched_write_fn write, void *opaque)
{
	j->write = write;
	j->opaque = opaque;
	j->failed = j->compact = j->padded = j->line = 0;
	j->depth = 0;
	j->filled[0] = 0;
	j->used = 0;
}

int lsched_i_json_flush(lsched_i_json *j)
{
	if (j->used && !j->failed && j->write(j->opaque, j->block, j->used))
		j->failed = 1;
	j->used = 0;
	return j->failed ? -1 : 0;
}

static void put(lsched_i_json *j, const char *text, size_t bytes)
{
	while (bytes) {
		size_t n = sizeof(j->block) - j->used;

		n = n < bytes ? n : bytes;
		memcpy(j->block + j->used, text, n);
		j->used += n;
		text += n;
		bytes -= n;
		if (j->used == sizeof(j->block))
			(void)lsched_i_json_flush(j);
	}
}

static void put_char(lsched_i_json *j, char c)
{
	put(j, &c, 1);
}

static void put_line(lsched_i_json *j, uint32_t indent)
{
	put_char(j, '\n');
	for (uint32_t i = 0; i < indent && !j->compact; i++)
		put_char(j, ' ');
}

static void put_quoted(lsched_i_json *j, const char *text)
{
	char escape[8];

	put_char(j, '"');
	while (*text) {
		unsigned code;
		const size_t n = lsched_i_utf8_bytes(text, &code);

		if (n == 0) {
			put(j, "\\ufffd", 6);
		} else if (code < 0x20 || code == 0x7f) {
			snprintf(escape, sizeof(escape), "\\u%04x", code);
			put(j, escape, 6);
		} else {
			if (code == '"' || code == '\\')
				put_char(j, '\\');
			put(j, text, n);
		}
		text += n ? n : 1;
	}
	put_char(j, '"');
}

static int in_padded_object(const lsched_i_json *j)
{
	return j->padded && j->depth && j->closing[j->depth] == '}';
}

/* Writes the text before a value: comma, new line or blank, key. */
static void begin_value(lsched_i_json *j, const char *key)
{
	const int follows = j->filled[j->depth];

	if (follows)
		put_char(j, ',');
	if (j->line)
		put_line(j, j->depth);
	else if (follows ? !j->compact : in_padded_object(j))
		put_char(j, ' ');
	j->line = 0;
	j->filled[j->depth] = 1;
	if (key) {
		put_quoted(j, key);
		put(j, ": ", j->compact ? 1 : 2);
	}
}

static void open_value(lsched_i_json *j, const char *key, const char *brackets)
{
	begin_value(j, key);
	if (j->depth == LSCHED_I_JSON_DEPTH) {
		j->failed = 1;
		return;
	}
	put_char(j, brackets[0]);
	j->depth++;
	j->closing[j->depth] = (uint8_t)brackets[1];
	j->filled[j->depth] = 0;
}

void lsched_i_json_object(lsched_i_json *j, const char *key)
{
	open_value(j, key, "{}");
}

void lsched_i_json_array(lsched_i_json *j, const char *key)
{
	open_value(j, key, "[]");
}

void lsched_i_json_close(lsched_i_json *j)
{
	if (j->depth == 0) {
		j->failed = 1;
		return;
	}
	if (j->line)
		put_line(j, j->depth - 1);
	else if (j->filled[j->depth] && in_padded_object(j))
		put_char(j, ' ');
	j->line = 0;
	put_char(j, (char)j->closing[j->depth]);
	j->depth--;
}

void lsched_i_json_line(lsched_i_json *j)
{
	j->line = 1;
}

void lsched_i_json_line_object(lsched_i_json *j, const char *key)
{
	j->line = 1;
	open_value(j, key, "{}");
}

void lsched_i_json_line_array(lsched_i_json *j, const char *key)
{
	j->line = 1;
	open_value(j, key, "[]");
}

void lsched_i_json_line_close(lsched_i_json *j)
{
	j->line = 1;
	lsched_i_json_close(j);
}

int lsched_i_json_end(lsched_i_json *j)
{
	if (j->depth)
		j->failed = 1;
	put_char(j, '\n');
	return lsched_i_json_flush(j);
}

static void put_value(lsched_i_json *j, const char *key, const char *text)
{
	begin_value(j, key);
	put(j, text, strlen(text));
}

void lsched_i_json_text(lsched_i_json *j, const char *key, const char *text)
{
	if (!text) {
		lsched_i_json_null(j, key);
		return;
	}
	begin_value(j, key);
	put_quoted(j, text);
}

/* Writes the digits at the end of text[]; returns the first one. Faster than snprintf(), because
 * timelines have millions of numbers. */
static char *digits_of(char text[24], uint64_t value)
{
	char *at = text + 23;

	*at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return at;
}

void lsched_i_json_uint(lsched_i_json *j, const char *key, uint64_t value)
{
	char text[24];

	put_value(j, key, digits_of(text, value));
}

void lsched_i_json_sint(lsched_i_json *j, const char *key, int64_t value)
{
	char text[24], *at = digits_of(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);

	if (value < 0)
		*--at = '-';
	put_value(j, key, at);
}

void lsched_i_json_thousandths(lsched_i_json *j, const char *key, uint64_t value)
{
	char text[24];
	const unsigned fraction = (unsigned)(value % 1000);
	const char part[4] = { '.', (char)('0' + fraction / 100), (char)('0' + fraction / 10 % 10),
		(char)('0' + fraction % 10) };

	put_value(j, key, digits_of(text, value / 1000));
	put(j, part, 4);
}

/* Writes a number of printf(); the decimal point of a locale may differ, and have several bytes. */
static void put_real(lsched_i_json *j, const char *key, const char *text)
{
	int point = 0;

	begin_value(j, key);
	for (; *text; text++) {
		const int plain = (*text >= '0' && *text <= '9') || strchr("+-e", *text) != NULL;

		if (plain)
			put_char(j, *text);
		else if (!point)
			put_char(j, '.');
		point |= !plain;
	}
}

void lsched_i_json_fixed(lsched_i_json *j, const char *key, double value, int decimals)
{
	char text[400]; /* DBL_MAX has 309 digits before the point */

	if (!isfinite(value)) {
		lsched_i_json_null(j, key);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", decimals, value);
	put_real(j, key, text);
}

void lsched_i_json_general(lsched_i_json *j, const char *key, double value, int digits)
{
	char text[40];

	if (!isfinite(value)) {
		lsched_i_json_null(j, key);
		return;
	}
	snprintf(text, sizeof(text), "%.*g", digits, value);
	put_real(j, key, text);
}

void lsched_i_json_bool(lsched_i_json *j, const char *key, int value)
{
	put_value(j, key, value ? "true" : "false");
}

void lsched_i_json_null(lsched_i_json *j, const char *key)
{
	put_value(j, key, "null");
}

void lsched_i_json_digits(lsched_i_json *j, const char *key, const char *digits)
{
	put_value(j, key, digits);
}
