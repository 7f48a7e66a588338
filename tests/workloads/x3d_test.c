/* x3d: numbers against strtof(), texts whose parts cross the edges of segments and tiles, what is
 * refused, and why. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "tests/workloads/x3d_text.h"
#include "workloads/common/random.h"
#include "workloads/x3d/body.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

extern const wl_type wl_x3d_type;

static const char file[] = "x3d_test.x3d";

/* A number alone, against the library's. */
static void expect_float(const char *text)
{
	char padded[X3D_NUMBER + 16];
	char *end;
	const float truth = strtof(text, &end);
	float f;
	const int n = snprintf(padded, sizeof(padded), "%s ", text);
	const uint32_t error = x3d_float((const uint8_t *)padded, &f);

	if (error != (*end || n < 2 ? X3D_E_NUMBER : X3D_OK) ||
		(error == X3D_OK && memcmp(&f, &truth, sizeof(f)) != 0)) {
		fprintf(stderr, "'%s' is %a, error %u, not %a\n", text, f, error, truth);
		CU_ASSERT(0);
	}
}

static void test_known(void)
{
	static const char *const texts[] = { "0", "-0", "1.", ".5", ".", "+", "-", "", "e5", "1e",
		"1e+", "1e5", "1E-5", "+.5e-3", "1..2", "1.2.3", "1e5.", "1f", "inf", "-INFINITY",
		"infinit", "nan", "-NaN", "nano", "0x", "0x1", "0x1p", "0x1.8p3", "0X.8P-1",
		"0x.p1", "0x1p-149", "0x1p-150", "0x1.8p-150", "0x1.fffffep127", "0x1.ffffffp127",
		"0x1p128", "0x1.000001p0", "0x1.0000010000000000001p0", "0x1.000003p0",
		"0x10000000000000001", "16777217", "16777219", "3.4028235677973366e38",
		"3.4028235677973365e38", "340282356779733661637539395458142568448", "1e39", "1e-46",
		"340282356779733661637539395458142568447.99", "7.0064923216240853e-46",
		"7.0064923216240854e-46", "1.401298464324817e-45", "1.17549428e-38",
		"1.1754942106924411e-38", "0e99999999999", "1e-99999999999", "1e99999999999",
		"9007199791611905", "123456789012345678901234567890",
		"0.000000000000000000000000000000000000000000000000000000000000000001e66",
		"1.00000005960464477539062500000000000000000000000000000000000000000000",
		"1.00000005960464477539062500000000000000000000000000000000000000000001",
		"1.00000017881393432617187500000000000000000000000000000000000000000000",
		"1.00000017881393432617187499999999999999999999999999999999999999999999" };

	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
		expect_float(texts[k]);
}

/* Floats, and the middle between two, in several notations. */
static void test_random(void)
{
	char text[200];

	for (uint32_t k = 0; k < 60000; k++) {
		const uint32_t bits = wl_hash(2 * k), r = wl_hash(2 * k + 1);
		union {
			uint32_t bits;
			float f;
		} u = { .bits = bits };
		const double middle = ((double)u.f + (double)nextafterf(u.f, 0)) / 2;

		if (!isfinite(u.f))
			continue;
		snprintf(text, sizeof(text), "%.*g", (int)(r % 20), u.f);
		expect_float(text);
		snprintf(text, sizeof(text), "%.*e", (int)(r % 130), middle);
		expect_float(text);
		snprintf(text, sizeof(text), "%a", middle);
		expect_float(text);
		snprintf(text, sizeof(text), "%.*f", (int)(r % 9), (double)(int32_t)r * 0x1p-20);
		expect_float(text);
	}
}

static void test_ints(void)
{
	static const struct {
		const char *text;
		uint32_t error, v;
	} cases[] = { { "0 ", X3D_OK, 0 }, { "-1,", X3D_OK, UINT32_MAX }, { "+7'", X3D_OK, 7 },
		{ "4294967295 ", X3D_OK, UINT32_MAX }, { "4294967296 ", X3D_E_NUMBER, 0 },
		{ "-2147483648 ", X3D_OK, 0x80000000u }, { "-2147483649 ", X3D_E_NUMBER, 0 },
		{ "0xfF ", X3D_OK, 255 }, { "0x ", X3D_E_NUMBER, 0 }, { "- ", X3D_E_NUMBER, 0 },
		{ "1.5 ", X3D_E_NUMBER, 0 }, { "010 ", X3D_OK, 10 }, { "9a ", X3D_E_NUMBER, 0 },
		{ "99999999999999999999 ", X3D_E_NUMBER, 0 } };

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		uint32_t v;
		const uint32_t error = x3d_int((const uint8_t *)cases[k].text, &v);

		CU_ASSERT_EQUAL(error, cases[k].error);
		CU_ASSERT_TRUE(error != X3D_OK || v == cases[k].v);
	}
}

