/* gpuintrah264enc in a harness: packets, timestamps, caps, changes of size, flush, ends. */
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

/* Checks that the next `count` packets are those of the frames from `first` on. */
static void check_packets(GstHarness *h, int first, int count)
{
	for (int i = first; i < first + count; i++) {
		GstBuffer *b = gst_harness_try_pull(h);

		CHECK(b != NULL, "packet %d is missing", i);
		CU_ASSERT_EQUAL(GST_BUFFER_PTS(b), (GstClockTime)i * GST_SECOND / FRAME_RATE);
		CU_ASSERT_EQUAL(GST_BUFFER_DTS(b), GST_BUFFER_PTS(b));
		CU_ASSERT_EQUAL(GST_BUFFER_DURATION(b), GST_SECOND / FRAME_RATE);
		CU_ASSERT_FALSE(GST_BUFFER_FLAG_IS_SET(b, GST_BUFFER_FLAG_DELTA_UNIT));
		gst_buffer_unref(b);
	}
}

static void test_packets(void)
{
	GstHarness *h = open_element("");

	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 10), GST_FLOW_OK);
	gst_harness_push_event(h, gst_event_new_eos());
	check_packets(h, 0, 10);
	CU_ASSERT_PTR_NULL(gst_harness_try_pull(h));
	gst_harness_teardown(h);
}

static void test_caps(void)
{
	GstHarness *h = open_element("");
	GstCaps *caps, *want;

	set_frames(h, "I420", W, H, ",pixel-aspect-ratio=4/3,colorimetry=bt709");
	push_frames(h, "I420", W, H, 0, 1);
	caps = gst_pad_get_current_caps(h->sinkpad);
	want = gst_caps_from_string(
		"video/x-h264,stream-format=byte-stream,alignment=au,profile=constrained-baseline,"
		"level=(string)1b,width=64,height=48,framerate=25/1,pixel-aspect-ratio=4/3,"
		"colorimetry=bt709");
	CHECK(caps != NULL, "no caps");
	CU_ASSERT_TRUE(gst_caps_is_subset(caps, want));
	gst_caps_unref(caps);
	gst_caps_unref(want);
	gst_harness_teardown(h);
}

/* Returns the level of the stream if downstream accepts these levels; the caller frees it. */
static gchar *level_of(const char *accepted)
{
	GstHarness *h = open_element("");
	gchar *text = g_strdup_printf("video/x-h264,level=(string)%s", accepted), *level = NULL;
	GstCaps *caps;

	gst_harness_set_sink_caps_str(h, text);
	set_frames(h, "I420", 320, 240, "");
	push_frames(h, "I420", 320, 240, 0, 1);
	caps = gst_pad_get_current_caps(h->sinkpad);
	if (caps && gst_harness_buffers_received(h) == 1)
		level = g_strdup(
			gst_structure_get_string(gst_caps_get_structure(caps, 0), "level"));
	gst_clear_caps(&caps);
	g_free(text);
	gst_harness_teardown(h);
	return level;
}

/* The automatic level of 320x240 at 25 frames/s is 2. */
static void test_levels(void)
{
	static const char *const pairs[][2] = { { "{ 1, 1b, 4, 5.1 }", "4" },
		{ "{ 5.1, 4, 1 }", "4" }, { "{ 4, 2, 1 }", "2" }, { "{ 1, 1.3 }", "1.3" },
		{ "4", "4" } };

	for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
		gchar *level = level_of(pairs[i][0]);

		CHECK(g_strcmp0(level, pairs[i][1]) == 0, "%s: level %s instead of %s", pairs[i][0],
			level ? level : "none", pairs[i][1]);
		g_free(level);
	}
}

static void test_hdr_caps(void)
{
	GstHarness *h = open_element("");
	GstCaps *caps;

	set_frames(h, "I420", W, H, ",colorimetry=bt2100-pq,content-light-level=(string)1000:300");
	push_frames(h, "I420", W, H, 0, 1);
	caps = gst_pad_get_current_caps(h->sinkpad);
	CHECK(caps != NULL, "no caps");
	CU_ASSERT_STRING_EQUAL(
		gst_structure_get_string(gst_caps_get_structure(caps, 0), "content-light-level"),
		"1000:300");
	gst_caps_unref(caps);
	gst_harness_teardown(h);
}

/* Types of the NAL units of a packet with start codes, one bit each. */
static guint types_of(GstBuffer *b)
{
	guint types = 0;
	GstMapInfo map;

	gst_buffer_map(b, &map, GST_MAP_READ);
	for (gsize i = 0; i + 4 < map.size; i++)
		if (!memcmp(map.data + i, "\0\0\0\1", 4))
			types |= 1u << (map.data[i + 4] & 31);
	gst_buffer_unmap(b, &map);
	return types;
}

