/* Texts of a chart: estimated widths and line breaks. */
#ifndef APPS_COMMON_CHART_TEXT_H
#define APPS_COMMON_CHART_TEXT_H

#include "apps/common/xml.h"

/* Returns the estimated width of a text, or of its first `bytes` bytes, in px for a type size in
 * px. The result is slightly too large for most fonts, because the font is not known. */
double chart_text_px(const char *text, double size);
double chart_bytes_px(const char *text, size_t bytes, double size);

/* Returns the length in bytes of the first line of a text that fits into `width` px, and sets
 * *after to the start of the next line. A word that is too long is a line. */
size_t chart_next_line(const char *text, double width, double size, const char **after);

/* Returns the number of these lines, 0 for NULL. */
size_t chart_line_count(const char *text, double width, double size);

/* Writes these lines from the baseline y on, with attributes `style`. Returns the next baseline. */
double chart_put_lines(xml_out *x, const char *text, double width, double size, double left,
	double y, const char *style);
#endif
