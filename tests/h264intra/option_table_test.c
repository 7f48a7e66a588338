/* Options by name: the table is complete and true, values are read as it says, rules hold. */
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include <h264intra/options.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static h264i_options start(void)
{
	h264i_options o;

	h264i_options_init(&o);
	o.width = o.height = 64;
	o.vui.fps_num = 25;
	o.vui.fps_den = 1;
	return o;
}

/* Returns the message of a value that is refused; "" if it is accepted. Refused values leave the
 * options as they were. */
static const char *refused(const char *name, const char *value)
{
	static char msg[300];
	h264i_options o = start(), before = o;

	msg[0] = '\0';
	if (h264i_set_option(&o, name, value, msg, sizeof(msg)) == H264I_OK)
		return "";
	CU_ASSERT_TRUE(*msg && memcmp(&o, &before, sizeof(o)) == 0);
	CU_ASSERT_NOT_EQUAL(h264i_set_option(&o, name, value, NULL, 0), H264I_OK);
	return msg;
}

static void expect_text(const char *text, const char *part)
{
	CHECK(text && strstr(text, part), "\"%s\" does not say \"%s\"", text ? text : "", part);
}

/* Sets the defaults, which change nothing but which options are given. */
static void defaults_are_those_of_the_struct(void)
{
	h264i_options o = start(), before = o;
	const h264i_option *d;
	char msg[300];
	unsigned n = 0;

	for (; (d = h264i_get_option(n)) != NULL; n++) {
		CU_ASSERT_TRUE(d->name && d->title && d->help && d->type);
		CU_ASSERT_TRUE(d->value || d->names || d->type == H264I_OPTION_SWITCH);
		CU_ASSERT_PTR_NULL(strchr(d->name, '_'));
		CU_ASSERT_NOT_EQUAL(d->help[strlen(d->help) - 1], '.');
		for (unsigned k = 0; k < n; k++)
			CU_ASSERT_STRING_NOT_EQUAL(h264i_get_option(k)->name, d->name);
		if (!d->preset)
			continue;
		CU_ASSERT_EQUAL(
			h264i_set_option(&o, d->name, d->preset, msg, sizeof(msg)), H264I_OK);
		before.given = o.given;
		CU_ASSERT_EQUAL(memcmp(&o, &before, sizeof(o)), 0);
	}
	CU_ASSERT_TRUE(n >= 38 && n < 64);
	o.given = 0;
	CU_ASSERT_EQUAL(h264i_check_options(&o, NULL, msg, sizeof(msg)), H264I_OK);
}

/* Each option has an effect, and the ends of its range are accepted, what is beyond is not. */
static void ranges_are_those_of_the_table(void)
{
	const h264i_option *d;
	char text[40], msg[300];

	for (unsigned i = 0; (d = h264i_get_option(i)) != NULL; i++) {
		const int is_real = d->type == H264I_OPTION_REAL;
		h264i_options o = start(), least, most;

		if (d->type != H264I_OPTION_TEXT)
			expect_text(refused(d->name, ""), "the value is empty");
		for (const h264i_option_name *w = d->names; w && w->name; w++)
			CU_ASSERT_STRING_EQUAL(refused(d->name, w->name), "");
		if (d->type != H264I_OPTION_TEXT && d->type != H264I_OPTION_FILE)
			expect_text(refused(d->name, "x"), "'x' is not ");
		if (!is_real && d->type != H264I_OPTION_INTEGER && d->type != H264I_OPTION_BYTES)
			continue;
		least = most = o;
		snprintf(text, sizeof(text), "%.0f", d->min);
		CU_ASSERT_EQUAL(h264i_set_option(&least, d->name, text, msg, 300), H264I_OK);
		snprintf(text, sizeof(text), "%.0f", d->max);
		CU_ASSERT_EQUAL(h264i_set_option(&most, d->name, text, msg, 300), H264I_OK);
		CU_ASSERT_NOT_EQUAL(memcmp(&least, &most, sizeof(least)), 0);
		snprintf(text, sizeof(text), "%.0f", d->min - 1);
		expect_text(refused(d->name, text), "' is not ");
		snprintf(text, sizeof(text), "%.0f", d->max + 1);
		expect_text(refused(d->name, text), "' is not ");
		CU_ASSERT_TRUE(is_real || *refused(d->name, "1.0"));
		CU_ASSERT_TRUE(*refused(d->name, "1x") && *refused(d->name, " 1") &&
			       *refused(d->name, "0x1") && *refused(d->name, "nan") &&
			       *refused(d->name, "99999999999999999999") &&
			       *refused(d->name, "-") && *refused(d->name, "1e999"));
	}
	expect_text(refused("qpp", "1"), "no such option");
}

