/* Meshes from files: the same mesh in every format, and what is wrong with others. */
#include "tests/common/testmain.h"
#include "workloads/common/memory.h"
#include "workloads/mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char msg[WL_MESH_MESSAGE_BYTES];

/* A square and a triangle on it. */
static const char obj[] = "# comment\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 1e0\nvn 0 0 1\n"
			  "f 1/1 2/2/1 3//1 4\ng part\nf -5 2 -1\n";
static const char ply_text[] =
	"ply\nformat ascii 1.0\ncomment x\nelement vertex 5\nproperty float x\nproperty float y\n"
	"property double z\nproperty uchar red\nelement face 2\nproperty uchar flag\n"
	"property list uchar int vertex_indices\nelement edge 1\nproperty int a\nend_header\n"
	"0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n.5 .5 1 9\n1 4 0 1 2 3\n0 3 0 1 4\n7\n";
static const uint32_t corners[9] = { 0, 1, 2, 0, 2, 3, 0, 1, 4 };

static int is_square(const wl_mesh *m)
{
	return m->vertices == 5 && m->triangles == 3 &&
	       memcmp(m->index, corners, sizeof(corners)) == 0 && m->xyz[3] == 1 &&
	       m->xyz[12] == 0.5 && m->xyz[14] == 1;
}

static void test_text(void)
{
	wl_mesh m;

	CU_ASSERT_EQUAL(wl_mesh_parse(&m, "a.obj", obj, strlen(obj), msg, sizeof(msg)), 0);
	CU_ASSERT_TRUE(is_square(&m));
	wl_mesh_free(&m);
	CU_ASSERT_EQUAL(
		wl_mesh_parse(&m, "a.ply", ply_text, strlen(ply_text), msg, sizeof(msg)), 0);
	CU_ASSERT_TRUE(is_square(&m));
	wl_mesh_free(&m);
}

/* Appends a value of `bytes` bytes in the byte order. */
static void put(unsigned char *file, size_t *n, uint64_t v, int bytes, int big)
{
	for (int i = 0; i < bytes; i++)
		file[(*n)++] = (unsigned char)(v >> 8 * (big ? bytes - 1 - i : i));
}

static uint64_t bits_of_float(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static uint64_t bits_of_double(double f)
{
	uint64_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

/* The square in binary. Returns its length. */
static size_t binary(unsigned char *file, int big)
{
	static const float at[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
		{ .5f, .5f, 1 } };
	size_t n = (size_t)sprintf((char *)file,
		"ply\nformat binary_%s_endian 1.0\nelement vertex 5\nproperty float x\n"
		"property double y\nproperty float z\nproperty short s\nelement face 2\n"
		"property list ushort uint vertex_index\nend_header\n",
		big ? "big" : "little");

	for (int i = 0; i < 5; i++) {
		put(file, &n, bits_of_float(at[i][0]), 4, big);
		put(file, &n, bits_of_double((double)at[i][1]), 8, big);
		put(file, &n, bits_of_float(at[i][2]), 4, big);
		put(file, &n, 77, 2, big);
	}
	put(file, &n, 4, 2, big);
	for (uint64_t i = 0; i < 4; i++)
		put(file, &n, i, 4, big);
	put(file, &n, 3, 2, big);
	put(file, &n, 0, 4, big);
	put(file, &n, 1, 4, big);
	put(file, &n, 4, 4, big);
	return n;
}

/* Both byte orders; and cut at every byte, which is an error each time. */
static void test_binary(void)
{
	unsigned char file[1024];
	wl_mesh m;

	for (int big = 0; big < 2; big++) {
		const size_t n = binary(file, big);

		CU_ASSERT_EQUAL(wl_mesh_parse(&m, "b.ply", file, n, msg, sizeof(msg)), 0);
		CU_ASSERT_TRUE(is_square(&m));
		wl_mesh_free(&m);
		for (size_t cut = 0; cut < n; cut++) {
			unsigned char *part =
				malloc(cut + 1); /* so that a sanitizer sees its end */

			memcpy(part, file, cut);
			msg[0] = '\0';
			CU_ASSERT_EQUAL(
				wl_mesh_parse(&m, "b.ply", part, cut, msg, sizeof(msg)), -1);
			CU_ASSERT_TRUE(strncmp(msg, "b.ply: ", 7) == 0);
			CU_ASSERT_PTR_NULL(m.xyz);
			free(part);
		}
	}
}

static void refuse(const char *text, const char *expected)
{
	wl_mesh m;

	msg[0] = '\0';
	CU_ASSERT_EQUAL(wl_mesh_parse(&m, "bad", text, strlen(text), msg, sizeof(msg)), -1);
	if (!strstr(msg, expected))
		printf("\n  '%s' does not say '%s'\n", msg, expected);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, expected));
	CU_ASSERT_PTR_NULL(m.index);
}

