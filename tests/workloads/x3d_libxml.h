/* Reads a text by libxml2 and compares what it calls with a tree of `x3d`: names, values, numbers
 * by strtof() and strtoll(), depths and parents. */
#ifndef TESTS_WORKLOADS_X3D_LIBXML_H
#define TESTS_WORKLOADS_X3D_LIBXML_H

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>
#include "workloads/x3d/host.h"

typedef struct x3d_libxml {
	const x3d_tree *t; /* NULL: nothing is compared */
	const char *text;
	uint32_t nodes, depth, wrong; /* wrong: differences */
	uint32_t open[4096];
} x3d_libxml;

static inline int x3d_libxml_same(const char *a, uint32_t n, const xmlChar *b)
{
	return strlen((const char *)b) == n && memcmp(a, b, n) == 0;
}

/* A value as XML passes it on: references replaced, spaces made blanks, CR LF one of them. Returns
 * its length. */
static inline uint32_t x3d_libxml_value(const char *s, const char *end, char *to)
{
	static const struct {
		const char *name;
		char ch;
	} entities[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' },
		{ "&apos;", '\'' } };
	char *const begin = to;

	while (s < end) {
		size_t k = 0;

		if (*s == '\r' && s + 1 < end && s[1] == '\n')
			s++;
		if (*s != '&') {
			*to++ = strchr("\t\n\r", *s) ? ' ' : *s;
			s++;
			continue;
		}
		while (k < 5 && strncmp(s, entities[k].name, strlen(entities[k].name)) != 0)
			k++;
		if (k < 5) {
			*to++ = entities[k].ch;
			s += strlen(entities[k].name);
		} else {
			const int hex = s[2] == 'x';
			char *stop;
			const long code = strtol(s + 2 + hex, &stop, hex ? 16 : 10);

			to += xmlCopyChar(4, (xmlChar *)to, (int)code);
			s = stop + 1;
		}
	}
	return (uint32_t)(to - begin);
}

static inline int x3d_libxml_numbers(const x3d_tree *t, const x3d_attribute *a, const char *value)
{
	uint32_t k = a->first;

	for (;; k++) {
		char *stop;

		value += strspn(value, " \t\n\r,");
		if (!*value || a->kind == X3D_WORDS)
			return k == a->end;
		if (k == a->end)
			return 0;
		if (a->kind == X3D_FLOATS) {
			const float f = strtof(value, &stop);

			if (memcmp(&f, &t->floats[k], sizeof(f)) != 0)
				return 0;
		} else {
			const char *digits = value + (*value == '-' || *value == '+');
			const int hex = digits[0] == '0' && (digits[1] | 32) == 'x';

			if ((uint32_t)strtoll(value, &stop, hex ? 16 : 10) != t->ints[k])
				return 0;
		}
		if (stop == value || (*stop && !strchr(" \t\n\r,", *stop)))
			return 0;
		value = stop;
	}
}

static inline void x3d_libxml_start(void *data, const xmlChar *name, const xmlChar **atts)
{
	x3d_libxml *x = data;
	const x3d_tree *t = x->t;
	const uint32_t number = x->nodes++;
	const x3d_node *n;
	uint32_t k;
	int good;

	if (!t || number >= t->count[X3D_N_NODES] || x->depth >= 4096) {
		x->wrong += t != NULL;
		return;
	}
	n = &t->node[number];
	good = x3d_libxml_same(x->text + n->at + 1, n->name_bytes, name) && n->depth == x->depth &&
	       n->parent == (x->depth ? x->open[x->depth - 1] : X3D_NONE);
	for (k = n->attribute; good && atts && *atts && k < n->attribute_end; k++, atts += 2) {
		const x3d_attribute *a = &t->attribute[k];
		char *value = malloc(a->value_end - a->value + 8);

		good = value && a->node == number &&
		       x3d_libxml_same(x->text + a->at, a->name_bytes, atts[0]) &&
		       x3d_libxml_same(value,
			       x3d_libxml_value(x->text + a->value, x->text + a->value_end, value),
			       atts[1]) &&
		       x3d_libxml_numbers(t, a, (const char *)atts[1]);
		free(value);
	}
	x->wrong += !good || k != n->attribute_end || (atts && *atts);
	x->open[x->depth++] = number;
}

static inline void x3d_libxml_end(void *data, const xmlChar *name)
{
	x3d_libxml *x = data;
	const x3d_node *n;

	if (!x->t || x->depth == 0)
		return;
	n = &x->t->node[x->open[--x->depth]];
	x->wrong += !x3d_libxml_same(x->text + n->at + 1, n->name_bytes, name) ||
		    x->text[n->end - 1] != '>';
}

/* Returns 1 if libxml2 reads the text; *wrong: differences to `t`, unless it is NULL. */
static inline int x3d_libxml_reads(
	const void *text, size_t bytes, const x3d_tree *t, uint32_t *wrong)
{
	x3d_libxml x = { .t = t, .text = text };
	xmlParserCtxtPtr p = bytes ? xmlCreateMemoryParserCtxt(text, (int)bytes) : NULL;
	int good = 0;

	if (p) {
		memset(p->sax, 0, sizeof(*p->sax));
		p->sax->startElement = x3d_libxml_start;
		p->sax->endElement = x3d_libxml_end;
		p->userData = &x;
		xmlCtxtUseOptions(p, XML_PARSE_HUGE | XML_PARSE_NOENT | XML_PARSE_NONET |
					     XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
		good = xmlParseDocument(p) == 0 && p->wellFormed;
		xmlFreeParserCtxt(p);
	}
	*wrong = x.wrong + (t && x.nodes != t->count[X3D_N_NODES]);
	return good;
}

#endif
