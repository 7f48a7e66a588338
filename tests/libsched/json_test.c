/* The JSON writer: layout, numbers, any bytes as text, failures. */
#include "libsched/core/json.h"
#include "libsched/core/utf8.h"
#include "tests/common/json.h"
#include "tests/common/testmain.h"
#include "tests/common/text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lsched_i_json begin(test_text *t)
{
	lsched_i_json j;

	memset(t, 0, sizeof(*t));
	lsched_i_json_begin(&j, test_text_append, t);
	return j;
}

static void expect(lsched_i_json *j, test_text *t, const char *want)
{
	const char *end;

	CU_ASSERT_EQUAL(lsched_i_json_end(j), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t->s);
	CU_ASSERT_STRING_EQUAL(t->s, want);
	if (strcmp(t->s, want) != 0)
		printf("\n%s", t->s);
	end = json_value(t->s);
	CU_ASSERT(end && *json_space(end) == '\0');
	free(t->s);
}

static void values_are_written_in_lines(void)
{
	test_text t;
	lsched_i_json j = begin(&t);

	lsched_i_json_object(&j, NULL);
	lsched_i_json_line(&j);
	lsched_i_json_text(&j, "a", "b");
	lsched_i_json_uint(&j, "n", UINT64_MAX);
	lsched_i_json_line(&j);
	lsched_i_json_array(&j, "list");
	lsched_i_json_line(&j);
	lsched_i_json_object(&j, NULL);
	lsched_i_json_sint(&j, "least", INT64_MIN);
	lsched_i_json_close(&j);
	lsched_i_json_line(&j);
	lsched_i_json_sint(&j, NULL, -7);
	lsched_i_json_line(&j);
	lsched_i_json_close(&j);
	lsched_i_json_array(&j, "none");
	lsched_i_json_close(&j);
	lsched_i_json_line(&j);
	lsched_i_json_close(&j);
	expect(&j, &t,
		"{\n \"a\": \"b\", \"n\": 18446744073709551615,\n \"list\": [\n"
		"  {\"least\": -9223372036854775808},\n  -7\n ], \"none\": []\n}\n");
	j = begin(&t);
	j.compact = 1;
	lsched_i_json_array(&j, NULL);
	lsched_i_json_object(&j, NULL);
	lsched_i_json_uint(&j, "a", 0);
	lsched_i_json_uint(&j, "b", 10);
	lsched_i_json_close(&j);
	lsched_i_json_line(&j);
	lsched_i_json_uint(&j, NULL, 1);
	lsched_i_json_close(&j);
	expect(&j, &t, "[{\"a\":0,\"b\":10},\n1]\n");
}

static void put_reals(lsched_i_json *j)
{
	lsched_i_json_array(j, NULL);
	lsched_i_json_fixed(j, NULL, 0.5, 3);
	lsched_i_json_fixed(j, NULL, -2.0 / 3, 4);
	lsched_i_json_fixed(j, NULL, 12.7, 0);
	lsched_i_json_general(j, NULL, 1234567.0, 6);
	lsched_i_json_general(j, NULL, 1e-300, 17);
	lsched_i_json_general(j, NULL, 0.1, 9);
	lsched_i_json_thousandths(j, NULL, 1234005);
	lsched_i_json_thousandths(j, NULL, 7);
	lsched_i_json_close(j);
}

static void objects_of_one_line_are_padded_on_request(void)
{
	test_text t;
	lsched_i_json j = begin(&t);

	j.padded = 1;
	lsched_i_json_object(&j, NULL);
	lsched_i_json_line(&j);
	lsched_i_json_object(&j, "a");
	lsched_i_json_uint(&j, "b", 1);
	lsched_i_json_array(&j, "c");
	lsched_i_json_uint(&j, NULL, 2);
	lsched_i_json_close(&j);
	lsched_i_json_close(&j);
	lsched_i_json_object(&j, "none");
	lsched_i_json_close(&j);
	lsched_i_json_line(&j);
	lsched_i_json_close(&j);
	expect(&j, &t, "{\n \"a\": { \"b\": 1, \"c\": [2] }, \"none\": {}\n}\n");
}

static void numbers_have_the_digits_requested(void)
{
	test_text t;
	lsched_i_json j = begin(&t);

	put_reals(&j);
	expect(&j, &t,
		"[0.500, -0.6667, 13, 1.23457e+06, 1e-300, 0.1, 1234.005, "
		"0.007]\n");
	j = begin(&t);
	lsched_i_json_array(&j, NULL);
	lsched_i_json_fixed(&j, NULL, INFINITY, 3);
	lsched_i_json_general(&j, NULL, NAN, 3);
	lsched_i_json_text(&j, NULL, NULL);
	lsched_i_json_bool(&j, NULL, 2);
	lsched_i_json_bool(&j, NULL, 0);
	lsched_i_json_digits(&j, NULL, "340282366920938463463374607431768211455");
	lsched_i_json_close(&j);
	CU_ASSERT_EQUAL(lsched_i_json_end(&j), 0);
	CU_ASSERT_STRING_EQUAL(
		t.s, "[null, null, null, true, false, 340282366920938463463374607431768211455]\n");
	free(t.s);
	j = begin(&t);
	lsched_i_json_fixed(&j, NULL, 1.7976931348623157e308, 17);
	CU_ASSERT_EQUAL(lsched_i_json_end(&j), 0);
	CU_ASSERT_EQUAL(t.bytes, 309 + 1 + 17 + 1);
	free(t.s);
}

