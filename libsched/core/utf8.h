/* UTF-8 (RFC 3629), for the writers of JSON and XML; host code. */
#ifndef LIBSCHED_CORE_UTF8_H
#define LIBSCHED_CORE_UTF8_H

#include <stddef.h>

/* Returns the number of bytes of the character that text begins with and writes its code point;
 * 0 if the bytes there are not well-formed UTF-8. text ends with a zero byte, a character of one
 * byte. */
static inline size_t lsched_i_utf8_bytes(const char *text, unsigned *code)
{
	static const unsigned smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	*code = s[0];
	if (s[0] < 0x80)
		return 1;
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
	if (n == 0 || s[0] >= 0xf8)
		return 0;
	*code = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3fu);
	}
	if (*code < smallest[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return n;
}

#endif
