/* gpuintrah264enc with frames in CUDA memory. Needs a build with CUDA, a GPU, and the plugins base
 * and bad of GStreamer (Debian: gstreamer1.0-plugins-base, gstreamer1.0-plugins-bad) on a machine
 * whose driver has libnvcuvid, without which the nvcodec plugin has no elements. In a build folder:
 *
 *     make plugins/gstreamer/libgstgpuintra.so tests/plugins/gst_cuda_test
 *     TEST_BUILDDIR=$PWD tests/plugins/gst_cuda_test */
#include "tests/plugins/gst_setup.h"

#include <CUnit/CUnit.h>
#include <glib/gstdio.h>
#include <h264intra/h264intra.h>
#include <stdio.h>

enum { FRAMES = 300, TIME_LIMIT_S = 60 };

/* Frames that the element named `e` counted. */
typedef struct counts {
	guint64 frames, device_frames;
} counts;

/* Name of a file in the build folder; the caller frees it. */
static gchar *file_name(const char *name)
{
	const char *build = g_getenv("TEST_BUILDDIR") ? g_getenv("TEST_BUILDDIR") : ".";

	return g_strdup_printf("%s/tests/plugins/gst_cuda_%s.264", build, name);
}

/* Runs a pipeline to its end. Returns 0 and prints the error if it fails. */
static int run_pipeline(const char *text, counts *out)
{
	GError *error = NULL;
	GstElement *pipeline = gst_parse_launch(text, &error), *e;
	GstStructure *stats = NULL;
	GstMessage *message;
	GstBus *bus;
	int ok;

	if (error) {
		fprintf(stderr, "%s: %s\n", text, error->message);
		g_error_free(error);
		return 0;
	}
	bus = gst_element_get_bus(pipeline);
	gst_element_set_state(pipeline, GST_STATE_PLAYING);
	message = gst_bus_timed_pop_filtered(
		bus, TIME_LIMIT_S * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
	ok = message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
	if (message && !ok) {
		gst_message_parse_error(message, &error, NULL);
		fprintf(stderr, "%s: %s\n", text, error->message);
		g_error_free(error);
	}
	e = gst_bin_get_by_name(GST_BIN(pipeline), "e");
	g_object_get(e, "stats", &stats, NULL);
	gst_structure_get(stats, "frames", G_TYPE_UINT64, &out->frames, "device-frames",
		G_TYPE_UINT64, &out->device_frames, NULL);
	gst_structure_free(stats);
	gst_object_unref(e);
	gst_element_set_state(pipeline, GST_STATE_NULL);
	if (message)
		gst_message_unref(message);
	gst_object_unref(bus);
	gst_object_unref(pipeline);
	return ok;
}

/* Runs SOURCE ! ENCODER ! filesink. Returns the stream, which the caller unrefs, or NULL. */
static GBytes *encode(const char *name, const char *source, const char *encoder, counts *out)
{
	gchar *file = file_name(name), *data = NULL;
	gchar *text = g_strdup_printf(
		"%s ! gpuintrah264enc name=e %s ! filesink location=\"%s\"", source, encoder, file);
	gsize bytes = 0;
	GBytes *stream = NULL;

	if (run_pipeline(text, out) && g_file_get_contents(file, &data, &bytes, NULL))
		stream = g_bytes_new_take(data, bytes);
	g_free(text);
	g_free(file);
	return stream;
}

static void remove_file(const char *name)
{
	gchar *file = file_name(name);

	g_remove(file);
	g_free(file);
}

/* Encodes the same frames in host and in device memory; `options` are those of both encoders,
 * `gpu_options` those of the one for device memory. */
static void check_upload(const char *format, const char *options, const char *gpu_options)
{
	gchar *source = g_strdup_printf("videotestsrc num-buffers=%d pattern=ball ! "
					"video/x-raw,format=%s,width=648,height=358,framerate=25/1",
		(int)FRAMES, format);
	gchar *device = g_strdup_printf("%s ! cudaupload ! video/x-raw(memory:CUDAMemory)", source);
	gchar *cpu = g_strdup_printf("backend=cpu %s", options);
	gchar *cuda = g_strdup_printf("backend=cuda %s %s", options, gpu_options);
	counts host = { 0, 0 }, gpu = { 0, 0 };
	GBytes *want = encode("host", source, cpu, &host);
	GBytes *got = encode("device", device, cuda, &gpu);

	g_free(source);
	g_free(device);
	g_free(cpu);
	g_free(cuda);
	CHECK(want && got, "no stream");
	CU_ASSERT_TRUE(g_bytes_equal(want, got));
	CU_ASSERT_EQUAL(host.device_frames, 0);
	CU_ASSERT_EQUAL(gpu.frames, FRAMES);
	CU_ASSERT_EQUAL(gpu.device_frames, FRAMES);
	g_bytes_unref(want);
	g_bytes_unref(got);
	remove_file("host");
	remove_file("device");
}

static void test_upload(void)
{
	check_upload("NV12", "", "");
	check_upload("I420", "", "");
	check_upload("P010_10LE", "", "");
	check_upload("RGBA", "", "");
	check_upload("BGR", "", "");
	check_upload("NV12", "frames-in-flight=1 slices=4", "");
	check_upload("NV12", "", "sm-limit=16 stream-priority=-5");
}

static void test_cpu_backend(void)
{
	counts n = { 0, 0 };
	GBytes *stream = encode("download",
		"videotestsrc num-buffers=10 ! video/x-raw,format=NV12 ! cudaupload ! cudadownload",
		"backend=cpu", &n);

	CHECK(stream != NULL, "no stream");
	CU_ASSERT_EQUAL(n.frames, 10);
	CU_ASSERT_EQUAL(n.device_frames, 0);
	g_bytes_unref(stream);
	remove_file("download");
}

/* The decoder's frames reach the encoder without a caps filter, and without a copy. */
static void test_decoder(void)
{
	counts n = { 0, 0 };
	gchar *file = file_name("input");
	gchar *decoded = g_strdup_printf("filesrc location=\"%s\" ! h264parse ! nvh264dec", file);
	gchar *downloaded = g_strdup_printf("%s ! cudadownload ! video/x-raw", decoded);
	GBytes *input, *want, *got;

	input = encode("input",
		"videotestsrc num-buffers=300 pattern=ball ! video/x-raw,"
		"format=NV12,width=640,height=368,framerate=25/1",
		"backend=cpu qp=20", &n);
	want = encode("host", downloaded, "backend=cpu", &n);
	CU_ASSERT_EQUAL(n.frames, FRAMES);
	got = encode("device", decoded, "backend=cuda", &n);
	g_free(file);
	g_free(decoded);
	g_free(downloaded);
	CHECK(input && want && got, "no stream");
	CU_ASSERT_EQUAL(n.frames, FRAMES);
	CU_ASSERT_EQUAL(n.device_frames, FRAMES);
	CU_ASSERT_TRUE(g_bytes_equal(want, got));
	g_bytes_unref(input);
	g_bytes_unref(want);
	g_bytes_unref(got);
	remove_file("input");
	remove_file("host");
	remove_file("device");
}

static int has(const char *name)
{
	GstElementFactory *factory = gst_element_factory_find(name);

	if (factory)
		gst_object_unref(factory);
	return factory != NULL;
}

static CU_TestInfo tests[] = {
	{ "frames of CUDA memory are encoded without a copy, to the CPU's bytes", test_upload },
	{ "the CPU backend encodes downloaded frames", test_cpu_backend },
	{ "frames of NVDEC are encoded without a copy", test_decoder },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	static const char *const needed[] = { "videotestsrc", "cudaupload", "cudadownload",
		"h264parse", "nvh264dec" };
	char why[256];

	if (!h264i_cuda_usable(why, sizeof(why)))
		return test_skip_gpu(why);
	setup_gst("gst_cuda", 1);
	for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
		if (!has(needed[i])) {
			printf("skipped: GStreamer has no element %s\n", needed[i]);
			return TEST_EXIT_SKIP;
		}
	}
	return test_run_one("gst_cuda", tests);
}
