/* gpuintrah264enc: formats that are converted, and what changes while a stream plays: rates, caps,
 * forced key units; the latency of live sources. */
#include "config.h"

#include "tests/plugins/gst_setup.h"

#include <CUnit/CUnit.h>
#include <h264intra/h264intra.h>

enum { W = 65, H = 49, FRAMES = 3 };

static GstHarness *open_element(const char *properties)
{
	gchar *line = g_strdup_printf("gpuintrah264enc backend=cpu threads=2 %s", properties);
	GstHarness *h = gst_harness_new_parse(line);

	g_free(line);
	return h;
}

static void append(GByteArray *all, GstBuffer *b)
{
	GstMapInfo map;

	gst_buffer_map(b, &map, GST_MAP_READ);
	g_byte_array_append(all, map.data, (guint)map.size);
	gst_buffer_unmap(b, &map);
	gst_buffer_unref(b);
}

/* ---- formats ---- */

/* Component c of the picture: R, G, B or Y, Cb, Cr; that of chroma for each 2 x 2 pixels. */
static guint8 value(int c, int x, int y, int rgb)
{
	return c && !rgb ? sample(0, c, x / 2, y / 2) : sample(0, c, x, y);
}

/* Writes the picture in the format of the frame, by GStreamer's description of it. */
static void fill(GstVideoFrame *f)
{
	const int rgb = GST_VIDEO_INFO_IS_RGB(&f->info);

	for (int c = 0; c < (int)GST_VIDEO_FRAME_N_COMPONENTS(f); c++) {
		guint8 *plane = GST_VIDEO_FRAME_COMP_DATA(f, c);
		const int sub_x = GST_VIDEO_FORMAT_INFO_W_SUB(f->info.finfo, c);
		const int sub_y = GST_VIDEO_FORMAT_INFO_H_SUB(f->info.finfo, c);

		for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(f, c); y++)
			for (int x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH(f, c); x++) {
				guint8 *to = plane + y * GST_VIDEO_FRAME_COMP_STRIDE(f, c) +
					     x * GST_VIDEO_FRAME_COMP_PSTRIDE(f, c);
				const guint8 v = value(c, x << sub_x, y << sub_y, rgb);

				/* 1.22 describes the Cr of P010 as one byte behind Cb. */
				if (GST_VIDEO_FRAME_COMP_DEPTH(f, c) == 10)
					GST_WRITE_UINT16_LE(to + (c == 2), v << 8);
				else
					*to = v;
			}
	}
}

static GstBuffer *make_picture(const char *format, int index)
{
	GstVideoFrame f;
	GstVideoInfo info;
	GstBuffer *b;

	gst_video_info_set_format(&info, gst_video_format_from_string(format), W, H);
	b = gst_buffer_new_allocate(NULL, GST_VIDEO_INFO_SIZE(&info), NULL);
	gst_buffer_memset(b, 0, 0x5a, GST_VIDEO_INFO_SIZE(&info));
	gst_video_frame_map(&f, &info, b, GST_MAP_WRITE);
	fill(&f);
	gst_video_frame_unmap(&f);
	GST_BUFFER_PTS(b) = (GstClockTime)index * GST_SECOND / FRAME_RATE;
	GST_BUFFER_DURATION(b) = GST_SECOND / FRAME_RATE;
	return b;
}

static GByteArray *encode_format(const char *format)
{
	GstHarness *h = open_element("");
	GByteArray *all = g_byte_array_new();
	GstBuffer *b;

	set_frames(h, format, W, H, ",colorimetry=bt709,chroma-site=mpeg2");
	for (int i = 0; i < FRAMES; i++)
		CU_ASSERT_EQUAL(gst_harness_push(h, make_picture(format, i)), GST_FLOW_OK);
	gst_harness_push_event(h, gst_event_new_eos());
	while ((b = gst_harness_try_pull(h)))
		append(all, b);
	gst_harness_teardown(h);
	return all;
}

