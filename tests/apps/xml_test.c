/* The XML writer: any bytes as text, short numbers, blocks and failures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/common/xml.h"
#include "tests/common/testmain.h"
#include "tests/common/text.h"
#include "tests/apps/xml_check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void any_text_is_escaped(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;&#39;" },
		{ "tab\tline\n", "tab\tline\n" },
		{ "bell\a escape\033[0m", "bell? escape?[0m" },
		{ "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
			"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xff\xc3", "??" },           /* no character; one that is cut off */
		{ "\xc0\xaf", "??" },           /* '/' in two bytes */
		{ "\xed\xa0\x80", "???" },      /* half a surrogate pair */
		{ "\xef\xbf\xbf", "???" },      /* U+FFFF */
		{ "\xf4\x90\x80\x80", "????" }, /* beyond U+10FFFF */
		{ "", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		xml_buffer b = { NULL, 0, 0 };
		xml_out x;

		xml_begin(&x, xml_buffer_write, &b);
		xml_put_text(&x, cases[i].in);
		xml_put_text(&x, NULL);
		CU_ASSERT_EQUAL(xml_end(&x), 0);
		CU_ASSERT_STRING_EQUAL(b.text ? b.text : "", cases[i].out);
		free(b.text);
	}
}

static void numbers_are_short(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = { { 0, "0" }, { 1, "1" }, { 0.25, "0.25" }, { -2.5, "-2.5" }, { 999, "999" },
		{ 999.6, "1000" }, { 1234.4, "1234" }, { 9999, "9999" }, { 9999.6, "10k" },
		{ 12500, "12.5k" }, { 999499, "999k" }, { 999600, "1M" }, { 8.5e9, "8.5G" },
		{ 7e12, "7T" }, { 7e15, "7000T" }, { 1e-6, "1e-06" }, { INFINITY, "infinite" } };
	char text[XML_NUMBER_BYTES];

	for (size_t i = 0; i < COUNT(cases); i++)
		CU_ASSERT_STRING_EQUAL(xml_number(text, cases[i].value), cases[i].text);
}

/* Every pair of bytes, in text and in an attribute, leaves the document well-formed. */
static void any_bytes_are_text(void)
{
	for (int a = 1; a < 256; a++)
		for (int b = 1; b < 256; b++) {
			const char two[] = { (char)a, (char)b, '\0' };
			xml_buffer t = { NULL, 0, 0 };
			xml_out x;

			xml_begin(&x, xml_buffer_write, &t);
			xml_put(&x, "<a b=\"");
			xml_put_text(&x, two);
			xml_put(&x, "\">");
			xml_put_text(&x, two);
			xml_put(&x, "</a>");
			CU_ASSERT_EQUAL(xml_end(&x), 0);
			CU_ASSERT_PTR_NULL(xml_check(t.text));
			free(t.text);
		}
}

static void blocks_of_text_are_joined_and_a_failure_is_kept_until_the_end(void)
{
	char large[10001];
	xml_buffer t = { NULL, 0, 0 };
	size_t room = 5000;
	xml_out x;

	memset(large, 'x', 10000);
	large[10000] = '\0';
	xml_begin(&x, xml_buffer_write, &t);
	xml_put(&x, "<a>");
	xml_put_raw(&x, large, 10000);
	xml_put_text(&x, large);
	xml_put(&x, "</a>");
	CU_ASSERT_EQUAL(xml_end(&x), 0);
	CU_ASSERT_EQUAL(t.bytes, 20007);
	CU_ASSERT_PTR_NULL(xml_check(t.text));
	free(t.text);
	xml_begin(&x, test_text_refuse, &room);
	for (int i = 0; i < 10; i++)
		xml_put_raw(&x, large, 1000);
	CU_ASSERT_EQUAL(xml_end(&x), -1);
	room = 5000;
	xml_begin(&x, test_text_refuse, &room);
	xml_put(&x, "%s", large); /* longer than a piece may be */
	CU_ASSERT_EQUAL(xml_end(&x), -1);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "any text is escaped", any_text_is_escaped },
		{ "any bytes are text", any_bytes_are_text },
		{ "numbers are short", numbers_are_short },
		{ "blocks of text are joined, and a failure is kept until the end",
			blocks_of_text_are_joined_and_a_failure_is_kept_until_the_end },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("xml", tests);
}
