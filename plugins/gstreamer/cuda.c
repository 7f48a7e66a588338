/* CUDA memory of GStreamer, by libgstcuda, which is loaded at run time.
 *
 * The prototypes are ours, because the library's headers include those of CUDA and OpenGL. All
 * signatures and structs here are the same in GStreamer 1.22 and 1.24; gst_cuda_allocator_alloc(),
 * which differs, is not called. */
#include "config.h"

#include "plugins/gstreamer/cuda.h"

#include <gmodule.h>

#include "plugins/gstreamer/element.h"

#define LIBRARY      "libgstcuda-1.0.so.0"
#define CONTEXT_TYPE "gst.cuda.context"

/* GST_MAP_CUDA: map to a device pointer. */
enum { MAP_READ_CUDA = GST_MAP_READ | (GST_MAP_FLAG_LAST << 1) };

/* The public part of struct GstCudaMemory. */
typedef struct cuda_memory {
	GstMemory mem;
	GstObject *context;
	GstVideoInfo info;
} cuda_memory;

static struct {
	gboolean (*load_library)(void);
	void (*memory_init_once)(void);
	gboolean (*ensure_element_context)(GstElement *element, gint device, GstObject **context);
	gboolean (*handle_set_context)(
		GstElement *element, GstContext *message, gint device, GstObject **context);
	gboolean (*handle_context_query)(GstElement *element, GstQuery *query, GstObject *context);
	gboolean (*context_push)(GstObject *context);
	gboolean (*context_pop)(void **handle);
	GstBufferPool *(*buffer_pool_new)(GstObject *context);
	gboolean (*is_cuda_memory)(GstMemory *memory);
	/* Since 1.24, else NULL: the GstCudaStream of a memory (no reference), its CUstream. */
	gpointer (*memory_get_stream)(cuda_memory *memory);
	gpointer (*stream_get_handle)(gpointer stream);
} cuda;

static const struct {
	const gchar *name;
	gpointer *to;
	gboolean optional;
} symbols[] = {
	{ "gst_cuda_load_library", (gpointer *)&cuda.load_library, FALSE },
	{ "gst_cuda_memory_init_once", (gpointer *)&cuda.memory_init_once, FALSE },
	{ "gst_cuda_ensure_element_context", (gpointer *)&cuda.ensure_element_context, FALSE },
	{ "gst_cuda_handle_set_context", (gpointer *)&cuda.handle_set_context, FALSE },
	{ "gst_cuda_handle_context_query", (gpointer *)&cuda.handle_context_query, FALSE },
	{ "gst_cuda_context_push", (gpointer *)&cuda.context_push, FALSE },
	{ "gst_cuda_context_pop", (gpointer *)&cuda.context_pop, FALSE },
	{ "gst_cuda_buffer_pool_new", (gpointer *)&cuda.buffer_pool_new, FALSE },
	{ "gst_is_cuda_memory", (gpointer *)&cuda.is_cuda_memory, FALSE },
	{ "gst_cuda_memory_get_stream", (gpointer *)&cuda.memory_get_stream, TRUE },
	{ "gst_cuda_stream_get_handle", (gpointer *)&cuda.stream_get_handle, TRUE },
};