/* The same frames by the library: packed R, G, B. */
static GByteArray *encode_rgb(void)
{
	static guint8 pixels[H][W][3];
	GByteArray *all = g_byte_array_new();
	h264i_encoder *enc;
	h264i_packet packet;
	h264i_options o;
	h264i_frame f;

	for (int i = 0; i < H * W * 3; i++)
		pixels[i / 3 / W][i / 3 % W][i % 3] = value(i % 3, i / 3 % W, i / 3 / W, 1);
	h264i_options_init(&o);
	h264i_frame_init(&f);
	h264i_packet_init(&packet);
	o.backend = H264I_BACKEND_CPU;
	o.width = W;
	o.height = H;
	o.aud = o.odd_size = o.rgb = 1;
	o.vui.primaries = o.vui.transfer = o.vui.matrix = o.vui.chroma_loc = 1;
	o.vui.full_range = o.vui.chroma_loc = 0;
	o.vui.sar_num = o.vui.sar_den = o.vui.fps_den = 1;
	o.vui.fps_num = FRAME_RATE;
	o.frames_in_flight = 1;
	CU_ASSERT_EQUAL_FATAL(h264i_open(&enc, &o, NULL, 0), H264I_OK);
	f.format = H264I_RGB;
	f.rgb.pixel_stride = 3;
	f.rgb.row_stride = 3 * W;
	for (int c = 0; c < 3; c++)
		f.plane[c] = &pixels[0][0][c];
	for (int i = 0; i < FRAMES; i++) {
		while (h264i_send_frame(enc, &f) == H264I_AGAIN)
			(void)h264i_receive_packet(enc, &packet);
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &packet), H264I_OK);
		g_byte_array_append(all, packet.data, (guint)packet.data_bytes);
	}
	h264i_close(&enc);
	return all;
}

static int equal(const GByteArray *a, const GByteArray *b)
{
	return a->len == b->len && !memcmp(a->data, b->data, a->len);
}

static void test_formats(void)
{
	static const char *const rgb[] = { "RGB", "BGR", "RGBA", "BGRA", "ARGB", "ABGR", "RGBx",
		"BGRx", "xRGB", "xBGR", "RGBP", "BGRP", "GBR" };
	static const char *const yuv[] = { "I420", "YUY2", "UYVY", "P010_10LE" };
	GByteArray *want = encode_format("NV12"), *got;

	CU_ASSERT_TRUE(want->len > 1000);
	for (gsize i = 0; i < G_N_ELEMENTS(yuv); i++) {
		got = encode_format(yuv[i]);
		CHECK(equal(got, want), "%s: %u bytes, not %u", yuv[i], got->len, want->len);
		g_byte_array_unref(got);
	}
	g_byte_array_unref(want);
	want = encode_rgb();
	for (gsize i = 0; i < G_N_ELEMENTS(rgb); i++) {
		got = encode_format(rgb[i]);
		CHECK(equal(got, want), "%s: %u bytes, not %u", rgb[i], got->len, want->len);
		g_byte_array_unref(got);
	}
	g_byte_array_unref(want);
}

/* Checks a field of the output's caps. */
static void check_caps(GstHarness *h, const char *want)
{
	GstCaps *caps = gst_pad_get_current_caps(h->sinkpad), *of = gst_caps_from_string(want);
	gchar *text = gst_caps_to_string(caps);

	CHECK(caps && gst_caps_is_subset(caps, of), "%s is not %s", text, want);
	g_free(text);
	gst_caps_unref(caps);
	gst_caps_unref(of);
}

static void test_rgb_caps(void)
{
	GstHarness *h = open_element("");

	set_frames(h, "RGB", W, H, "");
	CU_ASSERT_EQUAL(gst_harness_push(h, make_picture("RGB", 0)), GST_FLOW_OK);
	/* limited range, BT.709, the transfer of sRGB, primaries of BT.709 */
	check_caps(h, "video/x-h264,colorimetry=(string)2:3:7:1,width=66,height=50");
	gst_harness_teardown(h);
}

/* ---- rates ---- */

/* Sizes of the packets that are there. */
static int pull_sizes(GstHarness *h, double *bytes, int n)
{
	GstBuffer *b;

	while ((b = gst_harness_try_pull(h))) {
		bytes[n++] = (double)gst_buffer_get_size(b);
		gst_buffer_unref(b);
	}
	return n;
}

static GstBuffer *picture(int index)
{
	GstBuffer *b = make_frame("NV12", 96, 80, 0);

	GST_BUFFER_PTS(b) = (GstClockTime)index * GST_SECOND / FRAME_RATE;
	return b;
}

static void set_property(GstHarness *h, const char *name, const char *text)
{
	GstElement *e = gst_harness_find_element(h, "gpuintrah264enc");

	gst_util_set_object_arg(G_OBJECT(e), name, text);
	gst_object_unref(e);
}

enum { STEP = 30 };

/* Encodes one picture 2 * STEP times; a property has another value for the second half. Returns in
 * mean[] the bytes of a packet of each half. */
