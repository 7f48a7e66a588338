/* gpuintrah264enc as an element: states, latency, errors, rejected caps, tags, captions. */
#include "config.h"

#include "tests/plugins/gst_setup.h"

#include <CUnit/CUnit.h>
#include <glib/gstdio.h>
#include <h264intra/h264intra.h>
#include <sys/resource.h>
#include <unistd.h>

enum { W = 64, H = 48 };

static GstHarness *open_element(const char *properties)
{
	gchar *line = g_strdup_printf("gpuintrah264enc threads=2 %s", properties);
	GstHarness *h = gst_harness_new_parse(line);

	g_free(line);
	return h;
}

static void walk_states(const GstState *states, int count)
{
	GstElement *e = gst_element_factory_make("gpuintrah264enc", NULL);

	CHECK(e != NULL, "no element");
	for (int i = 0; i < count; i++)
		CHECK(gst_element_set_state(e, states[i]) == GST_STATE_CHANGE_SUCCESS,
			"step %d to %s failed", i, gst_element_state_get_name(states[i]));
	gst_element_set_state(e, GST_STATE_NULL);
	gst_object_unref(e);
}

static void test_states(void)
{
	static const GstState up_down[] = { GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING,
		GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL };
	static const GstState jumps[] = { GST_STATE_PLAYING, GST_STATE_NULL, GST_STATE_PLAYING,
		GST_STATE_READY, GST_STATE_PLAYING, GST_STATE_NULL };
	static const GstState half[] = { GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PAUSED,
		GST_STATE_NULL, GST_STATE_READY, GST_STATE_NULL };

	walk_states(up_down, G_N_ELEMENTS(up_down));
	walk_states(jumps, G_N_ELEMENTS(jumps));
	walk_states(half, G_N_ELEMENTS(half));
}

static void test_version(void)
{
	GstRegistry *registry = gst_registry_get();
	guint major, minor, micro, nano;

	gst_version(&major, &minor, &micro, &nano);
	CU_ASSERT_TRUE(gst_registry_check_feature_version(
		registry, "gpuintrah264enc", major, minor, micro));
}

static gboolean query_not_live(GstPad *pad, GstObject *parent, GstQuery *query)
{
	if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY)
		return gst_pad_query_default(pad, parent, query);
	gst_query_set_latency(query, FALSE, 0, GST_CLOCK_TIME_NONE);
	return TRUE;
}

/* Returns what the element answers; the harness's bin leaves out what is not live. */
static GstClockTime latency_of(const char *properties, int live)
{
	GstHarness *h = open_element(properties);
	GstElement *e = gst_harness_find_element(h, "gpuintrah264enc");
	GstQuery *query = gst_query_new_latency();
	GstClockTime latency = GST_CLOCK_TIME_NONE;

	/* A harness is a live source by itself. */
	if (!live)
		gst_pad_set_query_function(h->srcpad, query_not_live);
	set_frames(h, "NV12", W, H, "");
	if (gst_element_query(e, query))
		gst_query_parse_latency(query, NULL, &latency, NULL);
	gst_query_unref(query);
	gst_object_unref(e);
	gst_harness_teardown(h);
	return latency;
}

static void test_latency(void)
{
	const GstClockTime frame = GST_SECOND / FRAME_RATE;

	CU_ASSERT_EQUAL(latency_of("backend=cpu", 1), 0);
	CU_ASSERT_EQUAL(latency_of("backend=cpu frames-in-flight=4", 1), 3 * frame);
	CU_ASSERT_EQUAL(latency_of("backend=cpu frames-in-flight=4", 0), 3 * frame);
	/* The automatic number on CPU threads is 2 or more. */
	CU_ASSERT_TRUE(latency_of("backend=cpu", 0) >= frame);
}

/* Sets caps and pushes a frame, which fails. Checks domain, code and text of the error. */
static void check_error(
	const char *properties, const char *more, GQuark domain, int code, const char *part)
{
	GstHarness *h = open_element(properties);
	GstBus *bus = gst_bus_new();
	GQuark got_domain = 0;
	int got_code = 0, count;
	gchar *text;

	gst_element_set_bus(h->element, bus);
	set_frames(h, "NV12", W, H, more);
	CU_ASSERT_NOT_EQUAL(push_frames(h, "NV12", W, H, 0, 1), GST_FLOW_OK);
	text = posted_error(bus, &got_domain, &got_code, &count);
	CHECK(text && strstr(text, part), "'%s' instead of '%s'", text ? text : "", part);
	CU_ASSERT_EQUAL(got_domain, domain);
	CU_ASSERT_EQUAL(got_code, code);
	CU_ASSERT_EQUAL(count, 1);
	g_free(text);
	gst_element_set_bus(h->element, NULL);
	gst_object_unref(bus);
	gst_harness_teardown(h);
}

