/* Scaling matrices from text. */
#include "h264intra/transform/quant.h"
#include <h264intra/h264intra.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A list of the text. Those of inter blocks are checked, too, but not used. */
enum { LUMA4, CHROMAU, CHROMAV, LUMA8, INTER4_LUMA, INTER4_U, INTER4_V, INTER8, LISTS };

static const struct {
	const char *name;
	int n;
} lists[LISTS] = {
	{ "INTRA4X4_LUMA", 16 },
	{ "INTRA4X4_CHROMAU", 16 },
	{ "INTRA4X4_CHROMAV", 16 },
	{ "INTRA8X8_LUMA", 64 },
	{ "INTER4X4_LUMA", 16 },
	{ "INTER4X4_CHROMAU", 16 },
	{ "INTER4X4_CHROMAV", 16 },
	{ "INTER8X8_LUMA", 64 },
};

typedef struct reader {
	const char *at;
	int line;
	char *msg;
	size_t msg_bytes;
	int found[LISTS];
	uint8_t weight[LISTS][64];
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static h264i_status
wrong(const reader *r, const char *fmt, ...)
{
	va_list args;
	int n;

	if (!r->msg || !r->msg_bytes)
		return H264I_ERR_ARG;
	n = snprintf(r->msg, r->msg_bytes, "line %d: ", r->line);
	if (n < 0 || (size_t)n >= r->msg_bytes)
		return H264I_ERR_ARG;
	va_start(args, fmt);
	vsnprintf(r->msg + n, r->msg_bytes - (size_t)n, fmt, args);
	va_end(args);
	return H264I_ERR_ARG;
}

static int is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

/* Skips what separates names and numbers: spaces, commas, comments. */
static void skip(reader *r)
{
	for (;; r->at++) {
		if (*r->at == '#')
			while (*r->at && *r->at != '\n')
				r->at++;
		if (!is_space(*r->at))
			return;
		r->line += *r->at == '\n';
	}
}

static int is_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static h264i_status read_list(reader *r, int list)
{
	skip(r);
	if (*r->at == '=')
		r->at++;
	for (int i = 0; i < lists[list].n; i++) {
		const char *first;
		int v = 0, digits;

		skip(r);
		for (first = r->at; *r->at >= '0' && *r->at <= '9'; r->at++)
			v = v > 255 ? v : 10 * v + *r->at - '0';
		digits = (int)(r->at - first > 40 ? 40 : r->at - first);
		if (!digits || is_name(*r->at))
			return wrong(r, "%s has %d numbers and then no number; it needs %d",
				lists[list].name, i, lists[list].n);
		if (v < H264I_WEIGHT_MIN || v > 255)
			return wrong(r, "%s has the weight %.*s, which is not in %d..255",
				lists[list].name, digits, first, (int)H264I_WEIGHT_MIN);
		r->weight[list][i] = (uint8_t)v;
	}
	r->found[list] = 1;
	return H264I_OK;
}

static h264i_status read_lists(reader *r)
{
	for (skip(r); *r->at; skip(r)) {
		size_t n = 0;
		int list = 0;

		while (is_name(r->at[n]))
			n++;
		while (list < LISTS &&
			(strlen(lists[list].name) != n || memcmp(lists[list].name, r->at, n) != 0))
			list++;
		if (list == LISTS)
			return wrong(r, "'%.*s' is no list such as INTRA4X4_LUMA",
				(int)(n > 40 ? 40
					: n  ? n
					     : 1),
				r->at);
		r->at += n;
		if (read_list(r, list) != H264I_OK)
			return H264I_ERR_ARG;
	}
	return H264I_OK;
}

h264i_status h264i_options_read_scaling(
	h264i_options *o, const char *text, char *msg, size_t msg_bytes)
{
	h264i_weights w;
	reader r;

	memset(&r, 0, sizeof(r));
	r.at = text;
	r.line = 1;
	r.msg = msg;
	r.msg_bytes = msg_bytes;
	if (!o || !text ||
		o->struct_bytes < offsetof(h264i_options, scaling_luma8) + sizeof(o->scaling_luma8))
		return wrong(&r, "no text, or h264i_options of an earlier version");
	if (read_lists(&r) != H264I_OK)
		return H264I_ERR_ARG;
	if (!r.found[LUMA4] && !r.found[CHROMAU] && !r.found[LUMA8])
		return wrong(&r, "no list of intra blocks: the text needs INTRA4X4_LUMA, "
				 "INTRA4X4_CHROMAU or INTRA8X8_LUMA");
	if (r.found[CHROMAV] &&
		(!r.found[CHROMAU] || memcmp(r.weight[CHROMAU], r.weight[CHROMAV], 16) != 0))
		return wrong(&r, "INTRA4X4_CHROMAV differs from INTRA4X4_CHROMAU; both chroma "
				 "planes have one list");
	h264i_i_weights_default(&w);
	if (r.found[LUMA4]) {
		memcpy(w.luma4, r.weight[LUMA4], 16);
		memcpy(w.chroma4, r.weight[LUMA4], 16);
	}
	if (r.found[CHROMAU])
		memcpy(w.chroma4, r.weight[CHROMAU], 16);
	if (r.found[LUMA8])
		memcpy(w.luma8, r.weight[LUMA8], 64);
	o->scaling = H264I_SCALING_CUSTOM;
	memcpy(o->scaling_luma4, w.luma4, 16);
	memcpy(o->scaling_chroma4, w.chroma4, 16);
	memcpy(o->scaling_luma8, w.luma8, 64);
	return H264I_OK;
}