/* Any bytes become valid JSON in UTF-8; well-formed UTF-8 stays as it is. */
static void any_bytes_are_text(void)
{
	static const char *const cases[][2] = {
		{ "", "\"\"\n" },
		{ "a/b \"c\" \\d", "\"a/b \\\"c\\\" \\\\d\"\n" },
		{ "\x01\n\t\x1f\x7f", "\"\\u0001\\u000a\\u0009\\u001f\\u007f\"\n" },
		{ "Stra\xc3\x9f"
		  "e \xe2\x82\xac \xf0\x9f\x8e\xac",
			"\"Stra\xc3\x9f"
			"e \xe2\x82\xac \xf0\x9f\x8e\xac\"\n" },
		{ "caf\xe9.mp4", "\"caf\\ufffd.mp4\"\n" },
		{ "\xff\xfe", "\"\\ufffd\\ufffd\"\n" },
		{ "\xc3", "\"\\ufffd\"\n" },                       /* cut */
		{ "\xe2\x82", "\"\\ufffd\\ufffd\"\n" },            /* cut */
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"\n" },            /* longer than needed */
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n" }, /* a surrogate */
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n" }, /* above U+10FFFF */
		{ "\x80"
		  "a",
			"\"\\ufffda\"\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_text t;
		lsched_i_json j = begin(&t);

		lsched_i_json_text(&j, NULL, cases[i][0]);
		expect(&j, &t, cases[i][1]);
	}
	for (int a = 1; a < 256; a++)
		for (int b = 1; b < 256; b++) {
			const char two[] = { (char)a, (char)b, '\0' };
			test_text t;
			lsched_i_json j = begin(&t);
			unsigned code;

			lsched_i_json_text(&j, NULL, two);
			CU_ASSERT_EQUAL(lsched_i_json_end(&j), 0);
			for (const char *p = t.s; *p; p += lsched_i_utf8_bytes(p, &code))
				if (!lsched_i_utf8_bytes(p, &code)) {
					CU_FAIL("not UTF-8");
					break;
				}
			CU_ASSERT(strcmp(json_value(t.s), "\n") == 0);
			free(t.s);
		}
}

static void texts_longer_than_a_block_are_written(void)
{
	char *name = malloc(10001);
	test_text t;
	lsched_i_json j = begin(&t);

	CU_ASSERT_PTR_NOT_NULL_FATAL(name);
	memset(name, 'x', 10000);
	name[10000] = '\0';
	lsched_i_json_text(&j, NULL, name);
	CU_ASSERT_EQUAL(lsched_i_json_end(&j), 0);
	CU_ASSERT_EQUAL(t.bytes, 10003);
	CU_ASSERT_EQUAL(strspn(t.s + 1, "x"), 10000);
	free(t.s);
	free(name);
}

static void failures_are_reported(void)
{
	test_text t;
	lsched_i_json j = begin(&t);

	t.limit = 5000;
	lsched_i_json_array(&j, NULL);
	for (uint64_t i = 0; i < 3000; i++)
		lsched_i_json_uint(&j, NULL, i);
	lsched_i_json_close(&j);
	CU_ASSERT_EQUAL(lsched_i_json_flush(&j), -1);
	CU_ASSERT_EQUAL(lsched_i_json_end(&j), -1);
	CU_ASSERT(t.bytes <= 5000);
	free(t.s);
	j = begin(&t);
	lsched_i_json_object(&j, NULL); /* left open */
	CU_ASSERT_EQUAL(lsched_i_json_end(&j), -1);
	free(t.s);
	j = begin(&t);
	lsched_i_json_close(&j); /* of nothing */
	CU_ASSERT_EQUAL(lsched_i_json_end(&j), -1);
	free(t.s);
	j = begin(&t);
	for (int i = 0; i <= LSCHED_I_JSON_DEPTH; i++)
		lsched_i_json_array(&j, NULL);
	CU_ASSERT_TRUE(j.failed);
	CU_ASSERT_EQUAL(j.depth, LSCHED_I_JSON_DEPTH);
	free(t.s);
}

static void the_locale_has_no_effect(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8" };
	const char *set = NULL;
	test_text t;
	lsched_i_json j = begin(&t);

	for (size_t i = 0; i < 3 && !set; i++)
		set = setlocale(LC_NUMERIC, names[i]);
	put_reals(&j);
	(void)setlocale(LC_NUMERIC, "C");
	CU_ASSERT_EQUAL(lsched_i_json_end(&j), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(t.s, "[0.500, -0.6667,"));
	free(t.s);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "values are written in lines", values_are_written_in_lines },
		{ "objects of one line are padded on request",
			objects_of_one_line_are_padded_on_request },
		{ "numbers have the digits requested", numbers_have_the_digits_requested },
		{ "any bytes are text", any_bytes_are_text },
		{ "texts longer than a block are written", texts_longer_than_a_block_are_written },
		{ "failures are reported", failures_are_reported },
		{ "the locale has no effect", the_locale_has_no_effect },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("json", tests);
}
