/* Characters, names, references, and the states of the lexer. Compiled for CPU and GPU. */
#ifndef WORKLOADS_X3D_LEXER_H
#define WORKLOADS_X3D_LEXER_H

#include "workloads/x3d/x3d.h"

/* QUOTE and APOSTROPHE: in a value, plus its kind. */
enum {
	X3D_IN_TEXT,
	X3D_IN_TAG,
	X3D_IN_COMMENT,
	X3D_IN_CDATA,
	X3D_IN_INSTRUCTION,
	X3D_IN_QUOTE,
	X3D_IN_APOSTROPHE = X3D_IN_QUOTE + 3,
	X3D_STATES = X3D_IN_APOSTROPHE + 3
};

/* A map of states: 4 bits each. */
#define X3D_IDENTITY UINT64_C(0xa9876543210)

LSCHED_FN uint32_t x3d_map_get(uint64_t map, uint32_t state)
{
	return (uint32_t)(map >> 4 * state) & 15u;
}

LSCHED_FN uint64_t x3d_map_set(uint64_t map, uint32_t state, uint32_t to)
{
	return (map & ~(UINT64_C(15) << 4 * state)) | (uint64_t)to << 4 * state;
}

/* The map of both, one after the other. */
LSCHED_FN uint64_t x3d_map_join(uint64_t first, uint64_t then)
{
	uint64_t map = 0;

	if (first == X3D_IDENTITY)
		return then;
	if (then == X3D_IDENTITY)
		return first;
	LSCHED_UNROLL
	for (uint32_t s = 0; s < X3D_STATES; s++)
		map |= (uint64_t)x3d_map_get(then, x3d_map_get(first, s)) << 4 * s;
	return map;
}

/* ---- characters ---- */

LSCHED_FN int x3d_is_space(uint32_t ch)
{
	return ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r';
}

LSCHED_FN int x3d_is_digit(uint32_t ch)
{
	return ch - '0' <= 9u;
}

LSCHED_FN int x3d_is_letter(uint32_t ch)
{
	return (ch | 32u) - 'a' <= 25u;
}

/* The value of a hexadecimal digit; 16: none. */
LSCHED_FN uint32_t x3d_hex_digit(uint32_t ch)
{
	if (x3d_is_digit(ch))
		return ch - '0';
	return (ch | 32u) - 'a' <= 5u ? (ch | 32u) - 'a' + 10 : 16;
}

LSCHED_FN int x3d_is_char(uint32_t code)
{
	return code >= 0x20 ? code < 0xd800 || (code >= 0xe000 && code < 0xfffe) ||
				      (code >= 0x10000 && code <= 0x10ffff)
			    : x3d_is_space(code);
}

