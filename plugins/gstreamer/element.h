/* The element gpuintrah264enc: its state, and what its files share. */
#ifndef PLUGINS_GSTREAMER_ELEMENT_H
#define PLUGINS_GSTREAMER_ELEMENT_H

#include <gst/video/gstvideoencoder.h>
#include <gst/video/video.h>
#include <h264intra/mp4.h>
#include <h264intra/options.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN(gst_gpuintra_debug);
#define GST_CAT_DEFAULT gst_gpuintra_debug

#define GST_GPUINTRA_CUDA_MEMORY "memory:CUDAMemory"

G_DECLARE_FINAL_TYPE(
	GstGpuintraH264Enc, gst_gpuintra_h264_enc, GST, GPUINTRA_H264_ENC, GstVideoEncoder)

enum { GST_GPUINTRA_OPTIONS_MAX = 60, GST_GPUINTRA_VALUES = GST_GPUINTRA_OPTIONS_MAX + 3 };

#define GST_GPUINTRA_PASS_LOG "gpuintra_2pass.log"

enum { GST_GPUINTRA_FRAMES_MAX = 2048 }; /* more than frames in flight */

/* Two passes, of the streaming thread. */
typedef struct gst_gpuintra_passes {
	h264i_pass_picture *plan; /* of a second pass; NULL: none */
	gsize planned;
	GString *log;           /* of a pass that writes it; NULL: none */
	guint64 sent, received; /* frames and packets of this stream */
} gst_gpuintra_passes;

struct _GstGpuintraH264Enc {
	GstVideoEncoder parent;
	GValue value[GST_GPUINTRA_VALUES]; /* of the properties, by number; object lock */
	guint64 frames, device_frames;     /* sent, of these without a copy; object lock */
	gboolean changed;                  /* a rate, since the last frame; object lock */

	gboolean opened;    /* the state is READY or above, so the context is final */
	GstObject *context; /* GstCudaContext; NULL without libgstcuda or a device */

	/* Of the streaming thread. */
	GstVideoCodecState *input; /* NULL: no caps, or caps that were refused */
	h264i_options options;
	h264i_encoder *encoder; /* NULL before the first frame and after a flush */
	gboolean ended;         /* the encoder was flushed: h264i_restart before the next frame */
	gboolean failed;        /* the last h264i_open failed, and its error was posted */
	gboolean vary_qp;       /* the property qp has changed while playing */
	gboolean avc;           /* stream-format: avc, else byte-stream */
	gst_gpuintra_passes passes;
	GstClockTime time; /* of the last frame sent */
	/* system_frame_number of the frames in the encoder, by their index in it */
	guint32 number[GST_GPUINTRA_FRAMES_MAX];
};

/* properties.c */

/* Gives the class its properties. */
void gst_gpuintra_install_properties(GObjectClass *c);

/* Gives the properties their defaults. */
void gst_gpuintra_init_properties(GstGpuintraH264Enc *self);
void gst_gpuintra_free_properties(GstGpuintraH264Enc *self);

/* The text of option i for h264i_set_option, which the caller frees; NULL: its default. */
gchar *gst_gpuintra_option_text(GstGpuintraH264Enc *self, const h264i_option *d, guint i);

/* Returns TRUE once after a rate has changed that can change while playing. */
gboolean gst_gpuintra_take_change(GstGpuintraH264Enc *self);

/* Returns the property pass, and in *log, which the caller frees, pass-log. */
guint gst_gpuintra_pass(GstGpuintraH264Enc *self, gchar **log);

extern const h264i_spelling gst_gpuintra_spelling;

/* options.c */

/* Sets self->options by the properties and the input's caps, except profile and level. Posts an
 * error and returns FALSE if a property is wrong. */
gboolean gst_gpuintra_set_options(GstGpuintraH264Enc *self, const GstVideoInfo *info);

/* The library's format of GStreamer's, which is one of the caps. */
h264i_format gst_gpuintra_format(const GstVideoInfo *info);