#define VERTEX "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE   "element face 1\nproperty list uchar int vertex_indices\n"

/* Words of more than 63 characters are errors where they are read, and no others. */
static void test_long_words(void)
{
	char text[512], digits[101];
	wl_mesh m;

	memset(digits, '0', 100);
	digits[99] = '1';
	digits[100] = '\0';
	snprintf(text, sizeof(text), "v 0 0 0\nv 0 1.%s 0\nv 0 0 0\nf 1 2 3\n", digits);
	refuse(text, "bad: line 2: '1.000000000000000000...' has 102 characters");
	snprintf(text, sizeof(text), "v 0 0 0\nf 1 1 1 %s", digits);
	refuse(text, "line 2: '00000000000000000000...' has 100 characters");
	snprintf(text, sizeof(text),
		"ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 .%s\n3 0 0 0\n", digits);
	refuse(text, "line 10: '.0000000000000000000...' has 101");
	snprintf(text, sizeof(text), "ply\nformat ascii 1.0\nelement %s 1\nend_header\n", digits);
	refuse(text, "line 3: '00000000000000000000...' has 100");
	snprintf(text, sizeof(text), "#%s\ng %s\nv 0 0 0 %s\nv 0 0 %.61s\nf 1 1 1\n", digits,
		digits, digits, digits);
	CU_ASSERT_EQUAL(wl_mesh_parse(&m, "a", text, strlen(text), msg, sizeof(msg)), 0);
	CU_ASSERT_EQUAL(m.vertices, 2);
	wl_mesh_free(&m);
}

/* The largest float is one, the next number of three digits is none. */
static void test_floats(void)
{
	static const char text[] = "v -3.4028234e38 0 0\nv 0 1e100 0\nf 1 1 1\n";
	wl_mesh m;

	CU_ASSERT_EQUAL_FATAL(wl_mesh_parse(&m, "a", text, strlen(text), msg, sizeof(msg)), 0);
	CU_ASSERT_EQUAL(wl_mesh_check_floats(&m, "a", msg, sizeof(msg)), -1);
	CU_ASSERT_STRING_EQUAL(
		msg, "a: vertex 1: coordinate y is 1e+100; it must be a finite float");
	m.xyz[4] = -0.0;
	CU_ASSERT_EQUAL(wl_mesh_check_floats(&m, "a", msg, sizeof(msg)), 0);
	CU_ASSERT_EQUAL(signbit(wl_mesh_float(m.xyz[4])), 0);
	wl_mesh_free(&m);
}

