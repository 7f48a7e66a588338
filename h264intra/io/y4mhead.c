#include "h264intra/io/y4mhead.h"
#include "libsched/core/say.h"

#include <stdio.h>
#include <string.h>

/* The longest value of a parameter that means anything here. */
enum { VALUE_BYTES = 32 };

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* Decimal digits up to `end_char`: 0 and *end behind it, or -1. */
static int parse_uint(const char *text, char end_char, const char **end, uint32_t *out)
{
	uint64_t v = 0;
	const char *p = text;

	while (*p >= '0' && *p <= '9' && v <= INT32_MAX)
		v = v * 10 + (uint64_t)(*p++ - '0');
	if (p == text || v > INT32_MAX || *p != end_char)
		return -1;
	*end = p + 1;
	*out = (uint32_t)v;
	return 0;
}

/* Parses NUM:DEN and reduces it; 0/0 if it is not a ratio above 0. */
static void parse_ratio(const char *text, uint32_t *num, uint32_t *den)
{
	const char *end;
	uint32_t common;

	if (parse_uint(text, ':', &end, num) || parse_uint(end, '\0', &end, den) || *num == 0 ||
		*den == 0) {
		*num = *den = 0;
		return;
	}
	common = gcd(*num, *den);
	*num /= common;
	*den /= common;
}

static void parse_chroma(io_y4m_head *h, const char *text)
{
	/* chroma_sample_loc_type: 0 left, 1 centre, 2 top left. */
	static const struct {
		const char *text;
		int loc;
	} known[] = { { "420jpeg", 1 }, { "420mpeg2", 0 }, { "420paldv", 2 }, { "420", 1 } };

	h->is_i420 = 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i].text) == 0) {
			h->is_i420 = 1;
			h->chroma_loc = known[i].loc;
		}
}

static int parse_fields(io_y4m_head *h, const char *text)
{
	switch (text[0]) {
	case 'p':
	case '?':
		h->fields = IO_FIELDS_PROGRESSIVE;
		return 0;
	case 't':
		h->fields = IO_FIELDS_TOP_FIRST;
		return 0;
	case 'b':
		h->fields = IO_FIELDS_BOTTOM_FIRST;
		return 0;
	case 'm':
		h->fields = IO_FIELDS_MIXED;
		return 0;
	default:
		return -1;
	}
}

static int parse_side(const char *text, uint32_t *out)
{
	const char *end;

	return parse_uint(text, '\0', &end, out) || *out == 0 || *out > IO_Y4M_SIDE_MAX;
}

/* One parameter: a letter and its value. 0, or -1 when a value cannot be used. */
static int parse_parameter(io_y4m_head *h, const char *p)
{
	switch (p[0]) {
	case 'W':
		return parse_side(p + 1, &h->width);
	case 'H':
		return parse_side(p + 1, &h->height);
	case 'C':
		parse_chroma(h, p + 1);
		return 0;
	case 'I':
		return parse_fields(h, p + 1);
	case 'F':
		parse_ratio(p + 1, &h->fps_num, &h->fps_den);
		return 0;
	case 'A':
		parse_ratio(p + 1, &h->sar_num, &h->sar_den);
		return 0;
	case 'X':
		if (strcmp(p, "XCOLORRANGE=FULL") == 0)
			h->full_range = 1;
		else if (strcmp(p, "XCOLORRANGE=LIMITED") == 0)
			h->full_range = 0;
		/* The samples' format as mplayer writes it, without C: left to libavformat. */
		else if (strncmp(p, "XYSCSS=", 7) == 0 && h->chroma_loc < 0)
			h->is_i420 = 0;
		return 0;
	default:
		return 0; /* later versions may have more */
	}
}

int h264i_i_y4m_parse(
	io_y4m_head *h, const uint8_t *data, size_t bytes, char *why, size_t why_bytes)
{
	const uint8_t *end = memchr(data, '\n', bytes);
	size_t at = sizeof(IO_Y4M_MAGIC) - 1, line;

	*h = (io_y4m_head){ .full_range = -1, .chroma_loc = -1, .is_i420 = 1 };
	if (!end)
		return lsched_i_say(-1, why, why_bytes,
			"the first line of this .y4m does not end in %zu bytes", bytes);
	line = (size_t)(end - data);
	h->line_bytes = line + 1;
	while (at < line) {
		char value[VALUE_BYTES];
		size_t n = 0;

		while (at < line && data[at] == ' ')
			at++;
		while (at + n < line && data[at + n] != ' ')
			n++;
		snprintf(value, sizeof(value), "%.*s", (int)(n < sizeof(value) ? n : sizeof(value)),
			(const char *)data + at);
		at += n;
		if (n > 0 && parse_parameter(h, value) != 0) {
			for (char *c = value; *c; c++)
				if (*c < ' ' || *c > '~')
					*c = '?';
			return lsched_i_say(-1, why, why_bytes,
				"'%s' in the first line of this .y4m%s", value,
				value[0] == 'I' ? ": Ip, It, Ib, Im and I? are read"
						: " is no side of 1 to 65,535 pixels");
		}
	}
	if (!h->width || !h->height)
		return lsched_i_say(
			-1, why, why_bytes, "the first line of this .y4m has no W or no H");
	if (!h->fps_num || !h->fps_den) {
		h->fps_num = 25;
		h->fps_den = 1;
	}
	if (h->sar_num > 65535 || h->sar_den > 65535) /* sar_width is u(16) */
		h->is_i420 = 0;
	return 0;
}

int h264i_i_y4m_frame_line(const uint8_t *data, size_t bytes)
{
	static const char word[] = "FRAME";
	const size_t n = sizeof(word) - 1;
	const uint8_t *end;

	if (memcmp(data, word, bytes < n ? bytes : n) != 0 ||
		(bytes > n && data[n] != ' ' && data[n] != '\n'))
		return -1;
	if (bytes > IO_Y4M_FRAME_LINE_MAX)
		bytes = IO_Y4M_FRAME_LINE_MAX;
	end = memchr(data, '\n', bytes);
	if (!end)
		return bytes == IO_Y4M_FRAME_LINE_MAX ? -1 : 0;
	return (int)(end - data) + 1;
}
