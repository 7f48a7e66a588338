/* The text of disabled modes: the bits of all entries, what is refused. */
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <h264intra/h264intra.h>

#include <stdio.h>
#include <string.h>

/* Returns the bits of a text, or UINT32_MAX if it is refused; then nothing has changed. */
static uint32_t bits_of(const char *text, char msg[300])
{
	h264i_options o, before;
	h264i_status s;

	h264i_options_init(&o);
	CU_ASSERT_EQUAL(h264i_options_set_preset(&o, "ultrafast"), H264I_OK);
	before = o;
	s = h264i_options_read_modes(&o, text, msg, 300);
	if (s == H264I_OK)
		before.disable_modes = o.disable_modes;
	else
		CU_ASSERT_TRUE(s == H264I_ERR_ARG && *msg);
	CU_ASSERT_EQUAL(memcmp(&o, &before, sizeof(o)), 0);
	return s == H264I_OK ? o.disable_modes : UINT32_MAX;
}

/* The numbers are those of tables 8-2, 8-4 and 8-5 of the standard. */
static void test_bits(void)
{
	static const struct {
		const char *text;
		uint32_t bits;
	} cases[] = { { "none", 0 }, { "", 0 }, { "i4:0", 1 }, { "i4:vertical", 1 },
		{ "i4:3", 1 << 3 }, { "i4:ddl", 1 << 3 }, { "i4:8", 1 << 8 }, { "i4:hu", 1 << 8 },
		{ "i16:0", 1 << 9 }, { "i16:plane", 1 << 12 }, { "i16:3", 1 << 12 },
		{ "chroma:1", 1 << 14 }, { "chroma:horizontal", 1 << 14 }, { "chroma:3", 1 << 16 },
		{ "i4:all", 1 << 17 }, { "i16:all", 1 << 18 }, { "i4:upright", 1 << 19 },
		{ "i4:1,chroma:plane", 1 << 1 | 1 << 16 }, { "i4:1,i4:horizontal,", 1 << 1 } };
	char msg[300];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(bits_of(cases[i].text, msg), cases[i].bits);
}

static void test_table(void)
{
	const h264i_tool *t;
	char text[64], msg[300];

	for (unsigned i = 0; (t = h264i_get_tool(i)) != NULL; i++) {
		snprintf(text, sizeof(text), "%s:%s", t->kind, t->name);
		CU_ASSERT_EQUAL(bits_of(text, msg), t->disable ? t->disable : UINT32_MAX);
	}
}

static void test_refused(void)
{
	static const char *const cases[] = { "i4:2", "i4:dc", "i4:9", "i4:-1", "i4:-2", "i8:all",
		"pcm:all", "i16:4", "chroma:0", "i4", ":", ",", "none,i4:3", "i4:3,none", "i4:3 ",
		" i4:3", "I4:3", "i4:33", "i4:3,,i4:1", "i4:all,i16:all",
		"i4:................................................................" };
	char msg[300];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(bits_of(cases[i], msg), UINT32_MAX);
	bits_of("i4:3,i4:2", msg);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "'i4:2' is not"));
}

static void test_arguments(void)
{
	h264i_options o;
	char msg[4];

	h264i_options_init(&o);
	CU_ASSERT_EQUAL(h264i_options_read_modes(NULL, "none", NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_options_read_modes(&o, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(strlen(msg), 3);
	CU_ASSERT_EQUAL(h264i_options_read_modes(&o, "x", NULL, 0), H264I_ERR_ARG);
	o.struct_bytes = 8;
	CU_ASSERT_EQUAL(h264i_options_read_modes(&o, "none", msg, sizeof(msg)), H264I_ERR_ARG);
}

/* Any bytes end in a result. */
static void test_random(void)
{
	static const char *const words[] = { "i4", "i16", "chroma", ":", ":", ",", "all", "0", "3",
		"none", "upright", "plane", "\xff", "%s" };
	int good = 0;

	for (int round = 0; round < 20000; round++) {
		char text[200] = "", msg[300];
		int n = (int)rng_below(8);

		while (n-- > 0)
			strcat(text, words[rng_below(sizeof(words) / sizeof(words[0]))]);
		good += bits_of(text, msg) != UINT32_MAX;
	}
	CU_ASSERT_TRUE(good > 1000 && good < 19000);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "texts and their bits", test_bits },
		{ "each tool of the table that has a bit is read by its name", test_table },
		{ "other entries are refused, and nothing is set", test_refused },
		{ "arguments", test_arguments },
		{ "random texts", test_random },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("modes_text", tests);
}