static void test_bad(void)
{
	refuse("", "empty");
	refuse("hello", "neither PLY nor OBJ");
	refuse("v 0 0\n", "line 1: a vertex has 2 coordinates");
	refuse("v 0 0 nan\n", "'nan' is no finite coordinate");
	refuse("v 0 0 0\nv 1e999 0 0\n", "line 2: '1e999' is no finite coordinate");
	refuse("v 0 0 0\nf 1 1 1\nf 1 2 1\n",
		"bad: a corner of face 1 is vertex 1, but there are 1 vertices");
	refuse("v 0 0 0\nf 0 1 1\n", "'0' is no corner");
	refuse("v 0 0 0\nf -2 1 1\n", "corner '-2' is no vertex; there are 1");
	refuse("v 0 0 0\nf 1x 1 1\n", "'1x' is no corner");
	refuse("ply\nformat ascii 2\n", "no end_header");
	refuse("ply\nformat ebcdic 1.0\nend_header\n", "'ebcdic' is no format");
	refuse("ply\n" VERTEX FACE "end_header\n", "states no format");
	refuse("ply\nformat ascii 1.0\n" VERTEX "end_header\n0 0 0\n", "no element `face`");
	refuse("ply\nformat ascii 1.0\n" FACE "end_header\n3 0 0 0\n", "no element `vertex`");
	refuse("ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", "'-1' is no number");
	refuse("ply\nformat ascii 1.0\nproperty float x\nend_header\n", "without element");
	refuse("ply\nformat ascii 1.0\nelement a 1\nproperty quad x\nend_header\n",
		"'quad' is no type");
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 inf 0\n3 0 0 0\n",
		"not finite");
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 0\n3 0 -1 0\n", "corner -1");
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 0\n3 0 1 0\n",
		"bad: a corner of face 0 is vertex 1");
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 0\n1e12 0 0 0\n", "entries");
	refuse("ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\n"
	       "property float y\nproperty float z\n" FACE "end_header\n0 0 0\n",
		"the file ends");
}

/* Whether a text is the mesh of so many triangles, with a warning or, if it is empty, without. */
static int reads(const char *text, size_t bytes, uint32_t vertices, const uint32_t *index,
	uint32_t triangles, const char *warning)
{
	wl_mesh m;
	const int bad = wl_mesh_parse(&m, "a", text, bytes, msg, sizeof(msg));
	const int is = !bad && m.vertices == vertices && m.triangles == triangles &&
		       memcmp(m.index, index, 3 * sizeof(*index) * triangles) == 0 &&
		       (*warning ? strstr(msg, warning) != NULL : !*msg);

	if (!is)
		printf("\n  %.60s...: %u vertices, %u triangles, '%s'\n", text, m.vertices,
			m.triangles, msg);
	wl_mesh_free(&m);
	return is;
}

#define READS(text, vertices, index, triangles, warning) \
	CU_ASSERT_TRUE(reads(text, sizeof(text) - 1, vertices, index, triangles, warning))
#define QUAD "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
#define HEAD                                                                            \
	"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n" \
	"property float z\nelement "
#define LIST "\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

/* What other programs write. */
static void test_tolerance(void)
{
	static const uint32_t quad[6] = { 0, 1, 2, 0, 2, 3 };
	static const uint32_t strip[6] = { 0, 1, 3, 3, 1, 2 };

	READS("\xef\xbb\xbf" QUAD "f 1 2 3 4\n", 4, quad, 2, "");
	READS("\xef\xbb\xbf" HEAD "face 1" LIST "4 0 1 2 3\n", 4, quad, 2, "");
	READS("v 0 0 0\rv 1 0 0\rv 1 1 0\rv 0 1 0\rf 1 2 3 4\r", 4, quad, 2, "");
	READS("v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3 4", 4, quad, 2, "");
	READS(QUAD "f 1 2 3 \\\n 4\n", 4, quad, 2, "");
	READS(QUAD "f 1 2\\\r\n3 \\\n\\\n 4\n", 4, quad, 2, "");
	READS(QUAD "curv 0 1 \\\n2 3 \\\nf 1 1 1\nf 1 2 3 4\n", 4, quad, 2, "");
	READS("# C:\\\n" QUAD "f 1 2 3 4 # D:\\\nf 1 2 3#\n", 4,
		((const uint32_t[9]){ 0, 1, 2, 0, 2, 3, 0, 1, 2 }), 3, "");
	READS(QUAD "f 1\nf 8 7\n", 4, quad, 0, "3 corners are skipped: 2; the first is face 0");
	READS(QUAD "f 1 2 3 4\nf 2 1\n", 4, quad, 2,
		"skipped: 1; the first is face 1 (from 0) with 2");
	READS(HEAD "face 3" LIST "2 0 1\n4 0 1 2 3\n0\n", 4, quad, 2,
		"skipped: 2; the first is face 0 (from 0) with 2");
	READS(QUAD "l 1 2\n", 4, quad, 0, "the mesh has no triangle");
	READS(HEAD "tristrips 1" LIST "6 0 1 3 2 -1 0\n", 4, strip, 2, "");
	/* joined to a second strip by triangles without area */
	READS(HEAD "tristrips 1" LIST "8 0 1 3 3 3 3 1 2", 4,
		((const uint32_t[6]){ 0, 1, 3, 1, 3, 2 }), 2, "");
	refuse(HEAD "tristrips 1" LIST "3 0 1 -2\n", "corner -2 is no vertex");
	/* the first line ends with CR alone, so the LF behind CR is the first byte of the data */
	READS("ply\rformat binary_little_endian 1.0\relement face 1\r"
	      "property list uchar uchar vertex_indices\relement vertex 1\rproperty char x\r"
	      "property char y\rproperty char z\rend_header\r\n\0\0\0\0\0\0\0\0\0\0\1\2\3",
		1, ((const uint32_t[24]){ 0 }), 8, "");
}

