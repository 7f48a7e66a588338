/* A scene by formula: groups and shapes as many as in the paper's for its bytes (13 MB: 1,400
 * shapes, 900 other nodes), most of the text lists of numbers in several notations. */
#include "workloads/x3d/host.h"
#include "workloads/common/memory.h"
#include "workloads/common/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
	char *text;
	size_t used, room;
	uint32_t seed, drawn;
} writer;

static uint32_t draw(writer *w)
{
	return wl_hash(w->seed ^ wl_hash(w->drawn++));
}

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	w->used += (size_t)vsnprintf(w->text + w->used, w->room - w->used, format, args);
	va_end(args);
}

/* A float of a list; the notation depends on chance. */
static void put_float(writer *w)
{
	const uint32_t r = draw(w);
	const double v = ((double)draw(w) - 2147483648.0) * 0x1p-31;

	if (r % 64 == 0)
		put(w, "%.9e", v * 1e-5);
	else if (r % 64 == 1)
		put(w, "%d", (int)(v * 100));
	else
		put(w, "%.*f", 4 + (int)(r >> 30), v);
}

/* Values for about so many bytes, three in a row. */
static void put_floats(writer *w, const char *name, size_t bytes)
{
	const size_t end = w->used + bytes;
	const char *between = draw(w) % 2 ? ", " : "\n";

	put(w, " %s='", name);
	for (uint32_t k = 0; k == 0 || w->used < end; k++) {
		put(w, "%s", k == 0 ? "" : k % 3 ? " " : between);
		put_float(w);
	}
	put(w, "'");
}

static void put_ints(writer *w, size_t bytes)
{
	const size_t end = w->used + bytes;

	put(w, " coordIndex=\"");
	while (w->used < end)
		put(w, "%u %u %u -1 ", draw(w) % 3000, draw(w) % 3000, draw(w) % 3000);
	put(w, "\"");
}

static void put_shape(writer *w, uint32_t number, size_t bytes)
{
	const size_t begin = w->used;

	put(w, "<Shape DEF=\"s%u\">\n <Appearance><Material", number);
	put_floats(w, "diffuseColor", 16);
	put(w, " shininess=\"0.%u\"/></Appearance>\n <IndexedFaceSet solid=\"%s\"", draw(w) % 1000,
		draw(w) % 2 ? "true" : "false");
	if (bytes > 400)
		put_ints(w, (bytes - 400) / 4);
	put(w, ">\n  <Coordinate");
	put_floats(w, "point", bytes > w->used - begin + 120 ? bytes - (w->used - begin) - 120 : 0);
	put(w, "/>\n%s </IndexedFaceSet>\n</Shape >\r\n",
		number % 50 ? "" : "<!-- &no 'end' <of> a - list --><?keep <this>?>");
}

/* A node without children, or the begin of a group. */
static void put_other(writer *w, uint32_t *open)
{
	switch (draw(w) % 4) {
	case 0:
		put(w, "<Viewpoint description='A &amp; B &#x42; \"C\"'");
		put_floats(w, "position", 20);
		put(w, "/>\n");
		break;
	case 1:
		put(w, "<Script url = \"a.js\"><![CDATA[ if (a < b && b > c) d = ']' ; "
		       "]]></Script>\n");
		break;
	default:
		if (*open < 12 && draw(w) % 2) {
			put(w, "<Transform DEF='t%u'", draw(w));
			put_floats(w, "translation", 20);
			put(w, ">\n");
			++*open;
		} else if (*open) {
			put(w, "<Group/></Transform>\n");
			--*open;
		} else {
			put(w, "<Group bboxSize='1e0 2.50 .5'></Group>\n");
		}
	}
}

uint32_t x3d_generate(uint64_t bytes, uint32_t seed, char **text, char *msg, size_t n)
{
	const uint64_t shapes = bytes < 300 ? 0 : bytes * 1400 / 13000000 + 1;
	writer w = { .room = bytes + bytes / 2 + 65536, .seed = seed };
	uint32_t open = 0;

	*text = w.text = wl_host_alloc(w.room, msg, n);
	if (!w.text)
		return 0;
	put(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE X3D PUBLIC "
		"\"ISO//Web3D//DTD "
		"X3D 3.3//EN\" \"http://www.web3d.org/specifications/x3d-3.3.dtd\">\n"
		"<X3D version='3.3' profile='Immersive'>\n<Scene>\n");
	for (uint64_t k = 0; k < shapes && w.used < bytes; k++) {
		const uint64_t mean = (bytes - w.used) / (shapes - k);

		if (draw(&w) % 14 < 9)
			put_other(&w, &open);
		put_shape(&w, (uint32_t)k, (size_t)(mean / 2 + mean * (draw(&w) % 1024) / 1024));
	}
	while (open--)
		put(&w, "</Transform>");
	put(&w, "</Scene>\n</X3D>\n");
	return (uint32_t)w.used;
}
