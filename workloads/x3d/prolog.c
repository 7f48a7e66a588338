/* What is before the root element of a text: byte order mark, XML declaration, comments,
 * instructions, DOCTYPE. */
#include "workloads/x3d/reader.h"

#include <strings.h>

/* Reads a quoted text. Returns its length, or X3D_NONE. */
static uint32_t quoted(reader *r, const char **text)
{
	const char quote[2] = { (char)r->s[r->at], 0 };
	const uint32_t from = r->at + 1;

	*text = (const char *)r->s + from;
	if (*quote != '"' && *quote != '\'')
		return X3D_NONE;
	r->at++;
	return reader_skip_to(r, quote) == 0 ? r->at - 1 - from : X3D_NONE;
}

/* Reads name = "text", with a space before it. Returns the text's length, or X3D_NONE. */
static uint32_t setting(reader *r, const char *name, const char **text)
{
	const uint32_t from = r->at;
	uint32_t n;

	if (reader_skip_spaces(r) && reader_is_next(r, name)) {
		r->at += (uint32_t)strlen(name);
		reader_skip_spaces(r);
		if (r->s[r->at] == '=') {
			r->at++;
			reader_skip_spaces(r);
			n = quoted(r, text);
			if (n != X3D_NONE)
				return n;
		}
	}
	r->at = from;
	return X3D_NONE;
}

static int is_utf8(const char *name, uint32_t n)
{
	return (n == 5 && strncasecmp(name, "UTF-8", 5) == 0) ||
	       (n == 4 && strncasecmp(name, "UTF8", 4) == 0);
}

static int declaration(reader *r)
{
	const char *text;
	uint32_t n;

	r->at += 5;
	n = setting(r, "version", &text);
	if (n == X3D_NONE || n < 3 || text[0] != '1' || text[1] != '.' ||
		strspn(text + 2, "0123456789") != n - 2)
		return reader_fail(r, r->at, X3D_E_PROLOG);
	n = setting(r, "encoding", &text);
	if (n != X3D_NONE && !is_utf8(text, n))
		return reader_fail(
			r, r->at, x3d_is_letter((uint8_t)*text) ? X3D_E_ENCODING : X3D_E_PROLOG);
	n = setting(r, "standalone", &text);
	if (n != X3D_NONE && !(n == 3 && memcmp(text, "yes", 3) == 0) &&
		!(n == 2 && memcmp(text, "no", 2) == 0))
		return reader_fail(r, r->at, X3D_E_PROLOG);
	reader_skip_spaces(r);
	if (!reader_is_next(r, "?>"))
		return reader_fail(r, r->at, X3D_E_PROLOG);
	r->at += 2;
	return 0;
}

static int is_public_id(const char *text, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (!x3d_is_letter((uint8_t)text[k]) && !x3d_is_digit((uint8_t)text[k]) &&
			!strchr(" \r\n-'()+,./:=?;!*#@$_%", text[k]))
			return 0;
	return 1;
}

static int doctype(reader *r)
{
	const char *text;
	uint32_t n, is_public;

	r->at += 9;
	if (!reader_skip_spaces(r))
		return reader_fail(r, r->at, X3D_E_PROLOG);
	n = x3d_name_length(r->s + r->at);
	if (n == 0 || n > X3D_GAP)
		return reader_fail(r, r->at, n ? X3D_E_GAP : X3D_E_PROLOG);
	r->at += n;
	is_public = 0;
	if (reader_skip_spaces(r) && ((is_public = (uint32_t)reader_is_next(r, "PUBLIC")) ||
					     reader_is_next(r, "SYSTEM"))) {
		r->at += 6;
		for (uint32_t k = 0; k <= is_public; k++) {
			n = reader_skip_spaces(r) ? quoted(r, &text) : X3D_NONE;
			if (n == X3D_NONE || (k < is_public && !is_public_id(text, n)))
				return reader_fail(r, r->at, X3D_E_PROLOG);
		}
		reader_skip_spaces(r);
	}
	if (r->s[r->at] != '>')
		return reader_fail(r, r->at, r->s[r->at] == '[' ? X3D_E_SUBSET : X3D_E_PROLOG);
	r->at++;
	return 0;
}

uint32_t x3d_prolog(const uint8_t *s, uint32_t bytes, uint32_t *at)
{
	x3d_tree t = { .error = X3D_OK };
	reader r = { .s = s, .bytes = bytes, .t = &t };
	int doctypes = 0, bad = 0;

	if (bytes > 1 && ((s[0] == 0xfe && s[1] == 0xff) || (s[0] == 0xff && s[1] == 0xfe) ||
				 (s[0] == '<' && s[1] == 0) || (s[0] == 0 && s[1] == '<')))
		bad = reader_fail(&r, 0, X3D_E_ENCODING);
	if (reader_is_next(&r, "\xef\xbb\xbf"))
		r.at = 3;
	if (!bad && reader_is_next(&r, "<?xml") && x3d_is_space(s[r.at + 5]))
		bad = declaration(&r);
	while (!bad) {
		reader_skip_spaces(&r);
		if (reader_is_next(&r, "<!--"))
			bad = reader_comment(&r);
		else if (reader_is_next(&r, "<?"))
			bad = reader_instruction(&r);
		else if (reader_is_next(&r, "<!DOCTYPE") && doctypes++ == 0)
			bad = doctype(&r);
		else
			break;
	}
	if (!bad && (s[r.at] != '<' || s[r.at + 1] == '/' || s[r.at + 1] == '!'))
		bad = reader_fail(&r, r.at, X3D_E_PROLOG);
	*at = bad ? t.at : r.at;
	return t.error;
}