static void check_settings(const char *properties, const char *part)
{
	check_error(properties, "", GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, part);
}

/* Properties without an effect are no errors. */
static void check_fine(const char *properties)
{
	GstHarness *h = open_element(properties);

	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 1), GST_FLOW_OK);
	gst_harness_teardown(h);
}

/* Allows this process 1 GB more than it has, so that a file without an end is an error. */
static void limit_memory(struct rlimit *before)
{
	struct rlimit limit;
	gchar *statm = NULL;

	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_AS, before), 0);
	limit = *before;
	if (g_file_get_contents("/proc/self/statm", &statm, NULL, NULL))
		limit.rlim_cur = g_ascii_strtoull(statm, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) +
				 ((rlim_t)1 << 30);
	g_free(statm);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_AS, &limit), 0);
}

static void test_open_errors(void)
{
	struct rlimit before;

	check_error("backend=cpu slices=4", "", GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
		"4 slices are not in 1..3");
	/* Between -1, which is not set, and 0 */
	check_settings("backend=cpu crf=-0.5", "crf: '-0.5' is not 0..51");
	check_settings(
		"backend=cpu aq-mode=1 aq-strength=-0.01", "aq-strength: '-0.01' is not 0..3");
	check_error("backend=cpu cqm=/nowhere/matrices", "", GST_RESOURCE_ERROR,
		GST_RESOURCE_ERROR_READ, "use flat, jvt or a file");
	check_settings("backend=cpu disable-modes=i4:2", "disable-modes: 'i4:2' is not");
	check_settings("backend=cpu cqm=/dev/null", "cqm /dev/null: ");
	check_settings("backend=cpu pass=2", "pass=2 needs bitrate");
	check_settings("backend=cpu pass=3 bitrate=9 crf=20", "crf and bitrate exclude");
	check_error("backend=cpu pass=2 bitrate=900 pass-log=/nowhere/log", "", GST_RESOURCE_ERROR,
		GST_RESOURCE_ERROR_READ, "pass=1 writes it");
	check_settings("backend=cpu pass=2 bitrate=900 pass-log=/dev/null", "the log is empty");
	check_error("backend=cpu pass=2 bitrate=900 pass-log=/", "", GST_RESOURCE_ERROR,
		GST_RESOURCE_ERROR_READ, "pass=1 writes it");
	check_settings("backend=cpu gpu-workers=8",
		"gpu-workers has no effect with backend cpu; remove one of them, or use "
		"backend auto");
	check_settings("backend=cpu sm-limit=8", "sm-limit has no effect");
	check_settings("backend=cpu stream-priority=-1", "stream-priority has no effect");
	check_settings("backend=cpu cuda-device-id=0", "cuda-device-id has no effect");
	check_settings("backend=cuda threads=2", "threads has no effect with backend cuda");
	check_fine("backend=cpu qp=30 crf=20");
	check_fine("backend=cpu aq-strength=1.2 vbv-init=0.5 rate-delay=4 disable-modes=\"\"");
	limit_memory(&before);
	check_settings("backend=cpu pass=2 bitrate=900 pass-log=/dev/zero", "the log is empty");
	setrlimit(RLIMIT_AS, &before);
	if (!h264i_cuda_usable(NULL, 0))
		check_error("backend=cuda threads=0", "", GST_RESOURCE_ERROR,
			GST_RESOURCE_ERROR_NOT_FOUND, "CUDA");
}