/* Sets options "name=value name=value" and returns what the rules say; "" if they hold. */
static const char *rule(const char *text, const h264i_spelling *s)
{
	static char msg[400];
	char copy[300], *save = NULL;
	h264i_options o = start();

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *value = strchr(w, '=');

		*value++ = '\0';
		CU_ASSERT_EQUAL(h264i_set_option(&o, w, value, msg, sizeof(msg)), H264I_OK);
	}
	msg[0] = '\0';
	CU_ASSERT_EQUAL(
		h264i_check_options(&o, s, msg, sizeof(msg)), *msg ? H264I_ERR_ARG : H264I_OK);
	return msg;
}

/* The option with this value sets what `member` is. */
#define EXPECT_SET(name, value, condition)                                              \
	do {                                                                            \
		h264i_options o = start();                                              \
		char why[300] = "";                                                     \
		CU_ASSERT_EQUAL(h264i_set_option(&o, name, value, why, 300), H264I_OK); \
		CU_ASSERT_TRUE(condition);                                              \
		if (*why)                                                               \
			puts(why);                                                      \
	} while (0)

static void values_are_read(void)
{
	EXPECT_SET("qp", "0", o.qp == 0);
	EXPECT_SET("crf", "20.5", o.crf == 20.5 && o.rate_mode == H264I_RATE_QUALITY);
	EXPECT_SET("bitrate", "500", o.bitrate == 500 && o.rate_mode == H264I_RATE_BITRATE);
	EXPECT_SET("bitrate", "0", o.rate_mode == H264I_RATE_QP);
	EXPECT_SET("disable-modes", "", o.disable_modes == 0);
	EXPECT_SET("frame-size-max", "2K", o.frame_bytes_max == 2048);
	EXPECT_SET("frame-size-max", "3M", o.frame_bytes_max == 3u << 20);
	EXPECT_SET("level", "1b", o.level == 9);
	EXPECT_SET("level", "5.2", o.level == 52);
	EXPECT_SET("deblock", "off", !o.deblock);
	EXPECT_SET("deblock", "-2:3", o.deblock && o.deblock_alpha == -2 && o.deblock_beta == 3);
	EXPECT_SET("deblock", "4", o.deblock_alpha == 4 && o.deblock_beta == 4);
	EXPECT_SET("chroma-qp-offset", "-12:12", o.chroma_qp_offset == -12 && o.cr_qp_offset == 12);
	EXPECT_SET("chroma-qp-offset", "5",
		o.chroma_qp_offset == 5 && o.cr_qp_offset == H264I_CR_AS_CB);
	EXPECT_SET("output-csp", "i400", o.chroma == H264I_CHROMA_400);
	EXPECT_SET("cqm", "jvt", o.scaling == H264I_SCALING_DEFAULT);
	EXPECT_SET("cabac", "off", o.cabac == 0);
	EXPECT_SET("disable-modes", "i4:3", o.disable_modes == H264I_DISABLE_I4(3));
	EXPECT_SET("device", "all", o.device == H264I_DEVICE_ALL);
	EXPECT_SET("latency", "full", o.latency_ms == H264I_LATENCY_FULL);
	EXPECT_SET("preset", "medium", o.profile == H264I_PROFILE_HIGH && o.rd == 1);
	EXPECT_SET("tune", "grain", o.aq_mode == 1 && o.deblock_alpha == -2);
	for (const char *const *t =
			(const char *const[]){ "", "1:", ":1", "1:2:3", "7", "1:7", "on:1", NULL };
		*t; t++)
		CU_ASSERT_TRUE(*refused("deblock", *t));
	for (const char *const *t =
			(const char *const[]){ "13", "1:13", "-13", "1:", "1: 2", NULL };
		*t; t++)
		CU_ASSERT_TRUE(*refused("chroma-qp-offset", *t));
	CU_ASSERT_TRUE(*refused("frame-size-max", "4G") && *refused("frame-size-max", "1KB") &&
		       *refused("frame-size-max", "-1K"));
	expect_text(rule("bitrate=500 bitrate=0", NULL), "");
	expect_text(refused("cqm", "/nonexistent/file"), "/nonexistent/file: No such file");
	expect_text(refused("cqm", "/"), "/: ");
}

