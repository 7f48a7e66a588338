#include "h264intra/io/parts.h"
#include "h264intra/io/demux.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/mathematics.h>

io_range h264i_i_parts_range(const h264i_source_options *o, uint64_t frames)
{
	const int64_t n = frames > INT64_MAX ? INT64_MAX : (int64_t)frames;
	io_range r = { o->first_frame, UINT64_MAX };

	if (o->parts > 1) {
		r.first = (uint64_t)av_rescale_rnd(n, o->part - 1, o->parts, AV_ROUND_DOWN);
		if (o->part < o->parts)
			r.end = (uint64_t)av_rescale_rnd(n, o->part, o->parts, AV_ROUND_DOWN);
	}
	return r;
}

h264i_io_status h264i_i_past_end(const char *name, uint64_t first, char *msg)
{
	snprintf(msg, IO_MSG_BYTES, "%s: no frame is left behind the first %" PRIu64, name, first);
	return H264I_IO_ERR_ARG;
}

static h264i_io_status count(io_demux *d, uint64_t *packets, char *msg)
{
	int e;

	while ((e = av_read_frame(d->fmt, d->packet)) >= 0 || e == AVERROR(EAGAIN)) {
		if (e < 0)
			continue;
		*packets += d->packet->stream_index == d->stream->index &&
			    !(d->packet->flags & AV_PKT_FLAG_DISCARD);
		av_packet_unref(d->packet);
	}
	/* The part that reads up to a damaged place reports it. */
	if (e != AVERROR_EXIT)
		return H264I_IO_OK;
	return h264i_i_io_fail(H264I_IO_INTERRUPTED, msg, d->name, "interrupted");
}

h264i_io_status h264i_i_parts_count(
	const h264i_source_options *o, const io_notice *notice, uint64_t *packets, char *msg)
{
	const io_notice silence = { .name = notice->name };
	h264i_source_options alone = *o;
	io_demux d;
	io_infile in;
	h264i_io_status s;
	int e;

	*packets = 0;
	alone.streams = NULL;
	alone.hwdec = 0;
	e = h264i_i_infile_init(&in, o->interrupt_fd);
	if (!e)
		e = h264i_i_infile_open(&in, o->path);
	if (e && !(e == ENOENT && h264i_i_demux_is_url(o->path))) {
		snprintf(msg, IO_MSG_BYTES, "%s: %s", notice->name, strerror(e));
		h264i_i_infile_close(&in);
		return H264I_IO_ERR_OPEN;
	}
	s = h264i_i_demux_open(&d, &in, &silence, &alone, msg);
	if (s == H264I_IO_OK)
		s = count(&d, packets, msg);
	h264i_i_demux_close(&d);
	h264i_i_infile_close(&in);
	return s;
}
