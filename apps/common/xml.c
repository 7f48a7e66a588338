#include "apps/common/xml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *xml_number(char text[XML_NUMBER_BYTES], double value)
{
	static const char units[] = " kMGT";
	size_t unit = 0;

	if (!isfinite(value)) {
		snprintf(text, XML_NUMBER_BYTES, "%s",
			isnan(value) ? "-"
			: value > 0  ? "infinite"
				     : "-infinite");
		return text;
	}
	if (fabs(value) >= 9999.5) { /* %.4g would round larger values to five digits */
		do {
			value /= 1000;
			unit++;
		} while (fabs(value) >= 999.5 && unit < 4);
		snprintf(text, XML_NUMBER_BYTES, fabs(value) < 999.5 ? "%.3g%c" : "%.0f%c", value,
			units[unit]);
	} else if (fabs(value) >= 999.5) {
		snprintf(text, XML_NUMBER_BYTES, "%.0f", value);
	} else {
		snprintf(text, XML_NUMBER_BYTES, "%.3g", value);
	}
	return text;
}

int xml_buffer_write(void *buffer, const char *text, size_t bytes)
{
	xml_buffer *b = (xml_buffer *)buffer;

	if (b->bytes + bytes + 1 > b->capacity) {
		const size_t capacity = 2 * (b->bytes + bytes) + 1;
		char *more = (char *)realloc(b->text, capacity);

		if (!more)
			return -1;
		b->text = more;
		b->capacity = capacity;
	}
	memcpy(b->text + b->bytes, text, bytes);
	b->bytes += bytes;
	b->text[b->bytes] = '\0';
	return 0;
}
