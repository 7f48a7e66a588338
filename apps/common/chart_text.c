#include "apps/common/chart_text.h"

#include <string.h>

/* Widths of letters in em. */
double chart_bytes_px(const char *text, size_t bytes, double size)
{
	double em = 0;

	for (size_t i = 0; i < bytes; i++) {
		const unsigned char c = (unsigned char)text[i];

		if ((c & 0xc0) == 0x80)
			continue;
		em += strchr("ijl.,:;'|!()[] ft", c) ? 0.36
		      : strchr("mwMW@%", c)          ? 0.95
		      : c >= 'A' && c <= 'Z'         ? 0.72
						     : 0.61;
	}
	return em * size;
}

double chart_text_px(const char *text, double size)
{
	return text ? chart_bytes_px(text, strlen(text), size) : 0;
}

size_t chart_next_line(const char *s, double width, double size, const char **after)
{
	size_t fits = 0, end = 0;

	for (;;) {
		end += strcspn(s + end, " \n");
		if (fits && chart_bytes_px(s, end, size) > width)
			break;
		fits = end;
		if (s[end] != ' ')
			break;
		end++;
	}
	*after = s + fits + (s[fits] == ' ' || s[fits] == '\n');
	return fits;
}

size_t chart_line_count(const char *s, double width, double size)
{
	size_t n = 0;

	for (; s && *s; n++)
		(void)chart_next_line(s, width, size, &s);
	return n;
}

double chart_put_lines(xml_out *x, const char *s, double width, double size, double left, double y,
	const char *style)
{
	while (s && *s) {
		const char *after;
		size_t n = chart_next_line(s, width, size, &after);
		char line[512];

		if (n >= sizeof(line))
			n = sizeof(line) - 1;
		memcpy(line, s, n);
		line[n] = '\0';
		xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" %s>", left, y, size,
			style);
		xml_put_text(x, line);
		xml_put(x, "</text>\n");
		y += size + 4;
		s = after;
	}
	return y;
}