/* A number has a point, whatever the locale. */
static void numbers_have_a_point_in_any_locale(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE" };

	for (size_t i = 0; i < 3; i++)
		if (setlocale(LC_NUMERIC, names[i]))
			break;
	EXPECT_SET("crf", "20.5", o.crf == 20.5);
	CU_ASSERT_TRUE(*refused("crf", "20,5"));
	setlocale(LC_NUMERIC, "C");
}

static void rules_are_stated_once(void)
{
	static const h264i_spelling dashes = { .prefix = "--", .dash = '-' };
	static const char *const rules[][2] = {
		{ "qp=20 crf=20", "--qp and --crf exclude each other" },
		{ "crf=20 bitrate=9", "--crf and --bitrate exclude each other" },
		{ "qp=27 bitrate=9", "--qp and --bitrate exclude each other" },
		{ "vbv-maxrate=9", "--vbv-maxrate needs --vbv-bufsize" },
		{ "vbv-bufsize=9", "--vbv-bufsize needs --bitrate, or --crf with --vbv-maxrate" },
		{ "vbv-bufsize=9 crf=3",
			"--vbv-bufsize needs --bitrate, or --crf with --vbv-maxrate" },
		{ "vbv-bufsize=9 vbv-maxrate=8 bitrate=9", "--vbv-maxrate 8 is below --bitrate 9" },
		{ "vbv-init=0.9", "--vbv-init needs --vbv-bufsize" },
		{ "bitrate=9 nal-hrd=vbr", "--nal-hrd vbr needs --vbv-bufsize" },
		{ "bitrate=1 vbv-bufsize=181 nal-hrd=vbr", "in more than 180 seconds" },
		{ "rate-delay=3", "--rate-delay needs --bitrate or --vbv-bufsize" },
		{ "cabac=on", "--cabac on needs --profile main or high" },
		{ "preset=superfast 8x8dct=on", "--8x8dct on needs --profile high" },
		{ "cqm=jvt", "--cqm jvt needs --profile high" },
		{ "output-csp=i400", "--output-csp i400 needs --profile high" },
		{ "chroma-qp-offset=1:2",
			"--chroma-qp-offset 1:2 needs --profile high, as Cb and Cr differ" },
		{ "aq-strength=1", "--aq-strength needs --aq-mode 1 or 2, or a --tune that" },
		{ "backend=cpu device=0", "--device has no effect with --backend cpu" },
		{ "backend=cpu gpu-workers=3", "--gpu-workers has no effect with --backend cpu" },
		{ "backend=cpu sm-limit=3", "--sm-limit has no effect with --backend cpu" },
		{ "backend=cpu stream-priority=-1", "--stream-priority has no effect" },
		{ "backend=cuda threads=3", "--threads has no effect with --backend cuda" },
		{ "disable-modes=i4:all", "" },
		{ "preset=slow 8x8dct=on cabac=on cqm=jvt chroma-qp-offset=1:2", "" },
		{ "tune=ssim aq-strength=2 threads=3 gpu-workers=3", "" },
		{ "bitrate=9 vbv-bufsize=9 vbv-init=0.5 rate-delay=3 nal-hrd=vbr", "" },
		{ "profile=main profile=auto cabac=on", "" },
		{ "vbv-maxrate=0 aq-strength=auto cqm=flat nal-hrd=none", "" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const char *said = rule(rules[i][0], &dashes);

		if (*rules[i][1])
			expect_text(said, rules[i][1]);
		else
			CU_ASSERT_STRING_EQUAL(said, "");
	}
}

static void names_are_spelled(void)
{
	static const char *const own[] = { "vbv-maxrate", "maxrate", "vbv-bufsize", "bufsize",
		NULL };
	static const h264i_spelling python = { .dash = '_', .renamed = own };
	char out[40], all[60];

	expect_text(rule("vbv-maxrate=9", &python), "maxrate needs bufsize");
	expect_text(rule("aq-strength=1", &python), "aq_strength needs aq_mode 1 or 2");
	expect_text(rule("vbv-maxrate=9", NULL), "vbv_maxrate needs vbv_bufsize");
	expect_text(rule("8x8dct=on", NULL), "transform8x8 on needs profile high");
	CU_ASSERT_EQUAL(h264i_spell_options(&python, "a {rate-delay} b-c", all, sizeof(all)), 16);
	CU_ASSERT_STRING_EQUAL(all, "a rate_delay b-c");
	for (size_t n = 0; n < 16; n++) {
		memset(out, '#', sizeof(out));
		CU_ASSERT_EQUAL(h264i_spell_options(&python, "a {rate-delay} b-c", out, n), 16);
		CU_ASSERT_TRUE(out[n] == '#' && (!n || strlen(out) == n - 1));
		CU_ASSERT_TRUE(!n || strncmp(out, all, n - 1) == 0);
	}
	h264i_spell_options(NULL, "{qp", out, sizeof(out));
	CU_ASSERT_STRING_EQUAL(out, "qp");
}

/* h264i_open does not look at which options were given, so that a program may change what it read:
 * the backend, for example. */
static void open_checks_the_members(void)
{
	h264i_options o = start();
	h264i_encoder *enc;
	char msg[300];

	CU_ASSERT_EQUAL(h264i_set_option(&o, "device", "0", msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_EQUAL(h264i_set_option(&o, "threads", "1", msg, sizeof(msg)), H264I_OK);
	o.backend = H264I_BACKEND_CPU;
	CU_ASSERT_EQUAL(h264i_check_options(&o, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_OK);
	h264i_close(&enc);
	o.profile = (h264i_profile)H264I_OPTION_OPEN;
	o.given = 0;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
	expect_text(msg, "profile -2147483647 is not in 0 (baseline)");
	o.profile = H264I_PROFILE_HIGH;
	o.bitrate = 4000001; /* not read */
	o.vbv_init = 7;
	CU_ASSERT_EQUAL(h264i_check_options(&o, NULL, msg, sizeof(msg)), H264I_OK);
	o.rate_mode = H264I_RATE_BITRATE;
	CU_ASSERT_EQUAL(h264i_check_options(&o, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	expect_text(msg, "bitrate 4000001 is not in 0..4000000");
	o.rate_mode = H264I_RATE_QP;
	o.struct_bytes = offsetof(h264i_options, given); /* of an older program */
	CU_ASSERT_EQUAL(h264i_set_option(&o, "qp", "3", msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_check_options(&o, NULL, msg, sizeof(msg)), H264I_OK);
	o.struct_bytes = 3;
	CU_ASSERT_EQUAL(h264i_check_options(&o, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_set_option(NULL, "qp", "3", NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_check_options(NULL, NULL, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_check_options(NULL, NULL, NULL, 0), H264I_ERR_ARG);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "defaults are those of the struct", defaults_are_those_of_the_struct },
		{ "ranges are those of the table", ranges_are_those_of_the_table },
		{ "values are read", values_are_read },
		{ "numbers have a point in any locale", numbers_have_a_point_in_any_locale },
		{ "rules are stated once", rules_are_stated_once },
		{ "names are spelled", names_are_spelled },
		{ "open checks the members", open_checks_the_members },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("option_table", tests);
}
