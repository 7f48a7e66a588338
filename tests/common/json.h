/* Checks the syntax of JSON (RFC 8259). Stricter or looser than it in two places: the words true,
 * false and null are refused, and any character may follow a backslash. */
#ifndef TESTS_COMMON_JSON_H
#define TESTS_COMMON_JSON_H

#include <stdlib.h>
#include <string.h>

/* Returns the first character behind the value at p, NULL if there is no value. */
static inline const char *json_value(const char *p);

static inline const char *json_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static inline const char *json_string(const char *p)
{
	if (*p++ != '"')
		return NULL;
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < 32)
			return NULL;
		p += *p == '\\' && p[1];
	}
	return p + 1;
}

static inline const char *json_list(const char *p, char end)
{
	p = json_space(p);
	if (*p == end)
		return p + 1;
	for (;;) {
		p = json_space(p);
		if (end == '}') {
			p = json_string(p);
			if (!p || *json_space(p) != ':')
				return NULL;
			p = json_space(p) + 1;
		}
		p = json_value(p);
		if (!p)
			return NULL;
		p = json_space(p);
		if (*p == end)
			return p + 1;
		if (*p++ != ',')
			return NULL;
	}
}

static inline const char *json_value(const char *p)
{
	char *end;

	p = json_space(p);
	if (*p == '{' || *p == '[')
		return json_list(p + 1, *p == '{' ? '}' : ']');
	if (*p == '"')
		return json_string(p);
	if (*p != '-' && (*p < '0' || *p > '9'))
		return NULL;
	strtod(p, &end);
	return end;
}

#endif
