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

	if (e == AVERROR_EXIT)
		return h264i_i_io_fail(H264I_IO_INTERRUPTED, msg, d->name, "interrupted");
	if (d->in->error)
		return h264i_i_io_fail(
			H264I_IO_ERR_READ, msg, d->name, "%s", strerror(d->in->error));
	if (e == AVERROR(ENOMEM))
		return h264i_i_io_fail(H264I_IO_ERR_NOMEM, msg, d->name, "out of memory");
	if (d->in->fd >= 0 && d->in->position == 0)
		return h264i_i_io_fail(H264I_IO_ERR_EMPTY, msg, d->name, "the input is empty");
	if (h264i_i_demux_is_damage(d, e) || e == AVERROR_EOF)
		return h264i_i_io_fail(H264I_IO_ERR_FORMAT, msg, d->name,
			"not a video that FFmpeg can read, or damaged");
	return h264i_i_io_fail(H264I_IO_ERR_FORMAT, msg, d->name, "%s",
		h264i_i_demux_error_text(e, why, sizeof(why)));
}

int h264i_i_demux_lacks_size(const h264i_source_options *o)
{
	const AVInputFormat *raw = av_find_input_format("rawvideo");

	if (o->width || o->height || !raw)
		return 0;
	return o->format ? strcmp(o->format, raw->name) == 0
			 : raw->extensions && av_match_ext(o->path, raw->extensions);
}