/* Decodes a character of UTF-8. Returns its bytes; 0: there is none that XML allows. */
LSCHED_FN uint32_t x3d_decode(const uint8_t *s, uint32_t *code)
{
	const uint32_t lead = s[0];
	const uint32_t bytes = lead < 0x80   ? 1
			       : lead < 0xc2 ? 0
			       : lead < 0xe0 ? 2
			       : lead < 0xf0 ? 3
					     : 4;
	uint32_t v = bytes < 2 ? lead : lead & (0x7fu >> bytes);

	if (bytes == 0 || lead > 0xf4)
		return 0;
	for (uint32_t k = 1; k < bytes; k++) {
		if ((s[k] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (s[k] & 0x3fu);
	}
	*code = v;
	if ((bytes == 3 && v < 0x800) || (bytes == 4 && v < 0x10000) || !x3d_is_char(v))
		return 0;
	return bytes;
}

/* NameStartChar and NameChar of XML 1.0, fifth edition, beyond ASCII. */
LSCHED_FN int x3d_is_name_code(uint32_t v, int first)
{
	if (v == 0xb7 || (v >= 0x300 && v <= 0x36f) || v == 0x203f || v == 0x2040)
		return !first;
	return (v >= 0xc0 && v <= 0x2ff && v != 0xd7 && v != 0xf7) ||
	       (v >= 0x370 && v <= 0x1fff && v != 0x37e) || v == 0x200c || v == 0x200d ||
	       (v >= 0x2070 && v <= 0x218f) || (v >= 0x2c00 && v <= 0x2fef) ||
	       (v >= 0x3001 && v <= 0xd7ff) || (v >= 0xf900 && v <= 0xfdcf) ||
	       (v >= 0xfdf0 && v <= 0xfffd) || (v >= 0x10000 && v <= 0xeffff);
}

/* May a byte be part of a name? */
LSCHED_FN int x3d_is_name_byte(uint32_t ch)
{
	return x3d_is_letter(ch) || x3d_is_digit(ch) || ch == '_' || ch == ':' || ch == '-' ||
	       ch == '.' || ch >= 0x80;
}

/* Returns the length of the name that begins there, or more than X3D_GAP; 0: none. */
LSCHED_FN uint32_t x3d_name_length(const uint8_t *s)
{
	uint32_t n = 0, code, bytes;

	if (x3d_is_digit(s[0]) || s[0] == '-' || s[0] == '.')
		return 0;
	while (n <= X3D_GAP && x3d_is_name_byte(s[n])) {
		bytes = 1;
		if (s[n] >= 0x80) {
			bytes = x3d_decode(s + n, &code);
			if (bytes == 0 || !x3d_is_name_code(code, n == 0))
				break;
		}
		n += bytes;
	}
	return n;
}

LSCHED_FN int x3d_same(const uint8_t *a, const char *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (a[k] != (uint8_t)b[k])
			return 0;
	return 1;
}

LSCHED_FN uint32_t x3d_hash(const uint8_t *s, uint32_t n)
{
	uint32_t h = UINT32_C(2166136261);

	for (uint32_t k = 0; k < n; k++)
		h = (h ^ s[k]) * UINT32_C(16777619);
	return h ^ h >> 15;
}

/* The kind of a name in the table; 0: it is not there. */
LSCHED_FN uint32_t x3d_lookup(const x3d_name *names, const uint8_t *s, uint32_t n)
{
	if (n >= X3D_NAME_BYTES)
		return 0;
	for (uint32_t k = x3d_hash(s, n);; k++) {
		const x3d_name *e = &names[k % X3D_NAMES];

		if (e->kind == 0 || (x3d_same(s, e->name, n) && e->name[n] == 0))
			return e->kind;
	}
}

LSCHED_FN uint32_t x3d_node_kind(const x3d_name *names, const uint8_t *s, uint32_t n)
{
	const uint32_t kind = x3d_lookup(names, s, n);

	return kind < X3D_GROUP ? (uint32_t)X3D_OTHER : kind;
}

LSCHED_FN uint32_t x3d_value_kind(const x3d_name *names, const uint8_t *s, uint32_t n)
{
	const uint32_t kind = x3d_lookup(names, s, n);

	return kind < X3D_GROUP ? kind : (uint32_t)X3D_WORDS;
}

/* Checks the reference at an '&'. Returns the number of an error, or X3D_OK. */
LSCHED_FN uint32_t x3d_reference(const uint8_t *s)
{
	uint32_t n = x3d_name_length(s + 1), code = 0, base = 10;

	if (n) {
		if (s[1 + n] != ';')
			return n > X3D_GAP ? X3D_E_GAP : X3D_E_REFERENCE;
		if ((n == 2 && (x3d_same(s + 1, "lt", 2) || x3d_same(s + 1, "gt", 2))) ||
			(n == 3 && x3d_same(s + 1, "amp", 3)) ||
			(n == 4 && (x3d_same(s + 1, "quot", 4) || x3d_same(s + 1, "apos", 4))))
			return X3D_OK;
		return X3D_E_ENTITY;
	}
	if (s[1] != '#')
		return X3D_E_REFERENCE;
	s += 2;
	if (*s == 'x') {
		base = 16;
		s++;
	}
	for (n = 0; n <= X3D_GAP && x3d_hex_digit(s[n]) < base; n++)
		code = code > 0x110000 ? code : code * base + x3d_hex_digit(s[n]);
	if (n > X3D_GAP)
		return X3D_E_GAP;
	if (n == 0 || s[n] != ';')
		return X3D_E_REFERENCE;
	return x3d_is_char(code) ? (uint32_t)X3D_OK : (uint32_t)X3D_E_CODE;
}

/* ---- the lexer ---- */

/* Moves back over spaces, or bytes of names, but not below `low`. */
LSCHED_FN uint32_t x3d_back_spaces(const uint8_t *s, uint32_t at, uint32_t low)
{
	while (at > low && x3d_is_space(s[at - 1]))
		at--;
	return at;
}

LSCHED_FN uint32_t x3d_back_name(const uint8_t *s, uint32_t at, uint32_t low)
{
	while (at > low && x3d_is_name_byte(s[at - 1]))
		at--;
	return at;
}

/* How far back a tag is read from a place of it. */
LSCHED_FN uint32_t x3d_low(const x3d_ctx *c, uint32_t at)
{
	return at - c->begin > X3D_GAP ? at - X3D_GAP : c->begin;
}

/* The kind of the value that a quote may begin, from the name before it. */
LSCHED_FN uint32_t x3d_kind_before(const x3d_ctx *c, uint32_t at)
{
	const uint8_t *s = x3d_bytes(c);
	const uint32_t low = x3d_low(c, at);
	uint32_t name, end = x3d_back_spaces(s, at, low);

	if (end == low || s[end - 1] != '=')
		return X3D_WORDS;
	end = x3d_back_spaces(s, end - 1, low);
	name = x3d_back_name(s, end, low);
	return x3d_value_kind(c->names, s + name, end - name);
}

/* The state within the markup that a '<' begins. */
LSCHED_FN uint32_t x3d_opened(const uint8_t *s)
{
	if (s[1] == '?')
		return X3D_IN_INSTRUCTION;
	if (s[1] == '!' && s[2] == '-' && s[3] == '-')
		return X3D_IN_COMMENT;
	return s[1] == '!' && x3d_same(s + 2, "[CDATA[", 7) ? X3D_IN_CDATA : X3D_IN_TAG;
}

/* Does a byte begin or end anything? Of 8 bytes: a bit of each that does. */
LSCHED_FN uint64_t x3d_equal_bytes(uint64_t word, uint32_t ch)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	const uint64_t x = word ^ ones * ch;

	return ~(((x & low) + low) | x | low);
}

/* < and >, which differ in one bit. */
LSCHED_FN uint64_t x3d_brackets(uint64_t word)
{
	return x3d_equal_bytes(word & ~(UINT64_C(0x0202020202020202)), '<');
}

/* Of 8 bytes the high bits, as 8 bits. */
LSCHED_FN uint64_t x3d_bit_a_byte(uint64_t word)
{
	return (word >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

LSCHED_FN uint32_t x3d_bits(uint64_t v)
{
	return lsched_popcount((uint32_t)v) + lsched_popcount((uint32_t)(v >> 32));
}

/* The number of the lowest bit that is set. */
LSCHED_FN uint32_t x3d_lowest(uint64_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__ffsll((long long)v) - 1u;
#else
	return (uint32_t)__builtin_ctzll(v);
#endif
}

/* Bits first .. end - 1 of 64. */
LSCHED_FN uint64_t x3d_bit_range(uint32_t first, uint32_t end)
{
	return (UINT64_MAX << first) & (UINT64_MAX >> (64 - end));
}

/* The bytes between numbers. */
LSCHED_FN uint64_t x3d_gaps(uint64_t word)
{
	return x3d_equal_bytes(word, ' ') | x3d_equal_bytes(word, ',') |
	       x3d_equal_bytes(word, '\n') | x3d_equal_bytes(word, '\r') |
	       x3d_equal_bytes(word, '\t');
}

/* The bytes that are no characters from space to '~', nor spaces of another kind. */
LSCHED_FN uint64_t x3d_odd_bytes(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	const uint64_t low = ~((word & ~high) + 0x60 * ones) & ~word & high; /* below 0x20 */

	return (word & high) | (low ? low & ~x3d_gaps(word) : 0);
}

/* Bit k: byte k of eight ends a number, if one is before it. */
LSCHED_FN uint64_t x3d_ends_of(uint64_t word, uint64_t quotes)
{
	return x3d_bit_a_byte(x3d_gaps(word) | quotes);
}

LSCHED_FN uint64_t x3d_quotes(uint64_t word)
{
	return x3d_equal_bytes(word, '"') | x3d_equal_bytes(word, '\'');
}

/* Bit k: byte k of a segment is a mark; ends a number. */
LSCHED_FN void x3d_find_marks(const x3d_ctx *c, uint32_t segment, uint64_t *marks, uint64_t *ends)
{
	*marks = *ends = 0;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < X3D_SEGMENT / 8; k++) {
		const uint64_t word = c->text[segment * (X3D_SEGMENT / 8) + k];
		const uint64_t quotes = x3d_quotes(word);

		*marks |= x3d_bit_a_byte(x3d_brackets(word) | quotes | x3d_equal_bytes(word, '&'))
			  << 8 * k;
		*ends |= x3d_ends_of(word, quotes) << 8 * k;
	}
}

/* The ends of numbers among the 16 bytes behind a segment. */
LSCHED_FN uint32_t x3d_ends_after(const x3d_ctx *c, uint32_t segment)
{
	uint32_t ends = 0;

	for (uint32_t k = 0; k < X3D_SHORT / 8; k++) {
		const uint64_t word = c->text[(segment + 1) * (X3D_SEGMENT / 8) + k];

		ends |= (uint32_t)x3d_ends_of(word, x3d_quotes(word)) << 8 * k;
	}
	return ends;
}

/* What a byte does to the states. */
LSCHED_FN uint64_t x3d_turn(const x3d_ctx *c, uint32_t at)
{
	const uint8_t *s = x3d_bytes(c) + at;
	uint64_t map = X3D_IDENTITY;
	uint32_t state;

	switch (*s) {
	case '<':
		return x3d_map_set(map, X3D_IN_TEXT, x3d_opened(s));
	case '>':
		map = x3d_map_set(map, X3D_IN_TAG, X3D_IN_TEXT);
		if (at < c->begin + 2)
			return map;
		if (s[-1] == '?')
			map = x3d_map_set(map, X3D_IN_INSTRUCTION, X3D_IN_TEXT);
		if (s[-1] == '-' && s[-2] == '-')
			map = x3d_map_set(map, X3D_IN_COMMENT, X3D_IN_TEXT);
		if (s[-1] == ']' && s[-2] == ']')
			map = x3d_map_set(map, X3D_IN_CDATA, X3D_IN_TEXT);
		return map;
	case '"':
	case '\'':
		state = *s == '"' ? X3D_IN_QUOTE : X3D_IN_APOSTROPHE;
		map = x3d_map_set(map, X3D_IN_TAG, state + x3d_kind_before(c, at));
		for (uint32_t k = 0; k < 3; k++)
			map = x3d_map_set(map, state + k, X3D_IN_TAG);
		return map;
	default:
		return map;
	}
}

/* The kind of the value that a state is in; X3D_NONE: in none. */
LSCHED_FN uint32_t x3d_state_kind(uint32_t state)
{
	if (state < X3D_IN_QUOTE)
		return X3D_NONE;
	return state - (state < X3D_IN_APOSTROPHE ? X3D_IN_QUOTE : X3D_IN_APOSTROPHE);
}

#endif