static void encode_steps(const char *properties, const char *name, const char *text, double mean[2])
{
	double bytes[2 * STEP];
	GstHarness *h = open_element(properties);
	int n = 0;

	set_frames(h, "NV12", 96, 80, "");
	for (int i = 0; i < 2 * STEP; i++) {
		if (i == STEP)
			set_property(h, name, text);
		CU_ASSERT_EQUAL(gst_harness_push(h, picture(i)), GST_FLOW_OK);
	}
	gst_harness_push_event(h, gst_event_new_eos());
	n = pull_sizes(h, bytes, 0);
	CU_ASSERT_EQUAL_FATAL(n, 2 * STEP);
	mean[0] = mean[1] = 0;
	for (int i = 0; i < 2 * STEP; i++)
		mean[i / STEP] += bytes[i] / STEP;
	gst_harness_teardown(h);
}

static double kbit(double bytes)
{
	return bytes * 8 * FRAME_RATE / 1000;
}

static void test_rates(void)
{
	double rates[2], qps[2], before[2], after[2], mode[2];

	encode_steps("frames-in-flight=4 bitrate=600", "bitrate", "200", rates);
	CU_ASSERT_DOUBLE_EQUAL(kbit(rates[0]), 600, 30);
	CU_ASSERT_DOUBLE_EQUAL(kbit(rates[1]), 200, 20);
	/* The packets of each half are those of a stream with this QP, but for the delta in the
	 * slice header. */
	encode_steps("frames-in-flight=4 qp=35", "qp", "20", qps);
	encode_steps("frames-in-flight=4 qp=35", "qp", "35", before);
	encode_steps("frames-in-flight=4 qp=20", "qp", "20", after);
	CU_ASSERT_DOUBLE_EQUAL(qps[0], before[0], 0.01);
	CU_ASSERT_DOUBLE_EQUAL(qps[1], after[0], 4);
	CU_ASSERT_TRUE(after[0] > 2 * before[0]);
	/* From a QP to a bit rate: with another encoder. */
	encode_steps("frames-in-flight=4 qp=35", "bitrate", "200", mode);
	CU_ASSERT_DOUBLE_EQUAL(mode[0], before[0], 0.01);
	CU_ASSERT_DOUBLE_EQUAL(kbit(mode[1]), 200, 20);
}

/* ---- the parameters of slices ---- */

typedef struct bits {
	const guint8 *data;
	guint at;
} bits;

static guint bit(bits *b)
{
	const guint v = b->data[b->at / 8] >> (7 - b->at % 8) & 1;

	b->at++;
	return v;
}

static guint ue(bits *b)
{
	guint zeros = 0, v = 1;

	while (!bit(b))
		zeros++;
	while (zeros--)
		v = 2 * v + bit(b);
	return v - 1;
}

/* idr_pic_id of the first slice (clause 7.3.3), which has no emulation prevention so early. */
static int idr_pic_id_of(GstBuffer *buffer)
{
	GstMapInfo map;
	int id = -1;

	gst_buffer_map(buffer, &map, GST_MAP_READ);
	for (gsize i = 0; id < 0 && i + 12 < map.size; i++)
		if (!map.data[i] && !map.data[i + 1] && map.data[i + 2] == 1 &&
			(map.data[i + 3] & 31) == 5) {
			bits b = { map.data + i + 4, 0 };

			for (int k = 0; k < 3; k++)
				(void)ue(&b); /* first_mb_in_slice, slice_type, id of the PPS */
			b.at += 4;            /* frame_num */
			id = (int)ue(&b);
		}
	gst_buffer_unmap(buffer, &map);
	return id;
}

/* The pictures of a stream follow each other with other numbers (clause 7.4.3), also after a new
 * encoder was opened. */
static void test_numbers(void)
{
	GstHarness *h = open_element("frames-in-flight=4");
	int last = -1, n = 0;
	GstBuffer *b;

	set_frames(h, "NV12", 96, 80, "");
	for (int i = 0; i < 12; i++) {
		if (i == 3)
			set_property(h, "bitrate", "500");
		if (i == 8)
			set_frames(h, "NV12", 96, 80, ",pixel-aspect-ratio=4/3");
		CU_ASSERT_EQUAL(gst_harness_push(h, picture(i)), GST_FLOW_OK);
	}
	gst_harness_push_event(h, gst_event_new_eos());
	for (; (b = gst_harness_try_pull(h)); n++) {
		const int id = idr_pic_id_of(b);

		CHECK(id >= 0 && id != last, "picture %d has idr_pic_id %d after %d", n, id, last);
		last = id;
		gst_buffer_unref(b);
	}
	CU_ASSERT_EQUAL(n, 12);
	gst_harness_teardown(h);
}