/* Each part at each place of a segment, and of a tile. */
static void test_edges(void)
{
	static const char part[] =
		"<!-- - <a> & ' \" > --><?p ' <b \" ?><![CDATA[ ]] ]> <c d=\" ]]>&lt;&#x41;\n"
		"<Coordinate point = '1 -2.5,\n.5e1' DEF=\"a>b'c\"/><\xc3\xa9 x='&amp;' "
		"coordIndex=\"1 2 3 0x4\"><b></b></\xc3\xa9 >";
	const size_t bytes = 2 * X3D_TILE + 4096;
	char *text = malloc(bytes + sizeof(part) + 16);
	x3d_text x;

	CU_ASSERT_FATAL(text && x3d_text_open(&x, 3) == 0);
	x.tasks = 1;
	for (uint32_t shift = 0; shift < sizeof(part) + X3D_SEGMENT; shift++) {
		uint32_t error;
		size_t n = 3;

		strcpy(text, "<a>");
		memset(text + n, ' ', shift);
		for (n += shift; n < bytes; n += sizeof(part) - 1)
			memcpy(text + n, part, sizeof(part));
		strcpy(text + n, "</a>");
		if (x3d_text_read(&x, text, n + 4, &error) || error != X3D_OK) {
			fprintf(stderr, "shift %u: %s\n", shift, x.why);
			CU_ASSERT(0);
		}
	}
	x3d_text_close(&x);
	free(text);
}

/* Writes a tree of so many elements: in turn deep, wide, and at random. */
static size_t write_tree(char *to, uint32_t nodes, uint32_t kind)
{
	uint32_t depth = 1, random = kind;
	char *at = to + sprintf(to, "<a>");

	for (uint32_t k = 1; k < nodes; k++) {
		const int open = kind % 3 == 0   ? k < nodes / 2
				 : kind % 3 == 1 ? 0
						 : (random = wl_hash(random)) % 5 < 2;

		at += sprintf(at, open ? "<b%u>" : "<b%u/>", open ? depth : k);
		depth += (uint32_t)open;
		while (depth > 1 && kind % 3 == 2 && (random = wl_hash(random)) % 9 < 4)
			at += sprintf(at, "</b%u>", --depth);
	}
	while (depth > 1)
		at += sprintf(at, "</b%u>", --depth);
	return (size_t)(at + sprintf(at, "</a>") - to);
}

/* More elements than there is room for at first. */
static void test_trees(void)
{
	const uint32_t most = (uint32_t)test_effort(200000, 40000, 5000);
	char *text = malloc(24 * (size_t)most + 64);
	x3d_text x;

	CU_ASSERT_FATAL(text && x3d_text_open(&x, 3) == 0);
	for (uint32_t k = 0; k < 12; k++) {
		uint32_t error;
		const size_t bytes = write_tree(text, k < 6 ? most : 15 + k, k);
		const uint32_t room = (uint32_t)bytes / 64 + 64;

		x.tasks = k % 2;
		if (x3d_text_read(&x, text, bytes, &error) || error != X3D_OK) {
			fprintf(stderr, "tree %u: %s\n", k, x.why);
			CU_ASSERT(0);
		}
		CU_ASSERT_EQUAL(x.h->truth.count[X3D_N_NODES], k < 6 ? most : 15 + k);
		CU_ASSERT_EQUAL(k<6, x.h->truth.count[X3D_N_NODES]> room);
		/* an end tag that fits another start tag */
		text[bytes - 2] = 'x';
		CU_ASSERT_TRUE(x3d_text_read(&x, text, bytes, &error) == 0 && error == X3D_E_CLOSE);
	}
	x3d_text_close(&x);
	free(text);
}

