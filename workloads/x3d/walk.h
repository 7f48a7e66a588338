/* What a thread does with a segment: the map of states; counts; nodes, attributes and numbers, with
 * all checks of a tag that its own bytes allow. Compiled for CPU and GPU. */
#ifndef WORKLOADS_X3D_WALK_H
#define WORKLOADS_X3D_WALK_H

#include "workloads/x3d/digits.h"

/* A place in the text, its state, and what was before it. */
typedef struct x3d_walk {
	const x3d_ctx *c;
	uint32_t state, at;
	uint32_t count[X3D_COUNTS];
	uint64_t starts, ints; /* bits of the bytes of the segment where numbers, integers begin */
	int emit;              /* 0: only count */
} x3d_walk;

LSCHED_TASK_FN void x3d_fail(const x3d_ctx *c, uint32_t at, uint32_t error)
{
	(void)lsched_max(&c->state->error, ~((uint64_t)at << 8 | error), rlx, dev);
}

LSCHED_FN uint32_t x3d_depth(const uint32_t count[X3D_COUNTS])
{
	return count[X3D_N_NODES] - count[X3D_N_CLOSES] - count[X3D_N_EMPTY];
}

/* ---- the first pass ---- */

/* Checks the characters of a word of the text that has others than those from space to '~'. */
LSCHED_TASK_FN void x3d_check_characters(const x3d_ctx *c, uint32_t at, uint32_t end)
{
	const uint8_t *s = x3d_bytes(c);
	uint32_t code;

	for (; at < end; at++) {
		uint32_t lead = at;

		while ((s[lead] & 0xc0) == 0x80 && at - lead < 3 && lead > c->begin)
			lead--; /* a byte in the middle of a character */
		if (lead + x3d_decode(s + lead, &code) <= at)
			x3d_fail(c, at, X3D_E_CHARACTER);
	}
}

LSCHED_TASK_FN uint64_t x3d_map_segment(const x3d_ctx *c, uint32_t segment)
{
	uint64_t map = X3D_IDENTITY;

	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < X3D_SEGMENT / 8; k++) {
		const uint32_t at = segment * X3D_SEGMENT + 8 * k;
		const uint32_t from = at < c->begin ? c->begin : at;
		const uint32_t end = c->bytes < at + 8 ? c->bytes : at + 8;
		uint64_t word, marks;

		if (from >= end)
			continue;
		word = c->text[at / 8];
		if (x3d_odd_bytes(word))
			x3d_check_characters(c, from, end);
		marks = x3d_brackets(word) | x3d_equal_bytes(word, '"') |
			x3d_equal_bytes(word, '\'');
		for (uint32_t i = from; marks && i < end; i++)
			if (marks >> (8 * (i - at) + 7) & 1u)
				map = x3d_map_join(map, x3d_turn(c, i));
	}
	return map;
}

/* ---- tags ---- */

/* Checks what is before a place in a tag: a value, or the tag's name, which begins at *name.
 * Returns 0 if neither is there; 1, or 2 for the name of an end tag. */
LSCHED_FN int x3d_tag_before(const x3d_ctx *c, uint32_t end, uint32_t low, uint32_t *name)
{
	const uint8_t *s = x3d_bytes(c);
	const uint32_t begin = x3d_back_name(s, end, low);

	*name = begin;
	if (end > low && (s[end - 1] == '"' || s[end - 1] == '\''))
		return 1;
	if (begin == low || begin == end || x3d_name_length(s + begin) != end - begin)
		return 0;
	if (s[begin - 1] == '<')
		return 1;
	return s[begin - 1] == '/' && begin - 1 > low && s[begin - 2] == '<' ? 2 : 0;
}

/* Why a tag is wrong at a place: it is too long to be read back, or it has something else. */
LSCHED_FN uint32_t x3d_tag_error(const x3d_ctx *c, uint32_t at)
{
	const uint8_t *s = x3d_bytes(c);

	for (uint32_t k = at; k > x3d_low(c, at); k--)
		if (s[k - 1] == '<' || s[k - 1] == '"' || s[k - 1] == '\'')
			return X3D_E_TAG;
	return X3D_E_GAP;
}