/* Applies rates that have changed while playing, for the next frame: to the open encoder, or by a
 * new one, whose stream follows. Posts an error and returns FALSE on failure. */
gboolean gst_gpuintra_apply_change(GstGpuintraH264Enc *self);

/* Checks self->options, with a profile, against each other. Posts an error and returns FALSE. */
gboolean gst_gpuintra_check_options(GstGpuintraH264Enc *self);

/* passes.c */

/* Sets what the property pass says in self->options, which are complete otherwise; a second pass
 * reads its log. Posts an error and returns FALSE on failure. */
gboolean gst_gpuintra_open_passes(GstGpuintraH264Enc *self);
void gst_gpuintra_close_passes(GstGpuintraH264Enc *self);

/* Begins the stream again: the next frame is the first of the log. */
void gst_gpuintra_restart_passes(GstGpuintraH264Enc *self);

/* Sets the QP of the next frame in a second pass. Posts an error and returns FALSE if the log has
 * no such frame. */
gboolean gst_gpuintra_plan_frame(GstGpuintraH264Enc *self, h264i_frame *f);

/* Adds the next packet to the log of a pass that writes it. */
void gst_gpuintra_log_packet(GstGpuintraH264Enc *self, const h264i_packet *packet);

/* Writes that log to its file. Posts an error and returns FALSE on failure. */
gboolean gst_gpuintra_write_log(GstGpuintraH264Enc *self);

/* format.c */

/* GstVideoEncoder.set_format: encodes what the previous format has left, opens an encoder for the
 * new one and sets the caps of the source pad, latency and tags. */
gboolean gst_gpuintra_set_format(GstVideoEncoder *base, GstVideoCodecState *state);

/* Posts an error of the options or the caps, once until an encoder opens; later ones are logged. */
void gst_gpuintra_refuse(GstGpuintraH264Enc *self, GQuark domain, gint code, const gchar *text);

/* Opens the encoder with self->options. Posts an error and returns FALSE on failure. */
gboolean gst_gpuintra_open_encoder(GstGpuintraH264Enc *self);

/* Closes the encoder, if one is open. Frames whose packets were not received are dropped. */
void gst_gpuintra_close_encoder(GstGpuintraH264Enc *self);

/* frames.c */

/* Posts the encoder's error. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_gpuintra_fail(GstGpuintraH264Enc *self);

/* Sets the planes of a frame of this format from those of GStreamer. */
void gst_gpuintra_set_planes(h264i_frame *frame, const GstVideoInfo *info,
	const guint8 *const data[GST_VIDEO_MAX_PLANES], const gint stride[GST_VIDEO_MAX_PLANES]);

/* GstVideoEncoder.handle_frame: sends the frame and pushes the packets that are ready. */
GstFlowReturn gst_gpuintra_handle_frame(GstVideoEncoder *base, GstVideoCodecFrame *frame);

/* GstVideoEncoder.finish: encodes all frames sent and pushes their packets. */
GstFlowReturn gst_gpuintra_finish(GstVideoEncoder *base);

/* captions.c */

enum { GST_GPUINTRA_MAX_CAPTIONS = 8, GST_GPUINTRA_CAPTION_BYTES = 128 };

/* SEI messages of a frame and the memory of their payloads. */
typedef struct gst_gpuintra_captions {
	h264i_sei sei[GST_GPUINTRA_MAX_CAPTIONS];
	guint8 payload[GST_GPUINTRA_MAX_CAPTIONS][GST_GPUINTRA_CAPTION_BYTES];
	guint32 count;
} gst_gpuintra_captions;

/* Writes an SEI message for each caption meta of the buffer that has CEA-708 triplets. */
void gst_gpuintra_read_captions(
	GstGpuintraH264Enc *self, GstBuffer *buffer, gst_gpuintra_captions *out);

G_END_DECLS

#endif
