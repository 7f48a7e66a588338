/* Parts of an input: which frames belong to one of them. */
#ifndef H264INTRA_IO_PARTS_H
#define H264INTRA_IO_PARTS_H

#include <h264intra/source.h>
#include "h264intra/io/notice.h"

typedef struct io_range {
	uint64_t first, end; /* numbers of frames: first..end - 1 */
} io_range;

/* Returns the range of part o->part of o->parts of about `frames` frames. The last part has all
 * frames from its first one on. Without parts the range is all frames. */
io_range h264i_i_parts_range(const h264i_source_options *o, uint64_t frames);

/* Reports that the input has no frame `first`. Returns ERR_ARG with msg (IO_MSG_BYTES). */
h264i_io_status h264i_i_past_end(const char *name, uint64_t first, char *msg);

/* Counts the packets of the video from which a picture is shown. Returns OK, or an error or
 * INTERRUPTED with msg (IO_MSG_BYTES). */
h264i_io_status h264i_i_parts_count(
	const h264i_source_options *o, const io_notice *notice, uint64_t *packets, char *msg);
#endif
