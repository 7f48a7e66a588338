#include <config.h>

#include "h264intra/io/spill.h"

#include <errno.h>
#include <string.h>

/* What precedes the bytes of a packet or of an element of its side data. */
typedef struct record {
	int64_t pts, dts, duration;
	int32_t stream, flags, bytes, side_data_count;
} record;

typedef struct side_record {
	int32_t type;
	uint32_t bytes;
} side_record;

static int file_error(void)
{
	return errno ? errno : EIO;
}

static int put_bytes(io_spill *s, const void *from, size_t bytes)
{
	errno = 0;
	if (bytes > 0 && fwrite(from, 1, bytes, s->file) != bytes)
		return file_error();
	s->write_at += (int64_t)bytes;
	return 0;
}

static int get_bytes(io_spill *s, void *to, size_t bytes)
{
	errno = 0;
	if (bytes > 0 && fread(to, 1, bytes, s->file) != bytes)
		return file_error();
	s->read_at += (int64_t)bytes;
	return 0;
}

static int open_at(io_spill *s, const int64_t *at)
{
	errno = 0;
	if (!s->file && !(s->file = tmpfile()))
		return file_error();
	return fseeko(s->file, (off_t)*at, SEEK_SET) == 0 ? 0 : file_error();
}

int h264i_i_spill_put(io_spill *s, const AVPacket *p)
{
	const record r = { p->pts, p->dts, p->duration, p->stream_index, p->flags, p->size,
		p->side_data_elems };
	int e;

	if (s->count == 0)
		s->read_at = s->write_at = 0; /* the space is used again */
	e = open_at(s, &s->write_at);
	if (!e)
		e = put_bytes(s, &r, sizeof(r));
	if (!e)
		e = put_bytes(s, p->data, (size_t)p->size);
	for (int i = 0; i < p->side_data_elems && !e; i++) {
		const AVPacketSideData *sd = &p->side_data[i];
		const side_record sr = { (int32_t)sd->type, (uint32_t)sd->size };

		e = put_bytes(s, &sr, sizeof(sr));
		if (!e)
			e = put_bytes(s, sd->data, sd->size);
	}
	s->count += e == 0;
	return e;
}

static int get_side_data(io_spill *s, AVPacket *p)
{
	side_record sr = { 0, 0 };
	int e = get_bytes(s, &sr, sizeof(sr));
	uint8_t *data;

	if (e)
		return e;
	data = av_packet_new_side_data(p, (enum AVPacketSideDataType)sr.type, sr.bytes);
	return data ? get_bytes(s, data, sr.bytes) : ENOMEM;
}

int h264i_i_spill_get(io_spill *s, AVPacket *p)
{
	record r = { 0, 0, 0, 0, 0, 0, 0 };
	int e = open_at(s, &s->read_at);

	if (!e)
		e = get_bytes(s, &r, sizeof(r));
	if (!e && av_new_packet(p, r.bytes) < 0)
		e = ENOMEM;
	if (e)
		return e;
	p->pts = r.pts;
	p->dts = r.dts;
	p->duration = r.duration;
	p->stream_index = r.stream;
	p->flags = r.flags;
	e = get_bytes(s, p->data, (size_t)r.bytes);
	for (int i = 0; i < r.side_data_count && !e; i++)
		e = get_side_data(s, p);
	s->count--;
	if (e)
		av_packet_unref(p);
	return e;
}

void h264i_i_spill_close(io_spill *s)
{
	if (s->file)
		fclose(s->file);
	memset(s, 0, sizeof(*s));
}
