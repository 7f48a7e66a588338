/* Returns whether a text is a well-formed XML document of the kind that the programs write:
 * elements, attributes in double quotes, the usual named entities and character numbers, a
 * <!DOCTYPE html>. It is stricter than XML: every element must be closed by name, and names are
 * ASCII. */
#ifndef TESTS_APPS_XML_CHECK_H
#define TESTS_APPS_XML_CHECK_H

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { XML_CHECK_DEPTH = 64, XML_CHECK_NAME = 32, XML_CHECK_ATTRIBUTES = 32 };

static const char *xml_check_name(const char *s, char name[XML_CHECK_NAME])
{
	size_t n = 0;

	while ((isalnum((unsigned char)*s) || *s == '-' || *s == ':') && n + 1 < XML_CHECK_NAME)
		name[n++] = *s++;
	name[n] = '\0';
	return n ? s : NULL;
}

static const char *xml_check_entity(const char *s)
{
	static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;" };
	const size_t digits = strncmp(s, "&#", 2) == 0 ? strspn(s + 2, "0123456789") : 0;

	if (digits && s[2 + digits] == ';')
		return s + digits + 3;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(s, names[i], strlen(names[i])) == 0)
			return s + strlen(names[i]);
	return NULL;
}

/* Reads characters up to `end`, which is '<' or '"'. Returns its position, NULL after an error. */
static const char *xml_check_text(const char *s, char end)
{
	while (*s && *s != end) {
		if (*s == '<' || ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t'))
			return NULL;
		s = *s == '&' ? xml_check_entity(s) : s + 1;
		if (!s)
			return NULL;
	}
	return s;
}

/* Reads the attributes of an opening tag; *empty: the element ends here. Returns the next
 * character. */
static const char *xml_check_attributes(const char *s, int *empty)
{
	char seen[XML_CHECK_ATTRIBUTES][XML_CHECK_NAME];
	size_t n = 0;

	while (*s == ' ') {
		s = xml_check_name(s + 1, seen[n]);
		if (!s || s[0] != '=' || s[1] != '"')
			return NULL;
		for (size_t i = 0; i < n; i++)
			if (strcmp(seen[i], seen[n]) == 0)
				return NULL;
		s = xml_check_text(s + 2, '"');
		if (!s || *s != '"' || ++n == XML_CHECK_ATTRIBUTES)
			return NULL;
		s++;
	}
	*empty = *s == '/';
	s += *empty;
	return *s == '>' ? s + 1 : NULL;
}

/* Returns NULL, or the position of the first error. */
static const char *xml_check(const char *s)
{
	char open[XML_CHECK_DEPTH][XML_CHECK_NAME], name[XML_CHECK_NAME];
	const char *at = s;
	size_t depth = 0;
	int empty;

	if (strncmp(s, "<!DOCTYPE html>\n", 16) == 0)
		at = s += 16;
	do {
		at = s;
		if (s[0] != '<')
			return at;
		if (s[1] == '/') {
			s = xml_check_name(s + 2, name);
			if (!s || *s != '>' || depth == 0 || strcmp(name, open[--depth]) != 0)
				return at;
			s++;
		} else {
			s = xml_check_name(s + 1, open[depth]);
			s = s ? xml_check_attributes(s, &empty) : NULL;
			if (!s)
				return at;
			depth += !empty;
			if (depth == XML_CHECK_DEPTH)
				return at;
		}
		at = s;
		s = depth ? xml_check_text(s, '<') : s + strspn(s, "\n");
		if (!s)
			return at;
	} while (depth);
	return *s ? s : NULL;
}
#endif
