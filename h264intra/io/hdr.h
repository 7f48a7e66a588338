/* Mastering display and content light level: between FFmpeg's fractions and h264i_hdr. */
#ifndef H264INTRA_IO_HDR_H
#define H264INTRA_IO_HDR_H

#include <h264intra/io.h>
#include "h264intra/io/compat.h"
#include <libavutil/mastering_display_metadata.h>

/* Reads the metadata of the stream, or else of its first frame. */
void h264i_i_hdr_read(h264i_hdr *hdr, const AVStream *stream, const AVFrame *first);

void h264i_i_hdr_display(AVMasteringDisplayMetadata *to, const h264i_hdr *hdr);
#endif
