/* Frames to the encoder, packets to the source pad. */
#include "config.h"

#include <string.h>

#include "plugins/gstreamer/cuda.h"
#include "plugins/gstreamer/element.h"

GstFlowReturn gst_gpuintra_fail(GstGpuintraH264Enc *self)
{
	GST_ELEMENT_ERROR(self, STREAM, ENCODE, ("%s", h264i_last_error(self->encoder)), (NULL));
	return GST_FLOW_ERROR;
}

/* Makes the output buffer of a packet. In avc format the parameter sets are in the caps. */
static GstFlowReturn fill_output(
	GstGpuintraH264Enc *self, GstVideoCodecFrame *frame, const h264i_packet *packet)
{
	gsize skip = self->avc ? packet->headers_bytes : 0, bytes = packet->data_bytes - skip;
	GstFlowReturn flow =
		gst_video_encoder_allocate_output_frame(GST_VIDEO_ENCODER(self), frame, bytes);
	GstMapInfo map;

	if (flow != GST_FLOW_OK)
		return flow;
	if (!gst_buffer_map(frame->output_buffer, &map, GST_MAP_WRITE)) {
		GST_ELEMENT_ERROR(self, RESOURCE, WRITE,
			("a packet's memory of %" G_GSIZE_FORMAT " bytes cannot be mapped", bytes),
			(NULL));
		return GST_FLOW_ERROR;
	}
	memcpy(map.data, packet->data + skip, bytes);
	if (self->avc)
		(void)h264i_mp4_lengths(map.data, bytes);
	gst_buffer_unmap(frame->output_buffer, &map);
	GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
	return GST_FLOW_OK;
}

static GstFlowReturn push_packet(GstGpuintraH264Enc *self, const h264i_packet *packet)
{
	GstVideoEncoder *base = GST_VIDEO_ENCODER(self);
	const int number = (int)self->number[packet->index % GST_GPUINTRA_FRAMES_MAX];
	GstVideoCodecFrame *frame = gst_video_encoder_get_frame(base, number);
	GstFlowReturn flow;

	if (!frame) {
		GST_WARNING_OBJECT(self, "frame %d is not pending; its packet is dropped", number);
		return GST_FLOW_OK;
	}
	flow = fill_output(self, frame, packet);
	if (flow == GST_FLOW_OK)
		return gst_video_encoder_finish_frame(base, frame);
	gst_video_codec_frame_unref(frame);
	return flow;
}

/* Pushes packets until none is ready (*status AGAIN) or left (END), or pushing fails. */
static GstFlowReturn push_ready(GstGpuintraH264Enc *self, h264i_status *status)
{
	GstFlowReturn flow = GST_FLOW_OK;
	h264i_packet packet;

	h264i_packet_init(&packet);
	do {
		*status = h264i_receive_packet(self->encoder, &packet);
		if (*status != H264I_OK)
			break;
		gst_gpuintra_log_packet(self, &packet);
		flow = push_packet(self, &packet);
	} while (flow == GST_FLOW_OK);
	return *status < 0 ? gst_gpuintra_fail(self) : flow;
}

/* Sends a frame and pushes packets while the encoder has no room for it. */
static GstFlowReturn send_frame(GstGpuintraH264Enc *self, const h264i_frame *frame, gboolean *sent)
{
	GstFlowReturn flow = GST_FLOW_OK;
	h264i_status status, received;

	while ((status = h264i_send_frame(self->encoder, frame)) == H264I_AGAIN &&
		flow == GST_FLOW_OK)
		flow = push_ready(self, &received);
	*sent = status == H264I_OK;
	return status < 0 ? gst_gpuintra_fail(self) : flow;
}

void gst_gpuintra_set_planes(h264i_frame *frame, const GstVideoInfo *info,
	const guint8 *const data[GST_VIDEO_MAX_PLANES], const gint stride[GST_VIDEO_MAX_PLANES])
{
	const GstVideoFormatInfo *format = info->finfo;

	frame->format = gst_gpuintra_format(info);
	if (frame->format != H264I_RGB) {
		for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(info) && i < 3; i++) {
			frame->plane[i] = data[i];
			frame->pitch_bytes[i] = (gsize)stride[i];
		}
		return;
	}
	/* The components of the format are R, G and B, in any order in memory. */
	for (guint i = 0; i < 3; i++)
		frame->plane[i] = data[GST_VIDEO_FORMAT_INFO_PLANE(format, i)] +
				  GST_VIDEO_FORMAT_INFO_POFFSET(format, i);
	frame->rgb.pixel_stride = GST_VIDEO_FORMAT_INFO_PSTRIDE(format, 0);
	frame->rgb.row_stride = stride[0];
}

