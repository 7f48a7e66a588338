/* x3d_bench [BYTES | FILE]: the peers of `gsched run x3d` on one CPU thread: the tree of a scene by
 * libxml2 and pugixml, and the numbers of its lists by strtof() or std::from_chars(). Medians; the
 * counts of elements and numbers are compared with those of the workload's reader. C++, because
 * pugixml is. */
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <libxml/parser.h>
#include <pugixml.hpp>
#include <string>
#include "bench/bench.h"
#include "workloads/x3d/host.h"
#include "workloads/x3d/lexer.h"

enum { REPEAT = 9 };
enum { TREE, STRTOF, FROM_CHARS };

static x3d_name names[X3D_NAMES];
static volatile uint32_t last; /* bits of numbers, so that they are read */

struct counts {
	uint32_t nodes, numbers;
};

static void read_list(counts *n, int method, const char *name, const char *s)
{
	const uint32_t kind = x3d_value_kind(names, (const uint8_t *)name, (uint32_t)strlen(name));
	const char *end = s + (kind == X3D_WORDS ? 0 : strlen(s));

	while (s < end) {
		char *stop = NULL;
		uint32_t v = 0;
		float f = 0;

		if (strchr(" \t\n\r,", *s)) {
			s++;
			continue;
		}
		if (kind == X3D_INTS && method == STRTOF)
			v = (uint32_t)strtoll(s, &stop, 10);
		else if (kind == X3D_INTS)
			stop = (char *)std::from_chars(s, end, *(int32_t *)&v).ptr;
		else if (method == STRTOF)
			f = strtof(s, &stop);
		else
			stop = (char *)std::from_chars(s, end, f).ptr;
		last = v + (uint32_t)f;
		n->numbers++;
		s = stop > s ? stop : s + 1;
	}
}

static void walk_libxml(counts *n, int method, xmlNodePtr e)
{
	for (; e; e = e->next) {
		if (e->type != XML_ELEMENT_NODE)
			continue;
		n->nodes++;
		for (xmlAttrPtr a = e->properties; method != TREE && a; a = a->next)
			if (a->children && a->children->content)
				read_list(n, method, (const char *)a->name,
					(const char *)a->children->content);
		walk_libxml(n, method, e->children);
	}
}

static counts by_libxml(const std::string &text, int method)
{
	const xmlDocPtr doc = xmlReadMemory(text.data(), (int)text.size(), "scene", NULL,
		XML_PARSE_HUGE | XML_PARSE_NONET | XML_PARSE_COMPACT);
	counts n = { 0, 0 };

	if (doc)
		walk_libxml(&n, method, xmlDocGetRootElement(doc));
	xmlFreeDoc(doc);
	return n;
}

static void walk_pugixml(counts *n, int method, pugi::xml_node parent)
{
	for (pugi::xml_node e : parent.children()) {
		if (e.type() != pugi::node_element)
			continue;
		n->nodes++;
		for (pugi::xml_attribute a = e.first_attribute(); method != TREE && a;
			a = a.next_attribute())
			read_list(n, method, a.name(), a.value());
		walk_pugixml(n, method, e);
	}
}

static counts by_pugixml(const std::string &text, int method)
{
	pugi::xml_document doc;
	counts n = { 0, 0 };

	if (doc.load_buffer(text.data(), text.size()))
		walk_pugixml(&n, method, doc);
	return n;
}

static counts by_reader(const std::string &text, int)
{
	x3d_tree t;
	counts n = { 0, 0 };

	if (x3d_serial(names, (const uint8_t *)text.data(), (uint32_t)text.size() - X3D_PAD, &t) ==
		0)
		n = { t.count[X3D_N_NODES], t.count[X3D_N_FLOATS] + t.count[X3D_N_INTS] };
	x3d_tree_free(&t);
	return n;
}

static void measure(const char *name, counts (*read)(const std::string &, int),
	const std::string &text, int method, counts truth)
{
	double ms[REPEAT];
	counts n = { 0, 0 };

	for (double &v : ms) {
		const double begin = now_s();

		n = read(text, method);
		v = 1e3 * (now_s() - begin);
	}
	qsort(ms, REPEAT, sizeof(*ms), by_value);
	printf("%-34s | %9.3f | %7.0f%s\n", name, ms[REPEAT / 2],
		1e-3 * (double)text.size() / ms[REPEAT / 2],
		n.nodes == truth.nodes && (method == TREE || n.numbers == truth.numbers)
			? ""
			: " | wrong counts");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "13000000";
	std::string text;
	char *made = NULL, why[256] = "";

	if (strspn(what, "0123456789") == strlen(what)) {
		const uint32_t bytes =
			x3d_generate(strtoull(what, NULL, 10), 1, &made, why, sizeof(why));

		text.assign(made ? made : "", bytes);
		free(made);
	} else {
		std::ifstream file(what, std::ios::binary);

		text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
	}
	x3d_make_names(names);

	const std::string padded = text + std::string(2 * X3D_PAD, '\0');
	const std::string with_end = padded.substr(0, text.size() + X3D_PAD);
	const counts truth = by_reader(with_end, TREE);

	if (!truth.nodes) {
		fprintf(stderr, "x3d_bench: %s: no scene; %s\n", what, why);
		return 1;
	}
	printf("%zu bytes, %u elements, %u numbers\n%-34s | %9s | %7s\n", text.size(), truth.nodes,
		truth.numbers, "one CPU thread", "ms", "MB/s");
	measure("libxml2, tree", by_libxml, text, TREE, truth);
	measure("libxml2, strtof", by_libxml, text, STRTOF, truth);
	measure("libxml2, from_chars", by_libxml, text, FROM_CHARS, truth);
	measure("pugixml, tree", by_pugixml, text, TREE, truth);
	measure("pugixml, strtof", by_pugixml, text, STRTOF, truth);
	measure("pugixml, from_chars", by_pugixml, text, FROM_CHARS, truth);
	measure("row plain of gsched run x3d", by_reader, with_end, STRTOF, truth);
	return 0;
}
