/* Profiles of gpuintrah264enc: caps, properties, codec_data; odd sizes, segments. */
#include "tests/plugins/gst_setup.h"

#include <CUnit/CUnit.h>

enum { W = 64, H = 48 };

static GstHarness *open_element(const char *properties)
{
	gchar *line = g_strdup_printf("gpuintrah264enc backend=cpu threads=2 %s", properties);
	GstHarness *h = gst_harness_new_parse(line);

	g_free(line);
	return h;
}

/* Encodes a frame for downstream caps with this profile; NULL: any. Returns the profile of the
 * output's caps, which the caller frees, NULL without a packet. codec_data of avc: *record, which
 * the caller unrefs. */
static gchar *profile_of(const char *properties, const char *accepted, GstBuffer **record)
{
	GstHarness *h = open_element(properties);
	gchar *text = g_strdup_printf("video/x-h264,stream-format=avc%s%s",
		accepted ? ",profile=(string)" : "", accepted ? accepted : "");
	gchar *profile = NULL;
	GstStructure *s;
	GstCaps *caps;

	*record = NULL;
	gst_harness_set_sink_caps_str(h, text);
	set_frames(h, "I420", W, H, "");
	push_frames(h, "I420", W, H, 0, 1);
	caps = gst_pad_get_current_caps(h->sinkpad);
	if (caps && gst_harness_buffers_received(h) == 1) {
		s = gst_caps_get_structure(caps, 0);
		profile = g_strdup(gst_structure_get_string(s, "profile"));
		gst_structure_get(s, "codec_data", GST_TYPE_BUFFER, record, NULL);
	}
	gst_clear_caps(&caps);
	g_free(text);
	gst_harness_teardown(h);
	return profile;
}