/* What the element does in two passes at frames beyond the log, new caps, a full disk. */
static void test_passes(void)
{
	gchar *log = g_build_filename(g_get_tmp_dir(), "gst_element_XXXXXX", NULL);
	gchar *first = NULL, *second = NULL, *text = NULL;
	GstHarness *h;
	int fd = g_mkstemp(log);

	CU_ASSERT_FATAL(fd >= 0);
	close(fd);
	first = g_strdup_printf("backend=cpu pass=1 pass-log=%s", log);
	second = g_strdup_printf("backend=cpu pass=2 bitrate=900 pass-log=%s", log);
	h = open_element(first);
	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 5), GST_FLOW_OK);
	gst_harness_push_event(h, gst_event_new_eos());
	gst_harness_teardown(h);
	CU_ASSERT_TRUE(g_file_get_contents(log, &text, NULL, NULL));
	CHECK(text && g_str_has_suffix(text, "\nend 5\n"), "the log is '%s'", text ? text : "");
	g_free(text);

	h = open_element(second);
	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 5), GST_FLOW_OK);
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 5, 1), GST_FLOW_ERROR);
	gst_harness_teardown(h);

	h = open_element(first);
	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 2), GST_FLOW_OK);
	set_frames(h, "NV12", W + 16, H, "");
	CU_ASSERT_NOT_EQUAL(push_frames(h, "NV12", W + 16, H, 2, 1), GST_FLOW_OK);
	gst_harness_teardown(h);
	unlink(log);
	g_free(first);
	g_free(second);
	g_free(log);
}

/* Whether the kernel itself follows no link of another user there. */
static int protected_links(void)
{
	gchar *text = NULL;
	int is_set;

	g_file_get_contents("/proc/sys/fs/protected_symlinks", &text, NULL, NULL);
	is_set = text && text[0] == '1';
	g_free(text);
	return is_set;
}

/* Where all users write, a link belongs to the user or to the owner of the folder. */
static void test_foreign_link(void)
{
	gchar *folder = g_dir_make_tmp("gst_element_XXXXXX", NULL);
	gchar *mine = g_build_filename(folder, "mine", NULL);
	gchar *link = g_build_filename(folder, "link", NULL);
	gchar *properties = g_strdup_printf("backend=cpu pass=1 pass-log=%s", link);
	GstBus *bus = gst_bus_new();
	GQuark domain = 0;
	int code = 0, count;
	gchar *text;

	CU_ASSERT_EQUAL_FATAL(g_chmod(folder, 01777), 0);
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(mine, "old", -1, NULL));
	CU_ASSERT_EQUAL_FATAL(symlink("mine", link), 0);
	if (protected_links()) {
		printf("(left out: the kernel refuses the link) ");
	} else if (lchown(link, 4321, 4321) == 0) {
		GstHarness *h = open_element(properties);

		gst_element_set_bus(h->element, bus);
		set_frames(h, "NV12", W, H, "");
		CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 1), GST_FLOW_OK);
		gst_harness_push_event(h, gst_event_new_eos());
		text = posted_error(bus, &domain, &code, &count);
		CU_ASSERT_TRUE(text && strstr(text, "link: Permission denied"));
		CU_ASSERT_TRUE(domain == GST_RESOURCE_ERROR && code == GST_RESOURCE_ERROR_WRITE);
		g_free(text);
		CU_ASSERT_TRUE(g_file_get_contents(mine, &text, NULL, NULL));
		CU_ASSERT_STRING_EQUAL(text, "old");
		g_free(text);
		gst_element_set_bus(h->element, NULL);
		gst_harness_teardown(h);
	} else {
		printf("(left out: only root makes a link of another user) ");
	}
	unlink(link);
	unlink(mine);
	g_rmdir(folder);
	gst_object_unref(bus);
	g_free(properties);
	g_free(link);
	g_free(mine);
	g_free(folder);
}

static void test_small_buffer(void)
{
	GstHarness *h = open_element("backend=cpu");
	GstBus *bus = gst_bus_new();
	GQuark domain = 0;
	int code = 0, count;
	gchar *text;

	gst_element_set_bus(h->element, bus);
	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(
		gst_harness_push(h, gst_buffer_new_allocate(NULL, 100, NULL)), GST_FLOW_ERROR);
	text = posted_error(bus, &domain, &code, &count);
	CU_ASSERT_TRUE(text && domain == GST_RESOURCE_ERROR && code == GST_RESOURCE_ERROR_READ);
	g_free(text);
	gst_element_set_bus(h->element, NULL);
	gst_object_unref(bus);
	gst_harness_teardown(h);
}

static int accepts(GstHarness *h, const char *caps_text)
{
	GstCaps *caps = gst_caps_from_string(caps_text);
	int accepted = gst_pad_query_accept_caps(GST_PAD_PEER(h->srcpad), caps);

	gst_caps_unref(caps);
	return accepted;
}

