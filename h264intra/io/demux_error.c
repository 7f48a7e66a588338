#include "h264intra/io/demux_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/avstring.h>

const char *h264i_i_demux_error_text(int averror, char *buf, size_t bytes)
{
	if (av_strerror(averror, buf, bytes) < 0)
		snprintf(buf, bytes, "error %d", averror);
	return buf;
}

/* FFmpeg's demultiplexer of Matroska returns EIO for damage, too. Errors of the system are in
 * in->error, except those of URLs. */
int h264i_i_demux_is_damage(const io_demux *d, int e)
{
	return e == AVERROR_INVALIDDATA || (e == AVERROR(EIO) && d->in->fd >= 0 && !d->in->error);
}

h264i_io_status h264i_i_demux_explain_open(const io_demux *d, int e, char *msg)
{
	char why[AV_ERROR_MAX_STRING_SIZE];

	if (e == AVERROR_EXIT) {
		snprintf(msg, IO_MSG_BYTES, "%s: interrupted", d->name);
		return H264I_IO_INTERRUPTED;
	}
	if (d->in->error) {
		snprintf(msg, IO_MSG_BYTES, "%s: %s", d->name, strerror(d->in->error));
		return H264I_IO_ERR_READ;
	}
	if (e == AVERROR(ENOMEM)) {
		snprintf(msg, IO_MSG_BYTES, "%s: out of memory", d->name);
		return H264I_IO_ERR_NOMEM;
	}
	if (d->in->fd >= 0 && d->in->position == 0) {
		snprintf(msg, IO_MSG_BYTES, "%s: the input is empty", d->name);
		return H264I_IO_ERR_EMPTY;
	}
	if (h264i_i_demux_is_damage(d, e) || e == AVERROR_EOF)
		snprintf(msg, IO_MSG_BYTES, "%s: not a video that FFmpeg can read, or damaged",
			d->name);
	else
		snprintf(msg, IO_MSG_BYTES, "%s: %s", d->name,
			h264i_i_demux_error_text(e, why, sizeof(why)));
	return H264I_IO_ERR_FORMAT;
}

int h264i_i_demux_lacks_size(const h264i_source_options *o)
{
	const AVInputFormat *raw = av_find_input_format("rawvideo");

	if (o->width || o->height || !raw)
		return 0;
	return o->format ? strcmp(o->format, raw->name) == 0
			 : raw->extensions && av_match_ext(o->path, raw->extensions);
}