/* Downstream selects the profile, of several the lowest that has what the properties require. */
static void test_profiles(void)
{
	static const struct {
		const char *properties, *accepted, *want;
		guint idc;
	} cases[] = {
		{ "", NULL, "constrained-baseline", 66 },
		{ "", "main", "main", 77 },
		{ "", "high", "high", 100 },
		{ "", "{ high, main }", "main", 77 },
		{ "", "{ high, constrained-baseline }", "constrained-baseline", 66 },
		{ "", "baseline", "baseline", 66 },
		{ "", "{ high, baseline }", "baseline", 66 },
		{ "", "{ baseline, constrained-baseline }", "constrained-baseline", 66 },
		{ "cabac=true", "baseline", NULL, 0 },
		{ "cabac=true", NULL, "main", 77 },
		{ "cabac=true", "{ constrained-baseline, high }", "high", 100 },
		{ "cabac=false", "high", "high", 100 },
		{ "dct8x8=true", NULL, "high", 100 },
		{ "dct8x8=true", "{ main, high }", "high", 100 },
		{ "preset=medium", NULL, "high", 100 },
		{ "preset=ultrafast", NULL, "main", 77 },
		{ "preset=veryslow", "{ main, constrained-baseline }", "main", 77 },
		{ "preset=fast", "constrained-baseline", "constrained-baseline", 66 },
		{ "cabac=true", "constrained-baseline", NULL, 0 },
		{ "dct8x8=true", "main", NULL, 0 },
		{ "", "high-4:4:4", NULL, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint8 data[512] = { 0 };
		GstBuffer *record;
		gchar *got = profile_of(cases[i].properties, cases[i].accepted, &record);
		const gsize n = record ? gst_buffer_extract(record, 0, data, sizeof(data)) : 0;

		CHECK(g_strcmp0(got, cases[i].want) == 0, "%s, %s: profile %s", cases[i].properties,
			cases[i].accepted ? cases[i].accepted : "any", got ? got : "none");
		CU_ASSERT_EQUAL(data[1], cases[i].idc);
		/* chroma_format 1, bit depths 8, no extension behind the parameter sets */
		CU_ASSERT_EQUAL(
			n > 4 && !memcmp(data + n - 4, "\xfd\xf8\xf8", 4), cases[i].idc == 100);
		gst_clear_buffer(&record);
		g_free(got);
	}
}

/* Returns the third bit of the PPS, entropy_coding_mode_flag. */
static int codes_cabac(const char *properties, const char *profile)
{
	GstBuffer *record;
	guint8 data[512] = { 0 };
	gsize pps;

	g_free(profile_of(properties, profile, &record));
	gst_buffer_extract(record, 0, data, sizeof(data));
	gst_clear_buffer(&record);
	pps = 8 + ((gsize)data[6] << 8 | data[7]) + 3;
	return data[pps + 1] >> 5 & 1;
}

static void test_cabac(void)
{
	CU_ASSERT_EQUAL(codes_cabac("", "constrained-baseline"), 0);
	CU_ASSERT_EQUAL(codes_cabac("", "main"), 1);
	CU_ASSERT_EQUAL(codes_cabac("qp=13", "main"), 0);
	CU_ASSERT_EQUAL(codes_cabac("qp=13 cabac=true", "high"), 1);
	CU_ASSERT_EQUAL(codes_cabac("cabac=false", "high"), 0);
}

static void test_gray(void)
{
	GstBuffer *record;
	guint8 data[512] = { 0 };
	gchar *profile = profile_of("gray=true", NULL, &record);
	const gsize n = record ? gst_buffer_extract(record, 0, data, sizeof(data)) : 0;

	CHECK(g_strcmp0(profile, "high") == 0, "%s", profile ? profile : "none");
	CHECK(n > 4 && !memcmp(data + n - 4, "\xfc\xf8\xf8", 4), "avcC is not 4:0:0");
	gst_clear_buffer(&record);
	g_free(profile);
}

/* The stream of an odd size is one sample larger. */
static void test_odd_size(void)
{
	static const char *const formats[] = { "NV12", "I420", "GRAY8" };

	for (int i = 0; i < 3; i++) {
		GstHarness *h = open_element("");
		GstVideoInfo info;
		GstStructure *s;
		GstCaps *caps;
		int width = 0, height = 0;

		gst_video_info_set_format(
			&info, gst_video_format_from_string(formats[i]), W + 1, H - 1);
		set_frames(h, formats[i], W + 1, H - 1, "");
		CU_ASSERT_EQUAL(gst_harness_push(h, gst_buffer_new_allocate(NULL, info.size, NULL)),
			GST_FLOW_OK);
		gst_harness_push_event(h, gst_event_new_eos());
		CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 1);
		caps = gst_pad_get_current_caps(h->sinkpad);
		CU_ASSERT_PTR_NOT_NULL_FATAL(caps);
		s = gst_caps_get_structure(caps, 0);
		gst_structure_get(
			s, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, NULL);
		CHECK(width == W + 2 && height == H, "%s: %dx%d", formats[i], width, height);
		CHECK(!strcmp(gst_structure_get_string(s, "profile"), "constrained-baseline"), "%s",
			formats[i]);
		gst_caps_unref(caps);
		gst_harness_teardown(h);
	}
}

/* After a segment seek there is no EOS at the end. */
static void test_segment_done(void)
{
	GstHarness *h = open_element("frames-in-flight=4");

	set_frames(h, "NV12", W, H, "");
	for (int round = 1; round <= 2; round++) {
		push_frames(h, "NV12", W, H, 0, 2);
		gst_harness_push_event(h, gst_event_new_segment_done(GST_FORMAT_TIME, GST_SECOND));
		CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 2 * (guint)round);
	}
	gst_harness_teardown(h);
}

static void test_two_rates(void)
{
	GstHarness *h = open_element("crf=20 bitrate=100");
	GstBus *bus = gst_bus_new();
	GQuark domain = 0;
	int code = 0, count = 0;
	gchar *text;

	gst_element_set_bus(h->element, bus);
	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 1);
	text = posted_error(bus, &domain, &code, &count);
	CHECK(text && strstr(text, "crf and bitrate"), "%s", text ? text : "no error");
	g_free(text);
	gst_object_unref(bus);
	gst_harness_teardown(h);
}

static CU_TestInfo tests[] = {
	{ "downstream selects the profile; High's codec_data has its members", test_profiles },
	{ "cabac follows the profile and the QP, unless it is set", test_cabac },
	{ "gray=true is 4:0:0, also in codec_data", test_gray },
	{ "odd sizes are padded; GRAY8 is 4:2:0", test_odd_size },
	{ "the end of a segment drains the encoder", test_segment_done },
	{ "crf and bitrate together are refused", test_two_rates },
	CU_TEST_INFO_NULL,
};

int main(void)
{

	setup_gst("gst_profile", 0);
	return test_run_one("gst_profile", tests);
}
