#include "h264intra/io/notice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "h264intra/io/compat.h"
#include <libavutil/pixdesc.h>

enum { LINE_BYTES = 700 };

void h264i_i_notice(const io_notice *n, h264i_log_level level, const char *format, ...)
{
	char text[LINE_BYTES];
	int used = snprintf(text, sizeof(text), "%s: ", n->name);
	va_list args;

	if (!n->log)
		return;
	if (used < 0 || (size_t)used >= sizeof(text))
		used = 0; /* a name that fills the buffer */
	va_start(args, format);
	vsnprintf(text + used, sizeof(text) - (size_t)used, format, args);
	va_end(args);
	n->log(n->log_opaque, level, text);
}

static const char *const field_order[] = { "", " (top field first)", " (bottom field first)",
	" (in part)" };

h264i_io_status h264i_i_check_fields(io_notice *n, io_fields fields, uint64_t frame, char *msg)
{
	char from[40] = "";

	if (fields == IO_FIELDS_PROGRESSIVE)
		return H264I_IO_OK;
	if (frame)
		snprintf(from, sizeof(from), " from frame %" PRIu64 " on", frame);
	if (!n->interlaced_as_frames)
		return h264i_i_io_fail(H264I_IO_ERR_FORMAT, msg, n->name,
			"the video is interlaced%s%s, and only progressive frames can be coded; "
			"deinterlace it first, for instance with ffmpeg -vf bwdif, or code its "
			"frames as they are with the option interlaced-as-frames",
			field_order[fields], from);
	if (!n->interlaced_reported)
		h264i_i_notice(n, H264I_LOG_WARN,
			"the video is interlaced%s%s, but is coded as progressive frames",
			field_order[fields], from);
	n->interlaced_reported = 1;
	return H264I_IO_OK;
}

h264i_io_status h264i_i_check_frame_fields(
	io_notice *n, const AVFrame *decoded, io_fields stated, uint64_t frame, char *msg)
{
	if (!io_frame_is_interlaced(decoded))
		return H264I_IO_OK;
	if (stated == IO_FIELDS_PROGRESSIVE)
		stated = io_frame_is_top_first(decoded) ? IO_FIELDS_TOP_FIRST
							: IO_FIELDS_BOTTOM_FIRST;
	return h264i_i_check_fields(n, stated, frame, msg);
}

void h264i_i_notice_stated_fields(io_notice *n, io_fields stated)
{
	if (stated == IO_FIELDS_PROGRESSIVE || n->interlaced_reported)
		return;
	h264i_i_notice(n, H264I_LOG_WARN,
		"the file states interlaced video%s, but the decoder progressive pictures, which "
		"are coded; if they are interlaced, deinterlace them first, for instance with "
		"ffmpeg -vf bwdif",
		field_order[stated]);
}

static const char *hdr_transfer(enum AVColorTransferCharacteristic transfer)
{
	switch (transfer) {
	case AVCOL_TRC_SMPTE2084:
		return "PQ (SMPTE ST 2084)";
	case AVCOL_TRC_ARIB_STD_B67:
		return "HLG (ARIB STD-B67)";
	default:
		return NULL;
	}
}

void h264i_i_notice_hdr(const io_notice *n, const AVFrame *frame)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get((enum AVPixelFormat)frame->format);
	const char *transfer = hdr_transfer(frame->color_trc);
	int bits = desc ? desc->comp[0].depth : 8;

	if (transfer) {
		h264i_i_notice(n, H264I_LOG_WARN,
			"HDR video of %d bits with transfer %s is coded with 8 bits and the same "
			"transfer, which causes banding; tone-map it first, for instance with "
			"ffmpeg -vf zscale=t=linear:npl=100,tonemap=hable,"
			"zscale=p=709:t=709:m=709:r=tv,format=yuv420p",
			bits, transfer);
		return;
	}
	if (bits > 8 && frame->color_primaries == AVCOL_PRI_BT2020) {
		const char *name = av_color_transfer_name(frame->color_trc);

		h264i_i_notice(n, H264I_LOG_WARN,
			"BT.2020 video of %d bits with transfer %s is coded with 8 bits, which "
			"causes banding; convert it first, for instance with "
			"ffmpeg -vf zscale=p=709:t=709:m=709:d=error_diffusion,format=yuv420p",
			bits, name ? name : "unknown");
	}
}
