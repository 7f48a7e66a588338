/* The plugin's descriptor, which GStreamer reads after it has loaded the file. */
#include "config.h"

#include "plugins/gstreamer/element.h"

GST_DEBUG_CATEGORY(gst_gpuintra_debug);

GST_PLUGIN_EXPORT const GstPluginDesc *gst_plugin_gpuintra_get_desc(void);

static gboolean plugin_init(GstPlugin *plugin)
{
	GST_DEBUG_CATEGORY_INIT(
		gst_gpuintra_debug, "gpuintra", 0, "H.264 all-intra encoder of gputasks");
	/* GST_RANK_NONE: encodebin must not select an all-intra encoder. */
	return gst_element_register(
		plugin, "gpuintrah264enc", GST_RANK_NONE, gst_gpuintra_h264_enc_get_type());
}

/* The name is that of the file, libgstgpuintra.so. GST_PLUGIN_DEFINE is not used because the
 * plugin's version is that of the GStreamer that loads it: gst-inspect-1.0 --exists and
 * gst_registry_check_feature_version() reject older ones by default. */
const GstPluginDesc *gst_plugin_gpuintra_get_desc(void)
{
	static gchar version[32];
	static GstPluginDesc desc = {
		.major_version = GST_VERSION_MAJOR,
		.minor_version = 22, /* the oldest that is supported; headers may be newer */
		.name = "gpuintra",
		.description = "H.264 all-intra encoder on CUDA GPUs and CPU threads",
		.plugin_init = plugin_init,
		.version = version,
		.license = "BSD",
		.source = PACKAGE,
		.package = PACKAGE_STRING,
		.origin = "gputasks",
	};
	guint major, minor, micro, nano;

	gst_version(&major, &minor, &micro, &nano);
	g_snprintf(version, sizeof(version), "%u.%u.%u", major, minor, micro);
	return &desc;
}
