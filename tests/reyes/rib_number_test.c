/* The parser of numbers against the C library. */
#include "reyes/rib/number.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Distance in units of the last place of float. */
static double ulps(float a, float b)
{
	const float next = nextafterf(fabsf(b), INFINITY);

	return fabs((double)a - (double)b) / ((double)next - fabs((double)b));
}

/* Compares with strtof; numbers beyond its range become the largest float. */
static void check_number(const char *text)
{
	float expected = strtof(text, NULL);
	const unsigned char *end;
	double v;
	int kind;

	if (isinf(expected))
		expected = copysignf(FLT_MAX, expected);
	end = reyes_i_parse_number((const unsigned char *)text, &v, &kind);
	CHECK(kind != REYES_I_NUMBER_NONE && *end == '\0', "%s", text);
	CHECK(ulps(reyes_i_to_float(v), expected) <= 1, "%s: %.9g, not %.9g", text,
		(double)reyes_i_to_float(v), (double)expected);
	CHECK(!signbit(v) == !signbit(expected), "%s", text);
	CHECK((kind == REYES_I_NUMBER_INTEGER) == !strpbrk(text, ".eE"), "%s", text);
}

/* Appends up to `most` random digits. */
static void put_digits(char *text, unsigned most)
{
	size_t n = strlen(text);

	for (unsigned i = rng_below(most + 1); i; i--)
		text[n++] = (char)('0' + rng_below(10));
	text[n] = '\0';
}

static void random_texts_have_the_value_of_strtof_within_one_ulp(void)
{
	for (int i = 0; i < 300000; i++) {
		char text[200] = "";

		if (rng_below(3) == 0)
			strcat(text, rng_below(2) ? "-" : "+");
		put_digits(text, rng_below(4) ? 8 : 60);
		strcat(text, "1");
		if (rng_below(4)) {
			strcat(text, ".");
			put_digits(text, rng_below(4) ? 8 : 60);
		}
		if (rng_below(3) == 0)
			snprintf(text + strlen(text), 16, "%c%d", "eE"[rng_below(2)],
				rng_around(60));
		check_number(text);
	}
}

static void all_magnitudes_of_float_are_read_back(void)
{
	for (int i = 0; i < 300000; i++) {
		const uint32_t bits = rng();
		char text[64];
		float f;
		double v;
		int kind;

		memcpy(&f, &bits, sizeof(f));
		if (!isfinite(f))
			continue;
		snprintf(text, sizeof(text), "%.9g", (double)f);
		check_number(text);
		reyes_i_parse_number((const unsigned char *)text, &v, &kind);
		CHECK(reyes_i_to_float(v) == f, "%s", text);
	}
}

static void edges_of_the_range_are_read(void)
{
	static const char *const texts[] = { "0", "-0", "0.0", "-.0e5", ".5", "5.", "+5.e1",
		"16777217", "9007199254740993", "123456789012345678901234567890", "1e38",
		"3.4028235e38", "3.5e38", "-1e39", "1e309", "1e99999999999", "1e-45", "7e-46",
		"1e-400", "1e-99999999999", "1.17549435e-38", "0e999999",
		"0.00000000000000000000000000000000000000000000000000001e60" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_number(texts[i]);
}

static void text_without_digits_is_no_number(void)
{
	static const char *const texts[] = { "", "-", "+", ".", "-.", "e5", ".e5", "nan", "inf",
		"-inf", "--1", "+-1", "x10", "1e", "1e+", "1.5E-x" };
	double v;
	int kind;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		reyes_i_parse_number((const unsigned char *)texts[i], &v, &kind);
		CHECK(kind == REYES_I_NUMBER_NONE, "%s", texts[i]);
	}
}

static CU_TestInfo tests[] = {
	{ "random texts have the value of strtof within one ulp",
		random_texts_have_the_value_of_strtof_within_one_ulp },
	{ "all magnitudes of float are read back", all_magnitudes_of_float_are_read_back },
	{ "edges of the range are read", edges_of_the_range_are_read },
	{ "text without digits is no number", text_without_digits_is_no_number },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "RIB numbers", .pTests = tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
