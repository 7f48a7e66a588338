#include "h264intra/io/truncated.h"

#include <string.h>
#include <unistd.h>

enum { EBML_ID = 0x1a45dfa3, SEGMENT_ID = 0x18538067, ID_BYTES = 4, LENGTH_BYTES_MAX = 8 };

/* An EBML element at file position `at` (RFC 8794, section 4): 1 and where it ends, 0 if it is
 * another one or of unknown length, as in a live stream. */
static int element_end(int fd, int64_t at, uint32_t id, int64_t *end)
{
	uint8_t b[ID_BYTES + LENGTH_BYTES_MAX];
	uint64_t value, unknown;
	int length = 1;

	if (pread(fd, b, sizeof(b), (off_t)at) != (ssize_t)sizeof(b))
		return 0;
	if (((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]) != id)
		return 0;
	while (length <= LENGTH_BYTES_MAX && !(b[ID_BYTES] & 0x80 >> (length - 1)))
		length++;
	if (length > LENGTH_BYTES_MAX)
		return 0;
	value = b[ID_BYTES] & (0xff >> length);
	unknown = 0xff >> length;
	for (int i = 1; i < length; i++) {
		value = value << 8 | b[ID_BYTES + i];
		unknown = unknown << 8 | 0xff;
	}
	if (value == unknown || value > INT64_MAX / 2)
		return 0;
	*end = at + ID_BYTES + length + (int64_t)value;
	return 1;
}

static int matroska_is_truncated(const io_infile *in)
{
	int64_t header_end, segment_end;

	return in->regular && element_end(in->fd, in->base, EBML_ID, &header_end) &&
	       element_end(in->fd, header_end, SEGMENT_ID, &segment_end) &&
	       segment_end > in->base + in->size;
}

int h264i_i_is_truncated(
	const AVFormatContext *fmt, const AVStream *stream, const io_infile *in, int64_t packet_end)
{
	int64_t input_end = in->size >= 0 ? in->size : in->position;

	if (in->fd < 0) /* a URL */
		return 0;
	/* The demultiplexer treats a truncated last frame as the end of the file. */
	if (strcmp(fmt->iformat->name, "yuv4mpegpipe") == 0)
		return packet_end >= 0 && input_end > packet_end;
	if (strncmp(fmt->iformat->name, "matroska", 8) == 0)
		return matroska_is_truncated(in);
	/* An index (.mp4) that points behind the end of the file. */
	for (int i = 0; i < avformat_index_get_entries_count(stream); i++) {
		const AVIndexEntry *entry = avformat_index_get_entry((AVStream *)stream, i);

		if (entry->pos + entry->size > input_end)
			return 1;
	}
	return 0;
}