static guint first_types(const char *properties)
{
	GstHarness *h = open_element(properties);
	GstBuffer *b;
	guint types;

	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 1);
	b = gst_harness_pull(h);
	types = types_of(b);
	gst_buffer_unref(b);
	gst_harness_teardown(h);
	return types;
}

static void test_delimiter(void)
{
	CU_ASSERT_EQUAL(first_types(""), 1u << 9 | 1u << 7 | 1u << 8 | 1u << 5);
	CU_ASSERT_EQUAL(first_types("aud=false"), 1u << 7 | 1u << 8 | 1u << 5);
}

static void check_lengths(GstBuffer *b, guint slices)
{
	gsize at = 0;
	guint units = 0;
	GstMapInfo map;

	gst_buffer_map(b, &map, GST_MAP_READ);
	while (at + 4 < map.size) {
		CU_ASSERT_EQUAL(map.data[at + 4] & 31, 5);
		at += 4 + ((gsize)map.data[at] << 24 | (gsize)map.data[at + 1] << 16 |
				  (gsize)map.data[at + 2] << 8 | map.data[at + 3]);
		units++;
	}
	CU_ASSERT_EQUAL(at, map.size);
	CU_ASSERT_EQUAL(units, slices);
	gst_buffer_unmap(b, &map);
}

static void test_avc(void)
{
	GstHarness *h = open_element("slices=3");
	GstBuffer *b;
	GstCaps *caps;
	const GValue *data;
	guint8 record[8];

	gst_harness_set_sink_caps_str(h, "video/x-h264,stream-format=avc");
	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 1);
	b = gst_harness_pull(h);
	check_lengths(b, 3);
	gst_buffer_unref(b);
	caps = gst_pad_get_current_caps(h->sinkpad);
	data = gst_structure_get_value(gst_caps_get_structure(caps, 0), "codec_data");
	CHECK(data != NULL, "no codec_data");
	gst_buffer_extract(gst_value_get_buffer(data), 0, record, sizeof(record));
	CU_ASSERT_EQUAL(record[0], 1);
	CU_ASSERT_EQUAL(record[1], 66);
	CU_ASSERT_EQUAL(record[4], 0xff);
	CU_ASSERT_EQUAL(record[5], 0xe1);
	gst_caps_unref(caps);
	gst_harness_teardown(h);
}

/* Returns the packets of four frames as one block; the caller frees it. */
static GBytes *encode_four(const char *format)
{
	GstHarness *h = open_element("");
	GByteArray *all = g_byte_array_new();
	GstBuffer *b;

	set_frames(h, format, W, H, "");
	push_frames(h, format, W, H, 0, 4);
	gst_harness_push_event(h, gst_event_new_eos());
	while ((b = gst_harness_try_pull(h))) {
		GstMapInfo map;

		gst_buffer_map(b, &map, GST_MAP_READ);
		g_byte_array_append(all, map.data, (guint)map.size);
		gst_buffer_unmap(b, &map);
		gst_buffer_unref(b);
	}
	gst_harness_teardown(h);
	return g_byte_array_free_to_bytes(all);
}

static void test_formats(void)
{
	GBytes *nv12 = encode_four("NV12"), *i420 = encode_four("I420");

	CU_ASSERT_TRUE(g_bytes_get_size(nv12) > 1000);
	CU_ASSERT_TRUE(g_bytes_equal(nv12, i420));
	g_bytes_unref(nv12);
	g_bytes_unref(i420);
}

static void test_size_change(void)
{
	GstHarness *h = open_element("frames-in-flight=4");
	GstCaps *caps;
	int width;

	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 3), GST_FLOW_OK);
	set_frames(h, "I420", 2 * W, 2 * H, "");
	/* All packets of the first size are there before the first frame of the second. */
	CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 3);
	CU_ASSERT_EQUAL(push_frames(h, "I420", 2 * W, 2 * H, 3, 3), GST_FLOW_OK);
	gst_harness_push_event(h, gst_event_new_eos());
	check_packets(h, 0, 6);
	caps = gst_pad_get_current_caps(h->sinkpad);
	gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
	CU_ASSERT_EQUAL(width, 2 * W);
	gst_caps_unref(caps);
	gst_harness_teardown(h);
}

static void push_segment(GstHarness *h)
{
	GstSegment segment;

	gst_segment_init(&segment, GST_FORMAT_TIME);
	gst_harness_push_event(h, gst_event_new_segment(&segment));
}