static gpointer load(gpointer unused)
{
	GModule *module = g_module_open(LIBRARY, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

	(void)unused;
	if (!module) {
		GST_INFO("no CUDA memory: %s", g_module_error());
		return NULL;
	}
	for (guint i = 0; i < G_N_ELEMENTS(symbols); i++) {
		if (!g_module_symbol(module, symbols[i].name, symbols[i].to) &&
			!symbols[i].optional) {
			GST_WARNING("no CUDA memory: %s has no %s", LIBRARY, symbols[i].name);
			g_module_close(module);
			return NULL;
		}
	}
	/* It registers types, which cannot be unloaded. */
	g_module_make_resident(module);
	if (!cuda.load_library()) {
		GST_WARNING("no CUDA memory: %s finds no CUDA driver", LIBRARY);
		return NULL;
	}
	cuda.memory_init_once();
	return module;
}

static gboolean loaded(void)
{
	static GOnce once = G_ONCE_INIT;

	return g_once(&once, load, NULL) != NULL;
}

void gst_gpuintra_cuda_open(GstElement *element, gint device, GstObject **context)
{
	if (!loaded())
		return;
	if (!cuda.ensure_element_context(element, device, context))
		GST_WARNING_OBJECT(element,
			"no CUDA context on device %d; frames of CUDA memory "
			"are not accepted",
			device);
}

void gst_gpuintra_cuda_set_context(
	GstElement *element, GstContext *message, gint device, GstObject **context)
{
	if (gst_context_has_context_type(message, CONTEXT_TYPE) && loaded())
		cuda.handle_set_context(element, message, device, context);
}

gboolean gst_gpuintra_cuda_query(GstElement *element, GstQuery *query, GstObject *context)
{
	return context && GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT &&
	       cuda.handle_context_query(element, query, context);
}

gboolean gst_gpuintra_cuda_push(GstObject *context)
{
	return context && cuda.context_push(context);
}

void gst_gpuintra_cuda_pop(void)
{
	cuda.context_pop(NULL);
}

gboolean gst_gpuintra_cuda_propose_pool(
	GstObject *context, GstQuery *query, GstCaps *caps, const GstVideoInfo *info)
{
	GstBufferPool *pool;
	GstStructure *config;
	guint size = (guint)GST_VIDEO_INFO_SIZE(info);

	if (!context)
		return FALSE;
	pool = cuda.buffer_pool_new(context);
	if (!pool)
		return FALSE;
	config = gst_buffer_pool_get_config(pool);
	gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
	gst_buffer_pool_config_set_params(config, caps, size, 0, 0);
	if (!gst_buffer_pool_set_config(pool, config)) {
		gst_object_unref(pool);
		return FALSE;
	}
	/* The pool has changed the size to that of its pitch. */
	config = gst_buffer_pool_get_config(pool);
	gst_buffer_pool_config_get_params(config, NULL, &size, NULL, NULL);
	gst_structure_free(config);
	gst_query_add_allocation_pool(query, pool, size, 0, 0);
	gst_object_unref(pool);
	return TRUE;
}

/* A buffer that the encoder reads. */
typedef struct mapped_buffer {
	GstBuffer *buffer;
	GstMapInfo map;
} mapped_buffer;

static void release_buffer(void *opaque)
{
	mapped_buffer *m = opaque;

	gst_buffer_unmap(m->buffer, &m->map);
	gst_buffer_unref(m->buffer);
	g_free(m);
}

/* Returns the memory of a buffer if it is one CUDA memory of this context and video format. */
static cuda_memory *cuda_memory_of(GstObject *context, GstBuffer *buffer, const GstVideoInfo *info)
{
	GstMemory *memory;
	cuda_memory *cm;

	if (!context || gst_buffer_n_memory(buffer) != 1)
		return NULL;
	memory = gst_buffer_peek_memory(buffer, 0);
	if (!cuda.is_cuda_memory(memory))
		return NULL;
	cm = (cuda_memory *)memory;
	return cm->context == context &&
			       GST_VIDEO_INFO_FORMAT(&cm->info) == GST_VIDEO_INFO_FORMAT(info) &&
			       cm->info.width >= info->width && cm->info.height >= info->height
		       ? cm
		       : NULL;
}

gboolean gst_gpuintra_cuda_map(
	GstObject *context, GstBuffer *buffer, const GstVideoInfo *info, h264i_frame *frame)
{
	cuda_memory *cm = cuda_memory_of(context, buffer, info);
	const guint8 *data[GST_VIDEO_MAX_PLANES];
	gpointer stream;
	mapped_buffer *m;

	if (!cm)
		return FALSE;
	m = g_new0(mapped_buffer, 1);
	if (!gst_buffer_map(buffer, &m->map, (GstMapFlags)MAP_READ_CUDA)) {
		g_free(m);
		return FALSE;
	}
	m->buffer = gst_buffer_ref(buffer);
	frame->memory = H264I_MEM_CUDA;
	for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&cm->info); i++)
		data[i] = m->map.data + cm->info.offset[i];
	gst_gpuintra_set_planes(frame, &cm->info, data, cm->info.stride);
	/* Elements of 1.22 have synchronised before they push. From 1.24 on the work that writes
	 * the memory may still run on its stream; without a stream it is the legacy one. */
	stream = cuda.memory_get_stream ? cuda.memory_get_stream(cm) : NULL;
	frame->stream = stream && cuda.stream_get_handle ? cuda.stream_get_handle(stream) : NULL;
	frame->use_stream = 1;
	frame->release = release_buffer;
	frame->release_opaque = m;
	return TRUE;
}
