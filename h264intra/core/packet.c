/* Packets of coded pictures, and reference-counted copies of them that outlive the encoder. */
#include "h264intra/core/backend.h"
#include "libsched/core/sized.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void append(h264i_buf *out, const uint8_t *data, size_t bytes)
{
	if (bytes)
		memcpy(out->data + out->bytes, data, bytes);
	out->bytes += bytes;
}

/* Inserts the SEI of a slot, and that of options.hrd in front of it, between the headers and the
 * slices, in a copy of the packet. */
static h264i_status insert_sei(h264i_encoder *enc, const h264i_slot *slot, h264i_packet *pkt)
{
	h264i_buf *out = &enc->assembled;
	size_t front = enc->packet_headers.bytes;

	out->bytes = 0;
	if (h264i_i_buf_reserve(out, slot->packet_bytes + slot->sei.bytes + H264I_HRD_SEI_BYTES) !=
		0)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory for a packet with SEI");
	append(out, slot->packet, front);
	if (enc->o.hrd && h264i_i_control_hrd_sei(enc, slot, out) != H264I_OK)
		return H264I_ERR_NOMEM;
	append(out, slot->sei.data, slot->sei.bytes);
	append(out, slot->packet + front, slot->packet_bytes - front);
	pkt->data = out->data;
	pkt->data_bytes = out->bytes;
	if (enc->o.hrd)
		h264i_i_control_hrd_remove(slot->stream, out->bytes);
	return H264I_OK;
}

h264i_status h264i_i_packet_fill(h264i_encoder *enc, const h264i_slot *slot, h264i_packet *pkt)
{
	pkt->data = slot->packet;
	pkt->data_bytes = slot->packet_bytes;
	pkt->headers_bytes = enc->packet_headers.bytes;
	pkt->pts = slot->frame.pts;
	pkt->index = slot->index;
	pkt->substream = slot->frame.substream;
	pkt->qp = slot->qp;
	pkt->time_ns = slot->time_ns;
	if (enc->o.detail) {
		pkt->detail = slot->detail.last;
		pkt->detail_count = H264I_DETAIL_QPS;
	}
	pkt->key = 1;
	pkt->width = enc->o.width + enc->o.width % 2;
	pkt->height = enc->o.height + enc->o.height % 2;
	if (!enc->params.gray) {
		pkt->chroma_width = pkt->width / 2;
		pkt->chroma_height = pkt->height / 2;
	}
	for (int p = 0; enc->o.recon && p < (enc->params.gray ? 1 : 3); p++) {
		pkt->recon[p] = slot->recon[p];
		pkt->recon_pitch_bytes[p] = slot->recon_pitch[p];
	}
	if (enc->o.sse)
		memcpy(pkt->sse, slot->sse, sizeof(pkt->sse));
	return slot->sei.bytes || enc->o.hrd ? insert_sei(enc, slot, pkt) : H264I_OK;
}

/* Memory of a copied packet: this header, detail, the data, the planes. */
typedef struct packet_buffer {
	atomic_uint references;
	uint32_t detail[H264I_DETAIL_QPS];
	uint8_t bytes[];
} packet_buffer;

static size_t plane_bytes(const h264i_packet *p, int plane)
{
	return (size_t)(p->width >> (plane > 0)) * (p->height >> (plane > 0));
}

/* Copies the memory of p and makes p refer to the copy. */
static h264i_status copy_memory(h264i_packet *p)
{
	int planes = p->recon[1] ? 3 : p->recon[0] ? 1 : 0;
	size_t bytes = p->data_bytes;
	packet_buffer *b;
	uint8_t *at;

	for (int i = 0; i < planes; i++)
		bytes += plane_bytes(p, i);
	b = malloc(sizeof(*b) + bytes);
	if (!b)
		return H264I_ERR_NOMEM;
	atomic_init(&b->references, 1);
	if (p->detail) {
		memcpy(b->detail, p->detail, sizeof(b->detail));
		p->detail = b->detail;
	}
	memcpy(b->bytes, p->data, p->data_bytes);
	at = b->bytes + p->data_bytes;
	p->data = b->bytes;
	for (int i = 0; i < planes; i++) {
		size_t row = p->width >> (i > 0), rows = p->height >> (i > 0);
		const uint8_t *from = p->recon[i];

		p->recon[i] = at;
		for (size_t y = 0; y < rows; y++, at += row)
			memcpy(at, from + y * p->recon_pitch_bytes[i], row);
		p->recon_pitch_bytes[i] = row;
	}
	p->buffer = b;
	return H264I_OK;
}

static const size_t least_bytes = LSCHED_I_SIZE_TO(h264i_packet, buffer);

h264i_status h264i_packet_ref(h264i_packet *to, const h264i_packet *from)
{
	h264i_packet p, empty;
	h264i_status s = H264I_OK;

	h264i_packet_init(&empty);
	if (to == from) /* emptying *to would lose the packet */
		return H264I_ERR_ARG;
	if (!to || lsched_i_sized_out(to, sizeof(empty), least_bytes, &empty) || !from ||
		lsched_i_sized_in(&p, sizeof(p), least_bytes, from) || !p.data)
		return H264I_ERR_ARG;
	if (p.buffer)
		/* relaxed: the caller's reference keeps the memory alive */
		atomic_fetch_add_explicit(
			&((packet_buffer *)p.buffer)->references, 1, memory_order_relaxed);
	else
		s = copy_memory(&p);
	if (s == H264I_OK)
		(void)lsched_i_sized_out(to, sizeof(p), least_bytes, &p);
	return s;
}

void h264i_packet_unref(h264i_packet *p)
{
	h264i_packet known, empty;

	if (!p || lsched_i_sized_in(&known, sizeof(known), least_bytes, p))
		return;
	if (known.buffer) {
		packet_buffer *b = known.buffer;

		/* acq_rel: reads through other references happen before free() */
		if (atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) == 1)
			free(b);
	}
	h264i_packet_init(&empty);
	(void)lsched_i_sized_out(p, sizeof(empty), least_bytes, &empty);
}
