/* MP4 and MOV files with one track, by <h264intra/mp4.h>. */
#include "h264intra/io/mp4sink.h"

#include <stdio.h>
#include <string.h>

static int append_bytes(void *opaque, const void *data, size_t bytes)
{
	io_outfile *file = opaque;

	return h264i_i_outfile_write(file, data, bytes) == 0 ? 0 : file->error;
}

static int write_at(void *opaque, uint64_t offset, const void *data, size_t bytes)
{
	io_outfile *file = opaque;

	return h264i_i_outfile_write_at(file, offset, data, bytes) == 0 ? 0 : file->error;
}

static int read_at(void *opaque, uint64_t offset, void *data, size_t bytes)
{
	io_outfile *file = opaque;

	return h264i_i_outfile_read_at(file, offset, data, bytes) == 0 ? 0 : file->error;
}

static int cut_at(void *opaque, uint64_t bytes)
{
	io_outfile *file = opaque;

	return h264i_i_outfile_truncate(file, bytes) == 0 ? 0 : file->error;
}

h264i_mp4 *h264i_i_mp4sink_open(
	const char *format, io_outfile *file, const h264i_sink_stream *stream, char *msg)
{
	char why[256];
	h264i_mp4_options o;
	h264i_mp4_sink sink;
	h264i_mp4 *mp4;

	h264i_mp4_options_init(&o);
	o.brand = strcmp(format, "mov") == 0 ? H264I_MP4_BRAND_MOV : H264I_MP4_BRAND_MP4;
	o.width = stream->width;
	o.height = stream->height;
	o.headers = stream->headers;
	o.headers_bytes = stream->headers_bytes;
	o.vui = stream->vui;
	o.time_base_num = stream->time_base_num;
	o.time_base_den = stream->time_base_den;
	o.frames_expected = stream->frames_expected;
	o.has_display_matrix = stream->has_display_matrix;
	memcpy(o.display_matrix, stream->display_matrix, sizeof(o.display_matrix));
	h264i_mp4_sink_init(&sink);
	sink.opaque = file;
	sink.write = append_bytes;
	sink.pwrite = write_at;
	/* A file that is written in place is not open for reading. */
	sink.read = file->part ? read_at : NULL;
	sink.truncate = cut_at;
	if (h264i_mp4_open(&mp4, &o, &sink, why, sizeof(why)) != H264I_OK)
		snprintf(msg, IO_MSG_BYTES, "%s: %s", file->path, why);
	return mp4;
}

static int result(const h264i_mp4 *mp4, h264i_status s, const io_outfile *file, char *msg)
{
	if (s != H264I_OK && !file->error)
		snprintf(msg, IO_MSG_BYTES, "%s: %s", file->path, h264i_mp4_last_error(mp4));
	return s == H264I_OK ? 0 : -1;
}

int h264i_i_mp4sink_packet(
	h264i_mp4 *mp4, const io_outfile *file, const h264i_sink_packet *p, char *msg)
{
	h264i_packet packet;

	h264i_packet_init(&packet);
	packet.data = p->data;
	packet.data_bytes = p->data_bytes;
	packet.headers_bytes = p->headers_bytes;
	packet.pts = p->pts;
	return result(mp4, h264i_mp4_write(mp4, &packet, p->duration), file, msg);
}

int h264i_i_mp4sink_finish(h264i_mp4 *mp4, const io_outfile *file, char *msg)
{
	return result(mp4, h264i_mp4_finish(mp4), file, msg);
}
