#include "h264intra/io/hdr.h"

#include <math.h>
#include <string.h>

/* Units of h264i_hdr as fractions of 1 and of 1 cd/m2. */
enum { CHROMATICITY_UNITS = 50000, LUMINANCE_UNITS = 10000 };

/* Rounds to units of 1 / units, within 0..max. A fraction without denominator is 0. */
static uint32_t in_units(AVRational q, int units, uint32_t max)
{
	const double v = q.den ? av_q2d(q) * units : 0;

	return v <= 0 ? 0 : v >= max ? max : (uint32_t)lrint(v);
}

static void read_display(h264i_hdr *hdr, const AVMasteringDisplayMetadata *from)
{
	if (!from->has_primaries || !from->has_luminance)
		return; /* containers store both */
	hdr->has_mastering_display = 1;
	for (int xy = 0; xy < 2; xy++) {
		for (int i = 0; i < 3; i++)
			hdr->primaries[i][xy] = (uint16_t)in_units(
				from->display_primaries[i][xy], CHROMATICITY_UNITS, UINT16_MAX);
		hdr->white[xy] =
			(uint16_t)in_units(from->white_point[xy], CHROMATICITY_UNITS, UINT16_MAX);
	}
	hdr->max_luminance = in_units(from->max_luminance, LUMINANCE_UNITS, INT32_MAX);
	hdr->min_luminance = in_units(from->min_luminance, LUMINANCE_UNITS, INT32_MAX);
}

static void read_light(h264i_hdr *hdr, const AVContentLightMetadata *from)
{
	hdr->has_content_light = 1;
	hdr->max_content_light = from->MaxCLL > UINT16_MAX ? UINT16_MAX : (uint16_t)from->MaxCLL;
	hdr->max_average_light = from->MaxFALL > UINT16_MAX ? UINT16_MAX : (uint16_t)from->MaxFALL;
}

static const void *stream_data(
	const AVStream *stream, enum AVPacketSideDataType type, size_t least_bytes)
{
	size_t bytes;
	const uint8_t *data = io_get_side_data(stream, type, &bytes);

	return data && bytes >= least_bytes ? data : NULL;
}

static const void *frame_data(
	const AVFrame *frame, enum AVFrameSideDataType type, size_t least_bytes)
{
	const AVFrameSideData *sd = av_frame_get_side_data(frame, type);

	return sd && sd->size >= least_bytes ? sd->data : NULL;
}

void h264i_i_hdr_read(h264i_hdr *hdr, const AVStream *stream, const AVFrame *first)
{
	const void *display = stream_data(
		stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, sizeof(AVMasteringDisplayMetadata));
	const void *light = stream_data(
		stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, sizeof(AVContentLightMetadata));

	if (!display)
		display = frame_data(first, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
			sizeof(AVMasteringDisplayMetadata));
	if (!light)
		light = frame_data(
			first, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, sizeof(AVContentLightMetadata));
	memset(hdr, 0, sizeof(*hdr));
	if (display)
		read_display(hdr, display);
	if (light)
		read_light(hdr, light);
}

void h264i_i_hdr_display(AVMasteringDisplayMetadata *to, const h264i_hdr *hdr)
{
	memset(to, 0, sizeof(*to));
	to->has_primaries = to->has_luminance = 1;
	for (int xy = 0; xy < 2; xy++) {
		for (int i = 0; i < 3; i++)
			to->display_primaries[i][xy] =
				(AVRational){ hdr->primaries[i][xy], CHROMATICITY_UNITS };
		to->white_point[xy] = (AVRational){ hdr->white[xy], CHROMATICITY_UNITS };
	}
	to->max_luminance = (AVRational){ (int)hdr->max_luminance, LUMINANCE_UNITS };
	to->min_luminance = (AVRational){ (int)hdr->min_luminance, LUMINANCE_UNITS };
}
