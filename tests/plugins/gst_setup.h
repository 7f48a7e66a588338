/* What suites of the GStreamer element share: the plugin of the build folder, frames, messages. */
#ifndef TESTS_PLUGINS_GST_SETUP_H
#define TESTS_PLUGINS_GST_SETUP_H

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string.h>

#include "tests/common/check.h"
#include "tests/common/testmain.h"

/* Initialises GStreamer with the build folder's plugin; system: with the installed ones, too. The
 * registry is a file of this suite, so that suites can run in parallel. */
static inline void setup_gst(const char *suite, int system)
{
	const char *build = g_getenv("TEST_BUILDDIR") ? g_getenv("TEST_BUILDDIR") : ".";
	gchar *plugins = g_build_filename(build, "plugins", "gstreamer", NULL);
	gchar *registry = g_strdup_printf("%s/tests/plugins/%s.registry", build, suite);

	g_setenv("GST_PLUGIN_PATH", plugins, TRUE);
	if (!system)
		g_setenv("GST_PLUGIN_SYSTEM_PATH", "", TRUE);
	g_setenv("GST_REGISTRY", registry, TRUE);
	/* The helper that reads plugins is not built with sanitizers. */
	g_setenv("GST_REGISTRY_FORK", "no", TRUE);
	g_free(plugins);
	g_free(registry);
	gst_init(NULL, NULL);
	g_log_set_always_fatal(G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL);
}

enum { FRAME_RATE = 25 };

/* Caps of frames at 25 a second; `more` is appended. The caller frees them. */
static inline gchar *frame_caps(const char *format, int width, int height, const char *more)
{
	return g_strdup_printf("video/x-raw,format=%s,width=%d,height=%d,framerate=%d/1%s", format,
		width, height, (int)FRAME_RATE, more);
}

static inline void set_frames(
	GstHarness *h, const char *format, int width, int height, const char *more)
{
	gchar *caps = frame_caps(format, width, height, more);

	gst_harness_set_src_caps_str(h, caps);
	g_free(caps);
}

/* Sample of the test picture: frames, components and positions differ. */
static inline guint8 sample(int frame, int component, int x, int y)
{
	return (guint8)(x * 5 + y * 3 + frame * 11 + component * 40 + (x * y) % 13);
}

/* Returns frame number `index` with its timestamps. NV12 and I420 have the same picture. */
static inline GstBuffer *make_frame(const char *format, int width, int height, int index)
{
	const int luma = width * height, planar = strcmp(format, "I420") == 0;
	GstBuffer *buffer = gst_buffer_new_allocate(NULL, (gsize)luma * 3 / 2, NULL);
	GstMapInfo map;

	gst_buffer_map(buffer, &map, GST_MAP_WRITE);
	for (int i = 0; i < luma; i++)
		map.data[i] = sample(index, 0, i % width, i / width);
	for (int i = 0; i < luma / 4; i++) {
		const int x = i % (width / 2), y = i / (width / 2);

		for (int c = 0; c < 2; c++)
			map.data[planar ? luma + c * luma / 4 + i : luma + 2 * i + c] =
				sample(index, c + 1, x, y);
	}
	gst_buffer_unmap(buffer, &map);
	GST_BUFFER_DURATION(buffer) = GST_SECOND / FRAME_RATE;
	GST_BUFFER_PTS(buffer) = (GstClockTime)index * GST_SECOND / FRAME_RATE;
	return buffer;
}

/* Pushes frames first..first + count - 1. Returns the first flow that is not OK. */
static inline GstFlowReturn push_frames(
	GstHarness *h, const char *format, int width, int height, int first, int count)
{
	GstFlowReturn flow = GST_FLOW_OK;

	for (int i = 0; i < count && flow == GST_FLOW_OK; i++)
		flow = gst_harness_push(h, make_frame(format, width, height, first + i));
	return flow;
}

/* Returns the text of the first error that the element posted and its code, NULL if it posted none;
 * the caller frees it. *count receives the number of errors. */
static inline gchar *posted_error(GstBus *bus, GQuark *domain, int *code, int *count)
{
	gchar *text = NULL;
	GstMessage *message;

	*count = 0;
	while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR))) {
		GError *error;

		gst_message_parse_error(message, &error, NULL);
		if ((*count)++ == 0) {
			text = g_strdup(error->message);
			*domain = error->domain;
			*code = error->code;
		}
		g_error_free(error);
		gst_message_unref(message);
	}
	return text;
}

#endif