static void test_rejected_caps(void)
{
	static const char *const bad[] = {
		"video/x-raw,format=NV12,width=14,height=48,framerate=25/1",
		"video/x-raw,format=NV12,width=16882,height=48,framerate=25/1",
		"video/x-raw,format=Y444,width=64,height=48,framerate=25/1",
		"video/x-raw,format=NV12,width=64,height=48,interlace-mode=interleaved",
		"video/x-raw(memory:CUDAMemory),format=NV12,width=64,height=48",
	};
	GstHarness *h = open_element("backend=cpu");

	CU_ASSERT_TRUE(accepts(h, "video/x-raw,format=NV12,width=64,height=48,framerate=25/1"));
	CU_ASSERT_TRUE(accepts(h, "video/x-raw,format=I420,width=64,height=48"));
	CU_ASSERT_TRUE(accepts(h, "video/x-raw,format=I420,width=65,height=47"));
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		CHECK(!accepts(h, bad[i]), "accepted: %s", bad[i]);
	gst_harness_teardown(h);
}

static void test_link(void)
{
	GstElement *e = gst_element_factory_make("gpuintrah264enc", NULL);
	GstPad *pad = gst_element_get_static_pad(e, "sink");
	GstCaps *caps = gst_caps_from_string(
		"video/x-raw(memory:CUDAMemory),format=NV12,width=64,height=48,framerate=25/1");

	CU_ASSERT_TRUE(gst_pad_query_accept_caps(pad, caps));
	gst_caps_unref(caps);
	gst_object_unref(pad);
	gst_object_unref(e);
}

/* Caps that the encoder cannot be opened for, after frames of others. */
static void test_refused_change(void)
{
	GstHarness *h = open_element("backend=cpu slices=3 frames-in-flight=4");

	set_frames(h, "NV12", W, H, "");
	CU_ASSERT_EQUAL(push_frames(h, "NV12", W, H, 0, 2), GST_FLOW_OK);
	set_frames(h, "NV12", W, 32, "");
	CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 2);
	CU_ASSERT_NOT_EQUAL(push_frames(h, "NV12", W, 32, 2, 1), GST_FLOW_OK);
	gst_harness_push_event(h, gst_event_new_eos());
	CU_ASSERT_EQUAL(gst_harness_buffers_received(h), 2);
	gst_harness_teardown(h);
}

static void test_tags(void)
{
	GstHarness *h = open_element("backend=cpu");
	GstTagList *tags = NULL;
	gchar *name = NULL;
	GstEvent *event;

	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 1);
	event = gst_pad_get_sticky_event(h->sinkpad, GST_EVENT_TAG, 0);
	CHECK(event != NULL, "no tags");
	gst_event_parse_tag(event, &tags);
	gst_tag_list_get_string(tags, GST_TAG_ENCODER, &name);
	CU_ASSERT_STRING_EQUAL(name, "gpuintra");
	g_free(name);
	gst_event_unref(event);
	gst_harness_teardown(h);
}

/* The first packet of a frame with captions; the caller unrefs it. */
static GstBuffer *encode_captions(GstVideoCaptionType type, const guint8 *data, gsize bytes)
{
	GstHarness *h = open_element("backend=cpu");
	GstBuffer *b = make_frame("NV12", W, H, 0);

	set_frames(h, "NV12", W, H, "");
	gst_buffer_add_video_caption_meta(b, type, data, bytes);
	gst_harness_push(h, b);
	b = gst_harness_pull(h);
	gst_harness_teardown(h);
	return b;
}

static int contains(GstBuffer *b, const guint8 *bytes, gsize count)
{
	GstMapInfo map;
	int found;

	gst_buffer_map(b, &map, GST_MAP_READ);
	found = memmem(map.data, map.size, bytes, count) != NULL;
	gst_buffer_unmap(b, &map);
	gst_buffer_unref(b);
	return found;
}

static void test_captions(void)
{
	static const guint8 triplets[] = { 0xfc, 0x94, 0x20, 0xfd, 0x80, 0x80 };
	/* SEI NAL unit, payload type 4, size 17, T.35 header, "GA94", cc_data of two triplets. */
	static const guint8 want[] = { 0, 0, 0, 1, 6, 4, 17, 0xb5, 0, 0x31, 'G', 'A', '9', '4', 3,
		0xc2, 0xff, 0xfc, 0x94, 0x20, 0xfd, 0x80, 0x80, 0xff, 0x80 };

	CU_ASSERT_TRUE(contains(
		encode_captions(GST_VIDEO_CAPTION_TYPE_CEA708_RAW, triplets, sizeof(triplets)),
		want, sizeof(want)));
	CU_ASSERT_FALSE(contains(
		encode_captions(GST_VIDEO_CAPTION_TYPE_CEA608_RAW, triplets, 2), want + 4, 2));
}

