/* H.264 in the file format of ISO/IEC 14496-15: decoder configuration and samples. */
#ifndef H264INTRA_MP4_AVCC_H
#define H264INTRA_MP4_AVCC_H

#include <h264intra/h264intra.h>

#include "h264intra/mp4/box.h"

/* Appends the AVCDecoderConfigurationRecord (clause 5.3.3.1) of a byte stream with one SPS and one
 * PPS or more. Returns OK, or a status with `why`, a static sentence. */
h264i_status h264i_i_mp4_avcc(
	mp4_buf *out, const uint8_t *headers, size_t headers_bytes, const char **why);

/* Appends the NAL units of a byte stream (Annex B) with a 4-byte length instead of the start code,
 * without parameter sets and delimiters (clause 5.3.2 for avc1). Returns the same. */
h264i_status h264i_i_mp4_sample(
	mp4_buf *out, const uint8_t *data, size_t data_bytes, const char **why);

#endif
