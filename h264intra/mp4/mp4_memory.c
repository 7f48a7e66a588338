/* A file in memory. */
#include "h264intra/mp4/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int append_bytes(void *opaque, const void *data, size_t bytes)
{
	mp4_buf *b = opaque;

	h264i_i_mp4_put(b, data, bytes);
	return b->failed ? ENOMEM : 0;
}

static void free_bytes(void *opaque, int nothing)
{
	mp4_buf *b = opaque;

	(void)nothing;
	h264i_i_mp4_free(b);
	free(b);
}

h264i_status h264i_mp4_open_memory(
	h264i_mp4 **out, const h264i_mp4_options *o, char *msg, size_t msg_bytes)
{
	h264i_mp4_sink sink;
	h264i_status s;

	if (!out)
		return H264I_ERR_ARG;
	*out = NULL;
	h264i_mp4_sink_init(&sink);
	sink.write = append_bytes;
	sink.opaque = calloc(1, sizeof(mp4_buf));
	if (!sink.opaque) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "out of memory");
		return H264I_ERR_NOMEM;
	}
	s = h264i_i_mp4_open(out, o, &sink, free_bytes, msg, msg_bytes);
	if (s == H264I_OK) {
		(*out)->memory = 1;
		if ((*out)->movie.o.layout == H264I_MP4_COMPLETE)
			(*out)->movie.o.layout = H264I_MP4_BUFFERED;
	}
	return s;
}

h264i_status h264i_mp4_data(h264i_mp4 *m, const uint8_t **data, size_t *data_bytes)
{
	const mp4_buf *b;

	if (data)
		*data = NULL;
	if (data_bytes)
		*data_bytes = 0;
	if (!m || !data || !data_bytes)
		return H264I_ERR_ARG;
	if (m->failed == H264I_OK)
		m->error[0] = '\0';
	if (!m->memory)
		return h264i_i_mp4_fail(
			m, H264I_ERR_STATE, "only h264i_mp4_open_memory keeps the file in memory");
	b = m->sink.opaque;
	*data = b->data;
	*data_bytes = b->bytes;
	return H264I_OK;
}
