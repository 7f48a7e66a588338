/* Live input, for the suites of both backends: frame n+2 exists only after packet n was
 * received. */
#ifndef TESTS_H264INTRA_LIVE_COMMON_H
#define TESTS_H264INTRA_LIVE_COMMON_H

#include "tests/common/seconds.h"
#include "tests/h264intra/encode_common.h"

#include <sched.h>

/* Receives a packet, calling again while there is none; AGAIN after 20 s. */
static inline h264i_status live_receive(h264i_encoder *enc, h264i_packet *pkt)
{
	const time_t end = test_seconds() + 20;
	h264i_status s;

	while ((s = h264i_receive_packet(enc, pkt)) == H264I_AGAIN && test_seconds() < end)
		sched_yield();
	return s;
}

static inline h264i_status live_send(h264i_encoder *enc, const test_video *v, uint32_t i)
{
	h264i_frame f = test_frame(v, i);

	return h264i_send_frame(enc, &f);
}

/* Encodes v with two frames in flight. Returns OK or the error (AGAIN: a packet was missing). Never
 * flushes. Free with free(out->data). */
static inline h264i_status live_encode(const test_video *v, h264i_options o, test_stream *out)
{
	h264i_packet pkt;
	h264i_encoder *enc;
	h264i_status s;
	uint32_t sent = 0;

	memset(out, 0, sizeof(*out));
	h264i_packet_init(&pkt);
	o.width = v->width;
	o.height = v->height;
	s = h264i_open(&enc, &o, NULL, 0);
	if (s != H264I_OK)
		return s;
	while (out->frames < v->frames && s == H264I_OK) {
		if (sent < v->frames && sent < out->frames + 2) {
			s = live_send(enc, v, sent);
			sent += s == H264I_OK;
			if (s != H264I_AGAIN)
				continue;
			/* The packet received last still counts as a frame in flight. */
			s = h264i_receive_packet(enc, &pkt);
			if (s == H264I_AGAIN) {
				s = H264I_OK;
				continue;
			}
		} else {
			s = live_receive(enc, &pkt);
		}
		if (s == H264I_OK && test_stream_take(out, &pkt))
			s = H264I_ERR_NOMEM;
	}
	h264i_close(&enc);
	return s;
}

#endif