static void test_stats(void)
{
	GstHarness *h = open_element("backend=cpu");
	GstElement *e = gst_harness_find_element(h, "gpuintrah264enc");
	guint64 frames = 0, device = 1;
	GstStructure *stats;

	set_frames(h, "NV12", W, H, "");
	push_frames(h, "NV12", W, H, 0, 3);
	g_object_get(e, "stats", &stats, NULL);
	gst_structure_get(stats, "frames", G_TYPE_UINT64, &frames, "device-frames", G_TYPE_UINT64,
		&device, NULL);
	CU_ASSERT_EQUAL(frames, 3);
	CU_ASSERT_EQUAL(device, 0);
	gst_structure_free(stats);
	gst_object_unref(e);
	gst_harness_teardown(h);
}

/* Values of the class, and that a value that is set is read again. */
static void test_shared_gpu(void)
{
	GstElement *e = gst_element_factory_make("gpuintrah264enc", NULL);
	GObjectClass *c = G_OBJECT_GET_CLASS(e);
	GParamSpecUInt *limit = G_PARAM_SPEC_UINT(g_object_class_find_property(c, "sm-limit"));
	GParamSpecInt *priority =
		G_PARAM_SPEC_INT(g_object_class_find_property(c, "stream-priority"));
	guint sms = 1;
	gint level = 1;

	CHECK(limit && priority, "a property is missing");
	CU_ASSERT_TRUE(limit->minimum == 0 && limit->maximum == 4096);
	CU_ASSERT_TRUE(priority->minimum == -100 && priority->maximum == 0);
	g_object_get(e, "sm-limit", &sms, "stream-priority", &level, NULL);
	CU_ASSERT_TRUE(sms == 0 && level == 0);
	g_object_set(e, "sm-limit", 16, "stream-priority", -5, NULL);
	g_object_get(e, "sm-limit", &sms, "stream-priority", &level, NULL);
	CU_ASSERT_TRUE(sms == 16 && level == -5);
	gst_object_unref(e);
}

/* x264enc's properties of these names are booleans. */
static void test_switches(void)
{
	static const char *const names[] = { "cabac", "dct8x8" };
	GstElement *e = gst_element_factory_make("gpuintrah264enc", NULL);
	gint value;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_object_get(e, names[i], &value, NULL);
		CU_ASSERT_EQUAL(value, -1);
		for (gint set = FALSE; set <= TRUE; set++) {
			g_object_set(e, names[i], set, NULL);
			g_object_get(e, names[i], &value, NULL);
			CU_ASSERT_EQUAL(value, set);
			gst_util_set_object_arg(G_OBJECT(e), names[i], set ? "false" : "true");
			g_object_get(e, names[i], &value, NULL);
			CU_ASSERT_EQUAL(value, !set);
		}
	}
	gst_object_unref(e);
}

static CU_TestInfo tests[] = {
	{ "the element passes through its states in three orders", test_states },
	{ "the plugin has the version of the GStreamer that runs", test_version },
	{ "latency is that of the frames in flight, 0 for a live source", test_latency },
	{ "an encoder that cannot be opened posts the library's sentence once", test_open_errors },
	{ "two passes write a log and keep to it", test_passes },
	{ "a log is not written through a link of another user", test_foreign_link },
	{ "a buffer that is too small is an error", test_small_buffer },
	{ "extreme sizes, interlaced and CUDA frames are rejected", test_rejected_caps },
	{ "the element accepts CUDA memory in the state NULL, where pads are linked", test_link },
	{ "caps that fail after others end the stream with its frames", test_refused_change },
	{ "the stream is tagged with the encoder's name", test_tags },
	{ "CEA-708 triplets become an SEI message, other captions none", test_captions },
	{ "the statistics count frames", test_stats },
	{ "sm-limit and stream-priority have gpuintra's ranges", test_shared_gpu },
	{ "cabac and dct8x8 can be set as x264enc's", test_switches },
	CU_TEST_INFO_NULL,
};

int main(void)
{

	setup_gst("gst_element", 0);
	return test_run_one("gst_element", tests);
}