/* A quote in a tag: name, '=', and a space before the name. */
LSCHED_TASK_FN void x3d_begin_value(x3d_walk *w)
{
	const x3d_ctx *c = w->c;
	const uint8_t *s = x3d_bytes(c);
	const uint32_t low = x3d_low(c, w->at), equals = x3d_back_spaces(s, w->at, low);
	const uint32_t end = equals > low ? x3d_back_spaces(s, equals - 1, low) : low;
	const uint32_t name = x3d_back_name(s, end, low), gap = x3d_back_spaces(s, name, low);
	uint32_t any;
	x3d_attribute *a;

	if (equals == low || s[equals - 1] != '=' || name == end ||
		x3d_name_length(s + name) != end - name || gap == name ||
		x3d_tag_before(c, gap, low, &any) != 1)
		x3d_fail(c, w->at, x3d_tag_error(c, w->at));
	a = &c->attribute[w->count[X3D_N_ATTRIBUTES]];
	a->at = name;
	a->name_bytes = end - name;
	a->value = w->at + 1;
	a->kind = x3d_value_kind(c->names, s + name, end - name);
	a->node = w->count[X3D_N_NODES] - 1;
	a->first = a->kind == X3D_FLOATS ? w->count[X3D_N_FLOATS]
		   : a->kind == X3D_INTS ? w->count[X3D_N_INTS]
					 : 0;
}

LSCHED_TASK_FN void x3d_end_value(x3d_walk *w, uint32_t kind)
{
	x3d_attribute *a = &w->c->attribute[w->count[X3D_N_ATTRIBUTES] - 1];

	a->value_end = w->at;
	a->end = kind == X3D_FLOATS ? w->count[X3D_N_FLOATS]
		 : kind == X3D_INTS ? w->count[X3D_N_INTS]
				    : 0;
}

LSCHED_TASK_FN void x3d_begin_node(x3d_walk *w)
{
	const x3d_ctx *c = w->c;
	const uint8_t *s = x3d_bytes(c) + w->at + 1;
	const uint32_t bytes = x3d_name_length(s), depth = x3d_depth(w->count);
	const uint32_t number = w->count[X3D_N_NODES];
	x3d_node *n = &c->node[number];

	if (bytes == 0 || bytes > X3D_GAP)
		x3d_fail(c, w->at, bytes ? X3D_E_GAP : X3D_E_NAME);
	if (depth == 0 && number > 0)
		x3d_fail(c, w->at, X3D_E_ROOTS);
	n->at = w->at;
	n->name_bytes = bytes;
	n->kind = x3d_node_kind(c->names, s, bytes);
	n->depth = depth;
	n->attribute = w->count[X3D_N_ATTRIBUTES];
	for (uint32_t level = 1; level < X3D_LEVELS; level++) {
		uint32_t *least = &c->least[level][number >> X3D_WAY_BITS * level];

		if (lsched_ld(least, rlx, dev) >= ~depth ||
			lsched_max(least, ~depth, rlx, dev) >= ~depth)
			break; /* another thread has gone further up */
	}
}

LSCHED_TASK_FN void x3d_end_tag(x3d_walk *w)
{
	const x3d_ctx *c = w->c;
	const uint8_t *s = x3d_bytes(c);
	const uint32_t low = x3d_low(c, w->at), number = w->count[X3D_N_NODES];
	const int empty = s[w->at - 1] == '/';
	uint32_t name;
	const int before =
		x3d_tag_before(c, x3d_back_spaces(s, w->at - (uint32_t)empty, low), low, &name);

	if (before == 0 || before + empty > 2)
		x3d_fail(c, w->at, x3d_tag_error(c, w->at));
	if (number == 0 || before == 2)
		return;
	c->node[number - 1].attribute_end = w->count[X3D_N_ATTRIBUTES];
	if (empty)
		c->node[number - 1].end = w->at + 1;
}

/* ---- the second and third pass ---- */

LSCHED_TASK_FN void x3d_begin_markup(x3d_walk *w)
{
	const x3d_ctx *c = w->c;
	const uint8_t *s = x3d_bytes(c) + w->at;
	const uint32_t name = x3d_name_length(s + 2), depth = x3d_depth(w->count);
	x3d_close *close = &c->close[w->count[X3D_N_CLOSES]];

	switch (s[1]) {
	case '/':
		close->at = w->at;
		close->depth = depth - 1;
		close->before = w->count[X3D_N_NODES];
		if (depth - 1 > 0x7fffffffu)
			x3d_fail(c, w->at, X3D_E_CLOSE);
		break;
	case '?':
		if (name == 0 || name > X3D_GAP || (name == 3 && x3d_same(s + 2, "xml", 3)) ||
			!(x3d_is_space(s[2 + name]) || (s[2 + name] == '?' && s[3 + name] == '>')))
			x3d_fail(c, w->at, X3D_E_INSTRUCTION);
		break;
	default:
		if (x3d_opened(s) == X3D_IN_TAG)
			x3d_fail(c, w->at, X3D_E_MARKUP);
		else if (x3d_opened(s) == X3D_IN_CDATA && depth == 0)
			x3d_fail(c, w->at, X3D_E_OUTSIDE);
		else if (s[3] == '-' && (s[4] == '>' || (s[4] == '-' && s[5] == '>')))
			x3d_fail(c, w->at, X3D_E_ARROW);
	}
}