/* What is wrong where: of the reader of one thread; tasks refuse it, too. */
static void test_refused(void)
{
	static const struct {
		const char *text;
		uint32_t error, at;
	} cases[] = { { "", X3D_E_PROLOG, 0 }, { "<a>", X3D_E_END, 3 },
		{ "<a></b>", X3D_E_CLOSE, 3 }, { "<a b='1' c='' b='2'/>", X3D_E_DOUBLE, 14 },
		{ "<a b=1/>", X3D_E_TAG, 5 }, { "<a b='<'/>", X3D_E_LESS, 6 },
		{ "<a/><b/>", X3D_E_ROOTS, 4 }, { "<a/>x", X3D_E_OUTSIDE, 4 },
		{ "x<a/>", X3D_E_PROLOG, 0 }, { "<a>]]></a>", X3D_E_BRACKETS, 3 },
		{ "<a>&x;</a>", X3D_E_ENTITY, 3 }, { "<a>&x</a>", X3D_E_REFERENCE, 3 },
		{ "<a>&#0;</a>", X3D_E_CODE, 3 }, { "<a><!-- -- --></a>", X3D_E_COMMENT, 10 },
		{ "<a><!--></a>", X3D_E_ARROW, 3 }, { "<a><!b></a>", X3D_E_MARKUP, 3 },
		{ "<a><?xml ?></a>", X3D_E_INSTRUCTION, 3 }, { "<a>\x01</a>", X3D_E_CHARACTER, 3 },
		{ "<a>\xff</a>", X3D_E_CHARACTER, 3 }, { "<a><1/></a>", X3D_E_NAME, 3 },
		{ "<!DOCTYPE a []><a/>", X3D_E_SUBSET, 12 },
		{ "<?xml version='1.0' encoding='latin1'?><a/>", X3D_E_ENCODING, 37 },
		{ "<a index='7 -1. 2'/>", X3D_E_NUMBER, 12 },
		{ "<a point='1 x'/>", X3D_E_NUMBER, 12 },
		{ "<a point='1 \v2'/>", X3D_E_CHARACTER, 12 },
		{ "<a point='1\"2'/>", X3D_E_NUMBER, 10 }, { "<a point='>'/>", X3D_E_NUMBER, 10 },
		{ "<a/ >", X3D_E_TAG, 2 } };
	x3d_text x;

	CU_ASSERT_FATAL(x3d_text_open(&x, 2) == 0);
	x.tasks = 1;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		uint32_t error;
		const int bad = x3d_text_read(&x, cases[k].text, strlen(cases[k].text), &error);

		if (bad || error == X3D_OK || x.h->truth.error != cases[k].error ||
			x.h->truth.at != cases[k].at) {
			fprintf(stderr, "'%s': error %u of one thread at %u, %u of tasks\n",
				cases[k].text, x.h->truth.error, x.h->truth.at, error);
			CU_ASSERT(0);
		}
	}
	x3d_text_close(&x);
}

/* A file that is refused, and one whose result is changed. */
static void test_workload(void)
{
	x3d_options o = { .input = file };
	harness h;
	x3d_host *host;
	FILE *f = fopen(file, "w");

	CU_ASSERT_FATAL(f && fputs("<a>\n<b c='1' c='2'/></a>", f) > 0 && fclose(f) == 0);
	CU_ASSERT_EQUAL(harness_open(&h, &wl_x3d_type, &o, 2), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "x3d_test.x3d: byte 13, line 2: an attribute twice"));
	harness_close(&h);
	o.input = NULL;
	o.n = 5000;
	CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_x3d_type, &o, 2), 0);
	CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 2), 0);
	host = h.w.host_data;
#define IS_WRONG() CU_ASSERT_EQUAL(x3d_check(&h.w, &h.d, h.why, sizeof(h.why)), -1)
	host->ctx.node[1].parent++;
	IS_WRONG();
	host->ctx.node[1].parent--;
	host->ctx.attribute[3].end++;
	IS_WRONG();
	host->ctx.attribute[3].end--;
	host->ctx.floats[7] = -host->ctx.floats[7];
	IS_WRONG();
	host->ctx.floats[7] = -host->ctx.floats[7];
	host->ctx.state->count[X3D_N_INTS]--;
	IS_WRONG();
	host->ctx.state->count[X3D_N_INTS]++;
	CU_ASSERT_EQUAL(x3d_check(&h.w, &h.d, h.why, sizeof(h.why)), 0);
	harness_close(&h);
}

int main(void)
{
	CU_TestInfo tests[] = { { "known numbers are those of strtof", test_known },
		{ "random numbers are those of strtof", test_random }, { "integers", test_ints },
		{ "parts at the edges of segments and tiles", test_edges }, { "trees", test_trees },
		{ "texts that are refused", test_refused },
		{ "files that are refused, and wrong results", test_workload }, CU_TEST_INFO_NULL };
	const int bad = test_run_one("x3d", tests);

	remove(file);
	return bad;
}