static GstFlowReturn send_host_frame(
	GstGpuintraH264Enc *self, GstBuffer *buffer, h264i_frame *frame, gboolean *sent)
{
	const GstVideoInfo *info = &self->input->info;
	const guint8 *data[GST_VIDEO_MAX_PLANES];
	GstVideoFrame video;
	GstFlowReturn flow;

	if (!gst_video_frame_map(&video, info, buffer, GST_MAP_READ)) {
		GST_ELEMENT_ERROR(self, RESOURCE, READ, ("a frame's memory cannot be mapped"),
			("%" GST_PTR_FORMAT, buffer));
		return GST_FLOW_ERROR;
	}
	frame->memory = H264I_MEM_HOST;
	for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES(&video); i++)
		data[i] = GST_VIDEO_FRAME_PLANE_DATA(&video, i);
	gst_gpuintra_set_planes(frame, &video.info, data, video.info.stride);
	flow = send_frame(self, frame, sent);
	gst_video_frame_unmap(&video);
	return flow;
}

static void count_frame(GstGpuintraH264Enc *self, gboolean device)
{
	GST_OBJECT_LOCK(self);
	self->frames++;
	self->device_frames += device;
	GST_OBJECT_UNLOCK(self);
}

/* Returns the time of a frame: its timestamp, or, without one, that of the frame before and its
 * duration. */
static GstClockTime time_of(const GstGpuintraH264Enc *self, const GstVideoCodecFrame *frame)
{
	const GstVideoInfo *info = &self->input->info;

	if (GST_CLOCK_TIME_IS_VALID(frame->pts))
		return frame->pts;
	if (GST_CLOCK_TIME_IS_VALID(frame->duration))
		return self->time + frame->duration;
	return self->time + (info->fps_n > 0 ? gst_util_uint64_scale(GST_SECOND,
						       (guint64)info->fps_d, (guint64)info->fps_n)
					     : GST_SECOND / 25);
}

/* Sends a frame's buffer, from device memory if it is in the encoder's context. */
static GstFlowReturn send_buffer(GstGpuintraH264Enc *self, GstVideoCodecFrame *frame)
{
	GstBuffer *buffer = frame->input_buffer;
	gboolean device, sent = FALSE;
	gst_gpuintra_captions captions;
	GstFlowReturn flow;
	h264i_frame f;

	h264i_frame_init(&f);
	if (!gst_gpuintra_plan_frame(self, &f))
		return GST_FLOW_ERROR;
	f.pts = (int64_t)time_of(self, frame);
	gst_gpuintra_read_captions(self, buffer, &captions);
	f.sei = captions.count ? captions.sei : NULL;
	f.sei_count = captions.count;

	/* With backend=cpu the context is NULL, because it is not opened. */
	device = gst_gpuintra_cuda_map(self->context, buffer, &self->input->info, &f);
	if (device) {
		flow = send_frame(self, &f, &sent);
		if (!sent)
			f.release(f.release_opaque);
	} else {
		flow = send_host_frame(self, buffer, &f, &sent);
	}
	if (sent) {
		count_frame(self, device);
		self->time = (GstClockTime)f.pts;
		self->number[self->passes.sent++ % GST_GPUINTRA_FRAMES_MAX] =
			frame->system_frame_number;
	}
	return flow;
}

/* Opens the encoder after a flush, or begins a new stream after finish. */
static gboolean ensure_encoder(GstGpuintraH264Enc *self)
{
	if (!self->encoder || self->ended)
		gst_gpuintra_restart_passes(self);
	if (!self->encoder)
		return gst_gpuintra_open_encoder(self);
	if (self->ended && h264i_restart(self->encoder) != H264I_OK) {
		gst_gpuintra_fail(self);
		return FALSE;
	}
	self->ended = FALSE;
	return TRUE;
}

GstFlowReturn gst_gpuintra_handle_frame(GstVideoEncoder *base, GstVideoCodecFrame *frame)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);
	GstFlowReturn flow = GST_FLOW_ERROR;
	h264i_status status;

	if (!self->input)
		flow = GST_FLOW_NOT_NEGOTIATED;
	else if (ensure_encoder(self) && gst_gpuintra_apply_change(self))
		flow = send_buffer(self, frame);
	/* The base class has a reference until the packet is finished. */
	gst_video_codec_frame_unref(frame);
	return flow == GST_FLOW_OK ? push_ready(self, &status) : flow;
}

GstFlowReturn gst_gpuintra_finish(GstVideoEncoder *base)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);
	GstFlowReturn flow;
	h264i_status status;
	h264i_stats stats;

	if (!self->encoder || self->ended)
		return GST_FLOW_OK;
	if (h264i_flush(self->encoder) != H264I_OK)
		return gst_gpuintra_fail(self);
	flow = push_ready(self, &status);
	if (status != H264I_END) {
		gst_gpuintra_close_encoder(self);
		return flow;
	}
	self->ended = TRUE;
	if (!gst_gpuintra_write_log(self))
		return GST_FLOW_ERROR;
	h264i_stats_init(&stats);
	if (h264i_get_stats(self->encoder, &stats) == H264I_OK && stats.level_exceeded)
		GST_WARNING_OBJECT(self,
			"the stream exceeds the rate of its level (level_idc %d, needed: %d)",
			h264i_level(self->encoder), stats.level_needed);
	return flow;
}