static void test_flush(void)
{
	GstHarness *h = open_element("frames-in-flight=8");
	GstBuffer *b;
	int rest = 0;

	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 3);
	gst_harness_push_event(h, gst_event_new_flush_start());
	gst_harness_push_event(h, gst_event_new_flush_stop(TRUE));
	while ((b = gst_harness_try_pull(h)))
		gst_buffer_unref(b);
	push_segment(h);
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 5, 3), GST_FLOW_OK);
	gst_harness_push_event(h, gst_event_new_eos());
	check_packets(h, 5, 3);
	while ((b = gst_harness_try_pull(h))) {
		gst_buffer_unref(b);
		rest++;
	}
	CU_ASSERT_EQUAL(rest, 0);
	gst_harness_teardown(h);
}

/* EOS finishes the stream; another one may follow on the same pad. */
static void test_after_finish(void)
{
	GstHarness *h = open_element("frames-in-flight=8");

	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 3);
	gst_harness_push_event(h, gst_event_new_eos());
	check_packets(h, 0, 3);
	gst_harness_push_event(h, gst_event_new_stream_start("second"));
	push_segment(h);
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 3, 2), GST_FLOW_OK);
	gst_harness_push_event(h, gst_event_new_eos());
	check_packets(h, 3, 2);
	gst_harness_teardown(h);
}

static void test_empty(void)
{
	GstHarness *h = open_element("");

	CU_ASSERT_TRUE(gst_harness_push_event(h, gst_event_new_eos()));
	CU_ASSERT_PTR_NULL(gst_harness_try_pull(h));
	gst_harness_teardown(h);
	h = open_element("");
	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_TRUE(gst_harness_push_event(h, gst_event_new_eos()));
	CU_ASSERT_PTR_NULL(gst_harness_try_pull(h));
	gst_harness_teardown(h);
}

static void test_stop(void)
{
	GstHarness *h = open_element("frames-in-flight=8");

	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 3);
	CU_ASSERT_EQUAL(
		gst_element_set_state(h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
	gst_harness_teardown(h);
}

/* The bit rate is that of the timestamps, not of the caps, which have no rate or another one; a
 * frame without a timestamp lasts as long as its duration. */
static void test_variable_rate(void)
{
	enum { FRAMES = 40 };
	static const char *const rates[] = { "0/1", "60/1" };

	for (int n = 0; n < 2; n++) {
		GstHarness *h = open_element("backend=cpu bitrate=60 frames-in-flight=5");
		gchar *caps = g_strdup_printf(
			"video/x-raw,format=NV12,width=%d,height=%d,framerate=%s", W, H, rates[n]);
		gsize bytes = 0;
		GstBuffer *b;

		gst_harness_set_src_caps_str(h, caps);
		g_free(caps);
		for (int i = 0; i < FRAMES; i++) {
			b = make_frame("NV12", W, H, i);
			GST_BUFFER_PTS(b) =
				i % 4 == 3 ? GST_CLOCK_TIME_NONE : (GstClockTime)i * GST_SECOND / 2;
			GST_BUFFER_DURATION(b) = GST_SECOND / 2;
			CU_ASSERT_EQUAL(gst_harness_push(h, b), GST_FLOW_OK);
		}
		gst_harness_push_event(h, gst_event_new_eos());
		while ((b = gst_harness_try_pull(h))) {
			bytes += gst_buffer_get_size(b);
			gst_buffer_unref(b);
		}
		CU_ASSERT_DOUBLE_EQUAL(8e-3 * (double)bytes / (FRAMES / 2), 60, 12);
		gst_harness_teardown(h);
	}
}

static CU_TestInfo tests[] = {
	{ "a bit rate is that of the timestamps", test_variable_rate },
	{ "each frame is a packet with its timestamps, without the delta flag", test_packets },
	{ "the output's caps have size, rate, aspect, colours, profile and level", test_caps },
	{ "of the levels that downstream accepts, the lowest sufficient one is taken",
		test_levels },
	{ "HDR metadata of the input's caps are in the output's", test_hdr_caps },
	{ "a byte-stream packet begins with a delimiter unless aud=false", test_delimiter },
	{ "avc packets are lengths and slices, the record is in the caps", test_avc },
	{ "NV12 and I420 frames of one picture give the same bytes", test_formats },
	{ "a change of size and format loses no frame", test_size_change },
	{ "a flush drops the frames in the encoder, later ones are encoded", test_flush },
	{ "frames of a second stream after EOS are encoded", test_after_finish },
	{ "EOS without a frame gives no packet", test_empty },
	{ "the element stops while frames are in the encoder", test_stop },
	CU_TEST_INFO_NULL,
};

int main(void)
{

	setup_gst("gst_encode", 0);
	return test_run_one("gst_encode", tests);
}
