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
	refuse("v 0 0 0\nf 1 1\n", "a face has 2 corners");
	refuse("v 0 0 0\nf 1 2 1\n",
		"bad: a corner of triangle 0 is vertex 1, but there are 1 vertices");
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
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 0\n2 0 0\n", "2 corners");
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 0\n3 0 -1 0\n", "corner -1");
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 0\n3 0 1 0\n",
		"bad: a corner of triangle 0 is vertex 1");
	refuse("ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n0 0 0\n1e12 0 0 0\n", "entries");
	refuse("ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\n"
	       "property float y\nproperty float z\n" FACE "end_header\n0 0 0\n",
		"the file ends");
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
		{ "words that are too long", test_long_words },
		{ "coordinates that are no floats", test_floats },
		{ "files that claim much", test_hostile },
		{ "meshes from formulas", test_shapes },
		{ "memory that the host does not have", test_memory },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mesh", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
