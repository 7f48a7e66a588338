#include "apps/gpuintra/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records a failure; the first one is kept. Its text is read after the thread has ended. */
static void fail(output *out, h264i_io_status status, const char *text)
{
	if (atomic_exchange(&out->failed, 1))
		return;
	out->status = status;
	snprintf(out->error, sizeof(out->error), "%s", text);
}

static void write_item(output *out, const output_item *item)
{
	const h264i_sink_packet p = {
		.struct_bytes = sizeof(p),
		.data = item->data,
		.data_bytes = item->data_bytes,
		.headers_bytes = item->headers_bytes,
		.pts = item->pts,
		.duration = item->duration,
	};
	h264i_io_status s = h264i_sink_write(out->sink, &p);

	if (s != H264I_IO_OK) {
		fail(out, s, h264i_sink_last_error(out->sink));
		return;
	}
	if (out->y4m) {
		size_t luma = (size_t)out->width * out->height;
		const uint8_t *plane[3] = { item->recon, item->gray ? NULL : item->recon + luma,
			item->gray ? NULL : item->recon + luma + luma / 4 };
		const size_t pitch[3] = { out->width, out->width / 2, out->width / 2 };

		s = h264i_y4m_write(out->y4m, plane, pitch);
		if (s != H264I_IO_OK)
			fail(out, s, h264i_y4m_last_error(out->y4m));
	}
}

static void *write_all(void *opaque)
{
	output *out = opaque;
	output_item *item;

	while ((item = chan_pop(&out->full, -1)) != NULL) {
		if (!atomic_load(&out->failed))
			write_item(out, item);
		chan_push(&out->empty, item);
	}
	return NULL;
}

int output_start(output *out, h264i_sink *sink, h264i_y4m *y4m, uint32_t width, uint32_t height)
{
	size_t recon_bytes = (size_t)width * height * 3 / 2;

	memset(out, 0, sizeof(*out));
	atomic_init(&out->failed, 0);
	out->sink = sink;
	out->y4m = y4m;
	out->width = width;
	out->height = height;
	if (chan_init(&out->empty, OUTPUT_ITEMS) || chan_init(&out->full, OUTPUT_ITEMS)) {
		fail(out, H264I_IO_ERR_NOMEM, "out of memory");
		return -1;
	}
	for (int i = 0; i < OUTPUT_ITEMS; i++) {
		if (y4m && !(out->items[i].recon = malloc(recon_bytes))) {
			fail(out, H264I_IO_ERR_NOMEM, "out of memory");
			return -1;
		}
		chan_push(&out->empty, &out->items[i]);
	}
	out->thread_runs = pthread_create(&out->thread, NULL, write_all, out) == 0;
	if (!out->thread_runs)
		fail(out, H264I_IO_ERR_NOMEM, "cannot create the writer thread");
	return out->thread_runs ? 0 : -1;
}

static void copy_recon(const output *out, uint8_t *to, const h264i_packet *p)
{
	for (int i = 0; i < 3 && p->recon[i]; i++) {
		size_t w = i ? out->width / 2 : out->width, h = i ? out->height / 2 : out->height;

		for (size_t y = 0; y < h; y++, to += w)
			memcpy(to, p->recon[i] + y * p->recon_pitch_bytes[i], w);
	}
}

int output_put(output *out, const h264i_packet *packet, int64_t duration)
{
	output_item *item;

	if (atomic_load(&out->failed))
		return -1;
	item = chan_pop(&out->empty, -1);
	if (item->room_bytes < packet->data_bytes) {
		size_t room = packet->data_bytes + packet->data_bytes / 4;

		free(item->data);
		item->data = malloc(room);
		item->room_bytes = item->data ? room : 0;
		if (!item->data) {
			chan_push(&out->empty, item);
			fail(out, H264I_IO_ERR_NOMEM, "out of memory");
			return -1;
		}
	}
	memcpy(item->data, packet->data, packet->data_bytes);
	item->data_bytes = packet->data_bytes;
	item->headers_bytes = packet->headers_bytes;
	item->pts = packet->pts;
	item->duration = duration;
	item->gray = !packet->recon[1];
	if (item->recon)
		copy_recon(out, item->recon, packet);
	return chan_push(&out->full, item);
}

int output_has_failed(output *out)
{
	return atomic_load(&out->failed);
}

static void join(output *out)
{
	if (!out->thread_runs)
		return;
	chan_close(&out->full);
	pthread_join(out->thread, NULL);
	out->thread_runs = 0;
}

int output_finish(output *out, output_end end, output_end failure)
{
	h264i_io_status s = H264I_IO_OK;

	join(out);
	if (atomic_load(&out->failed))
		s = out->status;
	for (int i = 0; i < 2; i++) {
		/* A named pipe without a reader does not make the other output a failed one. */
		if (s != H264I_IO_OK && s != H264I_IO_INTERRUPTED && end < failure)
			end = failure;
		if (end == OUTPUT_LACKING || (i == 1 && !out->y4m))
			break;
		/* A file that failed returns its status again; fail() keeps the first one. */
		if (i == 0)
			s = end ? h264i_sink_finish_early(out->sink) : h264i_sink_finish(out->sink);
		else
			s = end ? h264i_y4m_finish_early(out->y4m) : h264i_y4m_finish(out->y4m);
		if (s != H264I_IO_OK)
			fail(out, s,
				i == 0 ? h264i_sink_last_error(out->sink)
				       : h264i_y4m_last_error(out->y4m));
	}
	return atomic_load(&out->failed) ? -1 : 0;
}

void output_close(output *out)
{
	join(out);
	for (int i = 0; i < OUTPUT_ITEMS; i++) {
		free(out->items[i].data);
		free(out->items[i].recon);
	}
	chan_free(&out->empty);
	chan_free(&out->full);
}
