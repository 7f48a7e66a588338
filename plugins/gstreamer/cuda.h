/* CUDA memory of GStreamer: frames, contexts and buffer pools of libgstcuda. The library is loaded
 * at run time, so that the plugin runs without it, and one binary serves GStreamer 1.22 and 1.24.
 * A context is a GstCudaContext, seen as the GstObject that it begins with; NULL: none. */
#ifndef PLUGINS_GSTREAMER_CUDA_H
#define PLUGINS_GSTREAMER_CUDA_H

#include <gst/video/video.h>
#include <h264intra/h264intra.h>

G_BEGIN_DECLS

/* Finds the context of the pipeline, or makes one on this device (-1: any). *context stays NULL
 * without libgstcuda or a device. */
void gst_gpuintra_cuda_open(GstElement *element, gint device, GstObject **context);

/* GstElement.set_context: takes a CUDA context of the application or of another element. */
void gst_gpuintra_cuda_set_context(
	GstElement *element, GstContext *message, gint device, GstObject **context);

/* Answers a query for the CUDA context. Returns FALSE for other queries. */
gboolean gst_gpuintra_cuda_query(GstElement *element, GstQuery *query, GstObject *context);

/* Makes the context current in the calling thread. Returns FALSE, and cuda_pop must not be called,
 * without a context. */
gboolean gst_gpuintra_cuda_push(GstObject *context);
void gst_gpuintra_cuda_pop(void);

/* Adds a pool of CUDA buffers to an allocation query. */
gboolean gst_gpuintra_cuda_propose_pool(
	GstObject *context, GstQuery *query, GstCaps *caps, const GstVideoInfo *info);

/* Fills memory, planes, stream and release function of *frame and returns TRUE if the buffer is
 * CUDA memory of this context. `release` then holds a reference to the buffer until it is called;
 * the caller calls it if the frame is not sent. */
gboolean gst_gpuintra_cuda_map(
	GstObject *context, GstBuffer *buffer, const GstVideoInfo *info, h264i_frame *frame);

G_END_DECLS

#endif