/* ---- lists of numbers ---- */

/* Numbers of that kind begin at these bytes of the segment. */
LSCHED_TASK_FN void x3d_add_numbers(x3d_walk *w, uint32_t kind, uint64_t starts)
{
	w->starts |= starts;
	if (kind == X3D_FLOATS) {
		w->count[X3D_N_FLOATS] += x3d_bits(starts);
	} else {
		w->count[X3D_N_INTS] += x3d_bits(starts);
		w->ints |= starts;
	}
}

/* The bytes from one of a segment, byte k, to the next one that ends a number; more than X3D_SHORT
 * if that is further away than the next segment's first 16 bytes. */
LSCHED_FN uint32_t x3d_length(uint64_t ends, uint32_t after, uint32_t k)
{
	const uint64_t here = ends >> k;

	if (here)
		return x3d_lowest(here);
	return 64 - k + (after ? x3d_lowest(after) : X3D_SHORT + 2);
}

/* Reads the numbers that begin in a segment, one at a time; ends: bits of the bytes that end them;
 * floats, ints: those before. */
LSCHED_TASK_FN void x3d_read_numbers(
	const x3d_walk *w, uint32_t segment, uint64_t ends, uint32_t floats, uint32_t ints)
{
	const x3d_ctx *c = w->c;
	const uint32_t after = w->starts ? x3d_ends_after(c, segment) : 0;
	uint64_t left = w->starts;

	LSCHED_NO_UNROLL
	while (left) {
		const uint64_t bit = left & (0 - left);
		const uint32_t k = x3d_lowest(left), at = segment * X3D_SEGMENT + k;
		const uint32_t n = x3d_length(ends, after, k);
		const uint32_t error = w->ints & bit
					       ? x3d_read_int(c, at, n, &c->ints[ints++])
					       : x3d_read_float(c, at, n, &c->floats[floats++]);

		if (error != X3D_OK)
			x3d_fail(c, at, error);
		left ^= bit;
	}
}

/* A '<'. */
LSCHED_TASK_FN void x3d_less(x3d_walk *w)
{
	const uint8_t *s = x3d_bytes(w->c) + w->at;

	if (w->state == X3D_IN_TEXT) {
		const int other = s[1] == '/' || s[1] == '?' || s[1] == '!';

		if (w->emit && other)
			x3d_begin_markup(w);
		else if (w->emit)
			x3d_begin_node(w);
		w->count[X3D_N_CLOSES] += s[1] == '/';
		w->count[X3D_N_NODES] += !other;
		w->state = x3d_opened(s);
	} else if (w->emit && w->state == X3D_IN_COMMENT) {
		if (x3d_opened(s) == X3D_IN_COMMENT)
			x3d_fail(w->c, w->at, s[4] == '>' ? X3D_E_ARROW : X3D_E_COMMENT);
	} else if (w->emit && w->state != X3D_IN_CDATA && w->state != X3D_IN_INSTRUCTION) {
		x3d_fail(w->c, w->at, X3D_E_LESS);
	}
}

/* A '>'. */
LSCHED_TASK_FN void x3d_greater(x3d_walk *w)
{
	const uint8_t *s = x3d_bytes(w->c) + w->at;

	if (w->state == X3D_IN_TAG) {
		if (w->emit)
			x3d_end_tag(w);
		w->count[X3D_N_EMPTY] += s[-1] == '/';
	} else if (w->state == X3D_IN_TEXT && w->emit && s[-1] == ']' && s[-2] == ']') {
		x3d_fail(w->c, w->at, X3D_E_BRACKETS);
	}
	w->state = x3d_map_get(x3d_turn(w->c, w->at), w->state);
}