/* ---- polygons ---- */

static double area_of(const double a[3], const double b[3], const double c[3], const double n[3])
{
	double p[3], q[3], area = 0;

	for (int k = 0; k < 3; k++) {
		p[k] = b[k] - a[k];
		q[k] = c[k] - a[k];
	}
	for (int k = 0; k < 3; k++)
		area += n[k] * (p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
	return area / 2;
}

/* A star in a plane of normal n, whose spikes have lengths of a sequence. Returns its area. */
static double make_star(char *text, size_t room, uint32_t sides, uint32_t *seed, double n[3])
{
	double u[3] = { 0.8, 0.6, 0 }, v[3], area = 0, first = 0, before = 0;
	const double step = 2 * 3.14159265358979323846 / sides;
	size_t at = 0;

	n[0] = -0.6 * (*seed % 3 - 1.0), n[1] = 0.8 * (*seed % 3 - 1.0);
	n[2] = *seed % 3 == 1 ? 1 : 0;
	for (int k = 0; k < 3; k++)
		v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
	for (uint32_t i = 0; i < sides; i++) {
		double r, a = step * i;

		*seed = *seed * 1664525 + 1013904223;
		r = 0.05 + (*seed >> 8) / 16777216.0;
		at += (size_t)snprintf(text + at, room - at, "v %.17g %.17g %.17g\n",
			3 + r * (cos(a) * u[0] + sin(a) * v[0]),
			r * (cos(a) * u[1] + sin(a) * v[1]), r * (cos(a) * u[2] + sin(a) * v[2]));
		area += i ? before * r * sin(step) / 2 : 0;
		first = i ? first : r;
		before = r;
	}
	at += (size_t)snprintf(text + at, room - at, "f");
	for (uint32_t i = 1; i <= sides; i++)
		at += (size_t)snprintf(text + at, room - at, " %u", i);
	return area + before * first * sin(step) / 2;
}

/* The triangles of a polygon cover its area once. */
static void test_polygons(void)
{
	static char text[8192];
	uint32_t seed = 1;

	for (uint32_t sides = 5; sides < 60; sides++) {
		double n[3], area = make_star(text, sizeof(text), sides, &seed, n), sum = 0;
		int turned = 0;
		wl_mesh m;

		CU_ASSERT_EQUAL_FATAL(
			wl_mesh_parse(&m, "star", text, strlen(text), msg, sizeof(msg)), 0);
		for (uint32_t i = 0; i < m.triangles; i++) {
			const uint32_t *t = m.index + 3 * i;
			const double a =
				area_of(m.xyz + 3 * t[0], m.xyz + 3 * t[1], m.xyz + 3 * t[2], n);

			sum += a;
			turned |= a < 0;
		}
		CU_ASSERT_EQUAL(m.triangles, sides - 2);
		CU_ASSERT_FALSE(turned);
		CU_ASSERT_DOUBLE_EQUAL(sum, area, 1e-12);
		wl_mesh_free(&m);
	}
}

/* Polygons without a plane are fans, as are those whose areas are no numbers. */
static void test_no_plane(void)
{
	static const uint32_t fan[6] = { 0, 1, 2, 0, 2, 3 };

	READS("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n", 4, fan, 2, "");
	READS("v 1 1 1\nv 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3 4\n", 4, fan, 2, "");
	READS("v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n", 4, fan, 2, "");
	READS("v 0 0 0\nv 1e308 0 0\nv -1e308 1e308 0\nv 0 1 0\nf 1 2 3 4\n", 4, fan, 2, "");
}

/* A file that states many elements without properties, or ends in the header, takes no time. */
static void test_hostile(void)
{
	wl_mesh m;
	static const char none[] =
		"ply\nformat ascii 1.0\nelement ghost 18446744073709551615\n" VERTEX FACE
		"end_header\n0 0 0\n3 0 0 0\n";

	CU_ASSERT_EQUAL(wl_mesh_parse(&m, "a", none, strlen(none), msg, sizeof(msg)), 0);
	CU_ASSERT_EQUAL(m.triangles, 1);
	wl_mesh_free(&m);
	CU_ASSERT_EQUAL(wl_mesh_read(&m, "no/such/file.ply", msg, sizeof(msg)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "no/such/file.ply: No such file"));
	CU_ASSERT_EQUAL(wl_mesh_read(&m, "/", msg, sizeof(msg)), -1);
	CU_ASSERT_EQUAL(wl_mesh_read(&m, "/dev/zero", msg, sizeof(msg)), -1); /* has no end */
	CU_ASSERT_STRING_EQUAL(msg, "/dev/zero: this is neither PLY nor OBJ");
	CU_ASSERT_EQUAL(wl_mesh_read(&m, "", msg, sizeof(msg)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "--input: the name of a file is empty"));
	CU_ASSERT_EQUAL(wl_mesh_read(&m, "-", msg, sizeof(msg)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "standard input"));
}

/* What the host does not have is refused before Linux grants it. */
static void test_memory(void)
{
	FILE *f = fopen("/proc/meminfo", "r");

	CU_ASSERT_EQUAL(wl_host_has(0), 1);
	CU_ASSERT_EQUAL(wl_host_has(1 << 20), 1);
	if (!f)
		return;
	fclose(f);
	CU_ASSERT_EQUAL(wl_host_has(UINT64_C(1) << 62), 0);
	CU_ASSERT_PTR_NULL(wl_host_alloc((size_t)1 << 50, msg, sizeof(msg)));
	CU_ASSERT_STRING_EQUAL(
		msg, "out of memory: 1125899906.8 MB of host memory; a smaller input takes less");
}

/* Formulas: corners are vertices, coordinates finite, for every small size. */
static void test_shapes(void)
{
	for (uint64_t n = 0; n < 40; n++)
		for (int shape = 0; shape < 4; shape++) {
			wl_mesh m;
			int bad = shape == 0   ? wl_mesh_cloth(&m, n, 0.8, msg, sizeof(msg))
				  : shape == 1 ? wl_mesh_sphere(&m, n, 1, msg, sizeof(msg))
				  : shape == 2 ? wl_mesh_tori(&m, n, 0.1, msg, sizeof(msg))
					       : wl_mesh_random(&m, n, 1, 0.5, msg, sizeof(msg));

			CU_ASSERT_EQUAL_FATAL(bad, 0);
			for (size_t i = 0; i < (size_t)m.triangles * 3; i++)
				bad |= m.index[i] >= m.vertices;
			for (size_t i = 0; i < (size_t)m.vertices * 3; i++)
				bad |= !(m.xyz[i] > -10 && m.xyz[i] < 10);
			CU_ASSERT_EQUAL(bad, 0);
			wl_mesh_free(&m);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "OBJ and PLY as text", test_text },
		{ "binary PLY of both byte orders, cut at every byte", test_binary },
		{ "files that are wrong", test_bad },
		{ "what other programs write", test_tolerance },
		{ "triangles of polygons", test_polygons },
		{ "polygons without a plane", test_no_plane },
		{ "words that are too long", test_long_words },
		{ "coordinates that are no floats", test_floats },
		{ "files that claim much", test_hostile },
		{ "meshes from formulas", test_shapes },
		{ "memory that the host does not have", test_memory },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("mesh", tests);
}