static void test_rate_of_caps(void)
{
	GstHarness *h = open_element("frames-in-flight=4");

	set_frames(h, "NV12", 96, 80, "");
	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(gst_harness_push(h, picture(i)), GST_FLOW_OK);
	check_caps(h, "video/x-h264,framerate=25/1");
	gst_harness_set_src_caps_str(
		h, "video/x-raw,format=NV12,width=96,height=80,framerate=50/1");
	CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 3);
	CU_ASSERT_EQUAL(gst_harness_push(h, picture(3)), GST_FLOW_OK);
	check_caps(h, "video/x-h264,framerate=50/1");
	gst_harness_push_event(h, gst_event_new_eos());
	CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 4);
	gst_harness_teardown(h);
}

/* ---- forced key units ---- */

/* Returns the events of forced key units; *time: of the last one. */
static int key_units(GstHarness *h, GstClockTime *time)
{
	GstEvent *e;
	int n = 0;

	while ((e = gst_harness_try_pull_event(h))) {
		if (gst_video_event_is_force_key_unit(e)) {
			CU_ASSERT_TRUE(gst_video_event_parse_downstream_force_key_unit(
				e, NULL, NULL, time, NULL, NULL));
			n++;
		}
		gst_event_unref(e);
	}
	return n;
}

static void test_key_units(void)
{
	GstHarness *h = open_element("frames-in-flight=1");
	GstClockTime time = 0;

	set_frames(h, "NV12", 96, 80, "");
	CU_ASSERT_EQUAL(gst_harness_push(h, picture(0)), GST_FLOW_OK);
	CU_ASSERT_EQUAL(key_units(h, &time), 0);
	/* From upstream, for the frame of a time; from downstream, for the next frame. */
	gst_harness_push_event(h, gst_video_event_new_downstream_force_key_unit(GST_SECOND / 25,
					  GST_SECOND / 25, GST_SECOND / 25, TRUE, 7));
	CU_ASSERT_EQUAL(gst_harness_push(h, picture(1)), GST_FLOW_OK);
	CU_ASSERT_EQUAL(key_units(h, &time), 1);
	CU_ASSERT_EQUAL(time, GST_SECOND / 25);
	gst_harness_push_upstream_event(
		h, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 8));
	CU_ASSERT_EQUAL(gst_harness_push(h, picture(2)), GST_FLOW_OK);
	CU_ASSERT_EQUAL(gst_harness_push(h, picture(3)), GST_FLOW_OK);
	CU_ASSERT_EQUAL(key_units(h, &time), 1);
	CU_ASSERT_EQUAL(time, 2 * GST_SECOND / 25);
	CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 4);
	gst_harness_teardown(h);
}

/* ---- latency ---- */

/* The packet of a frame is there, at the latest, when as many frames as reported have followed. */
static void test_latency(void)
{
	static const struct {
		const char *properties;
		int frames;
	} cases[] = { { "", 0 }, { "latency=200", 5 }, { "latency=39", 0 },
		{ "latency=200 frames-in-flight=3", 2 } };

	for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
		GstHarness *h = open_element(cases[k].properties);
		double bytes[40];
		int n = 0;

		set_frames(h, "NV12", 96, 80, "");
		CU_ASSERT_EQUAL(gst_harness_query_latency(h),
			(GstClockTime)cases[k].frames * GST_SECOND / FRAME_RATE);
		for (int i = 0; i < 40; i++) {
			CU_ASSERT_EQUAL(gst_harness_push(h, picture(i)), GST_FLOW_OK);
			n = pull_sizes(h, bytes, n);
			CHECK(n > i - cases[k].frames, "%s: %d packets of %d frames",
				cases[k].properties, n, i + 1);
		}
		gst_harness_teardown(h);
	}
}

static CU_TestInfo tests[] = {
	{ "each format gives the bytes of the same picture in another one", test_formats },
	{ "RGB is described as it is converted", test_rgb_caps },
	{ "bitrate and qp change while playing", test_rates },
	{ "pictures have other numbers than those before, whichever encoder made them",
		test_numbers },
	{ "another frame rate drains the stream and is in the caps", test_rate_of_caps },
	{ "forced key units are passed on with the frame", test_key_units },
	{ "latency limits the frames in flight of a live source, and is reported", test_latency },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	setup_gst("gst_change", 0);
	return test_run_one("gst_change", tests);
}