/* A quote. */
LSCHED_TASK_FN void x3d_quote(x3d_walk *w)
{
	const uint32_t state = x3d_map_get(x3d_turn(w->c, w->at), w->state);

	if (w->state == X3D_IN_TAG) {
		if (w->emit)
			x3d_begin_value(w);
		w->count[X3D_N_ATTRIBUTES]++;
	} else if (w->emit && state != w->state) {
		x3d_end_value(w, x3d_state_kind(w->state));
	}
	w->state = state;
}

/* A mark: a '<', '>', quote, or '&'. */
LSCHED_TASK_FN void x3d_mark(x3d_walk *w)
{
	const uint8_t *s = x3d_bytes(w->c) + w->at;
	const uint32_t ch = *s, state = w->state, kind = x3d_state_kind(state);
	const int quote = ch == (state < X3D_IN_APOSTROPHE ? '"' : '\'');
	uint32_t error = X3D_OK;

	if (w->emit && state == X3D_IN_TEXT && ch != '<' && x3d_depth(w->count) == 0)
		x3d_fail(w->c, w->at, X3D_E_OUTSIDE);
	if (ch == '<')
		x3d_less(w);
	else if (ch == '>' && kind == X3D_NONE)
		x3d_greater(w);
	else if (ch != '&' && (kind == X3D_NONE ? state == X3D_IN_TAG : quote))
		x3d_quote(w);
	else if (kind == X3D_FLOATS || kind == X3D_INTS)
		error = X3D_E_NUMBER;
	else if (ch == '&' && w->emit && (kind == X3D_WORDS || state == X3D_IN_TEXT))
		error = x3d_reference(s);
	if (w->emit && error != X3D_OK)
		x3d_fail(w->c, w->at, error);
}

/* The bytes between two marks, where they matter: dashes in comments, all outside of the root. */
LSCHED_TASK_FN void x3d_check_bytes(const x3d_walk *w, uint32_t at, uint32_t end)
{
	const x3d_ctx *c = w->c;

	for (; at < end; at++) {
		const uint8_t *s = x3d_bytes(c) + at;

		if (w->state == X3D_IN_TEXT) {
			if (!x3d_is_space(*s))
				x3d_fail(c, at, X3D_E_OUTSIDE);
			continue;
		}
		/* not the dashes that begin it, nor one with the second of them */
		if (s[0] == '-' && s[1] == '-' && s[2] != '>' && !(s[-2] == '<' && s[-1] == '!') &&
			!(s[-3] == '<' && s[-2] == '!' && s[-1] == '-'))
			x3d_fail(c, at, X3D_E_COMMENT);
	}
}

/* Goes from mark to mark. */
LSCHED_TASK_FN void x3d_walk_segment(x3d_walk *w, uint32_t segment)
{
	const x3d_ctx *c = w->c;
	const uint32_t floats = w->count[X3D_N_FLOATS], ints = w->count[X3D_N_INTS];
	const uint32_t first = segment * X3D_SEGMENT, last = first + X3D_SEGMENT;
	const uint32_t end = c->bytes < last ? c->bytes : last;
	uint32_t at = first < c->begin ? c->begin : first;
	uint64_t marks, ends, starts;

	w->starts = w->ints = 0;
	if (at >= end)
		return;
	if (!w->emit)
		x3d_find_marks(c, segment, &c->segment[segment].marks, &c->segment[segment].ends);
	marks = c->segment[segment].marks;
	ends = c->segment[segment].ends;
	starts =
		(ends << 1 | (uint64_t)(first && x3d_ends_number(x3d_bytes(c)[first - 1]))) & ~ends;
	marks &= x3d_bit_range(at - first, end - first);
	for (;;) {
		const uint32_t next = marks ? first + x3d_lowest(marks) : end;
		const uint32_t kind = x3d_state_kind(w->state);

		if (at < next && (kind == X3D_FLOATS || kind == X3D_INTS))
			x3d_add_numbers(w, kind, starts & x3d_bit_range(at - first, next - first));
		else if (w->emit && (w->state == X3D_IN_COMMENT ||
					    (w->state == X3D_IN_TEXT && x3d_depth(w->count) == 0)))
			x3d_check_bytes(w, at, next);
		if (!marks)
			break;
		w->at = next;
		x3d_mark(w);
		at = next + 1;
		marks &= marks - 1;
	}
	if (w->emit)
		x3d_read_numbers(w, segment, ends, floats, ints);
}

#endif
